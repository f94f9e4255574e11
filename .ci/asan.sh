#!/usr/bin/env bash
# The tests under the address and undefined-behaviour sanitizers. The build is optimised: the point is
# the checks, not the debugger.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build asan all
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
scripts/run-tests.sh asan
