#!/usr/bin/env bash
# The threads of the engine under the thread sanitizer: clang and its libomp, whose archer runtime
# tells the sanitizer what OpenMP's barriers order; g++'s libgomp gives false races here.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
for target in engine_tests c_tests; do faro_build tsan "$target"; done
archer=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -1)
export TSAN_OPTIONS=ignore_noninstrumented_modules=1
export OMP_TOOL_LIBRARIES=$archer
scripts/run-tests.sh tsan -R '^(engine|c)$'
