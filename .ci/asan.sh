#!/usr/bin/env bash
# The whole tree built by clang, and its tests under the address and
# undefined-behaviour sanitizers. Lightly optimised: the point is the checks.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build asan all
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
# Whole pages plan for minutes here what the tests of planners cover. Of the two long ones one is made, once.
pages=PaperShuffle.*
for test in figures every_cell the_ratios several paths names; do pages+=:PaperConversion.${test}_*; done
[ "${FARO_FULL:-}" = 1 ] || export GTEST_FILTER=-$pages
scripts/run-tests.sh asan
