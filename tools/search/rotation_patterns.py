#!/usr/bin/env python3
"""Rotations of three and of four bits, by integer programs (scipy's HiGHS): data/cycle_patterns.json.

    tools/search/rotation_patterns.py > data/cycle_patterns.json

Every processor sends Q elements in P steps, and again, and again: units of hops [time, from, to], all of
them done within F steps. Two uses of a link are never the same number of steps apart modulo P. Q/P is the
most that links allow: a rotation of n bits crosses n/2 dimensions on the average, and one crossing in 2^(n-1)
is lost, since two processors keep their elements and their links carry what others pay more hops for.
"""
import json
import sys

from flows import Flows


def pattern(bits, period, elements, most):
    processors = 1 << bits
    flows = Flows()

    def goal(u):
        return (u << 1 | u >> bits - 1) & processors - 1

    movers = [u for u in range(processors) if goal(u) != u]
    for u in movers:
        flows.supply((u, u, 0), elements)
        flows.demand((u, goal(u), most), elements)
        for time in range(most):
            for x in range(processors):
                if bin(x ^ u).count("1") > time or bin(x ^ goal(u)).count("1") > most - time:
                    continue
                flows.move((u, x, time), (u, x, time + 1), (u, x, time, x), None, 0 if x == goal(u) else 1, elements)
                for d in range(bits):
                    y = x ^ 1 << d
                    if bin(y ^ goal(u)).count("1") < most - time:
                        flows.move((u, x, time), (u, y, time + 1), (u, x, time, y), (x, y, time % period))
    found = flows.solve(600, best=True)
    if found is None:
        raise SystemExit(f"no pattern of {elements} elements in {period} steps within {most} found")
    left = dict(found)
    units = {}
    for u in movers:
        units[str(u)] = []
        for _ in range(elements):
            x, unit = u, []
            for time in range(most):
                move = next(m for m in left if m[:3] == (u, x, time) and left[m])
                left[move] -= 1
                if move[3] != x:
                    unit.append([time, x, move[3]])
                x = move[3]
            assert x == goal(u)
            units[str(u)].append(unit)
    uses = [(x, y, time % period) for all_of in units.values() for unit in all_of for time, x, y in unit]
    assert len(uses) == len(set(uses))
    columns = [goal(1 << b) for b in range(bits)]
    return {"P": period, "Q": elements, "columns": columns, "pattern": units}


def main():
    made = {"shuffle3": pattern(3, 4, 7, 5), "shuffle4": pattern(4, 7, 12, 8)}
    print(json.dumps({"about": "made and explained by tools/search/rotation_patterns.py", **made}, separators=(",", ":")))


if __name__ == "__main__":
    sys.exit(main())
