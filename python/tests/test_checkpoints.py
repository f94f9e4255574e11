"""Checkpoints moved between layouts, beside an oracle in NumPy that splits and gathers and knows nothing
of the plan, and files that the package safetensors writes and reads. Names and shapes are those of
public models, with smaller hidden sizes. FARO_FULL=1 takes every pair of layouts."""

import hashlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import faro
import faro.checkpoint
import numpy as np
import pytest

safetensors = pytest.importorskip("safetensors")
ml_dtypes = pytest.importorskip("ml_dtypes")
import safetensors.numpy  # noqa: E402

FULL = bool(os.environ.get("FARO_FULL"))
RANK_FILE = "model-rank-{}-part-{}.safetensors"
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": ml_dtypes.bfloat16, "I64": "<i8",
         "F8_E4M3": ml_dtypes.float8_e4m3fn, "F8_E5M2": ml_dtypes.float8_e5m2, "BOOL": "?",
         "U8": "u1", "I8": "i1", "I32": "<i4", "C64": "<c8"}
NAMES = {np.dtype(dtype): name for name, dtype in TYPES.items()}


def write(path, tensors, metadata=None):
    """A file by the format's page alone, tensors in any order."""
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, a in tensors.items():
        header[name] = {"dtype": NAMES[a.dtype], "shape": list(a.shape),
                        "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for a in tensors.values():
            file.write(np.ascontiguousarray(a).tobytes())


def read(path):
    """A file by the format's page alone."""
    raw = open(path, "rb").read()
    end = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:end])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(raw[end + t["data_offsets"][0]:end + t["data_offsets"][1]],
                                TYPES[t["dtype"]]).reshape(t["shape"])
            for name, t in header.items()}


def equal(a, b):
    return (sorted(a) == sorted(b) and
            all(a[k].dtype == b[k].dtype and a[k].shape == b[k].shape and
                a[k].tobytes() == b[k].tobytes() for k in a))


class Model:
    """Numbers of a public model, made small, and its tensors with random bytes."""

    def __init__(self, kind, layers=2, heads=24, kv=24, head=4, ffn=48, vocab=96, experts=0,
                 biases=False, norms=False, tied=False, dtype=ml_dtypes.bfloat16, seed=1, scales=None,
                 block=8):
        self.__dict__.update(locals())
        self.hidden = heads * head
        self.state = np.random.default_rng(seed)
        self.tensors = {}
        getattr(self, kind)()
        self.config = {"num_attention_heads": heads, "num_key_value_heads": kv,
                       "vocab_size": vocab, "tie_word_embeddings": tied}
        for name, a in list(self.tensors.items()):
            if not scales or a.ndim != 2 or "norm" in name or "embed" in name or "head" in name:
                continue
            if scales == "blocks":
                self.add(name + "_scale_inv", *(-(-n // block) for n in a.shape), dtype="<f4")
                self.config["quantization_config"] = {"weight_block_size": [block, block]}
            elif scales == "rows":
                self.add(name + "_scale", len(a), 1, dtype="<f4")
            else:
                self.add(name + "_scale", 1, dtype="<f4")
                self.add(name.replace(".weight", ".input_scale"), 1, dtype="<f4")

    def add(self, name, *shape, dtype=None):
        dtype = np.dtype(dtype or self.dtype)
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        raw = self.state.integers(0, 2 if dtype == bool else 256, count, dtype=np.uint8)
        self.tensors[name] = raw.view(dtype).reshape(shape)

    def attention(self, p):
        m = self
        for name, rows in (("q", m.heads), ("k", m.kv), ("v", m.kv)):
            m.add(f"{p}self_attn.{name}_proj.weight", rows * m.head, m.hidden)
            if m.biases:
                m.add(f"{p}self_attn.{name}_proj.bias", rows * m.head)
        m.add(p + "self_attn.o_proj.weight", m.hidden, m.heads * m.head)
        if m.norms:
            m.add(p + "self_attn.q_norm.weight", m.head)
            m.add(p + "self_attn.k_norm.weight", m.head)
        m.add(p + "input_layernorm.weight", m.hidden)
        m.add(p + "post_attention_layernorm.weight", m.hidden, dtype="<f4")

    def ends(self):
        self.add("model.embed_tokens.weight", self.vocab, self.hidden)
        self.add("model.norm.weight", self.hidden)
        if not self.tied:
            self.add("lm_head.weight", self.vocab, self.hidden)

    def llama(self):
        self.ends()
        for i in range(self.layers):
            p = f"model.layers.{i}."
            self.attention(p)
            self.add(p + "mlp.gate_proj.weight", self.ffn, self.hidden)
            self.add(p + "mlp.up_proj.weight", self.ffn, self.hidden)
            self.add(p + "mlp.down_proj.weight", self.hidden, self.ffn)

    def qwen(self):
        if not self.experts:
            return self.llama()
        self.ends()
        for i in range(self.layers):
            p = f"model.layers.{i}."
            self.attention(p)
            self.add(p + "mlp.gate.weight", self.experts, self.hidden)
            self.add(p + "mlp.shared_expert_gate.weight", 1, self.hidden)
            for e in [f"experts.{e}" for e in range(self.experts)] + ["shared_expert"]:
                self.add(f"{p}mlp.{e}.gate_proj.weight", self.ffn, self.hidden)
                self.add(f"{p}mlp.{e}.up_proj.weight", self.ffn, self.hidden)
                self.add(f"{p}mlp.{e}.down_proj.weight", self.hidden, self.ffn)

    def mixtral(self):
        self.ends()
        for i in range(self.layers):
            p = f"model.layers.{i}."
            self.attention(p)
            p += "block_sparse_moe."
            self.add(p + "gate.weight", self.experts, self.hidden)
            for e in range(self.experts):
                self.add(f"{p}experts.{e}.w1.weight", self.ffn, self.hidden)
                self.add(f"{p}experts.{e}.w2.weight", self.hidden, self.ffn)
                self.add(f"{p}experts.{e}.w3.weight", self.ffn, self.hidden)

    def gpt(self):  # GPT-2
        h = self.hidden
        self.add("wte.weight", self.vocab, h)
        self.add("wpe.weight", 32, h)
        for i in range(self.layers):
            p = f"h.{i}."
            for ln in ("ln_1", "ln_2"):
                self.add(f"{p}{ln}.weight", h)
                self.add(f"{p}{ln}.bias", h)
            self.add(p + "attn.bias", 1, 1, 32, 32, dtype="?")
            self.add(p + "attn.c_attn.weight", h, 3 * h)
            self.add(p + "attn.c_attn.bias", 3 * h)
            self.add(p + "attn.c_proj.weight", h, h)
            self.add(p + "attn.c_proj.bias", h)
            self.add(p + "mlp.c_fc.weight", h, 4 * h)
            self.add(p + "mlp.c_fc.bias", 4 * h)
            self.add(p + "mlp.c_proj.weight", 4 * h, h)
            self.add(p + "mlp.c_proj.bias", h)
        self.add("ln_f.weight", h)
        self.add("ln_f.bias", h)

    # Megatron core, [q .. q k v] of each group together.
    def megatron(self):
        h, m = self.hidden, self
        m.add("embedding.word_embeddings.weight", m.vocab, h)
        m.add("embedding.position_embeddings.weight", 32, h)
        m.add("output_layer.weight", m.vocab, h)
        m.add("decoder.final_layernorm.weight", h)
        for i in range(m.layers):
            p = f"decoder.layers.{i}."
            rows = (m.heads + 2 * m.kv) * m.head
            m.add(p + "self_attention.linear_qkv.weight", rows, h)
            m.add(p + "self_attention.linear_qkv.bias", rows)
            m.add(p + "self_attention.linear_qkv.layer_norm_weight", h)
            m.add(p + "self_attention.linear_proj.weight", h, m.heads * m.head)
            m.add(p + "mlp.linear_fc1.weight", 2 * m.ffn, h)
            m.add(p + "mlp.linear_fc2.weight", h, m.ffn)

    # -- the oracle -------------------------------------------------------------------------------

    def of(self, name, a, tp, t):
        """What device t of tp holds of a whole tensor."""
        if name.endswith("_scale_inv"):  # spread over the weight's elements, cut as they are
            weight = self.tensors[name.removesuffix("_scale_inv")]
            spread = a.repeat(self.block, 0).repeat(self.block, 1)[:weight.shape[0], :weight.shape[1]]
            held = self.of(name.removesuffix("_scale_inv"), spread, tp, t)
            return np.ascontiguousarray(held[::self.block, ::self.block])
        if name.endswith("weight_scale") and a.ndim == 2:
            weight = self.tensors[name.removesuffix("_scale")]
            spread = np.broadcast_to(a, weight.shape)
            return np.ascontiguousarray(self.of(name.removesuffix("_scale"), spread, tp, t)[:, :1])
        if name.endswith("_scale"):
            return a
        tail = name.split(".")

        def part(x, axis):
            return np.split(x, tp, axis)[t]

        def heads_of(x, count, axis):
            units = np.split(x, count, axis)
            if count % tp == 0:
                units = units[t * (count // tp):(t + 1) * (count // tp)]
            else:
                units = [units[t * count // tp]]
            return np.concatenate(units, axis)

        if self.kind == "gpt":
            if "c_attn" in tail:
                return np.concatenate([part(x, a.ndim - 1) for x in np.split(a, 3, a.ndim - 1)],
                                      a.ndim - 1)
            if name.endswith("c_fc.weight"):
                return part(a, 1)
            if name.endswith(("c_fc.bias", "c_proj.weight", "wte.weight")):
                return part(a, 0)
            return a
        if self.kind == "megatron":
            if "layer_norm_weight" in name:
                return a
            if "linear_qkv" in tail:
                return heads_of(a, self.kv, 0)
            if "linear_fc1" in tail:
                gate, up = np.split(a, 2)
                return np.concatenate([part(gate, 0), part(up, 0)])
            if "linear_proj" in tail or "linear_fc2" in tail:
                return part(a, 1)
            return part(a, 0) if "word_embeddings" in tail or "output_layer" in tail else a
        if tail[-2] in ("q_proj",):
            return heads_of(a, self.heads, 0)
        if tail[-2] in ("k_proj", "v_proj"):
            return heads_of(a, self.kv, 0)
        if tail[-2] in ("o_proj", "down_proj", "w2"):
            return part(a, 1)
        if tail[-2] in ("gate_proj", "up_proj", "w1", "w3", "embed_tokens", "lm_head"):
            return part(a, 0)
        return a

    def split(self, tp=1, pp=1, ep=1, pad=1, fused=False, stages=None):
        """The tensors of each rank."""
        ranks = []
        stages = stages or [self.layers // pp] * pp
        ends = np.cumsum(stages)
        for r in range(tp * pp * ep):
            t, e, s = r % tp, r // tp % ep, r // tp // ep
            held = {}
            for name, a in self.tensors.items():
                words = name.split(".")
                number = next((int(words[i + 1]) for i, w in enumerate(words)
                               if w in ("layers", "h")), None)
                if number is not None and int(np.searchsorted(ends, number, "right")) != s:
                    continue
                first = any(w in name for w in ("embed", "wte", "wpe"))
                last = any(w in name for w in ("model.norm", "lm_head", "ln_f", "final_layernorm",
                                               "output_layer"))
                also = self.tied and "embed_tokens" in name and s == pp - 1
                if (first and s != 0 and not also) or (last and s != pp - 1):
                    continue
                if "experts" in words:
                    expert = int(words[words.index("experts") + 1])
                    if expert // (self.experts // ep) != e:
                        continue
                if pad > 1 and ("embed_tokens" in name or "lm_head" in name):
                    rows = -(-len(a) // pad) * pad
                    a = np.concatenate([a, np.zeros((rows - len(a), a.shape[1]), a.dtype)])
                held[name] = self.of(name, a, tp, t)
            if fused:
                for name in [n for n in held if ".q_proj." in n or ".gate_proj." in n]:
                    if ".q_proj." in name:
                        parts, made = ("q_proj", "k_proj", "v_proj"), "qkv_proj"
                    else:
                        parts, made = ("gate_proj", "up_proj"), "gate_up_proj"
                    names = [name.replace(parts[0], p) for p in parts]
                    held[name.replace(parts[0], made)] = np.concatenate([held.pop(n) for n in names])
            ranks.append(held)
        return ranks

    # -- on disk ----------------------------------------------------------------------------------

    def save_whole(self, folder, files=1):
        folder.mkdir()
        names = list(self.tensors)
        random.Random(3).shuffle(names)
        (folder / "config.json").write_text(json.dumps(self.config))
        if files == 1:
            write(folder / "model.safetensors", {n: self.tensors[n] for n in names}, {"format": "pt"})
            return
        index = {}
        for i in range(files):
            name = f"model-{i + 1:05}-of-{files:05}.safetensors"
            part = {n: self.tensors[n] for n in names[i::files]}
            write(folder / name, part, {"format": "pt"})
            index.update(dict.fromkeys(part, name))
        (folder / "model.safetensors.index.json").write_text(
            json.dumps({"metadata": {"total_size": 0}, "weight_map": index}))

    def save_ranks(self, folder, ranks, parts=1):
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(self.config))
        for r, held in enumerate(ranks):
            names = list(held)
            random.Random(r).shuffle(names)
            for p in range(parts):
                write(folder / RANK_FILE.format(r, p), {n: held[n] for n in names[p::parts]})


def ranks_in(folder, count):
    held = []
    for r in range(count):
        tensors, part = {}, 0
        while (folder / RANK_FILE.format(r, part)).exists():
            tensors.update(read(folder / RANK_FILE.format(r, part)))
            part += 1
        held.append(tensors)
    assert not (folder / RANK_FILE.format(count, 0)).exists()
    return held


def whole_in(folder):
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return read(folder / "model.safetensors")
    tensors = {}
    for name, file in json.loads(index.read_text())["weight_map"].items():
        tensors[name] = read(folder / file)[name]
    return tensors


def numbers(layout):
    """"llama:tp=4,pp=2" as the oracle takes it."""
    said = {}
    for word in layout.partition(":")[2].split(","):
        name, _, value = word.partition("=")
        if name in ("tp", "pp", "ep", "pad"):
            said[name] = int(value)
        if name == "fused":
            said["fused"] = True
        if name == "split":
            said["stages"] = [int(n) for n in value.split("/")]
    return said


def save(model, folder, layout):
    if layout == "whole":
        model.save_whole(folder, files=3)
    else:
        model.save_ranks(folder, model.split(**numbers(layout)), parts=2)


def check(model, folder, layout):
    if layout == "whole":
        assert equal(whole_in(folder), model.tensors)
        return
    wanted = model.split(**numbers(layout))
    found = ranks_in(folder, len(wanted))
    for r, held in enumerate(found):
        assert equal(held, wanted[r]), (layout, r)


CASES = [
    (Model("llama"), ["whole", *(f"llama:tp={n}" for n in (1, 2, 3, 4, 6, 8)), "llama:tp=2,pp=2",
                      "llama:tp=4,fused", "llama:tp=3,pad=60,vocab=96", "llama:tp=3,pp=2,fused"]),
    (Model("llama", heads=8, kv=2, layers=4, seed=2),
     ["whole", "llama:tp=2", "llama:tp=4", "llama:tp=8", "llama:tp=8,fused", "llama:tp=4,pp=4",
      "llama:pp=3,split=1/1/2", "llama:tp=4,fused,pp=2"]),
    (Model("qwen", heads=12, kv=4, biases=True, tied=True, layers=3, seed=3),
     ["whole", "qwen:tp=2", "qwen:tp=4,fused", "qwen:tp=12", "qwen:tp=2,pp=3", "qwen:tp=4,pp=3"]),
    (Model("qwen", heads=8, kv=4, norms=True, experts=6, ffn=24, seed=4),
     ["whole", "qwen:tp=2,ep=3", "qwen:ep=6", "qwen:tp=4,pp=2", "qwen:tp=4,pp=2,ep=2"]),
    (Model("mixtral", heads=8, kv=8, experts=8, ffn=16, seed=5, dtype=ml_dtypes.float8_e4m3fn),
     ["whole", "mixtral:tp=2,ep=4", "mixtral:tp=8", "mixtral:ep=8", "mixtral:tp=4,ep=2,pp=2"]),
    (Model("llama", heads=16, kv=4, head=8, ffn=128, seed=21, dtype=ml_dtypes.float8_e4m3fn,
           scales="blocks"),
     ["whole", *(f"llama:tp={n}" for n in (1, 2, 4, 8)), "llama:tp=4,fused", "llama:tp=2,pp=2"]),
    (Model("llama", heads=24, kv=24, seed=22, dtype=ml_dtypes.float8_e4m3fn, scales="rows"),
     ["whole", *(f"llama:tp={n}" for n in (2, 3, 6)), "llama:tp=3,fused", "llama:tp=8,pp=2"]),
    (Model("llama", heads=8, kv=2, seed=23, dtype=ml_dtypes.float8_e5m2, scales="one"),
     ["whole", "llama:tp=2", "llama:tp=4,fused", "llama:tp=8", "llama:tp=8,fused"]),
    (Model("qwen", heads=8, kv=4, head=8, experts=6, ffn=64, seed=24, scales="blocks"),
     ["whole", "qwen:tp=2,ep=3", "qwen:ep=6", "qwen:tp=4,pp=2"]),
    (Model("mixtral", heads=8, kv=8, head=8, experts=8, ffn=64, seed=25, scales="blocks"),
     ["whole", "mixtral:tp=2,ep=4", "mixtral:tp=8", "mixtral:tp=4,ep=2,pp=2"]),
    (Model("gpt", heads=12, kv=12, tied=True, seed=6, dtype="<f4"),
     ["whole", *(f"gpt:tp={n}" for n in (1, 2, 3, 4, 6))]),
    (Model("megatron", heads=16, kv=8, layers=4, seed=7),
     ["whole", "gpt:tp=2,gated", "gpt:tp=8,gated", "gpt:tp=4,pp=2,gated"]),
]
PAIRS = [(m, a, b) for m, layouts in CASES for a in layouts for b in layouts if a != b]
if not FULL:
    PAIRS = random.Random(11).sample(PAIRS, 40)
    PAIRS += [(m, layouts[0], layouts[-1]) for m, layouts in CASES]


@pytest.mark.parametrize("model,a,b", PAIRS, ids=lambda x: getattr(x, "kind", x))
def test_every_pair_of_layouts_is_as_the_oracle_splits_it(tmp_path, model, a, b):
    save(model, tmp_path / "in", a)
    report = faro.reshard(tmp_path / "in", tmp_path / "out", from_layout=a, to_layout=b,
                          memory="64MiB", threads=2, verify=True, file_size=20000)
    check(model, tmp_path / "out", b)
    assert report["bytes_read"] == sum(t.nbytes for t in model.tensors.values())
    assert {t["name"] for t in report["tensors"]} == set(model.tensors)
    assert sorted(os.listdir(tmp_path)) == ["in", "out"]
    # And back, which finds the digests that lie there now.
    back = faro.reshard(tmp_path / "out", tmp_path / "back", from_layout=b, to_layout=a,
                        memory="64MiB", threads=1)
    check(model, tmp_path / "back", a)
    assert back["known"]


SMALL = Model("llama", heads=8, kv=2, layers=2, seed=9)


def test_every_type_and_both_readers(tmp_path):
    """Files of the package safetensors in, and what faro writes out of that package."""
    state = np.random.default_rng(5)
    tensors = {}
    for name, dtype in TYPES.items():
        if name == "C64":
            continue  # this version of the package has no writer for it
        dtype = np.dtype(dtype)
        raw = state.integers(0, 2 if dtype == bool else 256, 24 * dtype.itemsize, dtype=np.uint8)
        tensors[f"x.{name}"] = raw.view(dtype).reshape(4, 6)
    tensors["scalar"] = np.array(3.5, "<f4")
    tensors["none"] = np.zeros((0, 7), "<f2")
    safetensors.numpy.save_file(tensors, tmp_path / "a.safetensors", {"by": "a \"test\""})
    layout = tmp_path / "my.layout"
    layout.write_text("set tp 2\nx.*  shard 0\n**  copy\n")
    faro.reshard(tmp_path / "a.safetensors", tmp_path / "two", to_layout=str(layout), verify=True)
    for r in range(2):
        path = tmp_path / "two" / RANK_FILE.format(r, 0)
        with safetensors.safe_open(path, "numpy") as file:
            assert file.metadata() == {"by": "a \"test\""}
            for name in file.keys():
                if "F8" not in name:  # which this package has no arrays for
                    assert equal({name: file.get_tensor(name)}, {name: read(path)[name]})
        assert equal(read(path), {n: a[2 * r:2 * r + 2] if n[0] == "x" else a
                             for n, a in tensors.items()})
    faro.reshard(tmp_path / "two", tmp_path / "one", from_layout=str(layout))
    assert equal(read(tmp_path / "one" / "model.safetensors"), tensors)


def test_digests_are_those_of_the_arrays(tmp_path):
    SMALL.save_whole(tmp_path / "in")
    faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=8,fused")
    noted = json.loads((tmp_path / "out" / "faro-digests.json").read_text())["tensors"]
    for name, a in SMALL.tensors.items():
        assert noted[name]["digest"] == faro.digest(a), name


def test_tensors_are_read_where_they_are_asked_for(tmp_path):
    SMALL.save_whole(tmp_path / "in", files=3)
    tensors = faro.checkpoint.open(tmp_path / "in")
    assert set(tensors) == set(SMALL.tensors)
    held = SMALL.split(tp=4)
    for name, a in SMALL.tensors.items():
        t = tensors[name]
        assert t.shape == a.shape and NAMES[a.dtype] == t.dtype
        assert t.to_numpy().tobytes() == a.tobytes()
        assert t[1:3].tobytes() == a[1:3].tobytes()
        assert t[..., ::2].tobytes() == np.ascontiguousarray(a[..., ::2]).tobytes()
        assert t.raw().tobytes() == a.tobytes()
        for r in range(4):
            assert t.under("llama:tp=4", r).tobytes() == held[r][name].tobytes()
    w = tensors["model.layers.1.mlp.up_proj.weight"]
    assert w.under("llama:pp=2", 0) is None
    padded = tensors["lm_head.weight"].under("llama:tp=4,pad=40", 3)
    assert padded.tobytes() == SMALL.tensors["lm_head.weight"][90:].tobytes() + bytes(24 * 2 * 32)
    with pytest.raises(faro.UsageError, match="ranks 0 to 3"):
        w.under("llama:tp=4", 4)
    with pytest.raises(KeyError):
        tensors["gone"]


def test_torch_has_the_same_elements(tmp_path):
    torch = pytest.importorskip("torch")
    SMALL.save_whole(tmp_path / "in")
    for name, t in faro.checkpoint.open(tmp_path / "in").items():
        x = t.to_torch()
        assert tuple(x.shape) == t.shape
        assert x.contiguous().view(torch.uint8).numpy().tobytes() == t.raw().tobytes()


def test_torch_loads_what_each_rank_holds(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file
    SMALL.save_whole(tmp_path / "in")
    faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=4")
    for r, wanted in enumerate(SMALL.split(tp=4)):
        held = load_file(tmp_path / "out" / RANK_FILE.format(r, 0))
        assert sorted(held) == sorted(wanted)
        for name, x in held.items():
            assert tuple(x.shape) == wanted[name].shape
            assert str(x.dtype) == f"torch.{wanted[name].dtype.name}"
            assert x.reshape(-1).view(torch.uint8).numpy().tobytes() == wanted[name].tobytes()


def test_refusals_name_what_does_not_fit(tmp_path):
    SMALL.save_whole(tmp_path / "in")
    with pytest.raises(faro.UsageError, match=r"k_proj.weight.*\[8, 32\].*rule 'kv 0'"):
        faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=3")
    with pytest.raises(faro.UsageError, match="one of them"):
        faro.reshard(tmp_path / "in", tmp_path / "out", resume=True, fresh=True)
    assert os.listdir(tmp_path) == ["in"]


def test_progress_may_stop_it_and_it_goes_on(tmp_path):
    SMALL.save_whole(tmp_path / "in")
    calls = []

    def stop(done, total):
        calls.append((done, total))
        if done:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=2", progress=stop)
    assert calls and not (tmp_path / "out").exists()
    with pytest.raises(faro.Error, match="unfinished"):
        faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=2")
    faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=2", resume=True)
    check(SMALL, tmp_path / "out", "llama:tp=2")


def test_what_was_lost_or_left_while_it_stood_still_does_no_harm(tmp_path):
    SMALL.save_whole(tmp_path / "in")
    (tmp_path / "in" / "config.json").write_text("{}")

    def stop(done, total):
        if done == total:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=2", progress=stop)
    data = tmp_path / ".out.faro" / "data"
    (data / RANK_FILE.format(1, 0)).unlink()
    (data / ".config.json.part").write_text('{"longer": "than what comes"}')
    faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=2", resume=True)
    assert (tmp_path / "out" / "config.json").read_text() == "{}"
    (tmp_path / "out" / "config.json").unlink()
    check(SMALL, tmp_path / "out", "llama:tp=2")


def outcome(folder):
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()}


def test_jobs_in_any_order_twice_and_at_once_are_what_one_call_makes(tmp_path):
    model = Model("mixtral", heads=8, kv=2, experts=4, ffn=16, seed=31)
    model.save_whole(tmp_path / "in", files=2)
    words = {"to_layout": "mixtral:tp=2,ep=2,pp=2", "memory": "64MiB", "threads": 1, "file_size": 9000}
    faro.reshard(tmp_path / "in", tmp_path / "alone", **words)
    plan = faro.reshard_plan(tmp_path / "in", tmp_path / "out", **words)
    (stage,) = plan.stages
    assert len(stage) == len(plan["files"]) > 8
    assert 0 < stage.memory_bytes <= 64 << 20
    job = stage[-1]
    assert len(pickle.dumps(job)) < 500 and len(job.to_json()) < 500
    assert pickle.loads(pickle.dumps(job)) == job == faro.Job.from_json(job.to_json())
    again = pickle.loads(pickle.dumps(plan)).stages[0]  # another process, later
    assert list(again) == list(stage)
    with ProcessPoolExecutor(2) as pool:
        results = [f.result() for f in [pool.submit(faro.Job.run, j, again=True)
                                        for j in random.Random(3).sample(list(stage) * 2, 2 * len(stage))]]
    assert len({r[:4] for r in results}) == len(stage)
    assert sum(r.bytes_written for r in results) == 2 * plan["bytes_written"]
    assert list(stage.remaining) == [] and stage[0].run().was_done
    with pytest.raises(faro.UsageError, match="another request"):
        faro.reshard_plan(tmp_path / "in", tmp_path / "out", **{**words, "to_layout": "whole"}).stages
    with pytest.raises(faro.UsageError, match="in stage 0"):
        job._replace(number=10**6).run()
    with pytest.raises(faro.UsageError, match="results of"):
        plan.finish(results[:1])
    report = plan.finish(results)
    assert {t["name"]: t["digest"] for t in report["tensors"]} == \
        {n: faro.digest(a) for n, a in model.tensors.items()}
    check(model, tmp_path / "out", words["to_layout"])
    assert outcome(tmp_path / "out") == outcome(tmp_path / "alone")
    assert sorted(os.listdir(tmp_path)) == ["alone", "in", "out"]
    with pytest.raises(faro.UsageError, match="finished, or"):
        job.run()
    with pytest.raises(faro.UsageError, match="without a target"):
        faro.reshard_plan(tmp_path / "in", to_layout="mixtral:tp=2").stages


JOB = "import sys, faro; faro.Job.from_json(sys.argv[1]).run()"


def test_jobs_that_are_killed_leave_nothing_that_counts(tmp_path):
    model = Model("llama", heads=16, kv=8, head=16, ffn=512, vocab=4000, layers=8, seed=12)
    model.save_whole(tmp_path / "in", files=2)
    words = {"to_layout": "llama:tp=4", "memory": "80MiB", "threads": 1}
    plan = faro.reshard_plan(tmp_path / "in", tmp_path / "out", **words)
    (stage,) = plan.stages
    moments = random.Random(5)
    killed = 0
    for i in range(20 if FULL else 4):
        work = subprocess.Popen([sys.executable, "-c", JOB, stage[i % len(stage)].to_json()])
        while work.poll() is None and not list((tmp_path / ".out.faro-shared").glob("file-*")):
            time.sleep(0.001)
        time.sleep(moments.random() * 0.03)
        work.send_signal(signal.SIGKILL)
        killed += work.wait() == -signal.SIGKILL
    assert killed
    for job in plan.stages[0].remaining:
        job.run()
    plan.finish()
    check(model, tmp_path / "out", "llama:tp=4")
    assert sorted(os.listdir(tmp_path)) == ["in", "out"]


KILLED = """
import sys, faro
faro.reshard(sys.argv[1], sys.argv[2], to_layout="llama:tp=4", memory="80MiB", threads=1,
             resume=len(sys.argv) > 3)
"""


def test_killed_at_some_moments_it_goes_on(tmp_path):
    model = Model("llama", heads=16, kv=8, head=16, ffn=512, vocab=4000, layers=8, seed=12)
    model.save_whole(tmp_path / "in", files=2)
    killed = 0
    for i in range(20 if FULL else 4):
        out = tmp_path / f"out{i}"
        work = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path / "in", out])
        folder = tmp_path / f".out{i}.faro"
        while work.poll() is None and not (folder / "journal").exists():
            time.sleep(0.001)
        time.sleep(random.Random(i).random() * 0.05)
        work.send_signal(signal.SIGKILL)
        work.wait()
        if not out.exists():
            killed += 1
            begun = (folder / "journal").exists() and (folder / "journal").stat().st_size
            subprocess.run([sys.executable, "-c", KILLED, tmp_path / "in", out,
                            *(["resume"] if begun else [])], check=True)
            assert not folder.exists()
        check(model, out, "llama:tp=4")
    assert killed
