"""Kernels that faro emits, run on an OpenCL device and compared with NumPy; compiled where nvcc is.
usage: gpu.py FARO [MAPS] [racing]      on PoCL, or under Oclgrind; racing: one kernel without barriers"""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pyopencl as cl
from gf2 import destinations, inverse_of, matrix, random_matrix, times
from gpu_trace import Traced

faro, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
GUARD, POISON = 4096, 0xA5
rng, noise = random.Random(5), np.random.default_rng(5)
tally = {"passed": 0, "failed": 0, "skipped": 0}
seen = set()


def check(good, *words):
    tally["passed" if good else "failed"] += 1
    if not good:
        print("FAILED:", *words, flush=True)
    return good


def random_map(n):
    """Columns, complement, and whether in place."""
    unit = [1 << i for i in range(n)]
    c = rng.choice([0, rng.getrandbits(n)])
    kind = rng.choice(["affine", "bits", "rev", "gray", "flip", "turn", "low", "involution", "involution"])
    if kind == "affine":
        return random_matrix(n, rng), c, False
    if kind == "bits":
        return rng.sample(unit, n), c, False
    if kind == "rev":
        inside = rng.random() < 0.5
        return unit[::-1], c ^ times(unit[::-1], c) if inside else c, inside
    if kind == "gray":
        return [u | u >> 1 for u in unit], c, False
    if kind == "flip":
        return unit, (1 << n) - 1, rng.random() < 0.5
    if kind == "turn":
        k = rng.randrange(1, n)
        return unit[k:] + unit[:k], c, False
    if kind == "low":
        k = rng.randint(1, min(6, n - 1))
        return random_matrix(k, rng) + [v << k for v in random_matrix(n - k, rng)], c, False
    p = random_matrix(n, rng)
    q, j = inverse_of(p), unit[:]
    for i in range(rng.randint(0, n // 2)):
        j[i] ^= 1 << (n - 1 - i)
    a = [times(q, times(j, times(p, u))) for u in unit]
    still = [t for t in (rng.getrandbits(n) for _ in range(64)) if times(a, t) == t]
    return a, rng.choice(still + [0]), True


def launch(text):
    return map(int, re.search(r"launch: global (\d+), local (\d+)", text).groups())


def performed(text, name, data, in_place):
    """What the kernel leaves behind, and whether it left alone what is not its own."""
    whole, local = launch(text)
    quiet = " -cl-opt-disable" if checked else ""
    kernel = getattr(cl.Program(context, text).build("-cl-std=CL1.2" + quiet), name)
    size = data.nbytes

    def guarded(inside):
        held = np.full(size + 2 * GUARD, POISON, np.uint8)
        if inside is not None:
            held[GUARD:GUARD + size] = inside.ravel()
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=held)
        return buffer, buffer.get_sub_region(GUARD, size)

    buffers = [guarded(data)] if in_place else [guarded(data), guarded(None)]
    kernel(queue, (whole,), (local,), *[part for _, part in buffers])
    back = []
    for buffer, _ in buffers:
        back.append(np.empty(size + 2 * GUARD, np.uint8))
        cl.enqueue_copy(queue, back[-1], buffer)
    queue.finish()
    kept = all((b[:GUARD] == POISON).all() and (b[GUARD + size:] == POISON).all() for b in back)
    if not in_place:
        kept = kept and (back[0][GUARD:GUARD + size] == data.ravel()).all()
    return back[-1][GUARD:GUARD + size].reshape(data.shape), kept


def emitted(language, columns, c, element, in_place, name, only=None):
    words = columns if isinstance(columns, str) else matrix(columns, c)
    asked = [faro, "emit", language, words, "--element", str(element), "--name", name]
    asked += ["--only", ",".join(f"{i}={v}" for i, v in only.items())] if only else []
    return subprocess.run(asked + ["--in-place"] * in_place, capture_output=True, text=True)


def one(n, element, columns, c, in_place, only=None):
    done = emitted("opencl", columns, c, element, in_place, "moved", only)
    words = (n, element, matrix(columns, c), "in place" if in_place else "", only or "")
    if not check(done.returncode == 0, *words, done.stderr):
        return
    data = noise.integers(0, 256, (1 << n, element), np.uint8)
    want = data.copy() if in_place else np.full_like(data, POISON)
    index = np.arange(1 << n)
    chosen = np.ones(1 << n, bool)
    for i, v in (only or {}).items():
        chosen &= (index >> i & 1) == v
    want[destinations(columns, c)[chosen]] = data[chosen]
    got, kept = performed(done.stdout, "moved", data, in_place)
    check((got == want).all(), "bytes", *words)
    check(kept, "guard bytes", *words)
    seen.add((element, in_place, only is not None))


def some_only(n, element):
    """A map of the elements that have some bits of the index, as controlled swaps are; of the others it says nothing."""
    fixed = sorted(rng.sample(range(n), rng.randint(1, 3)))
    free = [i for i in range(n) if i not in fixed]
    inner, inner_c, in_place = random_map(len(free))

    def spread(x):
        return sum(1 << at for j, at in enumerate(free) if x >> j & 1)

    only = {i: rng.getrandbits(1) for i in fixed}
    columns, c = [1 << i for i in range(n)], spread(inner_c)
    for j, at in enumerate(free):
        columns[at] = spread(inner[j])
    if not in_place:
        for i in fixed:
            columns[i] ^= spread(rng.getrandbits(len(free)))
    one(n, element, columns, c, in_place, only)


def random_lengths():
    """Words of axes of any length, their lengths, their order at the destination, and where each index goes."""
    lengths, said, given, places = [], [], [], []
    for name in "abcde"[:rng.randint(2, 5)]:
        bits = rng.randint(1, 5)
        length = rng.choice([rng.randint(1, 12), rng.randint(1, 150), 1 << bits])
        room = (1 << 17) // int(np.prod(lengths, dtype=np.int64))
        length, kind = min(length, room), rng.choice(["", "~", "rev", "gray", "roll"])
        index = np.arange(length)
        if kind in ("rev", "gray") and length == 1 << bits:
            said.append(f"{name}:{bits}")
            moved = index ^ index >> 1 if kind == "gray" else sum((index >> i & 1) << bits - 1 - i for i in range(bits))
            given.append(f"{kind}({name})")
        elif kind == "roll" and sum("roll" in one for one in given) < 4:
            by, turned = rng.randrange(length), rng.random() < 0.3
            said.append(f"{name}={length}")
            moved = ((index[::-1] if turned else index) + by) % length
            given.append(f"roll({'~' * turned}{name}, {by})")
            seen.add("roll")
        else:
            said.append(f"{name}={length}")
            moved, kind = (index[::-1], "~") if kind == "~" else (index, "")
            given.append(kind + name)
        lengths.append(length)
        places.append(moved)
    order = rng.sample(range(len(lengths)), len(lengths))
    return f"{' '.join(said)} -> {' '.join(given[i] for i in order)}", lengths, order, places


def any_lengths(element):
    """Axes of any length, against NumPy's own indexing."""
    words, lengths, order, places = random_lengths()
    done = emitted("opencl", words, 0, element, False, "moved")
    if not check(done.returncode == 0, words, element, done.stderr):
        return
    data = noise.integers(0, 256, (*lengths, element), np.uint8)
    want = np.empty([lengths[i] for i in order] + [element], np.uint8)
    want[np.ix_(*(places[i] for i in order))] = data.transpose([*order, len(lengths)])
    text = done.stdout
    if rng.random() < 0.3:  # as for arrays whose indices need 64 bits
        text = text.replace("typedef u32 index;", "typedef u64 index;")
    got, kept = performed(text, "moved", data, False)
    check(got.tobytes() == want.tobytes(), "bytes", words, element)
    check(kept, "guard bytes", words, element)


def traced(text, data, in_place):
    """The counts of the kernel as it ran, and the bytes it left."""
    whole, local = launch(text)
    kernel = Traced(text)
    program = cl.Program(context, kernel.text).build("-cl-std=CL1.2")
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    notes = np.full((len(kernel.accesses), whole), -1, np.int64)
    arrays = [data.copy()] if in_place else [data.copy(), np.full_like(data, POISON)]
    buffers = [cl.Buffer(context, flags, hostbuf=a) for a in [*arrays, notes]]
    program.moved(queue, (whole,), (local,), *buffers)
    cl.enqueue_copy(queue, arrays[-1], buffers[-2])
    cl.enqueue_copy(queue, notes, buffers[-1])
    queue.finish()
    return kernel.counts(notes, local), arrays[-1]


def trace(n, element, columns, c, in_place):
    """What the kernel touches is what its certificate says."""
    words = (n, element, matrix(columns, c), "in place" if in_place else "")
    asked = [faro, "gpu", "explain", matrix(columns, c), "--element", str(element), "--json"]
    asked += ["--in-place"] * in_place
    report = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    said = json.loads(report)["certificate"]
    text = emitted("opencl", columns, c, element, in_place, "moved").stdout
    data = noise.integers(0, 256, (1 << n, element), np.uint8)
    want = np.empty_like(data)
    want[destinations(columns, c)] = data
    counts, got = traced(text, data, in_place)
    check((got == want).all(), "bytes of a traced kernel", *words)
    sides = {side for side in ("read", "written", "store", "load") if said[side]}
    check(set(counts) == sides, "accesses", *words, counts)
    for side, sums in counts.items():
        wanted = {name: said[side][name] for name in sums}
        check(sums == wanted, "certificate", side, *words, "traced", sums, "certified", wanted)
    # The same bytes by other lanes: only the counts show it.
    if len(sides) == 4 and n > 11:
        thread = "((u32)get_local_id(0)"
        turned = text.replace(thread + ")", thread + " * 37u % (u32)get_local_size(0))")
        other, got = traced(turned, data, in_place)
        check((got == want).all() and other != counts, "lanes exchanged go unseen", *words)


def compiled():
    """CUDA text by nvcc: no warning, no spill."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        print("no nvcc here: the CUDA text is not compiled")
        tally["skipped"] += 1
        return
    unit = [1 << i for i in range(24)]
    cases = [(unit[::-1], 0, e, p) for e in (1, 2, 4, 8, 16) for p in (False, True)]
    cases += [(random_matrix(24, rng), 5, e, False) for e in (1, 4, 8, 3)]
    cases += [(words, 0, e, False) for e in (1, 4, 8, 12) for words in ("r=6001 c=6003 -> c r", "r=9 b:7 c=5 -> gray(b) ~c r")]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "kernels.cu")
        texts = [emitted("cuda", *case, f"k{i}").stdout for i, case in enumerate(cases)]
        parts = [texts[0]] + [re.sub(r"^(typedef|#define) .*\n", "", text, flags=re.M) for text in texts[1:]]
        file.write_text("".join(parts))
        for target in ("80", "90"):
            done = subprocess.run([nvcc, "-cubin", f"-arch=sm_{target}", "-Werror", "all-warnings", "-Xptxas", "-v",
                                   "-o", f"{folder}/k.cubin", str(file)], capture_output=True, text=True)
            spills = [s for s in re.findall(r"(\d+) bytes spill", done.stderr) if s != "0"]
            check(done.returncode == 0 and not spills, "nvcc", target, done.stderr[-2000:])
            check(done.stderr.count("Compiling entry function") == len(cases), "kernels", target)


devices = [platform.get_devices()[0] for platform in cl.get_platforms()]
device = min(devices, key=lambda d: "Oclgrind" in d.name)  # which alone is there where it watches
checked = "Oclgrind" in device.name
context = cl.Context([device])
queue = cl.CommandQueue(context)
if "racing" in sys.argv:
    unit = [1 << i for i in range(12)]
    text = emitted("opencl", unit[::-1], 0, 4, False, "moved").stdout
    bare = re.sub(r"(#define BARRIER\(\)).*", r"\1", text)
    performed(bare, "moved", noise.integers(0, 256, (4096, 4), np.uint8), False)
    sys.exit(0)
sizes = [1, 2, 4, 8, 16, 32, 64, 3, 12, 24]
for number in range(count):
    element = sizes[number % len(sizes)]
    most = 11 if checked else 22 if number % 20 == 0 else 15
    n = rng.randint(8, min(most, 25 - element.bit_length()))
    one(n, element, *random_map(n))
for number in range(count):
    any_lengths(rng.choice(sizes))
for number in range(count // 2):
    some_only(rng.randint(8, 11 if checked else 14), sizes[number % len(sizes)])
check(len(seen) == 4 * len(sizes) + 1 or count < 200, "every size in place and out of place, of some only, and rolls", sorted(map(str, seen)))
# What a kernel gets wrong must show.
text = emitted("opencl", [1 << i for i in range(11, -1, -1)], 0, 4, False, "moved").stdout
data = noise.integers(0, 256, (4096, 4), np.uint8)
want = np.empty_like(data)
want[destinations([1 << i for i in range(11, -1, -1)], 0)] = data
right, _ = performed(text, "moved", data, False)
spoiled, _ = performed(re.sub(r"const u32 yt = ", "const u32 yt = 8u ^ ", text), "moved", data, False)
check((right == want).all() and not (spoiled == want).all(), "a spoiled kernel goes unseen")
if not checked:
    for number in range(count // 3):
        element = sizes[number % 7]
        trace(n := rng.randint(8, 15), element, *random_map(n))
    compiled()
print(f"gpu on {device.name}: {tally['passed']} passed, {tally['failed']} failed, {tally['skipped']} skipped")
sys.exit(tally["failed"] != 0)
