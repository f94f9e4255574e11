"""Arrays that lie in no folder: stores of zarr-python, codecs that it alone knows, HDF5 and netCDF-4,
datasets of xarray. Each beside NumPy, from and to, with maps; stores that fail; memory that holds."""

import functools
import http.server
import os
import pickle
import random
import subprocess
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import faro
import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3")
pytestmark = pytest.mark.filterwarnings("ignore")
from zarr.storage import LocalStore, MemoryStore, WrapperStore, ZipStore  # noqa: E402

MAP = "a b c -> c ~a b"


@pytest.fixture(autouse=True)
def dask_by_threads():
    """A cluster that another test lost is still dask's choice."""
    try:
        import dask
    except ImportError:
        yield
        return
    with dask.config.set(scheduler="threads"):
        yield


def turned(x):
    return x.transpose(2, 0, 1)[:, ::-1]


def numbers(shape=(17, 23, 6), dtype="i4", seed=1):
    return np.random.default_rng(seed).integers(0, 99, shape).astype(dtype)


def stored(store, x, path="", **words):
    words.setdefault("chunks", (5, 9, 6))
    a = zarr.create_array(store, name=path, shape=x.shape, dtype=x.dtype, **words)
    a[...] = x
    return a


def obstore_memory():
    obstore = pytest.importorskip("obstore.store")
    return obstore.MemoryStore()


def fsspec_map():
    return pytest.importorskip("fsspec").filesystem("memory").get_mapper(f"/m{np.random.rand()}")


STORES = {
    "memory": lambda folder: MemoryStore(),
    "wrapped": lambda folder: WrapperStore(LocalStore(folder / "w")),
    "zip": lambda folder: ZipStore(folder / "z.zip", mode="w"),
    "url": lambda folder: f"memory://b{np.random.rand()}/x.zarr",
    "fsspec": lambda folder: fsspec_map(),
    "obstore": lambda folder: obstore_memory(),
}


@pytest.mark.parametrize("kind", STORES)
def test_from_and_to_a_store(kind, tmp_path):
    x = numbers()
    np.save(tmp_path / "x.npy", x)
    store = STORES[kind](tmp_path)
    words = {"chunks": (4, 17, 10), "shards": (8, 34, 20), "map": MAP, "codec": "zstd:1"}
    plan = faro.rechunk_plan(tmp_path / "x.npy", store, **words)
    report = faro.rechunk(tmp_path / "x.npy", store, verify=True, **words)
    assert report["digest"] == faro.digest(turned(x)) == faro.digest(store)
    assert report["verified"] and report["peak_bytes"] == plan["peak_bytes"]
    assert faro.check(tmp_path / "x.npy", store, map=MAP) is None
    with pytest.raises(faro.UsageError, match="is there already"):
        faro.rechunk(tmp_path / "x.npy", store, chunks=3)
    faro.rechunk(store, tmp_path / "back.zarr", chunks=7, map="c a b -> ~a b c", codec="none")
    assert np.array_equal(zarr.open_array(tmp_path / "back.zarr")[...], x)
    other = x.copy()
    other[3, 4, 5] += 1
    np.save(tmp_path / "y.npy", other)
    assert faro.check(tmp_path / "y.npy", store, map=MAP)["first_in_a"] == (3, 4, 5)


def test_groups_between_stores(tmp_path):
    x, y = numbers(), numbers((40,), "f8")
    store = MemoryStore()
    group = zarr.create_group(store, attributes={"title": "t"})
    stored(store, x, "deep/er/x", attributes={"units": "K"}, dimension_names=["t", "y", "x"])
    stored(store, y, "y", chunks=(7,))
    zarr.consolidate_metadata(store)
    target = MemoryStore()
    reports = faro.rechunk(group, target, chunks="auto")
    assert sorted(reports) == ["deep/er/x", "y"]
    made = zarr.open_group(target, mode="r")
    assert made.attrs["title"] == "t" and made.metadata.consolidated_metadata is not None
    assert made["deep/er/x"].metadata.dimension_names == ("t", "y", "x")
    assert made["deep/er/x"].attrs["units"] == "K"
    assert faro.check(store, target) is None and faro.digest(target) == faro.digest(group)
    faro.rechunk(target, tmp_path / "g.zarr", chunks="auto")
    assert faro.check(tmp_path / "g.zarr", group) is None
    faro.rechunk(tmp_path / "g.zarr", WrapperStore(LocalStore(tmp_path / "again")), chunks=-1)
    assert zarr.open_group(tmp_path / "again")["deep/er"].attrs.asdict() == {}
    # Within a store with other things.
    with pytest.raises(faro.UsageError, match="is there already"):
        faro.rechunk(group, target, chunks="auto")
    faro.rechunk(group["y"], zarr.storage.StorePath(target, "z"), chunks=9)
    assert faro.digest(zarr.open_array(target, path="z")) == faro.digest(y)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("local", [True, False])
def test_codecs_of_zarr_python(version, local, tmp_path):
    import numcodecs

    x = numbers()
    store = LocalStore(tmp_path / "a") if local else MemoryStore()
    if version == 2:
        a = stored(store, x, zarr_format=2, filters=[numcodecs.Delta("<i4")], compressors=numcodecs.LZMA())
    else:
        from zarr.codecs import numcodecs as nc

        a = stored(store, x, filters=[nc.Delta(dtype="<i4")], compressors=[nc.BZ2()], chunks=(5, 3, 2),
                   shards=(10, 9, 6))
    assert faro.digest(a) == faro.digest(x)
    if local:
        assert faro.digest(tmp_path / "a") == faro.digest(x)
    faro.rechunk(a, tmp_path / "b", chunks=8, map=MAP, codec="zstd:1")
    assert np.array_equal(zarr.open_array(tmp_path / "b")[...], turned(x))
    plan = faro.rechunk_plan(a, chunks=8)
    plain = faro.rechunk_plan(stored(LocalStore(tmp_path / "p"), x, chunks=a.chunks, compressors=None), chunks=8)
    assert plan["peak_bytes"] > plain["peak_bytes"]  # what decoding holds is counted


class Failing(WrapperStore):
    """Fails at the n-th write."""

    def __init__(self, store, at=-1):
        super().__init__(store)
        self.at = at

    async def set(self, key, value):
        self.at -= 1
        if self.at == 0:
            raise OSError("the line is cut")
        await self._store.set(key, value)


def test_a_store_that_fails(tmp_path):
    x = numbers((64, 1 << 15))
    np.save(tmp_path / "x.npy", x)
    resumed = set()
    for at in (1, 9, 25):
        store = Failing(MemoryStore(), at)
        words = {"chunks": (16, 1 << 12), "memory": "51MiB", "threads": 1, "temporary": tmp_path / f"t{at}"}
        with pytest.raises(faro.EnvironmentFault, match="the line is cut"):
            faro.rechunk(tmp_path / "x.npy", store, **words)
        assert not any("zarr.json" in key for key in store._store._store_dict)
        resume = os.path.exists(tmp_path / f"t{at}" / ".out.faro" / "journal")
        resumed.add(resume)
        report = faro.rechunk(tmp_path / "x.npy", store, resume=resume, **words)
        assert report["digest"] == faro.digest(store) == faro.digest(x)
        assert (report["resumed_jobs"] > 0) == resume
    assert resumed == {False, True}


def test_a_chunk_that_is_damaged_or_gone(tmp_path):
    x, store = numbers(), MemoryStore()
    a = stored(store, x, fill_value=7)
    del store._store_dict["c/1/1/0"]
    want = x.copy()
    want[5:10, 9:18] = 7
    assert faro.digest(a) == faro.digest(want)
    content = store._store_dict["c/0/0/0"].to_bytes()
    store._store_dict["c/0/0/0"] = zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(content[:-3])
    with pytest.raises(faro.EnvironmentFault, match="c/0/0/0"):
        faro.rechunk(a, tmp_path / "o.zarr", chunks=4)
    assert not os.path.exists(tmp_path / "o.zarr")


def run_in_other_processes(plan):
    """Which know nothing but the job."""
    for stage in plan.stages:
        for job in stage.remaining:
            subprocess.run([sys.executable, "-c", "import faro, sys; faro.Job.from_json(sys.argv[1]).run()",
                            job.to_json()], check=True)


def test_http(tmp_path):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    x = numbers()
    stored(LocalStore(tmp_path / "x.zarr"), x, shards=(10, 18, 6))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/x.zarr"
        try:
            assert faro.digest(url) == faro.digest(x)
            plan = faro.rechunk_plan(url, tmp_path / "y.zarr", chunks=(17, 9, 4))
            run_in_other_processes(plan)
            assert plan.finish()["digest"] == faro.digest(x)
        finally:
            server.shutdown()


def test_s3(tmp_path, monkeypatch):
    moto = pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    import boto3

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    try:
        url = "http://%s:%d" % server.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        boto3.client("s3", endpoint_url=url, region_name="us-east-1").create_bucket(Bucket="bucket")
        x = numbers()
        np.save(tmp_path / "x.npy", x)
        store = zarr.storage.FsspecStore.from_url("s3://bucket/x.zarr", storage_options={"endpoint_url": url})
        report = faro.rechunk(tmp_path / "x.npy", store, chunks=4, shards=8, map=MAP)
        assert report["digest"] == faro.digest(store) == faro.digest(turned(x))
        assert faro.digest("s3://bucket/x.zarr") == report["digest"]
        jobs_on_s3(tmp_path, x)
    finally:
        server.stop()


def jobs_on_s3(tmp_path, x):
    """Some killed, every one twice and at once, in other processes; the store has whole objects and, at the
    end, the array."""
    how = dict(chunks=(4, 4, 4), shards=(8, 8, 8), passes=2, memory="49MiB", threads=1, temporary=tmp_path / "notes")
    plan = faro.rechunk_plan("s3://bucket/x.zarr", "s3://bucket/y.zarr", **how)
    kept = pickle.loads(pickle.dumps(plan))
    code = "import faro, sys; job = faro.Job.from_json(sys.argv[1]); print(1, flush=True); job.run()"
    for k, job in enumerate(job for stage in plan.stages for job in stage):
        runs = [subprocess.Popen([sys.executable, "-c", code, job.to_json()], stdout=subprocess.PIPE)
                for _ in range(3)]
        runs[0].stdout.readline()
        time.sleep(random.Random(k).random() / 10)
        runs[0].kill()
        assert [run.wait() for run in runs[1:]] == [0, 0]
        with pytest.raises(faro.Error):
            faro.digest("s3://bucket/y.zarr")
    assert not [job for stage in kept.stages for job in stage.remaining]
    (tmp_path / "notes/.out.faro/data/of-a-killed-job").mkdir(parents=True, exist_ok=True)
    report = plan.finish()
    y = zarr.open_array("s3://bucket/y.zarr", mode="r")
    assert np.array_equal(y[...], zarr.open_array("s3://bucket/x.zarr", mode="r")[...]) and y.shards == (8, 8, 8)
    assert report["digest"] == faro.digest("s3://bucket/y.zarr") and not list((tmp_path / "notes").iterdir())
    with pytest.raises(faro.UsageError, match="is there already"):
        faro.rechunk_plan("s3://bucket/x.zarr", "s3://bucket/y.zarr", **how).stages
    forgotten = faro.rechunk_plan("s3://bucket/x.zarr", "s3://bucket/z.zarr", **how)
    late = forgotten.stages[0][0]
    forgotten.discard()
    with pytest.raises(faro.UsageError, match="forgotten"):
        late.run()


def test_jobs_of_threads_write_stores_that_one_process_has(tmp_path):
    x = numbers()
    np.save(tmp_path / "x.npy", x)
    store = MemoryStore()
    plan = faro.rechunk_plan(tmp_path / "x.npy", store, chunks=4, shards=8, memory="52MiB", passes=2, threads=1)
    with ThreadPoolExecutor(2) as pool:
        for stage in plan.stages:
            list(pool.map(faro.Job.run, list(stage) * 2))
    assert plan.finish()["digest"] == faro.digest(store) == faro.digest(x)
    assert np.array_equal(zarr.open_array(store, mode="r")[...], x)


def test_jobs_open_files_and_urls_again(tmp_path):
    x = numbers()
    with ZipStore(tmp_path / "x.zip", mode="w") as store:
        stored(store, x)
    plan = faro.rechunk_plan(tmp_path / "x.zip", tmp_path / "y.zarr", chunks=(17, 4, 4), memory="49MiB")
    run_in_other_processes(plan)
    assert plan.finish()["digest"] == faro.digest(x)
    plan = faro.rechunk_plan(stored(MemoryStore(), x), tmp_path / "z.zarr", chunks=4)
    job = plan.stages[0][0].to_json()
    done = subprocess.run([sys.executable, "-c", "import faro, sys; faro.Job.from_json(sys.argv[1]).run()", job],
                          capture_output=True, text=True)
    assert done.returncode != 0 and "to no other" in done.stderr


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc")
def test_memory_holds_in_stores(tmp_path):
    code = """
import faro, numpy as np, sys, zarr
from zarr.storage import LocalStore, WrapperStore
a = zarr.create_array(LocalStore(sys.argv[1]), shape=(64, 1 << 18), chunks=(1, 1 << 18), dtype="f4", compressors=None)
for i in range(64):
    a[i] = i
small = zarr.create_array(WrapperStore(LocalStore(sys.argv[1] + "s")), shape=(8, 8), chunks=(4, 4), dtype="f4")
small[...] = 1
faro.rechunk(small, WrapperStore(LocalStore(sys.argv[1] + "t")), chunks=2)
def peak():
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
words = dict(chunks=(64, 1 << 12), memory="88MiB")
source, target = WrapperStore(LocalStore(sys.argv[1])), WrapperStore(LocalStore(sys.argv[2]))
said = faro.rechunk_plan(source, target, **words)["peak_bytes"]
assert said <= 88 << 20
faro.rechunk(source, target, **words)
assert peak() - before < said, (peak(), before, said)
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, tmp_path / "a", tmp_path / "b"], check=True)
    with pytest.raises(faro.Impossible, match="memory"):
        faro.rechunk(WrapperStore(LocalStore(tmp_path / "a")), MemoryStore(), chunks=(64, 1 << 18), memory="100MiB")


# --- HDF5


def h5_cases():
    for words in ({"compression": "gzip", "shuffle": True, "fillvalue": 3}, {"compression": "gzip"}, {"shuffle": True},
                  {"compression": "lzf", "fletcher32": True}, {"fillvalue": 9}, None):
        for dtype in (">f4", "<i2", "u1", "c8", "<f8", "?", "S3"):
            yield words, dtype


@pytest.mark.parametrize("words, dtype", list(h5_cases()))
def test_hdf5(words, dtype, tmp_path):
    h5py = pytest.importorskip("h5py")
    x = numbers(dtype=dtype)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        more = {} if words is None else {"chunks": (4, 7, 5), **words}
        if dtype in ("c8", "?", "S3"):
            more.pop("fillvalue", None)
        data = file.create_dataset("g/x", shape=x.shape, dtype=dtype, **more)
        data[2:9, 3:15, :] = x[2:9, 3:15]  # the other chunks are absent
        want = data[()]
        assert faro.digest(data) == faro.digest(want)
        faro.rechunk(data, tmp_path / "o.zarr", chunks=6, map=MAP)
    made = zarr.open_array(tmp_path / "o.zarr")
    assert np.array_equal(made[...], turned(want)) and made.dtype.itemsize == want.dtype.itemsize
    faro.rechunk(tmp_path / "x.h5", tmp_path / "g.zarr", chunks="auto")
    assert np.array_equal(zarr.open_group(tmp_path / "g.zarr")["g/x"][...], want)


@pytest.mark.parametrize("name", ["../escape", "a/../../b", "a/..", "zarr.json", "a/.zarray/b", ".zgroup"])
def test_names_in_hdf5_are_no_paths(name, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["fine"] = np.zeros(3)
        file.create_group("only")[name + "/group"] = h5py.Empty("f4")
        file[name] = np.arange(3)
        for target in (tmp_path / "in" / "o.zarr", MemoryStore()):
            for source in (file, file["only"]):
                with pytest.raises(faro.UsageError, match="name of a member"):
                    faro.rechunk(source, target)
    assert os.listdir(tmp_path) == ["x.h5"]


def test_hdf5_small_corners(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["scalar"] = np.float32(4)
        file["empty"] = np.zeros((0, 4))
        file.attrs["title"] = "t"
        file.create_group("group/without arrays").attrs["n"] = 3
        file.create_dataset("skipped", (8,), "i4", chunks=(4,), compression="gzip", shuffle=True)
        # A chunk whose filters were left out says so in its mask.
        file["skipped"].id.write_direct_chunk((0,), np.arange(4, dtype="i4").tobytes(), filter_mask=3)
        assert faro.digest(file["scalar"]) == faro.digest(np.float32(4))
        assert faro.digest(file["empty"]) == faro.digest(np.zeros((0, 4)))
        assert faro.digest(file["skipped"]) == faro.digest(np.array([0, 1, 2, 3, 0, 0, 0, 0], "i4"))
    faro.rechunk(tmp_path / "x.h5", tmp_path / "o.zarr", chunks="auto")
    group = zarr.open_group(tmp_path / "o.zarr")
    assert group["group/without arrays"].attrs["n"] == 3
    assert group.attrs["title"] == "t" and group["scalar"][()] == 4 and group["empty"].shape == (0, 4)
    with h5py.File(tmp_path / "y.h5", "w") as file:
        file["words"] = ["of", "any", "length"]
        file["pairs"] = np.zeros(3, "i4,f4")
        for name in file:
            with pytest.raises(faro.UsageError, match=name):
                faro.digest(file[name])
        file.create_dataset("bad", data=np.arange(8), chunks=(8,), compression="gzip")
        file["bad"].id.write_direct_chunk((0,), b"no gzip")
        with pytest.raises(faro.EnvironmentFault, match="bad"):
            faro.digest(file["bad"])
        # A small chunk that would be 64 MiB, and one that ends early.
        for content in (zlib.compress(bytes(1 << 26)), zlib.compress(bytes(64))[:-1]):
            file["bad"].id.write_direct_chunk((0,), content)
            with pytest.raises(faro.EnvironmentFault, match="bad.*cut short, or holds more than 64 bytes"):
                faro.digest(file["bad"])
        file["type"] = np.dtype("f8")
        del file["words"], file["pairs"], file["bad"]
        file["x"] = np.arange(3)
        assert list(faro.digest(file)) == ["x"]
        with pytest.raises(faro.UsageError, match="without elements"):
            faro.digest(file["type"])


# --- xarray


@pytest.fixture
def dataset():
    xr = pytest.importorskip("xarray")
    values = np.random.default_rng(1).random((20, 9, 12)).astype("f4")
    values[0, 0, 0] = np.nan
    ds = xr.Dataset({"t2m": (("time", "lat", "lon"), values, {"units": "K"}), "s": ((), 4.0)},
                    coords={"time": ("time", np.arange(20), {"units": "days since 2000-01-01"}),
                            "lat": np.linspace(0, 1, 9), "lon": np.arange(12.0),
                            "area": (("lat", "lon"), np.ones((9, 12)))}, attrs={"title": "x"})
    ds.t2m.encoding = {"scale_factor": 0.5, "dtype": "i2", "_FillValue": -1}
    ds.area.encoding = {"_FillValue": -7.0}
    return ds


def opened(kind, ds, folder, **words):
    import xarray as xr

    path = folder / kind
    if kind == "nc":
        pytest.importorskip("h5netcdf")
        pytest.importorskip("h5py")
        if not path.exists():
            ds.to_netcdf(path, engine="h5netcdf", encoding={"t2m": {
                "zlib": True, "shuffle": True, "chunksizes": (3, 4, 5), **ds.t2m.encoding}})
        return xr.open_dataset(path, engine="h5netcdf", **words)
    if not path.exists():
        ds.to_zarr(path, zarr_format=int(kind[-1]))
    return xr.open_zarr(path, **words)


@pytest.mark.parametrize("lazy", [{}, None])
@pytest.mark.parametrize("kind", ["zarr3", "zarr2", "nc"])
def test_datasets_of_xarray(kind, lazy, dataset, tmp_path):
    import faro.xarray  # noqa: F401
    import xarray as xr

    pytest.importorskip("dask")
    ds = opened(kind, dataset, tmp_path, chunks=lazy)
    digests = ds.faro.digest()
    ds.faro.rechunk(tmp_path / "o.zarr", chunks={"time": 20, "lat": 3}, shards={"lat": 9}, memory="64MiB")
    made = xr.open_zarr(tmp_path / "o.zarr")
    assert made.faro.digest() == digests
    assert zarr.open_group(tmp_path / "o.zarr")["t2m"].chunks[:2] == (20, 3)
    xr.testing.assert_identical(made.load(), ds.load())
    opened(kind, dataset, tmp_path, chunks=lazy).faro.rechunk(MemoryStore(), chunks={"time": 5})


def test_datasets_that_are_not_as_stored(dataset, tmp_path):
    import faro.xarray  # noqa: F401

    pytest.importorskip("dask")
    changes = [lambda d: d + 1, lambda d: d.isel(time=slice(3)), lambda d: d.rename(t2m="u", lat="la"),
               lambda d: d.transpose("lat", "lon", "time"), lambda d: d.assign(q=d.t2m * 2),
               lambda d: d.assign_coords(time=d.time.values[::-1]), lambda d: d.isel(time=slice(None, None, -1)),
               lambda d: d.sortby("lat", ascending=False), lambda d: d.where(d.t2m > 0.5)]
    for lazy in ({}, None):
        for change in changes:
            ds = change(opened("zarr3", dataset, tmp_path, chunks=lazy))
            with pytest.raises(faro.UsageError, match="does not come from a store|is stored with"):
                ds.faro.rechunk(tmp_path / "o.zarr", chunks={"time": 20})
    assert not os.path.exists(tmp_path / "o.zarr")
    with pytest.raises(faro.UsageError, match="no dimension"):
        opened("zarr3", dataset, tmp_path).faro.rechunk(tmp_path / "o.zarr", chunks={"tim": 3})
    with pytest.raises(faro.UsageError, match="does not come from a store"):
        dataset.faro.rechunk(tmp_path / "o.zarr", chunks={"time": 20})
    with pytest.raises(faro.UsageError, match="faro.xarray"):
        faro.rechunk(dataset, tmp_path / "o.zarr")
