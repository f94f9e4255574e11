#!/usr/bin/env bash
# The systems whose layouts are read, from PyPI, run beside faro's readers and writers.
# usage: .ci/peers.sh [--torch]     prints N passed, N failed, N skipped; needs .ci/python.sh's environment
# --torch: torch, Heat and Triton too, and the tests of faro.torch. Not part of .ci/run: 3.5 GB to fetch, 9 GB
# of disk. FARO_TORCH says another release.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ -x build/python-env/bin/python ] || .ci/python.sh || exit 1
env=$PWD/build/python-env/bin
# One by one: a system that cannot be had is skipped, not all.
for peer in einops jax qiskit cirq-core pymorton zarr matplotlib mpi4py-fft; do
  "$env/pip" install -q "$peer" || echo "not installed: $peer"
done
# For pycute alone, which is pure Python; its compiler is not needed.
"$env/pip" install -q --no-deps nvidia-cutlass || echo "not installed: nvidia-cutlass"
tests=("$PWD/python/peers")
if [ "${1:-}" = --torch ]; then
  "$env/pip" install -q "torch==${FARO_TORCH:-2.9.1}" || echo "not installed: torch"
  # Its layouts can be asked from Python since 3.8; torch brings an older one. No GPU is needed.
  "$env/pip" install -q --no-deps --upgrade triton || echo "not installed: triton"
  "$env/pip" install -q heat || echo "not installed: heat"
  tests+=("$PWD/python/tests/test_torch.py")
fi
log=$PWD/build/peers.log
(cd /tmp && XLA_FLAGS=--xla_force_host_platform_device_count=8 JAX_PLATFORMS=cpu \
  "$env/python" -m pytest -q -rs -p no:cacheprovider "${tests[@]}") 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
count() { sed -nE "s/.*\b([0-9]+) $1.*/\1/p" "$log" | tail -1; }
passed=$(count passed) failed=$(count failed) skipped=$(count skipped)
echo "peers: ${passed:-0} passed, ${failed:-0} failed, ${skipped:-0} skipped"
[ "$status" = 0 ]
