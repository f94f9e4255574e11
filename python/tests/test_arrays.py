"""Arrays of every kind in and out, beside NumPy's own indexing."""

import copy
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

import faro
import numpy as np
import pytest


def reference(x, m):
    """y[m(i)] = x[i] of the flattened array."""
    y = np.empty_like(x.ravel())
    y[m.table()] = x.ravel()
    return y.reshape(x.shape)


def random_map(width, rng):
    while True:
        columns = [int(c) for c in rng.integers(0, 1 << width, width)]
        try:
            return faro.BitMap.from_columns(columns, int(rng.integers(0, 1 << width)))
        except ValueError:
            pass


def test_random_views_maps_and_items():
    rng = np.random.default_rng(18)
    judged = 0
    for _ in range(400):
        width = int(rng.integers(0, 11))
        cuts = sorted(rng.integers(0, width + 1, 2))
        shape = tuple(1 << int(k) for k in np.diff([0, *cuts, width]))
        itemsize = int(rng.integers(1, 34))
        flat = np.frombuffer(rng.bytes((1 << width) * itemsize), f"V{itemsize}")
        x = flat.reshape(shape)
        x = x.transpose(rng.permutation(3))
        x = x[tuple(slice(None, None, int(s)) for s in rng.choice([-1, 1], 3))]
        m = random_map(width, rng) if rng.random() < 0.5 else faro.BitMap.from_places(
            [int(p) for p in rng.permutation(width)], int(rng.integers(0, 1 << width)))
        wanted = reference(x, m)
        assert faro.permute(x, m).tobytes() == wanted.tobytes()
        out = np.empty(x.shape[::-1], x.dtype).T
        assert faro.permute(x, m, out=out) is out
        assert out.tobytes() == wanted.tobytes()
        own = x.copy()
        assert faro.permute(own, m, out=own) is own
        assert own.tobytes() == wanted.tobytes()
        copied = faro.contiguous(x)
        assert copied.flags.c_contiguous and copied.tobytes() == x.tobytes()
        judged += 1
    assert judged == 400


@pytest.mark.parametrize("dtype", ["U3", "S5", "M8[ns]", ">f8", "c16", "g", "?", "i2",
                                   [("a", "i4"), ("b", "S3")]])
def test_dtypes_come_back(dtype):
    dtype = np.dtype(dtype)
    x = np.frombuffer(os.urandom(64 * dtype.itemsize), f"V{dtype.itemsize}").copy().view(dtype)
    y = faro.permute(x, "i -> rev(i)")
    assert y.dtype == x.dtype
    assert y.tobytes() == x[faro.BitMap("bit-reversal:6").table()].tobytes()


def test_axes():
    x = np.arange(5 * 8 * 3).reshape(5, 8, 3)
    m = faro.BitMap("gray:3")
    wanted = np.empty_like(x)
    wanted[:, m.table(), :] = x
    assert (faro.permute(x, m, axis=1) == wanted).all()
    assert (faro.permute(x, m, axis=-2) == wanted).all()
    y = x.copy()
    faro.permute(y, m, axis=1, out=y)
    assert (y == wanted).all()
    view = np.asfortranarray(x)
    assert (faro.permute(view, m, axis=1) == wanted).all()
    assert (faro.permute(view, m, axis=1, copy=False) == wanted).all()
    assert (faro.permute(view, m, axis=1, copy=False, out=view) == wanted).all()
    z = np.arange(64).reshape(4, 2, 8)
    joint = faro.BitMap("i:3 -> rev(i)")
    assert (faro.permute(z, joint, axis=(0, 1)) == reference_joint(z, joint)).all()
    with pytest.raises(ValueError, match="adjacent"):
        faro.permute(z, joint, axis=(0, 2))
    with pytest.raises(ValueError, match="axis 3"):
        faro.permute(z, joint, axis=3)


def reference_joint(z, m):
    out = np.empty_like(z).reshape(8, 8)
    out[m.table()] = z.reshape(8, 8)
    return out.reshape(z.shape)


def test_what_is_refused():
    x = np.arange(8)
    for bad in (np.array([1, None], object), np.ma.masked_array(x)):
        with pytest.raises(TypeError):
            faro.permute(bad, "i -> ~i")
    whole = np.zeros(16, int)
    with pytest.raises(ValueError, match="copy=False"):
        faro.permute(whole[:8], "i -> ~i", out=whole[4:12], copy=False)
    locked = x.copy()
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        faro.permute(x, "i -> ~i", out=locked)
    assert faro.permute(locked, "i -> ~i").tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    with pytest.raises(ValueError):
        faro.permute(x, "i -> ~i", out=np.zeros(8, np.int32))
    with pytest.raises(ValueError):
        faro.permute(x, "i -> ~i", out=np.zeros(16, int))
    with pytest.raises(faro.NotationError) as caught:
        faro.BitMap("i:4 -> rev(j)")
    assert caught.value.column == 12 and caught.value.fault == "name"
    with pytest.raises(ValueError):
        faro.permute(x, "i -> rev(")
    with pytest.raises(faro.NotationError, match="8 and 16 are the nearest"):
        faro.permute(np.zeros((3, 4)), "bit-reversal")
    with pytest.raises(TypeError):
        faro.permute(x, 3)
    with pytest.raises(ValueError):
        faro.permute(x, "gray:4")
    with pytest.raises(faro.NotExpressible) as refused:
        faro.BitMap("einops:h w c -> w h c", shape=(2, 3, 4))
    assert refused.value.reason == "size" and refused.value.system == "einops"


@pytest.mark.parametrize(("shape", "words", "wanted"), [
    ((0, 4), "r c -> c r", (4, 0)), ((3, 0, 4), "a b c -> c a b", (4, 3, 0)), ((0, 4), "r c -> (c r)", (0,)),
    ((0, 4), "(a=2 b) c -> b c a", (0, 4, 2)), ((0, 4), "r (a=2 b) -> b r a", (2, 0, 2)), ((0, 4), "numpy:a.T", (4, 0)),
    ((0, 0, 4), "a b c -> c a b", (0, 0, 4)),  # more than can be counted: as it was
    ((0, 4), "i -> ~i", (0, 4)), ((0,), "i:3 -> rev(i)", (0,))])
def test_what_has_no_elements_has_the_shape_that_words_say(shape, words, wanted):
    assert faro.permute(np.zeros(shape), words).shape == wanted


def test_nothing_and_scalars():
    with pytest.raises(faro.NotationError, match="expected a term"):
        faro.permute(np.zeros((0, 4)), "nonsense ->")
    assert faro.permute(np.float32(3) * np.ones(()), "i:0 -> i") == 3
    assert faro.permute(np.ones((1, 1)), "identity").shape == (1, 1)
    assert bytes(faro.permute(b"abcd", "i -> ~i")) == b"dcba"


def test_contiguous_and_rearrange_of_any_length():
    rng = np.random.default_rng(3)
    for shape in [(6, 5), (56, 16, 12), (12, 100), (7,), (64, 32), (2, 3, 4, 5)]:
        x = rng.random(shape)
        for axes in (tuple(reversed(range(x.ndim))), tuple(np.roll(range(x.ndim), 1))):
            view = x.transpose(axes)
            assert (faro.contiguous(view) == view).all()
            assert faro.contiguous(view).flags.c_contiguous
            assert faro.contiguous(view, "F").flags.f_contiguous
            assert (faro.contiguous(view, "F") == view).all()
            out = np.empty(view.shape)
            assert faro.contiguous(view, out=out) is out and (out == view).all()
    x = np.arange(6 * 4 * 10).reshape(6, 4, 10)
    y = faro.rearrange(x, "(a b) c d -> d (b a) c", a=2)
    assert (y == x.reshape(2, 3, 4, 10).transpose(3, 1, 0, 2).reshape(10, 6, 4)).all()
    square = rng.random((256, 256))
    wanted = square.T.copy()
    assert faro.contiguous(square.T, out=square) is square and (square == wanted).all()
    odd = rng.random((5, 5))
    wanted = odd.T.copy()
    faro.contiguous(odd.T, out=odd)
    assert (odd == wanted).all()


def test_check_finds_the_element():
    x = np.arange(64)
    y = faro.permute(x, "gray")
    assert faro.check(x, y, "gray") is None
    y[7] = -1
    assert faro.check(x, y, "gray").place == 7


def test_plans():
    x = np.random.default_rng(4).random(1 << 14)
    plan = faro.PermutePlan.of(x, "bit-reversal")
    assert (plan(x) == faro.permute(x, "bit-reversal")).all()
    out = np.empty_like(x)
    assert plan(x, out) is out
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and hash(again) == hash(plan) and (again(x) == out).all()
    inside = faro.PermutePlan.of(x, "bit-reversal", in_place=True)
    y = x.copy()
    assert inside(y) is y and (y == out).all()
    with pytest.raises(ValueError):
        plan(x[:8])
    measured = faro.PermutePlan.of(x, "bit-reversal", measure=True)
    assert (measured(x) == out).all()


def test_maps_pickle_copy_hash():
    m = faro.BitMap("i:5 -> gray(rev(i)) ^ 0x3")
    assert pickle.loads(pickle.dumps(m)) == m
    assert copy.copy(m) is m and copy.deepcopy(m) is m
    assert {m: 1}[faro.BitMap(str(m))] == 1
    assert (m ** 3 >> m ** -3) == faro.BitMap.identity(5)
    assert (m.matrix().sum(), m.width) == (sum(c.bit_count() for c in m.columns), 5)
    with pytest.raises(IndexError):
        m(32)
    with pytest.raises(IndexError):
        m(-1)


def test_threads_of_the_caller():
    x = np.random.default_rng(5).random(1 << 18)
    wanted = faro.permute(x, "bit-reversal")
    wrong = []

    def work():
        for _ in range(5):
            if not (faro.permute(x, "bit-reversal") == wanted).all():
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not wrong


def _in_child(connection):
    x = np.arange(1 << 21)
    connection.send(bool((faro.permute(x, "i -> ~i", threads=2) == x[::-1]).all()))


def test_a_forked_child_permutes_too():
    x = np.arange(1 << 21)
    faro.permute(x, "i -> ~i", threads=2)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=_in_child, args=(there,))
    child.start()
    assert here.poll(60), "the child hangs"
    assert here.recv()
    child.join(10)
    assert child.exitcode == 0


def test_progress_and_its_exceptions():
    x = np.zeros(1 << 22)
    seen = []
    faro.permute(x, "bit-reversal", progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1]

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        faro.permute(x, "bit-reversal", progress=stop)


def test_progress_by_tqdm_where_it_is(monkeypatch):
    import types

    bars = []

    class Bar:
        n, total, open = 0, None, True

        def __init__(self, **options):
            bars.append(self)

        def update(self, more):
            self.n += more

        def close(self):
            self.open = False

    x = np.zeros(1 << 22)
    package, module = types.ModuleType("tqdm"), types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", package)
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    faro.permute(x, "bit-reversal", progress=True)
    (bar,) = bars
    assert bar.n == bar.total == x.nbytes and not bar.open
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert faro.permute(x, "bit-reversal", progress=True).shape == x.shape


def test_interrupts_stop_out_of_place():
    code = (
        "import signal, faro, numpy as np\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "x = np.zeros(1 << 24); y = np.empty_like(x)\n"
        "try:\n"
        "    print('go', flush=True)\n"
        "    while True: faro.permute(x, 'bit-reversal', out=y)\n"
        "except KeyboardInterrupt: print('stopped', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=900)[0] == "stopped\n"


def test_nothing_is_kept():
    x = np.arange(64.0)
    out = np.empty_like(x)
    m = faro.BitMap("gray:6")
    before = (sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(x.dtype))
    for _ in range(20000):
        faro.permute(x, m, out=out)
    for _ in range(2000):
        faro.permute(x.reshape(8, 8).T, m)
    gc.collect()
    after = (sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(x.dtype))
    assert all(abs(a - b) < 50 for a, b in zip(before, after))
    y = faro.permute(x, m)
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


def views(rng):
    """Arrays of odd shapes and strides, their elements all different."""
    shape = tuple(int(n) for n in rng.integers(1, 9, rng.integers(1, 5)))
    count = int(np.prod(shape, dtype=int))
    dtype = rng.choice(["u1", "<i2", "<f4", "<i8", "V3", "V12", "c16"])
    a = np.frombuffer(rng.bytes(count * np.dtype(dtype).itemsize), dtype).reshape(shape)
    a = a.transpose(rng.permutation(a.ndim))
    return a[tuple(slice(None, None, int(rng.choice([1, 1, -1, 2, -2]))) for _ in shape)]


def test_views_of_any_shape():
    rng = np.random.default_rng(22)
    judged = 0
    for _ in range(400):
        v = views(rng)
        same = [list(map(bytes, a.reshape(-1, 1))) for a in (faro.contiguous(v), np.ascontiguousarray(v))]
        assert same[0] == same[1], (v.shape, v.strides, v.dtype)
        axes = tuple(int(k) for k in rng.permutation(v.ndim))
        moved = faro.permute(v, axes=axes)
        wanted = np.ascontiguousarray(v.transpose(axes))
        assert moved.flags.c_contiguous and moved.shape == wanted.shape
        assert moved.tobytes() == wanted.tobytes()
        out = np.empty(tuple(2 * n for n in wanted.shape), v.dtype)[tuple([slice(None, None, 2)] * v.ndim)]
        assert faro.permute(v, axes=axes, out=out) is out
        assert np.ascontiguousarray(out).tobytes() == wanted.tobytes()
        judged += v.size > 1
    assert judged > 200
    wide = np.broadcast_to(np.arange(900.0), (7, 900))
    assert (faro.contiguous(wide) == wide).all()
    large = rng.random((301, 703, 5))[:, ::-1, 1:4]
    assert (faro.permute(large, axes=(2, 1, 0)) == large.transpose(2, 1, 0)).all()


def test_maps_of_lengths():
    a = np.arange(5 * 16 * 3).reshape(5, 16, 3)
    turned = faro.permute(a, "r b c -> c rev(b) ~r")
    t = faro.BitMap("i:4 -> rev(i)").table()
    wanted = np.empty((3, 16, 5), a.dtype)
    wanted[:, t, :] = a.transpose(2, 1, 0)[:, :, ::-1]
    assert (turned == wanted).all()
    for view in (np.asfortranarray(a), a[:, ::-1, :][:, ::-1, :], np.repeat(a, 2, 0)[::2]):
        assert (faro.permute(view, "r b c -> c rev(b) ~r") == wanted).all()
    assert faro.check(a, wanted, "r b c -> c rev(b) ~r") is None
    wrong = wanted.copy()
    wrong[1, 2, 3] += 1
    found = faro.check(a, wrong, "r b c -> c rev(b) ~r")
    assert found.place == np.ravel_multi_index((1, 2, 3), wrong.shape)
    assert a.ravel()[found.index] == wanted[1, 2, 3]
    with pytest.raises(ValueError, match="shape"):
        faro.check(a, a, "r b c -> c rev(b) ~r")
    out = np.empty((3, 16, 10), a.dtype)[:, :, ::2]
    assert faro.permute(a, "r b c -> c rev(b) ~r", out=out) is out and (out == wanted).all()
    assert (faro.permute(a, "i -> ~i", axis=0) == a[::-1]).all()
    assert (faro.permute(a.reshape(5, 48), "r=5 s=48 -> s r") == a.reshape(5, 48).T).all()
    with pytest.raises(faro.NotationError, match="the words name 2 axes, the array has 3"):
        faro.permute(a, "r=5 s=48 -> s r")
    square = np.arange(49.0).reshape(7, 7)
    turned = square.T.copy()
    assert faro.permute(square, "r c -> c r", out=square) is square and (square == turned).all()
    faro.permute(square, "r c -> c r", out=square, copy=False)
    assert (square.T == turned).all()
    with pytest.raises(ValueError, match="shape"):
        faro.permute(a, "r b c -> c b r", out=np.empty_like(a))
    with pytest.raises(faro.NotationError):
        faro.permute(a, "r b c -> rev(c) b r")
    with pytest.raises(TypeError):
        faro.permute(a)
    with pytest.raises(ValueError):
        faro.permute(a, axes=(0, 0, 1))


def test_words_that_name_axes_give_the_shape():
    a = np.arange(256 * 512, dtype="i4").reshape(256, 512)
    there = ("r:8 c:9 -> c r", "r=256 c=512 -> c r", "r c -> c r", "numpy:a.T", "einops:r c -> c r")
    back = ("r:9 c:8 -> c r", "r=512 c=256 -> c r") + there[2:]
    for words, others in zip(there, back):
        for _ in range(2):  # what is kept of the first time is of this shape
            assert np.array_equal(faro.permute(a, words), a.T)
            assert np.array_equal(faro.permute(a.T, others), a)
            assert np.array_equal(faro.permute(np.ascontiguousarray(a.T), others), a)
        assert faro.check(a, np.ascontiguousarray(a.T), words) is None
    flat = faro.permute(a.ravel(), "r:8 c:9 -> c r")
    assert flat.shape == a.ravel().shape and np.array_equal(flat.reshape(512, 256), a.T)
    with pytest.raises(faro.NotationError, match="axis 0 has length 512, the words say 256"):
        faro.permute(a.reshape(512, 256), "r:8 c:9 -> c r")
    for shape in ((8, 16), (16, 8), (128,), (2, 2, 32)):  # one field is the flat index
        assert faro.permute(np.zeros(shape), "i -> rev(i)").shape == shape
    b = np.arange(60).reshape(3, 4, 5)
    assert np.array_equal(faro.permute(b, "r c -> c r", axis=(1, 2)), b.transpose(0, 2, 1))
    assert np.array_equal(faro.permute(b, "(p=2 q) -> q p", axis=1), b.reshape(3, 2, 2, 5).transpose(0, 2, 1, 3))
    assert np.array_equal(faro.permute(b, "r b c -> c rest"), b.transpose(2, 0, 1))
    assert np.array_equal(faro.permute(b, "roll(i, 2)", axis=2), np.roll(b, 2, 2))
    assert np.array_equal(faro.permute(b, "numpy:np.fft.ifftshift(a)"), np.fft.ifftshift(b))
    assert np.array_equal(faro.permute(b, "fftshift", axis=0), np.fft.fftshift(b, 0))
    out = np.empty((4, 5, 3), b.dtype)
    assert faro.permute(b, "numpy:np.moveaxis(a, 0, -1)", out=out) is out and np.array_equal(out, b.transpose(1, 2, 0))
    with pytest.raises(ValueError, match="shape"):
        faro.permute(a, "r:8 c:9 -> c r", out=np.empty_like(a))


def test_digits_are_rolled_in_place_without_a_second_array():
    for shape in ((7,), (4099,), (30, 1000, 11), (3, 5, 7), (2, 3, 20011)):
        a = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        names = "abc"[:len(shape)]
        rolls = [n // 3 + 1 for n in shape]
        text = " ".join(names) + " -> " + " ".join(f"roll({n}, {r})" for n, r in zip(names, rolls))
        b = a.copy()
        assert faro.permute(b, text, out=b, copy=False) is b
        assert np.array_equal(b, np.roll(a, rolls, range(len(shape))))
        assert np.array_equal(faro.permute(b, text, out=b, copy=False, inverse=True), a)
    c = np.zeros((300, 101))
    with pytest.raises(ValueError, match="second array"):
        faro.permute(c, "a b -> b a", out=c.reshape(101, 300), copy=False)


def test_interrupts_stop_one_call():
    """One long call: stopped within its progress, not after it."""
    code = (
        "import signal, faro, numpy as np\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's & has it ignored
        "x = np.zeros((1 << 13, 1 << 14), np.float32); y = np.empty_like(x); y[...] = 1\n"
        "try:\n"
        "    print('go', flush=True)\n"
        "    for _ in range(200): faro.permute(x, 'bit-reversal', out=y, threads=1)\n"
        "except KeyboardInterrupt: print(bool((y == 1).any()), flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    child.send_signal(signal.SIGINT)
    # The first call was stopped in its midst: some of y is as it was.
    assert child.communicate(timeout=900)[0] == "True\n"


def in_another_process(code, **environment):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=900,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_threads_are_what_the_process_may_run():
    threads = "import faro; print(faro.PermutePlan('bit-reversal:24', itemsize=8).threads)"
    cores = int(in_another_process(threads, OMP_NUM_THREADS=""))  # more are never used
    assert in_another_process(threads, OMP_NUM_THREADS="1") == "1"
    assert in_another_process(threads, OMP_NUM_THREADS="3") == str(min(3, cores))
    assert in_another_process(threads, FARO_NUM_THREADS="5", OMP_NUM_THREADS="1") == str(min(5, cores))
    one_core = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); " + threads
    assert in_another_process(one_core, OMP_NUM_THREADS="") == "1"
    set_by_hand = "import faro; faro.set_threads(4); print(faro.PermutePlan('bit-reversal:24').threads)"
    assert in_another_process(set_by_hand) == str(min(4, cores))


def test_in_place_needs_no_second_array():
    """The process grows by less than 1 MiB over 256 MiB of data."""
    code = (
        "import resource, numpy as np, faro\n"
        "x = np.ones(1 << 25); small = np.arange(1 << 16)\n"
        "for m in ('i -> rev(i)', 'i -> gray(i)'): faro.permute(small, m, out=small, threads=1)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for m in ('i -> rev(i)', 'i -> gray(i)'): faro.permute(x, m, out=x, threads=1)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    assert int(in_another_process(code)) < 1024


def test_spawned_processes_take_maps_and_plans():
    plan = faro.PermutePlan("i:10 -> rev(i)", itemsize=8)
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        x = np.arange(1024)
        assert (pool.apply(plan, (x,)) == faro.permute(x, "i -> rev(i)")).all()
        assert pool.apply(faro.permute, (x, plan.map)).tolist() == plan(x).tolist()


def test_plans_of_lengths():
    a = np.arange(30 * 42, dtype=np.int32).reshape(30, 42)
    plan = faro.PermutePlan.of(a, "r c -> c ~r")
    wanted = np.ascontiguousarray(a[::-1].T)
    assert plan == faro.PermutePlan("r c -> c ~r", itemsize=4, shape=(30, 42)) == pickle.loads(pickle.dumps(plan))
    assert np.array_equal(plan(a), wanted) and np.array_equal(plan(a[:, ::-1][:, ::-1]), wanted)
    out = np.zeros((42, 30), np.int32)
    assert plan(a, out) is out and np.array_equal(out, wanted)
    assert "shape=(30, 42)" in repr(plan) and plan.passes == 1
    for bad, into in ((a.T, None), (a.reshape(-1), None), (a, np.zeros((30, 42), np.int32)), (a.astype(float), None)):
        with pytest.raises(faro.UsageError):
            plan(bad, into) if into is not None else plan(bad)
    # of one axis, and of lengths that are powers of two but no bits
    middle = faro.PermutePlan.of(a.reshape(5, 6, 42), "(a=2 b) -> b a", axis=1)
    assert np.array_equal(middle(a.reshape(5, 6, 42)), a.reshape(5, 2, 3, 42).transpose(0, 2, 1, 3))
    assert middle == pickle.loads(pickle.dumps(middle)) != plan
    rolled = faro.PermutePlan.of(a[:16, :32].copy(), "numpy:np.roll(a, 5)")
    assert np.array_equal(rolled(a[:16, :32]), np.roll(a[:16, :32], 5))
    square = faro.PermutePlan.of(a[:, :30], "r c -> c r", in_place=True)
    b = a[:, :30].copy()
    assert square(b) is b and np.array_equal(b, a[:, :30].T)
    with pytest.raises(faro.UsageError, match="measure"):
        faro.PermutePlan.of(a, "r c -> c r", measure=True)
    with pytest.raises(TypeError):
        faro.PermutePlan("r c -> c r", shape=(3, 4), inner=2)
    with pytest.raises(faro.UsageError, match="keeps its shape"):
        faro.PermutePlan("r c -> c r", shape=(3, 4), in_place=True)
