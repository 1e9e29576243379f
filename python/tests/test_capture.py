"""Models of transformers: what was captured against eager attention's own weights."""

import os

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install torch")
transformers = pytest.importorskip("transformers", reason="needs transformers: pip install transformers")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from tiny_models import TINY, make  # noqa: E402

import fovea  # noqa: E402


def weights_of(run, kind, layer):
    """[B, H, N, M] of a captured layer, without the sink."""
    batch, heads, _, _ = run.shape(layer, kind)
    rows = [[torch.from_numpy(run.weights(layer, h, kind=kind, batch=b)) for h in range(heads)] for b in range(batch)]
    return torch.stack([torch.stack(each) for each in rows])[..., 1 if getattr(run, "sinks", False) else 0 :]


def eager(model, inputs):
    model.set_attn_implementation("eager")
    with torch.no_grad():
        return model(**inputs, output_attentions=True)


def compare(model, inputs):
    """The captured run after everything agreed with eager attention."""
    expected = eager(model, inputs)
    model.set_attn_implementation("sdpa" if model._supports_sdpa else "eager")
    before = model.config._attn_implementation
    with torch.no_grad(), fovea.capture(model) as run:
        found = model(**inputs)
    assert model.config._attn_implementation == before
    torch.testing.assert_close(found[0], expected[0], atol=1e-4, rtol=0)
    known = {
        "encoder": ["encoder_attentions", "attentions"],
        "decoder": ["decoder_attentions", "attentions"],
        "cross": ["cross_attentions"],
    }
    compared = 0
    for kind in run.kinds:
        theirs = next((expected.get(name) for name in known[kind] if expected.get(name) is not None), None)
        assert theirs is not None and len(theirs) == run.layers_of(kind)
        for layer, weights in enumerate(theirs):
            torch.testing.assert_close(weights_of(run, kind, layer), weights, atol=2e-5, rtol=0)
            compared += 1
    assert compared > 0
    return run


@pytest.mark.parametrize("name", TINY)
def test_weights_and_outputs_are_those_of_eager_attention(name):
    model, inputs = make(name)
    compare(model, inputs)


def test_masks_are_kept_as_rules(tmp_path):
    """A run with a mask of N x M truth values cannot be saved: one that can has a rule."""
    model, inputs = make("mistral")
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    inputs["attention_mask"][1, :3] = 0
    with torch.no_grad(), fovea.capture(model) as run:
        model(**inputs)
    run.save(tmp_path / "run.safetensors")
    again = fovea.Run.load(tmp_path / "run.safetensors")
    visible = again.mask(0, 0, batch=1).to_numpy(9)
    assert visible[8].tolist() == [False] * 5 + [True] * 4  # the window of 4
    assert visible[4].tolist() == [False] * 3 + [True] * 2 + [False] * 4  # padding and causality
    assert (again.weights(1, 2, batch=1) == run.weights(1, 2, batch=1)).all()


def test_padded_batches():
    model, inputs = make("bert")
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    inputs["attention_mask"][1, 5:] = 0
    run = compare(model, inputs)
    assert run.weights(0, 0, batch=1)[:, 5:].max() == 0


def test_generate_prompt_and_each_new_token():
    model, inputs = make("llama")
    ids = inputs["input_ids"][:1]
    plain = model.generate(ids, max_new_tokens=4, do_sample=False, pad_token_id=0)
    with fovea.capture(model) as run:
        captured = model.generate(ids, max_new_tokens=4, do_sample=False, pad_token_id=0)
    assert torch.equal(plain, captured)
    n = ids.shape[1]
    assert [each.shape()[2:] for each in run.passes] == [(n, n)] + [(1, n + i) for i in range(1, 4)]
    whole = eager(model, {"input_ids": captured[:, : n + 3]}).attentions
    for i, each in enumerate(run.passes[1:]):
        row = torch.from_numpy(each.weights(1, 2))[0]
        torch.testing.assert_close(row, whole[1][0, 2, n + i, : n + i + 1], atol=2e-5, rtol=0)


class Names:
    """A tokenizer as capture asks it."""

    def convert_ids_to_tokens(self, ids):
        return [f"t{i}" for i in ids]


def test_tokens_of_each_sequence_of_a_batch(tmp_path):
    model, inputs = make("bert")
    expected = [[f"t{i}" for i in row.tolist()] for row in inputs["input_ids"]]
    assert expected[0] != expected[1]
    with torch.no_grad(), fovea.capture(model, Names()) as run:
        model(**inputs)
    assert [run.query_tokens(batch=b) for b in (0, 1)] == expected == [run.key_tokens(batch=b) for b in (0, 1)]
    run.save(tmp_path / "run.safetensors")
    assert fovea.Run.load(tmp_path / "run.safetensors").query_tokens(batch=1) == expected[1]
    with torch.no_grad(), fovea.capture(model, tokens=expected[::-1]) as run:
        model(**inputs)
    assert run.query_tokens(batch=0) == expected[1]
    with pytest.raises(fovea.Error, match="tokens of 3 sequences, expected 2"):
        run.set_tokens([*expected, expected[0]])
    with pytest.raises(fovea.Error, match="got 1 token, expected 9"):
        run.set_tokens([expected[0], ["one"]])
    model, inputs = make("bart")
    with torch.no_grad(), fovea.capture(model, Names()) as run:
        model(**inputs)
    for b in (0, 1):
        read, said = ([f"t{i}" for i in inputs[name][b].tolist()] for name in ("input_ids", "decoder_input_ids"))
        assert run.query_tokens("encoder", b) == read == run.key_tokens("cross", b)
        assert run.query_tokens("decoder", b) == said == run.query_tokens("cross", b)


@pytest.mark.parametrize("name", ["llama", "gpt_oss", "bart", "t5"])
def test_new_tokens_of_generate_have_names(name):
    model, inputs = make(name)
    ids = inputs["input_ids"][:1]
    with fovea.capture(model, Names()) as run:
        made = model.generate(ids, max_new_tokens=4, min_new_tokens=4, do_sample=False, pad_token_id=0)
    names = [f"t{i}" for i in made[0].tolist()]
    own = [each for each in run.passes if "decoder" in each.kinds]
    begin = own[0].shape(0, "decoder")[2]
    for i, each in enumerate(own):
        keys = each.key_tokens("decoder")
        if name == "gpt_oss" and i > 0:  # a window in every second layer: no keys that are those of all
            assert keys == []
            continue
        assert each.query_tokens("decoder") == (names[:begin] if i == 0 else [names[begin + i - 1]])
        assert keys == ["[sink]"] * run.sinks + names[: begin + i]
        if "cross" in each.kinds:
            assert each.key_tokens("cross") == [f"t{i}" for i in ids[0].tolist()]


def test_no_names_where_rows_change_places():
    model, inputs = make("llama")
    with fovea.capture(model, Names()) as run:
        model.generate(inputs["input_ids"], max_new_tokens=3, do_sample=False, num_beams=2, pad_token_id=0)
    assert run.passes[0].key_tokens(batch=3) and not run.passes[1].key_tokens()


@pytest.mark.parametrize("name", ["gemma2", "gpt_oss", "t5"])
def test_only_watching_soft_caps_sinks_and_biases(name, monkeypatch):
    """Nothing is computed by fovea while the model runs."""
    model, inputs = make(name)
    expected = eager(model, inputs)
    monkeypatch.setattr("fovea._capture.attention", None)
    with torch.no_grad(), fovea.capture(model, compute=False) as run:
        found = model(**inputs)
    torch.testing.assert_close(found[0], expected[0], atol=1e-4, rtol=0)
    theirs = expected.decoder_attentions if name == "t5" else expected.attentions
    torch.testing.assert_close(weights_of(run, "decoder", 1), theirs[1], atol=2e-5, rtol=0)


def test_a_model_in_double_is_told():
    model, inputs = make("gpt2")
    with pytest.raises(TypeError, match=r"float64.*model\.float\(\)"), fovea.capture(model):
        model.double()(**inputs)


def test_only_watching():
    model, inputs = make("gpt2")
    with torch.no_grad(), fovea.capture(model, compute=False) as run:
        found = model(**inputs)
    expected = eager(model, inputs)
    torch.testing.assert_close(found[0], expected[0], atol=1e-4, rtol=0)
    torch.testing.assert_close(weights_of(run, "decoder", 1), expected.attentions[1], atol=2e-5, rtol=0)


def test_nested_captures_both_keep_what_they_watch():
    model, inputs = make("t5")
    with torch.no_grad(), fovea.capture(model) as whole, fovea.capture(model, compute=False) as again:
        with fovea.capture(model.encoder) as part:
            model(**inputs)
    expected = eager(model, inputs)
    for run in (whole, again, part):
        torch.testing.assert_close(
            weights_of(run, "encoder", 1), expected.encoder_attentions[1], atol=2e-5, rtol=0
        )
    for run in (whole, again):
        torch.testing.assert_close(weights_of(run, "cross", 0), expected.cross_attentions[0], atol=2e-5, rtol=0)
    assert part.kinds == ["encoder"]


def test_gradients_flow_through_a_captured_model():
    model, inputs = make("llama")
    gradients = []
    for captured in (False, True):
        model.zero_grad()
        if captured:
            with fovea.capture(model):
                model(**inputs)[0].square().mean().backward()
        else:
            model(**inputs)[0].square().mean().backward()
        gradients.append(model.get_input_embeddings().weight.grad.clone())
    torch.testing.assert_close(gradients[1], gradients[0], atol=1e-5, rtol=1e-3)


def test_patches_have_their_place():
    model, inputs = make("vit")
    with torch.no_grad(), fovea.capture(model) as run:
        model(**inputs)
    assert run.tokens[:3] == ["[CLS]", "0,0", "0,1"]


def test_models_with_their_own_attention_are_told_by_name():
    model = torch.nn.Linear(2, 2)
    with pytest.raises(ValueError, match="Linear has an attention of its own"):
        fovea.capture(model).__enter__()


def test_an_empty_block_and_an_error_inside():
    model, inputs = make("gpt2")
    before = model.config._attn_implementation
    with pytest.raises(RuntimeError, match="no attention of GPT2"):
        with fovea.capture(model):
            pass
    with pytest.raises(ZeroDivisionError):
        with fovea.capture(model) as run:
            1 / 0
    assert model.config._attn_implementation == before
    with pytest.raises(RuntimeError, match="with"):
        run.tokens


@pytest.mark.parametrize("compute", [False, True])
def test_any_module_that_calls_sdpa(compute):
    torch.manual_seed(3)
    module = torch.nn.MultiheadAttention(16, 4, batch_first=True)
    x = torch.randn(2, 5, 16, requires_grad=True)
    expected, weights = module(x, x, x, average_attn_weights=False)
    with fovea.capture_sdpa(compute=compute) as run:
        found, _ = module(x, x, x, need_weights=False)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(weights_of(run, "encoder", 0), weights.detach(), atol=2e-5, rtol=0)
    with pytest.raises(RuntimeError, match="not called"):
        with fovea.capture_sdpa():
            pass
