"""permute for JAX: inside jit, grad, vmap and jvp.

    import faro.jax
    y = faro.jax.permute(x, 'i -> rev(i)')              x is traced or not
    jax.grad(lambda x: f(faro.jax.permute(x, m)))(x)    a permutation is linear: its transpose is its
                                                        inverse

A primitive of its own, lowered to a callback on the host: the array goes through the CPU's memory, which
on the CPU backend is where it is.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _core
from ._arrays import _refuse_length, _split
from ._arrays import permute as _permute

__all__ = ["permute"]

# On (outer, 2^p, inner): the map acts on the middle axis.
_primitive = Primitive("faro_permute")


def _performed(x: Any, *, map: Any) -> np.ndarray:
    return _permute(np.asarray(x), map, axis=1)


@_primitive.def_impl
def _impl(x: Any, *, map: Any) -> Any:
    return jnp.asarray(_performed(x, map=map))


@_primitive.def_abstract_eval
def _abstract(x: Any, *, map: Any) -> Any:
    return jax.core.ShapedArray(x.shape, x.dtype)


def _through_host(x: Any, *, map: Any) -> Any:
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(lambda a: _performed(a, map=map), shape, x)


def _batched(operands: Any, axes: Any, *, map: Any) -> Any:
    (x,), (axis,) = operands, axes
    x = jnp.moveaxis(x, axis, 0)
    flat = x.reshape((x.shape[0] * x.shape[1], *x.shape[2:]))
    return _primitive.bind(flat, map=map).reshape(x.shape), 0


ad.deflinear2(_primitive, lambda cotangent, _, *, map: [_primitive.bind(cotangent, map=map.inverse())])
batching.primitive_batchers[_primitive] = _batched
mlir.register_lowering(_primitive, mlir.lower_fun(_through_host, multiple_results=False))


def permute(x: Any, map: Any, /, *, axis: int | tuple[int, ...] | None = None) -> Any:
    """The element at index i goes to index map(i); the shape stays. axis as in faro.permute."""
    x = jnp.asarray(x)
    outer, length, inner, first = _split(x.shape, axis)
    if x.size == 0:
        return x
    if length & (length - 1):
        _refuse_length(length, x.shape, first)
    m = _core.map_for(map, length.bit_length() - 1, x.shape if axis is None else ())
    return _primitive.bind(x.reshape(outer, length, inner), map=m).reshape(x.shape)
