"""Pictures by matplotlib, which is imported when the first one is drawn.

    faro.plot.bits('i:4 -> gray(i)')       which bit goes where
    faro.plot.matrix(m)                    the matrix of a map, and what it inverts
    faro.plot.schedule(s)                  which links of a cube work in which step

Each draws on `ax`, or on a figure of its own, and returns the Axes.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._errors import Impossible

__all__ = ["bits", "matrix", "schedule"]


def _crossings(schedule):
    """For each step of a schedule on a cube: moves over each dimension; None for other machines or
    schedules too long to draw."""
    machine = schedule.machine
    if not machine.startswith("cube:") or schedule.steps > _STEPS:
        return None
    n = int(machine.partition(":")[2].partition(",")[0])
    rows = []
    for step in schedule:
        across = [0] * n
        for rule in step.get("rules", ()):
            if "across" in rule:
                across[rule["across"]] += 1 << n - _rank(rule.get("if", ()))
        for source, _, target, _ in step.get("moves", ()):
            if source != target:
                across[(source ^ target).bit_length() - 1] += 1
        if any(across):
            rows.append(across)
    return rows


_STEPS = 512


def _rank(conditions):
    """How many address bits the conditions fix: the rank of their masks."""
    basis = []
    for mask, _ in conditions:
        word = mask if isinstance(mask, int) else int(mask, 16)
        for b in basis:
            word = min(word, word ^ b)
        if word:
            basis.append(word)
    return len(basis)


def _axes(ax: Any, width: float, height: float) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height))[1]


def bits(map: Any, /, *, ax: Any = None) -> Any:
    """A wire for every source bit that a destination bit is the sum of; a ring where it is inverted."""
    m = _core.map_for(map, None, ())
    ax = _axes(ax, 4, 0.4 * m.width + 1)
    for source, column in enumerate(m.columns):
        for place in range(m.width):
            if column >> place & 1:
                ax.plot([0, 1], [source, place], color="tab:blue", linewidth=1.5)
    inverted = [b for b in range(m.width) if m.complement >> b & 1]
    ax.plot([1.03] * len(inverted), inverted, "o", markerfacecolor="none", color="tab:red")
    ax.set_xticks([0, 1], ["old index", "new index"])
    ax.set_yticks(range(m.width))
    ax.set_ylabel("bit")
    ax.set_title(str(m))
    return ax


def matrix(map: Any, /, *, ax: Any = None) -> Any:
    """Row by row the destination bits, the highest first; the column behind the line is inverted."""
    import numpy as np

    m = _core.map_for(map, None, ())
    ax = _axes(ax, 0.35 * m.width + 2, 0.35 * m.width + 1)
    cells = np.zeros((m.width, m.width + 1))
    cells[:, : m.width] = m.matrix()[::-1, ::-1]
    cells[:, m.width] = [m.complement >> b & 1 for b in reversed(range(m.width))]
    ax.imshow(cells, cmap="Blues", vmin=0, vmax=1.4)
    ax.axvline(m.width - 0.5, color="black", linewidth=1)
    names = [str(b) for b in reversed(range(m.width))]
    ax.set_xticks(range(m.width + 1), [*names, "~"])
    ax.set_yticks(range(m.width), names)
    ax.set_xlabel("old bit")
    ax.set_ylabel("new bit")
    ax.set_title(str(m))
    return ax


def schedule(schedule: Any, /, *, ax: Any = None) -> Any:
    """The share of each dimension's links that work in each step, of a schedule on a cube."""
    import numpy as np

    rows = _crossings(schedule)
    if not rows:
        raise Impossible(f"{schedule!r}: schedules on a cube of 1 to 512 steps are drawn")
    ax = _axes(ax, min(12.0, 0.12 * len(rows) + 2), 0.35 * len(rows[0]) + 1)
    share = np.array(rows, float).T / (1 << len(rows[0]))
    image = ax.imshow(share, aspect="auto", origin="lower", vmin=0, vmax=1, cmap="Greens",
                      interpolation="nearest")
    ax.set_xlabel("step")
    ax.set_ylabel("dimension")
    ax.set_yticks(range(len(rows[0])))
    ax.set_title(f"{schedule.machine}: {schedule.steps} steps, bound {schedule.bound.value}")
    ax.figure.colorbar(image, ax=ax, label="links at work")
    return ax
