#!/usr/bin/env bash
# The component mpi with Open MPI and with MPICH: tests on real processes, the program faro-mpi on
# files, and find_package(faro COMPONENTS mpi).
# usage: .ci/mpi.sh [MPI...]         beside build/release, which ./test makes
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need $packages_build $packages_test $packages_mpi || exit 3
faro_build release all -DFARO_TESTS=ON
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
good=0
bad=0
# Ranks that wait give way, so that more of them than cores get on; as root only where CI is.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMP_NUM_THREADS=1

try() {
  local name=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then
    good=$((good + 1))
  else
    bad=$((bad + 1))
    echo "failed: $name"
    tail -40 "$scratch/log"
  fi
}
# tests NAME COMMAND...: its line "N passed, M failed" is added up.
tests() {
  local name=$1 line p f status
  shift
  "$@" >"$scratch/log" 2>&1
  status=$?
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$scratch/log" | tail -1)
  p=$(sed -nE 's/^([0-9]+) passed.*/\1/p' <<<"$line")
  f=$(sed -nE 's/.* ([0-9]+) failed.*/\1/p' <<<"$line")
  p=${p:-0} f=${f:-0}
  if [ "$status" != 0 ] && [ "$f" = 0 ]; then f=1; fi
  if [ "$f" != 0 ]; then
    echo "failed: $name"
    grep -vE '^(-+|mpirun|Primary job)' "$scratch/log" | tail -40
  fi
  good=$((good + p)) bad=$((bad + f))
}
# launch -n N PROGRAM...: with the launcher of the MPI at hand.
launch() {
  timeout 300 "mpirun.$mpi" "$@"
}
# exits CODE COMMAND...
exits() {
  local wanted=$1 got=0
  shift
  "$@" || got=$?
  [ "$got" = "$wanted" ] || { echo "exit code $got, wanted $wanted"; return 1; }
}
same_file() {
  cmp "$1" "$2"
}

prefix=$root/build/mpi-prefix
cmake --install build/release --prefix "$prefix" >"$scratch/log" 2>&1 || { tail "$scratch/log"; exit 5; }
python3 -c "import numpy as np; np.save('$scratch/x.npy', np.arange(1 << 16) * 1j)" 2>/dev/null ||
  /usr/bin/python3 -c "import numpy as np; np.save('$scratch/x.npy', np.arange(1 << 16) * 1j)"
"$root/build/release/faro" permute "$scratch/x.npy" "$scratch/wanted.npy" --map 'i -> rev(i)' >/dev/null

for mpi in ${*:-openmpi mpich}; do
  build=build/mpi-$mpi
  try "build with $mpi" sh -c "cmake -G Ninja -S src/mpi -B $build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH=$prefix -DCMAKE_INSTALL_PREFIX=$prefix -DFARO_WERROR=${FARO_WERROR:-OFF} \
    -DMPI_C_COMPILER=mpicc.$mpi -DMPI_CXX_COMPILER=mpicxx.$mpi && cmake --build $build"
  tests "$mpi, 1 rank" launch -n 1 "$build/tests_mpi/faro_mpi_tests" --gtest_brief=1
  tests "$mpi, 2 ranks" launch -n 2 "$build/tests_mpi/faro_mpi_tests" --gtest_brief=1
  # More ranks than cores take turns; MPICH's wait by spinning, so it gets less to do.
  more='MpiExchange.random*:MpiExchange.all_to_all*:MpiExchange.one_pass*:Agreement.*'
  [ "$mpi" = mpich ] && more='MpiExchange.one_pass*:Agreement.*'
  tests "$mpi, 4 ranks" launch -n 4 "$build/tests_mpi/faro_mpi_tests" --gtest_brief=1 --gtest_filter="$more"
  [ "$mpi" = mpich ] || tests "$mpi, 8 ranks" launch -n 8 "$build/tests_mpi/faro_mpi_tests" \
    --gtest_brief=1 --gtest_filter='MpiExchange.every*:MpiExchange.random*:Agreement.*'

  faro_mpi=$root/$build/faro-mpi
  y=$scratch/y-$mpi.npy
  try "$mpi: permute" launch -n 2 "$faro_mpi" permute "$scratch/x.npy" "$y" --map 'i -> rev(i)' --verify
  try "$mpi: the same file as faro's" same_file "$y" "$scratch/wanted.npy"
  try "$mpi: in place, small buffer" launch -n 2 "$faro_mpi" permute "$scratch/x.npy" "$y" \
    --map 'i -> rev(i)' --verify --in-place --buffer 4KiB --json
  try "$mpi: the same file again" same_file "$y" "$scratch/wanted.npy"
  try "$mpi: one file a rank" launch -n 2 "$faro_mpi" permute "$scratch/x.npy" "$scratch/p%d.npy" \
    --map 'i -> rev(i)'
  try "$mpi: and back" launch -n 2 "$faro_mpi" permute "$scratch/p%d.npy" "$y" --map 'i -> rev(i)'
  try "$mpi: as it was" same_file "$y" "$scratch/x.npy"
  try "$mpi: a map that is none" exits 2 launch -n 2 "$faro_mpi" permute "$scratch/x.npy" "$y" --map 'i -> j'
  try "$mpi: a file that is none" exits 3 launch -n 2 "$faro_mpi" permute "$scratch/none.npy" "$y" --map 'i -> i'
  try "$mpi: three ranks" exits 4 launch -n 3 "$faro_mpi" permute "$scratch/x.npy" "$y" --map 'i -> rev(i)'
  try "$mpi: nothing half done is left" sh -c "! ls -A $scratch | grep -F .faro-"
  try "$mpi: bench" launch -n 2 "$faro_mpi" bench --local-log2 12 --rounds 1 --json
  for example in state_vector multi_swap fft; do
    try "$mpi: example $example" launch -n "$([ "$mpi" = mpich ] && echo 2 || echo 4)" "$build/examples_mpi/$example"
  done
  try "$mpi: install" cmake --install "$build"
  try "$mpi: find_package" sh -c "cmake -G Ninja -S tests/install/mpi -B $scratch/found-$mpi \
    -DCMAKE_PREFIX_PATH=$prefix -DMPI_C_COMPILER=mpicc.$mpi -DMPI_CXX_COMPILER=mpicxx.$mpi &&
    cmake --build $scratch/found-$mpi && test \"\$(timeout 120 mpirun.$mpi -n 2 $scratch/found-$mpi/consumer)\" = 'moved 8 of 16'"
done
echo "mpi: $good passed, $bad failed"
[ "$bad" = 0 ]
