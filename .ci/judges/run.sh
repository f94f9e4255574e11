#!/usr/bin/env bash
# The program's verdicts beside those of independent verifiers, the Python programs in the folder that
# FARO_JUDGES names: 2 400 schedules, 120 000 with FARO_FULL=1. Half of them are broken in one place.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/setup.sh
count=2400
[ "${FARO_FULL:-}" = 1 ] && count=120000
python=python3
/usr/bin/python3 -c 'import numpy' 2>/dev/null && python=/usr/bin/python3
if [ -n "${FARO_JUDGES:-}" ]; then faro_build release faro_program; fi
PYTHONDONTWRITEBYTECODE=1 "$python" .ci/judges/judges.py build/release/faro --count "$count"
