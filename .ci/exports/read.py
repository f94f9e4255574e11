"""What faro exports, read by other programs. usage: read.py FARO FOLDER, with et_pb2 on the path."""
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import urllib.parse
import xml.etree.ElementTree as ET

import et_pb2
import networkx
from google.protobuf.internal.decoder import _DecodeVarint32

faro, folder = sys.argv[1], pathlib.Path(sys.argv[2])
tally = {"passed": 0, "failed": 0, "skipped": 0}

plans = [
    ("a:3 -> ungray(a)", "cube:3", 3), ("a:4 -> ungray(a)", "cube:4", 10), ("a:3 | m:3 -> m | a", "cube:3", None),
    ("i -> rev(i)", "torus:4x4,all-links", 2), ("i -> rev(i)", "mesh:4x4", None), ("i -> rev(i)", "pops:4,4", None),
    ("a:3 | m:3 -> m | a", "ranks:8", None), ("i:4 -> rot(i, 1)", "cube:4", 1),
]


def check(good, *words):
    tally["passed" if good else "failed"] += 1
    if not good:
        print("FAILED:", *words)


def run(*arguments, **more):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **more)


def exported(schedule, form, name):
    out = folder / name
    done = run(faro, "convert", schedule, out, "--to", form)
    check(done.returncode == 0, schedule.name, "to", form, done.stderr)
    return out


def moves_of(schedule):
    rows = csv.DictReader(exported(schedule, "csv", "moves.csv").open())
    return [row for row in rows if row["from"] != row["to"]]


def graphs(schedule, moves):
    graph = networkx.read_graphml(exported(schedule, "graphml", "s.graphml"))
    check(sum(d["moves"] for *_, d in graph.edges(data=True)) == len(moves), schedule.name, "networkx counts other moves")
    links = {(m["from"], m["to"]) for m in moves}
    check(set(graph.edges()) == links, schedule.name, "networkx has other links")
    plain = run("dot", "-Tplain", exported(schedule, "dot", "s.dot"))
    check(plain.stdout.count("\nedge ") == len(links), schedule.name, "Graphviz has other links", plain.stderr)


def chakra(schedule, moves):
    ranks = []
    with tarfile.open(exported(schedule, "chakra", "s.tar")) as archive:
        for member in archive.getmembers():
            check(member.name == f"faro.{len(ranks)}.et", "the archive has", member.name)
            data, at, nodes = archive.extractfile(member).read(), 0, []
            while at < len(data):
                size, at = _DecodeVarint32(data, at)
                nodes.append(data[at : at + size])
                at += size
            check(et_pb2.Metadata.FromString(nodes[0]).version != "", "a version")
            ranks.append([et_pb2.Node.FromString(text) for text in nodes[1:]])
    value = {"comm_src": "int32_val", "comm_dst": "int32_val", "comm_tag": "int32_val", "comm_size": "int64_val"}
    done, travelling, going = [set() for _ in ranks], set(), True
    while going:
        going = False
        for rank, nodes in enumerate(ranks):
            for node in nodes:
                if node.id in done[rank] or any(d not in done[rank] for d in node.data_deps):
                    continue
                said = {a.name: getattr(a, value[a.name]) for a in node.attr if a.name in value}
                message = (said["comm_src"], said["comm_dst"], said["comm_tag"])
                if node.type == et_pb2.COMM_SEND_NODE:
                    travelling.add(message)
                elif message not in travelling:
                    continue
                done[rank].add(node.id)
                going = True
    check(all(len(d) == len(n) for d, n in zip(done, ranks)), schedule.name, "Chakra's nodes wait for ever")
    check(sum(n.type == et_pb2.COMM_SEND_NODE for nodes in ranks for n in nodes) == len(moves), schedule.name, "Chakra sends")


def msccl(schedule):
    """The rules of the executors' parser; tests/exports runs the operations."""
    path = exported(schedule, "msccl", "s.xml")
    root = ET.parse(path).getroot()
    for name in "name proto nchannels nchunksperloop ngpus coll inplace outofplace minBytes maxBytes".split():
        check(name in root.attrib, "msccl lacks", name)
    check(int(root.get("ngpus")) == len(root), "a gpu each")
    for gpu in root:
        blocks = [[step.attrib for step in tb] for tb in gpu]
        check([int(tb.get("id")) for tb in gpu] == list(range(len(gpu))), "thread blocks in order")
        check(len(blocks) <= 32 and all(len(steps) <= 256 for steps in blocks), "as many as the executor takes")
        for tb, steps in zip(gpu, blocks):
            check(tb.get("send") != gpu.get("id"), "no block sends to its own gpu")
            for number, step in enumerate(steps):
                fine = int(step["s"]) == number and step["type"] in ("s", "r", "cpy", "nop") and int(step["cnt"]) < 72
                block, other = int(step["depid"]), int(step["deps"])
                fine = fine and (block < 0 or blocks[block][other]["hasdep"] == "1")
                check(fine, schedule.name, "msccl step", step)
    verifier = os.environ.get("FARO_MSCCL_VERIFIER")
    if verifier is None:
        tally["skipped"] += 1
    elif json.loads(schedule.read_text())["map"].endswith("-> m | p"):
        # It knows one goal, all to all, wants it under another name, and forgets nothing between two rounds.
        path.write_text(path.read_text().replace('coll="alltoall"', 'coll="allreduce"'))
        done = run(verifier, path, 1, timeout=1800)
        check("All tests passed." in done.stdout, schedule.name, "MSCCL-XML-Verifier", done.stderr[-300:])


def goal(schedule, moves):
    path = exported(schedule, "goal", "s.goal")
    tools = os.environ.get("FARO_LOGGOPSIM")
    if tools is None:
        tally["skipped"] += 1
        return
    done = run(pathlib.Path(tools) / "txt2bin", "-i", path, "-o", folder / "s.bin")
    check(done.returncode == 0, schedule.name, "txt2bin", done.stderr[:300])
    done = run(pathlib.Path(tools) / "LogGOPSim", "-f", folder / "s.bin")
    check(done.returncode == 0 and "Host" in done.stdout, schedule.name, "LogGOPSim", done.stdout[-300:], done.stderr[-300:])


def booksim():
    for map_text, machine, pattern in (("i -> rev(i)", "torus:4x4,all-links", "bitrev"), ("i -> ~i", "mesh:4x4", "bitcomp"),
                                       ("i:4 -> rot(i, 1)", "cube:4", "shuffle"), ("i:4 -> i[1:0] i[3:2]", "ranks:16", "transpose")):
        schedule = folder / "b.json"
        run(faro, "plan", map_text, "--on", machine, "--schedule", schedule)
        path = exported(schedule, "booksim", "b.cfg")
        check(f"traffic = {pattern};" in path.read_text(), map_text, "is", pattern)
        program = os.environ.get("FARO_BOOKSIM")
        if program is None:
            tally["skipped"] += 1
            continue
        done = run(program, path, timeout=1800)
        # Its exit code is 255 where all went well.
        check("Overall average batch duration" in done.stdout or "Overall min batch duration" in done.stdout, machine, "BookSim", done.stdout[-500:], done.stderr[-300:])


def images(text):
    """Where a circuit sends every basis state: OpenQASM's statements, or Quirk's columns."""
    gates = []
    if text.startswith("OPENQASM"):
        qubits = int(re.search(r"\[(\d+)\]", text)[1])
        for name, rest in re.findall(r"^(x|cx|swap) ([^;]*);", text, re.M):
            gates.append((name, [int(q) for q in re.findall(r"q\[(\d+)\]", rest)]))
    else:
        columns = json.loads(urllib.parse.unquote(text.split("#circuit=", 1)[1]))["cols"]
        qubits = max(map(len, columns))
        for column in columns:
            on = {word: [q for q, entry in enumerate(column) if entry == word] for word in ("Swap", "X", "•")}
            gates.append(("swap", on["Swap"]) if on["Swap"] else ("cx", on["•"] + on["X"]) if on["•"] else ("x", on["X"]))
    for state in range(1 << qubits):
        for name, on in gates:
            if name == "swap":
                a, b = (state >> q & 1 for q in on)
                state ^= (a ^ b) << on[0] | (a ^ b) << on[1]
            elif name == "cx":
                state ^= (state >> on[0] & 1) << on[1]
            elif on:
                state ^= 1 << on[0]
        yield state


def circuits():
    choose = random.Random(4)
    for _ in range(60):
        width = choose.randint(1, 8)
        order = choose.sample(range(width), width)
        terms = []
        for row, b in enumerate(order):
            others = [o for o in order[row + 1 :] if choose.random() < 0.3]
            terms.append(("~" if choose.random() < 0.3 else "") + "^".join(f"i[{o}]" for o in [b] + others))
        text = f"i:{width} -> " + " ".join(terms)
        explained = json.loads(run(faro, "explain", text, "--json").stdout)
        columns, constant = [int(c, 16) for c in explained["columns"]], int(explained["complement"], 16)
        for form in ("qasm", "qasm3", "quirk"):
            words = run(faro, "export", text, "--to", form).stdout.strip()
            wanted = []
            for state in range(1 << width):
                image = constant
                for b in range(width):
                    image ^= columns[b] if state >> b & 1 else 0
                wanted.append(image)
            check(list(images(words)) == wanted, text, "as", form)


for number, (map_text, machine, elements) in enumerate(plans):
    schedule = folder / f"{number}.json"
    more = [] if elements is None else ["--elements", elements]
    done = run(faro, "plan", map_text, "--on", machine, *more, "--schedule", schedule)
    check(done.returncode == 0, map_text, done.stderr)
    moves = moves_of(schedule)
    graphs(schedule, moves)
    chakra(schedule, moves)
    msccl(schedule)
    goal(schedule, moves)
booksim()
circuits()
print("exports: {passed} passed, {failed} failed, {skipped} skipped".format(**tally))
sys.exit(tally["failed"] != 0)
