"""The types that the package declares."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import fovea

PROGRAM = """
import numpy as np
import fovea

q = np.ones((2, 4), np.float32)
result: fovea.AttentionResult = fovea.attention(q, q, q, mask=fovea.Mask.causal() & fovea.Mask.window(2))
table: fovea.Table = fovea.measure_weights(np.ones((1, 1), np.float32))
names: list[str] = fovea.load("sort", weights="int8", precision="float32")("1 2").tokens
expression: str | None = fovea.Mask.parse("causal").expression
"""


def test_a_program_is_checked(tmp_path):
    pytest.importorskip("mypy", reason="needs mypy: pip install mypy")
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(PROGRAM + "fovea.attention(q, q, q, sacle=1.0)\nfovea.Mask.causal() & 3\nfovea.load('sort', weights='int4')\n")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache")]
    # mypy finds an installed package by itself (py.typed), and takes no site-packages as a path.
    folder = Path(fovea.__file__).parent.parent
    path = {} if folder == Path(sysconfig.get_path("platlib")) else {"MYPYPATH": str(folder)}
    done = subprocess.run(
        [*command, str(tmp_path / "right.py"), str(tmp_path / "wrong.py")],
        capture_output=True,
        text=True,
        env=path,
    )
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 3 and all("wrong.py" in line for line in errors), done.stdout + done.stderr
    assert "sacle" in done.stdout


def test_everything_public_is_documented():
    for name in fovea.__all__:
        assert getattr(fovea, name).__doc__, name
    assert "O(n)" in fovea.__doc__
    assert {"capture", "capture_sdpa"} <= set(dir(fovea)) and "fovea.capture" in fovea.__doc__
