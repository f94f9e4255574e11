#!/usr/bin/env bash
# The Debian packages: built without a network from the source archive in a fresh root of each release,
# judged by lintian, installed into another fresh root and used from there (debian/tests/use).
# Optimised lightly, since what is tried is the packages: as fast to build as not at all, and a static library of
# 250 MB takes lintian longer than its compiler.
# usage: .ci/debian.sh [SUITE...]        bookworm and trixie by default; needs root, downloads from Debian
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need mmdebstrap git || exit 3
[ "$(id -u)" = 0 ] || { echo "debian: 0 passed, 0 failed, 1 skipped (roots are made by root)"; exit 0; }
suites=${*:-bookworm trixie}
work=$PWD/build/debian
mkdir -p "$work"
. scripts/try.sh
. scripts/roots.sh
# nanobind is packaged since trixie; for older ones it comes from PyPI.
tools() {
  python3 -m pip download -q --no-deps -d "$work/wheels" nanobind==2.4.0 &&
    python3 -m zipfile -e "$work"/wheels/nanobind-2.4.0-*.whl "$1/nanobind"
  inside "$1" 'apt-get -qq update
    cd /build/faro-*/
    profiles=
    if ! apt-cache show python3-nanobind >/dev/null 2>&1; then
      profiles=pkg.faro.ownnanobind
    else
      rm -rf /nanobind
    fi
    echo "$profiles" >/build/profiles
    apt-get -qq -y --no-install-recommends -P "$profiles" build-dep ./
    apt-get -qq -y --no-install-recommends install fakeroot lintian ccache'
}
build() {
  inside "$1" --offline 'cd /build/faro-*/
    launcher=
    if [ -n "$CCACHE_DIR" ]; then
      export CCACHE_BASEDIR=/build CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros,pch_defines
      launcher=ccache
    fi
    export CMAKE_CXX_COMPILER_LAUNCHER=$launcher CMAKE_C_COMPILER_LAUNCHER=$launcher
    PYTHONPATH=/nanobind DEB_BUILD_PROFILES=$(cat /build/profiles) DEB_CXXFLAGS_STRIP=-g DEB_CXXFLAGS_APPEND=-O1 \
      DEB_BUILD_OPTIONS="parallel=3 noopt noautodbgsym" dpkg-buildpackage -us -uc -b'
}
# Who uploads brings an address and closes a bug; the rest is to be clean.
judge() {
  inside "$1" 'cd /build && lintian --version && lintian --allow-root --fail-on error,warning \
    --suppress-tags initial-upload-closes-no-bugs,bogus-mail-host,bogus-mail-host-in-debian-changelog *.changes'
}
use() {
  cp -r "$work/$1/build" "$2/build"
  inside "$2" 'apt-get -qq update
    apt-get -qq -y --no-install-recommends install /build/*.deb g++ gcc cmake make pkgconf man-db python3-numpy
    cd /build/faro-*/ && debian/tests/use
    apt-get -qq -y purge "libfaro*" "faro*" python3-faro
    left=$(find /usr /etc -name "*faro*" -not -path "*/zoneinfo/*" | grep -v "/var/" || true)
    [ -z "$left" ] || { echo "left behind: $left"; exit 1; }'
}
try archive packaging/archive.sh "$work"
archive=$(ls "$work"/faro-*.tar.gz)
for suite in $suites; do
  root=$work/$suite
  try "$suite-bare" bare "$suite" && fresh "$suite" "$root" && mkdir "$root/build" &&
    tar -C "$root/build" -xf "$archive" && try "$suite-tools" tools "$root" &&
    try "$suite-build" build "$root" && try "$suite-lintian" judge "$root" &&
    fresh "$suite" "$root-used" && try "$suite-use" use "$suite" "$root-used"
done
tried debian
