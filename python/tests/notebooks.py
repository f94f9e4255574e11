"""The notebooks of examples/notebooks: their cells are run, and what they show is compared with what they keep.

notebooks.py [--write]     runs each in a folder of its own; --write keeps in it what it shows now
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile

FOLDER = pathlib.Path(os.environ.get("FARO_DOCS", pathlib.Path(__file__).parents[2] / "docs")).parent / "examples/notebooks"


def shown_by(source, names, where):
    """What a notebook shows of a cell: what is printed, and the value of its last line, as text and as a picture."""
    body = ast.parse(source, where).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), where, "exec"), names)
        value = eval(compile(ast.Expression(last.value), where, "eval"), names) if last else None
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(True)}
        picture = getattr(value, "_repr_html_", None)
        if picture:
            data = {"text/html": picture().splitlines(True), **data}
        outputs.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    return outputs


def executed(path):
    """The notebook with the outputs of a run now."""
    notebook = json.loads(path.read_text())
    names, count, before = {}, 0, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                count += 1
                outputs = shown_by("".join(cell["source"]), names, f"{path.name}, cell {count}")
                for output in outputs:
                    if output["output_type"] == "execute_result":
                        output["execution_count"] = count
                cell |= {"execution_count": count, "outputs": outputs}
        finally:
            os.chdir(before)
    return notebook


def text_of(notebook):
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        text = text_of(executed(path))
        if sys.argv[1:] == ["--write"]:
            path.write_text(text)
        elif text != path.read_text():
            sys.exit(f"{path.name} shows something else now")
