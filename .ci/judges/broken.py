"""Broken schedules: one small change to a good one, each of a kind that every machine knows.

mutate(rnd, schedule) returns a changed copy. A mutant may still be right; the judges say.
"""
import copy


def step_list(schedule):
    for name in ("steps", "program", "slots_list"):
        if name in schedule:
            return schedule[name]
    raise KeyError("no steps")


def numbers(value, path=()):
    """Paths to every integer below `value`, masks in hexadecimal included."""
    if isinstance(value, bool):
        return
    if isinstance(value, int) or path[-1:] == ("mask",) or (isinstance(value, str) and value.startswith("0x")):
        yield path
    elif isinstance(value, list):
        for i, x in enumerate(value):
            yield from numbers(x, path + (i,))
    elif isinstance(value, dict):
        for k in sorted(value):
            yield from numbers(value[k], path + (k,))


def lists(value, path=()):
    """Paths to every list of moves, rules, sends: lists whose items are lists or objects."""
    if isinstance(value, list):
        if value and all(isinstance(x, (list, dict)) for x in value):
            yield path
        for i, x in enumerate(value):
            yield from lists(x, path + (i,))
    elif isinstance(value, dict):
        for k in sorted(value):
            if k not in ("if", "to"):
                yield from lists(value[k], path + (k,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def mask_bits(schedule):
    """How many bits of a mask may change. The judges of POPS and butterfly schedules do not look at bits beyond the
    processor's number, which faro refuses."""
    machine = schedule["machine"]
    if "problem" in schedule:
        return max(1, machine["dimensions"])
    if machine["kind"] == "pops":
        return max(1, (machine["d"] * machine["g"]).bit_length() - 1)
    return 4


def change_number(rnd, schedule):
    steps = step_list(schedule)
    paths = list(numbers(steps))
    if not paths:
        return False
    path = rnd.choice(paths)
    holder, key = at(steps, path[:-1]), path[-1]
    old = holder[key]
    if key == "mask":                                           # of a mesh: 0, 1 or x for every address bit
        i = rnd.randrange(len(old))
        holder[key] = old[:i] + rnd.choice("01x") + old[i + 1:]
    elif isinstance(old, str):
        holder[key] = "0x%x" % (int(old, 16) ^ 1 << rnd.randrange(mask_bits(schedule)))
    else:
        holder[key] = rnd.choice([old ^ 1, old + 1, old - 1, rnd.randrange(8)])
        if holder[key] < 0 and "by" != key:
            holder[key] = 0
    return True


def change_list(rnd, steps):
    paths = list(lists(steps))
    if not paths:
        return False
    items = at(steps, rnd.choice(paths))
    i, j = rnd.randrange(len(items)), rnd.randrange(len(items))
    what = rnd.randrange(3)
    if what == 0:
        del items[i]
    elif what == 1:
        items.append(copy.deepcopy(items[i]))
    else:
        items[i], items[j] = items[j], items[i]
    return True


def merge_steps(rnd, steps):
    if len(steps) < 2:
        return False
    i = rnd.randrange(len(steps) - 1)
    a, b = steps[i], steps[i + 1]
    if "op" in a:
        steps[i], steps[i + 1] = b, a
        return True
    for key, items in b.items():
        a.setdefault(key, []).extend(items)
    del steps[i + 1]
    return True


def change_goal(rnd, schedule):
    goal = schedule.get("goal")
    if not goal:
        return False
    i, j = rnd.randrange(len(goal)), rnd.randrange(len(goal))
    if rnd.random() < 0.5 and i != j:
        goal[i][2:], goal[j][2:] = goal[j][2:], goal[i][2:]
    else:
        goal[i][rnd.randrange(4)] ^= 1
    schedule.pop("map", None)                                   # not all judges see that the two contradict each other
    return True


def mutate(rnd, schedule):
    while True:
        out = copy.deepcopy(schedule)
        what = rnd.random()
        steps = step_list(out)
        if what < 0.45:
            done = change_number(rnd, out)
        elif what < 0.80:
            done = change_list(rnd, steps)
        elif what < 0.90:
            done = merge_steps(rnd, steps)
        elif what < 0.96 or not steps:
            done = change_goal(rnd, out)
            if not done and not steps:
                return out
        else:
            out["machine"]["ports"] = "one" if "ports" in out["machine"] else out["machine"].get("ports")
            if out["machine"]["ports"] is None:
                del out["machine"]["ports"]
            done = True
        if done:
            return out
