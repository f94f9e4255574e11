#!/usr/bin/env python3
"""Tables of code conversion for few elements, by integer programs (scipy's HiGHS): data/conversion_tables.json.

    tools/search/conversion_tables.py N STEPS ELEMENTS TOP   one table, as a line of JSON
    tools/search/conversion_tables.py --check FILE           runs every table and counts, without a solver

A field of N bits: its TOP highest are routed freely, the m = N - TOP low ones are crossed ascending where
they must, a *service*. All elements of one value of the top bits (a source) do the same wherever their low
bits are, and source u ^ 1 does what u does with bit 0 of the position turned round; so sources are even.

    hop      across top dimension d; (position / 2, d) is one link for both mirror images
    service  all m low dimensions, one a step; (position / 2, class) is free for one that starts in each
             step, class = parity of the source's bits ^ bit 0 of the position
    first    with pivot s, at the start and at home: low dimensions s .. m-1 in steps 0 .. m-1-s. It
             passes where a service that had started s steps before the first would
    second   of an element that did the first part with pivot s: 0 .. s-1 in the last s steps, at its
             goal; one of a pair of positions and pivot, whatever its class

A table is a list of steps, a step a list of events of four characters: source, state, position, what;
numbers in base 36. State 0: not served, z: served, s: first part with pivot s done. What: 0 .. TOP-1 a hop,
s a service (state 0) or a second part (state s), A, B, .. a first part with pivot 1, 2, ..
Elements of one source in one state at one position are interchangeable: first come, first served.
"""
import json
import sys

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def parity(x):
    return bin(x).count("1") & 1


def home(source, top):
    """The top bits where a source belongs: Gray code to binary."""
    value = 0
    for j in range(top - 1, -1, -1):
        value |= parity(source >> j) << j
    return value


def solve(n, steps, elements, top, seconds):
    import numpy
    import scipy.optimize
    import scipy.sparse

    m = n - top
    positions = 1 << top
    sources = range(0, positions, 2)
    served = m + 1  # states: 0, pivots 1 .. m-1, served
    states = [0] + list(range(1, m)) + [served] if m else [0]
    last = served if m else 0
    variables = []  # (source, state, position, step, what)
    leaves = {}
    arrives = {}
    resources = {}

    def variable(source, state, position, step, what, to, used):
        number = len(variables)
        variables.append((source, state, position, step, what))
        leaves.setdefault((source, state, position, step), []).append(number)
        arrives.setdefault((source, *to), []).append(number)
        for resource in used:
            resources.setdefault(resource, []).append(number)

    for source in sources:
        goal = home(source, top)
        for step in range(steps):
            for state in states:
                if 0 < state < served and step < m - state:
                    continue
                for x in range(positions):
                    if bin(x ^ goal).count("1") > steps - step or bin(x ^ source).count("1") > step:
                        continue
                    variable(source, state, x, step, "w", (state, x, step + 1), [])
                    for d in range(top):
                        variable(source, state, x, step, str(d), (state, x ^ 1 << d, step + 1), [("hop", x >> 1, d, step)])
                    kind = parity(source) ^ x & 1
                    if m and state == 0 and step + m <= steps:
                        variable(source, 0, x, step, "s", (served, x, step + m), [("service", x >> 1, kind, step)])
                    if state == 0 and step == 0 and x == source:
                        for s in range(1, m):
                            variable(source, 0, x, 0, chr(ord("A") + s - 1), (s, x, m - s), [("service", x >> 1, kind, -s)])
                    if 0 < state < served and x == goal and step == steps - state:
                        variable(source, state, x, step, "s", (served, x, steps), [("second", x >> 1, state)])
    count = len(variables)
    rows, columns, values, sides = [], [], [], []
    for source in sources:
        for step in range(steps + 1):
            for state in states:
                for x in range(positions):
                    into = arrives.get((source, state, x, step), [])
                    out = leaves.get((source, state, x, step), [])
                    side = 0
                    if step == 0 and state == 0 and x == source:
                        side -= elements
                    if step == steps and state == last and x == home(source, top):
                        side += elements
                    if not into and not out and not side:
                        continue
                    for v in into:
                        rows.append(len(sides)), columns.append(v), values.append(1)
                    for v in out:
                        rows.append(len(sides)), columns.append(v), values.append(-1)
                    sides.append(side)
    balance = scipy.sparse.csr_matrix((values, (rows, columns)), shape=(len(sides), count))
    used = scipy.sparse.csr_matrix(
        ([1] * sum(map(len, resources.values())),
         ([i for i, key in enumerate(resources) for _ in resources[key]], [v for key in resources for v in resources[key]])),
        shape=(len(resources), count))
    most = [elements if v[4] == "w" else 1 for v in variables]
    found = scipy.optimize.milp(
        c=numpy.array([0 if v[4] == "w" else 1 for v in variables]),
        integrality=numpy.ones(count),
        bounds=scipy.optimize.Bounds(0, most),
        constraints=[scipy.optimize.LinearConstraint(balance, sides, sides), scipy.optimize.LinearConstraint(used, -numpy.inf, 1)],
        options={"time_limit": seconds, "mip_rel_gap": 1.0})
    if found.x is None:
        return None
    table = [[] for _ in range(steps)]
    for (source, state, x, step, what), value in zip(variables, found.x):
        if what != "w" and round(value):
            name = "z" if m and state == served else DIGITS[state]
            table[step].append(DIGITS[source] + name + DIGITS[x] + what)
    return {"n": n, "top": top, "K": elements, "steps": ["".join(sorted(events)) for events in table]}


def check(table):
    """Runs a table: every event has an element, no resource serves two, everybody comes home."""
    n, top, elements = table["n"], table["top"], table["K"]
    m = n - top
    steps = len(table["steps"])
    here = {(u, "0", u): elements for u in range(0, 1 << top, 2)}
    due = {}
    taken = set()

    def take(resource):
        assert resource not in taken, resource
        taken.add(resource)

    for step, events in enumerate(table["steps"]):
        for state, number in due.pop(step, []):
            here[state] = here.get(state, 0) + number
        for i in range(0, len(events), 4):
            source, state, x, what = int(events[i], 36), events[i + 1], int(events[i + 2], 36), events[i + 3]
            assert here.get((source, state, x), 0) > 0, (step, events[i:i + 4])
            here[source, state, x] -= 1
            kind = parity(source) ^ x & 1
            if what.isdigit():
                take(("hop", x >> 1, int(what), step))
                after = (step + 1, (source, state, x ^ 1 << int(what)))
            elif what == "s" and state == "0":
                take(("service", x >> 1, kind, step))
                after = (step + m, (source, "z", x))
            elif what == "s":
                s = int(state, 36)
                assert step == steps - s and x == home(source, top)
                take(("second", x >> 1, s))
                after = (steps, (source, "z", x))
            else:
                s = ord(what) - ord("A") + 1
                assert step == 0 and x == source and 1 <= s < m and state == "0"
                take(("service", x >> 1, kind, -s))
                after = (m - s, (source, DIGITS[s], x))
            due.setdefault(after[0], []).append((after[1], 1))
    for state, number in due.pop(steps, []):
        here[state] = here.get(state, 0) + number
    assert not due
    for u in range(0, 1 << top, 2):
        assert here.get((u, "z" if m else "0", home(u, top)), 0) == elements, u


def main():
    if sys.argv[1] == "--check":
        tables = json.load(open(sys.argv[2]))["tables"]
        for table in tables:
            check(table)
        print(f"{len(tables)} tables checked")
        return 0
    n, steps, elements, top = map(int, sys.argv[1:5])
    table = solve(n, steps, elements, top, float(sys.argv[5]) if len(sys.argv) > 5 else 600)
    if table is None:
        print(f"no table of {steps} steps found for {n} bits, {elements} elements, {top} top bits", file=sys.stderr)
        return 1
    check(table)
    print(json.dumps(table, separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
