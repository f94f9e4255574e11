"""Plans of machines, transforms, and arrays in files."""

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import faro
import numpy as np
import pytest



def test_plans_are_verified_and_performed():
    for map_text, machine, elements in [
        ("a:6 -> ungray(a)", "cube:6", 100),
        ("i:6 -> rev(i)", "mesh:8x8", 1),
        ("i:4 -> rev(i)", "torus:4x4,all-links", 2),
        ("i:4 -> ~i", "pops:4,4", 1),
        ("i:3 -> rot(i, 1)", "ranks:8", 2),
    ]:
        s = faro.plan(map_text, machine, elements=elements)
        assert "replay" in s.verified, machine
        assert s.steps >= s.bound.value and s.gap == s.steps - s.bound.value
        assert faro.verify(s).ok
        n = 1 << s.map.width
        x = np.arange(n * elements).reshape(n, elements)
        performed = s.simulate(x)
        assert (performed[s.map.table()] == x).all(), machine
        assert pickle.loads(pickle.dumps(s)) == s and copy.deepcopy(s) is s
        assert len({s, faro.plan(map_text, machine, elements=elements)}) == 1
        assert "<table>" in s._repr_html_()
    assert s.report()["format"] == "faro-plan/1"


def test_pictures_and_exports(tmp_path):
    s = faro.plan("i:3 -> ungray(i)", "cube:3", elements=3)
    for what in ("links", "steps", "machine"):
        assert ElementTree.fromstring(s.picture(what)).tag.endswith("svg")
    assert "tikzpicture" in s.picture("machine", step=1, format="tikz")
    assert s._repr_svg_() in s._repr_html_()
    s.save(tmp_path / "moves.csv")
    assert len((tmp_path / "moves.csv").read_text().splitlines()) > s.moves
    s.save(tmp_path / "trace.json", format="perfetto")
    assert "traceEvents" in json.loads((tmp_path / "trace.json").read_text())
    for bad in [lambda: s.picture("nothing"), lambda: s.picture(format="png"),
                lambda: s.picture("machine", step=99), lambda: s.save(tmp_path / "x", format="no")]:
        with pytest.raises(ValueError):
            bad()
    assert not (tmp_path / "x").exists()
    large = faro.plan("i:60 -> ungray(i)", "cube:60")
    assert "<svg" in large._repr_html_()
    m = faro.BitMap("r:2 c:3 -> c ~r")
    for what in ("standard", "strands", "matrix", "array", "all"):
        assert ElementTree.fromstring(m.picture(what)).tag.endswith("svg")
    assert "r1" in m.picture() and "r:2 c:3" in m._repr_html_()
    p = faro.Placement.read("{devices=[2,1]<=[2]}", shape=(4, 4))
    assert "<svg" in p._repr_html_() and "<svg" in (p >> p)._repr_html_()


def test_broken_schedules_are_refused(tmp_path):
    s = faro.plan("a:6 -> ungray(a)", "cube:6", elements=10)
    path = tmp_path / "s.json"
    s.save(path)
    assert faro.verify(path) and faro.verify(str(path), map="a:6 -> ungray(a)").ok
    wrong = faro.verify(path, map="a:6 -> gray(a)")
    assert not wrong and wrong.violations and wrong.delivered < wrong.expected
    far = json.loads(faro.plan("i -> ~i", "mesh:4x4,all-links").json())
    move = far["steps"][1]["moves"][3]
    move[2] = move[0] ^ 10
    at = faro.verify(far).violations[0].at
    assert (at["processor"], at["to"], at["in"], at["move"]) == (move[0], move[2], "moves", 3)
    text = json.loads(path.read_text())
    text["cost"]["steps"] -= 1
    assert not faro.verify(text)
    with pytest.raises(faro.UsageError):
        faro.verify({"format": "something else"})
    with pytest.raises(OSError):
        faro.verify(tmp_path / "none.json")


def test_requests_that_cannot_be():
    with pytest.raises(ValueError):
        faro.plan("i:6 -> rev(i)", "cube:5")
    with pytest.raises(ValueError):
        faro.plan("i:6 -> rev(i)", "cube:6", algorithm="no-such")
    with pytest.raises(ValueError):
        faro.plan([0, 0], "cube:1")
    with pytest.raises(ValueError):
        faro.plan("i:6 -> rev(i)", "cube:6", verify="perhaps")
    for elements in (0, -1, 1 << 70):
        with pytest.raises(ValueError):
            faro.plan("i:6 -> rev(i)", "cube:6", elements=elements)
    with pytest.raises(ValueError):
        faro.plan([0, -1], "cube:1")
    with pytest.raises(TypeError):
        faro.plan(3, "cube:1")
    with pytest.raises(faro.NotationError) as caught:
        faro.plan("i:6 -> rev(j)", "cube:6")
    assert caught.value.column > 1


def test_the_famous_resharding():
    """openxla/xla issue 15207: full rematerialisation gathers the array on every device."""
    shape = (16, 16, 16)
    a = faro.Placement.read("{devices=[2,1,4]<=[4,2]T(1,0)}", shape=shape)
    b = faro.Placement.read("{devices=[1,8,1]<=[8]}", shape=shape)
    s = (a >> b).plan(on="cube:3")
    assert s.steps == s.bound.value == 256 and s.verified == "proof and replay"
    rematerialised = 8 * (4096 - 512)
    assert (a >> b).bytes(1).received * 8 == rematerialised
    words = "xla:{devices=[2,1,4]<=[4,2]T(1,0)} => xla:{devices=[1,8,1]<=[8]}"
    assert faro.plan(words, "cube:3", shape=shape) == s


def test_two_shards_of_one_mesh_change_places():
    """DTensor's [Shard(0), Shard(1)] -> [Shard(1), Shard(0)]: an exchange in pairs, no all-gather."""
    a = faro.Placement.read("(2, 2) [Shard(0), Shard(1)]", shape=(8, 8), system="dtensor")
    b = faro.Placement.read("(2, 2) [Shard(1), Shard(0)]", shape=(8, 8), system="dtensor")
    cost = (a >> b).bytes(1)
    assert cost.received_by_device == (0, 16, 16, 0)
    s = (a >> b).plan(on="cube:2")
    assert s.gap == 0 and s.verified


def test_transforms():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((3, 256, 2))
    y, took = faro.transform(x, "fft", on="cube:4", axis=1)
    assert np.allclose(y, np.fft.fft(x, axis=1)) and took.steps >= took.bound.value
    back, _ = faro.transform(y, "ifft", on="cube:4", axis=1)
    assert np.allclose(back, x)
    k = rng.integers(0, 1000, 128)
    assert (faro.transform(k, "sort", on="cube:3")[0] == np.sort(k)).all()
    assert (faro.transform(k, "scan", on="cube:3")[0] == np.cumsum(k)).all()
    records = np.zeros(64, [("name", "S3"), ("key", "<i4")])
    records["key"] = rng.permutation(64)
    records["name"] = [str(n).encode() for n in records["key"]]
    ordered, _ = faro.transform(records, "sort", on="cube:2", key="key")
    assert (ordered == np.sort(records, order="key")).all()
    big, _ = faro.transform(x.astype(">f8"), "fft", on="cube:4", axis=1)
    assert np.allclose(big, y)
    for bad in [dict(on="mesh:4x4"), dict(on="cube:9"), dict(on="cube:3", layout="no")]:
        with pytest.raises(ValueError):
            faro.transform(k, "fft", **bad)
    with pytest.raises(ValueError):
        faro.transform(k, "dct", on="cube:3")


def test_files(tmp_path):
    a = np.arange(1 << 18, dtype=">u4").reshape(4, 1 << 14, 4)
    np.save(tmp_path / "a.npy", a)
    seen = []
    report = faro.permute_file(tmp_path / "a.npy", tmp_path / "b.npy", "i -> rev(i)", axis=1,
                               memory=64 << 20, verify=True, progress=lambda *d: seen.append(d))
    b = np.load(tmp_path / "b.npy")
    assert b.dtype == a.dtype and (b == faro.permute(a, "i -> rev(i)", axis=1)).all()
    assert report.verified and report.passes >= report.passes_bound and seen
    np.save(tmp_path / "f.npy", np.asfortranarray(a[0]))
    faro.permute_file(tmp_path / "f.npy", tmp_path / "f.npy", "i -> gray(i)", memory=64 << 20)
    assert (np.load(tmp_path / "f.npy") == faro.permute(a[0], "i -> gray(i)")).all()
    (tmp_path / "raw").write_bytes(a.tobytes())
    faro.permute_file(str(tmp_path / "raw"), str(tmp_path / "out"), faro.BitMap("i:18 -> ~i"),
                      itemsize=4)
    assert (np.fromfile(tmp_path / "out", ">u4") == a.ravel()[::-1]).all()
    with pytest.raises(OSError):
        faro.permute_file(tmp_path / "none.npy", tmp_path / "out", "i -> ~i")
    with pytest.raises(ValueError):
        faro.permute_file(tmp_path / "raw", tmp_path / "out", "i -> ~i")
    for memory in (-5, 1000):
        with pytest.raises(ValueError):
            faro.permute_file(tmp_path / "a.npy", tmp_path / "out", "i -> ~i", axis=1, memory=memory)
    np.save(tmp_path / "odd.npy", np.arange(12))
    with pytest.raises(ValueError):
        faro.permute_file(tmp_path / "odd.npy", tmp_path / "out", "i -> rev(i)")
    c = np.arange(600 * 701, dtype="i4").reshape(600, 701)
    np.save(tmp_path / "c.npy", c)
    faro.permute_file(tmp_path / "c.npy", tmp_path / "d.npy", "numpy:np.roll(a, 7, 1).T",
                      memory=50 << 20, verify=True)
    assert (np.load(tmp_path / "d.npy") == np.roll(c, 7, 1).T).all()
    np.save(tmp_path / "c.npy", np.asfortranarray(c))
    faro.permute_file(tmp_path / "c.npy", tmp_path / "d.npy", "r c -> r ~c", memory=50 << 20)
    assert (np.load(tmp_path / "d.npy") == c[:, ::-1]).all()
    np.save(tmp_path / "c.npy", c)
    faro.permute_file(tmp_path / "c.npy", tmp_path / "c.npy", "r c -> ~r ~c", memory=50 << 20)
    assert (np.load(tmp_path / "c.npy") == c[::-1, ::-1]).all()
    assert faro.unfinished_file(tmp_path / "out") is None


def test_interrupts_end_plans_and_verdicts(tmp_path):
    hostile = tmp_path / "hostile.json"
    moves = np.random.default_rng(3).integers(0, 1 << 40, (300, 400)).tolist()
    hostile.write_text(json.dumps({
        "format": "faro-schedule/1", "machine": {"kind": "hypercube", "dimensions": 40, "ports": "all"},
        "map": "p:40 -> p", "elements": 1, "slots": 2, "cost": {"steps": 300},
        "steps": [{"moves": [[p, 0, p, 1] for p in step]} for step in moves]}))
    for call in [
        f"faro.verify({str(hostile)!r}, by='proof')",
        "faro.plan('i -> rev(i)', on='mesh:256x256,all-links')",
    ]:
        code = (
            "import faro, signal, time\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "print('go', flush=True)\n"
            f"try: {call}\n"
            "except KeyboardInterrupt: print('stopped', flush=True)\n"
        )
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "go\n"
        time.sleep(0.5)
        assert child.poll() is None, call
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=900)[0] == "stopped\n", call


def test_a_stopped_file_goes_on(tmp_path):
    a = np.arange(1 << 24)
    np.save(tmp_path / "a.npy", a)
    code = (
        "import faro, pathlib, signal, time\n"
        # What runs in the background may have been told to ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"p = pathlib.Path({str(tmp_path)!r})\n"
        "def slow(done, total):\n"
        "    print(done, flush=True); time.sleep(0.2)\n"
        "faro.permute_file(p / 'a.npy', p / 'b.npy', 'i -> rev(i)', memory=56 << 20, "
        "checkpoint=0, progress=slow)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    while int(child.stdout.readline() or 1) == 0:
        pass
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=900)[1]
    assert not os.path.exists(tmp_path / "b.npy")
    assert faro.unfinished_file(tmp_path / "b.npy")
    with pytest.raises(faro.UsageError, match="unfinished|resume|fresh"):
        faro.permute_file(tmp_path / "a.npy", tmp_path / "b.npy", "i -> rev(i)")
    os.utime(tmp_path / "a.npy", (1, 1))  # as where the folder was copied
    with pytest.raises(faro.EnvironmentFault, match="--unchanged"):
        faro.resume_file(tmp_path / "b.npy")
    assert faro.resume_file(tmp_path / "b.npy", unchanged=True).resumed > 0
    assert (np.load(tmp_path / "b.npy") == faro.permute(a, "i -> rev(i)")).all()
