"""The notebooks of examples/notebooks run, and print what is kept in them."""

import importlib.util
import json
from pathlib import Path

import notebooks
import pytest

import fovea

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "notebooks"


def texts(outputs):
    """What is compared: printed text and the text of values; pictures are compared where they are made."""
    found = []
    for output in outputs:
        found += output.get("text", []) or output["data"]["text/plain"]
    return "".join(found)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for need in notebooks.needs(notebook):
        kind, _, name = need.rpartition(":")
        there = name in fovea.model_names() if kind == "model" else importlib.util.find_spec(name) is not None
        if not there:
            pytest.skip(f"needs {'the model ' if kind else ''}{name}")
    assert path.stat().st_size < 200_000
    for cell, outputs in notebooks.run(notebook):
        if not notebooks.varies(cell):
            assert texts(outputs) == texts(cell["outputs"]), "".join(cell["source"])
        kinds = [sorted(output.get("data", {})) for output in outputs]
        assert kinds == [sorted(output.get("data", {})) for output in cell["outputs"]]
