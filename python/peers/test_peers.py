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


def cute_places(layout, count):
    return [layout(i) for i in range(count)]


def test_cute_layouts():
    pycute = pytest.importorskip("pycute")
    rng = random.Random(11)
    for _ in range(60):
        bits = rng.randrange(2, 8)
        order = rng.sample(range(bits), bits)  # where each bit of the coordinate goes
        shape, stride, at = [], [], 0
        while at < bits:
            run = 1
            while at + run < bits and order[at + run] == order[at + run - 1] + 1 and rng.random() < 0.7:
                run += 1
            shape.append(1 << run)
            stride.append(1 << order[at])
            at += run
        theirs = pycute.Layout(tuple(shape), tuple(stride))
        m = faro.BitMap(f"cute:({','.join(map(str, shape))}):({','.join(map(str, stride))})")
        assert m.table().tolist() == cute_places(theirs, 1 << bits)
        written = m.to("cute")
        ours = eval("pycute.Layout(({}), ({}))".format(
            *[part.strip("()") + "," for part in written.split(":")]), {"pycute": pycute})
        assert cute_places(ours, 1 << bits) == m.table().tolist(), written
    for base, least, shift in [(3, 3, 3), (3, 4, 3), (2, 3, 3), (1, 2, 4), (2, 1, -3), (2, 0, 2)]:
        theirs = pycute.Swizzle(base, least, shift)
        m = faro.BitMap(f"cute:Swizzle<{base},{least},{shift}>", width=12)
        assert m.table().tolist() == [theirs(i) for i in range(1 << 12)]


def test_zarr_chunks(tmp_path):
    zarr = pytest.importorskip("zarr")
    shape, chunks = (8, 16), (4, 2)
    numbers = np.arange(128, dtype="<i8").reshape(shape)
    store = zarr.create_array(tmp_path / "z", shape=shape, chunks=chunks, dtype="<i8",
                              compressors=None, zarr_format=2)
    store[...] = numbers
    p = faro.Placement.read("(4,2)", shape=shape, system="zarr")
    for device in range(p.devices):
        row, column = divmod(device, 8)
        held = np.frombuffer((tmp_path / "z" / f"{row}.{column}").read_bytes(), "<i8")
        assert (p.indices(device) == held).all()


def test_shardy_text_as_jax_lowers_it():
    jax = pytest.importorskip("jax")
    if len(jax.devices()) < 8:
        pytest.skip("JAX was started with fewer devices")
    import re

    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    rng = random.Random(19)
    devices = np.array(jax.devices()[:8])
    judged = 0
    for _ in range(12):
        sides = rng.choice([(8,), (2, 4), (2, 2, 2)])
        mesh = Mesh(devices.reshape(sides), [f"m{k}" for k in range(len(sides))])
        spec = [None, None]
        for name in rng.sample(mesh.axis_names, rng.randrange(1, len(sides) + 1)):
            d = rng.randrange(2)
            spec[d] = name if spec[d] is None else (
                (spec[d], name) if isinstance(spec[d], str) else (*spec[d], name))
        sharding = NamedSharding(mesh, P(*spec))
        shape = (16, 8)
        lowered = jax.jit(lambda a: a, in_shardings=sharding).lower(np.zeros(shape)).as_text()
        found = re.search(r"sdy\.mesh @mesh = (<[^>]*>)", lowered)
        words = re.search(r"#sdy\.sharding<@mesh, (\[[^\]]*\])", lowered)
        if not found or not words:
            pytest.skip("this JAX lowers no sdy")
        p = faro.Placement.read(f"{found[1]} {words[1]}", shape=shape, system="sdy")
        assert p == faro.Placement.read(sharding, shape=shape)
        for device, indices in owners(sharding, shape).items():
            assert (p.indices(device) == indices).all()
        judged += 1
    assert judged == 12


def test_xla_shardings_as_xla_reads_them():
    jax = pytest.importorskip("jax")
    from jax._src.lib import xla_client

    make = getattr(xla_client.HloSharding, "iota_tile", None)
    if make is None:
        pytest.skip("this JAX makes no iota tiles")
    for dims, reshape, transpose in [((2, 1, 4), (4, 2), (1, 0)), ((1, 8, 1), (8,), (0,)),
                                     ((2, 4, 1), (2, 2, 2), (2, 0, 1)), ((4, 2, 1), (2, 4), (1, 0))]:
        theirs = make(dims=list(dims), reshape_dims=list(reshape), transpose_perm=list(transpose),
                      subgroup_types=[])
        p = faro.Placement.read(theirs, shape=(16, 16, 16))
        order = np.arange(8).reshape(reshape).transpose(transpose).reshape(dims)
        numbers = np.arange(4096).reshape(16, 16, 16)
        for tile in itertools.product(*map(range, dims)):
            block = numbers[tuple(slice(t * 16 // d, (t + 1) * 16 // d) for t, d in zip(tile, dims))]
            assert (p.indices(int(order[tile])) == block.ravel()).all()
        assert faro.Placement.read(str(theirs), shape=(16, 16, 16)) == p


def test_xla_texts_as_xla_reads_them():
    jax = pytest.importorskip("jax")
    from jax._src.lib import xla_client

    del jax
    read = getattr(xla_client.HloSharding, "from_string", None)
    if read is None:
        pytest.skip("this JAX reads no texts")
    rng = random.Random(20)
    texts = ["{mesh['a'=2,'b'=4], [{'a'}, {'b'}, {}]}", "{mesh['a'=2,'b'=4], [{'b','a'}, {}, {}]}",
             "{mesh['a'=2,'b'=2,'c'=2], [{'c'}, {}, {'a'}]}", "{devices=[2,1,4]<=[4,2]T(1,0)}",
             "{devices=[2,1,2,2]<=[2,2,2]T(2,1,0) last_tile_dim_replicate}",
             "{devices=[1,8,1]<=[8]}", "{replicated}"]
    for _ in range(20):
        dims = rng.choice([(2, 2, 2), (8, 1, 1), (4, 1, 2), (1, 2, 4)])
        matrix = [1, 2, 4]
        rng.shuffle(matrix)
        flip = rng.randrange(8)
        order = [flip ^ sum(matrix[b] for b in range(3) if t >> b & 1) for t in range(8)]
        texts.append(f"{{devices=[{','.join(map(str, dims))}]{','.join(map(str, order))}}}")
    numbers = np.arange(4096).reshape(16, 16, 16)
    for text in texts:
        theirs = read(text)
        if "mesh" in text:
            theirs = xla_client.HloSharding.v3_to_v2_sharding(theirs)
        p = faro.Placement.read(text, shape=(16, 16, 16), devices=8)
        if theirs.is_replicated():
            assert p.replicas == 8 and (p.indices(5) == numbers.ravel()).all()
            continue
        dims = list(theirs.tile_assignment_dimensions())
        order = np.array(theirs.tile_assignment_devices()).reshape(dims)
        for tile in itertools.product(*map(range, dims)):
            block = numbers[tuple(slice(t * 16 // d, (t + 1) * 16 // d)
                                  for t, d in zip(tile[:3], dims[:3]))]
            assert (p.indices(int(order[tile])) == block.ravel()).all(), text


def test_jax_operator():
    jax = pytest.importorskip("jax")
    import faro.jax

    jnp = jax.numpy
    m = faro.BitMap("i:4 -> gray(i) ^ 3")
    table = m.table()
    x = jnp.arange(16.0)
    y = faro.jax.permute(x, m)
    assert (np.asarray(y)[table] == np.asarray(x)).all()
    assert (jax.jit(lambda a: faro.jax.permute(a, "i -> gray(i) ^ 3"))(x) == y).all()
    weights = jnp.arange(16.0) ** 2
    slope = jax.grad(lambda a: (faro.jax.permute(a, m) * weights).sum())
    assert (np.asarray(slope(x)) == np.asarray(weights)[table]).all()
    assert (jax.jit(slope)(x) == slope(x)).all()
    rows = jnp.arange(48.0).reshape(3, 16)
    wanted = faro.permute(np.asarray(rows), m, axis=1)
    assert (jax.vmap(lambda r: faro.jax.permute(r, m))(rows) == wanted).all()
    assert (jax.vmap(lambda r: faro.jax.permute(r, m), 1, 1)(rows.T) == wanted.T).all()
    assert (faro.jax.permute(rows, m, axis=1) == wanted).all()
    assert (jax.jvp(lambda a: faro.jax.permute(a, m), (x,), (x,))[1] == y).all()
    assert (jax.vmap(jax.grad(lambda a: (faro.jax.permute(a, m) ** 2).sum()))(rows) == 2 * rows).all()
    assert faro.jax.permute(x.astype("bfloat16"), m).dtype == jnp.bfloat16
    with pytest.raises(ValueError, match="2\\^p"):
        faro.jax.permute(jnp.zeros(6), m)


def test_jax_calls_the_engine_itself():
    jax = pytest.importorskip("jax")
    import faro.jax

    def reversed_in(x):
        return jax.jit(lambda a: faro.jax.permute(a, "i -> gray(i) ^ 5", axis=1))(x)

    lowered = jax.jit(lambda a: faro.jax.permute(a, "i -> ~i")).lower(np.zeros(8)).as_text()
    assert "custom_call @faro_permute" in lowered and "callback" not in lowered
    dtypes = ["bool", "int4", "uint8", "float8_e4m3fn", "bfloat16", "float16", "float32", "complex64"]
    for dtype in dtypes:
        for shape in [(1, 8), (3, 16), (5, 1024, 3), (2, 1 << 14)]:
            x = (jax.numpy.arange(np.prod(shape)) % 2).astype(dtype).reshape(shape)
            wanted = faro.permute(np.asarray(x), "i -> gray(i) ^ 5", axis=1)
            assert np.asarray(reversed_in(x)).tobytes() == wanted.tobytes(), (dtype, shape)
    # Several devices at once, each in a thread of its own.
    if len(jax.devices()) == 8:
        rows = np.arange(8 * 4096.0, dtype=np.float32).reshape(8, 4096)
        one = jax.pmap(lambda a: faro.jax.permute(a, "i -> rev(i)"))
        for _ in range(5):
            assert (one(rows) == faro.permute(rows, "i -> rev(i)", axis=1)).all()
    # A call that somebody wrote by hand is refused in words.
    for attributes in ({"map": "i:3 -> rev(j)"}, {"map": "i:4 -> rev(i)"}, {"map": "i:3 -> rev(i)",
                       "itemsize": np.int64(99)}, {}):
        given = {"itemsize": np.int64(4), "threads": np.int64(0), **attributes}
        call = jax.ffi.ffi_call("faro_permute", jax.ShapeDtypeStruct((1, 8, 1), np.float32))
        with pytest.raises(Exception, match="rev|bits|itemsize|attribute"):
            jax.block_until_ready(jax.jit(lambda a: call(a, **given))(np.zeros((1, 8, 1), np.float32)))


def test_steps_are_counted_as_the_plan_says():
    from faro.plot import _crossings as crossings_of

    for map_text, n, elements in [("a:6 -> ungray(a)", 6, 10), ("i:5 -> rev(i)", 5, 3),
                                  ("a:4 | m:4 -> m | a", 4, None)]:
        s = faro.plan(map_text, f"cube:{n}", elements=elements)
        rows = crossings_of(s)
        assert len(rows) == s.steps
        assert tuple(sum(column) for column in zip(*rows)) == s.crossings
        assert sum(s.crossings) == s.moves
    assert crossings_of(faro.plan("a:60 -> ungray(a)", "cube:60", elements=1000)) is None


def test_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import faro.plot

    ax = faro.plot.bits("i:5 -> gray(i) ^ 3")
    assert len(ax.lines) == 9 + 1  # five bits, four sums, and the rings
    assert faro.plot.matrix("i:5 -> ungray(i)").images[0].get_array().shape == (5, 6)
    s = faro.plan("i:4 -> ungray(i)", "cube:4", elements=10)
    drawn = faro.plot.schedule(s)
    assert drawn.images[0].get_array().shape == (4, s.steps)
    assert faro.plot.schedule(s, ax=ax) is ax
    with pytest.raises(faro.Impossible):
        faro.plot.schedule(faro.plan("i:6 -> rev(i)", "mesh:8x8"))


def test_qubits_stand_as_the_simulators_have_them():
    qiskit = pytest.importorskip("qiskit")
    cirq = pytest.importorskip("cirq")
    from qiskit.quantum_info import Statevector

    import faro.qubits

    rng = np.random.default_rng(23)
    n = 5
    circuit = qiskit.QuantumCircuit(n)
    qubits = cirq.LineQubit.range(n)
    operations = []
    for _ in range(20):
        a, b = (int(k) for k in rng.choice(n, 2, replace=False))
        angle = float(rng.random())
        circuit.ry(angle, a)
        circuit.cx(a, b)
        operations += [cirq.ry(angle)(qubits[a]), cirq.CNOT(qubits[a], qubits[b])]
    theirs = Statevector.from_int(0, 1 << n).evolve(circuit).data
    other = cirq.Circuit(operations).final_state_vector(qubit_order=qubits, dtype=np.complex128)
    assert np.allclose(faro.qubits.reorder(theirs, "qiskit", "cirq"), other)
    order = [int(k) for k in rng.permutation(n)]
    shuffled = cirq.Circuit(operations).final_state_vector(
        qubit_order=[qubits[k] for k in order], dtype=np.complex128)
    moved = faro.qubits.reorder(other, list(range(n)), order, "cirq")
    assert np.allclose(moved, shuffled)
    state = theirs.reshape((2,) * n).copy()
    assert faro.qubits.reorder(state, "qiskit", "cirq", out=state) is state
    assert np.allclose(state.ravel(), other)


def test_jax_meshes_of_any_size():
    """Lengths and meshes that are no powers of two: what JAX says each device holds, or refuses."""
    jax = pytest.importorskip("jax")
    if len(jax.devices()) < 8:
        pytest.skip("JAX was started with fewer devices")
    import faro.mpi
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    rng = random.Random(43)
    judged, refused, copies = 0, 0, 0
    while judged < 400:
        sides = rng.choice([(6,), (7,), (8,), (2, 3), (3, 2), (5,), (2, 4), (1, 7), (2, 2, 2), (3, 1, 2)])
        count = int(np.prod(sides))
        order = rng.sample(range(count), count) if rng.random() < 0.4 else list(range(count))
        mesh = Mesh(np.array(jax.devices()[:count])[order].reshape(sides), [f"m{k}" for k in range(len(sides))])
        names = list(mesh.axis_names)
        rng.shuffle(names)
        spec = [(), (), ()]
        for name in names:
            d = rng.randrange(4)
            if d < 3:
                spec[d] = (*spec[d], name)
        spec = [s[0] if len(s) == 1 else s or None for s in spec]
        shape = tuple(rng.choice([1, 6, 7, 12, 30, 42]) for _ in spec)
        sharding = NamedSharding(mesh, P(*spec))
        words = f"jax:mesh {' '.join(f'm{k}={n}' for k, n in enumerate(sides))}, {P(*spec)}, devices={order}"
        try:
            theirs = sharding.devices_indices_map(shape)
        except ValueError:
            with pytest.raises(faro.NotExpressible):
                faro.mpi.local_indices(words, shape, 0)
            refused += 1
            continue
        numbers = np.arange(np.prod(shape)).reshape(shape)
        for rank in range(count):
            ours = numbers[np.ix_(*faro.mpi.local_indices(words, shape, rank))]
            assert np.array_equal(ours, numbers[theirs[jax.devices()[rank]]]), (words, shape, rank)
        judged += 1
        copies += any(name not in str(spec) for name in mesh.axis_names)
    assert refused > 50 and copies > 50
