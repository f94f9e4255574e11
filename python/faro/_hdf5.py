"""Datasets and groups of HDF5, and so of netCDF-4, as sources: chunks as the file has them."""

from __future__ import annotations

import base64
import json
import os
import zlib

from ._errors import EnvironmentFault, UsageError
from ._lending import numpy
from ._outside import Units
from ._store_names import checked


class Hdf5(Units):
    """A dataset or a group of a file of HDF5. Chunks of gzip and shuffle are read as they lie and decoded
    here; whatever else is stored is decoded by HDF5."""

    def __init__(self, where, path, node=None):
        """`node` is what the caller has open; else the file is opened again."""
        self._node = _file(where)[path or "/"] if node is None else node
        self._where, self._path = where, path
        self.name = f"h5:{where}::{path}"
        if hasattr(self._node, "keys"):
            return
        np, dataset = numpy(), self._node
        if getattr(dataset, "shape", None) is None:
            raise UsageError(f"{self.name}: is a dataset without elements")
        if dataset.dtype.hasobject or dataset.dtype.names is not None:
            raise UsageError(f"{self.name}: elements of {dataset.dtype} are moved by no one here: strings of any "
                             "length, references and structures are left out")
        self._dtype = np.dtype(dataset.dtype)
        self._filters = _filters_of(dataset, self.name)
        chunks = dataset.chunks or _slabs(dataset.shape, self._dtype.itemsize)
        self._names = [_dimension(dataset, k) for k in range(len(dataset.shape))]
        document = {
            "zarr_format": 3, "node_type": "array", "shape": list(dataset.shape), "data_type": _type_of(self._dtype),
            "chunk_grid": {"name": "regular",
                           "configuration": {"chunk_shape": [max(1, c) for c in chunks]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": _fill(dataset.fillvalue, self._dtype), "codecs": [{"name": "bytes", "configuration": {
                "endian": "big" if self._dtype.str[0] == ">" else "little"}}],
            "attributes": _attributes_of(dataset)}
        if any(self._names):
            document["dimension_names"] = self._names
        levels = [bytes_each for code, bytes_each in self._filters or () if code == 1]
        self.codec = f"gzip:{levels[0]}" if levels else None  # of an output that says none
        super().__init__(self.name, document)

    def _unit_bytes(self):
        return numpy().prod(self.chunks, dtype=object) * self._dtype.itemsize

    def _place(self, index):
        return tuple(i * c for i, c in zip(index, self.chunks))

    def _has(self, index):
        if self._node.chunks is None:
            return True
        return self._node.id.get_chunk_info_by_coord(self._place(index)).byte_offset is not None

    def _unit(self, index):
        if self._filters is None or self._node.chunks is None:
            return self._whole(self._node[self._box(index)], self._dtype)
        mask, content = self._node.id.read_direct_chunk(self._place(index))
        for at, (code, bytes_each) in reversed(list(enumerate(self._filters))):
            if mask >> at & 1:
                continue
            content = self._inflated(content) if code == 1 else _unshuffled(content, bytes_each)
        if len(content) != self._unit_bytes():
            raise EnvironmentFault(f"{self.name}: the chunk at {self._place(index)} has {len(content)} bytes")
        return content

    def _inflated(self, content):
        """A chunk of so many bytes; one that was compressed twice is a little longer between."""
        most = int(self._unit_bytes()) + int(self._unit_bytes()) // 64 + 64
        inflater = zlib.decompressobj()
        content = inflater.decompress(content, most + 1)
        if len(content) > most or not inflater.eof:
            raise EnvironmentFault(f"{self.name}: a chunk is cut short, or holds more than {self._unit_bytes()} bytes")
        return content

    def stamp(self, key):
        status = os.stat(self._where)
        return f"{status.st_size} {status.st_mtime_ns}"

    def arrays(self):
        return sorted(_members(self._node)) if hasattr(self._node, "keys") else None

    def groups(self):
        if not hasattr(self._node, "keys"):
            return {}
        groups = {"": _attributes_of(self._node)}
        self._node.visititems(lambda name, one: groups.__setitem__(name, _attributes_of(one))
                              if hasattr(one, "keys") else None)
        return groups

    def is_consolidated(self):
        return False

    def names(self):
        return self._names

    def child(self, name):
        return Hdf5(self._where, f"{self._path.rstrip('/')}/{name}", self._node[name])


def _file(where):
    try:
        import h5py
    except ImportError:
        raise EnvironmentFault(f"{where}: the package h5py is not installed: it reads HDF5") from None
    return h5py.File(where, "r")


def _members(group):
    """Datasets whose elements have a fixed size; netCDF's dimensions without values are none."""
    names = []

    def look(name, one):
        checked(name)
        # Groups, types that have names, and datasets without elements.
        if hasattr(one, "keys") or getattr(one, "shape", None) is None:
            return
        label = one.attrs.get("NAME", b"")
        if isinstance(label, bytes) and label.startswith(b"This is a netCDF dimension but not"):
            return
        names.append(name)

    group.visititems(look)
    return names


def _filters_of(dataset, name):
    """Those that are undone here, in the order of writing; None where HDF5 is to do it."""
    import h5py

    plist = dataset.id.get_create_plist()
    filters = [plist.get_filter(at) for at in range(plist.get_nfilters())]
    for code, _, _, said in filters:
        if not h5py.h5z.filter_avail(code):
            raise UsageError(f"{name}: the filter {said.decode(errors='replace') or code} ({code}) is not known to "
                             "this HDF5; the package hdf5plugin has many")
    if any(code not in (1, 2) for code, _, _, _ in filters) or dataset.is_virtual:
        return None
    return [(code, values[0] if values else dataset.dtype.itemsize) for code, _, values, _ in filters]


def _unshuffled(content, bytes_each):
    np = numpy()
    whole = len(content) // bytes_each * bytes_each
    planes = np.frombuffer(content, np.uint8, whole).reshape(bytes_each, -1)
    made = np.ascontiguousarray(planes.T).reshape(-1)
    return made if whole == len(content) else np.concatenate([made, np.frombuffer(content, np.uint8)[whole:]])


def _slabs(shape, itemsize):
    """Of what has no chunks: as many whole rows as 4 MiB have."""
    lengths, left = [1] * len(shape), max(1, (4 << 20) // itemsize)
    for k in range(len(shape) - 1, -1, -1):
        lengths[k] = max(1, min(shape[k], left))
        left //= lengths[k]
        if lengths[k] < shape[k]:
            break
    return lengths


def _type_of(dtype):
    """As Zarr 3 says it; of what it has no name for, bytes."""
    if dtype.kind == "S":
        return {"name": "null_terminated_bytes", "configuration": {"length_bytes": dtype.itemsize}}
    return dtype.name if dtype.kind in "biufc" else f"r{8 * dtype.itemsize}"


def _fill(value, dtype):
    """As Zarr 3 says it."""
    value = numpy().asarray(value, dtype)[()]
    if dtype.kind == "S":
        return base64.standard_b64encode(bytes(value)).decode()
    if dtype.kind not in "biufc":
        return list(numpy().asarray(value, dtype).tobytes())
    if dtype.kind == "f":
        return _number(value)
    if dtype.kind == "c":
        return [_number(value.real), _number(value.imag)]
    return bool(value) if dtype.kind == "b" else int(value)


def _number(value):
    value = float(value)
    if value != value:
        return "NaN"
    return value if abs(value) != float("inf") else "Infinity" if value > 0 else "-Infinity"


_OWN = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid",
             "_Netcdf4Coordinates", "_NCProperties", "_nc3_strict"}


def _attributes_of(node):
    """What JSON can say of the attributes."""
    attributes = {}
    for name in node.attrs:
        if name in _OWN:
            continue
        try:
            value = json_value(node.attrs[name])
        except (TypeError, OSError, UnicodeDecodeError):
            continue
        if name == "_FillValue" and not isinstance(value, (list, str)):
            value = _xarray_fill(value, node.dtype)
        attributes[name] = value
    return attributes


def _dimension(dataset, k):
    axis = dataset.dims[k]
    if axis.label:
        return axis.label
    if len(axis):
        return axis[0].name.rpartition("/")[2]
    if dataset.attrs.get("CLASS") == b"DIMENSION_SCALE" and len(dataset.shape) == 1:
        return dataset.name.rpartition("/")[2]
    return None


def json_value(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, str):
        return value
    value = numpy().asarray(value)
    if value.size == 1 and value.ndim <= 1:
        value = value.reshape(())
    if value.dtype.kind not in "biufSO":
        raise TypeError(value.dtype)
    found = value.tolist()
    found = [one.decode() if isinstance(one, bytes) else one for one in found] if isinstance(found, list) \
        else found.decode() if isinstance(found, bytes) else found
    json.dumps(found)
    return found


def _xarray_fill(value, dtype):
    """As xarray keeps it among attributes of Zarr 3."""
    if dtype.kind == "f":
        return base64.standard_b64encode(numpy().array(value, "<f8").tobytes()).decode()
    return value
