"""torch: tensors in and out, the operator under everything that torch does to operators.

Skipped where torch cannot be imported; ./test --peers --torch installs it and runs this.
"""

import pickle

import faro
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: ./test --peers --torch installs it")

import faro.torch  # noqa: E402

dtypes = [torch.bool, torch.uint8, torch.int16, torch.float16, torch.bfloat16, torch.float8_e4m3fn,
          torch.float32, torch.int64, torch.float64, torch.complex64, torch.complex128]


def numbered(dtype, *shape):
    """Tensors whose elements differ in their bytes, as far as there are bytes."""
    n = int(np.prod(shape, dtype=np.int64))
    size = torch.empty((), dtype=dtype).element_size()
    if dtype == torch.bool:
        return (torch.arange(n) % 3 == 1).reshape(shape)
    words = np.arange(n * size, dtype=np.uint8) if size == 1 else np.random.default_rng(n).integers(
        0, 256, n * size).astype(np.uint8)
    return torch.from_numpy(words).view(dtype).reshape(shape)


def raw(t):
    """The bytes of each element: NaNs compare."""
    t = t.detach().resolve_conj().contiguous().reshape(-1)
    size = t.element_size()
    if t.is_complex():
        t = torch.view_as_real(t).contiguous().reshape(-1)
    return t.view(torch.uint8).numpy().reshape(-1, size)


def moved(t, m):
    result = np.empty_like(raw(t))
    result[m.table().astype(np.int64)] = raw(t)
    return result


@pytest.mark.parametrize("dtype", dtypes, ids=str)
def test_every_dtype_goes_through(dtype):
    m = faro.BitMap("i:6 -> gray(i) ^ 5")
    for permute in (faro.permute, faro.torch.permute):
        x = numbered(dtype, 8, 8)
        y = permute(x, m)
        assert type(y) is torch.Tensor and y.dtype == dtype and y.shape == x.shape
        assert (raw(y) == moved(x, m)).all()
        view = numbered(dtype, 8, 8).T
        assert (raw(permute(view, m)) == moved(view, m)).all()
        rows = permute(x, "i -> rev(i)", axis=1)
        order = faro.BitMap("i:3 -> rev(i)").table().astype(np.int64)
        assert (raw(rows) == raw(x).reshape(8, 8, -1)[:, order].reshape(64, -1)).all()  # a bit reversal is its own inverse
        assert permute(x[:0], "i -> ~i", axis=1).shape == (0, 8)
        assert (raw(permute(x[0, 0], "i:0 -> i")) == raw(x[0, 0])).all()
    x = numbered(dtype, 8, 8)
    wanted = moved(x, m)
    assert faro.permute(x, m, out=x) is x and (raw(x) == wanted).all()
    assert (raw(faro.contiguous(x.T)) == raw(x.T)).all()
    assert (raw(faro.rearrange(x, "(a b) c -> c b a", a=2)) ==
            raw(x.reshape(2, 4, 8).permute(2, 1, 0))).all()


def test_lazy_views_are_what_they_say():
    x = torch.randn(16, dtype=torch.complex64)
    assert torch.equal(faro.permute(x.conj(), "i -> ~i"), x.conj().flip(0))
    assert torch.equal(faro.permute(x.conj().imag, "i -> ~i"), x.conj().imag.flip(0))
    assert torch.equal(faro.torch.permute(x.conj(), "i -> ~i"), x.conj().flip(0))
    y = torch.zeros(16, dtype=torch.complex64)
    with pytest.raises(ValueError, match="lazily"):
        faro.permute(x, "i -> ~i", out=y.conj())
    assert not y.any()


def test_the_derivative_is_not_lost_in_silence():
    x = torch.zeros(8, requires_grad=True)
    for lost in (lambda: faro.permute(x, "i -> ~i"), lambda: faro.contiguous(x.reshape(2, 4).T),
                 lambda: faro.rearrange(x, "(a b) -> b a", a=2),
                 lambda: faro.permute(torch.zeros(8), "i -> ~i", out=x)):
        with pytest.raises(ValueError, match="faro.torch.permute"):
            lost()
    with torch.no_grad():
        assert torch.equal(faro.permute(x, "i -> ~i"), x)
    assert faro.check(x, x, "i -> i") is None
    # What autograd saved is overwritten: it hears of it.
    y = torch.ones(8)
    z = (x * y).sum()
    faro.permute(y, "i -> ~i", out=y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_other_devices_and_layouts_are_refused():
    with pytest.raises(BufferError, match="meta"):
        faro.permute(torch.zeros(8, device="meta"), "i -> ~i")
    with pytest.raises((TypeError, RuntimeError)):
        faro.permute(torch.zeros(8).to_sparse(), "i -> ~i")
    assert faro.torch.permute(torch.zeros(8, device="meta"), "i -> ~i").device.type == "meta"


class Mine(torch.Tensor):
    pass


def test_subclasses_of_tensors_are_tensors():
    x = torch.arange(8.0).as_subclass(Mine)
    for y in (faro.permute(x, "i -> ~i"), faro.rearrange(x, "(a b) -> (b a)", a=1).flip(0)):
        assert isinstance(y, torch.Tensor) and torch.equal(y.as_subclass(torch.Tensor),
                                                           torch.arange(8.0).flip(0))
    assert faro.permute(x, "i -> ~i", out=x) is x and x[0] == 7
    with pytest.raises(ValueError, match="derivative"):
        faro.permute(torch.nn.Parameter(torch.zeros(8)), "i -> ~i")


def test_functions_of_torch_are_probed():
    for like in (torch.zeros(1), torch.zeros(1, dtype=torch.bfloat16), torch.zeros(1, requires_grad=True)):
        assert faro.BitMap.probe(lambda a: a.flip(0), (8,), like=like) == faro.BitMap("i:3 -> ~i")
        turned = faro.BitMap.probe(lambda a: a.permute(1, 0).reshape(-1), (4, 2), like=like)
        assert turned == faro.BitMap("r:2 c:1 -> c r")


maps = [("i -> gray(i) ^ 3", (4, 4), None), ("i -> rev(i)", (3, 8), 1), ("i -> rev(i)", (8, 5), 0),
        ("i -> rot(i, 1)", (3, 4, 2, 5), (1, 2)), ("r c -> c r", (3, 5), None),
        ("r c -> rev(c) ~r", (6, 4), None), ("i -> ~i", (3, 6), 1), ("i -> ~i", (0, 8), 1)]


@pytest.mark.parametrize("text,shape,axis", maps, ids=str)
def test_torch_checks_the_operator(text, shape, axis):
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    y = faro.torch.permute(x, text, axis=axis)
    assert np.array_equal(y.detach().numpy(), faro.permute(x.detach().numpy(), text, axis=axis))
    assert faro.torch.permute(x.to("meta"), text, axis=axis).shape == y.shape
    axes = None if axis is None else [axis] if isinstance(axis, int) else list(axis)
    passed = torch.library.opcheck(
        torch.ops.faro.permute.default, (x, text, list(shape), axes, False))
    assert set(passed.values()) == {"SUCCESS"}
    torch.library.opcheck(
        torch.ops.faro.permute.default,
        (y.detach().requires_grad_(), text, list(shape), axes, True))
    if x.numel():
        assert torch.autograd.gradcheck(lambda t: faro.torch.permute(t, text, axis=axis), x)
        assert torch.autograd.gradgradcheck(lambda t: faro.torch.permute(t, text, axis=axis), x)
    # Back is the inverse.
    back = torch.ops.faro.permute(y, text, list(shape), axes, True)
    assert torch.equal(back, x)
    # vmap beside one by one, the batch in front and behind.
    one = lambda t: faro.torch.permute(t, text, axis=axis)  # noqa: E731
    many = torch.randn(2, *shape)
    wanted = torch.stack([one(t) for t in many])
    assert torch.equal(torch.vmap(one)(many), wanted)
    assert torch.equal(torch.vmap(one, -1, -1)(many.movedim(0, -1)), wanted.movedim(0, -1))
    out, slope = torch.func.jvp(one, (many[0],), (many[1],))
    assert torch.equal(out, one(many[0])) and torch.equal(slope, one(many[1]))
    slopes = torch.func.vmap(torch.func.grad(lambda t: (one(t) ** 2).sum()))(many)
    assert torch.allclose(slopes, 2 * many)


def test_fake_tracing():
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    with FakeTensorMode() as mode:
        x = mode.from_tensor(torch.zeros(3, 8))
        assert faro.torch.permute(x, "r c -> c r").shape == (8, 3)
        assert faro.torch.permute(x, "i -> ~i", axis=(0, 1)).shape == (3, 8)
        assert faro.torch.permute(x, "(a=2 b) -> b a", axis=1).shape == (3, 4, 2)
    x = torch.randn(4, 8)
    traced = make_fx(lambda t: faro.torch.permute(t, "i -> gray(i)", axis=1), tracing_mode="symbolic")(x)
    longer = torch.randn(7, 8)  # a batch of another length: nothing about it was fixed
    assert torch.equal(traced(longer), faro.torch.permute(longer, "i -> gray(i)", axis=1))


@pytest.mark.parametrize("m", ["i -> gray(i)", faro.BitMap("i:3 -> gray(i)")], ids=["text", "map"])
def test_compiled(m):
    def f(x):
        return faro.torch.permute(x * 2, m, axis=1).sin()

    # A map that is no text is looked into by Python, between two graphs.
    compiled = torch.compile(f, backend="aot_eager", fullgraph=isinstance(m, str))
    x = torch.randn(5, 8, requires_grad=True)
    other = x.detach().clone().requires_grad_()
    assert torch.equal(compiled(x), f(other))
    compiled(x).sum().backward()
    f(other).sum().backward()
    assert torch.equal(x.grad, other.grad)
    assert torch.equal(compiled(x[:3]), f(x[:3]))


class Reversed(torch.nn.Module):
    def forward(self, x):
        return faro.torch.permute(x, "i -> rev(i)", axis=1)


def test_exported_and_pickled():
    x = torch.randn(3, 8)
    program = torch.export.export(Reversed(), (x,))
    assert any("faro.permute" in str(n.target) for n in program.graph.nodes)
    assert torch.equal(program.module()(x), faro.torch.permute(x, "i -> rev(i)", axis=1))
    assert torch.equal(pickle.loads(pickle.dumps(Reversed()))(x), Reversed()(x))


def test_refusals_are_faros_own():
    with pytest.raises(faro.NotationError, match="no power of two"):
        faro.torch.permute(torch.zeros(2, 3), "i -> rev(i)", axis=(0, 1))
    with pytest.raises(faro.NotationError):
        faro.torch.permute(torch.zeros(8), "i -> rev(j)")
    with pytest.raises(ValueError):
        faro.torch.permute(torch.zeros(8), faro.BitMap("i:4 -> rev(i)"))
    with pytest.raises(ValueError, match="axis"):
        faro.torch.permute(torch.zeros(8), "i -> ~i", axis=1)
