#!/usr/bin/env bash
# Kernels of `faro emit` run on PoCL and compared with NumPy, their addresses with the certificate;
# watched by Oclgrind for races and reads of what nobody wrote; CUDA text compiled where nvcc is.
# usage: .ci/gpu.sh [PROGRAM]      prints N passed, N failed, N skipped
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need $packages_opencl || exit 3
faro=$(realpath "${1:-build/release/faro}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 POCL_CACHE_DIR=$work
failed=0
/usr/bin/python3 -W ignore .ci/gpu.py "$faro" "${FARO_GPU_MAPS:-40}" | tee "$work/said" || failed=1

watched() {  # LOG ARGUMENTS...
  oclgrind --local-mem-size 65536 --data-races --uninitialized --check-api --log "$1" \
    /usr/bin/python3 -W ignore .ci/gpu.py "$faro" "${@:2}"
}
watched "$work/log" "${FARO_GPU_WATCHED:-10}" | tee -a "$work/said" || failed=1
watched "$work/racing" 1 racing || failed=1
if [ -s "$work/log" ]; then
  echo "FAILED: Oclgrind saw:"
  head -20 "$work/log"
  failed=1
fi
if ! grep -q "race" "$work/racing"; then
  echo "FAILED: Oclgrind does not see the race of a kernel without barriers"
  failed=1
fi
# The library's own calls: bytes of usual maps, of every tile and number of threads; and without a device.
for asked in "bench --log2-bytes 18" "bench i:3->rev(i) --element 1" "tune i:14->rev(i) --element 4"; do
  # shellcheck disable=SC2086
  "$faro" gpu $asked --device opencl:0 >"$work/table" || { cat "$work/table"; failed=1; }
  echo "faro gpu ${asked%% *}: $(grep -c ' equal' "$work/table") passed, $(grep -c WRONG "$work/table") failed, 0 skipped" |
    tee -a "$work/said"
done
# The report of a card's first hour, from its first part to its last: all equal here, and on a fake driver, whose
# kernels do nothing, everything is wrong and the report says so.
first_hour() {  # DEVICE WANTED-STATUS WORDS-AT-THE-END
  tools/gpu_first_hour "$1" "$faro" 12 >"$work/hour" 2>&1
  if [ $? = "$2" ] && tail -1 "$work/hour" | grep -q "$3" && [ "$(grep -c '^== ' "$work/hour")" = 11 ]; then
    echo "first hour on $1: 1 passed, 0 failed, 0 skipped" | tee -a "$work/said"
  else
    echo "FAILED: the first hour on $1:"
    tail -20 "$work/hour"
    failed=1
  fi
}
first_hour opencl:0 0 "all equal"
fakes=$PWD/build/release/tests/fake
if [ -e "$fakes/libcuda.so.1" ]; then LD_LIBRARY_PATH=$fakes first_hour cuda:0 1 "something FAILED"; fi
OCL_ICD_VENDORS=/nonexistent "$faro" gpu bench >"$work/table" 2>&1
if [ $? != 4 ] || ! grep -q "no device here" "$work/table"; then
  echo "FAILED: without a device:"
  cat "$work/table"
  failed=1
fi
awk '/ passed, /{ p += $(NF - 5); f += $(NF - 3); s += $(NF - 1) }
  END { printf "gpu: %d passed, %d failed, %d skipped\n", p, f, s }' "$work/said"
exit $failed
