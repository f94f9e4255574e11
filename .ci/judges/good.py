"""Good schedules of every machine, small enough to spell out, made here without the program under test.

Each maker takes a random.Random and returns (kind, schedule, goal): kind names the judge; goal is what the judge needs
beside the schedule (a list of destinations for mesh programs), else None. The schedules carry their goal in words that
both sides read: a list "goal", or for mesh programs a matrix as "map".
"""


def parity(x):
    return bin(x).count("1") & 1


def xor_columns(columns, constant, x):
    y = constant
    for i, c in enumerate(columns):
        if x >> i & 1:
            y ^= c
    return y


def matrix_text(columns, constant):
    text = "matrix(" + ", ".join("0x%x" % c for c in reversed(columns)) + ")"
    return text + (" ^ 0x%x" % constant if constant else "")


def meets(p, where):
    return all(parity(p & m) == v for m, v in where)


# ---------------------------------------------------------------- cube
def exchanges(rnd, n, length):
    """Exchanges [dimension, mask, value]: processors with parity(p & mask) = value swap across the dimension."""
    out = []
    for _ in range(length):
        d = rnd.randrange(n)
        out.append((d, rnd.randrange(1 << n) & ~(1 << d), rnd.randrange(2)))
    return out


def cube(rnd):
    """Every element of a slot takes the same exchanges, a slot per element, pipelined; sometimes through a spare slot."""
    n, K = rnd.randint(1, 4), rnd.randint(1, 3)
    ports = rnd.choice(["all", "one"])
    spare = rnd.random() < 0.4
    program = exchanges(rnd, n, rnd.randint(1, 5))
    place = {(p, s): (p, s) for p in range(1 << n) for s in range(K)}
    steps = []

    def exchange(slot, d, mask, value, busy):
        """One exchange as a rule or as moves; False if the step has no room."""
        if d in busy or (ports == "one" and busy):
            return False
        busy.add(d)
        rule = {"if": [["0x%x" % mask, value]] if mask or value else [], "slot": slot, "across": d, "to": slot}
        if rnd.random() < 0.6:
            steps[-1].setdefault("rules", []).append(rule)
        else:
            steps[-1].setdefault("moves", []).extend(
                [p, slot, p ^ 1 << d, slot] for p in range(1 << n) if parity(p & mask) == value)
        for key, (p, s) in list(place.items()):
            if s == slot and parity(p & mask) == value:
                place[key] = (p ^ 1 << d, s)
        return True

    progress = [0] * K
    while min(progress) < len(program):
        steps.append({})
        busy = set()
        for slot in range(K):
            if progress[slot] < len(program) and exchange(slot, *program[progress[slot]], busy):
                progress[slot] += 1
    if spare:
        steps.append({"rules": [{"if": [], "slot": 0, "to": K}]})
        steps.append({"moves": [[p, K, p, 0] for p in range(1 << n)]})
    steps = [s if s else {"moves": []} for s in steps]
    return "cube", {
        "format": "faro-schedule/1", "machine": {"kind": "hypercube", "dimensions": n, "ports": ports},
        "goal": [[p, s, q, t] for (p, s), (q, t) in sorted(place.items())], "elements": K, "slots": K + spare,
        "steps": steps}, None


# ---------------------------------------------------------------- mesh, one route at a time
def mesh(rnd):
    """Conditional exchanges across single address bits: copy out, route, swap, route back, copy in."""
    sides = [rnd.choice([1, 2, 2, 4]) for _ in range(rnd.randint(1, 3))]
    if all(s == 1 for s in sides):
        sides[0] = 4
    wrap = rnd.choice(["none", "orthogonal", "propagating"])
    low, where_bit = 0, []                                     # (dimension, distance) of every address bit
    for k, side in enumerate(reversed(sides)):
        for r in range(side.bit_length() - 1):
            where_bit.append((k, 1 << r))
        low += side.bit_length() - 1
    p_bits = low
    place = list(range(1 << p_bits))
    program = []
    for d, mask, value in exchanges(rnd, p_bits, rnd.randint(1, 4)):
        dim, distance = where_bit[d]

        def ternary(b, d=d):
            return "".join("x" if i != d else str(b) for i in range(p_bits - 1, -1, -1))
        cond = {"if": [["0x%x" % mask, value]]} if mask else {}
        if not mask and value == 1:
            continue                                           # nobody
        program += [
            dict({"op": "copy", "to": "Rr", "from": "Rs", "mask": ternary(1)}, **cond),
            {"op": "route", "dim": dim, "by": -distance},
            dict({"op": "swap", "a": "Rr", "b": "Rs", "mask": ternary(0)}, **cond),
            {"op": "route", "dim": dim, "by": distance},
            dict({"op": "copy", "to": "Rs", "from": "Rr", "mask": ternary(1)}, **cond)]
        place = [q ^ (1 << d) if parity(q & mask) == value else q for q in place]
    constant = place[0]
    columns = [place[1 << i] ^ constant for i in range(p_bits)]
    assert all(place[x] == xor_columns(columns, constant, x) for x in range(1 << p_bits))
    return "mesh", {
        "format": "faro-schedule/1", "machine": {"kind": "mesh", "shape": sides, "wrap": wrap},
        "map": matrix_text(columns, constant) if p_bits else "i:0 -> i", "elements": 1, "slots": 3,
        "program": program}, place


# ---------------------------------------------------------------- mesh, all links
def links(rnd):
    shape = rnd.choice([[4], [2, 2], [2, 4], [4, 4], [1, 8], [2, 2, 2]])
    wrap = rnd.choice(["none", "orthogonal"])
    K = rnd.randint(1, 2)
    total = 1
    for s in shape:
        total *= s
    place = {(p, e): (p, e) for p in range(total) for e in range(K)}
    steps = []
    for _ in range(rnd.randint(1, 4)):
        dim = rnd.randrange(len(shape))
        stride = 1
        for s in shape[dim + 1:]:
            stride *= s
        if shape[dim] == 1:
            continue
        start, slot = rnd.randrange(2 if wrap == "orthogonal" and shape[dim] > 2 else 1), rnd.randrange(K)
        moves, partner = [], {}
        for p in range(total):
            c = p // stride % shape[dim]
            if (c - start) % 2 == 0:
                q = p + ((c + 1) % shape[dim] - c) * stride
                if rnd.random() < 0.8:
                    partner[p], partner[q] = q, p
        for p, q in sorted(partner.items()):
            moves.append([p, slot, q, slot])
        for key, (p, s) in list(place.items()):
            if s == slot and p in partner:
                place[key] = (partner[p], s)
        steps.append({"moves": moves})
    schedule = {
        "format": "faro-schedule/1", "machine": {"kind": "mesh", "shape": shape, "wrap": wrap, "links": "all"},
        "goal": [[p, s, q, t] for (p, s), (q, t) in sorted(place.items())], "elements": K, "slots": K + 1}
    if shape == [4] and wrap == "none" and rnd.random() < 0.3:
        moved = sum(1 for p, _, q, _ in schedule["goal"] if (p < 2) != (q < 2))
        schedule["bound"] = {"kind": "weights", "weights": [[1, 2, 1], [2, 1, 1]], "value": -(-moved // 2)}
    schedule["steps"] = steps
    return "links", schedule, None


# ---------------------------------------------------------------- POPS
def pops(rnd):
    d, g = rnd.randint(1, 4), rnd.randint(1, 4)
    n = d * g
    machine = {"kind": "pops", "d": d, "g": g}
    if rnd.random() < 0.2:
        machine["multi_receive"] = True
    power = d & (d - 1) == 0 and g & (g - 1) == 0
    slots = []
    if power and n > 1 and rnd.random() < 0.5:
        # p -> p ^ c by rules: one local index a slot, so that every coupler has one sender
        bits, c = n.bit_length() - 1, rnd.randrange(n)
        perm = [p ^ c for p in range(n)]
        local = d.bit_length() - 1
        for x in range(d):
            slots.append({"rules": [{
                "if": [["0x%x" % (1 << i), x >> i & 1] for i in range(local)], "register": 0,
                "to": [["0x%x" % (1 << r), c >> r & 1] for r in range(bits - 1, -1, -1)], "into": 1}]})
    else:
        perm = list(range(n))
        rnd.shuffle(perm)
        left = list(range(n))
        while left:
            couplers, hearing, sends, receives, later = set(), set(), [], [], []
            for p in left:
                coupler = (perm[p] // d, p // d)
                if coupler in couplers or perm[p] in hearing:
                    later.append(p)
                    continue
                couplers.add(coupler)
                hearing.add(perm[p])
                sends.append([p, 0, [perm[p] // d]])
                receives.append([perm[p], p // d, 1])
            slots.append({"sends": sends, "receives": receives})
            left = later
    schedule = {"format": "faro-schedule/1", "machine": machine,
                "goal": [[p, 0, perm[p], 1] for p in range(n)], "elements": 1, "slots": 2, "result": 1,
                "slots_list": slots}
    return "pops", schedule, None


MAKERS = {"cube": cube, "mesh": mesh, "links": links, "pops": pops}
