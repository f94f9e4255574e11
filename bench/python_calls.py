#!/usr/bin/env python3
"""What a call from Python costs, beside NumPy's own copies in the same run: medians of interleaved
rounds, and ratios. Needs the package (pip install .) and numpy.

usage: bench/python_calls.py [--large]      --large adds arrays of 256 MiB beside the plan's own time
"""

import statistics
import sys
import time

import faro
import numpy as np


def rounds(contenders, repeat, count):
    """Nanoseconds of a call, the median over rounds in which the contenders take turns."""
    taken = {name: [] for name in contenders}
    for _ in range(count):
        for name, call in contenders.items():
            begin = time.perf_counter_ns()
            for _ in range(repeat):
                call()
            taken[name].append((time.perf_counter_ns() - begin) / repeat)
    return {name: statistics.median(times) for name, times in taken.items()}


def show(title, times, unit=1.0, word="ns"):
    base = next(iter(times.values()))
    print(title)
    for name, value in times.items():
        print(f"  {name:<44} {value / unit:10.1f} {word}   {value / base:6.2f}")


def small():
    x = np.arange(64.0)
    square = x.reshape(8, 8)
    out = np.empty_like(x)
    m = faro.BitMap("r:3 c:3 -> c r")
    plan = faro.PermutePlan(m, itemsize=8)
    places = m.inverse().table().astype(np.intp)
    show("512 bytes: 64 doubles, as 8 x 8 transposed", rounds({
        "np.ascontiguousarray(x.T)": lambda: np.ascontiguousarray(square.T),
        "np.copyto(out, x)": lambda: np.copyto(out, x),
        "x[places]": lambda: x[places],
        "faro.permute(x, 'text')": lambda: faro.permute(x, "r:3 c:3 -> c r"),
        "faro.permute(x, BitMap)": lambda: faro.permute(x, m),
        "faro.permute(x, BitMap, out=out)": lambda: faro.permute(x, m, out=out),
        "plan(x, out)": lambda: plan(x, out),
        "faro.contiguous(x.T)": lambda: faro.contiguous(square.T),
        "faro.rearrange(x, 'r c -> c r')": lambda: faro.rearrange(square, "r c -> c r"),
    }, 2000, 25))


def shapes():
    for shape, axes, dtype in [((8000, 8000), (1, 0), "f4"), ((4096, 4096), (1, 0), "f8"),
                               ((56, 256, 256), (1, 2, 0), "f8"), ((200000, 128), (1, 0), "f4")]:
        a = np.ones(shape, dtype)
        out = np.empty(tuple(shape[k] for k in axes), dtype)
        out[...] = 1
        times = rounds({
            "np.copyto(out, a)": lambda: np.copyto(out.reshape(-1), a.reshape(-1)),
            "np.copyto(out, a.transpose)": lambda: np.copyto(out, a.transpose(axes)),
            "faro.permute(a, axes=, threads=1)":
                lambda: faro.permute(a, axes=axes, out=out, threads=1),
            "faro.permute(a, axes=)": lambda: faro.permute(a, axes=axes, out=out),
        }, 1, 5)
        show(f"{shape} {dtype} to axes {axes}", times, 1e6, "ms")


def large():
    """The call beside the plan that it runs: what Python adds."""
    x = np.ones(1 << 25)
    out = np.empty_like(x)
    out[...] = 1
    m = faro.BitMap("bit-reversal:25")
    plan = faro.PermutePlan(m, itemsize=8, threads=1)
    show("256 MiB, bit reversal, one thread", rounds({
        "np.copyto(out, x)": lambda: np.copyto(out, x),
        "plan(x, out): the C++ call and 0.3 us": lambda: plan(x, out),
        "faro.permute(x, map, out=out, threads=1)":
            lambda: faro.permute(x, m, out=out, threads=1),
    }, 1, 9), 1e6, "ms")


if __name__ == "__main__":
    small()
    if "--large" in sys.argv[1:]:
        shapes()
        large()
