"""What a running kernel of faro touches: its OpenCL text is made to note every address.
The notes are counted from the text's accesses and what a request is, without a plan or a rank."""
import re

import numpy as np

WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "uint2": 8, "uint4": 16}
SECTOR, LINE, WORD, REQUEST = 32, 128, 4, 128
NOTED = """u64 noted(__global u64* notes, u32 access, u64 at)
{
  notes[(u64)access * get_global_size(0) + get_global_id(0)] = at;
  return at;
}

"""


class Traced:
    """The text with notes, and for each access in it what it is and its bytes."""

    def __init__(self, text):
        self.accesses = []
        unit = WIDTHS[re.search(r"GLOBAL (\w+)\* (?:ALONE to|data)\)", text).group(1)]
        shared = r"\*\(LOCAL (\w+)\*\)\(tile \+ \((.*)\)\)"
        lines = []
        for line in text.splitlines():
            line = re.sub(r"(?<== )(from|data)\[(.*)\](?=;$)",
                          lambda m: f"{m[1]}[{self.note('read', unit, m[2])}]", line)
            line = re.sub(r"(?<=^  )(to|data)\[([^]]*)\](?= = )",
                          lambda m: f"{m[1]}[{self.note('written', unit, m[2])}]", line)
            line = re.sub(f"(?<=^  ){shared}(?= = )", lambda m: self.shared("store", m), line)
            line = re.sub(f"(?<== ){shared}(?=;$)", lambda m: self.shared("load", m), line)
            lines.append(re.sub(r"^KERNEL(.*)\)$", rf"{NOTED}KERNEL\1, GLOBAL u64* notes)", line))
        self.text = "\n".join(lines) + "\n"

    def note(self, what, width, at):
        self.accesses.append((what, width))
        return f"noted(notes, {len(self.accesses) - 1}u, {at})"

    def shared(self, what, found):
        noted = self.note(what, WIDTHS[found[1]], found[2])
        return f"*(LOCAL {found[1]}*)(tile + {noted})"

    def counts(self, notes, threads):
        """Of the addresses that the kernel noted, in the words of the certificate."""
        out = {}
        for (what, width), at in zip(self.accesses, notes):
            lanes = min(REQUEST // max(WORD, width), threads)
            if what in ("read", "written"):
                rows = (at * width).reshape(-1, lanes)
                counted = {"requests": len(rows), "sectors": distinct(rows // SECTOR).sum(),
                           "lines": distinct(rows // LINE).sum()}
            else:
                counted = {"wavefronts": wavefronts(at.reshape(-1, lanes), width).sum()}
            sums = out.setdefault(what, dict.fromkeys(counted, 0))
            for name, count in counted.items():
                sums[name] += int(count)
        return out


def distinct(rows):
    """How many values each row has."""
    rows = np.sort(rows, axis=1)
    return 1 + (rows[:, 1:] != rows[:, :-1]).sum(axis=1)


def wavefronts(rows, width):
    """Of each row the most words in one bank."""
    unit = max(WORD, width)
    banks = REQUEST // unit
    words = np.sort(rows // unit, axis=1)
    first = np.ones(words.shape, bool)
    first[:, 1:] = words[:, 1:] != words[:, :-1]
    place = np.arange(len(words))[:, None] * banks + words % banks
    return np.bincount(place[first], minlength=len(words) * banks).reshape(-1, banks).max(axis=1)
