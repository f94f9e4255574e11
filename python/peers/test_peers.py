"""The systems themselves, run on index numbers, beside what faro reads in their words.

./test --peers runs this. A system that pip cannot install here is skipped by name.
"""

import itertools
import random

import faro
import numpy as np
import pytest


def test_numpy_transposes():
    judged = 0
    for shape in [(2, 4, 8), (4, 4), (2, 2, 2, 2), (8, 2, 4)]:
        for axes in itertools.permutations(range(len(shape))):
            m = faro.BitMap(f"numpy:np.transpose(a, {axes})", shape=shape)
            assert m == faro.BitMap.probe(lambda a: np.transpose(a, axes), shape)
            assert faro.BitMap("numpy:" + m.to("numpy"), shape=shape) == m
            code = m.to("numpy")
            a = np.arange(np.prod(shape)).reshape(shape)
            assert (eval(code, {"a": a}) == faro.permute(a, m).ravel()).all()
            judged += 1
    assert judged > 30


def test_einops():
    einops = pytest.importorskip("einops")
    patterns = [
        ("b c (h h1) (w w1) -> b (c h1 w1) h w", (2, 2, 4, 4), {"h1": 2, "w1": 2}),
        ("b h w c -> b c h w", (2, 4, 8, 2), {}),
        ("b (h w) c -> b c h w", (2, 16, 4), {"h": 4}),
        ("(b1 b2) h w c -> (b1 h) (b2 w) c", (4, 2, 2, 4), {"b1": 2}),
        ("... h w -> ... w h", (2, 4, 8), {}),
        ("a b 1 -> b () a", (4, 8, 1), {}),
        ("h w c -> (c w h)", (4, 4, 2), {}),
        ("(a b) c -> c (b a)", (8, 4), {"a": 2}),
    ]
    for pattern, shape, sizes in patterns:
        x = np.arange(np.prod(shape)).reshape(shape)
        theirs = einops.rearrange(x, pattern, **sizes)
        ours = faro.rearrange(x, pattern, **sizes)
        assert ours.shape == theirs.shape and (ours == theirs).all(), pattern
        words = "einops:" + pattern + "".join(f", {k}={v}" for k, v in sizes.items())
        m = faro.BitMap(words, shape=shape)
        assert (faro.permute(x, m).ravel() == theirs.ravel()).all(), pattern
        written = m.to("einops", shape=shape).split(", ")
        named = dict(part.split("=") for part in written[1:])
        again = einops.rearrange(x, written[0], **{k: int(v) for k, v in named.items()})
        assert (again.ravel() == theirs.ravel()).all(), written
    for bad, shape in [("a b -> a", (2, 2)), ("a -> a b", (2,)), ("a a -> a", (2, 2)),
                       ("(a b) -> b a", (4,)), ("a b -> b a", (4,))]:
        x = np.zeros(shape)
        with pytest.raises(Exception):
            einops.rearrange(x, bad)
        with pytest.raises(ValueError):
            faro.rearrange(x, bad)


def test_odd_lengths_like_einops():
    einops = pytest.importorskip("einops")
    x = np.arange(6 * 10 * 3).reshape(6, 10, 3)
    for pattern, sizes in [("(a b) c d -> d (c a) b", {"a": 3}), ("h w c -> c h w", {}),
                           ("h (w k) c -> (h k) w c", {"k": 5})]:
        assert (faro.rearrange(x, pattern, **sizes) == einops.rearrange(x, pattern, **sizes)).all()


def owners(sharding, shape):
    """Device -> the flat indices that it holds, in C order of its block."""
    numbers = np.arange(np.prod(shape)).reshape(shape)
    return {d.id: numbers[index].ravel()
            for d, index in sharding.devices_indices_map(shape).items()}


def test_jax_shardings():
    import os

    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax = pytest.importorskip("jax")
    if len(jax.devices()) < 8:
        pytest.skip("JAX was started with fewer devices")
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    rng = random.Random(18)
    devices = np.array(jax.devices()[:8])
    judged = 0
    for _ in range(60):
        sides = rng.choice([(8,), (2, 4), (4, 2), (2, 2, 2)])
        order = devices[rng.sample(range(8), 8)] if rng.random() < 0.3 else devices
        mesh = Mesh(order.reshape(sides), [f"m{k}" for k in range(len(sides))])
        names = list(mesh.axis_names)
        rng.shuffle(names)
        spec = [None, None, None]
        for name in names:
            d = rng.randrange(4)
            if d < 3:
                spec[d] = name if spec[d] is None else (
                    (spec[d], name) if isinstance(spec[d], str) else (*spec[d], name))
        sharding = NamedSharding(mesh, P(*spec))
        shape = (8, 16, 8)
        held = owners(sharding, shape)
        try:
            p = faro.Placement.read(sharding, shape=shape)
        except faro.NotAffine:
            ids = [d.id for d in mesh.devices.flat]
            with pytest.raises(ValueError):
                faro.BitMap.fit(ids)
            continue
        for d, indices in held.items():
            assert (p.indices(d) == indices).all()
        words = p.to("xla")
        assert faro.Placement.read(words, shape=shape) == p
        judged += 1
    assert judged > 30


def test_qiskit_circuits():
    qiskit = pytest.importorskip("qiskit")
    from qiskit.circuit.library import PermutationGate
    from qiskit.quantum_info import Statevector

    from faro._systems import qiskit_words

    rng = random.Random(7)
    for _ in range(30):
        n = rng.randrange(2, 6)
        circuit = qiskit.QuantumCircuit(n)
        for _ in range(8):
            a, b = rng.sample(range(n), 2)
            rng.choice([lambda: circuit.cx(a, b), lambda: circuit.x(a),
                        lambda: circuit.swap(a, b), lambda: circuit.dcx(a, b)])()
        circuit.append(PermutationGate(rng.sample(range(n), n)), range(n))
        m = faro.BitMap(qiskit_words(circuit))
        for i in range(1 << n):
            state = Statevector.from_int(i, 1 << n).evolve(circuit)
            assert int(np.argmax(np.abs(state.data))) == m(i)
        back = m.to("qiskit", object=True)
        assert faro.BitMap(qiskit_words(back)) == m
    circuit = qiskit.QuantumCircuit(3)
    circuit.ccx(0, 1, 2)
    with pytest.raises(faro.NotAffine):
        faro.BitMap(qiskit_words(circuit))
    circuit = qiskit.QuantumCircuit(1)
    circuit.h(0)
    with pytest.raises(faro.NotExpressible):
        faro.BitMap(qiskit_words(circuit))


def test_cirq_circuits():
    cirq = pytest.importorskip("cirq")
    rng = random.Random(9)
    for _ in range(30):
        n = rng.randrange(2, 6)
        qubits = cirq.LineQubit.range(n)
        words, operations = [f"qubits {n}"], []
        for _ in range(6):
            a, b = rng.sample(range(n), 2)
            kind = rng.choice(["CNOT", "SWAP", "X"])
            used = [a] if kind == "X" else [a, b]
            words.append(f"{kind}({', '.join(f'q{k}' for k in used)})")
            operations.append(getattr(cirq, kind)(*[qubits[k] for k in used]))
        order = rng.sample(range(n), n)
        words.append(f"QubitPermutationGate({order})")
        operations.append(cirq.QubitPermutationGate(order)(*qubits))
        m = faro.BitMap("cirq:" + "; ".join(words))
        unitary = cirq.Circuit(operations).unitary(qubit_order=qubits)
        for i in range(1 << n):
            assert int(np.argmax(np.abs(unitary[:, i]))) == m(i)
        assert faro.BitMap("cirq:" + m.to("cirq")) == m


def test_jax_arrays_come_back():
    jax = pytest.importorskip("jax")
    for dtype in ("float32", "bfloat16", "int32"):
        x = jax.numpy.arange(16).astype(dtype)
        y = faro.permute(x, "i -> rev(i)")
        assert isinstance(y, jax.Array) and y.dtype == x.dtype
        assert (np.asarray(y) == np.asarray(x)[faro.BitMap("bit-reversal:4").table()]).all()
        with pytest.raises(TypeError):
            faro.permute(x, "i -> rev(i)", out=x)


def test_walsh_orders_count_sign_changes():
    n = 16
    rows = np.array([[(-1) ** bin(i & j).count("1") for j in range(n)] for i in range(n)])
    m = faro.BitMap("walsh:natural->sequency", shape=(n,))
    sorted_rows = np.empty_like(rows)
    sorted_rows[m.table()] = rows
    changes = (np.diff(sorted_rows, axis=1) != 0).sum(axis=1)
    assert (changes == np.arange(n)).all()


def test_morton():
    pymorton = pytest.importorskip("pymorton")
    m = faro.BitMap("morton:interleave(x, y)", shape=(8, 8))
    for y, x in itertools.product(range(8), repeat=2):
        assert m(8 * y + x) == pymorton.interleave(x, y)
