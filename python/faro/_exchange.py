"""Checkpoints of PyTorch (DCP) and of Orbax, read and written by these libraries themselves.

A folder of safetensors files stands between: from_dcp makes one, faro.reshard works on it, to_dcp takes
one. What another library has pickled is its own to read. Tensors pass in groups of `memory` bytes, or one
at a time where it is larger; the target is absent until it is whole.
"""

from __future__ import annotations

import collections
import contextlib
import json
import math
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from . import checkpoint
from ._errors import UsageError
from ._lending import numpy

# Element types: the word of a safetensors file, by the name in NumPy, ml_dtypes and torch.
_WORDS = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16",
          "float16": "F16", "bfloat16": "BF16", "int32": "I32", "uint32": "U32", "float32": "F32",
          "int64": "I64", "uint64": "U64", "float64": "F64", "complex64": "C64",
          "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
          "float8_e8m0fnu": "F8_E8M0", "float8_e4m3fnuz": "F8_E4M3FNUZ",
          "float8_e5m2fnuz": "F8_E5M2FNUZ"}
_MEMORY = 1 << 30


class _Entry(NamedTuple):
    name: str
    kind: str
    itemsize: int
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return self.itemsize * math.prod(self.shape)


@contextlib.contextmanager
def _growing(target: Any) -> Iterator[pathlib.Path]:
    """A folder that takes the target's name when all is written, and goes when it is not."""
    path = pathlib.Path(os.fsdecode(target)).absolute()
    if path.exists():
        raise UsageError(f"{path}: is there already; remove it, or give another name")
    # Of its own: several may be at it at once.
    held = pathlib.Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    part = held / "whole"
    try:
        yield part
        os.rename(part, path)
    finally:
        shutil.rmtree(held, ignore_errors=True)


def _groups(entries: Sequence[_Entry], memory: int) -> Iterator[list[_Entry]]:
    group: list[_Entry] = []
    held = 0
    for entry in entries:
        if group and held + entry.nbytes > memory:
            yield group
            group, held = [], 0
        group.append(entry)
        held += entry.nbytes
    if group:
        yield group


def _write(target: Any, entries: list[_Entry], memory: int,
           read: Callable[[list[_Entry]], Iterator[Any]]) -> None:
    """A file of tensors whose bytes `read` gives, in the order of a group."""
    if not entries:
        raise UsageError("the checkpoint has no tensors")
    for entry in entries:
        if entry.name == "__metadata__":
            raise UsageError("a tensor of this name no safetensors file can have: '__metadata__'")
        if entry.kind not in _WORDS:
            raise UsageError(f"tensor '{entry.name}': safetensors files have no {entry.kind}")
    entries.sort(key=lambda e: (-e.itemsize, e.name))
    for name, count in collections.Counter(e.name for e in entries).items():
        if count > 1:
            raise UsageError(f"tensor '{name}': two tensors have this name, with dots between keys")
    header, at = {}, 0
    for e in entries:
        header[e.name] = {"dtype": _WORDS[e.kind], "shape": list(e.shape),
                          "data_offsets": [at, at + e.nbytes]}
        at += e.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with _growing(target) as folder:
        folder.mkdir()
        with open(folder / "model.safetensors", "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for group in _groups(entries, memory):
                for entry, held in zip(group, read(group)):
                    if len(held) != entry.nbytes:
                        raise UsageError(f"tensor '{entry.name}': has {len(held)} bytes, not the "
                                         f"{entry.nbytes} of its shape {list(entry.shape)}")
                    file.write(held)
            file.flush()
            os.fsync(file.fileno())


def _dcp() -> Any:
    try:
        import torch
        import torch.distributed.checkpoint as dcp
    except ImportError:
        raise UsageError("checkpoints of torch.distributed want torch: install it") from None
    return torch, dcp


def from_dcp(source: Any, target: Any, /, *, memory: int = _MEMORY) -> dict[str, Any]:
    """A checkpoint of torch.distributed.checkpoint, however it is sharded, as whole tensors in a folder."""
    torch, dcp = _dcp()
    folder = os.fsdecode(source)
    if not os.path.exists(os.path.join(folder, ".metadata")):
        raise UsageError(f"{folder}: has no .metadata, so no checkpoint of torch.distributed")
    found = dcp.FileSystemReader(folder).read_metadata().state_dict_metadata
    tensors = {name: what for name, what in found.items() if hasattr(what, "properties")}
    for name, what in tensors.items():
        if sum(math.prod(chunk.sizes) for chunk in what.chunks) != math.prod(what.size):
            raise UsageError(f"tensor '{name}': its parts do not make up its shape {list(what.size)}")
    entries = [_Entry(name, str(what.properties.dtype).removeprefix("torch."),
                      what.properties.dtype.itemsize, tuple(what.size))
               for name, what in tensors.items()]

    def read(group: list[_Entry]) -> Iterator[Any]:
        state = {e.name: torch.empty(e.shape, dtype=tensors[e.name].properties.dtype)
                 for e in group}
        dcp.load(state, storage_reader=dcp.FileSystemReader(folder), no_dist=True)
        for e in group:
            yield memoryview(state.pop(e.name).reshape(-1).view(torch.uint8).numpy())

    _write(target, entries, memory, read)
    return {"tensors": len(entries), "left_out": sorted(set(found) - set(tensors))}


def to_dcp(source: Any, target: Any, /) -> dict[str, Any]:
    """Whole tensors in safetensors files as a checkpoint of torch.distributed.checkpoint, which any number
    of ranks loads. Files are mapped: the system may take their pages back."""
    torch, dcp = _dcp()
    tensors = checkpoint.open(source)
    files: dict[str, Any] = {}
    state = {name: t._torch(t._mapped(t._raw_dtype(), "c", files)) for name, t in tensors.items()}
    with _growing(target) as folder:
        dcp.save(state, storage_writer=dcp.FileSystemWriter(folder), no_dist=True)
    return {"tensors": len(state)}


def _orbax() -> Any:
    try:
        import jax
        import orbax.checkpoint as ocp
    except ImportError:
        raise UsageError("checkpoints of Orbax want orbax-checkpoint: install it") from None
    return jax, ocp


def _name_of(jax: Any, path: Any) -> str:
    return ".".join(jax.tree_util.keystr((key,), simple=True) for key in path)


def from_orbax(source: Any, target: Any, /, *, memory: int = _MEMORY) -> dict[str, Any]:
    """A tree of arrays that Orbax saved, as whole tensors in a folder; a name is the keys with dots between."""
    jax, ocp = _orbax()
    np = numpy()
    folder = os.path.abspath(os.fsdecode(source))
    reader = ocp.PyTreeCheckpointer()
    try:
        found = reader.metadata(folder).item_metadata
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise UsageError(f"{folder}: Orbax finds no checkpoint there: {error}") from None
    if found is None:
        raise UsageError(f"{folder}: Orbax finds no tree of arrays there")
    leaves, shape = jax.tree_util.tree_flatten_with_path(
        found.tree, is_leaf=lambda leaf: hasattr(leaf, "directory"))
    entries, place, left_out = [], {}, []
    for i, (path, leaf) in enumerate(leaves):
        name = _name_of(jax, path)
        if getattr(leaf, "shape", None) is None or getattr(leaf, "dtype", None) is None:
            left_out.append(name)
            continue
        dtype = np.dtype(leaf.dtype)
        place[name] = i
        entries.append(_Entry(name, dtype.name, dtype.itemsize, tuple(leaf.shape)))

    def read(group: list[_Entry]) -> Iterator[Any]:
        wanted = {place[e.name] for e in group}
        items = [0 if i in wanted else ocp.PLACEHOLDER for i in range(len(leaves))]
        kinds = [ocp.RestoreArgs(restore_type=np.ndarray)] * len(leaves)
        tree = reader.restore(folder, args=ocp.args.PyTreeRestore(
            item=shape.unflatten(items), restore_args=shape.unflatten(kinds)))
        held = jax.tree_util.tree_leaves(tree, is_leaf=lambda leaf: leaf is ocp.PLACEHOLDER)
        for e in group:
            a = np.ascontiguousarray(held[place[e.name]])
            yield memoryview(a.reshape(-1).view("u1"))

    _write(target, entries, memory, read)
    return {"tensors": len(entries), "left_out": left_out}


def to_orbax(source: Any, target: Any, /) -> dict[str, Any]:
    """Whole tensors in safetensors files as a tree of Orbax with one level: their names. Orbax holds what it
    saves."""
    _, ocp = _orbax()
    tensors = checkpoint.open(source)
    for name, t in tensors.items():
        if 0 in t.shape:
            raise UsageError(f"tensor '{name}' {list(t.shape)} is empty: Orbax saves no such arrays")
    files: dict[str, Any] = {}
    state = {name: t._mapped(t._dtype(), "r", files) for name, t in tensors.items()}
    with _growing(target) as folder:
        ocp.PyTreeCheckpointer().save(folder, state)
    return {"tensors": len(state)}


for _object in (from_dcp, to_dcp, from_orbax, to_orbax):
    _object.__module__ = "faro.checkpoint"
