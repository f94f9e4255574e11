#!/usr/bin/env bash
# The Python extension under the address and undefined-behaviour sanitizers: every test of it, but those
# that weigh the process or begin many others. The library itself is the one that ./test built.
# usage: .ci/python_asan.sh        needs .ci/python.sh's environments; prints N passed, N failed
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build/python-env/bin/python -c "import nanobind" 2>/dev/null || .ci/python.sh || exit 1
here=$PWD tree=$PWD/build/python-asan
cmake -S . -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=None -DFARO_PYTHON=ON -DFARO_PROGRAM=OFF \
  -DFARO_TESTS=OFF -DFARO_EXAMPLES=OFF -DFARO_INSTALL=OFF \
  -DPython_EXECUTABLE="$here/build/python-env/bin/python" \
  -DFARO_PYTHON_LIBRARY="$here/build/release/src/libfaro.a" \
  -DCMAKE_CXX_FLAGS="-O1 -g1 -DNDEBUG -fsanitize=address,undefined -fno-sanitize=vptr" \
  >build/python-asan.log 2>&1 && cmake --build "$tree" --target _core >>build/python-asan.log 2>&1 || {
  tail -40 build/python-asan.log
  exit 1
}
rm -rf "$tree/package"
mkdir -p "$tree/package"
cp -r python/faro "$tree/package/" && cp "$tree"/python/_core*.so "$tree/package/faro/" || exit 1
cd /tmp || exit 1
# Python itself keeps what it has allocated; that is no leak of ours.
LD_PRELOAD="$(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
  PYTHONPATH=$tree/package FARO_DOCS=$here/docs \
  "$here/build/python-env/bin/python" -m pytest -q -p no:cacheprovider "$here/python/tests" \
  --ignore "$here/python/tests/test_dask.py" --ignore "$here/python/tests/test_mpi.py" \
  -k "not interrupts and not second_array and not forked and not by_the_program and not every_door and not memory_holds" 2>&1 | tee "$here/build/python-asan.log" | tail -40
status=${PIPESTATUS[0]}
count() { sed -nE "s/.*\b([0-9]+) $1.*/\1/p" "$here/build/python-asan.log" | tail -1; }
passed=$(count passed) failed=$(count failed)
echo "python-asan: ${passed:-0} passed, ${failed:-0} failed"
[ "$status" = 0 ]
