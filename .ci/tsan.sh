#!/usr/bin/env bash
# The threads of base and engine under the thread sanitizer.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
for target in base_tests engine_tests c_tests; do faro_build tsan "$target"; done
# Shapes.* have not been tried under this sanitizer yet; some of them reserve gigabytes of addresses.
export GTEST_FILTER=-Shapes.*
scripts/run-tests.sh tsan -R '^(base|engine|c)$'
