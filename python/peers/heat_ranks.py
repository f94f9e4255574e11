"""What test_heat.py starts under mpirun: Heat's arrays, split along another axis by faro.

Heat deals an axis in blocks, the first ranks with one element more; an array that is not split lies whole
on every rank. Every pair of splits of arrays of one to four axes, of several types, is asked of Heat and
of faro; the parts are compared bit by bit.

mpirun -n 4 python heat_ranks.py ROUNDS    Heat's seconds beside faro's, medians, interleaved
"""

import statistics
import sys
import time

import heat as ht
import numpy as np
import torch
from mpi4py import MPI

import faro.mpi

comm = MPI.COMM_WORLD
plans = {}


def placement(x):
    if x.split is None:
        return f"dtensor:({comm.size},) [Replicate()]"
    sizes = ["*"] * x.ndim
    sizes[x.split] = f"GEN_BLOCK({', '.join(str(int(n)) for n in x.lshape_map[:, x.split])})"
    return f"hpf:DISTRIBUTE A({', '.join(sizes)}) ONTO P({comm.size})"


def resplit(x, axis):
    """heat.resplit, by faro."""
    y = ht.empty(x.gshape, dtype=x.dtype, split=axis)
    mine, theirs = x.larray.contiguous().numpy(), y.larray.numpy()
    key = (x.gshape, x.split, axis, mine.dtype.str)
    if key not in plans:
        plans[key] = faro.mpi.Plan(comm, f"{placement(x)} => {placement(y)}", x.gshape, mine.dtype)
    plans[key].execute(mine, theirs)
    return y


def numbered(shape, dtype, split):
    return ht.array(torch.arange(int(np.prod(shape))).reshape(shape).to(dtype), split=split)


def judge():
    judged = 0
    for shape in [(17,), (3,), (12, 10), (7, 9), (1, 5), (6, 5, 7), (4, 3, 2, 5)]:
        for dtype in [torch.float32, torch.int64, torch.uint8, torch.complex64]:
            for split in [None, *range(len(shape))]:
                x = numbered(shape, dtype, split)
                for axis in [None, *range(len(shape))]:
                    wanted, found = ht.resplit(x, axis), resplit(x, axis)
                    assert found.split == wanted.split == axis
                    assert (found.lshape_map == wanted.lshape_map).all()
                    assert torch.equal(found.larray, wanted.larray), (shape, dtype, split, axis)
                    judged += 1
    assert judged == 4 * (4 + 4 + 9 + 9 + 9 + 16 + 25)
    sys.stdout.write(f"rank {comm.rank}: right\n")


def timed(run):
    comm.Barrier()
    start = time.perf_counter()
    run()
    return comm.allreduce(time.perf_counter() - start, MPI.MAX)


def compare(rounds):
    if comm.rank == 0:
        print("| resplit | MiB | Heat ms | faro ms | Heat / faro |\n|---|---|---|---|---|", flush=True)
    for shape, split, axis in [((4000, 4000), 0, 1), ((4000, 4000), 1, 0), ((300, 200, 250), 0, 2)]:
        x = numbered(shape, torch.float32, split)
        resplit(x, axis)
        theirs, ours = [], []
        for _ in range(rounds):
            theirs.append(timed(lambda: ht.resplit(x, axis)))
            ours.append(timed(lambda: resplit(x, axis)))
        if comm.rank == 0:
            a, b = 1e3 * statistics.median(theirs), 1e3 * statistics.median(ours)
            print(f"| {shape}, {split} to {axis} | {4 * np.prod(shape) / 2**20:.0f} | {a:.1f} | {b:.1f} | {a / b:.2f} |",
                  flush=True)


torch.set_num_threads(1)
if len(sys.argv) > 1:
    compare(int(sys.argv[1]))
else:
    judge()
