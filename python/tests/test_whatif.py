"""Predictions and interventions: against the logits that the model gives, and against changes made by hand."""

import numpy as np
import pytest

import fovea

TEXT = "old tree red moon big bird sing new song old tree"


@pytest.fixture(scope="module")
def model():
    return fovea.load("induction")


def test_predictions_are_the_softmax_of_the_logits(model):
    logits = model.outputs(TEXT)[0][0].astype(np.float64)
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    (last,) = model.predict(TEXT, top=3)
    assert last.position == 10 and last.token == "tree" and [each.token for each in last.top][0] == "red"
    assert [each.id for each in last.top] == np.argsort(-p[10])[:3].tolist()
    np.testing.assert_allclose([each.probability for each in last.top], np.sort(p[10])[::-1][:3], atol=1e-6)
    everywhere = model.predict(TEXT, position="all", top=1)
    assert [each.top[0].id for each in everywhere] == p.argmax(1).tolist()
    assert [each.position for each in model.predict(TEXT, position=["moon", 0], top=1)] == [3, 0]
    with pytest.raises(fovea.Error, match="nothing"):
        model.predict(TEXT, position="nothing")
    encoder = fovea.load("coreference")
    assert encoder.config["has_logits"] or encoder.vector("a").ndim == 1


def test_what_if(model):
    logits = model.outputs(TEXT)[0][0, -1].astype(np.float64)
    p = np.exp(logits - logits.max())
    p /= p.sum()
    changed = model.whatif(TEXT, ablate="L1H0", top=len(p))
    before, after = (np.zeros_like(p) for _ in range(2))
    for array, prediction in ((before, changed.before[0]), (after, changed.after[0])):
        for each in prediction.top:
            array[each.id] = each.probability
    np.testing.assert_allclose(before, p, atol=1e-6)
    np.testing.assert_allclose(changed.kl[0], (before * np.log(before / after)).sum(), rtol=1e-6)
    assert changed.before[0].top[0].token == "red" and changed.after[0].top[0].probability < 0.05
    # One head off changes no pattern of its own layer, and every one of a later layer may change.
    np.testing.assert_array_equal(changed.run_after.weights(1, 0), changed.run_before.weights(1, 0))
    first = model.whatif(TEXT, ablate="L0H3")
    assert np.abs(first.run_after.weights(1, 0) - first.run_before.weights(1, 0)).max() > 0.1
    assert model.whatif(TEXT, scale={"L1H0": 1.0}).kl[0] == 0
    np.testing.assert_allclose(model.whatif(TEXT, scale={"L1H0": 0.0}).kl, changed.kl, atol=1e-6)
    # A head's mean is neither nothing nor what it gave; a sweep of means is these changes one after the other.
    mean = model.whatif(TEXT, ablate_mean="L1H0", top=len(p))
    assert mean.kl[0] > 0.01 and abs(mean.kl[0] - changed.kl[0]) > 0.01
    np.testing.assert_allclose(model.sweep(TEXT, ablate="mean").values[1, 0], mean.kl[0], rtol=1e-4)
    blocked = model.whatif(TEXT, block="L1H*:*->red")
    assert (blocked.run_after.weights(1, 2)[3:, 2] == 0).all() and (blocked.run_before.weights(1, 2)[3:, 2] > 0).all()
    # The whole stream of another text makes it that text.
    other = TEXT.replace("red", "cold")
    patched = model.whatif(TEXT, patch="L0.resid_pre", patch_from=other, top=1)
    assert patched.after[0].top == model.predict(other, top=1)[0].top
    assert "KL" in repr(changed) and "<table>" in changed._repr_html_()
    for wrong, message in (
        (dict(), "nothing to change"),
        (dict(patch="L0.resid_pre"), "go together"),
        (dict(patch="L0.resid_pre", patch_from="one two"), "tokens"),
        (dict(ablate="L9H0"), "layer"),
        (dict(ablate="nonsense"), "nonsense"),
    ):
        with pytest.raises(ValueError, match=message):
            model.whatif(TEXT, **wrong)


def test_sweeps_are_single_changes_one_after_the_other(model):
    sweep = model.sweep(TEXT, metric="logit(red)")
    assert sweep.values.shape == (2, 4)
    top = {each.token: each for each in model.predict(TEXT, top=1000)[0].top}
    np.testing.assert_allclose(sweep.base, top["red"].logit, atol=1e-5)
    for layer, head, change in sweep.most(3):
        after = model.whatif(TEXT, ablate=f"L{layer}H{head}", top=1000).after[0].top
        (red,) = [each.logit for each in after if each.token == "red"]
        np.testing.assert_allclose(change, red - sweep.base, atol=1e-4)
    assert sweep.most(1)[0][:2] == (0, 3)
    kl = model.sweep(TEXT, over="positions", patch_from=TEXT.replace("red", "cold"))
    assert kl.values.shape == (2, 11) and kl.values[0, 2] > 1 and np.abs(kl.values[0, :2]).max() < 1e-6
    assert "L1" in sweep.plot().svg and "moon" in kl.plot().svg and sweep._repr_svg_().startswith("<")
    for wrong, message in (
        (dict(over="layers"), "over"),
        (dict(over="positions"), "patch_from"),
        (dict(ablate="most"), "ablate"),
        (dict(metric="loss"), "loss"),
        (dict(position="all"), "one position"),
    ):
        with pytest.raises(ValueError, match=message):
            model.sweep(TEXT, **wrong)
