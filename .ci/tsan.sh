#!/usr/bin/env bash
# The threads of base and engine under the thread sanitizer.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
for target in base_tests engine_tests c_tests; do faro_build tsan "$target"; done
# Shapes.* reserve address space by the gigabyte, which leaves too little for the sanitizer's shadow.
export GTEST_FILTER=-Shapes.*
scripts/run-tests.sh tsan -R '^(base|engine|c)$'
