#!/usr/bin/env python3
"""Arrays of any shape: time over memcpy of the same bytes, beside NumPy and, where given, HPTT.

usage: shapes.py LIBFARO_C [--rounds N] [--case TEXT] [--hptt LIBRARY [--hptt-measured]]
                 [--mkl LIBRARY] [--onednn LIBRARY] [--check CASES]

One thread, thread processor time, medians of rounds in which the methods take turns, each right
after an untimed run of itself, in one process. LIBFARO_C is build/release/src/libfaro_c.so; the
HPTT library has the C functions hp_plan(element_bytes, perm, axes, from, sizes, to, measure) and
hp_run(element_bytes, plan); --hptt-measured adds its autotuned plans, which take minutes. MKL and
oneDNN: bench/shape_peers.py; what is not given is left out. --check instead compares the bytes of random views with NumPy's.
"""
import argparse
import ctypes
import random
import statistics
import sys
import time

import numpy as np

import shape_peers

U64, I64 = ctypes.c_uint64, ctypes.c_int64


class Array(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", ctypes.c_uint32), ("axes", ctypes.c_int32),
                ("shape", ctypes.POINTER(U64)), ("strides", ctypes.POINTER(I64)), ("offset", U64)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", ctypes.c_uint32), ("threads", ctypes.c_int32),
                ("in_place", ctypes.c_int32), ("reserved", ctypes.c_int32), ("element_bytes", U64),
                ("outer", U64), ("inner", U64)]


class Faro:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.faro_last_error.restype = ctypes.c_char_p
        self.lib.faro_plan_describe.restype = ctypes.c_char_p
        for name in ("faro_plan_describe", "faro_plan_free"):
            getattr(self.lib, name).argtypes = [ctypes.c_void_p]
        self.lib.faro_plan_execute_arrays.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                                                      ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
                                                      ctypes.c_void_p]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.lib.faro_last_error().decode())


def places(view, base, whole):
    """A view of `base`, a buffer of `whole` bytes, as the C API takes it."""
    n = view.ndim
    offset = view.__array_interface__["data"][0] - base
    assert 0 <= offset <= whole
    return Array(ctypes.sizeof(Array), 1, n, (U64 * max(1, n))(*view.shape), (I64 * max(1, n))(*view.strides), offset)


def reach(array):
    """The bytes of a buffer that an array needs: what lies beyond is none of a plan's business."""
    forward = sum((array.shape[k] - 1) * max(0, array.strides[k]) for k in range(array.axes))
    return array.offset + forward


class Plan:
    def __init__(self, faro, text, source, target, from_buffer, to_buffer, threads=1):
        self.faro, self.handle = faro, ctypes.c_void_p()
        self.a, self.b = from_buffer, to_buffer
        options = Options(ctypes.sizeof(Options), 1, threads, 0, 0, source.itemsize, 1, 1)
        start = places(source, from_buffer.ctypes.data, from_buffer.nbytes)
        end = places(target, to_buffer.ctypes.data, to_buffer.nbytes)
        self.a_bytes, self.b_bytes = reach(start) + source.itemsize, reach(end) + target.itemsize
        self.make = lambda: faro.check(faro.lib.faro_plan_create_arrays(
            text.encode(), ctypes.byref(start), ctypes.byref(end), ctypes.byref(options), ctypes.byref(self.handle)))
        self.make()
        self.words = faro.lib.faro_plan_describe(self.handle).decode()

    def run(self):
        self.faro.check(self.faro.lib.faro_plan_execute_arrays(
            self.handle, self.a.ctypes.data, self.a_bytes, self.b.ctypes.data, self.b_bytes, None, None))

    def close(self):
        self.faro.lib.faro_plan_free(self.handle)

    def method(self):
        kernel = self.words.split("; ")[1]
        return "bits" if "registers" in kernel else kernel.split(",")[0].split(" of ")[0]

    def planning(self):
        times = []
        for _ in range(51):
            self.close()
            begin = time.perf_counter()
            self.make()
            times.append(time.perf_counter() - begin)
        return statistics.median(times)


NAMES = "abcdefgh"


def words(order, outs=None):
    left = NAMES[:len(order)]
    right = [left[k] for k in order]
    return f"{' '.join(left)} -> {' '.join(outs or right)}"


def reversed_bits(n):
    w = n.bit_length() - 1
    return np.array([int(format(i, f"0{w}b")[::-1], 2) if w else 0 for i in range(n)])


FIVE = (24, 40, 18, 30, 22)
# name, shape, order, type, terms of the right side where they are no mere axes
CASES = [
    ("56,256,256 f4 (1,2,0)", (56, 256, 256), (1, 2, 0), "f4", None),
    ("256,256,56 f4 (2,0,1)", (256, 256, 56), (2, 0, 1), "f4", None),
    ("6000^2 f8", (6000, 6000), (1, 0), "f8", None),
    ("6001^2 f8", (6001, 6001), (1, 0), "f8", None),
    ("12000^2 f8", (12000, 12000), (1, 0), "f8", None),
    ("8192^2 f4", (8192, 8192), (1, 0), "f4", None),
    ("6001^2 f4", (6001, 6001), (1, 0), "f4", None),
    ("100000,128 f4", (100000, 128), (1, 0), "f4", None),
    ("128,100000 f4", (128, 100000), (1, 0), "f4", None),
    ("1000000,100 f4", (1000000, 100), (1, 0), "f4", None),
    ("512,512,100,3 u1 (3,0,1,2)", (512, 512, 100, 3), (3, 0, 1, 2), "u1", None),
    ("3,512,512,100 u1 (1,2,3,0)", (3, 512, 512, 100), (1, 2, 3, 0), "u1", None),
    ("64,3,224,224 f4 (0,2,3,1)", (64, 3, 224, 224), (0, 2, 3, 1), "f4", None),
    ("5-D f4 (1,2,3,4,0)", FIVE, (1, 2, 3, 4, 0), "f4", None),
    ("5-D f4 (2,3,4,0,1)", FIVE, (2, 3, 4, 0, 1), "f4", None),
    ("5-D f4 (3,4,0,1,2)", FIVE, (3, 4, 0, 1, 2), "f4", None),
    ("5-D f4 (4,0,1,2,3)", FIVE, (4, 0, 1, 2, 3), "f4", None),
    ("5-D f4 (4,3,2,1,0)", FIVE, (4, 3, 2, 1, 0), "f4", None),
    ("5-D f4 (3,1,4,2,0)", FIVE, (3, 1, 4, 2, 0), "f4", None),
    ("5-D f8 (2,0,4,1,3)", FIVE, (2, 0, 4, 1, 3), "f8", None),
    ("5-D f4 (1,0,3,2,4)", FIVE, (1, 0, 3, 2, 4), "f4", None),
    ("100,2^8,1000 f4 c rev(b) a", (100, 256, 1000), (2, 1, 0), "f4", ("c", "rev(b)", "a")),
    ("400,100,2^10 f4 rev(c) a b", (400, 100, 1024), (2, 0, 1), "f4", ("rev(c)", "a", "b")),
    ("6000^2 f8 b ~a", (6000, 6000), (1, 0), "f8", ("b", "~a")),
    ("4001^2 c16", (4001, 4001), (1, 0), "c16", None),
    ("9000^2 u2", (9000, 9000), (1, 0), "u2", None),
    ("12001^2 u1", (12001, 12001), (1, 0), "u1", None),
    ("6000,7000,3 u1 (1,0,2)", (6000, 7000, 3), (1, 0, 2), "u1", None),
    ("4000,4001,3 f4 (1,0,2)", (4000, 4001, 3), (1, 0, 2), "f4", None),
]


def expected(a, order, outs):
    view = a.transpose(order)
    for axis, term in enumerate(outs or ()):
        if term.startswith("~"):
            view = np.flip(view, axis)
        elif term.startswith("rev"):
            view = np.take(view, reversed_bits(view.shape[axis]), axis)
    return view


def bench(faro, options):
    libc = ctypes.CDLL(None)
    libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    hptt = ctypes.CDLL(options.hptt) if options.hptt else None
    if hptt:
        hptt.hp_plan.restype = ctypes.c_void_p
        hptt.hp_plan.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int] + [ctypes.c_void_p] * 3 + [ctypes.c_int]
        hptt.hp_run.argtypes = [ctypes.c_int, ctypes.c_void_p]
    others = {}
    if options.mkl:
        others["mkl"] = shape_peers.Mkl(options.mkl)
    if options.onednn:
        others["onednn"] = shape_peers.OneDnn(options.onednn)
    gains = []
    for name, shape, order, kind, outs in CASES:
        if not any(case in name for case in options.case or [""]):
            continue
        count = int(np.prod(shape))
        a = (np.arange(count, dtype=np.uint32) & 0xFFFFF).astype(kind).reshape(shape)
        b = np.zeros(count, kind)
        want = expected(a, order, outs)
        to = b.reshape(want.shape)
        plan = Plan(faro, words(order, outs), a, to, a, b)
        plan.run()
        right = np.array_equal(to, want)
        runs = {"memcpy": lambda: libc.memcpy(b.ctypes.data, a.ctypes.data, a.nbytes), "faro": plan.run,
                "numpy": lambda: np.copyto(to, expected(a, order, outs))}
        if hptt and kind in ("f4", "f8") and outs is None:
            perm = (ctypes.c_int * len(order))(*order)
            sizes = (ctypes.c_int * len(shape))(*shape)
            for way, measure in (("hptt", 0), ("hptt-measured", 1))[:1 + options.hptt_measured]:
                handle = hptt.hp_plan(a.itemsize, perm, len(order), a.ctypes.data, sizes, b.ctypes.data, measure)
                b[...] = 0
                hptt.hp_run(a.itemsize, handle)
                if np.array_equal(to, want):
                    runs[way] = lambda h=handle, e=a.itemsize: hptt.hp_run(e, h)
        for way, peer in others.items() if outs is None else ():
            run = peer.run(a, order, b)
            b[...] = 0
            if run:
                run()
                if np.array_equal(to, want):
                    runs[way] = run
        times = {way: [] for way in runs}
        for turn in range(options.rounds):
            for way, run in runs.items():
                if way == "numpy" and turn > 1:
                    continue
                run()
                begin = time.thread_time()
                run()
                times[way].append(time.thread_time() - begin)
        middle = {way: statistics.median(t) for way, t in times.items()}
        base = middle.pop("memcpy")
        peers = [t for way, t in middle.items() if way != "faro"]
        gains.append(min(peers) / middle["faro"])
        print(f"{name:28s} {'right' if right else 'WRONG'} {a.nbytes / 2**20:6.0f} MiB "
              + " ".join(f"{way} {t / base:.2f}" for way, t in middle.items())
              + f" | {2 * a.nbytes / middle['faro'] / 1e9:.1f} GB/s, planned in {plan.planning() * 1e6:.0f} us, "
              + plan.method(), flush=True)
        plan.close()
        del a, b, to, want, runs
    if gains:
        print(f"best peer / faro: median {statistics.median(gains):.2f}, least {min(gains):.2f}")


def random_view(rng, shape, element, gaps):
    """A view of a fresh buffer: steps, gaps, axes backwards, an offset."""
    pads = [rng.choice([0, 0, 0, 1, 3]) if gaps else 0 for _ in shape]
    steps = [rng.choice([1, 1, 1, 1, 2, -1, -2]) if gaps else 1 for _ in shape]
    big = [(n + p) * abs(s) for n, p, s in zip(shape, pads, steps)]
    offset = rng.randint(0, 70)
    buffer = np.full(int(np.prod(big)) * element + offset + 64, 0xA5, np.uint8)
    inner = buffer[offset:offset + int(np.prod(big)) * element].view(np.dtype((np.void, element))).reshape(big)
    cut = tuple(slice(None, n * abs(s), abs(s)) if s > 0 else slice(n * abs(s) - 1, None, s)
                for n, s in zip(shape, steps))
    return buffer, inner[cut]


def check(faro, cases, seed=1):
    rng = random.Random(seed)
    wrong, methods = 0, {}
    for case in range(cases):
        element = rng.choice([1, 1, 2, 2, 3, 4, 4, 4, 5, 6, 7, 8, 8, 8, 12, 16, 16, 24, 37, 64])
        shape, left = [], rng.choice([2000, 20000, 200000])
        for _ in range(rng.randint(1, 6)):
            n = min(left, rng.choice([1, 2, 3, 4, 5, 7, 8, 16, 17, 22, 32, 33, 56, 64, 100, 128, rng.randint(1, 1000)]))
            shape.append(n)
            left //= n
        rng.shuffle(shape)
        order = list(range(len(shape)))
        rng.shuffle(order)
        outs = []
        for k in order:
            bits = shape[k] & (shape[k] - 1) == 0 and shape[k] > 1
            outs.append(rng.choice([NAMES[k], NAMES[k], f"~{NAMES[k]}"] + ([f"rev({NAMES[k]})"] if bits else [])))
        from_buffer, source = random_view(rng, shape, element, rng.random() < .5)
        if from_buffer.nbytes > 40_000_000:
            continue
        from_buffer[:] = np.random.default_rng(case).integers(0, 256, from_buffer.nbytes, np.uint8)
        target_shape = [shape[k] for k in order]
        to_buffer, target = random_view(rng, target_shape, element, rng.random() < .3)
        result = to_buffer.copy()
        offset = target.__array_interface__["data"][0] - to_buffer.ctypes.data
        target[...] = expected(source, order, outs)
        same = np.ndarray(target.shape, target.dtype, result, offset, target.strides)
        plan = Plan(faro, words(order, outs), source, same, from_buffer, result, rng.choice([1, 1, 2, 3]))
        plan.run()
        methods[plan.method()] = methods.get(plan.method(), 0) + 1
        if not np.array_equal(result, to_buffer):
            wrong += 1
            print("WRONG", case, element, shape, words(order, outs), source.strides, same.strides, plan.words)
        plan.close()
    print(f"{sum(methods.values())} cases, {wrong} wrong: {methods}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", action="append", metavar="TEXT")
    parser.add_argument("--hptt")
    parser.add_argument("--hptt-measured", action="store_true")
    parser.add_argument("--mkl")
    parser.add_argument("--onednn")
    parser.add_argument("--check", type=int, metavar="CASES")
    options = parser.parse_args()
    faro = Faro(options.library)
    if options.check:
        sys.exit(check(faro, options.check) != 0)
    bench(faro, options)


if __name__ == "__main__":
    main()
