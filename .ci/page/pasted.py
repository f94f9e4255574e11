"""What somebody does with the page's text: pastes the kernel and the lines that launch it into a program of their own.

pasted.py FILE      one JSON list of {text, call, opencl, columns, complement, bytes, in_place} or {.., shape}

Lines for CuPy run with a module of that name whose RawKernel lends the CUDA text the few macros of the OpenCL text,
all that differs, and runs it on PoCL. Prints what is wrong with each, an empty line where nothing is.
"""
import json
import pathlib
import sys
import types

import numpy as np
import pyopencl as cl

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from gf2 import destinations  # noqa: E402

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)


def macros(text):
    return text[text.index("typedef"):text.index("\nKERNEL")]




def launched(program, name, grid, local, arrays):
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for a in arrays]
    getattr(program, name)(queue, (grid[0] * local[0],), local, *buffers)
    for array, buffer in zip(arrays, buffers):
        cl.enqueue_copy(queue, array, buffer)
    queue.finish()


def cupy_of(opencl):
    class RawKernel:
        def __init__(self, text, name):
            assert 'extern "C" __global__' in text
            self.name = name
            self.program = cl.Program(context, text.replace(macros(text), macros(opencl))).build("-cl-std=CL1.2")

        def __call__(self, grid, block, arguments):
            launched(self.program, self.name, grid, block, arguments)

    return types.SimpleNamespace(RawKernel=RawKernel)


def wanted(case, data):
    if "shape" in case:
        return data.reshape(*case["shape"], -1).swapaxes(0, 1).reshape(data.shape)
    out = np.empty_like(data)
    out[destinations(case["columns"], case["complement"])] = data
    return out


def fault(case, rng):
    elements = case["shape"][0] * case["shape"][1] if "shape" in case else 1 << len(case["columns"])
    data = rng.integers(0, 256, (elements, case["bytes"]), np.uint8)
    x, y = data.copy(), np.full_like(data, 0xA5)
    if "RawKernel" in case["call"]:
        exec(case["call"], {"text": case["text"], "cupy": cupy_of(case["opencl"]), "x": x, "y": y})
    else:
        buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for a in (x, y)]
        exec(case["call"], {"text": case["text"], "pyopencl": cl, "context": context, "queue": queue, "x": buffers[0], "y": buffers[1]})
        for array, buffer in zip((x, y), buffers):
            cl.enqueue_copy(queue, array, buffer)
        queue.finish()
    want = wanted(case, data)
    if not ((x if case["in_place"] else y) == want).all():
        return "the bytes are not the map's"
    return "" if case["in_place"] or (x == data).all() else "the source has changed"


rng = np.random.default_rng(3)
for case in json.load(open(sys.argv[1])):
    try:
        print(fault(case, rng))
    except Exception as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "))
