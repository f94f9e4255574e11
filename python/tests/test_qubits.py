"""Orders of qubits."""

import doctest

import faro
import faro.qubits
import numpy as np
import pytest


def test_orders():
    assert faro.qubits.order_map(30, "qiskit", "cirq") == faro.BitMap("i:30 -> rev(i)")
    # 30 qubits in place: one pass over 16 GiB, by the plan.
    plan = faro.PermutePlan(faro.qubits.order_map(30, "qiskit", "cirq"), itemsize=16, in_place=True)
    assert plan.passes == 1 and plan.bytes_moved == 2 << 34
    state = np.arange(1 << 20).astype(np.complex64)
    moved = state.copy()
    assert faro.qubits.reorder(moved, "qiskit", "cirq", out=moved) is moved
    assert (moved.reshape((2,) * 20) == state.reshape((2,) * 20).transpose()).all()
    tensor = np.arange(32).reshape((2,) * 5)
    by_name = faro.qubits.reorder(tensor, list("abcde"), list("cabed"), "cirq")
    assert (by_name == tensor.transpose(2, 0, 1, 4, 3)).all()
    batch = np.arange(24).reshape(3, 8)
    assert (faro.qubits.reorder(batch, "cirq", "qiskit", axis=1)[1]
            == faro.qubits.reorder(batch[1], "cirq", "qiskit")).all()


def test_what_is_refused():
    for source, target in [("qiskit", "nobody"), ([0, 1], [1, 0]), ([0, 1, 1], [0, 1, 2]),
                           ([0, 1, 2], [0, 1, 3])]:
        with pytest.raises(ValueError):
            faro.qubits.reorder(np.zeros(8), source, target)
    with pytest.raises(ValueError):
        faro.qubits.reorder(np.zeros(12), "qiskit", "cirq")


def test_examples():
    assert doctest.testmod(faro.qubits, extraglobs={"faro": faro}).failed == 0
