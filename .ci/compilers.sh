#!/usr/bin/env bash
# The compilers that Debian 12 and 13 have beside those of every day (g++ 12, clang 14), each in a root of its
# release, with all warnings as errors. What is *built* makes library, program and suites and runs them; of the
# others every source is read.
# usage: .ci/compilers.sh [SUITE:COMPILER...]        as trixie:clang-19; needs root, downloads from Debian
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need mmdebstrap git || exit 3
[ "$(id -u)" = 0 ] || { echo "compilers: 0 passed, 0 failed, 1 skipped (roots are made by root)"; exit 0; }
built="trixie:g++-14 trixie:clang-19"
wanted=${*:-$built trixie:g++-13 trixie:clang-17 trixie:clang-18 bookworm:clang-15 bookworm:clang-16}
suites="base algebra layouts schedules search engine files c"
work=$PWD/build/debian
mkdir -p "$work"
. scripts/try.sh
. scripts/roots.sh

tree() {  # SUITE ROOT: the sources in a root with what they need
  fresh "$1" "$2" && mkdir "$2/build" && tar -C "$2/build" -xf "$archive" &&
    inside "$2" "apt-get -qq update
      apt-get -qq -y --no-install-recommends install $packages_build $packages_tested_with ccache"
}
install() { inside "$1" "apt-get -qq -y --no-install-recommends install $2"; }
of_cxx() { echo "${1/clang-/clang++-}"; }
makes() {  # ROOT COMPILER
  local targets=faro_program suite
  for suite in $suites; do targets+=" ${suite}_tests"; done
  inside "$1" "cd /build/faro-*/
    if [ -n \"\$CCACHE_DIR\" ]; then
      export CCACHE_BASEDIR=/build CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros,pch_defines
      launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    fi
    cmake -G Ninja -S . -B /build/$2 -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG' \${launcher:-} \
      -DCMAKE_CXX_COMPILER=$(of_cxx "$2") -DFARO_WERROR=ON -DFARO_EXAMPLES=OFF -DFARO_INSTALL=OFF
    cmake --build /build/$2 --target $targets"
}
runs() { inside "$1" "/build/$2/tests/$3_tests --gtest_brief=1"; }
says() { [ "$(inside "$1" "/build/$2/faro explain 'i:4 -> rev(i)' --json" | md5sum)" = "$(build/release/faro explain 'i:4 -> rev(i)' --json | md5sum)" ]; }
# What CMake would compile, but for the tables that it would write first.
reads() {
  inside "$1" "cmake -G Ninja -S /build/faro-*/ -B /build/$2 -DCMAKE_CXX_COMPILER=$(of_cxx "$2") -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
      -DFARO_WERROR=ON -DFARO_PRECOMPILE=OFF -DFARO_INSTALL=OFF
    sed -nE 's/^ *\"command\": \"(.*) -o [^ ]+ -c ([^ ]+)\",?\$/\1 -fsyntax-only \2/p' /build/$2/compile_commands.json |
      sed -E 's/\\\\(.)/\1/g' | grep -v '/tables/[a-z_]*[.]cpp\$' >/build/$2/read
    test -s /build/$2/read
    xargs -d '\n' -P \$(nproc) -I '{}' sh -c '{}' </build/$2/read"
}
faro_build release faro_program -DFARO_TESTS=ON
try archive packaging/archive.sh "$work"
archive=$(ls "$work"/faro-*.tar.gz)
for one in $wanted; do
  suite=${one%%:*} compiler=${one#*:} root=$work/$suite-compilers
  if [ "${ready:-}" != "$suite" ]; then
    try "$suite" bare "$suite" && try "$suite: tree" tree "$suite" "$root" || continue
    ready=$suite
  fi
  try "$one: install" install "$root" "$compiler" || continue
  if [[ " $built " = *" $one "* ]]; then
    try "$one: build" makes "$root" "$compiler" || continue
    for name in $suites; do try "$one: $name" runs "$root" "$compiler" "$name"; done
    try "$one: the program" says "$root" "$compiler"
  else
    try "$one: every source" reads "$root" "$compiler"
  fi
done
tried compilers
