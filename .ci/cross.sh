#!/usr/bin/env bash
# Other processors: cross-compiled against a root of Debian and tested under qemu. arm64 runs the NEON kernels;
# s390x, which is big-endian, and ppc64el are for who asks for them.
# usage: .ci/cross.sh [ARCH...]        arm64 by default; downloads from Debian
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
. scripts/cross.sh
. scripts/try.sh
faro_need $packages_build mmdebstrap qemu-user-static || exit 3
faro_build release faro_program
work=$faro_cross
native=$PWD/build/release/faro
suites="base algebra layouts schedules search engine files"

configured() {
  cmake -G Ninja -S . -B "$work/$1-build" -DCMAKE_TOOLCHAIN_FILE="$(faro_toolchain "$1")" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS="-DFARO_EMULATED" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DFARO_EXAMPLES=OFF -DFARO_INSTALL=OFF
}
built() {
  local targets="faro faro_program" suite
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
  processor=$(faro_processor "$arch")
  faro_need "g++-$processor-linux-gnu" || exit 3
  try "$arch: root" faro_root_of "$arch" && try "$arch: configure" configured "$arch" &&
    try "$arch: build" built "$arch" || continue
  qemu=${processor/powerpc64le/ppc64le}
  emulated="qemu-$qemu-static -L $work/$arch $work/$arch-build"
  for suite in $suites; do try "$arch: $suite" $emulated/tests/${suite}_tests --gtest_brief=1; done
  try "$arch: permute" same permute "$scratch/x.npy" out.npy --axis 1 --map 'i -> gray(rev(i))'
  try "$arch: lengths" same permute "$scratch/x.npy" out.npy --axes 2,0,1
  try "$arch: a schedule" same plan 'a:10 -> ungray(a)' --on cube:10 --elements 100 --schedule out.json --json
  try "$arch: a verdict" same verify "$scratch/s.json" --json
  try "$arch: explain" same explain 'r:3 c:2 -> gray(c) rev(r)' --json
  [ "$arch" = arm64 ] || continue
  # The wheel of the library that was built here, made and used as others do.
  rm -rf "$work/wheels"
  try "$arch: wheel" packaging/wheel.sh --arm64 "$work/wheels" /usr/bin/python3 \
    --config-settings=cmake.define.FARO_PYTHON_LIBRARY="$work/$arch-build/src/libfaro.a" \
    --config-settings=cmake.define.FARO_PYTHON_PROGRAM="$work/$arch-build/faro" &&
    try "$arch: wheel used" .ci/wheel_used.sh --arm64 "$work/wheels" /usr/bin/python3
done
tried cross
