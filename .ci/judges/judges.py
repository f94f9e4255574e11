#!/usr/bin/env python3
"""Compares `faro verify` with independent verifiers of the same file format.

usage:  judges.py PATH/TO/faro [--count N] [--seed S]

The judges are Python programs in the folder that FARO_JUDGES names (oracle_cube.py, oracle_mesh.py, oracle_links.py,
oracle_pops.py, oracle_butterfly.py); where it is not set the comparison is skipped, with a line that says so. Half of
the schedules are good, half are changed in one place; each goes to its judge and, one a line, to `faro verify --lines`.
Verdicts must be equal, and costs wherever the judge counts one. Exit 0 equal, 1 not.
"""
import importlib
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import broken  # noqa: E402
import good  # noqa: E402
import planned  # noqa: E402

# Breaches that the reader of the file finds: the judges may count the cost of what they read of it.
READER_RULES = {"shape", "range", "missing", "order", "duplicate-key", "machine", "map", "goal"}


class Judges:
    """verdict(kind, schedule, goal) -> (ok, cost or None)"""

    def __init__(self, folder):
        sys.path.insert(0, folder)
        self.missing = []
        for name in ("cube", "mesh", "links", "pops", "butterfly"):
            try:
                setattr(self, name, importlib.import_module("oracle_" + name))
            except ImportError as error:                        # the judge of meshes needs NumPy
                print("no judge of %s: %s" % (name, error))
                self.missing.append(name)

    def verdict(self, kind, schedule, goal):
        try:
            return getattr(self, "judge_" + kind)(schedule, goal)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            return False, None                                  # a shape the judge does not even read

    def judge_cube(self, schedule, _):
        r = self.cube.verify(schedule)
        return r["ok"], {k: r["cost"][k] for k in ("steps", "remote_moves")}

    def judge_mesh(self, schedule, goal):
        r = self.mesh.check(schedule, goal)
        return r.ok(), {"unit_routes": r.unit_routes, "long_routes": r.long_routes, "register_ops": r.register_ops}

    def judge_links(self, schedule, _):
        r = self.links.verify(schedule)
        return r["ok"], r.get("cost")

    def judge_pops(self, schedule, _):
        try:
            stats = self.pops.verify(schedule)
        except self.pops.Bad:
            return False, None
        return True, {k: stats[k] for k in ("slots", "compute_rounds")}

    def judge_butterfly(self, schedule, _):
        r = self.butterfly.verify(schedule, schedule["problem"], numeric=False)
        return r["ok"], {"steps": r["cost"], "remote_moves": r["remote_moves"]} if r["ok"] else None


def make(seed, count, faro):
    rnd = random.Random(seed)
    sources = dict(good.MAKERS)
    sources.update(planned.makers(faro))
    names = sorted(sources)
    for i in range(count):
        kind, schedule, goal = sources[names[i // 2 % len(names)]](rnd)
        if i % 2:
            schedule = broken.mutate(rnd, schedule)
        yield kind, schedule, goal


def ours(faro, schedules):
    text = "".join(json.dumps(s) + "\n" for s in schedules)
    run = subprocess.run([faro, "verify", "-", "--lines"], input=text, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    if len(lines) != len(schedules):
        sys.exit("faro verify --lines: %d verdicts for %d schedules\n%s" % (len(lines), len(schedules), run.stderr))
    return [json.loads(line) for line in lines]


def same_cost(kind, verdict, cost):
    if cost is None or "cost" not in verdict:
        return True
    if any(v["rule"] in READER_RULES for v in verdict["violations"]):
        return True
    if kind in ("mesh", "links") and not verdict["ok"]:
        return True                                             # these judges stop counting at malformed parts
    return all(int(verdict["cost"].get(k, -1)) == v for k, v in cost.items())


def main(argv):
    def option(name, default):
        return int(argv[argv.index(name) + 1]) if name in argv else default
    count, seed = option("--count", 2400), option("--seed", 1)
    if not argv or argv[0].startswith("-"):
        print(__doc__)
        return 2
    folder = os.environ.get("FARO_JUDGES")
    if not folder:
        print("skipped: %d schedules; FARO_JUDGES names no folder of judges" % count)
        print("judges: 0 passed, 0 failed, %d skipped" % count)
        return 0
    judges, tally, wrong = Judges(folder), {}, 0
    batch = []

    skipped = 0

    def flush():
        nonlocal wrong, skipped
        for (kind, schedule, goal), verdict in zip(batch, ours(argv[0], [b[1] for b in batch])):
            if kind in judges.missing:
                skipped += 1
                continue
            ok, cost = judges.verdict(kind, schedule, goal)
            entry = tally.setdefault(kind, [0, 0])
            entry[0] += 1
            entry[1] += bool(ok)
            if bool(ok) != verdict["ok"] or not same_cost(kind, verdict, cost):
                wrong += 1
                if wrong <= 3:
                    print("DIFFERENT %s: the judge says %s %s, faro %s\n  %s" % (
                        kind, ok, cost, json.dumps(verdict)[:600], json.dumps(schedule)[:3000]))
        batch.clear()

    for item in make(seed, count, argv[0]):
        batch.append(item)
        if len(batch) == 500:
            flush()
    if batch:
        flush()
    print("compared: " + ", ".join("%s %d, %d of them right" % (k, n, r) for k, (n, r) in sorted(tally.items())))
    print("judges: %d passed, %d failed, %d skipped" % (count - skipped - wrong, wrong, skipped))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
