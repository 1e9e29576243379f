"""The ONNX project's own cases of its operator Attention (opsets 23 to 25): outputs, and scores or weights where a case has them."""

import warnings

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx: pip install onnx")

import fovea  # noqa: E402


def cases():
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case for case in collect_testcases("Attention") if len(case.model.graph.node) == 1]


def split_heads(x, heads):
    """[B, N, H·D] to [B, H, N, D]"""
    batch, n, width = x.shape
    return x.reshape(batch, n, heads, width // heads).transpose(0, 2, 1, 3)


def visible_pairs(attributes, n, m, past, lengths):
    """[B or 1, 1, N, M]: what position, windows and lengths of the operator leave."""
    offset = np.zeros(1, int) + past if lengths is None else lengths.astype(int) - n
    distance = (np.arange(n)[:, None] + offset[:, None, None]) - np.arange(m)  # [B, N, M]
    visible = np.ones(distance.shape, bool)
    if attributes.get("is_causal"):
        visible &= distance >= 0
    if attributes.get("left_window_size", -1) >= 0:
        visible &= distance <= attributes["left_window_size"]
    if attributes.get("right_window_size", -1) >= 0:
        visible &= -distance <= attributes["right_window_size"]
    if lengths is not None:
        visible &= np.arange(m) < lengths[:, None, None]
    return visible[:, None]


def attention(node, inputs):
    """(Y, qk_matmul_output) of the operator, by fovea."""
    attributes = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    named = dict(zip(("q", "k", "v", "mask", "past_k", "past_v", "lengths"), inputs))
    q, k, v = named["q"], named["k"], named["v"]
    flat = q.ndim == 3
    if flat:
        q = split_heads(q, attributes["q_num_heads"])
        k, v = (split_heads(each, attributes["kv_num_heads"]) for each in (k, v))
    past = 0
    if named.get("past_k") is not None:
        past = named["past_k"].shape[2]
        k, v = np.concatenate([named["past_k"], k], 2), np.concatenate([named["past_v"], v], 2)
    n, m = q.shape[2], k.shape[2]
    mask = fovea.Mask.dense(visible_pairs(attributes, n, m, past, named.get("lengths")))
    given = named.get("mask")
    if given is not None:
        short = m - given.shape[-1]
        hidden = False if given.dtype == bool else -np.inf
        given = np.pad(given, [(0, 0)] * (given.ndim - 1) + [(0, short)], constant_values=hidden)
        given = given.reshape((1,) * (4 - given.ndim) + given.shape)
        mask = mask & (fovea.Mask.dense(given) if given.dtype == bool else fovea.Mask.additive(given))
    scale, softcap = attributes.get("scale"), attributes.get("softcap", 0.0)
    result = fovea.attention(q, k, v, mask=mask, scale=scale, softcap=softcap, weights=True)
    output = result.output
    if flat:
        output = output.transpose(0, 2, 1, 3).reshape(output.shape[0], n, -1)
    mode = attributes.get("qk_matmul_output_mode", 0)
    if mode == 3:
        return output, result.weights
    # The scores before the softmax: 0 the products, 1 after the soft cap, 2 after the mask.
    result = fovea.attention(
        q, k, v, mask=mask if mode == 2 else None, scale=scale, softcap=softcap if mode > 0 else 0.0, weights=True, logsumexp=True
    )
    with np.errstate(divide="ignore"):
        return output, np.log(result.weights) + result.logsumexp[..., None]


def test_all_cases():
    compared, compared_scores = 0, 0
    for case in cases():
        node = case.model.graph.node[0]
        (inputs, expected), = case.data_sets
        given = iter(inputs)
        filled = [next(given) if name else None for name in node.input]
        output, scores = attention(node, filled)
        wanted = dict(zip([name for name in node.output if name], expected))
        # Cases in half precision round every step; fovea rounds once.
        coarse = {"float16": 4e-3, "bfloat16": 3e-2}.get(str(filled[0].dtype), 2e-5)
        np.testing.assert_allclose(
            output, wanted[node.output[0]].astype(np.float32), atol=coarse, rtol=coarse, err_msg=case.name
        )
        if len(node.output) > 3:
            np.testing.assert_allclose(
                scores, wanted[node.output[3]].astype(np.float32), atol=coarse, rtol=coarse, err_msg=case.name
            )
            compared_scores += 1
        compared += 1
    assert compared > 80 and compared_scores > 10
