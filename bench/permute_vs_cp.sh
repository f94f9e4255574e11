#!/usr/bin/env bash
# faro permute beside cp of the same file in the page cache: medians of alternating rounds, each run after an
# untimed one of itself, on a disk that has nothing left to do.
# usage: bench/permute_vs_cp.sh [PROGRAM [LOG2-BYTES [FOLDER]]]
#   cp        against faro permute --no-sync: neither waits for the disk
#   cp+sync   against faro permute
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
faro=$(realpath "${1:-$root/build/release/faro}")
bits=${2:-30}
work=$(mktemp -d "${3:-${TMPDIR:-/tmp}}/faro-cp-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
head -c $((1 << bits)) /dev/zero | tr '\0' 'x' >in
cat in >/dev/null

seconds() { # seconds COMMAND...
  local begin end
  "$@" >/dev/null 2>&1
  rm -f out
  sync -f .
  begin=$(date +%s%N)
  "$@" >/dev/null 2>&1
  end=$(date +%s%N)
  echo $((end - begin))
}
copy_and_sync() { cp in out && sync out; }
median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

for map in 'i -> gray(i)' 'i -> ~i' 'r:8 c -> c r' 'i -> rev(i)'; do
  permute=("$faro" permute in out --element-bytes 8 --map "$map")
  rm -f cp synced quick durable
  for _ in 1 2 3 4 5; do
    seconds cp in out >>cp
    seconds "${permute[@]}" --no-sync >>quick
    seconds copy_and_sync >>synced
    seconds "${permute[@]}" >>durable
  done
  awk -v map="$map" -v a="$(median <quick)" -v b="$(median <cp)" -v c="$(median <durable)" -v d="$(median <synced)" \
    'BEGIN {printf "%-16s --no-sync %.2f times cp (%.2f s)    %.2f times cp and sync (%.2f s)\n", map, a / b, b / 1e9, c / d, d / 1e9}'
done
