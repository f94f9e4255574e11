#!/usr/bin/env bash
# Kernels of `faro emit` run on PoCL and compared with NumPy; the CUDA text compiled where nvcc is.
# usage: .ci/gpu.sh [PROGRAM]      prints N passed, N failed, N skipped
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need $packages_opencl || exit 3
faro=$(realpath "${1:-build/release/faro}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 POCL_CACHE_DIR=$work /usr/bin/python3 -W ignore .ci/gpu.py "$faro" "${FARO_GPU_MAPS:-40}"
