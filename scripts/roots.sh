# Sourced by scripts that try things in a fresh Debian: roots in $work, made by mmdebstrap and entered as root.

# inside ROOT [--offline] COMMAND: in a root, with its /proc and the host's name servers; what is mounted goes with it.
inside() {
  local root=$1 net=""
  shift
  if [ "$1" = --offline ]; then net=--net shift; fi
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  unshare --mount --pid --fork $net bash -euc 'mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    if [ -d "${CCACHE_DIR:-}" ]; then mkdir -p "$1/ccache"; mount --bind "$CCACHE_DIR" "$1/ccache"; fi
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      CCACHE_DIR="${CCACHE_DIR:+/ccache}" chroot "$1" bash -euc "$2"' inside "$root" "$1"
}
# Kept between runs: the bare system of a release.
bare() {
  [ -s "$work/$1.tar" ] || { mmdebstrap --variant=minbase --components=main "$1" "$work/$1.part" --format=tar &&
    mv "$work/$1.part" "$work/$1.tar"; }
}
fresh() {
  rm -rf --one-file-system "$2" && mkdir -p "$2" && tar -C "$2" --exclude './dev/*' -xf "$work/$1.tar" &&
    echo force-unsafe-io >"$2/etc/dpkg/dpkg.cfg.d/quick"
}
