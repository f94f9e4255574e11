#!/usr/bin/env bash
# Installs into a scratch prefix, then builds and runs one small consumer by find_package and by pkg-config,
# and compiles every installed header alone with both compilers.
# usage: .ci/install.sh [--subproject]        as a subproject too, which compiles the library once more
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build release all -DFARO_TESTS=ON
. scripts/try.sh
scratch=$tried_logs/scratch
mkdir "$scratch"
prefix=$scratch/prefix
source=$PWD/tests/install
expected="i:4 -> rev(i) sends 1 to 8"
by_find_package() {
  cmake -G Ninja -S "$source/find_package" -B "$scratch/found" -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$scratch/found" && [ "$("$scratch/found/consumer")" = "$expected" ]
}
by_pkg_config() {
  local flags
  flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name faro.pc)") \
    pkg-config --cflags --libs faro) &&
    g++ -std=c++20 "$source/consumer.cpp" $flags -o "$scratch/consumer" &&
    [ "$("$scratch/consumer")" = "$expected" ]
}
as_subproject() {
  cmake -G Ninja -S "$source/subproject" -B "$scratch/sub" "-DFARO_SOURCE=$PWD" -DFARO_PRECOMPILE=ON &&
    cmake --build "$scratch/sub" && [ "$("$scratch/sub/consumer")" = "$expected" ]
}
c_consumer() {
  local flags
  flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name faro_c.pc)") pkg-config --cflags --libs faro_c) &&
    gcc -std=c11 -Wall -Werror "$source/consumer.c" $flags -o "$scratch/consumer_c" &&
    [ "$(LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name 'libfaro_c.so' | head -1)") "$scratch/consumer_c")" = "0 2 1 3" ]
}
# Every header by itself, as its first user would include it. Those of MPI need MPI's own.
headers_alone() {
  local compiler=$1
  (cd "$prefix/include" && find faro -name '*.hpp' ! -path 'faro/mpi/*') >"$scratch/headers" &&
    [ "$(wc -l <"$scratch/headers")" -gt 30 ] &&
    xargs -P 2 -I '{}' sh -c 'echo "#include <{}>" |
      '"$compiler"' -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
        -I "'"$prefix"'/include" -x c++ - || { echo "alone: {}"; exit 255; }' <"$scratch/headers"
}
by_component() {
  cmake -G Ninja -S "$source/components" -B "$scratch/part" -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$scratch/part" && [ "$("$scratch/part/consumer")" = "0 2 1 3" ]
}
fetched() {
  cmake -G Ninja -S "$source/fetched" -B "$scratch/fetched" "-DFARO_SOURCE=$PWD"
}
# Compilation alone says how wide a pointer is.
refused_on_32_bits() {
  ! cmake -G Ninja -S . -B "$scratch/narrow" -DCMAKE_CXX_FLAGS=-m32 \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY >"$scratch/narrow.log" 2>&1 &&
    grep -q 'faro needs a 64-bit target' "$scratch/narrow.log"
}
same_archive() {
  mkdir "$scratch/one" "$scratch/two" && packaging/archive.sh "$scratch/one" && sleep 1 &&
    packaging/archive.sh "$scratch/two" && diff -r "$scratch/one" "$scratch/two"
}
# What README and the pages link to is installed beside them.
links_lead_somewhere() {
  local doc=$prefix/share/doc/faro
  [ -f "$doc/docs/pictures/cube.svg" ] && python3 - "$doc" <<'END'
import pathlib, re, sys
pages = list(pathlib.Path(sys.argv[1]).rglob("*.md"))
links = [(page, link) for page in pages for link in re.findall(r"\]\((?!https?:)([^)#\s:]+)[)#]", page.read_text())]
dead = [f"{page}: {link}" for page, link in links if not (page.parent / link).exists()]
sys.exit("\n".join(dead) if dead or len(links) < 50 else 0)
END
}
uninstalled() {
  cmake --build build/release --target uninstall && [ -d "$prefix" ] && [ -z "$(ls -A "$prefix")" ]
}
try install cmake --install build/release --prefix "$prefix"
try program "$prefix/bin/faro" --version
try links links_lead_somewhere
try find_package by_find_package
try pkg_config by_pkg_config
[ "${1:-}" != --subproject ] || try subproject as_subproject
try c_consumer c_consumer
try headers_alone_gcc headers_alone g++
try headers_alone_clang headers_alone clang++-14
try component by_component
try fetch_content fetched
try refused_on_32_bits refused_on_32_bits
try archive same_archive
try uninstall uninstalled
tried install
