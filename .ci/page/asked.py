"""Maps and requests for the page and the program alike: the notation's own examples, and random ones."""
import json
import random


def good_maps(folder):
    maps = [one["notation"] for one in json.load(open(folder / "notation.json"))["good"] if one["width"] is None]
    rnd = random.Random(19)
    for _ in range(60):
        width = rnd.randint(1, 12)
        bits = list(range(width))
        rnd.shuffle(bits)
        maps.append("[" + ", ".join(rnd.choice(["", "-"]) + str(b) for b in bits) + "]")
    for _ in range(60):
        width = rnd.randint(2, 10)
        bits = list(range(width))
        rnd.shuffle(bits)
        terms = []
        for i, b in enumerate(bits):
            sums = [b] + [a for a in bits[:i] if rnd.random() < 0.3]
            terms.append(rnd.choice(["", "~"]) + "^".join(f"i[{a}]" for a in sums))
        maps.append(f"i:{width} -> " + " ".join(terms))
    for width in (1, 5, 16, 33, 60, 64):
        maps += [f"a:{width} -> ungray(a)", f"a:{width} -> ~gray(a)", f"i:{width} -> rot(i, 1)"]
    for p, m in ((1, 1), (3, 4), (6, 2), (40, 6)):
        maps.append(f"p:{p} | m:{m} -> p[{p - 1}:0] | rev(m)")
        maps.append(f"cyclic:{p}|{m} => consecutive")
    return maps


def bad_maps(folder):
    lines = open(folder / "notation_bad.txt").read().splitlines()
    return [line.split(" ", 2)[2] for line in lines if line and not line.startswith("#")]


# (map, machine, elements): every machine, all kinds of planners, refusals and faults too.
requests = [
    (f"a:{n} -> {code}(a)", f"cube:{n}", k)
    for n in (2, 3, 5, 20, 60) for code in ("gray", "ungray") for k in (1, 7, 100)
] + [
    (f"i -> {what}", machine, k)
    for what in ("rev(i)", "~i", "rot(i, 1)", "swap(i, 2, 0)")
    for machine in ("cube:4", "cube:4,one-port", "mesh:4x4", "torus:4x4", "mesh:4x4,all-links",
                    "torus:4x4,all-links", "pops:4,4", "pops:8,2", "ranks:16")
    for k in (None, 2)
] + [
    ("a:4 | m:4 -> m | a", "cube:4", None),
    ("a:3 | m:2 -> a[1] m[0] a[0] | a[2] m[1]", "cube:3", None),
    ("a:40 | m:6 -> a[38:0] m[5] | a[39] m[4:0]", "cube:40", None),
    ("i:20 -> ~i", "pops:2^8,2^12", None),
    ("i:8 -> i[7:4]^i[3:0] i[3:0]", "ranks:2^8", 3),
    ("a:4 -> ungray(a)", "cube:5", 1),
    ("a:4 -> ungray(a)", "cube:x", 1),
    ("a:4 -> ungray(b)", "cube:4", 1),
    ("i -> rev(i)", "pops:3,5", 1),
]
