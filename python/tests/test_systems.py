"""What the words of other systems mean, beside their own definitions written out element by element."""

import cmath
import itertools
import random

import faro
import numpy as np
import pytest


def power(rng, low, high):
    return 1 << rng.randrange(low, high + 1)


def test_hpf():
    """BLOCK: p = j div b; CYCLIC(k): p = (j div k) mod P; memory in C order of the local indices."""
    rng = random.Random(1)
    for _ in range(60):
        axes = rng.randrange(1, 4)
        shape, forms, grid, where = [], [], [], []
        for _ in range(axes):
            n = power(rng, 1, 5)
            kind = rng.choice(["*", "BLOCK", "CYCLIC"])
            p = 1 if kind == "*" else power(rng, 0, n.bit_length() - 1)
            k = power(rng, 0, (n // p).bit_length() - 1)
            if kind == "*":
                where.append([(0, j) for j in range(n)])
                forms.append("*")
            elif kind == "BLOCK":
                where.append([(j // (n // p), j % (n // p)) for j in range(n)])
                forms.append("BLOCK")
            else:
                where.append([(j // k % p, j // (k * p) * k + j % k) for j in range(n)])
                forms.append(f"CYCLIC({k})")
            shape.append(n)
            if kind != "*":
                grid.append(p)
        if not grid:
            continue
        words = f"DISTRIBUTE A({', '.join(forms)}) ONTO P({','.join(map(str, grid))})"
        read = faro.Placement.read(words, shape=shape, system="hpf")
        local = [n // (max(p for p, _ in w) + 1) for n, w in zip(shape, where)]

        def owner(flat):
            index = np.unravel_index(flat, shape)
            device = memory = 0
            for d, i in enumerate(index):
                p, at = where[d][i]
                device = device * (shape[d] // local[d]) + p
                memory = memory * local[d] + at
            return device, memory

        assert read == faro.Placement.probe(owner, shape), words


def test_scalapack():
    """INDXG2P and INDXG2L; local arrays are column-major."""
    rng = random.Random(2)
    judged = 0
    for _ in range(60):
        m, n, p, q = (power(rng, 1, 5), power(rng, 1, 5), power(rng, 0, 2), power(rng, 0, 2))
        mb, nb = power(rng, 0, 3), power(rng, 0, 3)
        if m % (mb * p) or n % (nb * q):
            continue
        rsrc, csrc, order = rng.choice([0, p // 2]), rng.choice([0, q // 2]), rng.choice("RC")
        words = (f"M={m} N={n} MB={mb} NB={nb} RSRC={rsrc} CSRC={csrc} grid={p}x{q} order={order}")
        read = faro.Placement.read(words, shape=(m, n), system="scalapack")

        def owner(flat):
            i, j = divmod(flat, n)
            pr, pc = (rsrc + i // mb) % p, (csrc + j // nb) % q
            device = pr * q + pc if order == "R" else pc * p + pr
            li, lj = i // (mb * p) * mb + i % mb, j // (nb * q) * nb + j % nb
            return device, lj * (m // p) + li

        assert read == faro.Placement.probe(owner, (m, n)), words
        judged += 1
    assert judged > 10


def cut(held, dim, parts):
    return [np.split(a, parts, dim) for a in held]


def test_dtensor():
    """Left to right every mesh dimension cuts what the ones before it left, as torch.chunk does."""
    rng = random.Random(3)
    for _ in range(80):
        mesh = [power(rng, 0, 2) for _ in range(rng.randrange(1, 4))]
        shape = tuple(power(rng, 3, 5) for _ in range(rng.randrange(1, 3)))
        array = np.arange(np.prod(shape)).reshape(shape)
        held, words = [array], []
        for size in mesh:
            kind = rng.choice(["shard", "shard", "strided", "replicate"])
            if kind == "replicate":
                held = [a for a in held for _ in range(size)]
                words.append("Replicate()")
                continue
            dim = rng.randrange(len(shape))
            if min(a.shape[dim] for a in held) < 4 * size:
                kind, words = "replicate", [*words, "Replicate()"]
                held = [a for a in held for _ in range(size)]
                continue
            if kind == "strided":
                factor = power(rng, 0, 1)
                words.append(f"_StridedShard({dim}, sf={factor})")
                held = [np.concatenate(np.split(a, factor * size, dim)[r::size], dim)
                        for a in held for r in range(size)]
            else:
                words.append(f"Shard({dim})")
                held = [part for parts in cut(held, dim, size) for part in parts]
        text = f"({', '.join(map(str, mesh))}{',' if len(mesh) == 1 else ''}) [{', '.join(words)}]"
        read = faro.Placement.read(text, shape=shape, system="dtensor")
        assert read.devices == len(held)
        for device, part in enumerate(held):
            assert (read.indices(device) == part.ravel()).all(), text


def decimated(values, radices):
    """A transform by decimation in frequency that leaves its digits as they come."""
    if not radices:
        return list(values)
    r, n = radices[0], len(values)
    m = n // r
    out = []
    for k in range(r):
        part = [sum(values[j + m * t] * cmath.exp(-2j * cmath.pi * k * t / r) for t in range(r))
                * cmath.exp(-2j * cmath.pi * j * k / n) for j in range(m)]
        out += decimated(part, radices[1:])
    return out


@pytest.mark.parametrize("radices", [(2, 2, 2), (4, 4), (8, 4), (4, 2, 8), (2, 16)])
def test_fft_orders(radices):
    n = int(np.prod(radices))
    rng = np.random.default_rng(4)
    x = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    m = faro.BitMap(f"fft:({','.join(map(str, radices))})", shape=(n,))
    unordered = np.array(decimated(list(x), radices))
    # Frequency f stands where the map of the unordered output says.
    ordered = np.fft.fft(x)
    assert np.allclose(faro.permute(ordered, m), unordered), radices
    assert faro.BitMap.probe_fft(lambda tone: decimated(list(tone), radices), n) == m


def test_what_is_no_order_of_frequencies():
    with pytest.raises(faro.NotExpressible):
        faro.BitMap.probe_fft(lambda x: x, 8)
    with pytest.raises(faro.NotAffine):
        faro.BitMap.probe_fft(lambda x: np.roll(np.fft.fft(x), 1), 8)


def test_zarr_grids():
    rng = random.Random(5)
    for _ in range(30):
        shape = tuple(power(rng, 1, 4) for _ in range(rng.randrange(1, 4)))
        chunk = tuple(power(rng, 0, n.bit_length() - 1) for n in shape)
        words = f"({','.join(map(str, chunk))}{',' if len(chunk) == 1 else ''})"
        read = faro.Placement.read(words, shape=shape, system="zarr")
        array = np.arange(np.prod(shape)).reshape(shape)
        grid = itertools.product(*[range(n // c) for n, c in zip(shape, chunk)])
        for number, at in enumerate(grid):
            block = array[tuple(slice(k * c, (k + 1) * c) for k, c in zip(at, chunk))]
            assert (read.indices(number) == block.ravel()).all(), (shape, chunk)


def test_custatevec():
    rng = random.Random(6)
    for _ in range(30):
        n = rng.randrange(2, 8)
        order = rng.sample(range(n), n)
        scatter = faro.BitMap(f"custatevec:scatter {order}")
        gather = faro.BitMap(f"custatevec:gather {order}")
        assert gather == scatter.inverse() and scatter == faro.BitMap.from_places(order)
        assert gather == faro.BitMap.from_sources(order)


def test_qasm_circuits_are_maps():
    rng = random.Random(7)
    for version in ("2.0", "3.0"):
        for _ in range(20):
            n = rng.randrange(2, 7)
            register = f"qreg q[{n}]" if version == "2.0" else f"qubit[{n}] q"
            lines = [f"OPENQASM {version}", register]
            gates = []
            for _ in range(12):
                a, b = rng.sample(range(n), 2)
                gate = rng.choice(["x", "cx", "swap"])
                gates.append((gate, a, b))
                lines.append(f"x q[{a}]" if gate == "x" else f"{gate} q[{a}], q[{b}]")
            m = faro.BitMap("qasm:" + "; ".join(lines) + ";")
            for i in range(1 << n):
                state = i
                for gate, a, b in gates:
                    if gate == "x":
                        state ^= 1 << a
                    elif gate == "cx":
                        state ^= (state >> a & 1) << b
                    else:
                        different = (state >> a ^ state >> b) & 1
                        state ^= different << a | different << b
                assert m(i) == state
            assert faro.BitMap("qasm:" + m.to("qasm")) == m


def test_triton_bases():
    """hardware to tensor: register r of lane l of warp w holds the element at the sum of the bases."""
    words = ("#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0]], "
             "warp = [[2, 0], [4, 0]], block = []}>")
    read = faro.Placement.read(words, shape=(16, 8))
    bases = [(0, 1), (8, 0), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0)]
    for hardware in range(1 << 7):
        r = c = 0
        for bit, (dr, dc) in enumerate(bases):
            if hardware >> bit & 1:
                r, c = r ^ dr, c ^ dc
        device, register = hardware >> 2, hardware & 3
        assert read.device((r, c)) == device and read.indices(device)[register] == 8 * r + c


def test_swizzles_have_no_bank_conflicts():
    """Rows of 64 halves: a column of 8 x 8 halves touches each of 8 banks of 16 bytes once."""
    m = faro.BitMap("cute:Swizzle<3,3,3>", width=9)
    for column in range(8):
        plain = {(64 * row + 8 * column) // 8 % 8 for row in range(8)}
        swizzled = {m(64 * row + 8 * column) // 8 % 8 for row in range(8)}
        assert len(plain) == 1 and len(swizzled) == 8


def test_every_system_reads_its_own_example():
    from faro import _core

    judged = 0
    for name, _, example, shape, writes in _core.systems():
        sides = [int(n) for n in shape.split("x")] if shape else None
        if not example:
            continue  # written only
        words = f"{name}:{example}"
        try:
            subject = faro.Placement(words, shape=sides)
        except faro.UsageError:  # a map of one array, no placement
            subject = faro.BitMap(words, shape=sides)
        if not writes:
            continue
        if isinstance(subject, faro.Placement):
            again = faro.Placement(f"{name}:{subject.to(name)}", shape=sides)
        else:
            written = subject.to(name, shape=sides)
            again = faro.BitMap(f"{name}:{written}", shape=sides, width=subject.width)
        assert again == subject, name
        judged += 1
    assert judged >= 10


@pytest.mark.parametrize("system, words, shape, reason, message", [
    ("dtensor", "(4,) [Shard(0)]", (10,), "uneven",
     "dtensor: axis 0 of 10 over 4 ranks: they hold 3, 3, 3, 1 (uneven); 8, 12* or 16 would be even "
     "(* 12 is no power of two)"),
    ("xla", "{manual}", (8,), "manual",
     "xla: {manual}: each device holds what its program says; there is no array to place"),
    ("shardy", '<["x"=2]> [{"x"}], unreduced={"x"}', (8,), "partial", None),
    ("einops", "h w c -> w h c", (2, 3, 4), "size",
     "einops: an axis of 3 elements is moved; a map of bits moves 2^p"),
    ("cute", "(4,8):(9,1)", None, "holes",
     "cute: (4,8):(9,1): offset 32 >= 32 elements: padded pitch (holes)"),
    ("xla", "{unknown}", (8,), "unknown", None),
    ("numpy", "np.roll(a, 1)", (8,), "adds", None),
    ("dtensor", "(2,) [Partial()]", (8,), "partial", None),
])
def test_refusals_by_name(system, words, shape, reason, message):
    with pytest.raises(faro.NotExpressible) as refused:
        faro.Placement.read(words, shape=shape, system=system) if shape and system not in (
            "numpy", "einops") else faro.BitMap(f"{system}:{words}", shape=shape)
    assert refused.value.reason == reason
    assert message is None or str(refused.value) == message


def test_not_affine_says_where():
    with pytest.raises(faro.NotAffine) as denied:
        faro.Placement.read("{devices=[8]0,1,2,3,4,5,7,6}", shape=(8,))
    assert str(denied.value) == ("xla: devices 0,1,2,3,4,5,7,6 are no bit map: tile 6 is on 7; tiles "
                                 "0, 2, 4 say 6. As destinations: faro plan --destinations")
    # And so it is: any permutation is a request for a plan.
    assert faro.plan([0, 1, 2, 3, 4, 5, 7, 6], "cube:3").verified
    with pytest.raises(faro.NotExpressible) as refused:
        faro.BitMap("i:4 -> i ^ 4").to("triton")
    assert refused.value.reason == "complement" and "(L(0) = 0)" in str(refused.value)
    with pytest.raises(faro.NotAffine, match="amplitude 3 goes to 7"):
        faro.BitMap("qiskit:qubits 3; x(2); x(2); ccx(0, 1, 2)")


def test_every_refusal_can_be_printed():
    """Messages quote a part of what was asked, whole characters of it; no byte hides the error."""
    for text in ("numpy:np.einsum('abc->caéb', a)", "cute:(4,é)", "é:3", "éééééééé" * 9,
                 "numpy:" + "é" * 70 + "(a)", "hpf:DISTRIBUTE A(" + "2é" * 60, "i:3 -> " + "→" * 80):
        for read in (faro.BitMap, lambda t, shape: faro.Placement.read(t, shape=shape)):
            with pytest.raises(faro.NotationError) as refusal:
                read(text, shape=(2, 4, 8))
            message = str(refusal.value)
            assert "\ufffd" not in message and "é" in message or "→" in message
            shown, caret = message.splitlines()[-2:]
            assert len(caret) <= len(shown) + 1
