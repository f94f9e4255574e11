"""Which names members may have, where files grow, and what a store of zarr-python is called: a zip file and a URL so that any
process finds it again, another store so that no two that are alive have one name.

    zip:/data/x.zip::temperature      url:s3://bucket/x.zarr::      store:wrapping-file:///data/x.zarr#1::
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import itertools
import json
import os
import re
import secrets
import shutil
import tempfile
import threading
import weakref

from ._errors import UsageError

METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")
# The key of a chunk or a shard, and what a killed LocalStore leaves of one.
UNIT = re.compile(r"(c|[0-9]+)([/.][0-9]+)*([.][^/]*[.]partial)?")
# Of several of one name the last is asked, who sees a store as it is; when that one goes, another of them.
_known: weakref.WeakValueDictionary[str, object] = weakref.WeakValueDictionary()
_alive: weakref.WeakSet = weakref.WeakSet()


def listed_units(store, path):
    """Keys of chunks or shards, and all others."""
    from zarr.core.sync import sync

    async def listed():
        return [key async for key in store.list_prefix(f"{path}/" if path else "")]

    keys, start = sync(listed()), len(path) + 1 if path else 0
    units = [key for key in keys if UNIT.fullmatch(key[start:])]
    return units, sorted(set(keys).difference(units))


def hold(held):
    """Found by its name while somebody keeps it."""
    _alive.add(held)
    _known[held.name] = held
    return held


def held_of(name):
    return _known.get(name) or next((one for one in list(_alive) if one.name == name), None)


def checked(name):
    """The name of a member, which becomes a path; what a file calls its members is not to be trusted."""
    if any(part in ("", ".", "..", *METADATA) for part in name.split("/")):
        raise UsageError(f"'{name}': this name of a member cannot be one of a file: a part of it is empty, '.', "
                         "'..' or a name of Zarr's metadata; rename it, or give its arrays singly")
    return name


@functools.lru_cache(maxsize=None)
def _scratch_of(process):
    folder = os.path.join(tempfile.gettempdir(), f"faro-parts-{secrets.token_hex(8)}")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def scratch():
    """Where files of this process grow that nobody said another folder for. The first of them makes it."""
    return _scratch_of(os.getpid())


def folder_of(store):
    """obstore has a LocalStore too, which has no root."""
    return os.fspath(store.root) if type(store).__name__ == "LocalStore" and hasattr(store, "root") else None


def document_of(array):
    """What is said of the array, as JSON."""
    return json.loads(json.dumps(array.metadata.to_dict(), default=lambda value: getattr(
        value, "name", None) or getattr(value, "value", None) or str(value)))


def name_of_store(store, path):
    kind = type(store).__name__
    if kind == "ZipStore":
        return f"zip:{os.path.abspath(store.path)}::{path}"
    if kind == "FsspecStore" and not _settings(store):
        protocol = _protocol(store)
        if protocol not in ("file", "local", "memory", "reference") and "://" not in store.path:
            return f"url:{protocol}://{store.path.lstrip('/')}::{path}"
        if "://" in store.path:
            return f"url:{store.path}::{path}"
    return f"store:{_called(store)}::{path}"


def _settings(store):
    """What a store says neither as text nor by its path: options, as fsspec and obstore keep them."""
    if hasattr(store, "fs"):
        # from_url() says asynchronous=True of every URL.
        options = getattr(_plain_fs(store), "storage_options", None) or {}
        return {name: value for name, value in options.items() if name != "asynchronous"}
    inner = getattr(store, "store", None)
    return {**(getattr(inner, "config", None) or {}), **({"prefix": inner.prefix} if getattr(
        inner, "prefix", None) else {})}


def _protocol(store):
    """Of a store of fsspec; else None."""
    protocol = getattr(_plain_fs(store), "protocol", None) if hasattr(store, "fs") else None
    return protocol if protocol is None or isinstance(protocol, str) else protocol[0]


def _plain_fs(store):
    return getattr(store.fs, "sync_fs", store.fs)


_PROCESS = os.urandom(8).hex()
_SECRET = ("key", "secret", "token", "password", "credential")
_numbers, _numbers_lock = itertools.count(1), threading.Lock()
# Of what stores say of themselves: those that say it, weakly, and their numbers.
_alike: dict[str, list] = {}


def _called(store):
    """What no other store is called while this one is alive. Another process calls it the same where it
    lasts longer than a process; so keys that expire are left out."""
    words, protocol = str(store), _protocol(store)
    if protocol:
        words = f"{protocol}-{words}"  # a wrapped file system does not say it
    settings = sorted((name, repr(value)) for name, value in _settings(store).items()
                      if not any(word in name.lower() for word in _SECRET))
    if settings:
        words += "-" + hashlib.sha256(repr(settings).encode()).hexdigest()[:16]
    passes = " at 0x" in words or (protocol == "memory" if protocol else "memory" in words.lower())
    if passes:
        words += f"-{_PROCESS}-{os.getpid()}"
    with _numbers_lock:
        alive = [(one, number) for one, number in _alike.get(words, ()) if one() is not None]
        number = next((number for one, number in alive if _holds_the_same(one(), store)), None)
        if number is None and passes and not hasattr(store, "fs"):
            number = next(_numbers)  # the address may be another store's later
        elif number is None:
            taken = {number for _, number in alive}
            number = next(n for n in itertools.count() if n not in taken)
        if not any(one() is store for one, _ in alive):
            alive.append((weakref.ref(store), number))
        _alike[words] = alive
    return f"{words}#{number}" if number else words


def _holds_the_same(a, b):
    if a is b or type(a) is not type(b):
        return a is b
    if hasattr(a, "_store_dict"):
        return a._store_dict is b._store_dict
    if hasattr(a, "fs"):
        return _plain_fs(a) == _plain_fs(b)
    return type(a).__name__ == "ObjectStore" and a.store == b.store
