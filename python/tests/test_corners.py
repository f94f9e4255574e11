"""What a user tries who wishes it ill: odd dtypes, odd numbers, arrays that are none."""

import faro
import numpy as np
import pytest


def test_padding_goes_with_its_element():
    """NumPy copies the fields of a structure; what is moved here is every byte of it."""
    dtype = np.dtype([("a", "u1"), ("b", "f8")], align=True)
    raw = np.random.default_rng(5).integers(0, 256, (64, dtype.itemsize)).astype(np.uint8)
    x = raw.view(dtype).reshape(8, 8)
    turned = raw.reshape(8, 8, -1).transpose(1, 0, 2).tobytes()
    assert faro.contiguous(x.T).tobytes() == turned
    assert faro.contiguous(x.T, out=np.empty((8, 8), dtype)).tobytes() == turned
    assert faro.rearrange(x, "a b -> b a").tobytes() == turned
    assert faro.permute(x, axes=(1, 0)).tobytes() == turned
    assert faro.permute(x, "r c -> c r").tobytes() == turned
    own = x.copy()
    own[...] = x
    m = faro.BitMap("i:6 -> gray(i)")
    y = faro.permute(x, m)
    assert faro.check(x, y, m) is None
    wide = np.zeros((8, 16), dtype)
    wide.view(np.uint8).reshape(8, 16, -1)[:, ::2] = raw.reshape(8, 8, -1)
    assert faro.permute(wide[:, ::2], m).tobytes() == y.tobytes()
    assert faro.check(wide[:, ::2], y, m) is None
    assert faro.PermutePlan.of(x, m)(wide[:, ::2]).tobytes() == y.tobytes()
    assert faro.PermutePlan.of(x, m)(x).dtype == dtype


def test_an_axis_may_be_any_number_or_sequence():
    x = np.arange(24).reshape(3, 8)
    wanted = faro.permute(x, "i -> rev(i)", axis=1)
    for axis in (np.int64(1), -1, (1,), [1], range(1, 2), np.array([1])):
        assert (faro.permute(x, "i -> rev(i)", axis=axis) == wanted).all()
        assert faro.check(x, wanted, "i -> rev(i)", axis=axis) is None
    # Lengths that are no power of two, however the axis is said.
    for axis in (0, np.int8(0), (0,)):
        assert (faro.permute(x, "i -> ~i", axis=axis) == x[::-1]).all()
    for axis in (2, -3, (2,)):
        with pytest.raises(ValueError, match="of an array with 2 axes"):
            faro.permute(x, "i -> ~i", axis=axis)
    with pytest.raises(TypeError):
        faro.permute(x, "i -> ~i", axis=1.0)


def test_out_that_is_a_copy_is_refused():
    class Copied:
        def __init__(self):
            self.kept = [0.0] * 8

        def __array__(self, dtype=None, copy=None):
            return np.array(self.kept)

    with pytest.raises(TypeError, match="copy"):
        faro.permute(np.arange(8.0), "i -> ~i", out=Copied())
    assert (faro.permute(Copied(), "i -> ~i") == 0).all()


def test_small_types_of_indices_do_not_wrap():
    m = faro.BitMap("i:9 -> rev(i)")
    for dtype in (np.int8, np.uint8, np.int16, np.uint64):
        assert m(np.arange(4, dtype=dtype)).tolist() == [0, 256, 128, 384]
    assert m(np.arange(4, dtype=np.int16)).dtype == np.int16
    assert int(m(np.uint8(1))) == 256
    assert faro.BitMap("i:64 -> ~i")(np.arange(2)).tolist() == [2**64 - 1, 2**64 - 2]


def test_names_of_files_are_what_the_system_has(tmp_path):
    import os

    x = np.arange(16)
    odd = os.fsencode(tmp_path) + b"/\xff odd.npy"  # no UTF-8
    with open(odd, "wb") as file:
        np.save(file, x)
    for source in (odd, os.fsdecode(odd)):
        target = tmp_path / "y.npy"
        faro.permute_file(source, target, "i -> rev(i)")
        assert (np.load(target) == faro.permute(x, "i -> rev(i)")).all()
    faro.permute_file(odd, odd + b"2", "i -> ~i")
    with open(odd + b"2", "rb") as file:
        assert (np.load(file) == x[::-1]).all()
    assert faro.unfinished_file(odd) is None
    s = faro.plan("i:4 -> rev(i)", "cube:4")
    s.save(odd + b".json")
    assert faro.verify(odd + b".json").ok and faro.verify(os.fsdecode(odd) + ".json").ok
    # A name does not end at a byte 0: another file would be taken.
    for call in (lambda: faro.permute_file(f"{tmp_path}/y.npy\0z", odd, "i -> ~i"),
                 lambda: faro.permute_file(odd, f"{tmp_path}/y.npy\0z", "i -> ~i"),
                 lambda: s.save(f"{tmp_path}/s\0.json"), lambda: faro.verify(f"{tmp_path}/s\0.json")):
        with pytest.raises(ValueError, match="byte 0"):
            call()
    assert not (tmp_path / "s").exists()


def test_out_of_another_type_is_refused():
    x = np.arange(8)
    for y in (np.empty(8), np.empty(8, "u8"), np.empty(8, ">i8"), np.empty((16,), "f8")[::2]):
        for call in (lambda: faro.permute(x, "~i", out=y), lambda: faro.contiguous(x[::-1], out=y),
                     lambda: faro.permute(x, axes=(0,), out=y), lambda: faro.PermutePlan(faro.BitMap("i:3 -> ~i"), itemsize=8)(x, y)):
            with pytest.raises(ValueError, match="never cast"):
                call()
    y = np.zeros(8)
    faro.permute(x, "~i", out=y.view("i8"))
    assert (y.view("i8") == x[::-1]).all()


def test_inverse_brings_back():
    x = np.arange(96.0).reshape(3, 32)
    for words, how in (("i -> rot(i, 2)", {"axis": 1}), ("r c -> ~r rot(c, 1)", {}), ("r c -> roll(r, 1) c", {}),
                       (faro.BitMap("i:5 -> gray(i)"), {"axis": 1})):
        there = faro.permute(x, words, **how)
        assert (there != x).any() and (faro.permute(there, words, inverse=True, **how) == x).all()
    flat = np.arange(32)
    assert (faro.permute(faro.permute(flat, "gray"), "gray", inverse=True, out=flat) == np.arange(32)).all()
    with pytest.raises(faro.UsageError, match="write the words that go back"):
        faro.permute(x, "r c -> c r", inverse=True)
    with pytest.raises(TypeError, match="argsort"):
        faro.permute(x, axes=(1, 0), inverse=True)


def test_a_list_is_told_what_makes_an_array():
    with pytest.raises(TypeError, match=r"list is no array; numpy.asarray\(x\) makes one"):
        faro.permute([0, 1, 2, 3], "~i")


def test_a_transform_needs_no_machine():
    y, took = faro.transform(np.arange(8.0), "fft")
    assert np.allclose(y, np.fft.fft(np.arange(8.0))) and took.steps == 0


def test_a_function_and_words_of_other_axes_are_told_what_leads_on():
    x = np.arange(12).reshape(3, 4)
    with pytest.raises(TypeError, match=r"transpose is a function; BitMap.probe\(transpose, \(3, 4\)\)"):
        faro.permute(x, np.transpose)
    with pytest.raises(faro.NotationError, match="the words name 3 axes") as told:
        faro.permute(x, "a b c -> c b a")
    assert "axis=" not in str(told.value)
