#!/usr/bin/env bash
# The Python package: a wheel on the library that ./test built, installed into an empty environment,
# tested from there: arrays, layouts, the stub's and the page's examples, the stub beside the module.
# usage: .ci/python.sh [PYTHON]        prints a line for each failure, then N passed, N failed
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
python=${1:-/usr/bin/python3}
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null || ! "$python" -m pip --version >/dev/null 2>&1; then
  faro_need $packages_python || exit 3
fi
faro_need python3-dev || exit 3
faro_build release "faro faro_c faro_program faro_fake_cuda faro_fake_nvrtc" -DFARO_TESTS=ON
. scripts/try.sh
mkdir -p build
rm -rf build/python-env build/python-wheels
try environment "$python" -m venv build/python-env
env=$PWD/build/python-env/bin
try packages "$env/pip" install -q numpy pytest mypy zarr nanobind mpi4py safetensors ml_dtypes "dask[array]" distributed pyopencl \
  h5py h5netcdf xarray aiohttp obstore ray s3fs "moto[server]"
# With the libraries inside that it needs of this system: what others install.
try wheel packaging/wheel.sh build/python-wheels "$python" \
  --config-settings=cmake.define.FARO_PYTHON_LIBRARY="$PWD/build/release/src/libfaro.a" \
  --config-settings=cmake.define.FARO_PYTHON_PROGRAM="$PWD/build/release/faro"
try used .ci/wheel_used.sh build/python-wheels "$python"
try install "$env/pip" install -q --no-deps build/python-wheels/faro_layouts-*.whl
# From elsewhere: what is tested is what was installed.
tests=$PWD/python/tests docs=$PWD/docs config=$PWD/python/mypy.ini c=$PWD/build/release/src/libfaro_c.so fakes=$PWD/build/release/tests/fake
installed() { (cd /tmp && FARO_DOCS=$docs FARO_C_LIBRARY=$c FARO_FAKE_DRIVERS=$fakes "$@"); }
try tests installed "$env/python" -m pytest -q -rs -p no:cacheprovider "$tests"
grep '^SKIPPED' "$tried_logs/tests"
passed=$(sed -nE 's/^([0-9]+) passed.*/\1/p' "$tried_logs/tests" | tail -1)
good=$((good + ${passed:-0}))
# Views of any shape and strides through the C API, beside NumPy's copies, guard bytes included.
try shapes "$env/python" bench/shapes.py build/release/src/libfaro_c.so --check 10000
try stubs installed "$env/python" -m mypy.stubtest faro --ignore-missing-stub \
  --mypy-config-file "$config" --allowlist "$tests/stubtest-allowlist" --ignore-unused-allowlist
tried python
