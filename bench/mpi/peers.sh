#!/usr/bin/env bash
# faro and its peers between MPI ranks of Open MPI: bench/mpi/peers.cpp, one table; grid.cpp, moves of any lengths beside
# MPI_Alltoallv; and peers_fft.py where Python has mpi4py-fft. Beside build/mpi-prefix, which .ci/mpi.sh makes.
# usage: bench/mpi/peers.sh [RANKS [LOCAL-LOG2 [ROUNDS]]]
#   FARO_COSTA=DIR    COSTA's sources        FARO_MPI4PY=PYTHON    a Python with mpi4py-fft
# FFTW and ScaLAPACK are found where they are installed: libfftw3-mpi-dev, libscalapack-openmpi-dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ranks=${1:-2} local=${2:-22} rounds=${3:-9}
cmake -G Ninja -S bench/mpi -B build/mpi-peers -DCMAKE_PREFIX_PATH="$PWD/build/mpi-prefix" \
  -DMPI_CXX_COMPILER=mpicxx.openmpi -DMPI_C_COMPILER=mpicc.openmpi -DFARO_COSTA="${FARO_COSTA:-}" >/dev/null
cmake --build build/mpi-peers >/dev/null
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1
# Ranks that have a core each wait by looking.
[ "$ranks" -le "$(nproc)" ] || export OMPI_MCA_mpi_yield_when_idle=1
date +%F
mpirun.openmpi -n "$ranks" build/mpi-peers/mpi_peers "$local" "$rounds"
echo
mpirun.openmpi -n "$ranks" build/mpi-peers/mpi_grid $(((1 << local) >> 16)) "$rounds"
if [ -n "${FARO_MPI4PY:-}" ]; then
  echo
  mpirun.openmpi -n "$ranks" "$FARO_MPI4PY" bench/mpi/peers_fft.py "$local" "$rounds"
fi
