"""Stores that are not what a call takes them for: used ones, another's journal, two of one name, failures."""

import os
import random
import subprocess
import sys
import time

import faro
import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3")
pytestmark = pytest.mark.filterwarnings("ignore")
from test_stores import Failing, numbers, stored  # noqa: E402
from zarr.storage import LocalStore, MemoryStore, WrapperStore  # noqa: E402


def cut(folder, store, at=25, **words):
    """A run to `store` that ends at a write and can be gone on with; its source and its words."""
    source = folder / "cut.npy"
    np.save(source, numbers((64, 1 << 15)))
    words = {"chunks": (16, 1 << 12), "memory": "51MiB", "threads": 1, **words}
    store.at = at
    with pytest.raises(faro.EnvironmentFault, match="the line is cut"):
        faro.rechunk(source, store, **words)
    store.at = -1
    return source, words


@pytest.fixture
def journals(tmp_path, monkeypatch):
    """The system's folder for temporary files."""
    folder = tmp_path / "system"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder / f"faro-{os.getuid()}"


def test_what_is_in_a_store_outlives_what_is_refused(tmp_path, journals):
    store = MemoryStore()
    stored(store, numbers())
    before = dict(store._store_dict)
    np.save(tmp_path / "x.npy", numbers())
    for words, said in (({"resume": True}, "no unfinished run"), ({}, "there already"),
                        ({"fresh": True}, "there already"), ({"resume": True, "temporary": tmp_path / "t"}, "no unfinished run")):
        with pytest.raises(faro.UsageError, match=said):
            faro.rechunk(tmp_path / "x.npy", store, chunks=3, **words)
        assert store._store_dict == before
    assert os.listdir(journals) == []  # a refused call leaves no folder


def test_a_journal_goes_on_in_its_own_store(tmp_path, journals, monkeypatch):
    a, b = Failing(MemoryStore()), Failing(MemoryStore())
    source, words = cut(tmp_path, a, temporary=tmp_path / "t")
    stored(b, numbers())
    before = dict(b._store._store_dict)
    for how in ("resume", "fresh"):
        with pytest.raises(faro.UsageError, match="writes to"):
            faro.rechunk(source, b, **words, **{how: True})
        assert b._store._store_dict == before
    half = dict(a._store._store_dict)
    with pytest.raises(faro.UsageError, match="unfinished run is in"):
        faro.rechunk(source, a, **words)
    assert half and a._store._store_dict == half
    with pytest.raises(faro.UsageError, match="writes to another store"):
        faro.rechunk(source, tmp_path / "t" / "out", resume=True)
    assert faro.rechunk(source, a, resume=True, **words)["digest"] == faro.digest(a)
    # The system's folder for temporary files: found again, open to nobody else.
    a = Failing(MemoryStore())
    source, words = cut(tmp_path, a)
    assert os.stat(journals).st_mode & 0o777 == 0o700 and len(os.listdir(journals)) == 1
    assert faro.rechunk(source, a, resume=True, **words)["resumed_jobs"] > 0
    assert os.listdir(journals) == []
    journals.chmod(0o777)
    with pytest.raises(faro.EnvironmentFault, match="of this user alone"):
        faro.rechunk(source, MemoryStore(), **words)
    for folder in (None, tmp_path / "nowhere"):  # nor needed where another folder is said
        if folder is not None:
            monkeypatch.setattr("tempfile.tempdir", str(folder))
        faro.rechunk(source, MemoryStore(), temporary=tmp_path / "own", **words)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("asked", ["read", "put", "size"])
def test_what_stops_python_is_no_fault(stop, asked, tmp_path, monkeypatch):
    source, target = MemoryStore(), MemoryStore()
    stored(source, numbers(), shards=(10, 18, 6))

    def stopped(*_):
        raise stop("now")

    with monkeypatch.context() as patch:
        patch.setattr(f"faro._outside._ZarrStore.{asked}", stopped)
        with pytest.raises(stop, match="now"):
            faro.rechunk(source, target, chunks=4)
    assert not target._store_dict
    faro.rechunk(source, target, chunks=4)  # nothing of it is left


def test_two_runs_on_one_store(tmp_path, journals):
    """The second refuses, whatever it is asked for, and takes nothing from the first, which goes on."""
    source = tmp_path / "x.npy"
    np.save(source, numbers((64, 90, 100)))
    store = WrapperStore(LocalStore(tmp_path / "a.zarr"))
    words = dict(chunks=(8, 9, 10), memory="52MiB", threads=1, passes=2)
    seen = []

    def second(done, total):
        for how in ("resume", "fresh", None):
            with pytest.raises(faro.EnvironmentFault, match="another run is at work"):
                faro.rechunk(source, store, **words, **({how: True} if how else {}))
            seen.append(how)
        return True

    faro.rechunk(source, store, progress=second, **words)
    assert len(seen) > 2 and not any(journals.rglob("*")) and np.array_equal(zarr.open_array(store, mode="r")[...], np.load(source))


KILLED = """
import faro, sys
from zarr.storage import LocalStore, WrapperStore
faro.rechunk(sys.argv[1], WrapperStore(LocalStore(sys.argv[2])), chunks=(8, 9, 10), shards=(16, 18, 20), codec="none",
             memory="52MiB", passes=2, threads=1, temporary=sys.argv[3], resume=sys.argv[4] == "resume",
             progress=lambda done, total: print(done, flush=True))
"""


@pytest.mark.parametrize("moment", range(100 if os.environ.get("FARO_FULL") else 5))
def test_killed_while_it_writes_a_store_of_zarr(moment, tmp_path):
    """No array is there, what has its key is whole, and the next run ends as one that nothing stopped."""
    a = numbers((64, 90, 100))
    source, target = tmp_path / "a.npy", tmp_path / "b.zarr"
    np.save(source, a)
    rng = random.Random(moment)
    how = "anew"
    for _ in range(3):
        run = subprocess.Popen([sys.executable, "-c", KILLED, source, target, tmp_path / "t", how],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(rng.randrange(8)):
            run.stdout.readline()
        time.sleep(rng.random() / 50)
        run.kill()
        run.communicate()
        if (target / "zarr.json").exists():
            break
        for path in target.rglob("c/*/*/*"):
            if path.is_file() and not path.name.endswith(".partial"):  # LocalStore's own, before the name
                assert path.stat().st_size in {16 * 18 * 20 * 4 + 8 * 16 + 4}, path
        how = "resume" if list((tmp_path / "t").glob(".*/journal")) else "anew"
    store = WrapperStore(LocalStore(target))
    if not (target / "zarr.json").exists():
        words = dict(chunks=(8, 9, 10), shards=(16, 18, 20), codec="none", memory="52MiB", passes=2, threads=1)
        words["resume"] = how == "resume"
        faro.rechunk(source, store, temporary=tmp_path / "t", **words)
    assert np.array_equal(zarr.open_array(store, mode="r")[...], a) and faro.digest(store) == faro.digest(a)


def test_errors_of_other_packages_say_where(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"no zip")
    broken = MemoryStore()
    stored(broken, numbers())
    broken._store_dict["zarr.json"] = zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(b"{")
    (tmp_path / "x.h5").write_bytes(b"\x89HDF\r\n\x1a\n and no more")
    for source, said in ((tmp_path / "x.zip", "x.zip"), (broken, "memory:"), (tmp_path / "x.h5", "x.h5"),
                         ("nosuch://bucket/x.zarr", "nosuch://"), ("memory://none/x.zarr", "none/x.zarr")):
        for use in (faro.digest, lambda source: faro.rechunk(source, tmp_path / "o.zarr", chunks=3)):
            with pytest.raises(faro.Error, match=said):
                use(source)
    with pytest.raises(faro.EnvironmentFault, match="nosuch://"):
        faro.rechunk(np.save(tmp_path / "x.npy", numbers()) or tmp_path / "x.npy", "nosuch://bucket/x.zarr", chunks=3)


def test_an_object_store_of_zarr(tmp_path):
    obstore = pytest.importorskip("obstore.store")
    x = numbers()
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "folder").mkdir()
    for inner in (obstore.MemoryStore(), obstore.LocalStore(tmp_path / "folder")):
        store = zarr.storage.ObjectStore(inner)
        faro.rechunk(tmp_path / "x.npy", store, chunks=4)
        assert faro.digest(store) == faro.digest(inner) == faro.digest(x)


def test_a_used_group_keeps_its_attributes(tmp_path):
    source = zarr.create_group(MemoryStore(), attributes={"title": "new"})
    stored(source.store, numbers(), "x")
    for target in (MemoryStore(), tmp_path / "g.zarr"):
        zarr.create_group(target, attributes={"title": "old"})
        with pytest.raises(faro.UsageError, match="is there already"):
            faro.rechunk(source, target, chunks=3)
        assert zarr.open_group(target, mode="r").attrs.asdict() == {"title": "old"}
        assert list(zarr.open_group(target, mode="r")) == []
        faro.rechunk(source, target, chunks=3, resume=True)
        assert zarr.open_group(target, mode="r").attrs.asdict() == {"title": "new"}


class Nameless(WrapperStore):
    """As many stores of other people: two of them say the same of themselves."""

    def __str__(self):
        return "a store"


def test_two_stores_of_one_name(tmp_path):
    x, y = numbers(seed=1), numbers(seed=2)
    a, b = (Nameless(LocalStore(tmp_path / name)) for name in "ab")
    one, two = stored(a, x), stored(b, y)
    # A plan asks for the bytes when it is used: of the store that it was made of.
    plans = [faro.rechunk_plan(z, tmp_path / f"{k}.zarr", chunks=4) for k, z in enumerate((one, two))]
    for plan, want in zip(plans, (x, y)):
        for stage in plan.stages:
            for job in stage:
                job.run()
        assert plan.finish()["digest"] == faro.digest(want)
    assert faro.check(one, two) is not None
    fsspec = pytest.importorskip("fsspec")
    from faro._outside import _ZarrStore

    def on_http(**options):
        pytest.importorskip("aiohttp")
        return zarr.storage.FsspecStore(fsspec.filesystem("http", asynchronous=True, **options), path="/b/x")

    names = [_ZarrStore(store).name for store in (on_http(block_size=1), on_http(block_size=2), on_http(block_size=1))]
    assert names[0] == names[2] != names[1]
    # An address is used again; a name of what passes with the process is not.
    assert len({_ZarrStore(MemoryStore()).name for _ in range(9)}) == 9


def small(folder, **words):
    """A source of sixteen chunks without a zero, and the words of a plan for it."""
    stored(folder / "s.zarr", np.arange(1, 64 * 64 + 1, dtype="i4").reshape(64, 64), chunks=(8, 64))
    return folder / "s.zarr", {"chunks": (8, 32), "memory": "64MiB", "threads": 1, **words}


def test_jobs_of_one_store_are_not_those_of_another(tmp_path):
    source, words = small(tmp_path, temporary=tmp_path / "t")
    a, b = MemoryStore(), MemoryStore()
    first = faro.rechunk_plan(source, a, **words)
    stages = first.stages
    stored(b, numbers())
    before = dict(b._store_dict)
    plan = faro.rechunk_plan(source, b, **words)  # to the folder of the other's jobs
    for use in (lambda: plan.stages, plan.discard, plan.finish):
        with pytest.raises(faro.UsageError, match="give another temporary="):
            use()
    assert b._store_dict == before
    for job in stages[0]:
        job.run()
    assert first.finish()["digest"] == faro.digest(a)


def test_discard_takes_what_jobs_have_put(tmp_path):
    source, words = small(tmp_path, temporary=tmp_path / "t")
    store = WrapperStore(LocalStore(tmp_path / "w"))

    def begun():
        plan = faro.rechunk_plan(source, store, **words)
        for job in plan.stages[0]:
            job.run()
        return plan

    begun().discard()
    begun()
    (tmp_path / "w" / "notes.txt").write_text("mine")
    faro.rechunk_plan(source, store, **words).discard()
    assert [p.name for p in (tmp_path / "w").rglob("*") if p.is_file()] == ["notes.txt"]
    # Somebody else's array meanwhile: it stays, the jobs are forgotten.
    store = MemoryStore()
    plan = faro.rechunk_plan(source, store, **words)
    stages = plan.stages
    faro.rechunk(source, store, chunks=(16, 16), temporary=tmp_path / "other")
    plan.discard()
    assert faro.digest(store) == faro.digest(source) and not (tmp_path / "t" / ".out.faro-shared").exists()
    with pytest.raises(faro.Error):
        stages[0][0].run()
    # Forgotten by others.
    store = MemoryStore()
    plan = faro.rechunk_plan(source, store, **words)
    assert plan.stages
    faro.rechunk_plan(source, store, **words).discard()
    with pytest.raises(faro.UsageError, match="forgotten"):
        plan.finish()


def test_an_emptied_store_is_not_gone_on_with(tmp_path):
    store = Failing(MemoryStore())
    source, words = cut(tmp_path, store, temporary=tmp_path / "t")
    assert store._store._store_dict
    store._store._store_dict.clear()
    with pytest.raises(faro.UsageError, match="is empty"):
        faro.rechunk(source, store, resume=True, **words)
    assert faro.rechunk(source, store, fresh=True, **words)["digest"] == faro.digest(store)
    # Jobs: refused, or done again.
    store._store._store_dict.clear()
    plan = faro.rechunk_plan(source, store, **words)
    for job in plan.stages[0]:
        job.run()
    store._store._store_dict.clear()
    with pytest.raises(faro.UsageError, match="is empty|not done"):
        plan.finish()
    plan.discard()
    # Zeros leave nothing.
    x = np.zeros_like(np.load(source))
    x[-1, -1] = 1
    np.save(source, x)
    store.at = 1
    with pytest.raises(faro.EnvironmentFault, match="the line is cut"):
        faro.rechunk(source, store, **words)
    assert not store._store._store_dict
    assert faro.rechunk(source, store, resume=True, **words)["resumed_jobs"] > 0


@pytest.mark.parametrize("version", [2, 3])
def test_a_resumed_run_makes_again_what_was_taken_away(version, tmp_path):
    for gone in (False, True):
        store = Failing(MemoryStore())
        source, words = cut(tmp_path, store, temporary=tmp_path / "t", zarr_format=version)
        content = store._store._store_dict
        if gone:
            del content[min(content)]
        assert faro.rechunk(source, store, resume=True, **words)["digest"] == faro.digest(store) == faro.digest(source)


def test_fresh_leaves_what_no_unfinished_run_puts(tmp_path):
    for path in ("", "deep/x"):
        store = Failing(MemoryStore())
        source, words = cut(tmp_path, store, temporary=tmp_path / "t")
        content = store._store._store_dict
        content.clear()
        stored(store, numbers(), path)
        before = dict(content)
        with pytest.raises(faro.UsageError, match="fresh=True does not remove"):
            faro.rechunk(source, store, fresh=True, **words)
        assert content == before
        content.clear()
        assert faro.rechunk(source, store, fresh=True, **words)["digest"] == faro.digest(source)


def test_a_file_system_in_memory_is_of_one_process(tmp_path, journals):
    fsspec = pytest.importorskip("fsspec")
    from faro._outside import _ZarrStore
    from zarr.storage import FsspecStore

    urls = ("memory:///M", "file:///M", "memory://M")
    names = [_ZarrStore(FsspecStore.from_url(url)).name for url in urls]
    assert names[0] == names[2] != names[1]
    code = "import sys; from faro._outside import _ZarrStore; from zarr.storage import FsspecStore\n" \
        "for url in sys.argv[1:]: print(_ZarrStore(FsspecStore.from_url(url)).name)"
    said = subprocess.run([sys.executable, "-c", code, *urls], capture_output=True, text=True, check=True)
    others = said.stdout.splitlines()
    assert others[1] == names[1] and others[0] != names[0]
    assert fsspec.filesystem("memory") is not None


def test_a_second_look_at_a_store(tmp_path):
    source, words = small(tmp_path)
    store = MemoryStore()
    plan = faro.rechunk_plan(source, store, **words)
    stages = plan.stages
    faro.rechunk_plan(source, store, **words)  # and gone
    for job in stages[0]:
        job.run()
    assert plan.finish()["digest"] == faro.digest(store)


def test_two_runs_on_one_store_with_folders_of_their_own(tmp_path, journals):
    source, words = small(tmp_path)
    store, seen = MemoryStore(), []

    def second(done, total):
        with pytest.raises(faro.EnvironmentFault, match="another run is at work"):
            faro.rechunk(source, store, temporary=tmp_path / "b", **words)
        seen.append(done)
        return True

    faro.rechunk(source, store, progress=second, temporary=tmp_path / "a", **words)
    assert seen and faro.digest(store) == faro.digest(source) and not list(journals.iterdir())
