"""Arrays that lie in no folder: stores of zarr-python (fsspec, obstore, zip, memory), HDF5, and what has
codecs that only zarr-python knows.

The engine asks such an array for the bytes of a key and decodes, moves and encodes them itself; what it
cannot decode comes decoded, as an array of chunks without a codec. The array goes through the library as
a name, outside:KIND:WHERE::PATH. The kinds h5, zip and url are found again by their names alone, in any
process; others while somebody holds their Name.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import threading
import zlib
from collections import OrderedDict

from ._errors import EnvironmentFault, UsageError, told_of
from ._lending import numpy
from ._store_names import (METADATA, checked, document_of, folder_of, held_of, hold, listed_units, name_of_store,
                           scratch)

PREFIX = "outside:"


class Name(bytes):
    """What the library knows an array by; it keeps what it names."""

    def __new__(cls, held):
        self = super().__new__(cls, os.fsencode(PREFIX + held.name))
        self.held = hold(held)
        return self

    def __reduce__(self):
        return bytes, (bytes(self),)


def opened(name):
    """What the engine asks for bytes; `name` is of an array or of one in a group."""
    name = name[len(PREFIX):]
    return held_of(name) or hold(_opened_again(name))


def _opened_again(name):
    kind, where, path = _parts(name)
    if kind == "h5":
        return hdf5(where, path)
    if kind == "decoded":
        inner = _store_named(*_parts(where + "::")[:2]) if where[:4] in ("zip:", "url:") else \
            _zarr().storage.LocalStore(where, read_only=True)
        return _decoded(inner, path)
    return _of_zarr(_store_named(kind, where), path)


def _store_named(kind, where):
    if kind == "zip":
        return _zarr().storage.ZipStore(where, mode="r")
    if kind == "url":
        return _zarr().storage.FsspecStore.from_url(where)
    raise UsageError("this store is known to the process that was given it, and to no other; a file, a zip "
                     "file or a URL is opened anywhere")


def hdf5(where, path, node=None):
    from ._hdf5 import Hdf5

    return Hdf5(where, path, node)


def _parts(name):
    kind, rest = name.split(":", 1)
    where, _, path = rest.rpartition("::")
    return kind, where, path


# --- what is named


class Units:
    """Answers of an array to the engine, where its content is units of `chunks` without a codec."""

    copies = 4  # what is read, what it becomes, and copies between
    parts = ""

    def __init__(self, name, document, attributes=None):
        self.name, self._document, self._attributes = name, document, attributes
        self.shape, self.chunks = tuple(document["shape"]), tuple(_chunks_of(document))
        self._bytes = None

    def texts(self):
        if self._document["zarr_format"] == 3:
            return {"zarr.json": json.dumps(self._document).encode()}
        return {".zarray": json.dumps(self._document).encode(),
                ".zattrs": json.dumps(self._attributes or {}).encode()}

    def _index(self, key):
        if self._document["zarr_format"] == 3:
            key = key.removeprefix("c").removeprefix("/")
            return tuple(map(int, key.split("/"))) if key else ()
        return tuple(map(int, key.split("."))) if self.shape else ()

    def size(self, key):
        if key in METADATA:
            text = self.texts().get(key)
            return None if text is None else len(text)
        return self._unit_bytes() if self._has(self._index(key)) else None

    def read(self, key, offset, count):
        if key in METADATA:
            return self.texts()[key][offset : offset + count]
        return memoryview(self._unit(self._index(key))).cast("B")[offset : offset + count]

    def stamp(self, key):
        return ""

    def _has(self, index):
        return True

    def _box(self, index):
        return tuple(slice(i * c, min((i + 1) * c, n))
                     for i, c, n in zip(index, self.chunks, self.shape))

    def _whole(self, part, dtype):
        """A unit has its nominal size; what hangs over the array is nobody's."""
        np = numpy()
        part = np.asarray(part, dtype=dtype)
        if part.shape != self.chunks:
            unit = np.zeros(self.chunks, dtype)
            unit[tuple(slice(0, n) for n in part.shape)] = part
            part = unit
        return np.ascontiguousarray(part).reshape(-1).view(np.uint8)

    def arrays(self):
        return None

    def groups(self):
        return {}

    def child(self, name):
        return self


def _chunks_of(document):
    if document["zarr_format"] == 3:
        return document["chunk_grid"]["configuration"]["chunk_shape"]
    return document["chunks"]


class _Decoded(Units):
    """An array of zarr-python, by its own codecs."""

    def __init__(self, name, array):
        document = document_of(array)
        attributes = document.pop("attributes", {}) if document["zarr_format"] == 2 else None
        dtype = numpy().dtype(array.dtype)
        if dtype.hasobject:
            raise UsageError(f"{name}: its elements are {dtype}, which have no fixed size")
        if document["zarr_format"] == 3:
            document["codecs"] = [{"name": "bytes", "configuration": {"endian": "little"}}]
            document["chunk_grid"] = {"name": "regular",
                                      "configuration": {"chunk_shape": list(array.chunks)}}
            document["chunk_key_encoding"] = {"name": "default",
                                              "configuration": {"separator": "/"}}
            document["storage_transformers"] = []
        else:
            document.update(compressor=None, filters=None, order="C", dimension_separator=".",
                            dtype=dtype.newbyteorder("<").str)
        super().__init__(name, document, attributes)
        self._array, self._dtype = array, dtype.newbyteorder("<")

    def _unit_bytes(self):
        return numpy().prod(self.chunks, dtype=object) * self._dtype.itemsize

    def _unit(self, index):
        return self._whole(self._array[self._box(index)], self._dtype)

    def stamp(self, key):
        return _stamp(self._array.store, self._array.path, self._array.metadata.encode_chunk_key(
            self._stored_index(self._index(key))))

    def _stored_index(self, index):
        shards = getattr(self._array, "shards", None) or self.chunks
        return tuple(i * c // s for i, c, s in zip(index, self.chunks, shards))


class _ZarrStore:
    """An array or a group in a store of zarr-python; the engine knows its codecs."""

    copies = 2  # of the store, and on the way here

    def __init__(self, store, path="", parts=""):
        self.store, self.path, self.parts = store, path.strip("/"), parts or scratch()
        _sync(store._ensure_open())
        self.name = name_of_store(store, self.path)
        self._local = threading.local()
        self._sizes, self._lock, self._sharded = OrderedDict(), threading.Lock(), None

    def _key(self, key):
        return f"{self.path}/{key}" if self.path else key

    def size(self, key):
        if key in METADATA or not self._is_sharded():
            # It is read next, so one request does.
            value = _get(self.store, self._key(key))
            self._local.kept = None if value is None else (key, value)
            return None if value is None else len(value)
        with self._lock:
            if key in self._sizes:
                return self._sizes[key]
        size = _size(self.store, self._key(key))
        with self._lock:
            self._sizes[key] = size
            if len(self._sizes) > 1024:
                self._sizes.popitem(last=False)
        return size

    def _is_sharded(self):
        if self._sharded is None:
            text = _get(self.store, self._key("zarr.json"))
            self._sharded = text is not None and b"sharding_indexed" in bytes(text)
        return self._sharded

    def read(self, key, offset, count):
        kept = getattr(self._local, "kept", None)
        if kept is not None and kept[0] == key:
            self._local.kept = None
            return kept[1][offset : offset + count]
        return _get(self.store, self._key(key), (offset, count))

    def stamp(self, key):
        return _stamp(self.store, self.path, key)

    def put(self, key, path):
        with open(path, "rb") as file:
            self.put_bytes(key, file.read())

    def put_bytes(self, key, content):
        _sync(self.store.set(self._key(key), _prototype().buffer.from_bytes(content)))

    def delete(self, key):
        if self.store.supports_deletes:
            _sync(self.store.delete(self._key(key)))
        elif _sync(self.store.exists(self._key(key))):
            raise EnvironmentFault(f"{self.name}: '{key}' is there and this store removes nothing")

    def exists(self):
        return any(_sync(self.store.exists(self._key(key))) for key in METADATA[:2])

    def under(self, name):
        return _ZarrStore(self.store, self._key(name))

    def is_empty(self):
        async def first():
            async for key in self.store.list_dir(self.path):
                return key

        return _sync(first()) is None

    def clear(self):
        """Of a run that is not gone on with, which found nothing here when it began."""
        if self.store.supports_deletes:
            _sync(self.store.delete_dir(self.path))

    def clear_units(self):
        """Of an array that has no metadata yet. What else is there is somebody's, and stays."""
        if not self.store.supports_deletes:
            return
        units, others = listed_units(self.store, self.path)
        if not others:
            return self.clear()  # folders too
        for key in units:
            _sync(self.store.delete(key))

    def count_units(self):
        if not self.store.supports_listing:
            return None
        return sum(not key.endswith(".partial") for key in listed_units(self.store, self.path)[0])

    def arrays(self):
        node = _zarr().open(self.store, path=self.path, mode=_mode(self.store))
        if hasattr(node, "chunks"):
            return None
        return sorted(name for name, one in node.members(max_depth=None) if hasattr(one, "chunks"))

    def groups(self):
        node = _zarr().open(self.store, path=self.path, mode=_mode(self.store))
        if hasattr(node, "chunks"):
            return {}
        return {"": dict(node.attrs), **{name: dict(one.attrs) for name, one in
                                         node.members(max_depth=None) if not hasattr(one, "chunks")}}

    def is_consolidated(self):
        group = _zarr().open_group(self.store, path=self.path, mode=_mode(self.store))
        return group.metadata.consolidated_metadata is not None

    def child(self, name):
        return _of_zarr(self.store, self._key(name))


# --- zarr-python


def _zarr():
    try:
        import zarr
        import zarr.storage
    except ImportError:
        raise EnvironmentFault("the package zarr is not installed: it opens other stores") from None
    if not hasattr(zarr.storage, "FsspecStore"):
        raise EnvironmentFault(f"the package zarr {zarr.__version__} knows no stores of version 3")
    return zarr


def _sync(coroutine):
    from zarr.core.sync import sync

    return sync(coroutine)


def _prototype():
    from zarr.core.buffer import default_buffer_prototype

    return default_buffer_prototype()


def _get(store, key, part=None):
    from zarr.abc.store import RangeByteRequest

    span = None if part is None else RangeByteRequest(part[0], part[0] + part[1])
    found = _sync(store.get(key, _prototype(), span))
    if found is None:
        return None
    content = memoryview(found.as_numpy_array()).cast("B")
    # A server that knows no ranges answers with all of it.
    return content[part[0] :][: part[1]] if part is not None and len(content) > part[1] else content


def _size(store, key):
    try:
        return _sync(store.getsize(key))
    except FileNotFoundError:
        return None


def _stamp(store, path, key):
    """Its size and how it begins."""
    key = f"{path}/{key}" if path else key
    size = _size(store, key)
    if not size:
        return "" if size is None else "0"
    return f"{size} {zlib.crc32(_get(store, key, (0, min(size, 4096)))):08x}"


def _of_zarr(store, path=""):
    """The engine reads it where it knows the codecs, else zarr-python does."""
    from . import _core

    held = hold(_ZarrStore(store, path))
    if not held.exists():
        return held
    text = _get(store, held._key("zarr.json")) or _get(store, held._key(".zarray"))
    if json.loads(bytes(text)).get("node_type") == "group":
        return held
    if _core.stored_fault(os.fsencode(PREFIX + held.name)) is None:
        return held
    return _decoded(store, path)


def zarr_at(store, path):
    """An array of zarr-python."""
    return _zarr().open_array(store, path=path, mode=_mode(store))


def _mode(store):
    """To read: some stores that may be written have no copy that may not."""
    return "r+" if getattr(store, "read_only", True) is False else "r"


def _decoded(store, path):
    where = folder_of(store) or name_of_store(store, path).rpartition("::")[0]
    return _Decoded(f"decoded:{where}::{path}", zarr_at(store, path))


# --- what a user gives


def _is_node(x):
    """An array, a group or a StorePath; a store may hold another store."""
    return hasattr(x, "store") and hasattr(x, "path")


def folder_of_array(x):
    """The folder of an array or a group of the package zarr, of either version; else None."""
    store = x.store if _is_node(x) else x
    if type(store).__name__ == "DirectoryStore":  # version 2
        root = store.dir_path()
    else:
        root = folder_of(store)
    path = x.path if _is_node(x) else ""
    return root if root is None or not path else os.path.join(root, path)


def is_stored(x):
    """A path, or what zarr, h5py, fsspec or obstore know. Bytes are elements, not a name."""
    return isinstance(x, (str, os.PathLike, Name)) or type(x).__name__ == "FSMap" or any(
        one.__module__.partition(".")[0] in ("zarr", "h5py", "obstore") for one in type(x).__mro__)


def named(x):
    """The Name of what lies in no folder; None where it is a path or a folder."""
    with told_of(os.fsdecode(x) if isinstance(x, (str, os.PathLike)) else x):
        return _named(x)


def _named(x):
    if isinstance(x, (str, os.PathLike)):
        return _named_path(os.fsdecode(x))
    if type(x).__module__.startswith("h5py"):
        where = os.path.abspath(os.fsdecode(x.file.filename))
        return Name(hdf5(where, x.name, x))
    folder = folder_of_array(x)
    if folder is not None:
        return _named_path(folder)
    return Name(_of_zarr(*_store_of(x)))


def _named_path(path):
    from . import _core

    if "://" in path and not os.path.exists(path):
        return Name(_of_zarr(_zarr().storage.FsspecStore.from_url(path)))
    if os.path.isfile(path):
        with open(path, "rb") as file:
            is_hdf5 = file.read(8) == b"\x89HDF\r\n\x1a\n"
        if is_hdf5:
            return Name(hdf5(os.path.abspath(path), "/"))
        return Name(_opened_again(f"zip:{os.path.abspath(path)}::")) if path.endswith(".zip") else None
    if not any(os.path.isfile(os.path.join(path, name)) for name in METADATA[:2]):
        return None
    if _core.stored_fault(os.fsencode(path)) is None:
        return None
    try:
        zarr = _zarr()
    except EnvironmentFault:
        return None  # the engine says what it does not know
    return Name(_decoded(zarr.storage.LocalStore(os.path.abspath(path), read_only=True), ""))


def _store_of(x):
    zarr = _zarr()
    if type(x).__name__ == "FSMap":
        return zarr.storage.FsspecStore.from_mapper(x), ""
    if type(x).__module__.startswith("obstore"):
        return zarr.storage.ObjectStore(x), ""
    return (x.store, x.path) if _is_node(x) else (x, "")


def target_of(x):
    """What is to be written in a store; None where it is a folder."""
    if isinstance(x, (str, os.PathLike)):
        text = os.fsdecode(x)
        if "://" not in text:
            return None
        with told_of(text):
            return _ZarrStore(_zarr().storage.FsspecStore.from_url(text))
    return None if folder_of_array(x) is not None else _ZarrStore(*_store_of(x))


def copy_groups(source, target):
    """What groups say of themselves; `source` has groups() and is_consolidated() or is a folder, `target` is
    a store or a folder."""
    held = source if hasattr(source, "groups") else _local(source)
    with told_of(held.name):
        groups = held.groups()
        consolidated = held.is_consolidated()
    is_store = hasattr(target, "store")
    with told_of(target.name if is_store else os.fsdecode(target)):
        for name, attributes in groups.items():
            text = json.dumps({"zarr_format": 3, "node_type": "group", "attributes": attributes}, indent=2)
            key = f"{checked(name)}/zarr.json" if name else "zarr.json"
            if is_store:
                target.put_bytes(key, text.encode())
            else:
                path = pathlib.Path(os.fsdecode(target), key)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        if consolidated:
            into = target if is_store else _local(target)
            _zarr().consolidate_metadata(into.store, path=into.path)


def _local(path):
    return _ZarrStore(_zarr().storage.LocalStore(os.fsdecode(path)))
