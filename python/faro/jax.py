"""permute for JAX: inside jit, grad, vmap and jvp.

    import faro.jax
    y = faro.jax.permute(x, 'i -> rev(i)')              x is traced or not
    jax.grad(lambda x: f(faro.jax.permute(x, m)))(x)    a permutation is linear: its transpose is its
                                                        inverse

A primitive of its own. It is a custom call: on the CPU XLA hands its own buffers to the engine, on GPUs to a
kernel on XLA's stream. On other devices, and for elements of less than a byte, it is a callback on the host,
through which the array goes.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _core
from ._arrays import _acted_on, _ends, _result_shape, _split
from ._arrays import permute as _permute
from ._lending import threads_of

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


# NumPy has them in a byte each, XLA may not.
_parts_of_bytes = {"int1", "uint1", "int2", "uint2", "int4", "uint4", "float4_e2m1fn"}


# Platforms of XLA, and by which calls of faro's their buffers are moved.
_platforms = {"cpu": "cpu", "cuda": "CUDA", "rocm": "ROCM"}


def _registered(platform: str) -> bool:
    try:
        jax.ffi.register_ffi_target("faro_permute", _core.xla_call(platform), platform=_platforms[platform])
    except Exception:  # a JAX whose calls are of another kind: the callback does it
        return False
    return True


def _in_xla(x: Any, *, map: Any) -> Any:
    if x.dtype.name in _parts_of_bytes:
        return _through_host(x, map=map)
    call = jax.ffi.ffi_call("faro_permute", jax.ShapeDtypeStruct(x.shape, x.dtype))
    return call(x, map=str(map), itemsize=np.int64(x.dtype.itemsize), threads=np.int64(threads_of(None)))


ad.deflinear2(_primitive, lambda cotangent, _, *, map: [_primitive.bind(cotangent, map=map.inverse())])
batching.primitive_batchers[_primitive] = _batched
mlir.register_lowering(_primitive, mlir.lower_fun(_through_host, multiple_results=False))
for _platform in _platforms:
    if _registered(_platform):
        mlir.register_lowering(_primitive, mlir.lower_fun(_in_xla, multiple_results=False), platform=_platform)


def permute(x: Any, map: Any, /, *, axis: int | tuple[int, ...] | None = None) -> Any:
    """The element at index i goes to index map(i). Shapes and axis as in faro.permute."""
    x = jnp.asarray(x)
    ends = _ends(axis, x.ndim)
    outer, length, inner = _split(x.shape, ends)
    if x.size == 0:
        return x
    m = _core.map_for(map, length.bit_length() - 1, _acted_on(x.shape, ends))
    moved = _primitive.bind(x.reshape(outer, length, inner), map=m)
    return moved.reshape(_result_shape(map, x.shape, ends))
