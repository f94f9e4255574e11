"""Every example of the stub and of the pages is run, and every notebook."""

import ast
import json
import doctest
import os
import pathlib
import tempfile

import faro
import notebooks
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


@pytest.mark.parametrize("page, least", [("../README.md", 2), ("checkpoints.md", 8), ("tutorial.md", 20), ("python.md", 40), ("systems.md", 40)])
def test_pages(page, least):
    assert run((DOCS / page).read_text(), page) > least


@pytest.mark.parametrize("path", sorted(notebooks.FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks(path):
    """What they show is what they keep, cell by cell."""
    kept, now = json.loads(path.read_text()), notebooks.executed(path)
    code = [cell for cell in now["cells"] if cell["cell_type"] == "code"]
    assert len(code) >= 5
    for mine, theirs in zip(kept["cells"], now["cells"], strict=True):
        assert mine == theirs, "".join(theirs["source"])


def test_there_is_a_notebook_for_each_community():
    assert len(list(notebooks.FOLDER.glob("*.ipynb"))) == 5
