#!/usr/bin/env bash
# The threads of base, engine and disk under the thread sanitizer; what has none is linked from the release build.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build release faro -DFARO_TESTS=ON
faro_build tsan "base_tests engine_tests c_tests"
# Shapes.* have not been tried under this sanitizer yet; some of them reserve gigabytes of addresses.
export GTEST_FILTER=-Shapes.*
scripts/run-tests.sh tsan -R '^(base|engine|c)$'
