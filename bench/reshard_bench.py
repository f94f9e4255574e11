#!/usr/bin/env python3
"""A checkpoint from tensor parallel 4 to 8: faro beside gathering with the package safetensors in one process.

usage: bench/reshard_bench.py [--gib 2] [--faro build/release/faro] [--memory 256MiB] [--folder DIR]

Makes a checkpoint with names and shapes of Llama (the number of layers makes its size), then in turn, each
from a cold page cache where the system lets it be dropped:

  faro         faro reshard, within --memory
  safetensors  every rank's file loaded, each tensor concatenated, split anew, every rank's file saved
  torch        the same tensors as a checkpoint of torch.distributed, by its offline converters
               dcp_to_torch_save and torch_save_to_dcp, where torch is installed; its checkpoints
               are loaded by any number of ranks, so this is what it has for the work

Prints a table: seconds, the most memory the process held (ru_maxrss), bytes read and written by it
(/proc/PID/io), whether all files hold the same bytes, and whether it ends in a control group of exactly
--memory, page cache included: faro's one run is in it, the others run once more. Wants numpy, ml_dtypes and
safetensors."""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import ml_dtypes
import numpy as np
from safetensors.numpy import load_file, save_file

HIDDEN, FFN, HEADS, KV, VOCAB = 4096, 14336, 32, 8, 32000
HEAD = HIDDEN // HEADS
COLUMNS = {"o_proj": 1, "down_proj": 1}  # cut along axis 1; norms are copied, the rest axis 0
NAME = "model-rank-{}-part-0.safetensors"


def axis_of(name):
    return None if "norm" in name else COLUMNS.get(name.split(".")[-2], 0)


def shapes_of(layers):
    shapes = {"model.embed_tokens.weight": (VOCAB, HIDDEN), "lm_head.weight": (VOCAB, HIDDEN),
              "model.norm.weight": (HIDDEN,)}
    for i in range(layers):
        p = f"model.layers.{i}."
        shapes.update({p + "self_attn.q_proj.weight": (HIDDEN, HIDDEN),
                       p + "self_attn.k_proj.weight": (KV * HEAD, HIDDEN),
                       p + "self_attn.v_proj.weight": (KV * HEAD, HIDDEN),
                       p + "self_attn.o_proj.weight": (HIDDEN, HIDDEN),
                       p + "mlp.gate_proj.weight": (FFN, HIDDEN),
                       p + "mlp.up_proj.weight": (FFN, HIDDEN),
                       p + "mlp.down_proj.weight": (HIDDEN, FFN),
                       p + "input_layernorm.weight": (HIDDEN,),
                       p + "post_attention_layernorm.weight": (HIDDEN,)})
    return shapes


def make(folder, layers, ranks):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(
        {"num_attention_heads": HEADS, "num_key_value_heads": KV, "vocab_size": VOCAB}))
    for r in range(ranks):
        tensors = {}
        for i, (name, shape) in enumerate(shapes_of(layers).items()):
            axis, shape = axis_of(name), list(shape)
            if axis is not None:
                shape[axis] //= ranks
            state = np.random.default_rng([i, 0 if axis is None else r])
            raw = state.integers(0, 2**16, shape, dtype=np.uint16)
            tensors[name] = raw.view(ml_dtypes.bfloat16)
        save_file(tensors, folder / NAME.format(r))


def gather(source, target, before, after):
    ranks = [load_file(source / NAME.format(r)) for r in range(before)]
    target.mkdir()
    whole = {}
    for name in list(ranks[0]):
        parts = [held.pop(name) for held in ranks]
        axis = axis_of(name)
        whole[name] = parts[0] if axis is None else np.concatenate(parts, axis)
    for r in range(after):
        held = {}
        for name, a in whole.items():
            axis = axis_of(name)
            part = a if axis is None else np.split(a, after, axis)[r]
            held[name] = np.ascontiguousarray(part)
        save_file(held, target / NAME.format(r))
    os.sync()


def make_dcp(source, target, ranks):
    import torch
    import torch.distributed.checkpoint as dcp
    held = [load_file(source / NAME.format(r)) for r in range(ranks)]
    whole = {}
    for name in list(held[0]):
        parts = [tensors.pop(name) for tensors in held]
        axis = axis_of(name)
        a = parts[0] if axis is None else np.concatenate(parts, axis)
        whole[name] = torch.from_numpy(a.view("i2")).view(torch.bfloat16)
    dcp.save(whole, storage_writer=dcp.FileSystemWriter(target), no_dist=True)


def convert(source, target):
    from torch.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
    dcp_to_torch_save(source, f"{target}.pt")
    torch_save_to_dcp(f"{target}.pt", target)
    os.sync()


def same_dcp(a, b):
    import torch
    import torch.distributed.checkpoint as dcp
    held = []
    for folder in (a, b):
        reader = dcp.FileSystemReader(folder)
        found = reader.read_metadata().state_dict_metadata
        held.append({n: torch.empty(t.size, dtype=t.properties.dtype) for n, t in found.items()})
        dcp.load(held[-1], storage_reader=reader, no_dist=True)
    return held[0].keys() == held[1].keys() and all(
        torch.equal(held[0][n].view(torch.int16), held[1][n].view(torch.int16)) for n in held[0])


def bytes_of(text):
    units = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    return int(float(text[:-3]) * units[text[-3:]])


def forget():
    os.sync()
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("1")
    except OSError:
        pass


def group_of(cap):
    """A control group of so many bytes; None where none can be made."""
    lines = dict((line.split(":")[1], line.strip().split(":", 2)[2]) for line in open("/proc/self/cgroup"))
    v1 = "memory" in lines
    base = "/sys/fs/cgroup/memory" + lines["memory"] if v1 else "/sys/fs/cgroup" + lines.get("", "/")
    path = f"{base}/faro-reshard-{os.getpid()}"
    try:
        os.mkdir(path)
        with open(path + ("/memory.limit_in_bytes" if v1 else "/memory.max"), "w") as file:
            file.write(str(cap))
    except OSError:
        return None
    return path


def measured(work, group=None, may_fail=False):
    """Seconds, the most memory, bytes read and written of a process that does it, and whether it ended."""
    forget()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            if group:
                with open(group + "/cgroup.procs", "w") as file:
                    file.write(str(os.getpid()))
            work()
        finally:
            os._exit(1)
    # The counts go with the process: they are read while it lives, and once more when it has ended.
    counts = (0, 0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    try:
        lines = dict(line.split(": ") for line in open(f"/proc/{child}/io").read().splitlines())
        counts = int(lines["rchar"]), int(lines["wchar"])
    except (OSError, ValueError):
        pass
    _, status, usage = os.wait4(child, 0)
    ended = os.waitstatus_to_exitcode(status) == 0
    assert ended or may_fail, "it failed"
    return time.monotonic() - start, usage.ru_maxrss / 1024, counts, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gib", type=float, default=2)
    parser.add_argument("--faro", default="build/release/faro")
    parser.add_argument("--memory", default="256MiB")
    parser.add_argument("--folder", default=None)
    asked = parser.parse_args()
    layer = sum(2 * int(np.prod(s)) for n, s in shapes_of(1).items() if "layers" in n)
    ends = sum(2 * int(np.prod(s)) for s in shapes_of(0).values())
    layers = max(1, round((asked.gib * 2**30 - ends) / layer))
    faro = os.path.realpath(asked.faro)
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, __file__, "--make", str(folder / "in"), str(layers)],
                       check=True)
        size = sum(f.stat().st_size for f in (folder / "in").iterdir())
        print(f"{layers} layers, {size / 2**30:.2f} GiB, from 4 ranks to 8, {os.cpu_count()} cores\n")
        group = group_of(bytes_of(asked.memory))
        print(f"| | seconds | most memory | read | written | the same bytes | within {asked.memory} |")
        print("|---|---|---|---|---|---|---|")

        def by_faro():
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.execv(faro, [faro, "reshard", str(folder / "in"), str(folder / "faro"), "--from",
                            "llama:tp=4", "--to", "llama:tp=8", "--memory", asked.memory])

        def by_hand(to="hand"):
            os.execv(sys.executable, [sys.executable, __file__, "--gather", str(folder / "in"),
                                      str(folder / to)])

        def within(work):
            return measured(work, group, may_fail=True)[3] if group else None

        rows = [("faro reshard --memory " + asked.memory, measured(by_faro, group), bool(group) or None),
                ("safetensors, gathered", measured(by_hand), within(lambda: by_hand("capped")))]
        same = all(equal(folder / "faro" / NAME.format(r), folder / "hand" / NAME.format(r))
                   for r in range(8))
        sames = [same, same]
        if importlib.util.find_spec("torch"):
            steps = [sys.executable, __file__]
            subprocess.run([*steps, "--make-dcp", str(folder / "in"), str(folder / "dcp")],
                           check=True)

            def by_torch(to="dcp2"):
                os.execv(sys.executable, [*steps, "--convert", str(folder / "dcp"),
                                          str(folder / to)])

            rows.append(("torch.distributed.checkpoint, converted", measured(by_torch),
                         within(lambda: by_torch("capped2"))))
            sames.append(same_dcp(folder / "dcp", folder / "dcp2"))
        for (what, (seconds, memory, (read, written), _), fits), same in zip(rows, sames):
            print(f"| {what} | {seconds:.1f} | {memory:.0f} MiB | {read / 2**30:.2f} GiB | "
                  f"{written / 2**30:.2f} GiB | {'yes' if same else 'NO'} | "
                  f"{ {True: 'yes', False: 'killed', None: 'no group here'}[fits]} |")
        if group:
            os.rmdir(group)
        sys.exit(0 if all(sames) else 1)


def equal(a, b):
    a, b = load_file(a), load_file(b)
    return a.keys() == b.keys() and all(np.array_equal(a[n].view("u2"), b[n].view("u2")) for n in a)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(pathlib.Path(sys.argv[2]), int(sys.argv[3]), 4)
    elif sys.argv[1:2] == ["--gather"]:
        gather(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), 4, 8)
    elif sys.argv[1:2] == ["--make-dcp"]:
        make_dcp(pathlib.Path(sys.argv[2]), sys.argv[3], 4)
    elif sys.argv[1:2] == ["--convert"]:
        convert(sys.argv[2], sys.argv[3])
    else:
        main()
