#!/usr/bin/env bash
# The whole tree built by clang, and its tests under the address and
# undefined-behaviour sanitizers. Lightly optimised: the point is the checks.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build asan all
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
# The pages of these papers plan for minutes here what the tests of planners cover.
pages=PaperShuffle.*:PaperConversion.*:paper_butterfly.*
[ "${FARO_FULL:-}" = 1 ] || export GTEST_FILTER=-$pages
scripts/run-tests.sh asan
