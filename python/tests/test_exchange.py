"""Checkpoints of torch.distributed and of Orbax, written and read by these libraries, beside NumPy."""

import os
import pickle

import faro
import faro.checkpoint
import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes")
KINDS = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool",
         "float8_e4m3fn", "float8_e5m2"]


def array(rng, kind, *shape):
    dtype = np.dtype(getattr(ml_dtypes, kind, kind))
    raw = rng.integers(0, 2 if kind == "bool" else 256, (*shape, dtype.itemsize), dtype="u1")
    return raw.view(dtype).reshape(shape)


def arrays(seed):
    rng = np.random.default_rng(seed)
    held = {f"model.{kind}.weight": array(rng, kind, *rng.integers(1, 9, rng.integers(1, 4)))
            for kind in KINDS}
    held["scalar"] = array(rng, "float32")
    return held


def check(path, tensors):
    found = faro.checkpoint.open(path)
    assert sorted(found) == sorted(tensors)
    for name, a in tensors.items():
        assert found[name].shape == a.shape and found[name]._numpy == a.dtype.name, name
        assert found[name].raw().tobytes() == a.tobytes(), name


def test_orbax_there_and_back(tmp_path):
    ocp = pytest.importorskip("orbax.checkpoint")
    tensors = arrays(1)
    tree = {"model": {k.split(".", 1)[1]: a for k, a in tensors.items() if "." in k},
            "scalar": tensors["scalar"], "layers": [np.arange(6.0), {"b": np.arange(3)}]}
    ocp.PyTreeCheckpointer().save(tmp_path / "o", tree)
    tensors |= {"layers.0": np.arange(6.0), "layers.1.b": np.arange(3)}
    ocp.PyTreeCheckpointer().save(tmp_path / "twice", {"a.b": np.arange(2), "a": {"b": np.arange(3)}})
    with pytest.raises(faro.UsageError, match="two tensors have this name"):
        faro.checkpoint.from_orbax(tmp_path / "twice", tmp_path / "none")
    for memory in (1, 1 << 20):
        report = faro.checkpoint.from_orbax(tmp_path / "o", tmp_path / f"in{memory}", memory=memory)
        assert report == {"tensors": len(tensors), "left_out": []}
        check(tmp_path / f"in{memory}", tensors)
    faro.checkpoint.to_orbax(tmp_path / "in1", tmp_path / "back")
    held = ocp.PyTreeCheckpointer().restore(tmp_path / "back")
    assert sorted(held) == sorted(tensors)
    for name, a in tensors.items():
        assert np.asarray(held[name]).tobytes() == a.tobytes(), name
    with pytest.raises(faro.UsageError, match="there already"):
        faro.checkpoint.to_orbax(tmp_path / "in1", tmp_path / "back")
    (tmp_path / "empty").mkdir()
    with pytest.raises(faro.UsageError, match="Orbax finds no"):
        faro.checkpoint.from_orbax(tmp_path / "empty", tmp_path / "no")
    assert not [n for n in os.listdir(tmp_path) if n.startswith(".") or n == "no"]


def test_torch_distributed_there_and_back(tmp_path):
    torch = pytest.importorskip("torch")
    dcp = pytest.importorskip("torch.distributed.checkpoint")
    tensors = arrays(2) | {"none": np.zeros((0, 3), "f4")}

    def torch_of(a):
        raw = torch.from_numpy(a.copy().reshape(-1).view("u1"))
        return raw.view(getattr(torch, a.dtype.name)).reshape(a.shape)

    dcp.save({n: torch_of(a) for n, a in tensors.items()} | {"step": 5}, no_dist=True,
             storage_writer=dcp.FileSystemWriter(tmp_path / "d"))
    for memory in (1, 1 << 20):
        report = faro.checkpoint.from_dcp(tmp_path / "d", tmp_path / f"in{memory}", memory=memory)
        assert report == {"tensors": len(tensors), "left_out": ["step"]}
        check(tmp_path / f"in{memory}", tensors)
    faro.checkpoint.to_dcp(tmp_path / "in1", tmp_path / "back")
    held = {n: torch.empty(a.shape, dtype=getattr(torch, a.dtype.name)) for n, a in tensors.items()}
    dcp.load(held, storage_reader=dcp.FileSystemReader(tmp_path / "back"), no_dist=True)
    for name, a in tensors.items():
        assert held[name].reshape(-1).view(torch.uint8).numpy().tobytes() == a.tobytes(), name
    (tmp_path / "pickle").mkdir()
    (tmp_path / "pickle" / "model.pt").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(faro.UsageError, match="has no .metadata"):
        faro.checkpoint.from_dcp(tmp_path / "pickle", tmp_path / "no")
    assert not [n for n in os.listdir(tmp_path) if n.startswith(".") or n == "no"]


def test_shards_of_several_ranks_become_whole(tmp_path):
    torch = pytest.importorskip("torch")
    import torch.distributed.checkpoint as dcp
    import torch.multiprocessing as processes

    processes.spawn(save_shards, (str(tmp_path / "d"), str(tmp_path / "meet")), nprocs=2)
    assert len([n for n in os.listdir(tmp_path / "d") if n.endswith(".distcp")]) == 2
    faro.checkpoint.from_dcp(tmp_path / "d", tmp_path / "in")
    name = "model.layers.0.mlp.up_proj.weight"
    whole = np.arange(48, dtype="f4").reshape(8, 6)
    check(tmp_path / "in", {name: whole})
    faro.reshard(tmp_path / "in", tmp_path / "out", to_layout="llama:tp=4")
    faro.reshard(tmp_path / "out", tmp_path / "one", from_layout="llama:tp=4")
    faro.checkpoint.to_dcp(tmp_path / "one", tmp_path / "back")
    held = {name: torch.empty(8, 6)}
    dcp.load(held, storage_reader=dcp.FileSystemReader(tmp_path / "back"), no_dist=True)
    assert np.array_equal(held[name].numpy(), whole)


def save_shards(rank, folder, meet):
    import torch
    import torch.distributed as dist
    import torch.distributed.checkpoint as dcp
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    dist.init_process_group("gloo", init_method=f"file://{meet}", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    whole = torch.arange(48, dtype=torch.float32).reshape(8, 6)
    dcp.save({"model.layers.0.mlp.up_proj.weight": distribute_tensor(whole, mesh, [Shard(1)])},
             storage_writer=dcp.FileSystemWriter(folder))
    dist.destroy_process_group()


def test_what_safetensors_does_not_have_is_refused(tmp_path):
    torch = pytest.importorskip("torch")
    import torch.distributed.checkpoint as dcp

    dcp.save({"z": torch.ones(2, dtype=torch.complex128)}, no_dist=True,
             storage_writer=dcp.FileSystemWriter(tmp_path / "d"))
    with pytest.raises(faro.UsageError, match="'z': safetensors files have no complex128"):
        faro.checkpoint.from_dcp(tmp_path / "d", tmp_path / "no")
    assert os.listdir(tmp_path) == ["d"]
