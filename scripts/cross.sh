# Sourced by .ci/cross.sh and packaging/wheel.sh, after setup.sh: roots of Debian for other processors, to compile for
# them and to run under qemu what was compiled. They lie in build/cross and are kept between runs.

faro_cross=$faro_root/build/cross

# faro_processor ARCH: Debian's name of an architecture as compilers say it.
faro_processor() {
  case $1 in
    arm64) echo aarch64 ;;
    ppc64el) echo powerpc64le ;;
    *) echo "$1" ;;
  esac
}

# faro_root_of ARCH: the libraries that faro needs, what its tests need, and a Python.
# Unpacked only: nothing in it is run, so the release alone will do, without its updates.
# qemu takes an absolute link to the loader for one of this machine.
faro_root_of() {
  local root=$faro_cross/$1
  [ ! -e "$root/usr/bin/python3" ] || return 0
  rm -rf "$root" "$root.part"
  mkdir -p "$faro_cross"
  mmdebstrap --variant=extract --architectures="$1" bookworm "$root.part" http://deb.debian.org/debian \
    --include="$(tr ' ' , <<<"$packages_libraries $packages_tested_with libstdc++-12-dev libc6-dev python3 libpython3-dev")" &&
    find "$root.part" -name 'ld64.so*' -lname '/*' -exec sh -c 'ln -sfr "$1$(readlink "$2")" "$2"' . "$root.part" {} \; &&
    mv "$root.part" "$root"
}

# faro_toolchain ARCH: CMake's file that compiles for it against its root; says where it is.
faro_toolchain() {
  local processor
  processor=$(faro_processor "$1")
  cat >"$faro_cross/$1.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $processor)
set(CMAKE_C_COMPILER $processor-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER $processor-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $processor-linux-gnu)
set(CMAKE_SYSROOT $faro_cross/$1)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
END
  echo "$faro_cross/$1.cmake"
}
