"""What notebooks show: tables, and the library's pictures below them."""

from __future__ import annotations

from html import escape

from ._errors import Error


def table_html(title: str, rows) -> str:
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(str(k))}</th><td>{escape(str(v))}</td></tr>"
        for k, v in rows
    )
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def picture_html(picture) -> str:
    """The SVG of picture(), or nothing for what is too large to draw."""
    try:
        return picture()
    except Error:
        return ""


def map_html(m) -> str:
    return f"<div><code>{escape(m.explain())}</code><br/>{picture_html(m.picture)}</div>"
