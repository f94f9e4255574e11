"""Placements, moves and other systems' words, from Python."""

import pickle

import faro
import numpy as np
import pytest


def test_placements():
    a = faro.Placement.read("{devices=[2,1,4]<=[4,2]T(1,0)}", shape=(16, 16, 16))
    b = faro.Placement.read("{devices=[1,8,1]<=[8]}", shape=(16, 16, 16))
    assert (a.devices, a.memory, a.replicas) == (8, 512, 1)
    assert a.device((15, 15, 15)) == 7 and a.indices(0)[:3].tolist() == [0, 1, 2]
    move = a >> b
    cost = move.bytes(4)
    assert cost.kept + cost.received == 4 << 12
    assert sum(cost.received_by_device) == cost.received
    assert move.map is not None and move.map.width == 12
    assert pickle.loads(pickle.dumps(a)) == a and hash(a) == hash(pickle.loads(pickle.dumps(a)))
    assert faro.Placement.read(a.to("xla"), shape=(16, 16, 16)) == a
    with pytest.raises(IndexError):
        a.device(1 << 12)


def test_copies():
    p = faro.Placement.read("mesh x=2 y=2, P('x')", shape=16)
    assert p.replicas == 2 and p.device(0) == (0, 1)
    move = p >> faro.Placement.read("mesh x=2 y=2, P(('x', 'y'))", shape=16)
    assert move.map is None and move.bytes(1).received == 0
    with pytest.raises(faro.NotExpressible) as refused:
        move.text()
    assert refused.value.reason == "replicated"


def test_probe_of_placements():
    by_device = {d: np.arange(16).reshape(4, 4)[:, d] for d in range(4)}
    p = faro.Placement.probe(by_device, (4, 4))
    assert p == faro.Placement.read("jax:mesh x=4, P(None, 'x')", shape=(4, 4))
    assert p == faro.Placement.probe(lambda i: (i % 4, i // 4), (4, 4))


def test_probes_are_the_readers():
    probes = [
        ("np.transpose(a, (2, 0, 1))", (2, 4, 8), lambda a: np.transpose(a, (2, 0, 1))),
        ("np.rot90(a)", (4, 4), np.rot90),
        ("np.rot90(a, 3)", (4, 8), lambda a: np.rot90(a, 3)),
        ("np.fft.fftshift(a)", (4, 8), np.fft.fftshift),
        ("np.reshape(a, (8, 4), order='F')", (4, 8), lambda a: np.reshape(a, (8, 4), order="F")),
        ("a[::-1, :].T", (2, 8), lambda a: a[::-1, :].T),
        ("np.roll(a, 4, 1)", (4, 8), lambda a: np.roll(a, 4, 1)),
        ("np.roll(a, 1)", (4,), lambda a: np.roll(a, 1)),
        ("np.roll(a, 3, 0)", (4, 4), lambda a: np.roll(a, 3, 0)),
        ("np.roll(a, 12)", (16,), lambda a: np.roll(a, 12)),
        ("np.moveaxis(a, 0, 2)", (2, 4, 8), lambda a: np.moveaxis(a, 0, 2)),
        ("np.einsum('abc->bca', a)", (2, 4, 8), lambda a: np.einsum("abc->bca", a)),
        ("a.ravel('F')", (4, 8), lambda a: a.ravel("F")),
    ]
    for text, shape, f in probes:
        assert faro.BitMap(f"numpy:{text}", shape=shape) == faro.BitMap.probe(f, shape), text
    with pytest.raises(faro.NotAffine):
        faro.BitMap.probe(lambda a: np.roll(a, 1), (8,))
    with pytest.raises(faro.NotExpressible):
        faro.BitMap.probe(lambda a: a[:4], (8,))


def test_words():
    m = faro.BitMap("i:9 -> i[8:6] i[8:6]^i[5:3] i[2:0]")
    assert m.to("cute").startswith("Swizzle<3,3,3>")
    assert faro.BitMap("cute:" + m.to("cute")) == m
    assert faro.BitMap("np.flip(a, 1).T".join(["numpy:", ""]), shape=(2, 4)).explain() == (
        "r:1 c:2 -> ~c r"
    )
    assert "<svg" in m._repr_html_()
    with pytest.raises(faro.NotExpressible):
        m.to("einops")


def test_moves_are_values():
    import copy
    import pickle

    a = faro.Placement.read("{devices=[4,2]<=[8]}", shape=(8, 8))
    b = faro.Placement.read("{devices=[2,4]<=[8]}", shape=(8, 8))
    move = a >> b
    for again in (pickle.loads(pickle.dumps(move)), copy.copy(move), copy.deepcopy(move), a >> b):
        assert again == move and hash(again) == hash(move) and again.bytes(4) == move.bytes(4)
    assert move != b >> a and move != 5


def test_numbers_that_no_placement_has():
    p = faro.Placement.read("{devices=[4,2]<=[8]}", shape=(8, 8))
    for device in (-1, 8):
        with pytest.raises(IndexError):
            p.indices(device)
    for index in (-1, (8, 0), (-1, 0)):
        with pytest.raises(IndexError):
            p.device(index)
    assert p.device(np.int64(63)) == p.device(np.array([7, 7])) == 7
    with pytest.raises(ValueError, match="each axis"):
        p.device((1,))
    for itemsize in (0, -1):
        with pytest.raises(ValueError, match="itemsize"):
            (p >> p).bytes(itemsize)
    for shape in ((-4,), (0,), (2**64,)):
        with pytest.raises(ValueError, match="shape"):
            faro.Placement.read("{devices=[2]<=[2]}", shape=shape)
    with pytest.raises(TypeError):
        faro.Placement.read("{devices=[2]<=[2]}", shape=(4.5,))
    with pytest.raises(IndexError):
        faro.Placement.probe({0: [0, 1], 1: [2, -1]}, (4,))
