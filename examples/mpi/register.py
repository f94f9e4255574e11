"""A simulator of 24 qubits on 4 ranks with a gate of its own, in Python; equal to a dense simulation.

    mpirun -n 4 python register.py [QUBITS [GATES]]

faro.qubits.Register keeps the state. X, CNOT and SWAP of any qubits are absorbed and move nothing; the
rotation below is this program's, on NumPy arrays: its qubit has to be local, and one exchange makes it so.
"""

import sys

import faro.qubits
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
n = int(sys.argv[1]) if len(sys.argv) > 1 else 24
gates = int(sys.argv[2]) if len(sys.argv) > 2 else 40
rng = np.random.default_rng(7)  # the same circuit on every rank
circuit = [(kind, *rng.choice(n, 2, replace=False), rng.random()) for kind in rng.choice(["x", "cnot", "swap", "rotation"], gates)]


def rotated(zero, one, angle):
    """exp(-i angle X) on the amplitudes of a qubit that is 0, and that is 1."""
    c, s = np.cos(angle), -1j * np.sin(angle)
    return c * zero + s * one, s * zero + c * one


reg = faro.qubits.Register(comm, n)
sent, exchanges = 0, 0
for kind, a, b, angle in circuit:
    a, b = int(a), int(b)
    if kind == "x":
        reg.x(a)
    elif kind == "cnot":
        reg.cnot(a, b)
    elif kind == "swap":
        reg.swap(a, b)
    else:
        expected = reg.cost([a], keep=[b])  # known before
        moved = reg.make_local([a], keep=[b])
        assert moved == expected
        sent, exchanges = sent + moved, exchanges + (moved > 0)
        zero, one = reg.pairs(a)
        reg.state[zero], reg.state[one] = rotated(reg.state[zero], reg.state[one], angle)
sent += reg.home()

# The same on one vector, rank 0's.
dense = None
if comm.rank == 0:
    dense = np.zeros(1 << n, complex)
    dense[0] = 1
    for kind, a, b, angle in circuit:
        v = np.moveaxis(dense.reshape((2,) * n), (n - 1 - a, n - 1 - b), (0, 1))  # a view
        if kind == "x":
            v[[0, 1]] = v[[1, 0]]
        elif kind == "cnot":
            v[1, [0, 1]] = v[1, [1, 0]]
        elif kind == "swap":
            v[[0, 1], [1, 0]] = v[[1, 0], [0, 1]]
        else:
            v[0], v[1] = rotated(v[0].copy(), v[1].copy(), angle)
here = np.empty_like(reg.state)
comm.Scatter(dense, here)
error = comm.allreduce(np.abs(here - reg.state).max(), MPI.MAX)
if comm.rank == 0:
    share = sent / (dense.nbytes or 1)
    print(f"{n} qubits on {comm.size} ranks: {gates} gates, {exchanges} exchanges, {share:.2f} of the state sent, "
          f"largest error {error:.1e}")
reg.close()
assert error < 1e-12
