#!/usr/bin/env bash
# Exports read by the tools that they are for, or by what those tools read them with: networkx, Graphviz,
# classes that protoc makes, an XML parser with MSCCL's rules, circuits run on every basis state.
# usage: .ci/exports.sh [PROGRAM]      prints N passed, N failed, N skipped
# Simulators that no package has are run where they are: FARO_LOGGOPSIM=FOLDER with txt2bin and LogGOPSim,
# FARO_BOOKSIM=PROGRAM, FARO_MSCCL_VERIFIER=PROGRAM.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need $packages_readers || exit 3
faro=$(realpath "${1:-build/release/faro}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
protoc -I .ci/exports --python_out="$work" .ci/exports/et.proto || exit 1
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work /usr/bin/python3 .ci/exports/read.py "$faro" "$work"
