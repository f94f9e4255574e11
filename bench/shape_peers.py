"""MKL and oneDNN beside faro: the moves of whole arrays that they can say, on one thread.

pip install mkl onednn-cpu-gomp brings the libraries: .../lib/libmkl_rt.so.N and .../lib/libdnnl.so.N.
A peer's run(a, order, b) is a function that makes b the transpose of a, or nothing where it has no
such move: MKL has matrices of 4, 8 and 16 bytes, which all cyclic orders of axes are; oneDNN any order
of at most 12 axes of 1, 2, 4 and perhaps 8 bytes.
"""
import ctypes
import os

import numpy as np

I64 = ctypes.c_int64


class Complex(ctypes.Structure):
    _fields_ = [("real", ctypes.c_double), ("imaginary", ctypes.c_double)]


class Mkl:
    def __init__(self, path):
        os.environ["MKL_NUM_THREADS"] = "1"
        os.environ.setdefault("MKL_THREADING_LAYER", "SEQUENTIAL")
        lib = ctypes.CDLL(path)
        size, pointer, char = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char
        self.calls = {}
        for kind, name, scalar, one in (("f4", "MKL_Somatcopy", ctypes.c_float, 1.0),
                                        ("f8", "MKL_Domatcopy", ctypes.c_double, 1.0),
                                        ("c16", "MKL_Zomatcopy", Complex, Complex(1, 0))):
            call = getattr(lib, name)
            call.restype = None
            call.argtypes = [char, char, size, size, scalar, pointer, size, pointer, size]
            self.calls[kind] = (call, one)

    def run(self, a, order, b):
        kind = a.dtype.str[1:]
        axes = len(order)
        if kind not in self.calls or list(order) != [(order[0] + k) % axes for k in range(axes)]:
            return None
        rows = int(np.prod(a.shape[:order[0]]))
        columns = a.size // rows
        call, one = self.calls[kind]
        return lambda: call(b"R", b"T", rows, columns, one, a.ctypes.data, columns, b.ctypes.data, rows)


class Argument(ctypes.Structure):
    _fields_ = [("which", ctypes.c_int), ("memory", ctypes.c_void_p)]


class OneDnn:
    # dnnl_data_type_t
    TYPES = {"f4": 3, "f8": 7, "u1": 6, "f2": 1}

    def __init__(self, path):
        os.environ["OMP_NUM_THREADS"] = "1"
        self.lib = ctypes.CDLL(path)
        self.engine, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.need("dnnl_engine_create", ctypes.byref(self.engine), 1, ctypes.c_size_t(0))
        self.need("dnnl_stream_create", ctypes.byref(self.stream), self.engine, 1)

    def need(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: status {status}")

    def memory(self, shape, strides, kind, data):
        n = len(shape)
        description, memory = ctypes.c_void_p(), ctypes.c_void_p()
        self.need("dnnl_memory_desc_create_with_strides", ctypes.byref(description), n, (I64 * n)(*shape),
                  self.TYPES[kind], (I64 * n)(*strides))
        self.need("dnnl_memory_create", ctypes.byref(memory), description, self.engine, ctypes.c_void_p(data))
        return description, memory

    def run(self, a, order, b):
        # Elements of 2 bytes are moved as floats of 2 bytes, which nothing rounds.
        kind = {"u2": "f2"}.get(a.dtype.str[1:], a.dtype.str[1:])
        if kind not in self.TYPES or len(order) > 12:
            return None
        view = a.transpose(order)
        steps = [s // a.itemsize for s in view.strides]
        dense = [int(np.prod(view.shape[k + 1:])) for k in range(view.ndim)]
        primitive, reorder = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            source, source_memory = self.memory(view.shape, steps, kind, a.ctypes.data)
            target, target_memory = self.memory(view.shape, dense, kind, b.ctypes.data)
            self.need("dnnl_reorder_primitive_desc_create", ctypes.byref(reorder), source, self.engine, target,
                      self.engine, None)
            self.need("dnnl_primitive_create", ctypes.byref(primitive), reorder)
        except RuntimeError:
            return None
        arguments = (Argument * 2)((1, source_memory), (17, target_memory))

        def run():
            self.need("dnnl_primitive_execute", primitive, self.stream, 2, arguments)
            self.need("dnnl_stream_wait", self.stream)
        return run
