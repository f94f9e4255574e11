"""Schedules that the program itself plans, as far as it can: `faro plan ... --schedule`.

makers(faro) returns a dictionary of makers like good.MAKERS, one for each request below that the program answers. A plan
is asked for once and kept.
"""
import json
import subprocess
import sys

import good

REQUESTS = {
    # name: (kind, arguments)
    "plan-gray": ("cube", ["a:4 -> ungray(a)", "--on", "cube:4", "--elements", "3"]),
    "plan-gray-one-port": ("cube", ["a:3 -> gray(a)", "--on", "cube:3,one-port", "--elements", "3"]),
    "plan-shuffle": ("cube", ["p:3 | m:2 -> m p[2] | p[1:0]", "--on", "cube:3"]),
    "plan-affine": ("cube", ["a:3 -> a[0] ^ a[1] a[2] ~a[0]", "--on", "cube:3", "--elements", "2"]),
    "plan-butterfly": ("butterfly", ["--butterfly", "4", "--on", "cube:2", "--layout", "cyclic:2|2 binary"]),
    "plan-butterfly-gray": ("butterfly", ["--butterfly", "5", "--on", "cube:2", "--layout", "consecutive:2|3 gray"]),
}


def with_list(schedule, faro):
    """The judge of cubes wants the goal as a list: spelled out from the map's columns."""
    text = schedule.pop("map")
    machine = schedule["machine"]
    n, K = machine["dimensions"], schedule["elements"]
    run = subprocess.run([faro, "explain", text, "--json"], capture_output=True, text=True, check=True)
    about = json.loads(run.stdout)
    columns, constant = [int(c, 16) for c in about["columns"]], int(about["complement"], 16)
    memory = about["width"] - n
    goal = []
    for p in range(1 << n):
        for s in range(K):
            if memory:
                q = good.xor_columns(columns, constant, p << memory | s)
                goal.append([p, s, q >> memory, q & (1 << memory) - 1])
            else:
                goal.append([p, s, good.xor_columns(columns, constant, p), s])
    out = {"format": schedule["format"], "machine": machine, "goal": goal}
    out.update((k, v) for k, v in schedule.items() if k not in out)
    return out


def makers(faro):
    found = {}
    for name, (kind, arguments) in REQUESTS.items():
        run = subprocess.run([faro, "plan"] + arguments + ["--schedule", "-"], capture_output=True, text=True)
        try:
            schedule = json.loads(run.stdout)
            if kind == "cube":
                schedule = with_list(schedule, faro)
        except (ValueError, KeyError, subprocess.CalledProcessError):
            print("not planned: %s: %s" % (name, run.stderr.strip()[:200]), file=sys.stderr)
            continue
        found[name] = lambda rnd, kind=kind, schedule=schedule: (kind, schedule, None)
    return found
