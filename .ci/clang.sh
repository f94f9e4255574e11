#!/usr/bin/env bash
# The library, the program and the tests with clang and no warning.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build clang all
build/clang/faro explain 'i:4 -> rev(i)' >/dev/null
echo "clang: 1 passed, 0 failed"
