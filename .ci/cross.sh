#!/usr/bin/env bash
# Other processors: cross-compiled against a root of Debian and tested under qemu. arm64 runs the NEON kernels;
# s390x, which is big-endian, and ppc64el are for who asks for them.
# usage: .ci/cross.sh [ARCH...]        arm64 by default; downloads from Debian
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
. scripts/try.sh
faro_need $packages_build mmdebstrap qemu-user-static || exit 3
faro_build release faro_program
work=$PWD/build/cross
native=$PWD/build/release/faro
mkdir -p "$work"
suites="base algebra layouts schedules search engine files"

# Unpacked only: nothing in it is run, so the release alone will do, without its updates. Kept between runs.
# qemu takes an absolute link to the loader for one of this machine.
root_of() {
  [ -d "$work/$1" ] && return
  rm -rf "$work/$1.part"
  mmdebstrap --variant=extract --architectures="$1" bookworm "$work/$1.part" http://deb.debian.org/debian \
    --include="$(tr ' ' , <<<"$packages_libraries $packages_tested_with libstdc++-12-dev libc6-dev")" &&
    find "$work/$1.part" -name 'ld64.so*' -lname '/*' -exec sh -c 'ln -sfr "$1$(readlink "$2")" "$2"' . "$work/$1.part" {} \; &&
    mv "$work/$1.part" "$work/$1"
}
# configured ARCH PROCESSOR
configured() {
  cat >"$work/$1.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $2)
set(CMAKE_C_COMPILER $2-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER $2-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $2-linux-gnu)
set(CMAKE_SYSROOT $work/$1)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
END
  cmake -G Ninja -S . -B "$work/$1-build" -DCMAKE_TOOLCHAIN_FILE="$work/$1.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS="-DFARO_EMULATED" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DFARO_EXAMPLES=OFF -DFARO_INSTALL=OFF
}
built() {
  local targets=faro_program suite
  for suite in $suites; do targets+=" ${suite}_tests"; done
  # shellcheck disable=SC2086
  cmake --build "$work/$1-build" --target $targets
}
# same ARGUMENTS...: what the program writes to stdout or to $there/out is what the native one writes.
same() {
  local here=$scratch/here there=$scratch/there
  rm -rf "$here" "$there"
  mkdir "$here" "$there"
  (cd "$here" && "$native" "$@" >stdout) && (cd "$there" && $emulated/faro "$@" >stdout) && diff -r "$here" "$there"
}
scratch=$tried_logs/scratch
mkdir "$scratch"
/usr/bin/python3 -c "import numpy as np; np.save('$scratch/x.npy', np.random.default_rng(1).random((3, 1 << 12, 5)))"
"$native" plan 'a:10 -> ungray(a)' --on cube:10 --elements 100 --schedule "$scratch/s.json" >/dev/null || exit 1

for arch in ${*:-arm64}; do
  case $arch in
    arm64) processor=aarch64 ;;
    ppc64el) processor=powerpc64le ;;
    *) processor=$arch ;;
  esac
  faro_need "g++-$processor-linux-gnu" || exit 3
  try "$arch: root" root_of "$arch" && try "$arch: configure" configured "$arch" "$processor" &&
    try "$arch: build" built "$arch" || continue
  qemu=${processor/powerpc64le/ppc64le}
  emulated="qemu-$qemu-static -L $work/$arch $work/$arch-build"
  for suite in $suites; do try "$arch: $suite" $emulated/tests/${suite}_tests --gtest_brief=1; done
  try "$arch: permute" same permute "$scratch/x.npy" out.npy --axis 1 --map 'i -> gray(rev(i))'
  try "$arch: lengths" same permute "$scratch/x.npy" out.npy --axes 2,0,1
  try "$arch: a schedule" same plan 'a:10 -> ungray(a)' --on cube:10 --elements 100 --schedule out.json --json
  try "$arch: a verdict" same verify "$scratch/s.json" --json
  try "$arch: explain" same explain 'r:3 c:2 -> gray(c) rev(r)' --json
done
tried cross
