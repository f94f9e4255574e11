"""State vectors whose qubits stand in another order.

    >>> import numpy as np, faro.qubits
    >>> state = np.arange(8)                                  # |q2 q1 q0> as Qiskit counts
    >>> faro.qubits.reorder(state, 'qiskit', 'cirq')          # |q0 q1 q2>
    array([0, 4, 2, 6, 1, 5, 3, 7])
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import permute
from ._lending import lend

if TYPE_CHECKING:
    from ._register import Register

__all__ = ["Register", "order_map", "reorder"]


def __getattr__(name: str) -> Any:
    """Register needs NumPy and mpi4py; the rest of the module does not."""
    if name == "Register":
        from ._register import Register

        return Register
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Whether a system's qubit 0 is the lowest bit of the index or the highest.
_lowest_first = {"qiskit": True, "custatevec": True, "cirq": False, "pennylane": False, "braket": False}


def _bits(order: str | Sequence[Hashable], count: int, convention: str) -> dict[Hashable, int]:
    """The bit of the index that each qubit is."""
    if isinstance(order, str):
        lowest_first = _system(order)
        labels: list[Hashable] = list(range(count))
    else:
        lowest_first = _system(convention)
        labels = list(order)
        if len(labels) != count:
            raise ValueError(f"an order of {len(labels)} qubits for a state of {count}")
    if len(set(labels)) != count:
        raise ValueError(f"a qubit stands twice in {labels}")
    return {q: at if lowest_first else count - 1 - at for at, q in enumerate(labels)}


def _system(name: str) -> bool:
    if name not in _lowest_first:
        raise ValueError(f"{name!r} is none of {', '.join(_lowest_first)}")
    return _lowest_first[name]


def order_map(
    count: int, source: str | Sequence[Hashable], target: str | Sequence[Hashable], /,
    convention: str = "qiskit",
) -> Any:
    """The map from one order of `count` qubits to another.

    An order is a system's name, or a list of labels: of 'qiskit' convention the first label is the
    lowest bit of the index, of 'cirq' the highest.

    >>> faro.qubits.order_map(30, 'qiskit', 'cirq')
    BitMap('i:30 -> rev(i)')
    >>> faro.qubits.order_map(3, ['a', 'b', 'c'], ['b', 'c', 'a'])
    BitMap('i:3 -> rot(i, 2)')
    """
    here = _bits(source, count, convention)
    there = _bits(target, count, convention)
    if here.keys() != there.keys():
        raise ValueError(f"the orders name different qubits: {sorted(map(str, here.keys() ^ there.keys()))}")
    places = [0] * count
    for qubit, bit in here.items():
        places[bit] = there[qubit]
    return _core.BitMap.from_places(places)


def reorder(
    state: Any, source: str | Sequence[Hashable], target: str | Sequence[Hashable], /,
    convention: str = "qiskit", *, axis: int | None = None, out: Any = None,
    threads: int | None = None,
) -> Any:
    """The state with its qubits in the order `target`; out=state works in place, one pass for any
    exchange of qubits. The shape stays: 2^n amplitudes, or an axis for each qubit; axis= for batches.
    """
    a, _ = lend(state)
    length = a.size if axis is None else a.shape[axis]
    if length < 1 or length & (length - 1):
        raise ValueError(f"{length} amplitudes are no state of qubits")
    m = order_map(length.bit_length() - 1, source, target, convention)
    return permute(state, m, axis=axis, out=out, threads=threads)
