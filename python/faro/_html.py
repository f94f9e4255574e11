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
