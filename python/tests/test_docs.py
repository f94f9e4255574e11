"""Every example of the stub and of docs/python.md is run."""

import ast
import doctest
import os
import pathlib
import tempfile

import faro
import numpy

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


def test_page():
    folder = os.environ.get("FARO_DOCS", pathlib.Path(__file__).parents[2] / "docs")
    assert run((pathlib.Path(folder) / "python.md").read_text(), "python.md") > 12
