"""Arrays on GPUs: as fake drivers are asked for them, and as OpenCL moves them where a device is.

The fakes are built by the C++ tests: FARO_FAKE_DRIVERS names their folder, else build/release/tests/fake.
"""

import ctypes
import os
import pathlib
import sys
import types

import faro
import faro.gpu
import numpy as np
import pytest

fakes = pathlib.Path(os.environ.get("FARO_FAKE_DRIVERS", pathlib.Path(__file__).parents[2] / "build/release/tests/fake"))


class Library:
    """A library of arrays on the fake device, with CuPy's names: addresses and no elements."""

    def __init__(self, driver, stream):
        self.driver, self.module = driver, types.ModuleType("fakepy")
        self.made = []
        library, module = self, self.module

        class ndarray:
            def __init__(self, shape, dtype=np.float64, strides=None, at=None):
                self.shape, self.dtype, self.strides = tuple(shape), np.dtype(dtype), strides
                size = max(1, int(np.prod(shape)) * self.dtype.itemsize)
                self.at = library.allocate(size) if at is None else at
                library.made.append(self)

            @property
            def __cuda_array_interface__(self):
                return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.at, False), "version": 3,
                        "strides": self.strides, "stream": 1}

            def __dlpack_device__(self):
                return 2, 0

            def copy(self):
                return ndarray(self.shape, self.dtype)

        ndarray.__module__ = "fakepy"
        module.ndarray = ndarray
        module.empty = ndarray
        module.ascontiguousarray = lambda x: ndarray(x.shape, x.dtype)
        module.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=stream))
        sys.modules["fakepy"] = module

    def allocate(self, size):
        at = ctypes.c_void_p()
        assert self.driver.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(size)) == 0
        return at.value

    def said(self):
        text = self.driver.fake_said().decode()
        self.driver.fake_forget()
        return [line for line in text.splitlines() if line.startswith("launch")]


@pytest.fixture
def library():
    if not (fakes / "libcuda.so.1").exists():
        pytest.skip(f"no fake drivers in {fakes}")
    ctypes.CDLL(str(fakes / "libnvrtc.so.13"))
    driver = ctypes.CDLL(str(fakes / "libcuda.so.1"))
    driver.fake_said.restype = ctypes.c_char_p
    driver.fake_stream.restype = ctypes.c_void_p
    driver.fake_current(0)
    made = Library(driver, driver.fake_stream(0))
    made.said()
    yield made
    driver.fake_current(-1)
    del sys.modules["fakepy"]


def test_a_call_is_one_launch_on_the_librarys_stream(library):
    x = library.module.ndarray((64, 128), np.float32)
    y = faro.permute(x, "r:6 c:7 -> c r")
    assert type(y) is type(x) and y.shape == (128, 64) and y.dtype == x.dtype
    (line,) = library.said()
    stream = library.driver.fake_stream(0)
    assert f" stream {stream} " in line
    first, second = map(int, line.split(" array")[1:])
    assert second - first == y.at - x.at
    out = library.module.ndarray((64, 128), np.float32)
    assert faro.permute(x, "i -> rev(i)", axis=1, out=out) is out
    assert faro.permute(x, axes=(1, 0)).shape == (128, 64)
    assert faro.permute(x, "i -> gray(i)", inverse=True).shape == x.shape
    assert len(library.said()) == 3


def test_arrays_that_no_kernel_takes_as_they_lie_are_copied_by_their_library(library):
    x = library.module.ndarray((64, 64), np.float64)
    turned = library.module.ndarray((64, 64), np.float64, strides=(8, 512), at=x.at)
    before = len(library.made)
    faro.permute(turned, "i -> rev(i)")
    assert len(library.made) == before + 3  # in order, its copy, the result
    odd = library.module.ndarray((32, 32), np.float64, at=x.at + 8)
    with pytest.raises(ValueError, match="without a copy"):
        faro.permute(odd, "i -> rev(i)", copy=False)
    with pytest.raises(ValueError, match="16 bytes"):
        faro.permute(x, "i -> rev(i)", out=library.module.ndarray((64, 64), np.float64, at=x.at + 8))
    assert len(library.said()) == 1


def test_in_place_and_refusals(library):
    x = library.module.ndarray((4096,), np.float64)
    assert faro.permute(x, "i -> rev(i)", out=x) is x
    (line,) = library.said()
    assert line.count("array") == 1
    with pytest.raises(faro.Impossible, match="own inverse"):
        faro.permute(x, "i -> gray(i)", out=x, copy=False)
    with pytest.raises(ValueError, match="out has shape"):
        faro.permute(x, "i -> rev(i)", out=library.module.ndarray((2048,), np.float64))
    with pytest.raises(ValueError, match="another library"):
        faro.permute(x, "i -> rev(i)", out=np.empty(4096))
    foreign = library.module.ndarray((4096,), np.float64, at=4096)
    with pytest.raises(faro.UsageError, match="host's memory"):
        faro.permute(foreign, "i -> rev(i)")
    assert faro.permute(library.module.ndarray((0, 4)), "i -> ~i", axis=1).shape == (0, 4)
    assert library.said() == []


def test_modules_that_make_no_arrays_need_out(library):
    x, y = library.module.ndarray((64, 64)), library.module.ndarray((64, 64))
    turned = library.module.ndarray((64, 64), strides=(8, 512), at=x.at)
    del library.module.empty, library.module.ascontiguousarray
    assert faro.permute(x, "i -> rev(i)", out=y) is y
    with pytest.raises(faro.UsageError, match="say out="):
        faro.permute(x, "i -> rev(i)")
    with pytest.raises(faro.UsageError, match="give one in C order, at a multiple of 16 bytes"):
        faro.permute(turned, "i -> rev(i)", out=y)
    assert len(library.said()) == 1


def test_tensors_take_out(library, monkeypatch):
    torch = pytest.importorskip("torch", reason="no torch")
    known, at = faro._device._Torch, {}

    def place(x):  # tensors of the CPU, for which the fake device has an address each
        if x.data_ptr() not in at:
            at[x.data_ptr()] = library.allocate(1 << 16)
        return faro._device.Place("cuda", at[x.data_ptr()], library.driver.fake_stream(0), 0)

    monkeypatch.setattr(known, "is_on", staticmethod(lambda x: True))
    monkeypatch.setattr(known, "place", staticmethod(place))
    x, y, wide = torch.zeros(4096), torch.zeros(4096), torch.zeros(4097, dtype=torch.complex64)
    assert faro.permute(x, "i -> rev(i)", axis=0, out=x) is x
    assert faro.permute(x, "i -> rev(i)", axis=0, out=y) is y
    assert [line.count("array") for line in library.said()] == [1, 2]
    for out in (wide[1:], wide[:4096].conj(), torch.zeros(8192, dtype=torch.complex64)[::2]):
        with pytest.raises(ValueError, match="in C order, at a multiple of 16 bytes, no view by conj"):
            faro.permute(wide[:4096], "i -> rev(i)", axis=0, out=out)
        with pytest.raises(ValueError, match="without a copy"):
            faro.permute(out, "i -> rev(i)", axis=0, copy=False)
        assert torch.equal(known.copy(out), out) and known.takes(known.copy(out))
        faro.permute(out, "i -> rev(i)", axis=0)
    assert len(library.said()) == 3


def test_emit_and_plan():
    text = faro.gpu.emit("cuda", "i:20 -> rev(i)", itemsize=4, name="reverse")
    assert "reverse(" in text and "launch: global" in text
    m = faro.BitMap("i:12 -> gray(i)")
    plan = faro.gpu.plan(m, itemsize=8, on="h100")
    assert plan.certificate["read"]["sectors"] == 4096 * 8 // 32
    assert "sectors" in str(plan) and "<table" in plan._repr_html_() and "gray" in repr(plan)
    assert sum(row.count("#246") for row in faro.gpu.plan("i:12 -> rev(i)", itemsize=4)._repr_html_().split("<tr>")) > 20
    with pytest.raises(AttributeError):
        plan.nothing
    with pytest.raises(faro.UsageError):
        faro.gpu.emit("cuda", "i:20 -> rev(i)", itemsize=65)
    for only in ({"5": 1}, {5: "1"}, {5: 2}, {64: 1}, {0.5: 1}, {5: None}):
        with pytest.raises(faro.UsageError, match="wanted bits of the index"):
            faro.gpu.emit("cuda", "i:8 -> rev(i)", itemsize=4, only=only)
    with pytest.raises(faro.UsageError, match="opencl"):
        faro.gpu.emit("metal", "i:20 -> rev(i)", itemsize=4)
    assert isinstance(faro.gpu.devices(), list)


@pytest.fixture
def queue():
    cl = pytest.importorskip("pyopencl", reason="no pyopencl")
    pytest.importorskip("pyopencl.array")
    try:
        return cl.CommandQueue(cl.Context([cl.get_platforms()[0].get_devices()[0]]))
    except Exception as error:
        pytest.skip(f"no OpenCL device: {error}")


def test_opencl_moves_the_same_bytes(queue):
    import pyopencl.array

    rng = np.random.default_rng(45)
    for dtype in (np.uint8, np.float32, np.complex128):
        a = rng.integers(0, 256, (32, 64, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0]
        x = pyopencl.array.to_device(queue, a)
        for words, more in [("r:5 c:6 -> rev(c) ~r", {}), ("i -> rev(i)", {}), ("i -> gray(i)", {"axis": 1}),
                            ("i -> gray(i)", {"inverse": True})]:
            want = faro.permute(a, words, **more)
            got = faro.permute(x, words, **more)
            assert type(got) is type(x) and got.shape == want.shape
            assert got.get().tobytes() == want.tobytes()
        sides = pyopencl.array.to_device(queue, np.ascontiguousarray(a[:29, :51]))
        for words, more in [("r c -> ~c r", {}), (None, {"axes": (1, 0)}), ("i -> ~i", {"axis": 0})]:
            want = faro.permute(sides.get(), words, **more)
            got = faro.permute(sides, words, **more)
            assert got.shape == want.shape and got.get().tobytes() == want.tobytes()
        faro.permute(x, "i -> gray(i)", out=x)  # no involution: by a second array
        assert x.get().tobytes() == faro.permute(a, "i -> gray(i)").tobytes()
        assert faro.permute(x, "i -> rev(i)", out=x) is x
        assert x.get().tobytes() == faro.permute(faro.permute(a, "i -> gray(i)"), "i -> rev(i)").tobytes()


def test_opencl_parts_and_empty_arrays(queue):
    import pyopencl.array

    x = pyopencl.array.to_device(queue, np.arange(4096, dtype=np.float32))
    part = x[1024:2048]
    assert np.array_equal(faro.permute(part, "i -> rev(i)").get(), faro.permute(part.get(), "i -> rev(i)"))
    for out in (part, x[1:1025]):
        with pytest.raises(ValueError, match="from the first byte of its buffer"):
            faro.permute(part, "i -> rev(i)", out=out)
    with pytest.raises(ValueError, match="in C order"):
        faro.permute(x.reshape(64, 64), "i -> rev(i)", out=x.reshape(64, 64).T)
    empty = pyopencl.array.empty(queue, (0, 4), np.float32)
    assert faro.permute(empty, "i -> ~i", axis=1).shape == (0, 4)
    assert faro.permute(empty, "i -> ~i", axis=1, out=empty) is empty
    with pytest.raises(ValueError, match="out has shape"):
        faro.permute(empty, "i -> ~i", axis=1, out=x)
