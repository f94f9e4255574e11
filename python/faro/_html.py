"""Pictures for notebooks: which bit goes where, as SVG."""

from __future__ import annotations

from html import escape

_WIRE = 22
_WIDTH = 260


def map_html(m) -> str:
    """Wires of a map: the bits of the old index on the left, of the new one on the right."""
    height = _WIRE * max(m.width, 1) + 24
    rows = []
    for place in range(m.width):
        y_to = 16 + _WIRE * (m.width - 1 - place)
        inverted = m.complement >> place & 1
        for source in range(m.width):
            if m.columns[source] >> place & 1:
                y_from = 16 + _WIRE * (m.width - 1 - source)
                rows.append(
                    f'<path d="M30 {y_from} C110 {y_from} 150 {y_to} 224 {y_to}" fill="none" '
                    'stroke="currentColor" stroke-width="1.5"/>'
                )
        mark = '<circle cx="228" cy="{0}" r="4" fill="none" stroke="currentColor"/>'
        if inverted:
            rows.append(mark.format(y_to))
        rows.append(f'<text x="238" y="{y_to + 4}" font-size="12">{place}</text>')
        rows.append(f'<text x="8" y="{y_to + 4}" font-size="12">{place}</text>')
    title = escape(m.explain())
    return (
        f'<div><code>{title}</code><br/><svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'width="{_WIDTH}" height="{height}" font-family="monospace"><title>{title}</title>'
        + "".join(rows)
        + "</svg></div>"
    )


def table_html(title: str, rows) -> str:
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(str(k))}</th><td>{escape(str(v))}</td></tr>"
        for k, v in rows
    )
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def crossings_of(schedule):
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


def schedule_html(schedule) -> str:
    """A cell for each step (left to right) and dimension: the darker, the more of its links work."""
    rows = crossings_of(schedule)
    if not rows:
        return ""
    n = len(rows[0])
    links = 1 << n  # directed, of one dimension
    size = max(2, min(14, 900 // len(rows)))
    cells = []
    for step, across in enumerate(rows):
        for d, count in enumerate(across):
            if count:
                cells.append(
                    f'<rect x="{24 + step * size}" y="{(n - 1 - d) * 14}" width="{size - 1}" '
                    f'height="13" fill="currentColor" opacity="{0.15 + 0.85 * count / links:.2f}">'
                    f"<title>step {step}, dimension {d}: {count} of {links} links</title></rect>"
                )
    marks = "".join(
        f'<text x="2" y="{(n - 1 - d) * 14 + 11}" font-size="11">{d}</text>' for d in range(n)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{30 + len(rows) * size}" '
        f'height="{14 * n + 4}" font-family="monospace"><title>links at work, dimension by step'
        f"</title>{marks}{''.join(cells)}</svg>"
    )
