"""Placement and Move: what needs NumPy or other systems' objects."""

from __future__ import annotations

import operator
from typing import NamedTuple

from . import _core
from ._errors import NotExpressible
from ._html import picture_html, table_html
from ._lending import whole
from ._systems import _shape, words_of

Placement = _core.Placement
Move = _core.Move


class Traffic(NamedTuple):
    """Bytes: what every device keeps, sends and receives; `received` is the least possible."""

    kept: int
    received: int
    kept_by_device: tuple
    sent_by_device: tuple
    received_by_device: tuple


def _flat(index, shape):
    try:
        at = operator.index(index)
    except TypeError:
        index = tuple(index)
    else:
        if at < 0:
            raise IndexError(f"index {at} of shape {tuple(shape)}")
        return at
    if len(index) != len(shape):
        raise ValueError(f"index {index} of shape {tuple(shape)}: a number for each axis is wanted")
    at = 0
    for i, n in zip(map(operator.index, index), shape):
        if not 0 <= i < n:
            raise IndexError(f"index {index} of shape {tuple(shape)}")
        at = at * n + i
    return at


def _device(self, index, /):
    """The device of an element; all of them where there are copies."""
    at = _flat(index, self.shape)
    if self.replicas == 1:
        return self._device(at, 0)
    return tuple(sorted({self._device(at, r) for r in range(self.replicas)}))


def _indices(self, device, /):
    """The flat indices that a device holds, in the order of its memory."""
    import numpy as np

    device = operator.index(device)
    if not 0 <= device < self.devices:
        raise IndexError(f"device {device} of {self.devices}")
    return np.frombuffer(self._indices(device), "=u8").astype(np.int64)


def _read(cls, source, /, *, shape, system=None, devices=None, **options):
    """Text of a system, or its object."""
    if options:
        raise TypeError(f"unknown options: {', '.join(options)}")
    sides = _shape(shape)
    if not isinstance(source, str):
        words = words_of(source)
        if words is None:
            raise TypeError(
                f"{type(source).__name__}: no system that is known; Placement.probe takes a "
                "function of the device"
            )
        return cls(words, shape=sides, devices=devices)
    if system is not None:
        return cls(f"{system}: {source}", shape=sides, devices=devices)
    text = source.strip()
    for prefix, looks in (
        ("xla", text.startswith("{")),
        ("sdy", text.startswith(("<[", "#sdy.", "sdy.mesh"))),
        ("jax", text.startswith(("NamedSharding(", "mesh ", "Mesh("))),
        ("dtensor", "Shard(" in text or "Replicate()" in text),
        ("hpf", text.upper().startswith(("DISTRIBUTE", "!HPF$"))),
        ("triton", text.startswith("#ttg.")),
    ):
        if looks:
            return cls(f"{prefix}: {text}", shape=sides, devices=devices)
    return cls(text, shape=sides, devices=devices)


def _probe(cls, owners, shape):
    """Fitted from where every element lies: owners(index) or owners[index] is (device, memory), or
    owners[device] lists the flat indices in the order of its memory."""
    import numpy as np

    sides = _shape(shape)
    count = int(np.prod(sides, dtype=np.int64))
    if callable(owners):
        places = [owners(i) for i in range(count)]
    elif len(owners) == count and all(isinstance(owners[i], tuple) for i in owners):
        places = [owners[i] for i in range(count)]
    else:
        places = [None] * count
        for device, held in owners.items():
            for at, index in enumerate(np.asarray(held).ravel().tolist()):
                if not 0 <= index < count:
                    raise IndexError(f"index {index} of {count} elements")
                if places[index] is not None:
                    raise NotExpressible(f"probe: element {index} is on two devices")
                places[index] = (device, at)
        if None in places:
            raise NotExpressible(f"probe: element {places.index(None)} is on no device")
    devices = max(d for d, _ in places) + 1
    if devices & (devices - 1):
        raise NotExpressible(f"probe: {devices} devices, no power of two")
    memory = count // devices
    m = _core.BitMap.fit([d * memory + at for d, at in places])
    return cls._of(m, devices.bit_length() - 1, 0, sides)


def _to(self, system, /, **options):
    if options:
        raise TypeError(f"unknown options: {', '.join(options)}")
    return self._words(system)


def _bytes(self, itemsize):
    """What the move costs, in bytes of elements of this size."""
    itemsize = whole(itemsize, "itemsize")
    kept, received, *by_device = self._traffic()
    return Traffic(
        kept * itemsize, received * itemsize, *(tuple(n * itemsize for n in row) for row in by_device)
    )


def _placement_html(self):
    rows = [("shape", self.shape), ("devices", self.devices), ("copies", self.replicas),
            ("elements of a device", self.memory)]
    return table_html(repr(self), rows) + picture_html(self.picture)


def _move_html(self):
    t = self.bytes(1)
    rows = [("from", str(self.source)), ("to", str(self.target)), ("elements kept", t.kept),
            ("elements delivered", t.received)]
    return table_html("move", rows) + ("" if self.map is None else picture_html(self.map.picture))



Placement.device = _device
Placement.indices = _indices
Placement.read = classmethod(_read)
Placement.probe = classmethod(_probe)
Placement.to = _to
Placement._repr_html_ = _placement_html
Placement.__module__ = "faro"
Move.bytes = _bytes
Move.__reduce__ = lambda self: (operator.rshift, (self.source, self.target))
Move.__copy__ = lambda self: self
Move.__deepcopy__ = lambda self, memo: self
Move.__eq__ = lambda self, other: (
    isinstance(other, Move) and (self.source, self.target) == (other.source, other.target)
)
Move.__hash__ = lambda self: hash((self.source, self.target))
Move._repr_html_ = _move_html
Move.__module__ = "faro"
Traffic.__module__ = "faro"
