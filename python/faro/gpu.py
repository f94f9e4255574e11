"""Maps on GPUs: kernels as text, counted before anything runs, and the devices that are here.

>>> import faro.gpu
>>> plan = faro.gpu.plan('i:20 -> rev(i)', itemsize=4)
>>> plan.kind, plan.blocks, plan.threads
('tile', 256, 256)
>>> plan.certificate['read']['sectors'] * 32 == 4 << 20      # every byte is read once, in whole sectors
True
>>> print(faro.gpu.emit('opencl', 'i:20 -> rev(i)', itemsize=4, name='reverse').splitlines()[1])
// launch: global 65536, local 256  (256 blocks of 256 threads, 16384 bytes of shared memory each)

faro.permute moves arrays of CuPy, torch and pyopencl where they lie, and into out= those of Numba and of all that
have __cuda_array_interface__; faro.jax.permute moves those of JAX: docs/gpu.md.
"""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

from . import _core
from ._errors import Error, UsageError

__all__ = ["Device", "Plan", "devices", "emit", "plan"]


class Device(NamedTuple):
    language: str
    number: int
    name: str
    target: str
    memory_bytes: int


def devices(language: str | None = None) -> list[Device]:
    """Those that drivers show, of cuda, hip and opencl; of one language, why there are none is raised."""
    if language is not None:
        return [Device(language, *facts) for facts in _core.gpu_devices(language)]
    found = []
    for one in ("cuda", "hip", "opencl"):
        try:
            found += devices(one)
        except Error:
            pass
    return found


def emit(
    language: str, map: Any, *, itemsize: int, in_place: bool = False, name: str = "faro_permute",
    on: str = "any", only: Mapping[int, int] | None = None,
) -> str:
    """A kernel name(from, to), in place name(data), that needs nothing else; its first lines are the launch
    and the certificate. language: cuda, hip or opencl. only={5: 1, 3: 0}: moves the elements whose index has
    bit 5 set and bit 3 not, and no others, as a controlled swap does."""
    return _core.gpu_emit(map, language, itemsize, in_place, name, on, *_mask_of(only))


def _mask_of(only: Mapping[int, int] | None) -> tuple[int, int]:
    for bit, value in (only or {}).items():
        if not all(isinstance(n, numbers.Integral) for n in (bit, value)) or not 0 <= bit < 64 or value not in (0, 1):
            raise UsageError(f"only={dict(only or {})!r}: wanted bits of the index and 0 or 1 for each")
    return sum(1 << bit for bit in only or {}), sum(value << bit for bit, value in (only or {}).items())


class Plan:
    """What the kernel of a map moves: .kind, .blocks, .threads, .tile_bytes, .certificate (counts of the
    kernel), .plain (of the loop to[map(i)] = from[i]); .facts is all of it, as faro gpu explain --json says."""

    def __init__(self, words: str, facts: dict[str, Any]) -> None:
        self._words, self.facts = words, facts

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["facts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"<faro.gpu.Plan {self.map!r}, itemsize={self.element_bytes}>"

    def _repr_html_(self) -> str:
        tables = [(title, vectors, self.index_bits) for title, vectors in (
            ("tile", self.tile), ("threads, where they read", self.lanes_read), ("threads, where they write", self.lanes_written))]
        if self.kind == "tile":
            tables += [("stored in shared memory", self.swizzle_stored, 14), ("loaded", self.swizzle_loaded, 14)]
        cells = "".join(f"<td style='vertical-align:top'>{_bits_html(*table)}</td>" for table in tables)
        return f"<pre>{escape(self._words.partition('  tile, a row')[0])}</pre><table><tr>{cells}</tr></table>"


def _bits_html(title: str, vectors: list[str], width: int) -> str:
    """A row a vector, the highest bit first."""
    words = [int(v, 16) for v in vectors]
    rows = "".join(
        "<tr>" + "".join(
            f"<td style='width:.6em;height:.6em;padding:0;border:1px solid #ccc;background:{'#246' if w >> i & 1 else '#fff'}'></td>"
            for i in reversed(range(width))
        ) + "</tr>"
        for w in words
    )
    return f"<div>{escape(title)}</div><table style='border-collapse:collapse'>{rows}</table>"


def plan(
    map: Any, *, itemsize: int, in_place: bool = False, on: str = "any", only: Mapping[int, int] | None = None,
) -> Plan:
    """What a map costs on a GPU, before anything runs; on: any, a100, h100, rtx4090 or mi300; only as in emit."""
    words, text = _core.gpu_explain(map, itemsize, in_place, on, *_mask_of(only))
    return Plan(words, json.loads(text))
