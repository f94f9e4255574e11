"""Where every element is before each step of a schedule file, by an own reading of docs/schedule-file.md."""


def parity(x):
    return bin(x).count("1") & 1


def number(x):
    return int(x, 0) if isinstance(x, str) else x


def meets(p, conditions):
    return all(parity(p & number(mask)) == value for mask, value in conditions or [])


def start(schedule, processors):
    program = "program" in schedule
    elements = 1 if program else schedule["elements"]
    first = 1 if program else 0
    return {(p, first + s): p * elements + s for p in range(processors) for s in range(elements)}


def processor_count(machine):
    if machine["kind"] == "hypercube":
        return 1 << machine["dimensions"]
    if machine["kind"] == "mesh":
        count = 1
        for side in machine["shape"]:
            count *= side
        return count
    return machine["d"] * machine["g"] if machine["kind"] == "pops" else machine["processors"]


def moved(cells, pairs):
    """All reads before all writes."""
    writes = [(to, cells[source]) for source, to in pairs if source in cells]
    cells.update(writes)


def cube_step(cells, step, processors):
    pairs = [((m[0], m[1]), (m[2], m[3])) for m in step.get("moves", [])]
    for rule in step.get("rules", []):
        flip = 1 << rule["across"] if "across" in rule else 0
        pairs += [((p, rule["slot"]), (p ^ flip, rule["to"])) for p in range(processors) if meets(p, rule.get("if"))]
    moved(cells, pairs)


def pops_slot(cells, slot, machine, processors):
    d = machine.get("d", 1)
    sends = {}
    for p, register, groups in slot.get("sends", []):
        for group in groups:
            sends[(group, p // d)] = (p, register)
    pairs = []
    for p, group, register in slot.get("receives", []):
        source = sends.get((p // d, group))
        if source is not None:
            pairs.append((source, (p, register)))
    for rule in slot.get("rules", []):
        for p in range(processors):
            if not meets(p, rule.get("if")):
                continue
            to = 0
            for mask, constant in rule["to"]:
                to = to * 2 + (parity(p & number(mask)) ^ constant)
            pairs.append(((p, rule["register"]), (to, rule["into"])))
    moved(cells, pairs)


def masked(p, mask):
    bits = len(mask)
    return all(c == "x" or (p >> (bits - 1 - i) & 1) == int(c) for i, c in enumerate(mask))


def routed(p, machine, dimension, by):
    """Where a route takes what is at p, or nothing if it goes over an edge."""
    shape = machine["shape"]
    stride = 1
    for side in shape[len(shape) - dimension:]:
        stride *= side
    side = shape[len(shape) - 1 - dimension]
    at = p // stride % side
    if machine["wrap"] == "propagating":
        total = processor_count(machine)
        return (p + by * stride) % total
    if 0 <= at + by < side:
        return p + by * stride
    if machine["wrap"] == "none":
        return None
    return p + ((at + by) % side - at) * stride


def instruction(cells, op, machine, processors):
    registers = {"Rr": 0, "Rs": 1, "Rt": 2}
    chosen = [p for p in range(processors) if masked(p, op.get("mask", "")) and meets(p, op.get("if"))]
    if op["op"] == "route":
        held = {p: cells.pop((p, 0)) for p in range(processors) if (p, 0) in cells}
        for p, token in held.items():
            to = routed(p, machine, op["dim"], op["by"])
            if to is not None:
                cells[(to, 0)] = token
        return
    a = registers[op["from" if op["op"] == "copy" else "a"]]
    b = registers[op["to" if op["op"] == "copy" else "b"]]
    for p in chosen:
        one, other = cells.get((p, a)), cells.get((p, b))
        pairs = [((p, b), one)] + ([((p, a), other)] if op["op"] == "swap" else [])
        for place, token in pairs:
            if token is None:
                cells.pop(place, None)
            else:
                cells[place] = token


def states(schedule):
    """Yields the cells before each step, and after the last one: {(processor, slot): element}."""
    machine = schedule["machine"]
    processors = processor_count(machine)
    cells = start(schedule, processors)
    yield dict(cells)
    for name in ("steps", "program", "slots_list"):
        for step in schedule.get(name, []):
            if name == "program":
                instruction(cells, step, machine, processors)
            elif name == "slots_list":
                pops_slot(cells, step, machine, processors)
            else:
                cube_step(cells, step, processors)
            yield dict(cells)
