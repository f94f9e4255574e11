"""faro.dask: lazy arrays beside NumPy, and stored ones on clusters of processes whose workers are killed,
run out of disk and lose their scheduler. FARO_FULL=1 kills at every job."""

import os
import pathlib
import random
import signal

import faro
import numpy as np
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
import faro.dask  # noqa: E402
from faro._jobs import run_on_dask  # noqa: E402

FULL = bool(os.environ.get("FARO_FULL"))


def numbers(shape, dtype=np.int64):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


@pytest.mark.parametrize("map, shape, chunks, to", [
    ("bit-reversal", (4096,), 256, 512),
    ("bit-reversal", (64, 64), (16, 8), (32, 64)),
    ("i -> gray(i)", (1024,), 100, 77),  # chunks that are no powers of two
    ("(a=2 b) -> b a", (60,), 7, (11, 2)),
    ("r c -> c r", (30, 42), (7, 9), (10, 11)),
    ("np.roll(a, 5)", (97,), 10, 13),
    ("r:6 c:6 -> zip(r, c)", (64, 64), (16, 16), 512),
])
def test_any_map(map, shape, chunks, to):
    a = numbers(shape)
    words = "numpy:" + map if map.startswith("np.") else map
    y = faro.dask.permute(da.from_array(a, chunks=chunks), words, chunks=to)
    wanted = faro.permute(a, words)
    assert y.shape == wanted.shape and y.dtype == a.dtype
    assert np.array_equal(y.compute(scheduler="sync"), wanted)


def power_cuts(rng, shape):
    return tuple(1 << rng.randint(0, n.bit_length() - 1) for n in shape)


def test_maps_of_bits_by_the_engine(monkeypatch):
    """Random affine maps of arrays in blocks of powers of two: no element is looked up singly."""
    monkeypatch.setattr(faro.dask._ByMap, "places", None)
    rng = random.Random(5)
    stages = set()
    for case in range(2000 if FULL else 150):
        monkeypatch.setattr(faro.dask, "FAN", rng.choice([2, 4, 32]))
        many = case % 4 == 0  # blocks, each of which meets many
        width = 12 if many else rng.randint(0, 9)
        shape, left = ((64, 64), 0) if many else ((), width)
        while left or not many and rng.random() < 0.2:
            shape += (1 << rng.randint(0, left),)
            left -= shape[-1].bit_length() - 1
        while True:
            try:
                columns = [rng.getrandbits(width) for _ in range(width)]
                if rng.random() < 0.5:
                    columns = [1 << bit for bit in rng.sample(range(width), width)]
                m = faro.BitMap.from_columns(columns, rng.getrandbits(width) if width else 0)
                break
            except ValueError:
                continue
        a = numbers(shape, rng.choice(["u1", "i2", "f8", "c16", "S3"]))
        inverse = rng.random() < 0.3
        cuts = [(8, 1 << rng.randint(1, 4)) if many else power_cuts(rng, shape) for _ in range(2)]
        y = faro.dask.permute(da.from_array(a, chunks=cuts[0]), m, inverse=inverse, chunks=cuts[1])
        assert np.array_equal(y.compute(scheduler="sync"), faro.permute(a, m, inverse=inverse)), case
        stages.add(sum(name.startswith("cut") for name in y.dask.layers))
    assert len(stages) > 2


def test_maps_as_objects_and_inverse():
    a = numbers((512,))
    m = faro.BitMap("bit-reversal", width=9) >> faro.BitMap("i -> gray(i)", width=9)
    x = da.from_array(a, chunks=100)
    y = faro.dask.permute(x, m, chunks=64)
    assert np.array_equal(y.compute(scheduler="sync"), faro.permute(a, m))
    back = faro.dask.permute(y, m, inverse=True, chunks=30)
    assert np.array_equal(back.compute(scheduler="sync"), a)


def test_rechunk_and_other_operations():
    a = numbers((50, 33, 20), np.float32)
    x = da.from_array(a, chunks=(1, 33, 20))
    y = faro.dask.rechunk(x * 2, chunks=(50, 5, 7)) + 1
    assert y.chunks[0] == (50,)
    assert np.array_equal(y.compute(scheduler="sync"), a * 2 + 1)
    part = faro.dask.permute(y, axes=(2, 0, 1), chunks=(4, 25, 33))[3:5, :, 7]
    assert np.array_equal(part.compute(scheduler="sync"), (a * 2 + 1).transpose(2, 0, 1)[3:5, :, 7])
    assert float(faro.dask.permute(x, axes=(1, 0, 2)).sum().compute(scheduler="sync")) == a.sum()


def test_every_block_meets_every_block(monkeypatch):
    """In several stages, none of whose tasks takes or makes more pieces than the fan."""
    monkeypatch.setattr(faro.dask, "FAN", 4)
    a = numbers((60, 61))
    x = da.from_array(a, chunks=(1, 61))
    for y, wanted in ((faro.dask.rechunk(x, chunks=(60, 1)), a),
                      (faro.dask.permute(x, "r c -> c r", chunks=(1, 60)), a.T)):
        assert np.array_equal(y.compute(scheduler="sync"), wanted)
        assert sum(name.startswith("cut") for name in y.dask.layers) == 3
        tasks = len(dict(y.dask))
        assert tasks < 60 * 60  # of one stage there would be as many pieces
    assert faro.dask.stages_of(10**5, 10**5) > 1 == faro.dask.stages_of(4, 4)


def test_refusals():
    x = da.ones((12,), chunks=5)
    for call in (lambda: faro.dask.permute(x), lambda: faro.dask.permute(x, "bit-reversal", axes=(0,)),
                 lambda: faro.dask.rechunk(x, "out", chunks=3),
                 lambda: faro.dask.permute(x[x > 0], "numpy:np.roll(a, 1)"),
                 lambda: faro.dask.permute(x.astype(object), "numpy:np.roll(a, 1)")):
        with pytest.raises(faro.UsageError):
            call()
    with pytest.raises(faro.Error):
        faro.dask.permute(x, "bit-reversal")
    empty = faro.dask.rechunk(da.ones((0, 3), chunks=(1, 3)), chunks=(1, 1))
    assert empty.compute(scheduler="sync").shape == (0, 3)


def test_tasks_grow_with_blocks_not_with_their_square():
    x = da.zeros((1500, 1500), chunks=(1, 1500))
    y = faro.dask.rechunk(x, chunks=(1500, 1))
    stages = faro.dask.stages_of(1500, 1500)
    assert stages == 3 and len(dict(y.dask)) < 1500 * (stages * (12 + 1) + 5)


# --- clusters

SHAPE, CHUNKS, MEMORY = (200, 120, 130), (200, 12, 13), 53 << 20


def cluster_in(folder):
    distributed = pytest.importorskip("distributed")
    # By default a task is given up when four workers died under it: where one dies at every job, some job sees that.
    with dask.config.set({"distributed.scheduler.allowed-failures": 1000}):
        return distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, memory_limit="512MiB",
            dashboard_address=None, local_directory=str(folder))


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    zarr = pytest.importorskip("zarr", minversion="3")
    folder = tmp_path_factory.mktemp("stored")
    a = np.random.default_rng(7).integers(0, 2**32, SHAPE, np.uint32)
    zarr.create_array(folder / "in.zarr", shape=a.shape, chunks=(1, *SHAPE[1:]), dtype=a.dtype)[...] = a
    return a, folder


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with cluster_in(tmp_path_factory.mktemp("dask")) as made:
        yield made


@pytest.fixture
def client(cluster):
    with cluster.get_client() as made:
        made.wait_for_workers(2)
        yield made


def rechunked(stored, name, client, **more):
    _, folder = stored
    return faro.dask.rechunk(folder / "in.zarr", folder / name, chunks=CHUNKS, memory=MEMORY, passes=2,
                             client=client, **more)


def assert_right(stored, name, report):
    import zarr

    a, folder = stored
    assert np.array_equal(zarr.open_array(folder / name, mode="r")[...], a)
    assert report["digest"] == faro.digest(a)
    assert not list(folder.glob(".*"))
    assert {path.name for path in (folder / name).iterdir()} == {"zarr.json", "c"}


def kill_one(client):
    # Asked of the nannies here: a worker that was killed just before does not answer.
    pids = [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]
    if pids:
        os.kill(pids[0], signal.SIGKILL)


def high_water(reset):
    if reset:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) << 10


def test_a_cluster_and_its_memory(stored, client):
    client.run(lambda: __import__("faro.dask"))
    before = client.run(high_water, True)
    told = []
    assert_right(stored, "plain.zarr", rechunked(stored, "plain.zarr", client,
                                                 progress=lambda *at: told.append(at)))
    after = client.run(high_water, False)
    assert all(after[w] - before[w] <= MEMORY for w in before)
    assert told[-1][0] == told[-1][1] == len(told) > 3


@pytest.mark.parametrize("step", [1, 2, 3] if FULL else [3])
def test_workers_killed_at_every_kth_job(stored, client, step):
    killed = []

    def kill(done, total):
        if done % step == 0 and done < total:
            killed.append(done)
            client.wait_for_workers(1)
            kill_one(client)

    report = rechunked(stored, f"killed{step}.zarr", client, progress=kill)
    assert killed
    assert_right(stored, f"killed{step}.zarr", report)


def test_every_job_twice_and_at_once(stored, client):
    a, folder = stored
    plan = faro.rechunk_plan(folder / "in.zarr", folder / "twice.zarr", chunks=CHUNKS, memory=MEMORY,
                             passes=2, threads=1)
    for stage in plan.stages:
        for result in client.gather([client.submit(faro.Job.run, job, again=True, pure=False)
                                     for job in stage for _ in range(2)]):
            assert not result.was_done
    assert_right(stored, "twice.zarr", plan.finish())


def test_a_full_disk_on_one_worker(stored, client):
    import resource

    a, folder = stored
    client.wait_for_workers(2)
    full = sorted(client.scheduler_info(n_workers=-1)["workers"])[0]

    def limit(bytes):
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    plan = faro.rechunk_plan(folder / "in.zarr", folder / "full.zarr", chunks=CHUNKS, memory=MEMORY,
                             passes=2, threads=1)
    client.run(limit, 1 << 16, workers=[full])
    try:
        failed = client.submit(run_on_dask, plan.stages[0][0], pure=False, workers=[full]).result()
        assert failed[0] == full
        assert_right(stored, "full.zarr", rechunked(stored, "full.zarr", client))
        with pytest.raises(faro.EnvironmentFault, match="no worker could"):
            client.run(limit, 1 << 16)
            rechunked(stored, "none.zarr", client)
    finally:
        client.run(limit, resource.RLIM_INFINITY)
    assert_right(stored, "none.zarr", rechunked(stored, "none.zarr", client))


def test_the_scheduler_closed_and_the_run_resumed(stored, cluster, client, tmp_path):
    class Stop(Exception):
        pass

    def stop(done, total):
        if done == total // 2:
            raise Stop

    with pytest.raises(Stop):
        rechunked(stored, "resumed.zarr", client, progress=stop)
    client.close()
    cluster.close()
    told = []
    with cluster_in(tmp_path) as other, other.get_client() as again:
        report = rechunked(stored, "resumed.zarr", again, progress=lambda *at: told.append(at))
    assert told[0][0] > told[0][1] // 2
    assert_right(stored, "resumed.zarr", report)
