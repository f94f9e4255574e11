#!/usr/bin/env bash
# run-tests.sh PRESET [CTEST-OPTION...]: runs the tests of a build and prints one line that counts the
# cases: "PRESET: N passed, N failed, N skipped".
set -uo pipefail
preset=$1
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
reports=$root/build/$preset/reports
rm -rf "$reports"
mkdir -p "$reports"
log=$root/build/$preset/tests.log
GTEST_OUTPUT=xml:$reports/ ctest --test-dir "$root/build/$preset" --output-on-failure -j2 "$@" |
  tee "$log"
status=${PIPESTATUS[0]}

sum() {
  cat "$reports"/*.xml 2>/dev/null | sed -nE "s/^<testsuites .*\\b$1=\"([0-9]+)\".*/\\1/p" |
    awk '{ total += $1 } END { print total + 0 }'
}
skipped=$(($(sum disabled) + $(cat "$reports"/*.xml 2>/dev/null | grep -c '<skipped')))
failed=$(sum failures)
# A program that dies leaves no report, and a test that is no gtest program never does.
programs_failed=$(sed -nE 's/.*tests passed, ([0-9]+) tests? failed out of.*/\1/p' "$log")
if [ "$status" != 0 ] && [ "$failed" -lt "${programs_failed:-1}" ]; then
  failed=${programs_failed:-1}
fi
passed=$(($(sum tests) - skipped - $(sum failures)))
echo "$preset: $passed passed, $failed failed, $skipped skipped"
exit "$status"
