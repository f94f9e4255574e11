"""Holds the figures of `faro plan MAP --on ranks:P --element-bytes B --json` to counts of where elements go.

exchange.py BITS RANKS NODES ELEMENT-BYTES FILE MAP    FILE is the JSON; MAP the same map in NumPy: of i, with rev and
gray. Nothing here knows what a matrix is: every element is sent where the map says, and counted.
"""
import json
import sys

import numpy as np

n, ranks, nodes, element_bytes = (int(word) for word in sys.argv[1:5])
one = np.uint64(1)


def rev(x, bits=n):
    y = np.zeros_like(x)
    for b in range(bits):
        y |= ((x >> np.uint64(b)) & one) << np.uint64(bits - 1 - b)
    return y


def gray(x):
    return x ^ (x >> one)


def leaving(home, size):
    """Bytes that end on another group of `size` ranks, where what belongs to rank q lies on home[q]."""
    away = (np.arange(ranks)[:, None] // size) != (home[None, :] // size)
    return int(pairs[away].sum()) * element_bytes


def least(size):
    """Under any permutation of ranks: a group keeps at most what it sends to `size` ranks."""
    groups = pairs.reshape(ranks // size, size, ranks).sum(axis=1)
    return ((1 << n) - int(np.sort(groups, axis=1)[:, -size:].sum())) * element_bytes


i = np.arange(1 << n, dtype=np.uint64)
to = eval(sys.argv[6])
assert (np.sort(to) == i).all(), "the judge's own map is no permutation"
plan = json.load(open(sys.argv[5]))
m = np.uint64(n - ranks.bit_length() + 1)
pairs = np.zeros((ranks, ranks), dtype=np.int64)
np.add.at(pairs, ((i >> m).astype(int), (to >> m).astype(int)), 1)
home = np.zeros(ranks, dtype=int)
for r in range(ranks):
    q = int(plan["relabelling"]["complement"], 16)
    for b, column in enumerate(plan["relabelling"]["columns"]):
        q ^= int(column, 16) if r >> b & 1 else 0
    home[q] = r
identity = np.arange(ranks)
off = pairs * (identity[:, None] != home[None, :])
partners = int((off > 0).sum(axis=1).max())
sent = int(off.sum(axis=1).max()) * element_bytes
wanted = {
    "rho": int((pairs[0] > 0).sum()).bit_length() - 1,
    "partners": partners,
    "rounds": partners,
    "moved_bytes": leaving(home, 1),
    "least_bytes": leaving(identity, 1),
    "least_bytes_relabelled": least(1),
    "most_sent_bytes": sent,
    "keepers": int(((pairs - off) > 0).sum()),
    "nodes": {"nodes": nodes, "ranks_each": ranks // nodes, "moved_bytes": leaving(home, ranks // nodes),
              "least_bytes": leaving(identity, ranks // nodes), "least_bytes_relabelled": least(ranks // nodes)},
}
wrong = [f"{key}: {plan[key]}, counted {value}" for key, value in wanted.items() if plan[key] != value]
if plan["rounds"] * plan["slices"] * plan["message_bytes"] != sent:
    wrong.append(f"{plan['slices']} slices of {plan['message_bytes']} bytes are not {sent}")
time = plan["time"]
seconds = time["startup_seconds"] * partners * plan["slices"] + time["byte_seconds"] * sent
if abs(seconds - time["seconds"]) > 1e-9 * seconds:
    wrong.append(f"time {time['seconds']}, wanted {seconds}")
if plan["moved_bytes"] < plan["least_bytes_relabelled"]:
    wrong.append("fewer bytes than can be")
for line in wrong:
    print(line)
sys.exit(bool(wrong))
