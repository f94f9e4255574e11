#!/usr/bin/env bash
# Fuzz targets for FARO_FUZZ_SECONDS (30) from their kept corpora, two at a time.
# usage: .ci/fuzz.sh [TARGET...]        all of them
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build asan all
seconds=${FARO_FUZZ_SECONDS:-30}
export FARO_FUZZ_LOGS=build/asan/fuzz-logs
rm -rf "$FARO_FUZZ_LOGS"
mkdir -p "$FARO_FUZZ_LOGS"
targets=${*:-$(basename -s .cpp -a fuzz/*.cpp)}
for target in $targets; do echo "build/asan/fuzz/${target}_fuzz"; done | xargs -P 2 -I '{}' bash -c '
  name=$(basename {} _fuzz)
  found=$(mktemp -d)
  mkdir -p fuzz/corpus/$name
  if {} -max_total_time='"$seconds"' -rss_limit_mb=4096 -print_final_stats=1 \
       -artifact_prefix=$FARO_FUZZ_LOGS/ "$found" fuzz/corpus/$name \
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
