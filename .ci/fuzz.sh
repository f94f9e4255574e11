#!/usr/bin/env bash
# Fuzz targets from their kept corpora, two at a time: as many inputs as FARO_FUZZ_RUNS says (300000; at
# most 40 seconds each) from a fixed seed, so that the same tree is judged alike twice; with
# FARO_FUZZ_SECONDS for that long, from a seed of its own.
# A corpus is kept as one archive, fuzz/corpus/TARGET.tar.gz, and unpacked in the build folder.
# usage: .ci/fuzz.sh [TARGET...]        all of them
#        .ci/fuzz.sh --keep TARGET FILE...   adds inputs to a corpus
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
. .ci/sanitized.sh

# unpacked TARGET FOLDER: its corpus there.
unpacked() {
  mkdir -p "$2"
  if [ -f "fuzz/corpus/$1.tar.gz" ]; then tar -xzf "fuzz/corpus/$1.tar.gz" -C "$2"; fi
}

if [ "${1:-}" = --keep ]; then
  target=$2
  shift 2
  inputs=$(mktemp -d)
  unpacked "$target" "$inputs"
  for file in "$@"; do cp "$file" "$inputs/$(sha1sum <"$file" | cut -c1-40)"; done
  tar -c --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$inputs" . |
    gzip -9n >"fuzz/corpus/$target.tar.gz"
  rm -rf "$inputs"
  exit
fi

targets=${*:-$(basename -s .cpp -a fuzz/*.cpp)}
faro_sanitized asan "$asan_folders" "$(printf '%s_fuzz ' $targets)"
limits="-seed=1 -runs=${FARO_FUZZ_RUNS:-300000} -max_total_time=40"
if [ -n "${FARO_FUZZ_SECONDS:-}" ]; then limits="-max_total_time=$FARO_FUZZ_SECONDS"; fi
export FARO_FUZZ_LOGS=build/asan/fuzz-logs
rm -rf "$FARO_FUZZ_LOGS"
mkdir -p "$FARO_FUZZ_LOGS"
rm -rf build/asan/fuzz-corpus
for target in $targets; do unpacked "$target" "build/asan/fuzz-corpus/$target"; done
for target in $targets; do echo "build/asan/fuzz/${target}_fuzz"; done | xargs -P 2 -I '{}' bash -c '
  name=$(basename {} _fuzz)
  found=$(mktemp -d)
  if {} '"$limits"' -rss_limit_mb=4096 -print_final_stats=1 \
       -artifact_prefix=$FARO_FUZZ_LOGS/ "$found" build/asan/fuzz-corpus/$name \
       >"$FARO_FUZZ_LOGS/$name.log" 2>&1; then
    echo "$name passed" >>"$FARO_FUZZ_LOGS/result"
  else
    echo "$name failed" >>"$FARO_FUZZ_LOGS/result"
    tail -30 "$FARO_FUZZ_LOGS/$name.log"
  fi
  rm -rf "$found"'
cat "$FARO_FUZZ_LOGS/result"
good=$(grep -c passed "$FARO_FUZZ_LOGS/result")
bad=$(grep -c failed "$FARO_FUZZ_LOGS/result")
echo "fuzz: $good passed, $bad failed"
[ "$bad" = 0 ] && [ "$good" -gt 0 ]
