"""Schedules that the program itself plans, as far as it can: `faro plan ... --schedule -`.

makers(faro) returns a dictionary of makers like good.MAKERS, one for each request below that the program answers. What a
request means is said here in Python, so that the judges check the program's reading of the map too.
"""
import json
import subprocess
import sys

from good import parity


def gray(x):
    return x ^ x >> 1


def ungray(x):
    return sum(parity(x >> i) << i for i in range(x.bit_length()))


def reverse(x, w):
    return sum((x >> i & 1) << (w - 1 - i) for i in range(w))


def shuffle_into_memory(a):                                     # p:3 | m:2 -> m p[2] | p[1:0]
    p, m = a >> 2, a & 3
    return (m << 1 | p >> 2) << 2 | p & 3


# name: (judge, map, machine, options, memory bits or None, where the element at an address goes)
REQUESTS = {
    "plan-gray": ("cube", "a:4 -> ungray(a)", "cube:4", ["--elements", "3"], None, ungray),
    "plan-gray-many": ("cube", "a:4 -> ungray(a)", "cube:4", ["--elements", "11"], None, ungray),
    "plan-gray-one-port": ("cube", "a:3 -> gray(a)", "cube:3,one-port", ["--elements", "3"], None, gray),
    "plan-shuffle": ("cube", "p:3 | m:2 -> m p[2] | p[1:0]", "cube:3", [], 2, shuffle_into_memory),
    "plan-affine": ("cube", "a:3 -> a[0] ^ a[1] a[2] ~a[0]", "cube:3", ["--elements", "2"], None,
                    lambda a: (a & 1 ^ a >> 1 & 1) << 2 | (a >> 2) << 1 | (a & 1 ^ 1)),
    "plan-reversal": ("cube", "i:4 -> rev(i)", "cube:4", ["--elements", "2", "--expand"], None,
                      lambda a: reverse(a, 4)),
    "plan-mesh": ("mesh", "i:4 -> rev(i)", "mesh:4x4", [], None, lambda a: reverse(a, 4)),
    "plan-mesh-many": ("mesh", "i:4 -> rev(i)", "mesh:4x4", ["--elements", "3"], None, lambda a: reverse(a, 4)),
    "plan-torus": ("mesh", "i:4 -> ~rev(i)", "torus:4x4", [], None, lambda a: reverse(a, 4) ^ 15),
    "plan-links": ("links", "r:2 c:2 -> c r", "mesh:4x4,all-links", [], None, lambda a: a >> 2 | (a & 3) << 2),
    "plan-links-torus": ("links", "i:4 -> rev(i)", "torus:4x4,all-links", [], None, lambda a: reverse(a, 4)),
    "plan-pops": ("pops", "i:4 -> rev(i)", "pops:4,4", [], None, lambda a: reverse(a, 4)),
    "plan-pops-affine": ("pops", "i:3 -> gray(i)", "pops:2,4", [], None, gray),
}
BUTTERFLIES = {
    "plan-butterfly": ["--butterfly", "4", "--on", "cube:2", "--layout", "cyclic:2|2 binary"],
    "plan-butterfly-gray": ["--butterfly", "5", "--on", "cube:2", "--layout", "consecutive:2|3 gray"],
    "plan-butterfly-cyclic-gray": ["--butterfly", "5", "--on", "cube:2", "--layout", "cyclic:2|3 gray"],
}


def with_list(schedule, kind, memory, goes):
    """The judges of cubes, links and POPS want the goal as a list beside the map."""
    machine = schedule["machine"]
    processors = (1 << machine["dimensions"] if kind == "cube" else machine["d"] * machine["g"] if kind == "pops" else None)
    if processors is None:
        processors = 1
        for side in machine["shape"]:
            processors *= side
    goal, result = [], schedule.get("result")
    for p in range(processors):
        for s in range(1 if kind == "pops" else schedule["elements"]):
            if memory is not None:
                q = goes(p << memory | s)
                goal.append([p, s, q >> memory, q & (1 << memory) - 1])
            elif kind == "pops":
                goal.append([p, 0, goes(p), result if isinstance(result, int) else result[goes(p)]])
            else:
                goal.append([p, s, goes(p), s])
    out = {"format": schedule["format"], "machine": machine, "goal": goal}
    out.update((k, v) for k, v in schedule.items() if k not in out)
    return out


def ask(faro, name, arguments):
    run = subprocess.run([faro, "plan"] + arguments + ["--schedule", "-"], capture_output=True, text=True)
    try:
        return json.loads(run.stdout)
    except ValueError:
        print("not planned: %s: %s" % (name, run.stderr.strip()[:200]), file=sys.stderr)
        return None


def makers(faro):
    found = {}
    for name, (kind, text, machine, options, memory, goes) in REQUESTS.items():
        schedule = ask(faro, name, [text, "--on", machine] + options)
        if schedule is None:
            continue
        goal = None
        if kind != "cube":
            schedule.pop("cost", None)                          # these judges do not look at claims
        if kind == "mesh":
            bits = sum(side.bit_length() - 1 for side in schedule["machine"]["shape"])
            goal = [goes(p) for p in range(1 << bits)]
        else:
            schedule = with_list(schedule, kind, memory, goes)
        found[name] = lambda rnd, kind=kind, schedule=schedule, goal=goal: (kind, schedule, goal)
    for name, arguments in BUTTERFLIES.items():
        schedule = ask(faro, name, arguments)
        if schedule is not None:
            schedule.pop("cost", None)
            final = schedule["problem"]["final"]                # this judge reads masks of rows as numbers
            for rows in final:
                final[rows] = [int(m, 16) if isinstance(m, str) else m for m in final[rows]]
            found[name] = lambda rnd, schedule=schedule: ("butterfly", schedule, None)
    return found
