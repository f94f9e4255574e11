"""Stored arrays beside zarr-python and NumPy: random shapes, chunks, shards, codecs, maps and caps, in
both versions of Zarr; a second digest, written from docs/digest.md alone; damage that other tools
have made, found; runs that are stopped and gone on with. FARO_FULL=1 takes 5000 cases, not 300."""

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import faro
import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3")

CASES = 5000 if os.environ.get("FARO_FULL") else 300
BATCH = 50
TYPES = ["u1", "i1", "<i2", "<u2", "<i4", ">i4", "<f4", ">f8", "<f8", "<i8", "<c8", "<c16", "?"]


def numpy_digest(a):
    """faro-digest/1 by its definition."""
    p = 2**127 - 1
    r = 0x371B37F78B9801EEDC8CE27F41FD7576
    raw = a.astype(a.dtype.newbyteorder("<"), order="C").tobytes()
    words = np.frombuffer(raw + b"\0" * (-len(raw) % 8), "<u8").astype(object)
    powers = np.ones(1, object)
    while len(powers) < len(words):
        powers = np.concatenate([powers, powers * pow(r, len(powers), p) % p])
    d = int(np.sum(words * powers[: len(words)] % p)) % p if len(words) else 0
    shape = "x".join(str(n) for n in a.shape) or "-"
    text = f"faro-digest/1 {a.dtype.name} {shape} {d:032x}\n"
    return "fd1:" + hashlib.sha256(text.encode()).hexdigest()[:32]


def elements(rng, shape, dtype, fill):
    """Random bytes that are numbers, in places the fill value, boxes of it included."""
    state = np.random.default_rng(rng.getrandbits(32))
    a = state.integers(0, 2 if dtype == np.bool_ else 250, shape).astype(dtype)
    if a.size:
        a.flat[state.integers(0, a.size, a.size // 8)] = fill
        if rng.random() < 0.6:
            box = tuple(slice(rng.randrange(n + 1), None) for n in shape)
            a[box] = fill
    return a


def some_codec(rng, version):
    from numcodecs import GZip, LZ4, Blosc, Zlib, Zstd

    if version == 2:
        return rng.choice([None, GZip(1), Zlib(2), Zstd(1), LZ4(), Blosc("lz4", 5, Blosc.SHUFFLE),
                           Blosc("zstd", 1, Blosc.BITSHUFFLE)])
    return rng.choice([None, zarr.codecs.GzipCodec(level=1), zarr.codecs.ZstdCodec(level=1),
                       zarr.codecs.ZstdCodec(level=3, checksum=True),
                       zarr.codecs.BloscCodec(cname="lz4", shuffle="shuffle"),
                       zarr.codecs.BloscCodec(cname="zstd", shuffle="bitshuffle")])


def cuts(rng, shape):
    return tuple(rng.randint(1, max(1, n + 2)) for n in shape)


def store(rng, path, a, fill):
    """`a` as some Zarr array."""
    version = rng.choice([2, 3, 3])
    chunks = cuts(rng, a.shape)
    how = dict(shape=a.shape, dtype=a.dtype, chunks=chunks, zarr_format=version, fill_value=fill,
               compressors=some_codec(rng, version), config={"write_empty_chunks": rng.random() < 0.3})
    if a.ndim and rng.random() < 0.5:
        if version == 2:
            how["order"] = "F"
        else:
            order = rng.sample(range(a.ndim), a.ndim)
            how["filters"] = zarr.codecs.TransposeCodec(order=order)
    if version == 3 and a.ndim and rng.random() < 0.5:
        how["shards"] = tuple(c * rng.randint(1, 3) for c in chunks)
    if version == 3 and rng.random() < 0.5:
        how["dimension_names"] = [f"d{k}" for k in range(a.ndim)]
    array = zarr.create_array(path, attributes={"of": ["a", 1.5]}, **how)
    if a.size or not a.ndim:
        array[...] = a
    return how


def same(x, y):
    return x.shape == y.shape and x.tobytes() == y.astype(x.dtype, order="C").tobytes()


def run_case(seed, folder):
    rng = random.Random(seed)
    shape = tuple(rng.choice([1, 2, 3, 5, 7, 8, 11, 16, 23]) for _ in range(rng.randint(1, 4)))
    while np.prod(shape) > 4000:
        shape = shape[1:]
    if rng.random() < 0.03:
        shape = rng.choice([(), (0,), (3, 0, 2)])
    dtype = np.dtype(rng.choice(TYPES))
    fill = dtype.type(rng.choice([0, 0, 1]))
    a = elements(rng, shape, dtype, fill)
    source, target = folder / f"{seed}.zarr", folder / f"{seed}-out.zarr"
    if rng.random() < 0.2:
        source = folder / f"{seed}.npy"
        np.save(source, np.asarray(a, order="F") if rng.random() < 0.5 else a)
    else:
        store(rng, source, a, fill)
    if rng.random() < 0.2:
        target = folder / f"{seed}-out.npy"

    axes = tuple(rng.sample(range(a.ndim), a.ndim))
    turned = a.transpose(axes)
    flipped = [k for k in range(a.ndim) if rng.random() < 0.25]
    wanted = np.flip(turned, flipped) if flipped else turned
    said = dict(axes=axes, flip=flipped or None) if a.ndim else {}
    if a.ndim and rng.random() < 0.5:
        names = [f"n{k}" for k in range(a.ndim)]
        right = [("~" if k in flipped else "") + names[axis] for k, axis in enumerate(axes)]
        said = dict(map=" ".join(names) + " -> " + " ".join(right))
    how = {}
    if target.suffix == ".zarr" and a.ndim:
        how["chunks"] = cuts(rng, wanted.shape)
        words = json.loads((source / "zarr.json").read_text()) if (source / "zarr.json").exists() else {}
        if (words or source.suffix == ".npy") and rng.random() < 0.4:
            how["shards"] = tuple(c * rng.randint(1, 3) for c in how["chunks"])
        if rng.random() < 0.5:
            how["codec"] = rng.choice(["none", "zstd:1", "gzip:2", "blosc:lz4:3"])
        if "shards" not in how and rng.random() < 0.3:
            how["zarr_format"] = 2
    if target.suffix == ".npy":
        how["order"] = rng.choice("CF")
    memory, passes = 52 << 20, rng.choice([0, 0, 0, 1, 2, 3])
    if a.size and rng.random() < 0.3:  # one byte less than the least is refused, the least does
        with pytest.raises(faro.Impossible) as refused:
            faro.rechunk_plan(source, target, **said, **how, memory=1 << 20, threads=1, passes=passes)
        memory = int(re.findall(r"(\d+) bytes do$", str(refused.value))[0])
        assert memory < 56 << 20, refused.value
    report = faro.rechunk(source, target, **said, **how, memory=memory, threads=rng.choice([1, 2]),
                          passes=passes, verify=rng.random() < 0.3)

    got = np.load(target) if target.suffix == ".npy" else zarr.open_array(target, mode="r")
    assert target.suffix == ".zarr" or got.flags[f"{how['order']}_CONTIGUOUS"]
    if target.suffix == ".zarr":
        assert got.metadata.zarr_format == how.get("zarr_format", 3)
        assert not a.ndim or got.chunks == how["chunks"]
        assert got.shards == how.get("shards") or "shards" not in how
        if source.suffix == ".zarr":
            # Where version 2 keeps the names of dimensions.
            names = dict(got.attrs).pop("_ARRAY_DIMENSIONS", None)
            assert {**got.attrs, "_ARRAY_DIMENSIONS": names} == {"of": ["a", 1.5], "_ARRAY_DIMENSIONS": names}
            assert names is None or sorted(names) == [f"d{k}" for k in range(a.ndim)]
    assert same(np.asarray(got[...]), wanted)
    digest = numpy_digest(wanted)
    assert report["digest"] == digest == faro.digest(wanted) == faro.digest(target)
    assert faro.digest(source) == numpy_digest(a) == faro.digest(a)
    assert report["peak_bytes"] <= memory and passes in (0, report["passes"]) or not a.size
    assert faro.check(source, target, **said) is None
    if target.suffix == ".npy" and rng.random() < 0.5:
        np.save(target, np.asarray(wanted, order="F"))
        assert faro.check(source, target, **said) is None and faro.digest(target) == digest
    if a.size:
        damage(rng, source, target, said, wanted)
    assert not list(folder.glob(".*.faro"))


def damage(rng, source, target, said, wanted):
    """Some elements are changed: how many, and the first."""
    array = np.load(target, mmap_mode="r+") if target.suffix == ".npy" else zarr.open_array(target)
    numbers = sorted(rng.sample(range(wanted.size), rng.randint(1, min(3, wanted.size))))
    places = [tuple(int(i) for i in np.unravel_index(n, wanted.shape)) for n in numbers]
    for place in places:
        value = wanted[place]
        array[place] = not value if wanted.dtype == np.bool_ else value + wanted.dtype.type(1)
    if target.suffix == ".npy":
        array.flush()
    found = faro.check(source, target, **said)
    assert (found["different"], found["first"]) == (len(numbers), places[0])
    if target.suffix == ".zarr":
        assert found["chunk_b"] == tuple(i // c for i, c in zip(places[0], array.chunks))


@pytest.mark.parametrize("batch", range(CASES // BATCH))
def test_random_stores(batch, tmp_path):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        try:
            run_case(seed, tmp_path)
        except Exception as error:
            raise AssertionError(f"case {seed}") from error


def test_groups(tmp_path):
    a = np.arange(30 * 41, dtype="f4").reshape(30, 41)
    root = zarr.create_group(tmp_path / "g.zarr", attributes={"title": "t"})
    root.create_array("maps", data=a, chunks=(7, 9), dimension_names=["time", "lat"])
    deep = root.create_group("deep").create_array("more", data=a.T.copy(), chunks=(10, 10))
    deep.attrs["units"] = "K"
    zarr.consolidate_metadata(tmp_path / "g.zarr")
    reports = faro.rechunk(root, tmp_path / "h.zarr", chunks=-1)
    assert sorted(reports) == ["deep/more", "maps"]
    there = zarr.open_consolidated(tmp_path / "h.zarr", mode="r")
    assert dict(there.attrs) == {"title": "t"} and dict(there["deep/more"].attrs) == {"units": "K"}
    assert same(there["maps"][...], a) and there["maps"].chunks == a.shape
    assert there["maps"].metadata.dimension_names == ("time", "lat")
    assert faro.digest(root) == faro.digest(there) == {
        "maps": numpy_digest(a), "deep/more": numpy_digest(a.T)}
    assert faro.check(root, there) is None
    zarr.open_group(tmp_path / "h.zarr")["deep/more"][4, 5] = 0
    found = faro.check(root, tmp_path / "h.zarr")
    assert list(found) == ["deep/more"] and found["deep/more"]["first"] == (4, 5)
    by_name = faro.rechunk(tmp_path / "g.zarr" / "maps", tmp_path / "n.zarr",
                           chunks={"time": -1, "lat": "auto"}, axes=("lat", "time"))
    assert by_name["passes"] == 1 and same(zarr.open_array(tmp_path / "n.zarr")[...], a.T)
    plan = faro.rechunk_plan(root, chunks=5)
    assert plan["maps"]["format"] == "faro-box-plan/1" and "pass" in plan["maps"]["describe"]


def test_raw_files_in_both_orders(tmp_path):
    a = np.random.default_rng(2).integers(0, 255, (19, 23, 31), "u2")
    np.save(tmp_path / "a.npy", a)
    for order in "CF":
        target = tmp_path / f"{order}.raw"
        report = faro.rechunk(tmp_path / "a.npy", target, axes=(1, 0, 2), order=order, verify=True, memory="52MiB")
        got = np.fromfile(target, a.dtype).reshape((23, 19, 31), order=order)
        assert same(got, a.transpose(1, 0, 2)) and report["digest"] == faro.digest(got) and report["verified"]
    with pytest.raises(faro.UsageError, match="order of Fortran"):
        faro.rechunk(tmp_path / "a.npy", tmp_path / "a.zarr", order="F")
    with pytest.raises(faro.UsageError, match="'C' or 'F'"):
        faro.rechunk(tmp_path / "a.npy", tmp_path / "b.npy", order="K")


def test_what_is_refused(tmp_path):
    a = np.arange(12).reshape(3, 4)
    np.save(tmp_path / "a.npy", a)
    faro.rechunk(tmp_path / "a.npy", tmp_path / "b.zarr", chunks=(2, 2))
    for wrong in (dict(chunks=(2, 2, 2)), dict(chunks="x=2"), dict(axes=(0, 0)), dict(memory="much"),
                  dict(resume=True, fresh=True), dict(map="a b -> b"), dict(passes=4),
                  dict(zarr_format=4), dict(zarr_format=2, chunks=2, shards=2)):
        with pytest.raises(ValueError):
            faro.rechunk(tmp_path / "a.npy", tmp_path / "c.zarr", **wrong)
    with pytest.raises(faro.Error, match="b.zarr"):
        faro.rechunk(tmp_path / "a.npy", tmp_path / "b.zarr")
    with pytest.raises(faro.EnvironmentFault):
        faro.digest(tmp_path / "none.npy")
    inside = zarr.create_array(zarr.storage.MemoryStore(), data=a, chunks=(2, 3))
    assert faro.digest(inside) == numpy_digest(a)
    with pytest.raises(TypeError, match="ndarray"):
        faro.rechunk(a, tmp_path / "c.zarr")
    with pytest.raises(TypeError):
        faro.check(a, tmp_path / "b.zarr")
    assert faro.check(tmp_path / "a.npy", tmp_path / "b.zarr") is None
    assert faro.check(a, a) is None and faro.check(a, a + 1).index == 0
    assert not (tmp_path / "c.zarr").exists()


def test_digest_of_memory():
    assert faro.digest(np.arange(5, dtype="u1")) == "fd1:a336da2e12133e8fbebde42b545fa0dc"
    for a in (np.zeros(()), np.zeros((0, 3)), np.arange(6, dtype=">i2").reshape(2, 3)[:, ::-1],
              np.asfortranarray(np.arange(12.0).reshape(3, 4)), np.array([0.0, -0.0, np.nan])):
        assert faro.digest(a) == numpy_digest(a)
    with pytest.raises(TypeError):
        faro.digest(np.zeros(2, [("a", "i4")]))
    with pytest.raises(faro.UsageError, match="memory="):
        faro.digest(np.zeros(2), memory="1GiB")


def test_digest_within_a_cap(tmp_path):
    a = np.arange(4 * 2**20, dtype="f8").reshape(4, -1)
    np.save(tmp_path / "a.npy", a)
    faro.rechunk(tmp_path / "a.npy", tmp_path / "a.zarr", chunks=a.shape)
    wanted = faro.digest(a)
    for name in ("a.npy", "a.zarr"):
        assert faro.digest(tmp_path / name, memory="256MiB") == wanted
    with pytest.raises(faro.Impossible, match="MiB"):
        faro.digest(tmp_path / "a.zarr", memory="60MiB")


DAMAGES = {
    # Tasks of chunks of 10 wrote chunks of 16 of one array at once: who wrote last won (dask#12583).
    "parts of chunks lost": (dict(chunks=(16, 16)), (slice(10, 16), slice(20, 30))),
    # The same with shards of chunks (dask#12583, zarr-python#3682): chunks that a shard had are gone.
    "chunks of a shard lost": (dict(chunks=(16, 16), shards=(32, 32)), (slice(32, 48), slice(80, 96))),
    # The ragged last chunks were left out where lengths did not divide (cubed#896).
    "the ragged end lost": (dict(chunks=(10, 10)), (slice(90, 97), slice(None))),
    # A write to a part of a shard dropped what else it held (iohub#368).
    "a whole shard lost": (dict(chunks=(8, 8), shards=(48, 48)), (slice(48, 96), slice(48, 96))),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_that_tools_have_made(name, tmp_path):
    how, lost = DAMAGES[name]
    a = np.arange(1, 97 * 103 + 1, dtype="i4").reshape(97, 103)
    zarr.create_array(tmp_path / "a.zarr", data=a, chunks=(10, 10))
    faro.rechunk(tmp_path / "a.zarr", tmp_path / "b.zarr", **how)
    assert faro.check(tmp_path / "a.zarr", tmp_path / "b.zarr") is None
    b = a.copy()
    b[lost] = 0
    zarr.open_array(tmp_path / "b.zarr")[...] = b
    found = faro.check(tmp_path / "a.zarr", tmp_path / "b.zarr")
    first = tuple(int(i) for i in np.argwhere(a != b)[0])
    assert found["different"] == (a != b).sum() and found["first"] == first
    assert (found["value_a"], found["value_b"]) == (str(a[first]), "0")
    assert found["chunk_a"] == tuple(i // 10 for i in first)
    assert found["chunk_b"] == tuple(i // c for i, c in zip(first, how["chunks"]))
    assert found["digest_a"] == numpy_digest(a) and found["digest_b"] == numpy_digest(b)


def written_by_dask(chunks, shards):
    def write(source, path, _):
        da = pytest.importorskip("dask.array")
        how = dict(chunks=chunks) if shards is None else dict(chunks=chunks, shards=shards)
        # A cluster that another test lost is still dask's choice.
        with sys.modules["dask"].config.set(scheduler="threads"):
            da.from_zarr(str(source)).to_zarr(str(path), **how)
    return write


def written_by_threads(source, path, a):
    """Each a part of a shard."""
    b = zarr.create_array(path, shape=a.shape, dtype=a.dtype, chunks=(8, 8), shards=(48, 48))
    boxes = [(slice(i, i + 8), slice(j, j + 8)) for i in range(0, 97, 8) for j in range(0, 103, 8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda box: b.__setitem__(box, a[box]), boxes))


def written_by_cubed(source, path, _):
    cubed = pytest.importorskip("cubed")
    spec = cubed.Spec(work_dir=str(path) + "-work", allowed_mem="200MB")
    cubed.to_zarr(cubed.from_zarr(str(source), spec=spec).rechunk((30, 7)), str(path))


IOHUB = """
import sys
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from iohub.ngff import open_ome_zarr

a = np.arange(1, 97 * 103 + 1, dtype="i4").reshape(1, 1, 1, 97, 103)
with open_ome_zarr(sys.argv[1], layout="fov", mode="w", channel_names=["a"], version="0.5") as fov:
    image = fov.create_zeros("0", shape=a.shape, dtype=a.dtype, chunks=(1, 1, 1, 8, 8), shards_ratio=(1, 1, 1, 6, 6))
    boxes = [(0, 0, 0, slice(i, i + 8), slice(j, j + 8)) for i in range(0, 97, 8) for j in range(0, 103, 8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda box: image.__setitem__(box, a[box]), boxes))
"""


def written_by_iohub(source, path, _):
    """iohub wants versions of its own: FARO_IOHUB_PYTHON names an interpreter that has it (0.3.0a7 was tried)."""
    python = os.environ.get("FARO_IOHUB_PYTHON")
    if not python:
        pytest.skip("FARO_IOHUB_PYTHON names no interpreter")
    subprocess.run([python, "-c", IOHUB, path], check=True)
    return path / "0"


WRITERS = {
    "dask#12583, chunks": written_by_dask((16, 16), None),
    "dask#12583, shards": written_by_dask((16, 16), (32, 32)),
    "dask#12583, shards of the same chunks": written_by_dask((10, 10), (30, 30)),
    "zarr-python#3682": written_by_threads,
    "cubed#896": written_by_cubed,
    "iohub#368": written_by_iohub,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRITERS)
def test_stores_that_tools_write(name, tmp_path):
    """Their threads decide what is lost, if anything is: faro.check says what NumPy finds."""
    shape = (1, 1, 1, 97, 103) if "iohub" in name else (97, 103)  # the one kind of array that it writes
    a = np.arange(1, 97 * 103 + 1, dtype="i4").reshape(shape)
    zarr.create_array(tmp_path / "a.zarr", data=a, chunks=(*shape[:-2], 10, 10))
    lost = 0
    for k in range(5):
        path = tmp_path / f"{k}.zarr"
        try:
            path = WRITERS[name](tmp_path / "a.zarr", path, a) or path
        except (TypeError, ValueError) as error:
            pytest.skip(f"this version refuses it: {error}")
        b = zarr.open_array(path, mode="r")[...]
        found = faro.check(tmp_path / "a.zarr", path)
        assert (found is None) == bool((a == b).all())
        if found:
            lost += 1
            assert found["different"] == (a != b).sum()
            assert found["first"] == tuple(int(i) for i in np.argwhere(a != b)[0])
            assert found["digest_b"] == numpy_digest(b) == faro.digest(path)
    print(f"{name}: damaged {lost} of 5")


RUN = """
import faro, sys
faro.rechunk(*sys.argv[1:3], chunks=(64, 11), codec="none", memory="52MiB", passes=2, threads=1,
             resume=sys.argv[3] == "resume", progress=lambda done, total: print(done, flush=True))
"""


def test_stopped_and_gone_on_with(tmp_path):
    """Killed, interrupted, or failing in the callback: no output, and resumed it is that of a run
    that nothing stopped."""
    a = np.random.default_rng(1).integers(0, 255, (1100, 3001), "u4")
    source = tmp_path / "a.zarr"
    zarr.create_array(source, data=a, chunks=(11, 3001), compressors=None)
    report = faro.rechunk(source, tmp_path / "whole.zarr", chunks=(64, 11), codec="none",
                          memory="52MiB", passes=2)
    files = sorted(p.relative_to(tmp_path / "whole.zarr") for p in (tmp_path / "whole.zarr").rglob("*"))
    stopped = 0
    for k, sent in enumerate([signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGKILL]):
        target = tmp_path / f"b{k}.zarr"
        run = subprocess.Popen([sys.executable, "-c", RUN, source, target, "anew"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(k + 1):
            if not run.stdout.readline():
                break
        run.send_signal(sent)
        run.communicate()
        if run.returncode == 0:
            continue
        stopped += 1
        assert not target.exists()
        with pytest.raises(faro.Error, match="resume"):
            faro.rechunk(source, target, chunks=(64, 11), memory="52MiB")
        again = faro.rechunk(source, target, resume=True)
        assert again["digest"] == report["digest"] and again["resumed_jobs"] > 0
        assert sorted(p.relative_to(target) for p in target.rglob("*")) == files
        for name in files:
            if (target / name).is_file():
                assert (target / name).read_bytes() == (tmp_path / "whole.zarr" / name).read_bytes()
    assert stopped > 0

    def fail(done, total):
        raise KeyError("no more")

    for k in range(20):  # what fails at the very end leaves an output
        target = tmp_path / f"c{k}.zarr"
        with pytest.raises(KeyError):
            faro.rechunk(source, target, chunks=(64, 11), memory="52MiB", passes=2, progress=fail)
        if not target.exists():
            break
    assert not target.exists()
    zarr.open_array(source)[0, 0] = a[0, 0] + 1  # the source is another one now
    with pytest.raises(faro.Error, match="change"):
        faro.rechunk(source, target, resume=True)
    assert not target.exists()
    assert faro.rechunk(source, target, chunks=(64, 11), fresh=True)["resumed_jobs"] == 0
