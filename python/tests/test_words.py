"""One text and one array mean one thing at every door: Python, the program and C.

The table of words is tests/data/words.txt, written by another implementation of the rules. Behind it: words
drawn at random over arrays of random lengths, good and bad ones, asked at every door. The program is the one
that was installed, or FARO_PROGRAM; the C library is FARO_C_LIBRARY; what is not there is skipped."""

import ctypes
import os
import pathlib
import random
import subprocess
import sys

import numpy as np
import pytest

import faro

TABLE = pathlib.Path(__file__).parents[2] / "tests" / "data" / "words.txt"
PROGRAM = os.environ.get("FARO_PROGRAM") or str(pathlib.Path(sys.executable).parent / "faro")
LIBRARY = os.environ.get("FARO_C_LIBRARY")
needs_program = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="the program is not installed")
needs_table = pytest.mark.skipif(not TABLE.exists(), reason="the sources are not here")


def pairs_of(text):
    return dict((word.split("=", 1) + [""])[:2] for word in text.split())


def rows():
    with open(TABLE) as lines:
        for line in lines:
            if not line.startswith("#"):
                words, known, wanted = line.rstrip("\n").split("\t")
                yield words, pairs_of(known), pairs_of(wanted)


def shape_of(text):
    return () if text == "scalar" else tuple(map(int, text.split("x")))


def hash_of(a):
    value = 0xCBF29CE484222325
    for index in a.ravel().tolist():
        value = ((value ^ index) * 0x100000001B3) % 2**64
    return f"{value:016x}"


def numbers(shape):
    return np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.uint64).reshape(shape)


def axes_of(known):
    if "axes" not in known:
        return None
    first, last = map(int, known["axes"].split("-"))
    return tuple(range(first, last + 1))


def by_python(words, a, axes=None):
    """The result, or None where the words are refused."""
    try:
        return faro.permute(a, words, axis=axes)
    except faro.Error:
        return None


class Shell:
    """The program, with files in one folder."""

    def __init__(self, folder):
        self.input, self.output = str(folder / "in.npy"), str(folder / "out.npy")
        self.shape = None

    def __call__(self, words, a, axes=None, flat=False):
        if self.shape != a.shape:
            np.save(self.input, a)
            self.shape = a.shape
        asked = [PROGRAM, "permute", self.input, self.output, "--map", words, "--no-sync"]
        asked += ["--axis", ",".join(map(str, axes))] if axes is not None else []
        done = subprocess.run(asked + ["--flat"] * flat, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 2, 4), (words, a.shape, done.stderr)
        if done.returncode:
            return None
        result = np.load(self.output)
        os.remove(self.output)
        return result


U64 = ctypes.c_uint64


class Array(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", ctypes.c_uint32), ("axes", ctypes.c_int32),
                ("shape", ctypes.POINTER(U64)), ("strides", ctypes.c_void_p), ("offset", U64)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", ctypes.c_uint32), ("threads", ctypes.c_int32),
                ("in_place", ctypes.c_int32), ("reserved", ctypes.c_int32), ("element_bytes", U64),
                ("outer", U64), ("inner", U64)]


class C:
    def __init__(self):
        self.library = ctypes.CDLL(LIBRARY)
        self.library.faro_last_error.restype = ctypes.c_char_p

    def __call__(self, words, a):
        array = Array(ctypes.sizeof(Array), 1, a.ndim, (U64 * max(1, a.ndim))(*a.shape), None, 0)
        options = Options(ctypes.sizeof(Options), 1, 1, 0, 0, a.itemsize, 1, 1)
        plan = ctypes.c_void_p()
        if self.library.faro_plan_create_arrays(words.encode(), ctypes.byref(array), None, ctypes.byref(options),
                                                ctypes.byref(plan)) != 0:
            return None
        result = np.full(a.size, 2**64 - 1, dtype=a.dtype)
        done = self.library.faro_plan_execute_arrays(
            plan, ctypes.c_void_p(a.ctypes.data), ctypes.c_size_t(a.nbytes),
            ctypes.c_void_p(result.ctypes.data), ctypes.c_size_t(a.nbytes), None, None)
        assert done == 0, (words, a.shape, self.library.faro_last_error())
        self.library.faro_plan_free(plan)
        return result


def agrees(result, wanted):
    """Whether a door's answer is what a row of the table says; a refusal is one. What has no elements is moved
    where the words alone are refused: its shape is."""
    if "refused" in wanted:
        return result is None or result.size == 0
    return result is not None and hash_of(result) == wanted["hash"] and (
        "shape" not in wanted or result.shape == shape_of(wanted["shape"]))


@needs_table
def test_table_in_python():
    asked = [(words, known, wanted) for words, known, wanted in rows()
             if set(known) <= {"shape", "axes"} and "shape" in known]
    wrong = [(words, known) for words, known, wanted in asked
             if not agrees(by_python(words, numbers(shape_of(known["shape"])), axes_of(known)), wanted)]
    assert wrong == [] and len(asked) == 573


@needs_table
@needs_program
def test_table_by_the_program(tmp_path):
    shell = Shell(tmp_path)
    wrong = []
    for words, known, wanted in rows():
        if set(known) <= {"shape", "axes", "flat"} and "shape" in known:
            a = numbers(shape_of(known["shape"]))
            if not agrees(shell(words, a, axes_of(known), "flat" in known), wanted):
                wrong.append((words, known))
    assert wrong == []


NAMES = "abcdefgh"


def letter_words(draw, shape):
    """Fields for the axes, some split in two, some without a size, in another order, with functions."""
    left, fields = [], []
    for n in shape:
        name = NAMES[len(fields)]
        parts = [d for d in range(2, n) if n % d == 0]
        if parts and draw.random() < 0.3:
            first, other = draw.choice(parts), NAMES[len(fields) + 1]
            left.append(f"({name}={first} {other})")
            fields += [(name, first), (other, n // first)]
        else:
            said = draw.choice([name, f"{name}={n}", f"{name}={n}", f"({name})"])
            left.append(said)
            fields.append((name, n))
    right = []
    for name, n in draw.sample(fields, len(fields)):
        kinds = [name, name, f"~{name}", f"roll({name}, {draw.randrange(-n, n + 1)})", f"rev({name})", f"gray({name})"]
        right.append(draw.choice(kinds[:4] if draw.random() < 0.7 else kinds))
    if draw.random() < 0.2 and len(right) > 1:
        at = draw.randrange(len(right) - 1)
        right[at:at + 2] = [f"({right[at]} {right[at + 1]})"]
    return " ".join(left) + " -> " + " ".join(right)


def drawn_words(draw, shape):
    kind = draw.randrange(8)
    axes = draw.sample(range(len(shape)), len(shape))
    if kind < 4:
        words = letter_words(draw, shape)
    elif kind == 4:
        cuts = [draw.choice([":", "::-1"]) for _ in shape]
        words = draw.choice(["numpy:a.T", f"numpy:a[{', '.join(cuts)}]", f"numpy:a.transpose({axes})",
                             "numpy:a.transpose(" + ", ".join(map(str, axes)) + ")"])
    elif kind == 5:
        names = NAMES[:len(shape)]
        words = f"einops:{' '.join(names)} -> {' '.join(names[k] for k in axes)}"
    else:
        words = draw.choice(["~i", "i -> rev(i)", f"roll(i, {draw.randrange(9)})", "i -> gray(i)",
                             f"i -> rot(i, {draw.randrange(4)})", "gray", "bit-reversal", "i -> ~i", "transpose"])
    if draw.random() < 0.1:  # bad words, most of them
        at = draw.randrange(len(words))
        words = words[:at] + draw.choice(["", "x", "2", " ", ")", "->"]) + words[at + 1:]
    return words


def drawn_shape(draw):
    powers = draw.random() < 0.4
    return tuple(2 ** draw.randrange(5) if powers else draw.randrange(1, 13) for _ in range(draw.randrange(1, 5)))


def drawn_cases(seed, count):
    draw = random.Random(seed)
    for _ in range(count):
        shape = drawn_shape(draw)
        yield drawn_words(draw, shape), shape


@needs_program
def test_random_words_mean_one_thing_at_every_door(tmp_path):
    shell, c = Shell(tmp_path), C() if LIBRARY else None
    moved = refused = 0
    wrong = []
    for words, shape in drawn_cases(36, 2000 if os.environ.get("FARO_FULL") == "1" else 300):
        a = numbers(shape)
        result = by_python(words, a)
        moved, refused = moved + (result is not None), refused + (result is None)
        other = shell(words, a)
        if (result is None) != (other is None) or (
                result is not None and (result.shape != other.shape or (result != other).any())):
            wrong.append((words, shape, "program"))
        if result is not None and (np.sort(result, axis=None) != np.arange(a.size)).any():
            wrong.append((words, shape, "no permutation"))
        bare = c(words, a) if c is not None else None
        if c is not None and ((result is None) != (bare is None) or (
                result is not None and (result.ravel() != bare).any())):
            wrong.append((words, shape, "C"))
    assert wrong == []
    assert moved > refused > 20


def test_words_of_letters_are_numpys():
    """What the letters say is done by NumPy, from the words alone."""
    draw = random.Random(5)
    for _ in range(300):
        shape = drawn_shape(draw)
        names = NAMES[:len(shape)]
        order = draw.sample(range(len(shape)), len(shape))
        flips = [draw.random() < 0.3 for _ in shape]
        rolls = [draw.randrange(-3, 4) if draw.random() < 0.3 else 0 for _ in shape]
        right = " ".join(f"roll({'~' * flips[k]}{names[k]}, {rolls[k]})" if rolls[k] else "~" * flips[k] + names[k]
                         for k in order)
        a = numbers(shape)
        wanted = a
        for k in range(len(shape)):
            wanted = np.roll(np.flip(wanted, k) if flips[k] else wanted, rolls[k], k)
        got = faro.permute(a, f"{' '.join(names)} -> {right}")
        assert (got == wanted.transpose(order)).all(), (right, shape)
