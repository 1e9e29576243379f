"""Our models and what a run shows of them."""

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
