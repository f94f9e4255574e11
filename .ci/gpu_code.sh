#!/usr/bin/env bash
# Machine code of emitted kernels without a device: CUDA by NVRTC, HIP by clang. NVIDIA's compilers come as wheels
# from PyPI into a folder of the build; where they cannot be had, what needs them is skipped and said.
# usage: .ci/gpu_code.sh [PROGRAM]      prints N passed, N failed, N skipped
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need python3 python3-venv clang-14 || exit 3
faro=$(realpath "${1:-build/release/faro}")
tools=$PWD/build/gpu-tools
wheels="nvidia-cuda-nvrtc nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm"
if ! [ -e "$tools/ready" ]; then
  # shellcheck disable=SC2086
  python3 -m venv "$tools" && "$tools/bin/pip" install -q $wheels && touch "$tools/ready"
fi
PYTHONDONTWRITEBYTECODE=1 "$tools/bin/python" .ci/gpu_code.py "$faro"
