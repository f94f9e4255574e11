#!/usr/bin/env bash
# QuEST's multi-qubit swap between ranks and memory as one exchange: built from QuEST's sources, its own tests run
# with it, and both ways beside each other. Beside build/mpi-prefix, which .ci/mpi.sh makes.
# usage: FARO_QUEST=DIR bench/mpi/quest/quest.sh [RANKS [QUBITS [ROUNDS]]]
#   FARO_QUEST    QuEST's sources (v4, github.com/QuEST-Kit/QuEST), which stay as they are; else ../quest is looked at
#   FARO_CATCH2   where Catch2 3.8 or later is installed, which QuEST's tests need; without it they are left out, with
#                 a word. FARO_QUEST_TESTS: names of its tests, as Catch2 filters them, in place of four that take
#                 seconds; *CompMatr*,*Kraus* take an hour
# Prints N passed, M failed at the end; skipped, with a word, where the sources are not there.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
ranks=${1:-4} qubits=${2:-22} rounds=${3:-9}
sources=${FARO_QUEST:-../quest}
if [ ! -f "$sources/quest/src/core/localiser.cpp" ]; then
  echo "quest: skipped, QuEST's sources are not in '$sources'; FARO_QUEST=DIR says where they are"
  exit 0
fi
copy=$PWD/build/quest-sources
rm -rf "$copy" && mkdir -p build && cp -r "$sources" "$copy"
# The swaps call faro first; and no rank leaves before swaps that all ranks take part in.
sed -i -e '1i #include "multi_swap.hpp"' \
  -e '/^void anyCtrlMultiSwapBetweenPrefixAndSuffix(/a\    if (ctrls.empty() \&\& !qureg.isGpuAccelerated \&\& faro_multi_swap({qureg.cpuAmps, sizeof(qcomp), (int) qureg.logNumAmpsPerNode, qureg.logNumNodes}, targsA, targsB)) return;' \
  -e '/^void anyCtrlTwoOrAnyTargDenseMatr(/,/return;/s/if (!doAnyLocalStatesHaveQubitValues(qureg, ctrls, ctrlStates))/if (!doAnyLocalStatesHaveQubitValues(qureg, ctrls, ctrlStates) \&\& !(faro_swaps() \&\& doesGateRequireComm(qureg, targs)))/' \
  "$copy/quest/src/core/localiser.cpp"
calls=$(grep -c 'faro_multi_swap(\|faro_swaps()' "$copy/quest/src/core/localiser.cpp")
if [ "$calls" != 2 ]; then
  echo "quest: $calls of 2 calls could be put into localiser.cpp: these are other sources than v4.1's"
  exit 1
fi
log=build/quest.log
if ! { cmake -G Ninja -S bench/mpi/quest -B build/quest "-DFARO_QUEST=$copy" \
  "-DCMAKE_PREFIX_PATH=$PWD/build/mpi-prefix;${FARO_CATCH2:-}" -DMPI_CXX_COMPILER=mpicxx.openmpi \
  -DMPI_C_COMPILER=mpicc.openmpi && cmake --build build/quest; } >"$log" 2>&1; then
  tail -40 "$log"
  exit 1
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1
# Ranks that have a core each wait by looking.
[ "$ranks" -le "$(nproc)" ] || export OMPI_MCA_mpi_yield_when_idle=1
passed=0 failed=0
count() {
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
date +%F
count mpirun.openmpi -n "$ranks" build/quest/quest_swaps "$qubits" "$rounds"
tests=$(find build/quest -name tests -type f -perm -u+x | head -1)
if [ -z "$tests" ]; then
  echo "quest: its own tests are left out, Catch2 3.8 is not installed; FARO_CATCH2=DIR says where it is"
else
  # What brings qubits to one rank by swaps: dense matrices of two qubits, channels, partial traces.
  own_tests() {
    mpirun.openmpi -n "$ranks" "$tests" "${FARO_QUEST_TESTS:-applyCompMatr2,applyControlledCompMatr2,calcPartialTrace,mixTwoQubitDepolarising}" \
      >"$log" 2>&1 || { tail -40 "$log"; return 1; }
    grep -E 'All tests passed' "$log" | sort | uniq -c
  }
  count own_tests
fi
echo "quest: $passed passed, $failed failed"
[ "$failed" = 0 ]
