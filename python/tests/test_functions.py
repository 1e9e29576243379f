"""Masks, biases, statistics, measures, explanations: against NumPy."""

import numpy as np
import pytest
from conftest import draw, reference

import fovea


def test_masks_and_their_algebra():
    n = 6
    i, j = np.indices((n, n))
    causal, window = fovea.Mask.causal(), fovea.Mask.window(2, 1)
    np.testing.assert_array_equal(causal.to_numpy(n), j <= i)
    np.testing.assert_array_equal((causal & window).to_numpy(n), (j <= i) & (j >= i - 2) & (j <= i + 1))
    np.testing.assert_array_equal((causal | window).to_numpy(n), (j <= i) | ((j >= i - 2) & (j <= i + 1)))
    np.testing.assert_array_equal((~causal).to_numpy(n), j > i)
    np.testing.assert_array_equal(fovea.Mask.parse("causal & window(2, 1)").to_numpy(n), (causal & window).to_numpy(n))
    np.testing.assert_array_equal(fovea.Mask.causal().to_numpy(2, 4), [[1, 1, 1, 0], [1, 1, 1, 1]])
    np.testing.assert_array_equal(fovea.Mask.causal("top_left").to_numpy(2, 4), [[1, 0, 0, 0], [1, 1, 0, 0]])
    assert fovea.Mask.padding([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0]], pad=0).to_numpy(5).shape == (2, 1, 5)
    np.testing.assert_array_equal(
        fovea.Mask.lengths([2, 3]).to_numpy(3), [[[True, True, False]], [[True, True, True]]]
    )
    assert causal.to_numpy(3).dtype == bool
    additive = causal.to_additive(3)
    assert additive[0, 1] == -np.inf and additive[1, 0] == 0
    assert (causal & window).expression is not None
    assert abs(causal.density(4) - 10 / 16) < 1e-12
    assert "causal" in causal.describe(4)
    with pytest.raises(fovea.Error, match="column"):
        fovea.Mask.parse("causal & ")
    with pytest.raises(fovea.Error):
        ~fovea.Mask.additive(np.zeros((2, 2), np.float32))
    with pytest.raises(ValueError, match="align"):
        fovea.Mask.causal("left")


@pytest.mark.parametrize(
    "mask, visible",
    [
        ("causal", np.tril(np.ones((6, 6), bool))),
        (fovea.Mask.sparse(3), None),
        (np.tril(np.ones((6, 6), bool), 2), np.tril(np.ones((6, 6), bool), 2)),
        (np.zeros((6, 6), bool), np.zeros((6, 6), bool)),
    ],
)
def test_attention_under_masks(rng, mask, visible):
    q, k, v = draw(rng, 2, 2, 6, 8), draw(rng, 2, 1, 6, 8), draw(rng, 2, 1, 6, 5)
    if visible is None:
        visible = mask.to_numpy(6)
    result = fovea.attention(q, k, v, mask=mask, weights=True)
    output, weights = reference(q, k, v, visible)
    np.testing.assert_allclose(result.output, output, atol=3e-6)
    np.testing.assert_allclose(result.weights, weights, atol=3e-6)


def test_additive_mask_bias_scale_and_softcap(rng):
    q, k, v = draw(rng, 2, 2, 5, 8), draw(rng, 2, 2, 7, 8), draw(rng, 2, 2, 7, 4)
    added = draw(rng, 5, 7)
    added[1, 2] = -np.inf
    bias = draw(rng, 2, 5, 7)
    result = fovea.attention(q, k, v, mask=added, bias=bias[None], scale=0.3, softcap=4.0)
    expected, _ = reference(q, k, v, added=added + bias, scale=0.3, softcap=4.0)
    np.testing.assert_allclose(result.output, expected, atol=4e-6)


def test_biases(rng):
    table = draw(rng, 7, 2)
    dense = fovea.Bias.relative(table).to_numpy(2, 5)
    i, j = np.indices((5, 5))
    np.testing.assert_array_equal(dense, table[np.clip(j - i, -3, 3) + 3].transpose(2, 0, 1))
    slopes = fovea.alibi_slopes(4)
    np.testing.assert_allclose(slopes, [2**-2, 2**-4, 2**-6, 2**-8])
    alibi = fovea.Bias.alibi(slopes).to_numpy(4, 5)
    np.testing.assert_allclose(alibi, -np.array(slopes)[:, None, None] * np.abs(j - i))
    assert "alibi" in repr(fovea.Bias.alibi(slopes)).lower()


def test_dropout_repeats_itself_and_keeps_the_mean(rng):
    q = draw(rng, 8, 128, 8)
    v = np.ones((8, 128, 4), np.float32)
    first = fovea.attention(q, q, v, dropout=0.5, seed=7, weights=True)
    again = fovea.attention(q, q, v, dropout=0.5, seed=7)
    assert np.array_equal(first.output, again.output)
    assert not np.array_equal(first.output, fovea.attention(q, q, v, dropout=0.5, seed=8).output)
    _, plain = reference(q, q, v)
    kept = first.weights != 0
    np.testing.assert_allclose(first.weights[kept], 2 * plain[kept], rtol=1e-3, atol=1e-6)
    # 131,072 draws: the share of dropped weights is 0.5 within five standard deviations
    assert abs(kept.mean() - 0.5) < 5 * 0.5 / np.sqrt(kept.size)


@pytest.mark.parametrize("causal", [False, True])
def test_linear_attention(rng, causal):
    q, k, v = draw(rng, 2, 6, 4), draw(rng, 2, 6, 4), draw(rng, 2, 6, 3)

    def phi(x):
        return np.where(x >= 0, x + 1.0, np.exp(np.minimum(x, 0).astype(np.float64)))

    scores = phi(q) @ np.swapaxes(phi(k), -1, -2)
    if causal:
        scores = scores * np.tril(np.ones((6, 6)))
    expected = scores @ v / (scores.sum(-1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(fovea.linear_attention(q, k, v, causal=causal), expected, atol=1e-5)
    with pytest.raises(ValueError, match="feature_map"):
        fovea.linear_attention(q, k, v, feature_map="gelu")


def test_softmax(rng):
    x = draw(rng, 3, 4, 5)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(fovea.softmax(x, 1), e / e.sum(1, keepdims=True), atol=1e-6)


def test_statistics(rng):
    q, k = draw(rng, 2, 2, 9, 8), draw(rng, 2, 1, 9, 8)
    visible = np.tril(np.ones((9, 9), bool))
    _, w = reference(q, k, np.zeros((2, 1, 9, 1)), visible)
    found = fovea.attention_statistics(q, k, mask="causal", top_k=2, thumbnail=3)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(w > 0, w * np.log(w), 0).sum(-1)
    np.testing.assert_allclose(found.entropy, entropy, atol=1e-5)
    np.testing.assert_allclose(found.maximum, w.max(-1), atol=1e-5)
    np.testing.assert_array_equal(found.position, w.argmax(-1))
    np.testing.assert_allclose(found.diagonal, np.diagonal(w, axis1=-2, axis2=-1), atol=1e-5)
    np.testing.assert_allclose(found.received, w.sum(-2), atol=1e-5)
    np.testing.assert_allclose(found.thumbnail, w.reshape(2, 2, 3, 3, 3, 3).mean((3, 5)), atol=1e-5)
    np.testing.assert_allclose(found.top_weights, -np.sort(-w)[..., :2], atol=1e-5)
    np.testing.assert_allclose(found.means.entropy, entropy.mean(-1), atol=1e-5)
    assert found.visible[0, 0].tolist() == list(range(1, 10))
    crop = fovea.attention_crop(q, k, (2, 5), (1, 4), mask="causal")
    np.testing.assert_allclose(crop, w[..., 2:5, 1:4], atol=1e-5)


def test_measures_of_weights(rng):
    _, w = reference(draw(rng, 3, 5, 8), draw(rng, 3, 5, 8), np.zeros((3, 5, 1)))
    table = fovea.measure_weights(w.astype(np.float32), tokens=["[CLS]", "a", "b", "c", "[SEP]"])
    heads = table.heads()
    assert len(heads) == 3 and heads["head"] == [0, 1, 2]
    np.testing.assert_allclose(heads["entropy"], -(w * np.log(w)).sum(-1).mean(-1), atol=1e-5)
    np.testing.assert_allclose(heads["previous_token"], [np.diagonal(h, -1).mean() for h in w], atol=1e-5)
    np.testing.assert_allclose(heads["special_tokens"], w[..., [0, 4]].sum(-1).mean(-1), atol=1e-5)
    ordered = heads.sorted_by("entropy")["entropy"]
    assert ordered == sorted(ordered, reverse=True)
    assert "entropy" in repr(table) and "<table>" in table._repr_html_()
    definitions = fovea.measure_definitions()
    assert "ln" in definitions["entropy"].formula
    assert fovea.measure_definitions("zh")["entropy"].title != definitions["entropy"].title
    with pytest.raises(KeyError, match="columns"):
        table["nothing"]
    with pytest.raises(fovea.Error):
        fovea.measure_weights(np.full((2, 2), -1, np.float32))


def test_explain(rng):
    q, k, v = rng.standard_normal((2, 3)), rng.standard_normal((4, 3)), rng.standard_normal((4, 2))
    told = fovea.explain(q, k, v, tokens=["a", "<b>"])
    output, weights = reference(q, k, v)
    np.testing.assert_allclose(told["weights"], weights, atol=1e-14)  # double all the way
    np.testing.assert_allclose(told["output"], output, atol=1e-14)
    assert [step.name for step in told.steps][-1] == "output"
    html = told._repr_html_()
    assert "&lt;b&gt;" in html and "<b>" not in html.replace("<b>" + told.steps[0].title, "").replace("&lt;b&gt;", "").split("<th>")[1][:4]
    assert f"{weights[0, 0]:.4f}".rstrip("0") in html
    assert "softmax" in str(told)
    projected = fovea.explain(x=np.eye(3), w_v=np.full((3, 2), 2.0), lang="zh")
    np.testing.assert_allclose(projected["output"], 2.0)
    with pytest.raises(TypeError, match="x="):
        fovea.explain(q)
    with pytest.raises(fovea.Error):
        fovea.explain(q, k[:, :2], v)
    assert "i-love-ai" in fovea.example_ids()
    np.testing.assert_allclose(fovea.example("i-love-ai")["weights"].sum(1), 1)


def test_pictures(rng):
    import xml.etree.ElementTree as tree

    _, w = reference(draw(rng, 2, 4, 8), draw(rng, 2, 4, 8), np.zeros((2, 4, 1)))
    w = w.astype(np.float32)
    names = ["猫", "<sat>", "on", "mat"]
    for picture in (
        fovea.heatmap(w[0], names, title="one & two"),
        fovea.head_grid(w, names),
        fovea.lines(w, names),
        fovea.mask_picture("causal", 8),
    ):
        texts = "".join(tree.fromstring(picture._repr_svg_()).itertext())
        assert texts
    assert "猫" in fovea.heatmap(w[0], names).svg
    with pytest.raises(fovea.Error):
        fovea.heatmap(w[0], names[:3])
    assert fovea.heatmap(w[0], range=(0, 0.5)).svg != fovea.heatmap(w[0], range=(0, 1)).svg == fovea.heatmap(w[0], range="unit").svg
    with pytest.raises(ValueError, match="range"):
        fovea.heatmap(w[0], range="most")
    with pytest.raises(TypeError, match="range"):
        fovea.heatmap(w[0], range=0.5)


def test_pictures_are_saved_as_svg(tmp_path, rng):
    picture = fovea.mask_picture("causal", 4)
    picture.save(tmp_path / "mask.svg")
    assert (tmp_path / "mask.svg").read_text(encoding="utf-8") == picture.svg
    with pytest.raises(ValueError, match="svg"):
        picture.save(tmp_path / "mask.png")
