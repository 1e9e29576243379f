"""What docs/python.md shows is what comes out."""

import doctest
from pathlib import Path

import numpy as np

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"


def test_the_page_tells_the_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with np.printoptions(legacy=False):
        result = doctest.testfile(str(DOCS), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS)
    assert result.attempted > 15 and result.failed == 0
