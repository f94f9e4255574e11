"""torch.distributed.tensor and Triton's LinearLayout beside what faro reads in their words.

./test --peers --torch installs both; where one cannot be imported its tests are skipped.
"""

import itertools
import multiprocessing
import random

import faro
import numpy as np
import pytest

no_torch = "torch is not installed: ./test --peers --torch installs it"
no_triton = "Triton 3.8 or later is not installed: ./test --peers --torch installs it"


@pytest.fixture
def ranks():
    """f(world, g): g() as each of `world` ranks, one after the other, none of them sending."""
    pytest.importorskip("torch", reason=no_torch)
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    def run(world, work):
        results = []
        for rank in range(world):
            dist.init_process_group("fake", rank=rank, world_size=world, store=FakeStore())
            try:
                results.append(work())
            finally:
                dist.destroy_process_group()
        return results

    return run


def held(ids, placements, shape):
    """The numbers that this rank has of 0, 1, .. in that shape, as DTensor cuts them."""
    import torch
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import distribute_tensor

    numbers = torch.arange(int(np.prod(shape))).reshape(shape)
    mesh = DeviceMesh("cpu", torch.tensor(ids))
    return distribute_tensor(numbers, mesh, placements, src_data_rank=None).to_local().flatten().numpy()


def test_dtensor_cuts_as_read(ranks):
    import torch
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor.placement_types import _StridedShard

    rng = random.Random(161016)
    judged = {"Shard": 0, "_StridedShard": 0, "Replicate": 0, "order": 0, "written": 0}
    shape = (32, 32, 16)
    for _ in range(70):
        sides = rng.choice([(8,), (2, 4), (4, 2), (2, 2, 2)])
        ids = np.arange(8) ^ (rng.randrange(8) if rng.random() < 0.3 else 0)  # an order that is a bit map
        judged["order"] += int(ids[0] != 0)
        ids = ids.reshape(sides)
        placements = [
            rng.choice([Replicate(), Shard(d), Shard(d - 3), _StridedShard(d, split_factor=2)])
            for d in (rng.randrange(3) for _ in sides)
        ]
        for p in placements:
            judged[type(p).__name__] += 1
        read = []

        def work():
            mesh = DeviceMesh("cpu", torch.tensor(ids))
            if not read:  # the object, the pair, the words
                of_all = DTensor.from_local(torch.zeros(1, 1, 1), mesh, [Replicate()] * len(sides),
                                            run_check=False)
                assert faro.Placement.read(of_all, shape=shape).replicas == 8
                read.append(faro.Placement.read((mesh, placements), shape=shape))
                words = f"DeviceMesh({ids.tolist()}) {placements}"
                assert faro.Placement.read(words, shape=shape, system="dtensor") == read[0]
            return held(ids, placements, shape)

        for rank, theirs in enumerate(ranks(8, work)):
            assert (read[0].indices(rank) == theirs).all(), (rank, ids, placements)
        if ids.flat[0] == 0 and not any(type(p) is _StridedShard for p in placements):
            again = faro.Placement.read(read[0].to("dtensor"), shape=shape, system="dtensor")
            assert again == read[0]
            judged["written"] += 1
    assert min(judged.values()) > 5, judged


def test_dtensor_cuts_any_lengths_as_read(ranks):
    """Uneven, empty, copied: what torch gives each rank of meshes that are no powers of two."""
    import faro.mpi
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.placement_types import _StridedShard

    rng = random.Random(43)
    uneven = strided = 0
    for _ in range(600):
        sides = rng.choice([(6,), (7,), (3, 2), (2, 3), (2, 2, 2), (5, 1), (2, 5)])
        count = int(np.prod(sides))
        ids = np.array(rng.sample(range(count), count) if rng.random() < 0.3 else range(count)).reshape(sides)
        shape = tuple(rng.randint(1, 11) for _ in range(2))
        kinds = [Replicate(), Shard(0), Shard(1), _StridedShard(rng.randrange(2), split_factor=rng.randint(2, 4))]
        placements = [rng.choice(kinds) for _ in sides]
        strided += any(type(p) is _StridedShard for p in placements)
        words = f"dtensor:DeviceMesh({ids.tolist()}) {placements}"
        numbers = np.arange(np.prod(shape)).reshape(shape)
        sizes = set()
        for rank, theirs in enumerate(ranks(count, lambda: held(ids, placements, shape))):
            ours = numbers[np.ix_(*faro.mpi.local_indices(words, shape, rank))]
            assert np.array_equal(ours.flatten(), theirs), (words, shape, rank)
            sizes.add(len(theirs))
        uneven += len(sizes) > 1
    assert uneven > 100 and strided > 150


def test_what_dtensor_cuts_unevenly_is_refused(ranks):
    from torch.distributed.tensor import Shard
    from torch.distributed.tensor.placement_types import _StridedShard

    for placements, shape in [([Shard(0)], (10,)), ([Shard(0)], (4,)), ([Shard(1)], (8, 12)),
                              ([_StridedShard(0, split_factor=2)], (24,))]:
        sizes = [len(theirs) for theirs in ranks(8, lambda: held(range(8), placements, shape))]
        assert len(set(sizes)) > 1  # torch gives some ranks less
        with pytest.raises(faro.NotExpressible, match="dtensor") as refusal:
            faro.Placement.read(f"(8,) {placements}", shape=shape, system="dtensor")
        assert refusal.value.reason == "uneven"


def one_rank(rank, port, queue):
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    torch.set_num_threads(1)
    store = dist.TCPStore("127.0.0.1", port, 4, is_master=rank == 0)
    dist.init_process_group("gloo", rank=rank, world_size=4, store=store)
    try:
        mesh = init_device_mesh("cpu", (2, 2))
        numbers = torch.arange(128).reshape(16, 8)
        before = distribute_tensor(numbers, mesh, [Shard(0), Shard(1)])
        after = before.redistribute(mesh, [Shard(1), Shard(0)])
        queue.put((rank, before.to_local().flatten().tolist(), after.to_local().flatten().tolist()))
        dist.barrier()
    finally:
        dist.destroy_process_group()


def test_dtensor_redistributes_as_the_move_says():
    """[S(0), S(1)] -> [S(1), S(0)], performed by four processes over gloo."""
    pytest.importorskip("torch", reason=no_torch)
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    processes = [context.Process(target=one_rank, args=(rank, port, queue)) for rank in range(4)]
    for process in processes:
        process.start()
    results = [queue.get(timeout=180) for _ in processes]
    for process in processes:
        process.join(60)
    a, b = (faro.Placement.read(f"(2, 2) {words}", shape=(16, 8), system="dtensor")
            for words in ("[Shard(0), Shard(1)]", "[Shard(1), Shard(0)]"))
    traffic = (a >> b).bytes(8)
    received = kept = 0
    for rank, before, after in results:
        assert a.indices(rank).tolist() == before and b.indices(rank).tolist() == after
        kept += 8 * len(set(before) & set(after))
        received += 8 * len(set(after) - set(before))
    assert (traffic.received, traffic.kept) == (received, kept)
    schedule = (a >> b).plan(on="cube:2")
    x = np.concatenate([before for _, before, _ in sorted(results)])
    assert schedule.simulate(x).tolist() == [n for _, _, after in sorted(results) for n in after]


@pytest.fixture
def linear_layout():
    found = pytest.importorskip("triton._C.libtriton", reason=no_triton)
    if not hasattr(found, "linear_layout"):
        pytest.skip(no_triton)
    return found.linear_layout.LinearLayout


hardware = ("register", "lane", "warp", "block")


def bases_of(rng, shape, copies):
    """An invertible matrix's columns as bases, with zeros among them, dealt to the hardware."""
    widths = [side.bit_length() - 1 for side in shape]
    while True:
        columns = [rng.randrange(1, 1 << sum(widths)) for _ in range(sum(widths))]
        try:
            faro.BitMap.from_columns(columns)
            break
        except ValueError:
            pass
    for _ in range(copies):
        columns.insert(rng.randrange(len(columns) + 1), 0)
    bases = []
    for column in columns:
        basis = []
        for width in reversed(widths):
            basis.insert(0, column & ((1 << width) - 1))
            column >>= width
        bases.append(basis)
    cuts = sorted(rng.randrange(len(bases) + 1) for _ in range(3))
    return [(dim, bases[i:j]) for dim, i, j in zip(hardware, [0, *cuts], [*cuts, len(bases)])]


def points_of(layout, bases):
    """(device, memory) and the point of the tensor there, for every place of the hardware."""
    sizes = [1 << len(of_dim) for _, of_dim in bases]
    for register, lane, warp, block in itertools.product(*map(range, sizes)):
        place = dict(zip(hardware, (register, lane, warp, block)))
        device = (block * sizes[2] + warp) * sizes[1] + lane
        yield device, register, tuple(layout.apply(place).values())


def test_triton_layouts_as_read(linear_layout):
    rng = random.Random(2102)
    with_copies = 0
    for _ in range(60):
        shape = rng.choice([(2, 4), (16,), (4, 2, 8), (8, 16), (1, 8)])
        copies = rng.randrange(3)
        bases = bases_of(rng, shape, copies)
        theirs = linear_layout.from_bases(bases, [f"dim{d}" for d in range(len(shape))], shape)
        written = ", ".join(f"{dim} = {of_dim}" for dim, of_dim in bases)
        p = faro.Placement.read(f"#ttg.linear<{{{written}}}>", shape=shape)
        assert faro.Placement.read(theirs, shape=shape) == p and p.replicas == 1 << copies
        assert faro.Placement.read(str(theirs), shape=shape, system="triton") == p
        for device, memory, point in points_of(theirs, bases):
            assert p.indices(device)[memory] == np.ravel_multi_index(point, shape)
        with_copies += copies > 0
    assert with_copies > 10


def test_triton_layouts_as_written(linear_layout):
    rng = random.Random(3)
    for _ in range(40):
        width = rng.randrange(1, 8)
        columns = [c[0] for _, of_dim in bases_of(rng, (1 << width,), 0) for c in of_dim]
        m = faro.BitMap.from_columns(columns)
        assert faro.BitMap("triton:" + m.to("triton"), width=width) == m
        words = m.to("triton")
        bases = [(dim, [b if isinstance(b, list) else [b] for b in of_dim]) for dim, of_dim in
                 eval("dict(" + words.strip("{}") + ")").items()]
        theirs = linear_layout.from_bases(bases, ["dim0"], [1 << width])
        back = {m(i): i for i in range(1 << width)}
        sizes = [1 << len(of_dim) for _, of_dim in bases]
        for place in range(1 << width):
            parts, left = {}, place
            for (dim, _), size in zip(bases, sizes):
                parts[dim], left = left % size, left // size
            assert theirs.apply(parts)["dim0"] == back[place], words


def test_triton_composes_as_maps_do(linear_layout):
    rng = random.Random(4)
    for _ in range(20):
        width = rng.randrange(1, 8)
        made = []
        for _ in range(2):
            bases = [b for _, of_dim in bases_of(rng, (1 << width,), 0) for b in of_dim]
            made.append(linear_layout.from_bases([("i", bases)], ["i"], [1 << width]))
        f, g = made
        maps = [faro.BitMap.from_columns([b[0] for b in layout.bases[0][1]]) for layout in made]
        both = [b[0] for b in f.compose(g).bases[0][1]]
        assert maps[0] >> maps[1] == faro.BitMap.from_columns(both)
        back = [b[0] for b in f.invert().bases[0][1]]
        assert maps[0].inverse() == faro.BitMap.from_columns(back)


def test_gluon_objects(linear_layout):
    gluon = pytest.importorskip("triton.experimental.gluon.language", reason=no_triton)
    layout = gluon.DistributedLinearLayout(
        reg_bases=[[0, 1]], lane_bases=[[0, 2], [1, 0]], warp_bases=[[0, 0]], block_bases=[],
        shape=[2, 4])
    p = faro.Placement.read(layout, shape=(2, 4))
    bases = [("register", layout.reg_bases), ("lane", layout.lane_bases), ("warp", layout.warp_bases),
             ("block", [])]
    theirs = linear_layout.from_bases(bases, ["dim0", "dim1"], [2, 4])
    assert p == faro.Placement.read(theirs, shape=(2, 4)) and p.replicas == 2


def test_what_triton_calls_not_surjective_has_holes(linear_layout):
    theirs = linear_layout.from_bases([("register", [[1]]), ("lane", [[2]])], ["dim0"], [8],
                                      require_surjective=False)
    assert not theirs.is_surjective()
    with pytest.raises(faro.NotExpressible) as refusal:
        faro.Placement.read(theirs, shape=(8,))
    assert refusal.value.reason == "holes"
