"""Our models and what a run shows of them."""

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fovea


@pytest.fixture(scope="module")
def model():
    return fovea.load("induction")


@pytest.fixture(scope="module")
def run(model):
    _, tokens = model.tokenize("a")
    text = " ".join(model.decode([i]) for i in (5, 9, 7, 5, 9))
    assert tokens and text
    return model(text)


def test_a_run_and_its_weights(model, run):
    n = len(run.tokens)
    assert run.layers == max(model.config["layers"], model.config["decoder_layers"]) and n > 3
    weights = run.weights(0, 0)
    assert weights.shape == (n, n) and weights.dtype == np.float32
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    if run.kinds == ["decoder"]:
        assert (np.triu(weights, 1) == 0).all()
    assert np.array_equal(run[0, 0], weights)
    mean = np.mean([run.weights(0, h).astype(np.float64) for h in range(run.heads)], axis=0)
    np.testing.assert_allclose(run.weights(0, "mean"), mean, atol=1e-6)
    largest = np.max([run.weights(0, h) for h in range(run.heads)], axis=0)
    np.testing.assert_array_equal(run.weights(0, "max"), largest)
    np.testing.assert_allclose(run.weights(0, 0, rows=(1, 3), keys=(0, 2)), weights[1:3, 0:2], atol=1e-6)


def test_another_mask_recomputes_the_softmax(run):
    weights = run.weights(0, 0).astype(np.float64)
    n = weights.shape[0]
    i, j = np.indices((n, n))
    near = np.where(np.abs(i - j) <= 1, weights, 0)
    np.testing.assert_allclose(
        run.weights(0, 0, mask="window(1)"), near / near.sum(1, keepdims=True), atol=1e-5
    )


def test_statistics_measures_rollout_similarity(run):
    statistics = run.statistics()
    n, layers, heads = len(run.tokens), run.layers, run.heads
    all_weights = np.stack(
        [np.stack([run.weights(layer, h).astype(np.float64) for h in range(heads)]) for layer in range(layers)]
    )
    np.testing.assert_allclose(statistics.received[:, 0], all_weights.sum(-2), atol=1e-4)
    np.testing.assert_allclose(run.head_statistics(0, 1).received, all_weights[0, 1].sum(0), atol=1e-4)
    table = run.measures()
    assert len(table.heads()) == layers * heads and len(table) == layers * heads + layers
    np.testing.assert_allclose(
        table.heads()["confidence"], all_weights.max(-1).mean(-1).reshape(-1), atol=1e-5
    )
    rolled = np.eye(n)
    for layer in all_weights:
        step = layer.mean(0) + np.eye(n)
        rolled = step / step.sum(1, keepdims=True) @ rolled
    np.testing.assert_allclose(run.rollout(), rolled, atol=1e-5)
    np.testing.assert_allclose(run.rollout(n - 1), rolled[n - 1], atol=1e-5)
    similarity = run.similarity()
    assert similarity.divergence.shape == (layers * heads,) * 2 and sorted(similarity.order) == list(range(layers * heads))
    assert np.abs(np.diag(similarity.divergence)).max() < 1e-9


def test_runs_are_saved_and_loaded(run, tmp_path):
    run.save(tmp_path / "run.safetensors")
    again = fovea.Run.load(tmp_path / "run.safetensors")
    assert again.tokens == run.tokens and again.bytes == run.bytes
    assert np.array_equal(again.weights(run.layers - 1, 1), run.weights(run.layers - 1, 1))
    (tmp_path / "broken.safetensors").write_bytes(b"nothing")
    with pytest.raises(fovea.Error, match="broken"):
        fovea.Run.load(tmp_path / "broken.safetensors")


def test_weights_from_elsewhere():
    weights = np.array([[[0.5, 0.5], [0.25, 0.75]]], np.float32)
    run = fovea.Run.from_weights(weights, ["a", "b"])
    assert run.tokens == ["a", "b"] and np.array_equal(run[0, 0], weights[0])
    with pytest.raises(fovea.Error):
        fovea.Run.from_weights(-weights)


def test_plots(run):
    assert run.plot(0, 1).svg.startswith("<")
    assert run.plot(0).svg.count("<svg") >= 1
    assert "<path" in run.plot(0, "mean", style="lines").svg or "<line" in run.plot(0, "mean", style="lines").svg
    with pytest.raises(ValueError, match="style"):
        run.plot(0, 0, style="pie")


def test_generation():
    model = fovea.load("sort")
    if not model.config["has_decoder"]:
        pytest.skip("needs a decoder")
    prompt = model.decode(model.tokenize("3 1 2")[0])
    first = model.generate(prompt, max_tokens=3)
    assert len(first.ids) <= 3 and first.ids == model.generate(prompt, max_tokens=3).ids
    # Greedy: each token is the most likely one after those before it.
    logits, hidden = model.outputs(prompt)
    assert int(logits[0, -1].argmax()) == first.ids[0] and hidden.shape[:2] == logits.shape[:2]
    assert len(first.run.tokens) == len(model.tokenize(prompt)[0]) + len(first.ids)


def test_models_that_are_not_there(run):
    with pytest.raises(FileNotFoundError, match="induction"):
        fovea.load("no-such-model")
    assert "induction" in fovea.model_names()
    with pytest.raises(fovea.Error, match="layer"):
        run.weights(99, 0)
    with pytest.raises(fovea.Error):
        run.weights(0, 99)
    with pytest.raises(ValueError, match="head"):
        run.weights(0, "median")
    with pytest.raises(ValueError, match="kind"):
        run.weights(0, 0, kind="side")


TEXT = "old tree red moon big bird sing new song old tree red moon"


def relative_error(got, want):
    return np.linalg.norm(got.astype(np.float64) - want) / np.linalg.norm(want.astype(np.float64))


# The bounds of include/fovea/model.h, of logits. That of float16 is 6e-4; the file of this model is in float16 already.
@pytest.mark.parametrize(
    "names, kept, most",
    [
        (("float32", "f32"), "float32", 0.0),
        (("float16", "f16"), "float16", 6e-4),
        (("bfloat16", "bf16"), "bfloat16", 5e-3),
        (("int8",), "int8", 2.5e-2),
    ],
)
def test_weights_are_kept_in_other_types(model, names, kept, most):
    want = model.outputs(TEXT)[0]
    for name in names:
        other = fovea.load("induction", weights=name)
        assert (other.config["weights"], other.config["precision"]) == (kept, "float32")
        got = other.outputs(TEXT)[0]
        assert got.dtype == np.float32 and relative_error(got, want) <= most
        assert (kept in ("bfloat16", "int8")) == (not np.array_equal(got, want))
    assert (repr(other).endswith(f"parameters in {kept}>")) == (kept != "float32")


def test_products_are_computed_in_bfloat16(model):
    want, same_weights = model.outputs(TEXT)[0], fovea.load("induction", weights="bf16").outputs(TEXT)[0]
    for name in ("bf16", "bfloat16"):
        other = fovea.load("induction", precision=name)
        assert (other.config["weights"], other.config["precision"]) == ("bfloat16", "bfloat16")
        got = other.outputs(TEXT)[0]
        assert relative_error(got, want) <= 1e-2 and not np.array_equal(got, same_weights)
    assert repr(other).endswith("in bfloat16, computed in bfloat16>")
    assert other.predict(TEXT, top=1)[0].top[0][0] == model.predict(TEXT, top=1)[0].top[0][0]
    assert fovea.load("induction", precision="float32").config == model.config
    assert (model.config["weights"], model.config["precision"]) == ("float32", "float32")


def test_types_that_are_not_there():
    with pytest.raises(ValueError, match='weights: got "int4", expected "float32", "float16", "bfloat16" or "int8"'):
        fovea.load("induction", weights="int4")
    with pytest.raises(ValueError, match='precision: got "float16", expected "float32" or "bf16"'):
        fovea.load("induction", precision="float16")
    with pytest.raises(fovea.Error, match="bfloat16, got int8"):
        fovea.load("induction", weights="int8", precision="bf16")


def wide_model(folder, rows):
    """The model induction with a table of so many words, float16 as before; those beyond its own are zeros."""
    source = Path(fovea.__file__).parent / "models" / "induction"
    shutil.copytree(source, folder)
    config = json.loads((source / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": rows}))
    raw = (source / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    table = header["model.embed_tokens.weight"]
    begin, end = table["data_offsets"]
    assert begin == 0
    more = (rows - table["shape"][0]) * table["shape"][1] * 2
    table["shape"][0] = rows
    for name, entry in header.items():
        if name != "__metadata__":
            entry["data_offsets"] = [each + (more if each >= end else 0) for each in entry["data_offsets"]]
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data[:end] + bytes(more) + data[end:])


MEMORY = """
import sys
import fovea
own = lambda: next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon")) * 1024
fovea.load("induction")("old tree")
before = own()
model = fovea.load(sys.argv[1], **{sys.argv[2]: sys.argv[3]})
print(model.config["parameters"], own() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_other_types_take_less_memory(tmp_path):
    wide_model(tmp_path / "wide", 200_000)  # 12.8 million numbers, and 64 bytes of them are a row

    def bytes_each(option, value):
        command = [sys.executable, "-c", MEMORY, tmp_path / "wide", option, value]
        paths = {"PYTHONPATH": str(Path(fovea.__file__).parent.parent)}
        done = subprocess.run(command, capture_output=True, text=True, env=paths, check=True)
        parameters, taken = map(int, done.stdout.split())
        return taken / parameters

    assert bytes_each("weights", "float32") == pytest.approx(4, rel=0.15)
    assert bytes_each("weights", "float16") == pytest.approx(2, rel=0.15)
    assert bytes_each("precision", "bf16") == pytest.approx(2, rel=0.15)
    assert bytes_each("weights", "int8") == pytest.approx(1 + 4 / 64, rel=0.15)  # a scale for each row of 64
