# faro permute --memory, and faro reshard: a control group of exactly the cap around a file much larger,
# for seven kinds of maps and a batch, out of place and in place, and a checkpoint for six ranks and for
# three, alone and by two workers. FARO_FULL=1: a file of 32 times the cap (6 GiB of disk). Where no group can
# be made the process's largest memory is judged alone.
cat >launch.py <<'EOP'
"""launch.py GROUP COMMAND...: a process so small that its memory is not taken for the command's."""
import os, sys
child = os.fork()
if child == 0:
    if sys.argv[1]: open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
    errors = os.open("stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024)
EOP
cat >capped.py <<'EOP'
"""capped.py PROGRAM full|quick: prints what is wrong, and how many runs were right."""
import os, random, subprocess, sys
import numpy as np

program, full = sys.argv[1], sys.argv[2] == "full"
bits = 28 if full else 23
cap = (64 if full else 50) << 20
u = np.uint64

def group_of():
    lines = dict((line.split(":")[1], line.strip().split(":", 2)[2]) for line in open("/proc/self/cgroup"))
    v1 = "memory" in lines
    base = "/sys/fs/cgroup/memory" + lines["memory"] if v1 else "/sys/fs/cgroup" + lines.get("", "/")
    path = f"{base}/faro-cap-{os.getpid()}"
    try:
        os.mkdir(path)
        with open(path + ("/memory.limit_in_bytes" if v1 else "/memory.max"), "w") as file: file.write(str(cap))
    except OSError:
        return None
    return path

def bit_map(places, complement):  # source bit b goes to place places[b]
    def apply(i):
        to = np.zeros_like(i)
        for b, place in enumerate(places): to |= ((i >> u(b)) & u(1)) << u(place)
        return to ^ u(complement)
    return apply

def affine(columns, complement):
    def apply(i):
        to = np.zeros_like(i)
        for b, column in enumerate(columns): to ^= ((i >> u(b)) & u(1)) * u(column)
        return to ^ u(complement)
    return apply

def maps(p):
    rng = random.Random(11)
    places = list(range(p)); rng.shuffle(places)
    flipped = rng.getrandbits(p)
    columns = [1 << b for b in range(p)]
    for _ in range(6 * p):  # elementary steps keep it invertible
        a, b = rng.sample(range(p), 2)
        columns[a] ^= columns[b]
    c = rng.getrandbits(p)
    vector = "[" + ", ".join(("-" if flipped >> places[b] & 1 else "") + str(places[b]) for b in reversed(range(p))) + "]"
    half = p // 2
    return {
        "reversal": ("i -> rev(i)", bit_map([p - 1 - b for b in range(p)], 0)),
        "transpose": (f"r:{half} c -> c r", bit_map([(b + half) % p for b in range(p)], 0)),
        "thin transpose": ("r:3 c -> c r", bit_map([(b + 3) % p for b in range(p)], 0)),
        "Gray": ("gray", lambda i: i ^ (i >> u(1))),
        "bits, some inverted": (vector, bit_map(places, flipped)),
        "affine": ("matrix(" + ", ".join(map(str, reversed(columns))) + f") ^ {c}", affine(columns, c)),
        "complement": ("i -> ~i", lambda i: i ^ u((1 << p) - 1)),
    }

group = group_of()
if group is None: print("no control group can be made here: only the largest memory is judged", file=sys.stderr)

def run(arguments):
    """exit status and largest memory of the program in the group"""
    said = subprocess.run([sys.executable, "launch.py", group or "", program, *arguments,
                           "--memory", str(cap)], stdout=subprocess.PIPE, check=True, text=True).stdout
    return tuple(map(int, said.split()))

right = 0
def judge(name, file, arguments, check, command="permute"):
    global right
    status, largest = run([command, *arguments])
    if status != 0: print(f"{name}: status {status}: {open('stderr').read()[:300]}"); return
    if largest > cap: print(f"{name}: {largest} bytes of memory, the cap is {cap}"); return
    if not check(file): print(f"{name}: wrong array"); return
    right += 1

step = 1 << 22
key = u(0x9e3779b97f4a7c15)
with open("large.raw", "wb") as file:
    for at in range(0, 1 << bits, step): (np.arange(at, at + min(step, 1 << bits), dtype="<u8") * key).tofile(file)
sample = np.random.default_rng(3).integers(0, 1 << bits, 50000, dtype="u8")
for name, (text, apply) in maps(bits).items():
    check = lambda file: bool((np.memmap(file, dtype="<u8", mode="r")[apply(sample)] == sample * key).all())
    judge(name, "out.raw", ["large.raw", "out.raw", "--element-bytes", "8", "--map", text, "--verify"], check)
    if os.path.exists("out.raw"): os.remove("out.raw")
    os.sync()
judge("buffered", "out.raw", ["large.raw", "out.raw", "--element-bytes", "8", "--map", "gray", "--io", "buffered"],
      lambda file: bool((np.memmap(file, dtype="<u8", mode="r")[sample ^ (sample >> u(1))] == sample * key).all()))
if os.path.exists("out.raw"): os.remove("out.raw")
text, apply = maps(bits)["reversal"]
judge("in place", "large.raw", ["large.raw", "--in-place", "--element-bytes", "8", "--map", text, "--verify"], lambda file:
      bool((np.memmap(file, dtype="<u8", mode="r")[apply(sample)] == sample * key).all()))
os.remove("large.raw")

p = bits - 1
shape = (3, 1 << p, 5)
array = np.lib.format.open_memmap("batch.npy", mode="w+", dtype="u1", shape=shape)
for a in range(3):
    for at in range(0, 1 << p, step):
        i = np.arange(at, min(at + step, 1 << p), dtype="u8")
        for b in range(5): array[a, at:at + step, b] = ((i * u(2654435761) + u(7 * a + b)) >> u(13)).astype("u1")
array.flush(); del array
text, apply = maps(p)["affine"]
sample = np.random.default_rng(4).integers(0, 1 << p, 50000, dtype="u8")
def check_batch(file):
    out = np.load(file, mmap_mode="r")
    return out.shape == shape and all(
        (out[a][apply(sample)][:, b] == ((sample * u(2654435761) + u(7 * a + b)) >> u(13)).astype("u1")).all()
        for a in range(3) for b in range(5))
judge("3 x 2^p x 5", "out.npy", ["batch.npy", "out.npy", "--axis", "1", "--map", text, "--verify"], check_batch)

# A model of 2 GiB and more, or of three times the cap: shapes of Llama, elements by their places.
import json
hidden, wide, layers = (4096, 14336, 4) if full else (1536, 6144, 2)
shapes = {"model.embed_tokens.weight": (6144, hidden), "model.norm.weight": (hidden,)}
for i in range(layers):
    p = f"model.layers.{i}."
    shapes.update({p + f"self_attn.{w}_proj.weight": (hidden, hidden) for w in "qo"})
    shapes.update({p + f"self_attn.{w}_proj.weight": (hidden // 4, hidden) for w in "kv"})
    shapes.update({p + f"mlp.{w}_proj.weight": (wide, hidden) for w in ("gate", "up")})
    shapes[p + "mlp.down_proj.weight"] = (hidden, wide)
ends = np.cumsum([0] + [2 * int(np.prod(s)) for s in shapes.values()]).tolist()
head = json.dumps({n: {"dtype": "BF16", "shape": s, "data_offsets": ends[i:i + 2]} for i, (n, s) in enumerate(shapes.items())}).encode()
os.mkdir("model")
with open("model/config.json", "w") as file: json.dump({"num_attention_heads": 24, "num_key_value_heads": 6}, file)
with open("model/tokenizer.json", "wb") as file: file.truncate(2 * cap)  # what is copied is not held
with open("model/model.safetensors", "wb") as file:
    file.write(len(head).to_bytes(8, "little") + head)
    for at in range(0, ends[-1] // 2, step):
        (np.arange(at, min(at + step, ends[-1] // 2), dtype="u8") * key >> u(17)).astype("<u2").tofile(file)

def held(path):
    raw = np.memmap(path, dtype="u1", mode="r")
    end = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    return {n: raw[end + t["data_offsets"][0]:end + t["data_offsets"][1]].view("<u2").reshape(t["shape"])
            for n, t in json.loads(raw[8:end].tobytes()).items()}

def is_split(folder, tp):
    whole = held("model/model.safetensors")
    for r in range(tp):
        for name, a in held(f"{folder}/model-rank-{r}-part-0.safetensors").items():
            axis = None if "norm" in name else int("o_proj" in name or "down_proj" in name)
            if not np.array_equal(a, whole[name] if axis is None else np.split(whole[name], tp, axis)[r]): return False
    return os.path.getsize(folder + "/tokenizer.json") == 2 * cap

words = ["--jobs", "1", "--verify"]
judge("checkpoint for 6 ranks", "tp6", ["model", "tp6", "--to", "llama:tp=6", *words], lambda f: is_split(f, 6), "reshard")
judge("checkpoint for 3 ranks", "tp3", ["tp6", "tp3", "--from", "llama:tp=6", "--to", "llama:tp=3", *words], lambda f: is_split(f, 3), "reshard")
share = ["tp3", "by2", "--from", "llama:tp=3", "--to", "llama:tp=6", "--jobs", "1", "--worker"]
judge("worker 1 of 2", "by2", [*share, "1/2"], lambda f: not os.path.exists(f), "reshard")
judge("worker 0 of 2", "by2", [*share, "0/2"], lambda f: is_split(f, 6), "reshard")
if group: os.rmdir(group)
print(f"right {right}")
EOP
exits "within the cap" 0 "$python" capped.py "$faro" "$([ "${FARO_FULL:-0}" = 1 ] && echo full || echo quick)"
prints "within the cap" "right 14"
[ "$(wc -l <"$stdout")" = 1 ] || bad "within the cap: $(head -c 600 "$stdout")"
rm -rf large.raw out.raw batch.npy out.npy model tp6 tp3 by2
