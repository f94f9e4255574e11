"""rechunk, digest and check on arrays in folders and files, however large, within a cap of memory."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile

from . import _core, _outside
from ._errors import EnvironmentFault, Refused, UsageError, told_of
from ._jobs import RechunkPlan
from ._lending import lend, numpy, threads_of, with_progress
from ._outside import is_stored


def _path(x, what):
    """A path, or the Name of what lies in no folder."""
    if isinstance(x, _outside.Name):
        return x
    if not is_stored(x):
        saved = "; numpy.save(path, x) makes a file of it" if hasattr(x, "__array_interface__") else ""
        raise TypeError(f"{what}: wanted a path, a store, or an array or group of zarr or h5py, not "
                        f"{type(x).__name__}{saved}")
    name = _outside.named(x)
    if name is not None:
        return name
    return os.fsencode(x if isinstance(x, (str, os.PathLike)) else _outside.folder_of_array(x))


class _Target:
    """Where the result goes: a path, or a store and a local folder for its journal."""

    def __init__(self, x, temporary):
        if not is_stored(x) or type(x).__module__.startswith("h5py"):
            raise TypeError(f"target: wanted a path, a store or a group of zarr, not {type(x).__name__}")
        self.store = _outside.target_of(x)
        if self.store is None:
            self.path = os.fsencode(
                x if isinstance(x, (str, os.PathLike)) else _outside.folder_of_array(x))
            return
        self.own = None
        if temporary is None:
            mark = hashlib.sha256(self.store.name.encode()).hexdigest()[:16]
            temporary = self.own = os.path.join(
                os.fsencode(tempfile.gettempdir()), f"faro-{os.getuid()}".encode(), mark.encode())
        self.path = os.path.join(os.fsencode(temporary), b"out")

    def __reduce__(self):
        if self.store is None:
            return _Target, (os.fsdecode(self.path), None)
        return _target_again, (self.store.name, self.path, self.own)

    def of(self, name):
        one = object.__new__(_Target)
        vars(one).update(vars(self))
        one.path = os.path.join(self.path, os.fsencode(name))
        if self.store is not None:
            one.store = self.store.under(name)
        return one

    def refuse_used_group(self, arrays):
        """The attributes of what is there already stay; an array that is there is refused in its turn."""
        if any(words["unfinished"] != "refuse" for _, words in arrays.values()) or any(
                _core.has_unfinished_rechunk(self.of(name).path) for name in arrays):
            return
        is_used = os.path.isdir(self.path) and os.listdir(self.path) if self.store is None \
            else not self.store.is_empty()
        if is_used:
            raise UsageError(f"{os.fsdecode(self.path) if self.store is None else self.store.name}: is there already; "
                             "remove it, or give another name")

    def words(self):
        if self.store is None:
            return {}
        folder, last = os.path.split(self.path)
        self.store.parts = os.fsdecode(os.path.join(folder, b"." + last + b".faro", b"data"))
        self.name = _outside.Name(self.store)
        return {"outside": os.fsdecode(self.name)}

    def run(self, unfinished, work):
        """work(); a store is left as it was found where nothing remains to go on from."""
        if self.store is None:
            return work()
        if self.own is not None:
            _make_private(os.path.dirname(self.own))
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        try:
            with _alone(self.path + b".lock", self.store.name), _one_of_a_name(self.store.name):
                with told_of(self.store.name):
                    self._make_room(unfinished)
                try:
                    return work()
                except BaseException:
                    # What is here came from this run, or from the one that it went on with.
                    if not _core.has_unfinished_rechunk(self.path):
                        self.store.clear()
                    raise
        finally:
            self._remove_empty_folders()

    def _make_room(self, unfinished):
        begun = _core.unfinished_outside(self.path)
        if begun is not None and begun != os.fsdecode(self.name):
            raise UsageError(f"{self.store.name}: the unfinished run in '{os.fsdecode(self.path)}' writes to "
                             f"{begun or 'a folder'}; give another temporary=")
        if begun is not None and unfinished == "refuse":
            raise UsageError(f"{self.store.name}: an unfinished run is in '{os.fsdecode(self.path)}'; resume=True goes "
                             "on with it, fresh=True begins anew")
        if begun is None and unfinished == "resume":
            raise UsageError(f"{self.store.name}: there is no unfinished run to go on with")
        if begun is None and not self.store.is_empty():
            raise UsageError(f"{self.store.name}: is there already; remove it, or give another name")
        if begun is not None and unfinished == "fresh":
            # Metadata are put last: an array there is whole, and may be another one by now.
            if not self.store.exists():
                self.store.clear_units()
            if not self.store.is_empty():
                raise UsageError(f"{self.store.name}: more is there than an unfinished run leaves, which fresh=True "
                                 "does not remove; remove it, or give another name")
        if begun is not None and unfinished == "resume":
            self._refuse_emptied([self._beside(b".faro", b"journal")], "fresh=True begins anew")

    def _remove_empty_folders(self):
        folder = os.path.dirname(self.path)
        while self.own is not None and folder.startswith(self.own):
            try:
                os.rmdir(folder)
            except OSError:
                return  # a journal is there
            folder = os.path.dirname(folder)

    def _beside(self, what, *names):
        folder, last = os.path.split(self.path)
        return os.path.join(folder, b"." + last + what, *names)

    def _refuse_emptied(self, notes, way_out):
        """What counts as done must have left something. Zeros alone may leave nothing: chunks of the fill value
        are not written."""
        if self.store.is_empty() and any(_has_written(path) for path in notes):
            raise UsageError(f"{self.store.name}: is empty, and jobs that are done have written to it; {way_out}")

    def _jobs_folder(self):
        return self._beside(b".faro-shared")

    def _jobs_there(self):
        """The request of jobs for this store; None where there are none; refuses those of another store."""
        try:
            with open(os.path.join(self._jobs_folder(), b"request"), encoding="utf-8") as file:
                word, _, text = file.read().partition(" ")
        except FileNotFoundError:
            return None
        request = json.loads(text) if word == "jobs" else {}
        outside = request.get("outside", "a folder")
        if outside != os.fsdecode(self.name):
            raise UsageError(f"{self.store.name}: the jobs in '{os.fsdecode(self._jobs_folder())}' write to "
                             f"{outside.removeprefix(_outside.PREFIX)}; give another temporary=")
        return request

    def make_room_for_jobs(self):
        """Where their notes will be; a store that jobs have not begun to fill is empty."""
        if self.store is None:
            return
        with told_of(self.store.name):
            if self._jobs_there() is None and not self.store.is_empty():
                raise UsageError(f"{self.store.name}: is there already; remove it, or give another name")
        if self.own is not None:
            _make_private(os.path.dirname(self.own))
        os.makedirs(os.path.dirname(self.path), exist_ok=True)

    def has_jobs(self):
        """Jobs that put something in this store; refuses those of another store."""
        return self.store is not None and self._jobs_there() is not None

    def clear_jobs(self):
        """What jobs have put in a store, when no job gives anything a name any more. Metadata are put last: an array
        that has them is whole, from whomever, and stays."""
        with told_of(self.store.name):
            if not self.store.exists():
                self.store.clear_units()
        self._remove_parts()
        self._remove_empty_folders()

    def refuse_lost_jobs(self):
        if self.store is None:
            return
        folder = self._jobs_folder()
        try:
            notes = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(b"job-")]
        except FileNotFoundError:
            return  # finished or forgotten by others, as the engine says
        with told_of(self.store.name):
            self._refuse_emptied(notes, "discard() forgets them")

    def _remove_parts(self):
        """Shards on their way that killed jobs left; a run with a journal has its own there."""
        if not os.path.exists(self._beside(b".faro", b"journal")):
            shutil.rmtree(self._beside(b".faro"), ignore_errors=True)

    def done(self):
        if self.store is not None:
            self._remove_parts()
        if self.store is not None and self.own is not None:
            shutil.rmtree(self.own, ignore_errors=True)


@contextlib.contextmanager
def _alone(path, name):
    """One run at a time on a target in a store, of this process or another: what a second one looks at, and
    clears where it fails, would be the first one's."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file), os.stat(path)):
                break
        except BlockingIOError:
            os.close(file)
            raise EnvironmentFault(f"{name}: another run is at work on it; it goes on, or ends, without this "
                                   "one") from None
        except FileNotFoundError:
            pass  # whoever had it took it away meanwhile
        os.close(file)
    try:
        yield
    finally:
        os.unlink(path)
        os.close(file)


@contextlib.contextmanager
def _one_of_a_name(name):
    """Runs on one store that were given different folders for their journals meet here, those of one user."""
    try:
        private = os.path.join(os.fsencode(tempfile.gettempdir()), f"faro-{os.getuid()}".encode())
        _make_private(private)
    except (EnvironmentFault, OSError):
        private = None  # a folder that is not there, or that others can write to, protects nothing
    if private is None:
        yield
        return
    with _alone(os.path.join(private, hashlib.sha256(name.encode()).hexdigest()[:16].encode() + b".lock"), name):
        yield


def _has_written(path):
    """Whether a journal or a note has a job that gave files their names; where all is fill value there are none."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.partition("  # crc32c ")[0].split()
            # job PASS NUMBER READ BYTES WRITTEN BYTES FILES, once or again
            if words and words[0] == "job" and any(files.strip("0") for files in words[7::8]):
                return True
    return False


def _target_again(name, path, own):
    again = object.__new__(_Target)
    again.store, again.path, again.own = _outside.opened(_outside.PREFIX + name), path, own
    again.words()
    return again


def _make_private(folder):
    """Where every user may make folders: this one is nobody else's."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise EnvironmentFault(f"{os.fsdecode(folder)}: is no folder of this user alone; remove it, or say "
                               "temporary=")


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
    if isinstance(path, _outside.Name):
        with told_of(path.held.name):
            return path.held.arrays()
    names = _core.arrays_in(path)
    return None if names == [""] else names


def _in(path, name):
    if isinstance(path, _outside.Name):
        return _outside.Name(path.held.child(_outside.checked(name)))
    return _path(os.fsdecode(os.path.join(path, os.fsencode(name))), name)


def rechunk(source, target, /, *, chunks=None, shards=None, axes=None, flip=None, map=None,
            codec=None, zarr_format=3, order="C", memory="2GiB", passes=0, device="ssd", threads=None,
            resume=False, fresh=False, verify=False, worker=None, dtype=None, shape=None,
            temporary=None, progress=None):
    """Other chunks, shards or order of axes of a stored array, or of every array of a group."""
    if type(source).__module__.startswith("xarray."):
        raise UsageError("of an xarray.Dataset: import faro.xarray; ds.faro.rechunk(target, chunks={'time': 365})")
    from_path, to = _path(source, "source"), _Target(target, temporary)
    names = _arrays(from_path)
    if worker is not None and (names is not None or to.store is not None):
        raise UsageError("worker= shares the work on one array that goes to a folder or a file")
    words = _rechunk_words(
        chunks, shards, axes, flip, map, codec, memory, passes, device, threads, dtype, shape,
        zarr_format=zarr_format, order=order, verify=verify, worker=worker, unfinished=_unfinished(resume, fresh))
    if names is None:
        report = _into(to, from_path, words, progress)
        to.done()
        return report
    if zarr_format != 3 and (to.store is not None or isinstance(from_path, _outside.Name)):
        raise UsageError("a group from or to a store is written in Zarr 3; arrays singly in both versions")
    return rechunk_each({name: (_in(from_path, name), words) for name in names}, to, progress,
                        getattr(from_path, "held", from_path))


def _unfinished(resume, fresh):
    if resume and fresh:
        raise UsageError("resume goes on, fresh begins anew: one of them")
    return "resume" if resume else "fresh" if fresh else "refuse"


def _into(to, from_path, words, progress):
    said = {**words, **to.words()}
    if said["codec"] is None:
        said["codec"] = getattr(getattr(from_path, "held", None), "codec", None)
    return to.run(said["unfinished"], lambda: with_progress(
        lambda heard: _core.rechunk(from_path, to.path, said, heard), progress))


def rechunk_each(arrays, to, progress, group):
    """Arrays by name, each with its words; then what `group` says of itself."""
    reports = {}
    for name in arrays:
        _outside.checked(name)
    to.refuse_used_group(arrays)
    for name, (from_path, words) in arrays.items():
        one = to.of(name)
        if words["unfinished"] == "resume":
            is_there = os.path.exists(one.path) if one.store is None else one.store.exists()
            if is_there and not _core.has_unfinished_rechunk(one.path):
                continue
            if not _core.has_unfinished_rechunk(one.path):
                words = {**words, "unfinished": "refuse"}
        os.makedirs(os.path.dirname(one.path), exist_ok=True)
        reports[name] = _into(one, from_path, words, progress)
    copy_groups(group, to.path if to.store is None else to.store)
    to.done()
    return reports


def copy_groups(source, to):
    """What groups say of themselves, after their arrays."""
    source = getattr(source, "held", source)
    if isinstance(source, bytes) and isinstance(to, bytes):
        return _core.copy_group_words(source, to)
    return _outside.copy_groups(source, to)


def rechunk_plan(source, target=None, /, *, chunks=None, shards=None, axes=None, flip=None,
                 map=None, codec=None, zarr_format=3, order="C", memory="2GiB", passes=0, device="ssd",
                 threads=None, dtype=None, shape=None, temporary=None):
    """What rechunk would do, and its jobs; nothing of the data is read."""
    from_path = _path(source, "source")
    to = None if target is None else _Target(target, temporary)
    words = _rechunk_words(chunks, shards, axes, flip, map, codec, memory, passes, device, threads,
                           dtype, shape, zarr_format=zarr_format, order=order, verify=False,
                           unfinished="refuse")

    def one(a, b):
        path = bytes(a) + b".rechunked.zarr" if b is None else b.path
        said = words if b is None else {**words, **b.words()}
        plan, text = _core.rechunk_plan(a, path, said)
        return RechunkPlan({**json.loads(plan), "describe": text}, a, b, said)

    names = _arrays(from_path)
    if names is None:
        return one(from_path, to)
    return {name: one(_in(from_path, name), to and to.of(name)) for name in names}


def _type_name(dtype):
    if dtype.names is not None:
        raise TypeError(f"{dtype}: a digest is of elements of one type")
    # bfloat16 and others of ml_dtypes are of kind V too, and have their names.
    return f"r{8 * dtype.itemsize}" if dtype.name.startswith("void") else dtype.name


def _plain(a):
    """Elements in C order, little-endian, as bytes."""
    np = numpy()
    a = np.ascontiguousarray(a, dtype=a.dtype.newbyteorder("<"))
    return a.reshape(-1).view(np.uint8)


def digest(a, /, *, memory=None, threads=None, dtype=None, shape=None, progress=None):
    """What an array holds, in 128 bits that no chunking changes; of a group, of each array."""
    if is_stored(a):
        path = _path(a, "a")
        words = _words(None, None, None, memory, threads, dtype, shape)

        def one(at):
            return with_progress(lambda heard: _core.digest_stored(at, words, heard), progress)

        names = None if dtype is not None else _arrays(path)
        return one(path) if names is None else {name: one(_in(path, name)) for name in names}
    if memory is not None:
        raise UsageError("memory= is a cap for arrays in folders and files")
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
