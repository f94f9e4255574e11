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
from ._arrays import _ends, _move, _result_shape
from ._lending import give_back, lend, numpy, threads_of

__all__ = ["permute"]


def _given(text: str, shape: Sequence[int], axes: Sequence[int] | None) -> tuple[int, ...]:
    """The shape that the map gives one array."""
    return _result_shape(text, tuple(shape), None if axes is None else (axes[0], axes[-1]))


def _asked(text: str, whole: Sequence[int], shape: Sequence[int], axes: Sequence[int] | None, inverse: bool) -> Any:
    """What is asked for of an array with its batches, and the shape of the result."""
    given = _given(text, shape, axes)
    batch = tuple(whole[: len(whole) - len(given if inverse else shape)])
    result = batch + tuple(shape if inverse else given)
    if not shape:  # a map of one element
        return ("i -> i", (math.prod(batch),), None, False), result
    first, last = (0, len(shape) - 1) if axes is None else (axes[0], axes[-1])
    ends = (len(batch) + first, len(batch) + last) if batch or axes is not None else None
    return (text, batch + tuple(shape), ends, inverse), result


@torch.library.custom_op("faro::permute", mutates_args=(), device_types="cpu")
def _permute(
    x: torch.Tensor, map: str, shape: Sequence[int], axes: Sequence[int] | None, inverse: bool
) -> torch.Tensor:
    a, library = lend(x)
    question, whole = _asked(map, a.shape, shape, axes, inverse)
    result = numpy().empty(whole, a.dtype)
    _move(question, a, result, threads_of(None))
    return give_back(result, x, library)


@_permute.register_kernel("cuda")
def _on_device(
    x: torch.Tensor, map: str, shape: Sequence[int], axes: Sequence[int] | None, inverse: bool
) -> torch.Tensor:
    """The same by a kernel on the tensor's own stream."""
    question, result = _asked(map, x.shape, shape, axes, inverse)
    if x.numel() == 0:
        return x.new_empty(result)
    return _device.move(_device.library(x), x, _core.whole_map(*question)[0], result)


@_permute.register_fake
def _fake(x: Any, map: str, shape: Any, axes: Any, inverse: bool) -> Any:
    # Only the axes that the map acts on are asked how long they are: the others may be unknown.
    known = [int(n) if axes is None or d in axes else 1 for d, n in enumerate(shape)]
    given = _given(map, known, axes)
    if axes is not None:
        # Its axes stand in the place of those that the words are of.
        behind = shape[axes[-1] + 1 :]
        given = (*shape[: axes[0]], *given[axes[0] : len(given) - len(behind)], *behind)
    batch = x.shape[: x.dim() - len(given if inverse else shape)]
    return x.new_empty((*batch, *(shape if inverse else given)))


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
    first, last = _ends(axis, x.dim())
    return _performed(x, text, x.shape[first:], list(range(last - first + 1)))
