#!/usr/bin/env bash
# Every block of code in README and docs: those with a file's name are that file, word for word; shell runs
# line by line, a page in a folder of its own, and prints what a block of text after it says; C++ and C compile
# and run; Python is left to .ci/python.sh. The site is built and every link followed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build release all -DFARO_TESTS=ON
. scripts/try.sh
quoted() {  # FILE: the block after its marker equals the file
  diff <(awk -v marker="<!-- $1 -->" '$0 == marker { found = 1; next }
           found && /^```/ { if (inside) exit; inside = 1; next }
           inside { print }' "$2") "$1"
}
while IFS=: read -r page file; do
  try "$page quotes $file" quoted "$file" "$page"
done < <(grep -oE '^<!-- examples/[a-z_.]+ -->' README.md docs/*.md | sed -E 's/<!-- (.*) -->/\1/')
cpp_runs() { [ "$(build/release/examples/readme)" = \
  "row 0 was 0 1 2 3, column 0 is now row 0: 0 4 8 ..." ]; }
try "the C++ example prints what it says" cpp_runs
scratch=$tried_logs/scratch
mkdir "$scratch"
root=$PWD
export PATH=$root/build/release:$root/build/release/examples:$PATH
# blocks LANGUAGE PAGE: each after a line with a form feed; those that quote a file were compared. What blocks of
# text say is printed comes after vertical tabs.
blocks() {
  awk -v fence="^\`\`\`$1\$" '/^<!-- examples/ { quotes = 1 }
    $0 ~ fence { if (!quotes) { inside = 1; print "\f" } quotes = 0; next }
    fence ~ /sh/ && /^```text$/ { said = 1; next }
    /^```/ { inside = 0; quotes = 0; said = 0 } said { print "\v" $0 } inside' "$2"
}
ran_sh=0 ran_cpp=0 left=0
for page in examples/readme.sh README.md docs/*.md; do
  folder=$scratch/$(basename "$page")
  mkdir "$folder"
  while IFS= read -r line; do
    case $line in
      $'\f') ran_sh=$((ran_sh + 1)) && : >"$scratch/printed" ;;
      $'\v'*) try "$page: prints ${line:1}" grep -qF -- "${line:1}" "$scratch/printed" ;;
      *) try "$page: $line" env -C "$folder" bash -euc "$line"
        cat "$tried_log" >>"$scratch/printed" ;;
    esac
  done < <(if [ "${page##*.}" = sh ]; then cat "$page"; else blocks sh "$page"; fi)
done
flags=$(PKG_CONFIG_PATH=build/release pkg-config --libs --static libhwy fmt)
codecs=$(sed -nE 's/^Libs(.private)?:.*-pthread//p' build/release/faro.pc)
runs() {  # FILE: compiled as a user would, and run
  local compiler="g++ -std=c++20"
  [ "${1##*.}" = c ] && compiler="gcc -std=c11"
  # shellcheck disable=SC2086
  $compiler -c -Wall -Iinclude "$1" -o "$1.o" &&
    g++ "$1.o" -o "$1.out" build/release/src/libfaro.a -Lbuild/release/src -lfaro_c \
      -Wl,-rpath,"$root/build/release/src" $flags $codecs -pthread && env -C "$scratch" "$1.out"
}
for page in README.md docs/*.md; do
  for language in cpp c; do
    count=0
    while IFS= read -r -d $'\f' block; do
      [ -n "${block//[[:space:]]/}" ] || continue
      count=$((count + 1)) file=$scratch/$(basename "$page" .md)-$count.$language
      case $block in
        *"int main"*) echo "$block" >"$file" ;;
        *) printf '#include <faro/c/faro.h>\n#include <stdio.h>\nint main(void) {\n%s\nreturn 0;\n}\n' "$block" >"$file" ;;
      esac
      try "$page, $language block $count" runs "$file"
      ran_cpp=$((ran_cpp + 1))
    done < <(blocks "$language" "$page"; printf '\f')
  done
  left=$((left + $(grep -c '^```python' "$page")))
done
echo "blocks: $ran_sh of shell, $ran_cpp of C++ and C; $left of Python are run by .ci/python.sh"
[ "$ran_sh" -gt 5 ] && [ "$ran_cpp" -gt 2 ] || { bad=$((bad + 1)); echo "failed: docs have no blocks"; }
mkdir "$scratch/pictures"
drawn() { docs/pictures/make.sh "$scratch/pictures" &&
  diff -r -x make.sh -x places.py -x '*.png' docs/pictures "$scratch/pictures"; }
try "the pictures of docs are what the program draws" drawn
for link in $(grep -ohE '\]\([A-Za-z0-9_./-]+\)' README.md ARCHITECTURE.md HACKING.md docs/*.md |
  tr -d '()]' | sort -u); do
  try "link to $link" test -e "$link" -o -e "docs/$link"
done
site() { faro_need $packages_site && tools/site "$scratch/site"; }
try "the site" site
tried readme
