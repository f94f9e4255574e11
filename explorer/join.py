#!/usr/bin/env python3
"""join.py PAGE_FOLDER WASM GLUE OUT: the page as one file, the library inside it.

The WebAssembly is compressed and in base64; Emscripten's text and worker.js make the worker's text. Same
inputs, same bytes.
"""
import base64
import gzip
import pathlib
import sys

# In the order in which they are read: later ones use what earlier ones say.
scripts = ["dom", "state", "engine", "map", "gpu", "plan", "replay", "canvas", "player", "rules", "file", "save", "keys", "main"]


def inside_script(text: str) -> str:
    """A text that may stand in <script>: nothing in it may end the element."""
    for word in ("</script", "<!--"):
        if word in text.lower():
            raise SystemExit(f"join.py: a script contains {word!r}, which would end it in the page")
    return text


def main() -> None:
    folder, wasm, glue, out = (pathlib.Path(name) for name in sys.argv[1:])
    packed = gzip.compress(wasm.read_bytes(), compresslevel=9, mtime=0)
    worker = glue.read_text() + "\n" + (folder / "worker.js").read_text()
    # One function around all, so that the page adds no names to the window.
    script = '"use strict";\n(() => {\n' + "\n".join((folder / f"{name}.js").read_text() for name in scripts) + "})();\n"
    page = (folder / "index.html").read_text()
    parts = {
        "@STYLE@": "\n" + (folder / "style.css").read_text(),
        "@WASM@": base64.b64encode(packed).decode(),
        "@WORKER@": "\n" + inside_script(worker),
        "@SCRIPT@": "\n" + inside_script(script),
    }
    for mark, text in parts.items():
        if page.count(mark) != 1:
            raise SystemExit(f"join.py: index.html has {mark} {page.count(mark)} times, not once")
        page = page.replace(mark, text)
    out.write_text(page)


main()
