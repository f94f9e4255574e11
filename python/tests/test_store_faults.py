"""Stores that are not what a call takes them for: used ones, another's journal, two of one name, failures."""

import os

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
    for words, said in (({"resume": True}, "no unfinished run"), ({}, "there already"), ({"fresh": True}, "there already"),
                        ({"resume": True, "temporary": tmp_path / "t"}, "no unfinished run")):
        with pytest.raises(faro.UsageError, match=said):
            faro.rechunk(tmp_path / "x.npy", store, chunks=3, **words)
        assert store._store_dict == before
    assert os.listdir(journals) == []  # a refused call leaves no folder


def test_a_journal_goes_on_in_its_own_store(tmp_path, journals):
    a, b = Failing(MemoryStore()), Failing(MemoryStore())
    source, words = cut(tmp_path, a, temporary=tmp_path / "t")
    stored(b, numbers())
    before = dict(b._store._store_dict)
    for how in ("resume", "fresh"):
        with pytest.raises(faro.UsageError, match="writes to"):
            faro.rechunk(source, b, **words, **{how: True})
        assert b._store._store_dict == before
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
