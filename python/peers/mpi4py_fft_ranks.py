"""What test_mpi4py_fft.py starts under mpirun: mpi4py-fft with its transposes done by faro.

Its own class moves an array from one pencil to another by MPI_Alltoallw of derived datatypes. Here a
class with the same methods takes its place: one plan of faro each way. Transforms, transforms back and
DistArray.redistribute are asked with both; results are compared bit by bit.
"""

import sys

import mpi4py_fft
import numpy as np
from mpi4py import MPI
from mpi4py_fft import pencil

import faro.mpi

comm = MPI.COMM_WORLD
executed = 0


class FaroTransfer:
    """mpi4py_fft.pencil.Transfer: from arrays that have axis A whole to arrays that have axis B whole."""

    def __init__(self, comm, shape, dtype, subshapeA, axisA, subshapeB, axisB):
        def blocks(axis, length):
            sizes = ["*"] * len(shape)
            sizes[axis] = f"GEN_BLOCK({', '.join(map(str, comm.allgather(length)))})"
            return f"hpf:DISTRIBUTE A({', '.join(sizes)}) ONTO P({comm.size})"

        before, after = blocks(axisB, subshapeA[axisB]), blocks(axisA, subshapeB[axisA])
        self._there = faro.mpi.Plan(comm, f"{before} => {after}", shape, dtype)
        self._back = faro.mpi.Plan(comm, f"{after} => {before}", shape, dtype)
        assert self._there.local_shape() == tuple(subshapeA)
        assert self._there.result_shape() == tuple(subshapeB)

    def forward(self, arrayA, arrayB):
        global executed
        executed += 1
        self._there.execute(np.asarray(arrayA), np.asarray(arrayB))

    def backward(self, arrayB, arrayA):
        global executed
        executed += 1
        self._back.execute(np.asarray(arrayB), np.asarray(arrayA))

    def destroy(self):
        self._there.close()
        self._back.close()


def results(shape, grid, dtype):
    """A transform, the transform back and a redistribution, of numbers that the global index says."""
    fft = mpi4py_fft.PFFT(comm, shape, grid=grid, dtype=dtype)
    u = mpi4py_fft.newDistArray(fft, False)
    index = np.arange(np.prod(shape)).reshape(shape)[u.local_slice()]
    u[:] = np.sin(index * 0.7) + (index % 5)
    spectrum = fft.forward(u).copy()
    again = fft.backward(fft.forward(u)).copy()
    # The DistArray has one axis whole; another one is asked for.
    whole = next(a for a, n in enumerate(u.shape) if n == u.global_shape[a])
    turned = u.redistribute((whole + 1) % len(shape))
    fft.destroy()
    return np.array(spectrum), np.array(again), np.array(turned)


own = pencil.Transfer
judged = 0
for shape in [(17, 12, 10), (7, 5, 9), (16, 8, 8), (6, 5, 4, 7)]:
    for grid in [(-1,), None]:
        for dtype in [float, complex]:
            pencil.Transfer = own
            wanted = results(shape, grid, dtype)
            pencil.Transfer = FaroTransfer
            found = results(shape, grid, dtype)
            for one, other in zip(wanted, found):
                assert one.shape == other.shape and one.tobytes() == other.tobytes(), (shape, grid, dtype)
                judged += 1
assert judged == 48 and (comm.size == 1 or executed >= 64), (judged, executed)
sys.stdout.write(f"rank {comm.rank}: right\n")
