#!/usr/bin/env bash
# The README's examples are the files in examples/, word for word, and run; its links lead somewhere.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build release all -DFARO_TESTS=ON
good=0
bad=0
check() {
  local name=$1
  shift
  if "$@" >/dev/null 2>build/readme-error.log; then
    good=$((good + 1))
  else
    bad=$((bad + 1))
    echo "failed: $name"
    cat build/readme-error.log
  fi
}
quoted() {  # FILE: the block after its marker equals the file
  diff <(awk -v marker="<!-- $1 -->" '$0 == marker { found = 1; next }
           found && /^```/ { if (inside) exit; inside = 1; next }
           inside { print }' README.md) "$1"
}
check "README quotes examples/readme.cpp" quoted examples/readme.cpp
check "README quotes examples/readme.sh" quoted examples/readme.sh
cpp_runs() { [ "$(build/release/examples/readme)" = \
  "row 0 was 0 1 2 3, column 0 is now row 0: 0 4 8 ..." ]; }
check "the C++ example prints what it says" cpp_runs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$PWD
# The blocks of the jobs, line by line.
jobs=$(awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/howto.md docs/exports.md)
[ "$(wc -l <<<"$jobs")" -gt 10 ] || { bad=$((bad + 1)); echo "failed: docs/howto.md has no jobs"; }
while IFS= read -r line; do
  check "$line" env -C "$scratch" PATH="$root/build/release:$root/build/release/examples:$PATH" \
    bash -euc "$line"
done < <(cat examples/readme.sh; echo "$jobs")
mkdir "$scratch/pictures"
drawn() { PATH="$root/build/release:$PATH" docs/pictures/make.sh "$scratch/pictures" &&
  diff -r -x make.sh docs/pictures "$scratch/pictures"; }
check "the pictures of docs are what the program draws" drawn
for link in $(grep -ohE '\]\([A-Za-z0-9_./-]+\)' README.md ARCHITECTURE.md HACKING.md docs/*.md |
  tr -d '()]' | sort -u); do
  check "link to $link" test -e "$link" -o -e "docs/$link"
done
echo "readme: $good passed, $bad failed"
[ "$bad" = 0 ]
