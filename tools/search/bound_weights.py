#!/usr/bin/env python3
"""Weights that prove lower bounds on Boolean cubes: data/bound_weights.json.

A bound on a cube is the optimum of a linear program: the most elements that flow in T steps, or the
most a step in the long run. Its dual is weights on links (and, with one port, on ports) under which
what elements pay exceeds what steps can; docs/bounds.md, "dual". This program solves the programs
with HiGHS (scipy), makes the weights integers and recomputes in exact arithmetic what they prove:
what is written is what was recomputed, whatever the solver's floating point said.

    tools/search/bound_weights.py                     all, to standard output; minutes
    tools/search/bound_weights.py --largest 4         cubes of up to four dimensions; seconds
    tools/search/bound_weights.py --again FILE        make cubes of up to three dimensions anew and find
                                                      every byte of them in FILE; a second
    tools/search/bound_weights.py --check FILE        recompute what FILE's weights prove; no solver
"""
import argparse
import heapq
import json
import math
import sys
from fractions import Fraction


# --- Problems: where the elements of processor p of an L-cube go ------------------------------------

def ungray(p):
    x = p
    while p:
        p >>= 1
        x ^= p
    return x


def conversion(length):
    return [ungray(p) for p in range(1 << length)]


def cycle(length, odd):
    """Bit i moves to i + 1; of an odd one the bit that arrives at 0 is complemented."""
    top = length - 1
    mask = (1 << length) - 1
    return [((p << 1) & mask) | (p >> top) ^ odd for p in range(1 << length)]


# --- What weights prove, exactly ------------------------------------------------------------------

def ways(length, links, source):
    """Cheapest ways from source; links[d][p] is the weight of what leaves p across d."""
    cost = [None] * (1 << length)
    cost[source] = 0
    queue = [(0, source)]
    while queue:
        c, p = heapq.heappop(queue)
        if c > cost[p]:
            continue
        for d in range(length):
            q = p ^ (1 << d)
            there = c + links[d][p]
            if cost[q] is None or there < cost[q]:
                cost[q] = there
                heapq.heappush(queue, (there, q))
    return cost


def rate(to, length, links, ports=None):
    """Steps an element: what the elements pay over what a step can."""
    paid = sum(ways(length, links, p)[to[p]] for p in range(1 << length))
    if ports is None:
        return Fraction(paid, sum(map(sum, links)))
    for d in range(length):
        for p in range(1 << length):
            q = p ^ (1 << d)
            assert links[d][p] + links[d][q] <= ports[p] + ports[q]
    return Fraction(paid, sum(ports))


def timed_cost(length, phases, source):
    cost = {source: 0}
    for links in phases:
        after = dict(cost)
        for p, c in cost.items():
            for d in range(length):
                q = p ^ (1 << d)
                if q not in after or after[q] > c + links[d][p]:
                    after[q] = c + links[d][p]
        cost = after
    return cost


def most_elements(to, length, phases):
    """Elements a processor that the steps can pay for."""
    paid = sum(timed_cost(length, phases, p)[to[p]] for p in range(1 << length))
    return Fraction(sum(sum(map(sum, links)) for links in phases), paid)


# --- The linear programs --------------------------------------------------------------------------

class Program:
    """max objective, rows <= right sides, variables >= 0."""

    def __init__(self):
        self.columns = 0
        self.objective = {}
        self.rows = []  # ({column: value}, right side)

    def variable(self):
        self.columns += 1
        return self.columns - 1

    def solve(self):
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix
        values, at_row, at_column = [], [], []
        for r, (row, _) in enumerate(self.rows):
            for column, value in row.items():
                values.append(value)
                at_row.append(r)
                at_column.append(column)
        cost = [0.0] * self.columns
        for column, value in self.objective.items():
            cost[column] = -value
        found = linprog(cost, A_ub=coo_matrix((values, (at_row, at_column))),
                        b_ub=[right for _, right in self.rows], bounds=(0, None), method="highs")
        assert found.status == 0, found.message
        return found.x


def add(row, column, value):
    row[column] = row.get(column, 0) + value


def orbits(to, length):
    """Numbers links, and processors as sources, alike where the problem maps them to each other. A
    cycle is a symmetry of the cube itself; turning the bits round gives its inverse, which runs every
    way backwards. Of a conversion only the identity is taken."""
    size = 1 << length
    shift = [to[1 << d] ^ to[0] for d in range(length)]
    symmetric = all(s & (s - 1) == 0 for s in shift)

    def turned(p):
        return sum(1 << (length - 1 - d) for d in range(length) if p >> d & 1)

    def links_like(d, p):
        if symmetric:
            yield shift[d].bit_length() - 1, to[p]
            yield length - 1 - d, turned(p ^ (1 << d))

    def sources_like(p):
        if symmetric:
            yield to[p]
            yield turned(to[p])

    def numbered(everything, like):
        number = {}
        count = 0
        for one in everything:
            if one in number:
                continue
            number[one] = count
            open_ends = [one]
            while open_ends:
                for other in like(open_ends.pop()):
                    if other not in number:
                        number[other] = count
                        open_ends.append(other)
            count += 1
        return number, count

    link, links = numbered([(d, p) for d in range(length) for p in range(size)],
                           lambda one: links_like(*one))
    node, nodes = numbered(range(size), sources_like)
    return link, links, node, nodes


def best_weights(to, length, one_port):
    size = 1 << length
    link, link_count, node, node_count = orbits(to, length)
    program = Program()
    weight = [program.variable() for _ in range(link_count)]
    port = [program.variable() for _ in range(node_count)] if one_port else []
    total = {}
    for p in range(size):
        if one_port:
            add(total, port[node[p]], 1)
        else:
            for d in range(length):
                add(total, weight[link[d, p]], 1)
    program.rows.append((total, 1))
    if one_port:
        seen = set()
        for p in range(size):
            for d in range(length):
                q = p ^ (1 << d)
                row = {}
                add(row, weight[link[d, p]], 1)
                add(row, weight[link[d, q]], 1)
                add(row, port[node[p]], -1)
                add(row, port[node[q]], -1)
                key = tuple(sorted(row.items()))
                if key not in seen:
                    seen.add(key)
                    program.rows.append((row, 0))
    sources = {}
    for p in range(size):
        sources.setdefault(node[p], []).append(p)
    for alike in sources.values():
        source = alike[0]
        if to[source] == source:
            continue
        at = {v: program.variable() for v in range(size) if v != source}
        add(program.objective, at[to[source]], len(alike))
        for p in range(size):
            for d in range(length):
                q = p ^ (1 << d)
                if q == source:
                    continue
                row = {at[q]: 1, weight[link[d, p]]: -1}
                if p != source:
                    row[at[p]] = -1
                program.rows.append((row, 0))
    x = program.solve()
    return ([[x[weight[link[d, p]]] for p in range(size)] for d in range(length)],
            [x[port[node[p]]] for p in range(size)] if one_port else None)


def best_timed_weights(to, length, steps):
    size = 1 << length
    program = Program()
    weight = [[[program.variable() for _ in range(size)] for _ in range(length)]
              for _ in range(steps)]
    program.rows.append(({w: 1 for t in weight for d in t for w in d}, 1))
    for source in range(size):
        if to[source] == source:
            continue
        before = {source: None}  # None: 0
        for t in range(steps):
            after = {p: program.variable() for p in set(before) |
                     {p ^ (1 << d) for p in before for d in range(length)}}
            for p, here in before.items():
                row = {after[p]: 1}
                if here is not None:
                    row[here] = -1
                program.rows.append((row, 0))
                for d in range(length):
                    row = {after[p ^ (1 << d)]: 1, weight[t][d][p]: -1}
                    if here is not None:
                        row[here] = -1
                    program.rows.append((row, 0))
            before = after
        add(program.objective, before[to[source]], 1)
    x = program.solve()
    return [[[x[w] for w in d] for d in t] for t in weight]


# --- From floating point to integers --------------------------------------------------------------

def integers(values, denominator):
    """Integers in the ratios of the values, if they have a common denominator that small; else None."""
    largest = max(values)
    parts = [Fraction(v / largest).limit_denominator(denominator) for v in values]
    if any(abs(float(part) - v / largest) > 1e-9 for part, v in zip(parts, values)):
        return None
    whole = math.lcm(*(part.denominator for part in parts))
    return [int(part * whole) for part in parts] if whole <= denominator else None


def rounded(values, scale):
    largest = max(values)
    return [int(v / largest * scale + 1e-9) for v in values]


def shaped(flat, like):
    flat = iter(flat)
    return [[next(flat) for _ in row] for row in like]


def integer_weights(to, length, links, ports):
    """The best of small integers and of roundings; these never fail."""
    flat = [w for row in links for w in row]
    size = 1 << length
    best = None
    tries = [integers(flat + (ports or []), denominator) for denominator in (1000, 1000000)]
    tries += [rounded(flat + (ports or []), 10 ** digits) for digits in (2, 3, 4, 5, 6, 7)]
    for numbers in tries:
        if numbers is None:
            continue
        whole = shaped(numbers, links)
        gates = numbers[len(flat):] if ports else None
        if ports:  # what rounding took from ports is put back
            for d in range(length):
                for p in range(size):
                    q = p ^ (1 << d)
                    lack = whole[d][p] + whole[d][q] - gates[p] - gates[q]
                    if lack > 0:
                        whole[d][p] -= min(lack, whole[d][p])
        proved = rate(to, length, whole, gates)
        if best is None or proved > best[0] * Fraction(10000001, 10000000):
            best = (proved, whole, gates)
    return best


# --- The file -------------------------------------------------------------------------------------

def text(fraction):
    return f"{fraction.numerator}/{fraction.denominator}"


def conversion_entries(largest):
    entries = []
    for length in range(2, min(6, largest) + 1):
        to = conversion(length)
        proved, links, ports = integer_weights(to, length, *best_weights(to, length, True))
        entries.append({"length": length, "rate": text(proved), "links": links, "ports": ports})
        print(f"conversion of {length} bits, one port: {text(proved)} = {float(proved)}",
              file=sys.stderr)
    return entries


def timed_entries(largest):
    entries = []
    to = conversion(3)
    for steps, elements in ((3, 4), (4, 6), (5, 8)) if largest >= 3 else ():
        weights = best_timed_weights(to, 3, steps)
        flat = [w for t in weights for d in t for w in d]
        numbers = integers(flat, 1000) or rounded(flat, 1000)
        flat = iter(numbers)
        phases = [[[next(flat) for _ in d] for d in t] for t in weights]
        most = most_elements(to, 3, phases)
        assert most < elements
        entries.append({"elements": elements, "most": text(most), "steps": phases})
        print(f"conversion of 3 bits in {steps} steps: at most {text(most)} elements",
              file=sys.stderr)
    return entries


def cycle_entries(largest):
    entries = []
    for length in range(2, largest + 1):
        for odd in (0, 1):
            if length == 2 and not odd:
                continue  # docs/bounds.md has a better argument
            to = cycle(length, odd)
            proved, links, _ = integer_weights(to, length, *best_weights(to, length, False))
            entries.append({"length": length, "odd": bool(odd), "rate": text(proved),
                            "links": links})
            print(f"cycle of {length} bits, {'odd' if odd else 'even'}: {text(proved)}",
                  file=sys.stderr)
    return entries


def check(name):
    with open(name) as file:
        tables = json.load(file)
    for e in tables["conversion_one_port"]:
        assert text(rate(conversion(e["length"]), e["length"], e["links"], e["ports"])) == e["rate"]
    for e in tables["conversion_steps"]:
        most = most_elements(conversion(3), 3, e["steps"])
        assert text(most) == e["most"] and most < e["elements"]
    for e in tables["cycles"]:
        to = cycle(e["length"], int(e["odd"]))
        assert text(rate(to, e["length"], e["links"])) == e["rate"]
    print(f"{sum(map(len, tables.values()))} sets of weights prove what they say")


def file_of(largest):
    tables = {"conversion_one_port": conversion_entries(largest),
              "conversion_steps": timed_entries(largest),
              "cycles": cycle_entries(largest)}
    rows = [f' "{key}": [\n  ' + ",\n  ".join(json.dumps(e, separators=(",", ":")) for e in entries)
            + "\n ]" for key, entries in tables.items()]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def again(name):
    """The entries of small cubes, a line each, are lines of the file."""
    with open(name) as file:
        lines = {line.rstrip(",\n") for line in file}
    made = [line.rstrip(",") for line in file_of(3).splitlines()]
    lost = [line for line in made if line not in lines]
    assert not lost, f"{name} has another line than\n{lost[0]}"
    print(f"{sum(line.startswith('  {') for line in made)} entries made anew are those of the file, "
          "byte for byte")


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--largest", type=int, default=8, help="dimensions of the largest cube")
    arguments.add_argument("--again", metavar="FILE")
    arguments.add_argument("--check", metavar="FILE")
    options = arguments.parse_args()
    if options.check:
        return check(options.check)
    if options.again:
        return again(options.again)
    print(file_of(options.largest), end="")


if __name__ == "__main__":
    main()
