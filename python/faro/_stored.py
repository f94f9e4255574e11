"""rechunk, digest and check on arrays in folders and files, however large, within a cap of memory."""

from __future__ import annotations

import json
import os

from . import _core
from ._errors import UsageError
from ._jobs import RechunkPlan
from ._lending import lend, numpy, threads_of, with_progress


def is_stored(x):
    """A path, or an array or group of the package zarr. Bytes are elements, not a name."""
    return isinstance(x, (str, os.PathLike)) or type(x).__module__.partition(".")[0] == "zarr"


def _folder(x):
    """The folder of an array or group of the package zarr; None where its store is none."""
    store = getattr(x, "store", None)
    root = getattr(store, "root", None)  # version 3
    if type(store).__name__ == "DirectoryStore":  # version 2
        root = store.dir_path()
    if root is None or type(store).__name__ not in ("LocalStore", "DirectoryStore"):
        return None
    return os.path.join(root, x.path) if x.path else os.fspath(root)


def _path(x, what):
    if isinstance(x, (str, os.PathLike)):
        return os.fsencode(x)
    folder = _folder(x) if is_stored(x) else None
    if folder is None:
        raise TypeError(f"{what}: wanted a path, or an array of zarr in a folder, not "
                        f"{type(x).__name__} in {type(getattr(x, 'store', None)).__name__}")
    return os.fsencode(folder)


def _listed(value):
    """What is said of axes, in the words of the program."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ",".join(f"{name}={length}" for name, length in value.items())
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return str(value)


def _words(axes, flip, map, memory, threads, dtype, shape, **others):
    return {
        "axes": _listed(axes), "flip": _listed(flip), "map": map, "memory": None if memory is None else str(memory),
        "threads": threads_of(threads), "dtype": None if dtype is None else str(dtype),
        "shape": None if shape is None else list(shape), **others,
    }


def _rechunk_words(chunks, shards, axes, flip, map, codec, memory, passes, device, threads, dtype,
                   shape, **others):
    return _words(axes, flip, map, memory, threads, dtype, shape, chunks=_listed(chunks),
                  shards=_listed(shards), codec=codec, passes=passes, device=device, **others)


def _arrays(path):
    """Names of a group's arrays; None of an array."""
    names = _core.arrays_in(path)
    return None if names == [""] else names


def _in(path, name):
    return os.path.join(path, os.fsencode(name))


def rechunk(source, target, /, *, chunks=None, shards=None, axes=None, flip=None, map=None,
            codec=None, zarr_format=3, memory="2GiB", passes=0, device="ssd", threads=None,
            resume=False, fresh=False, verify=False, worker=None, dtype=None, shape=None,
            progress=None):
    """Other chunks, shards or order of axes of a stored array, or of every array of a group."""
    if resume and fresh:
        raise UsageError("resume goes on, fresh begins anew: one of them")
    from_path, to_path = _path(source, "source"), _path(target, "target")
    names = _arrays(from_path)
    words = _rechunk_words(
        chunks, shards, axes, flip, map, codec, memory, passes, device, threads, dtype, shape,
        zarr_format=zarr_format, verify=verify, worker=worker,
        unfinished="resume" if resume else "fresh" if fresh else "refuse")

    def one(a, b, said):
        return with_progress(lambda heard: _core.rechunk(a, b, said, heard), progress)

    if names is None:
        return one(from_path, to_path, words)
    if worker is not None:
        raise UsageError("worker= shares the work on one array")
    reports = {}
    for name in names:
        a, b = _in(from_path, name), _in(to_path, name)
        said = words
        if resume:
            if os.path.exists(b) and not _core.has_unfinished_rechunk(b):
                continue
            if not _core.has_unfinished_rechunk(b):
                said = {**words, "unfinished": "refuse"}
        os.makedirs(os.path.dirname(b), exist_ok=True)
        reports[name] = one(a, b, said)
    _core.copy_group_words(from_path, to_path)
    return reports


def rechunk_plan(source, target=None, /, *, chunks=None, shards=None, axes=None, flip=None,
                 map=None, codec=None, zarr_format=3, memory="2GiB", passes=0, device="ssd",
                 threads=None, dtype=None, shape=None):
    """What rechunk would do, and its jobs; nothing of the data is read."""
    from_path = _path(source, "source")
    to_path = from_path + b".rechunked.zarr" if target is None else _path(target, "target")
    words = _rechunk_words(chunks, shards, axes, flip, map, codec, memory, passes, device, threads,
                           dtype, shape, zarr_format=zarr_format, verify=False, unfinished="refuse")

    def one(a, b):
        plan, text = _core.rechunk_plan(a, b, words)
        said = {**json.loads(plan), "describe": text}
        return RechunkPlan(said, a, None if target is None else b, words)

    names = _arrays(from_path)
    if names is None:
        return one(from_path, to_path)
    return {name: one(_in(from_path, name), _in(to_path, name)) for name in names}


def _type_name(dtype):
    if dtype.names is not None:
        raise TypeError(f"{dtype}: a digest is of elements of one type")
    # bfloat16 and others of ml_dtypes are of kind V too, and have their names.
    return f"r{8 * dtype.itemsize}" if dtype.name.startswith("void") else dtype.name


def _boxes(x):
    """Of an array that is read in slices: a chunk at a time, of shards whole ones."""
    np = numpy()
    steps = getattr(x, "shards", None) or x.chunks
    counts = tuple(-(-n // step) for n, step in zip(x.shape, steps))
    for index in np.ndindex(*counts):
        start = [i * step for i, step in zip(index, steps)]
        cut = tuple(slice(s, min(s + step, n)) for s, step, n in zip(start, steps, x.shape))
        part = np.asarray(x[cut])
        yield start, list(part.shape), _plain(part)


def _plain(a):
    """Elements in C order, little-endian, as bytes."""
    np = numpy()
    a = np.ascontiguousarray(a, dtype=a.dtype.newbyteorder("<"))
    return a.reshape(-1).view(np.uint8)


def digest(a, /, *, memory=None, threads=None, dtype=None, shape=None, progress=None):
    """What an array holds, in 128 bits that no chunking changes; of a group, of each array."""
    if isinstance(a, (str, os.PathLike)) or (is_stored(a) and _folder(a) is not None):
        path = _path(a, "a")
        words = _words(None, None, None, memory, threads, dtype, shape)

        def one(at):
            return with_progress(lambda heard: _core.digest_stored(at, words, heard), progress)

        names = None if dtype is not None else _arrays(path)
        return one(path) if names is None else {name: one(_in(path, name)) for name in names}
    if memory is not None:
        raise UsageError("memory= is a cap for arrays in folders and files")
    if is_stored(a) and hasattr(a, "chunks"):
        return _core.digest_of_boxes(_type_name(a.dtype), a.shape, a.dtype.itemsize, _boxes(a))
    a, _ = lend(a, compared=True)
    whole = [([0] * a.ndim, list(a.shape), _plain(a))]
    return _core.digest_of_boxes(_type_name(a.dtype), a.shape, a.itemsize, whole)


def check_stored(a, b, *, map, axes, flip, memory, threads, dtype, shape, progress):
    """The first difference of two stored arrays, or of two groups; None where there is none."""
    a, b = _path(a, "the first array"), _path(b, "the second array")
    words = _words(axes, flip, map, memory, threads, dtype, shape)

    def one(first, second):
        return with_progress(
            lambda heard: _core.check_stored(first, second, words, heard), progress)

    names = None if dtype is not None else _arrays(a)
    if names is None:
        return one(a, b)
    others = _arrays(b)
    if others != names:
        raise UsageError(f"the groups have other arrays: {names} and {others}")
    found = {name: one(_in(a, name), _in(b, name)) for name in names}
    return {name: difference for name, difference in found.items() if difference} or None


for _object in (rechunk, rechunk_plan, digest):
    _object.__module__ = "faro"
