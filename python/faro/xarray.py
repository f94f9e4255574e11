"""Datasets of xarray, rechunked where they are stored.

    import faro.xarray                                   # also done by `import faro` after `import xarray`
    ds = xarray.open_zarr('maps.zarr')                   # or open_dataset('maps.nc', engine='h5netcdf')
    ds.faro.rechunk('series.zarr', chunks={'time': 365, 'lat': 72}, memory='1GiB')

The elements go from the store to the target without xarray and Dask. So the dataset must be what the
store holds: a variable that was computed or cut is refused by name, and so is one whose dimensions have other
names or another order; write it first. One that has a new name alone is written under the new name. What decoding
by the conventions of CF made of the elements does not matter: they and the attributes are copied as stored.
"""

from __future__ import annotations

import json
import os

import xarray

from . import _outside
from ._errors import UsageError
from ._hdf5 import json_value
from ._stored import _path, _rechunk_words, _Target, _unfinished, digest, rechunk_each

__all__ = ["FaroAccessor"]


class _Group:
    """What copy_groups() asks for."""

    name = "the dataset"

    def __init__(self, attributes):
        self._attributes = attributes

    def groups(self):
        return {"": self._attributes}

    def is_consolidated(self):
        return True


def _stored_of(data):
    """The array of a backend that these data are, all of it; None where they are no such."""
    graph = getattr(data, "dask", None)
    if graph is not None:
        layers = getattr(graph, "layers", {})
        first = f"original-{data.name}"
        if set(layers) != {first, data.name}:
            return None
        data = layers[first][first]
    while True:
        kind = type(data).__name__
        if kind in ("ZarrArrayWrapper", "H5NetCDFArrayWrapper", "NetCDF4ArrayWrapper"):
            return data
        if kind == "LazilyIndexedArray" and any(
                not isinstance(k, slice) or k.indices(n) != (0, n, 1)
                for k, n in zip(data.key.tuple, data.array.shape)):
            return None
        if kind not in ("LazilyIndexedArray", "MemoryCachedArray", "CopyOnWriteArray",
                        "ImplicitToExplicitIndexingAdapter", "_ElementwiseFunctionArray"):
            return None
        data = data.array


class _Zarr:
    """A group of a Zarr store."""

    def __init__(self, store, group):
        self._store, self._group = store, group

    def reopened(self, **words):
        return xarray.open_zarr(self._store, group=self._group or None, chunks=None, consolidated=False, **words)

    def array(self, name):
        return _outside.zarr_at(self._store, f"{self._group}/{name}".lstrip("/"))


class _NetCdf:
    """A group of a file of netCDF-4."""

    def __init__(self, file, group, engine):
        self._file, self._group, self._engine = os.path.abspath(file), group.rstrip("/"), engine

    def reopened(self, **words):
        return xarray.open_dataset(self._file, group=self._group or None, engine=self._engine, **words)

    def array(self, name):
        return _outside.Name(_outside.hdf5(self._file, f"{self._group}/{name}"))


def _group_and_array(wrapper):
    if type(wrapper).__name__ == "ZarrArrayWrapper":
        array = wrapper.get_array()
        return _Zarr(array.store, array.path.rpartition("/")[0]), array
    store = wrapper.datastore
    group = _NetCdf(store._filename, store._group or "/",
                    "h5netcdf" if type(wrapper).__name__.startswith("H5") else "netcdf4")
    return group, group.array(wrapper.variable_name)


def _group_of_loaded(dataset):
    """Where a dataset says that it was opened from; all of it is in memory."""
    source = dataset.encoding.get("source")
    if not isinstance(source, str):
        return None
    return _NetCdf(source, "/", None) if os.path.isfile(source) else _Zarr(source, "")


def _equal_in(group, name, variable):
    """The array of this name where it holds these values."""
    for words in ({}, {"decode_cf": False}):
        with group.reopened(**words) as again:
            if name in again.variables and again.variables[name].equals(variable):
                return group.array(name)
    return None


def _names_of(array):
    if isinstance(array, _outside.Name):
        return array.held.names()
    names = getattr(array.metadata, "dimension_names", None)
    return tuple(names or array.attrs.get("_ARRAY_DIMENSIONS", ()))


def _sources(dataset):
    """Of each variable the stored array."""
    places, group = {}, None
    for name, variable in dataset.variables.items():
        wrapper = _stored_of(variable._data)
        if wrapper is not None:
            group, places[name] = _group_and_array(wrapper)
    group = group or _group_of_loaded(dataset)
    # The largest first: what was done to a dataset shows there.
    for name, variable in sorted(dataset.variables.items(), key=lambda one: -one[1].size):
        if name not in places:
            # Coordinates are read when a dataset is opened; they must be what is stored beside the others.
            found = _equal_in(group, name, variable) if group else None
            if found is None:
                raise UsageError(
                    f"'{name}' does not come from a store as it is: it was computed, changed or cut. "
                    "ds.to_zarr(..) writes it; faro rechunks what is stored")
            places[name] = found
        if tuple(_names_of(places[name])) != tuple(variable.dims):
            raise UsageError(f"'{name}' has the dimensions {variable.dims}, and is stored with "
                             f"{tuple(_names_of(places[name]))}")
    return {name: places[name] for name in dataset.variables}


def _of_dims(lengths, dims):
    if lengths is None or isinstance(lengths, str):
        return lengths
    return {name: n for name, n in lengths.items() if name in dims} or None


@xarray.register_dataset_accessor("faro")
class FaroAccessor:
    """`ds.faro` of a dataset that was opened from a Zarr store or from netCDF-4, and is as it is stored."""

    def __init__(self, dataset):
        self._dataset = dataset

    def rechunk(self, target, /, *, chunks=None, shards=None, codec=None, memory="2GiB", passes=0,
                device="ssd", threads=None, resume=False, fresh=False, verify=False, temporary=None,
                progress=None):
        """Every variable to a group of Zarr at `target`, with these lengths by names of dimensions; a report
        of each. Other keywords are those of faro.rechunk."""
        dims = set(self._dataset.dims)
        for what, lengths in (("chunks", chunks), ("shards", shards)):
            if lengths is None or lengths == "auto":
                continue
            if not isinstance(lengths, dict):
                raise UsageError(f"{what}= by names of dimensions is wanted: {{'time': 365}}")
            if not set(lengths) <= dims:
                raise UsageError(f"{what}=: the dataset has no dimension {sorted(set(lengths) - dims)}; it has "
                                 f"{sorted(dims)}")
        to, arrays = _Target(target, temporary), {}
        for name, array in _sources(self._dataset).items():
            own = self._dataset.variables[name].dims
            words = _rechunk_words(
                _of_dims(chunks, own), _of_dims(shards, own) if own else None, None, None, None, codec, memory, passes,
                device, threads, None, None, verify=verify, worker=None,
                unfinished=_unfinished(resume, fresh))
            arrays[name] = (_path(array, name), words)
        attributes = json.loads(json.dumps(self._dataset.attrs, default=json_value))
        return rechunk_each(arrays, to, progress, _Group(attributes))

    def digest(self, *, memory=None, threads=None):
        """The digest of each variable, as it is stored."""
        return {name: digest(array, memory=memory, threads=threads)
                for name, array in _sources(self._dataset).items()}
