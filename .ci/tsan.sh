#!/usr/bin/env bash
# The threads of base and engine under the thread sanitizer.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
for target in base_tests engine_tests c_tests; do faro_build tsan "$target"; done
scripts/run-tests.sh tsan -R '^(base|engine|c)$'
