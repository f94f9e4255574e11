"""NumPy as the judge of .npy files.

numpy_judge.py write FOLDER     arrays of every fixed-size type, order and several shapes, with what NumPy
                                says of each in FILE.facts
numpy_judge.py compare FOLDER   every FILE.ours holds the array of FILE
"""
import pathlib
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")  # version 2 and 3 headers are what this is about


def types():
    simple = ["?", "i1", "u1", "S1", "S7", "V5", "V1"]
    for order in "<>":
        simple += [order + kind for kind in (
            "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32",
            "U1", "U5", "M8[ns]", "M8[D]", "m8[25s]", "M8", "m8[us]")]
    for code in simple:
        yield np.dtype(code)
    yield np.dtype([("x", "<i4"), ("y", ">f8")])
    yield np.dtype([("x", "<i1"), ("y", ">f8")], align=True)
    yield np.dtype([("x", "<i4", (2, 3)), ("y", [("u", "S3"), ("v", "<c16", 2)])])
    yield np.dtype([("a field", "<i4"), ("it's \"quoted\" \\ ", "<f4")])
    yield np.dtype([(("a title", "x"), "<i4"), ("y", "<M8[ms]")])
    yield np.dtype([("été", "<i4")])            # latin-1: version 1
    yield np.dtype([("поле", "<i4"), ("欄", "<f4"), ("🂡", "<f8")])   # version 3
    yield np.dtype([(f"field{i}", "<f4") for i in range(5000)])      # version 2


def write(folder):
    random = np.random.default_rng(1)
    count = 0
    for dtype in types():
        for shape in ((), (0,), (5,), (1, 1), (4, 3), (2, 0, 3), (2, 3, 4)):
            size = int(np.prod(shape, dtype=int)) * dtype.itemsize
            data = random.integers(0, 256, size, dtype=np.uint8).tobytes()
            for order in "CF":
                array = np.ndarray(shape, dtype=dtype, buffer=bytearray(data), order=order) if size else \
                    np.zeros(shape, dtype=dtype, order=order)
                name = folder / f"{count}.npy"
                np.save(name, array, allow_pickle=False)
                stored = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
                sides = "".join(f"{side}," for side in shape)
                (folder / f"{count}.npy.facts").write_text(f"{sides} {dtype.itemsize} {stored}\n")
                count += 1


def compare(folder):
    wrong = 0
    for name in sorted(folder.glob("*.npy")):
        first = np.load(name, allow_pickle=False, max_header_size=10**6)
        second = np.load(str(name) + ".ours", allow_pickle=False, max_header_size=10**6)
        same = (first.dtype == second.dtype and first.shape == second.shape
                and first.tobytes() == second.tobytes()
                and first.flags.f_contiguous == second.flags.f_contiguous)
        if not same:
            print(f"{name}: {first.dtype} {first.shape} differs from {second.dtype} {second.shape}")
            wrong += 1
    return wrong


folder = pathlib.Path(sys.argv[2])
sys.exit(write(folder) if sys.argv[1] == "write" else compare(folder) != 0)
