"""Every example of the stub and of the pages is run, and every notebook."""

import ast
import json
import doctest
import os
import pathlib
import tempfile

import faro
import numpy
import pytest

FLAGS = doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE


def run(text, where):
    """In a folder of its own, which the examples call `folder`."""
    with tempfile.TemporaryDirectory() as folder:
        return run_in(text, where, pathlib.Path(folder))


def run_in(text, where, folder):
    names = {"faro": faro, "np": numpy, "x": numpy.arange(8), "folder": folder}
    test = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    assert runner.failures == 0
    return len(test.examples)


def test_stub():
    tree = ast.parse(pathlib.Path(faro.__file__).with_name("__init__.pyi").read_text())
    judged = 0
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node)
            judged += run(text, getattr(node, "name", "faro")) if text else 0
    assert judged > 20


DOCS = pathlib.Path(os.environ.get("FARO_DOCS", pathlib.Path(__file__).parents[2] / "docs"))


@pytest.mark.parametrize("page, least", [("../README.md", 2), ("checkpoints.md", 8), ("python.md", 40), ("systems.md", 40)])
def test_pages(page, least):
    assert run((DOCS / page).read_text(), page) > least


def test_notebooks():
    """Cell by cell, and what a cell shows is shown."""
    notebooks = sorted((DOCS.parent / "examples" / "notebooks").glob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        names, pictures = {}, 0
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] != "code":
                continue
            body = ast.parse("".join(cell["source"])).body
            last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), path.name, "exec"), names)
            if last is not None:
                shown = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
                picture = getattr(shown, "_repr_html_", None)
                pictures += "<svg" in (picture() if picture else repr(shown))
        assert pictures >= 5, path
