#!/usr/bin/env python3
"""Tables of code conversion, by integer programs (scipy's HiGHS): data/conversion_tables.json.

    tools/search/conversion_tables.py N STEPS ELEMENTS TOP [LAP]   one table, as a line of JSON
    tools/search/conversion_tables.py --laps N                     five tables for all elements of N bits, a line each
    tools/search/conversion_tables.py --check FILE                 runs every table and counts, without a solver

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

A table with a LAP serves any number of elements: three steps from step LAP on may be done any number of
times, each time for five elements more of every source, since all that is under way behind them is where it
was before them. Five elements in three steps is the best rate there is; five tables, one for each remainder,
are at the bound of ceil((3K+1)/5) steps from K = 5N - 2 on.
"""
import json
import sys

from flows import Flows

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
LAP_STEPS = 3
LAP_ELEMENTS = 5


def parity(x):
    return bin(x).count("1") & 1


def home(source, top):
    """The top bits where a source belongs: Gray code to binary."""
    value = 0
    for j in range(top - 1, -1, -1):
        value |= parity(source >> j) << j
    return value


def solve(n, steps, elements, top, seconds=600, lap=None):
    m = n - top
    served = m + 1  # states: 0, pivots 1 .. m-1, served
    states = [0] + list(range(1, m)) + [served] if m else [0]
    last = served if m else 0
    flows = Flows()
    crossing = {}  # (source, state, position, steps behind the cut) -> moves across the two cuts of a lap

    def move(source, state, x, step, what, to, taken=None):
        waits = what == "w"
        number = flows.move((source, state, x, step), (source, *to), (source, state, x, step, what), taken, 0 if waits else 1, elements if waits else 1)
        for sign, cut in ((-1, lap), (1, lap + LAP_STEPS)) if lap is not None else ():
            if step < cut <= to[2]:
                crossing.setdefault((source, to[0], to[1], to[2] - cut), []).append((number, sign))

    for source in range(0, 1 << top, 2):
        goal = home(source, top)
        flows.supply((source, 0, source, 0), elements)
        flows.demand((source, last, goal, steps), elements)
        for step in range(steps):
            for state in states:
                if 0 < state < served and step < m - state:
                    continue
                for x in range(1 << top):
                    if bin(x ^ goal).count("1") > steps - step or bin(x ^ source).count("1") > step:
                        continue
                    move(source, state, x, step, "w", (state, x, step + 1))
                    for d in range(top):
                        move(source, state, x, step, str(d), (state, x ^ 1 << d, step + 1), ("hop", x >> 1, d, step))
                    kind = parity(source) ^ x & 1
                    if m and state == 0 and step + m <= steps:
                        move(source, 0, x, step, "s", (served, x, step + m), ("service", x >> 1, kind, step))
                    if state == 0 and step == 0 and x == source:
                        for s in range(1, m):
                            move(source, 0, x, 0, chr(ord("A") + s - 1), (s, x, m - s), ("service", x >> 1, kind, -s))
                    if 0 < state < served and x == goal and step == steps - state:
                        move(source, state, x, step, "s", (served, x, steps), ("second", x >> 1, state))
    for (source, state, x, later), moves in crossing.items():
        begun = later == 0 and state == 0 and x == source
        ended = later == 0 and state == last and x == home(source, top)
        flows.equal(moves, LAP_ELEMENTS * (ended - begun))
    found = flows.solve(seconds)
    if found is None:
        return None
    table = [[] for _ in range(steps)]
    for (source, state, x, step, what), _ in found:
        if what != "w":
            name = "z" if m and state == served else DIGITS[state]
            table[step].append(DIGITS[source] + name + DIGITS[x] + what)
    made = {"n": n, "top": top, "K": elements, "steps": ["".join(sorted(events)) for events in table]}
    return made if lap is None else {**made, "lap": lap}


def laps(n):
    """The tables with a lap of the fewest elements, by the remainder of their number."""
    made = {}
    for elements in range(5 if n < 5 else 5 * n - 7, 5 * n + 20):
        steps = -(-(3 * elements + 1) // 5)
        for lap in (steps // 2, steps // 2 + 1):
            if elements % LAP_ELEMENTS not in made and (table := solve(n, steps + LAP_STEPS, elements + LAP_ELEMENTS, 3, lap=lap)):
                made[elements % LAP_ELEMENTS] = table
    return list(made.values())


def check(table):
    """Runs a table, with a lap any number of times, and checks what run() says."""
    if "lap" not in table:
        run(table, table["K"], table["steps"])
        return
    lap, steps = table["lap"], table["steps"]
    for times in range(4):
        done = steps[:lap] + steps[lap:lap + LAP_STEPS] * times + steps[lap + LAP_STEPS:]
        run(table, table["K"] + LAP_ELEMENTS * (times - 1), done)


def run(table, elements, rows):
    """Every event has an element, no resource serves two, something happens in every step, everybody comes home."""
    n, top = table["n"], table["top"]
    m = n - top
    steps = len(rows)
    assert all(rows), "an empty step"
    here = {(u, "0", u): elements for u in range(0, 1 << top, 2)}
    due = {}
    taken = set()

    def take(resource):
        assert resource not in taken, resource
        taken.add(resource)

    for step, events in enumerate(rows):
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
    if sys.argv[1] == "--laps":
        made = laps(int(sys.argv[2]))
    else:
        n, steps, elements, top = map(int, sys.argv[1:5])
        made = [solve(n, steps, elements, top, lap=int(sys.argv[5]) if len(sys.argv) > 5 else None)]
        if made == [None]:
            print(f"no table of {steps} steps found for {n} bits, {elements} elements, {top} top bits", file=sys.stderr)
            return 1
    for table in made:
        check(table)
        print(json.dumps(table, separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
