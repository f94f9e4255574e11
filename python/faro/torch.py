"""permute for torch: under autograd, vmap, torch.compile and torch.export.

    import faro.torch
    y = faro.torch.permute(x, 'i -> rev(i)')     a tensor in the CPU's memory or a GPU's
    y.sum().backward()                           a permutation is linear: its transpose is its inverse map

The operator is torch.ops.faro.permute(x, map, shape, axes, inverse): `map` acts on the axes `axes` of
`shape`, the last axes of x; those before are batches. `inverse` goes back: the last axes of x are then
those of the result, and `shape` comes out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from . import _core, _device
from ._arrays import _acted_on, _axes, _ends, _move, _move_batches, _refuse_length, _result_shape
from ._arrays import _split
from ._lending import give_back, lend, numpy, threads_of

__all__ = ["permute"]


def _along(axes: list[int] | None) -> int | tuple[int, ...] | None:
    if axes is None:
        return None
    return axes[0] if len(axes) == 1 else tuple(axes)


def _lengths(text: str, shape: tuple[int, ...], axes: list[int] | None) -> Any:
    """What the words give; nothing where they are of index bits and the shape stays."""
    if 0 in shape:
        return None
    return _result_shape(text, shape, _along(axes))


def _bits(text: str, shape: tuple[int, ...], axes: list[int] | None) -> Any:
    outer, length, inner, first = _split(shape, _along(axes))
    if length & (length - 1):
        _refuse_length(length, shape, first)
    return _core.map_for(text, length.bit_length() - 1, _acted_on(shape, _along(axes))), outer, inner


@torch.library.custom_op("faro::permute", mutates_args=(), device_types="cpu")
def _permute(
    x: torch.Tensor, map: str, shape: Sequence[int], axes: Sequence[int] | None, inverse: bool
) -> torch.Tensor:
    shape, axes = tuple(shape), None if axes is None else list(axes)
    a, library = lend(x)
    batch = a.shape[: x.dim() - len(shape)]
    lengths = _lengths(map, shape, axes)
    result = numpy().empty(batch + (shape if inverse or lengths is None else lengths), a.dtype)
    if a.size:
        outer = math.prod(batch)
        if lengths is not None:
            words = (map, shape, _ends(_along(axes)))
            _move_batches(outer, inverse, words, a, result, threads_of(None))
        else:
            m, before, inner = _bits(map, shape, axes)
            m = m.inverse() if inverse else m
            _move(a, m, outer * before, inner, result, threads_of(None), None, None)
    return give_back(result, x, library)


@_permute.register_kernel("cuda")
def _on_device(
    x: torch.Tensor, map: str, shape: Sequence[int], axes: Sequence[int] | None, inverse: bool
) -> torch.Tensor:
    """The same by a kernel on the tensor's own stream."""
    shape, axes = tuple(shape), None if axes is None else list(axes)
    batch = tuple(x.shape[: x.dim() - len(shape)])
    lengths = _lengths(map, shape, axes)
    result = batch + (shape if inverse or lengths is None else lengths)
    if x.numel() == 0:
        return x.new_empty(result)
    outer = math.prod(batch)
    if lengths is not None:
        whole = _core.tensor_batches(_core.tensor_map(map, shape, _ends(_along(axes)))[0], outer, inverse)
    else:
        m, before, inner = _bits(map, shape, axes)
        whole = _core.tensor_along(m.inverse() if inverse else m, outer * before, inner)
    return _device.move(_device.library(x), x, whole, result)


@_permute.register_fake
def _fake(x: Any, map: str, shape: Any, axes: Any, inverse: bool) -> Any:
    batch = x.shape[: x.dim() - len(shape)]
    if axes is not None:
        # Only the axes that the map acts on are asked how long they are: the others may be unknown.
        known = [int(n) if d in axes else 1 for d, n in enumerate(shape)]
        lengths = _lengths(map, tuple(known), axes)
        if lengths is None and 0 not in known:
            _bits(map, tuple(known), axes)
        if lengths is None:
            return x.new_empty((*batch, *shape))
        # Its axes stand in the place of those that the words are of.
        behind = len(shape) - axes[-1] - 1
        given = lengths[axes[0] : len(lengths) - behind]
        whole = shape if inverse else (*shape[: axes[0]], *given, *shape[axes[-1] + 1 :])
        return x.new_empty((*batch, *whole))
    known = [int(n) for n in shape]
    lengths = _lengths(map, tuple(known), None)
    if lengths is None and 0 not in known:
        _bits(map, tuple(known), None)
    return x.new_empty((*batch, *(known if inverse or lengths is None else lengths)))


def _setup(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.how = inputs[1:]


def _backward(ctx: Any, slope: torch.Tensor) -> Any:
    map, shape, axes, inverse = ctx.how
    return _permute(slope, map, shape, axes, not inverse), None, None, None, None


def _batched(info: Any, in_dims: Any, x: torch.Tensor, *how: Any) -> Any:
    return _permute(x.movedim(in_dims[0], 0), *how), 0


_permute.register_autograd(_backward, setup_context=_setup)
_permute.register_vmap(_batched)


class _Linear(torch.autograd.Function):
    """The operator for torch.func and forward mode, which know no operator's derivative."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor, *how: Any) -> torch.Tensor:
        return _permute(x, *how)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.how = inputs[1:]

    @staticmethod
    def backward(ctx: Any, slope: torch.Tensor) -> Any:
        map, shape, axes, inverse = ctx.how
        return _Linear.apply(slope, map, shape, axes, not inverse), None, None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *_: Any) -> torch.Tensor:
        return _Linear.apply(tangent, *ctx.how)


def _performed(x: torch.Tensor, text: str, shape: Any, axes: list[int] | None) -> torch.Tensor:
    if torch.compiler.is_compiling():
        return _permute(x, text, shape, axes, False)
    return _Linear.apply(x, text, shape, axes, False)


def permute(
    x: torch.Tensor, map: Any, /, *, axis: int | Sequence[int] | None = None
) -> torch.Tensor:
    """As faro.permute: the element at index i goes to index map(i)."""
    text = map if isinstance(map, str) else str(map)
    if axis is None:
        return _performed(x, text, x.shape, None)
    axes = _axes(axis, x.dim())
    axes = [axes] if isinstance(axes, int) else list(axes)
    if not axes:
        raise ValueError("axis=(): no axis to permute")
    first = min(axes)
    return _performed(x, text, x.shape[first:], [a - first for a in axes])
