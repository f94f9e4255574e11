"""What test_mpi.py starts under mpirun: `mpi_ranks.py CASE`, on every rank."""

import os
import random
import signal
import sys
import time

import numpy as np
from mpi4py import MPI

import faro
import faro.mpi

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size


def chunks(indices, parts):
    """torch.chunk: blocks of the length over the parts, rounded up; those after the last are empty."""
    block = max(1, -(-len(indices) // parts))
    return [indices[k * block:(k + 1) * block] for k in range(parts)]


def a_dtensor(rng, shape):
    """Words, and for each rank the indices that it has of each axis: by doing what the words say."""
    grid = a_grid(rng, 3)
    cuts = [rng.choice([None, *range(len(shape))]) for _ in grid]
    held = {(): [list(range(n)) for n in shape]}
    for ranks, axis in zip(grid, cuts):
        following = {}
        for at, lists in held.items():
            parts = [] if axis is None else chunks(lists[axis], ranks)
            for k in range(ranks):
                following[(*at, k)] = [parts[k] if a == axis else x for a, x in enumerate(lists)]
        held = following
    words = [f"Shard({a})" if a is not None else "Replicate()" for a in cuts]
    return f"dtensor:({','.join(map(str, grid))},) [{', '.join(words)}]", [held[at] for at in sorted(held)], "C"


def a_grid(rng, dims):
    grid, left = [], rng.randint(1, size)
    for _ in range(dims - 1):
        side = rng.randint(1, left)
        grid.append(side)
        left //= side
    grid.append(left)
    return grid


def dealt(n, parts, block, first=0):
    return [[i for i in range(n) if (first + i // block) % parts == p] for p in range(parts)]


def an_hpf(rng, shape):
    grid = a_grid(rng, rng.randint(1, len(shape)))
    over = sorted(rng.sample(range(len(shape)), len(grid)))
    words, lists = [], []
    for axis, n in enumerate(shape):
        if axis not in over:
            words.append("*")
            lists.append([list(range(n))])
            continue
        parts = grid[over.index(axis)]
        kind = rng.randrange(3)
        if kind == 0:
            words.append("BLOCK")
            lists.append(dealt(n, parts, -(-n // parts)))
        elif kind == 1:
            block = rng.randint(1, 4)
            words.append(f"CYCLIC({block})")
            lists.append(dealt(n, parts, block))
        else:
            cuts = sorted(rng.randint(0, n) for _ in range(parts - 1))
            ends = list(zip([0, *cuts], [*cuts, n]))
            words.append(f"GEN_BLOCK({', '.join(str(b - a) for a, b in ends)})")
            lists.append([list(range(a, b)) for a, b in ends])
    held = []
    for place in np.ndindex(*grid):
        held.append([lists[a][place[over.index(a)] if a in over else 0] for a in range(len(shape))])
    order = rng.choice("CF")
    return (f"hpf:DISTRIBUTE A({', '.join(words)}) ONTO P({','.join(map(str, grid))}), order={order}", held, order)


def a_scalapack(rng, shape):
    rows, columns = a_grid(rng, 2)
    mb, nb, rsrc, csrc = rng.randint(1, 4), rng.randint(1, 4), rng.randrange(rows), rng.randrange(columns)
    order = rng.choice("RC")
    down, across = dealt(shape[0], rows, mb, rsrc), dealt(shape[1], columns, nb, csrc)
    places = [(r, c) for r in range(rows) for c in range(columns)]
    if order == "C":
        places = [(r, c) for c in range(columns) for r in range(rows)]
    words = f"scalapack:M={shape[0]} N={shape[1]} MB={mb} NB={nb} RSRC={rsrc} CSRC={csrc} grid={rows}x{columns} order={order}"
    return words, [[down[r], across[c]] for r, c in places], "F"


def a_placement(rng, shape):
    kinds = [a_dtensor, an_hpf] + ([a_scalapack] if len(shape) == 2 else [])
    return rng.choice(kinds)(rng, shape)


def part(full, held, who, order):
    if who >= len(held):
        return np.empty((0,) * full.ndim, full.dtype)
    return np.asarray(full[np.ix_(*held[who])], order=order)


def random_moves(count):
    rng = random.Random(size)
    moved = 0
    for _ in range(count):
        axes = rng.randint(1, 3)
        shape = tuple(rng.randint(1, {1: 60, 2: 14, 3: 7}[axes]) for _ in range(axes))
        dtype = rng.choice([np.uint8, np.int16, np.float32, np.float64, np.complex128])
        full = (np.arange(np.prod(shape)) % 251).astype(dtype).reshape(shape)
        order = rng.sample(range(axes), axes)
        flips = [rng.random() < 0.4 for _ in order]
        rolls = [rng.choice([0, rng.randrange(shape[a])]) for a in order]

        def moved_whole(a):
            turned = np.flip(a.transpose(order), [k for k, t in enumerate(flips) if t])
            return np.roll(turned, rolls, range(axes))

        new = moved_whole(full)
        from_, held, from_order = a_placement(rng, shape)
        to, wanted, to_order = a_placement(rng, new.shape)
        names = "abc"[:axes]
        said = [("~" if t else "") + names[a] for a, t in zip(order, flips)]
        middle = " ".join(names) + " -> " + " ".join(f"roll({s}, {k})" if k else s for s, k in zip(said, rolls))
        relabel = rng.random() < 0.3
        words = f"{from_} => {middle} => {to}" if rng.random() < 0.7 or order != sorted(order) or any(flips + rolls) else f"{from_} => {to}"
        if rank < len(held):
            assert [list(axis) for axis in faro.mpi.local_indices(from_, shape, rank)] == held[rank], from_
        buffer = 4 * full.itemsize * rng.randint(1, 30)
        with faro.mpi.Plan(comm, words, shape, dtype, relabel=relabel, buffer=buffer) as plan:
            x = part(full, held, rank, from_order)
            mine = plan.relabelling[rank] if rank < len(plan.relabelling) else rank
            expected = part(new, wanted, mine, to_order)
            heard = []
            y = plan.execute(x, progress=lambda done, of: heard.append((done, of)))
            assert y.shape == expected.shape or y.size == expected.size == 0, (words, y.shape, expected.shape)
            assert y.tobytes(to_order) == expected.tobytes(to_order), words
            # What every rank lacks, element by element.
            number = np.arange(full.size).reshape(shape)
            turned = moved_whole(number)
            lacks = 0
            for r in range(size):
                m = plan.relabelling[r] if r < len(plan.relabelling) else r
                lacks += len(np.setdiff1d(part(turned, wanted, m, "C"), part(number, held, r, "C")))
            assert plan.moved_bytes == lacks * full.itemsize, words
            sent = sum(n for _, n, _ in plan.sends())
            got = sum(n for _, n, _ in plan.receives())
            assert (heard[-1] if heard else (0, 0)) == (got, got)
            assert comm.allreduce(sent) == plan.moved_bytes == comm.allreduce(got)
            moved += plan.moved_bytes
    assert moved > 0 or size == 1


def raised(call):
    try:
        call()
    except faro.Error as error:
        return f"{type(error).__name__}: {error}"
    return None


def errors():
    rows, columns = f"hpf:DISTRIBUTE A(BLOCK, *) ONTO P({size})", f"hpf:DISTRIBUTE A(*, BLOCK) ONTO P({size})"
    words = f"{rows} => {columns}"
    last = size - 1
    for call, says in [
        (lambda: faro.mpi.Plan(comm, words if rank != last else rows, (9, 9), np.int32), f"rank {last}: "),
        (lambda: faro.mpi.Plan(comm, words, (9, 9 + (rank == last)), np.int32), "other ones than those of rank 0"),
        (lambda: faro.mpi.Plan(comm, words, (9, 9), np.int32, buffer=4), "buffer=4"),
        (lambda: faro.mpi.Plan(comm, words, (9, 9), object), "Python objects"),
        (lambda: faro.mpi.Plan(comm, words.replace(f"P({size})", f"P({size + 1})"), (9, 9), "u1"), "the communicator has"),
        (lambda: faro.mpi.Plan(comm, "dtensor:(1,) [Partial()] => " + rows, (9, 9), "u1"), "must be added"),
        (lambda: faro.mpi.redistribute(None if rank == last else np.zeros(1), comm, rows, rows, (9, 9)), "dtype="),
    ]:
        told = raised(call)
        assert told is not None and says in told, told
        assert len(set(comm.allgather(told))) == 1
    with faro.mpi.Plan(comm, words, (9, 9), np.int32) as plan:
        x = np.zeros(plan.local_shape(), np.int32)
        for bad in (x[:, :5], x.astype(np.int64), np.zeros((9, 9, 9), np.int32), None, x.T):
            if bad is not None and bad.shape == x.shape and bad.dtype == x.dtype:
                continue
            told = raised(lambda: plan.execute(bad if rank == last else x))
            assert told is not None and f"rank {last}" in told, told
        told = raised(lambda: plan.execute(x, out=x if rank == last else None))
        assert told is not None and (size == 1 or f"rank {last}" in told), told
        assert plan.execute(x).shape == plan.result_shape()
    assert raised(lambda: plan.execute(x)) is not None


def on_qubits(state, u, qubits):
    """The gate's matrix on the whole vector: its first qubit is the lowest bit of the matrix' index."""
    n = state.size.bit_length() - 1
    axes = [n - 1 - q for q in reversed(qubits)]
    moved = np.moveaxis(state.reshape((2,) * n), axes, range(len(axes))).reshape(1 << len(axes), -1)
    back = (u @ moved).reshape((2,) * n)
    return np.moveaxis(back, range(len(axes)), axes).reshape(-1)


def registers(count):
    """Circuits of gates that are absorbed and gates that are not: equal to a dense simulation."""
    import faro.qubits

    rng = random.Random(4)
    ranks_log2 = size.bit_length() - 1
    x, cnot = np.array([[0, 1], [1, 0]]), np.eye(4)[[0, 3, 2, 1]]
    swap = np.eye(4)[[0, 2, 1, 3]]
    for _ in range(count):
        n = rng.randint(ranks_log2 + 2, 9)
        dense = np.zeros(1 << n, complex)
        dense[0] = 1
        reg = faro.qubits.Register(comm, n, buffer=rng.choice([1 << 10, 64 << 20]))
        moves = 0
        for _ in range(40):
            a, b = rng.sample(range(n), 2)
            kind = rng.randrange(5)
            if kind == 0:
                reg.x(a)
                dense = on_qubits(dense, x, [a])
            elif kind == 1:
                reg.cnot(a, b)
                dense = on_qubits(dense, cnot, [a, b])
            elif kind == 2:
                reg.swap(a, b)
                dense = on_qubits(dense, swap, [a, b])
            elif kind == 3:
                reg.absorb(f"qiskit:cx({a}, {b}); x({a})" if n > max(a, b) else "")
                dense = on_qubits(on_qubits(dense, cnot, [a, b]), x, [a])
            else:
                angle = rng.random()
                u = np.array([[np.cos(angle), -np.sin(angle) * 1j], [-np.sin(angle) * 1j, np.cos(angle)]])
                cost = reg.cost([a], keep=[b])
                assert reg.make_local([a], keep=[b]) == cost and reg.is_local(a)
                # No exchange that makes one qubit local sends more than half.
                assert cost in (0, (16 << n) // 2)
                moves += cost > 0
                zero, one = reg.pairs(a)
                old = reg.state[zero], reg.state[one]
                reg.state[zero] = u[0, 0] * old[0] + u[0, 1] * old[1]
                reg.state[one] = u[1, 0] * old[0] + u[1, 1] * old[1]
                dense = on_qubits(dense, u, [a])
        reg.home()
        local = 1 << (n - ranks_log2)
        assert np.allclose(reg.state, dense[rank * local:(rank + 1) * local], atol=1e-12)
        assert moves > 0 or size == 1
        for q in range(n):
            assert np.array_equal(reg.values(q), (np.arange(rank * local, (rank + 1) * local) >> q & 1) == 1)
        for bad in (lambda: reg.make_local([0 if rank else 1]), lambda: reg.make_local([n])):
            told = raised(bad)
            assert size == 1 and told is None or len(set(comm.allgather(told))) == 1, told
        reg.close()


def one_stops():
    """A rank is interrupted in the middle: all raise, and none waits."""
    words = f"hpf:DISTRIBUTE A(BLOCK, *) ONTO P({size}) => hpf:DISTRIBUTE A(*, BLOCK) ONTO P({size})"
    plan = faro.mpi.Plan(comm, words, (64, 64), np.float64, buffer=4 * 64)

    def progress(done, total):
        if rank == 1:
            raise KeyboardInterrupt

    try:
        plan.execute(np.zeros(plan.local_shape()), progress=progress)
        raise AssertionError("it went on")
    except KeyboardInterrupt:
        assert rank == 1
    except faro.Error as error:
        assert rank != 1 and "rank 1 was interrupted" in str(error), error
    assert raised(lambda: plan.execute(np.zeros(plan.local_shape()))) is not None


def one_dies():
    words = f"hpf:DISTRIBUTE A(BLOCK, *) ONTO P({size}) => hpf:DISTRIBUTE A(*, BLOCK) ONTO P({size})"
    plan = faro.mpi.Plan(comm, words, (64, 64), np.float64, buffer=4 * 64)

    def progress(done, total):
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    plan.execute(np.zeros(plan.local_shape()), progress=progress)
    time.sleep(60)


if __name__ == "__main__":
    {"moves": lambda: random_moves(int(sys.argv[2])), "errors": errors, "registers": lambda: registers(int(sys.argv[2])),
     "stops": one_stops, "dies": one_dies}[sys.argv[1]]()
    if sys.argv[1] == "stops":
        comm.Barrier()
    print(f"rank {rank}: right", flush=True)
