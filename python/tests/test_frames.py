"""What a notebook shows, in headless Chromium, inside of the pages and frames that notebooks are (web/e2e/frames.mjs)."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import fovea

WEB = Path(__file__).resolve().parent.parent.parent / "web"


@pytest.fixture(scope="module")
def run():
    return fovea.load("induction")("old tree red moon big bird sing old tree red moon")


def look_at(folder, *frames):
    """Of each (name, what is around it, the output's HTML or an address, what is expected, row 4 of L1 H2)."""
    if shutil.which("node") is None or not (WEB / "node_modules" / "playwright-core").is_dir():
        pytest.skip("needs node and web's packages (npm ci)")
    fields = ("name", "around", "output", "expects", "row")
    (folder / "frames.json").write_text(json.dumps([dict(zip(fields, frame)) for frame in frames]), encoding="utf-8")
    done = subprocess.run(["node", WEB / "e2e" / "frames.mjs", folder], capture_output=True, text=True, timeout=300)
    if done.returncode == 77:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_explorer_in_every_kind_of_frame(run, tmp_path):
    output = run._repr_html_()
    look_at(
        tmp_path,
        ("code", "code", output, "run"),
        ("colab", "colab", output, "run"),
        ("bare", "bare", output, "run"),
        ("selection", "jupyter", output, "selection"),
    )


def test_a_served_run_and_a_notebook_reopened_after_it_ended(run, tmp_path):
    weights = np.tril(np.ones((1, 1, 2, 9, 9), np.float32))
    weights /= weights.sum(-1, keepdims=True)
    with run.serve() as server, fovea.Run.from_weights(weights).serve() as other:
        output, without_model = server._repr_html_(), other._repr_html_()
        look_at(
            tmp_path,
            ("served", "jupyter", output, "served"),
            ("served_without_model", "jupyter", without_model, "served_without_model"),
            ("served_code", "code", output, "gone"),  # its policy allows no page of this machine
        )
        port = int(server.url.rsplit(":", 1)[1].strip("/"))
    look_at(tmp_path, ("gone", "jupyter", output, "gone"))
    with run.serve(port=port):  # another run at the same address is not the one that was shown
        look_at(tmp_path, ("other", "jupyter", output, "gone"))


def test_the_file_without_origin_storage_and_network(run, tmp_path):
    run.to_html(tmp_path / "run.html")
    page, row = (tmp_path / "run.html").read_text(encoding="utf-8"), run.weights(1, 2)[4].tolist()
    look_at(tmp_path, ("strict", "strict", page, "file", row), ("blob", "strict_blob", page, "file", row))


def test_no_request_of_a_served_run_is_in_vain(run, tmp_path):
    model = fovea.load("induction")
    study = fovea.Study(model)
    study.add(model, ["old tree red moon", "big bird sing", "red moon big bird red moon"])
    study.save(tmp_path / "study.safetensors")
    with run.serve() as server, run.serve(study=tmp_path / "study.safetensors") as other:
        look_at(
            tmp_path,
            ("address", "none", server.url, "address", run.weights(1, 2)[4].tolist()),
            ("address_with_study", "none", other.url, "address_with_study"),
        )
