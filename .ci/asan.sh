#!/usr/bin/env bash
# Tests under the address and undefined-behaviour sanitizers, built by clang: of the folders in sanitized.sh, or
# with --whole of everything. Lightly optimised: the point is the checks.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
. .ci/sanitized.sh
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
if [ "${1:-}" = --whole ]; then
  faro_build asan all -DFARO_FOLDERS= -DFARO_REST=
  # The pages of these papers plan for minutes here what the tests of planners cover.
  [ "${FARO_FULL:-}" = 1 ] || export GTEST_FILTER=-PaperShuffle.*:PaperConversion.*:paper_butterfly.*
  exec scripts/run-tests.sh asan
fi
tests=""
for folder in $asan_folders; do [ ! -d "tests/$folder" ] || tests+=" ${folder}_tests"; done
faro_sanitized asan "$asan_folders" "$tests faro_fault_memory"
scripts/run-tests.sh asan -R "^(${asan_folders// /|}|fault_memory)$"
