"""What needs torch: gradients, and torch's own signature. Imported only where torch is."""

from __future__ import annotations

from typing import Any, Optional

import torch

from . import _fovea
from ._attention import AttentionResult, attention


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, bias, options):
        mask, fixed_bias, scale, softcap, dropout, seed, weights = options
        dense = fixed_bias if bias is None else _fovea.Bias.dense(bias.detach())
        output, used, logsumexp, kept = _fovea.attention_forward(
            q.detach(), k.detach(), v.detach(), mask, dense, scale, softcap, dropout, seed, weights
        )
        # The output is saved to have torch notice if it is changed in place; backward reads it in `kept`.
        ctx.save_for_backward(q, k, v, output)
        ctx.kept, ctx.dense, ctx.options = kept, dense, options
        others = tuple(each for each in (used, logsumexp) if each is not None)
        ctx.mark_non_differentiable(*others)
        return (output, used, logsumexp)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, doutput, *_):
        q, k, v, _ = ctx.saved_tensors
        mask, _, scale, softcap, dropout, seed, _ = ctx.options
        dq, dk, dv, dbias = _fovea.attention_backward(
            q.detach(), k.detach(), v.detach(), ctx.kept, doutput, mask, ctx.dense, scale, softcap, dropout, seed
        )
        dbias = dbias if ctx.needs_input_grad[3] else None
        return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), dbias, None


def attention_with_gradient(
    q, k, v, mask, bias, scale, softcap, dropout, seed, weights, logsumexp
) -> AttentionResult:
    tensor = bias if isinstance(bias, torch.Tensor) else None
    fixed = None if tensor is not None else bias
    output, used, sums = _Attention.apply(
        q, k, v, tensor, (mask, fixed, scale, softcap, dropout, seed, weights)
    )
    return AttentionResult(output, used, sums if logsumexp else None)


class _LinearAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, options):
        ctx.save_for_backward(q, k, v)
        ctx.options = options
        return _fovea.linear_attention(q.detach(), k.detach(), v.detach(), *options)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, doutput):
        q, k, v = (each.detach() for each in ctx.saved_tensors)
        dq, dk, dv = _fovea.linear_attention_backward(q, k, v, doutput, *ctx.options)
        return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), None


def linear_attention_with_gradient(q, k, v, feature_map, causal, epsilon) -> torch.Tensor:
    return _LinearAttention.apply(q, k, v, (feature_map, causal, epsilon))


def _with_axes(tensor: torch.Tensor, rank: int) -> torch.Tensor:
    """One more axis of 1 in front until there are `rank`."""
    return tensor.reshape((1,) * (rank - tensor.dim()) + tuple(tensor.shape)) if tensor.dim() < rank else tensor


def _batch_alike(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """The axes before the heads broadcast, as torch's do."""
    batch = torch.broadcast_shapes(*(tensor.shape[:-3] for tensor in tensors))
    return [tensor.expand(batch + tensor.shape[-3:]) for tensor in tensors]


def _four_axes(tensor: torch.Tensor) -> torch.Tensor:
    """[.., H, N, D] with all axes in front as one."""
    return tensor if tensor.dim() == 4 else tensor.reshape((-1,) + tuple(tensor.shape[-3:]))


def _is_plain(query: Any, key: Any, value: Any, attn_mask: Any, enable_gqa: bool) -> bool:
    """Is everything as attention() takes it: four axes, nothing to broadcast, no mask to learn?"""
    q, k, v = query.shape, key.shape, value.shape
    if not len(q) == len(k) == len(v) == 4 or not q[0] == k[0] == v[0] or (q[1] != k[1] and not enable_gqa):
        return False
    if k[1] != v[1]:
        return False
    return attn_mask is None or (attn_mask.dim() in (2, 4) and not attn_mask.requires_grad)


def _compute(
    query: Any, key: Any, value: Any, mask: Any, bias: Any, dropout_p: float, is_causal: bool, scale: Optional[float]
) -> torch.Tensor:
    """[B, H, L, Ev] in the type of query."""
    if is_causal:
        mask = _TOP_LEFT
    elif mask is not None and mask.dtype != torch.bool:
        mask = mask.float()
    # A seed of torch's generator, so that torch.manual_seed makes dropout repeat itself.
    seed = int(torch.randint(0, 2**62, ()).item()) if dropout_p > 0 else 0
    output = attention(query, key, value, mask=mask, bias=bias, scale=scale, dropout=dropout_p, seed=seed).output
    return output if query.dtype == torch.float32 else output.to(query.dtype)


_TOP_LEFT = _fovea.Mask.causal("top_left")


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: Optional[torch.Tensor] = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Optional[float] = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    if attn_mask is not None and is_causal:
        raise ValueError("attn_mask and is_causal: expected one of them, got both")
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise ValueError(
            f"query, key and value have {query.dim()}, {key.dim()} and {value.dim()} axes, expected at least 2"
        )
    if _is_plain(query, key, value, attn_mask, enable_gqa):
        return _compute(query, key, value, attn_mask, None, dropout_p, is_causal, scale)
    shape = query.shape
    # Without an axis of heads there is one head; [L, S] masks need none.
    headless = query.dim() < 4 and not (query.dim() == 3 and enable_gqa)
    if headless:
        query, key, value = (tensor.unsqueeze(-3) for tensor in (query, key, value))
        if attn_mask is not None and attn_mask.dim() > 2:
            attn_mask = attn_mask.unsqueeze(-3)
    rank = max(4, query.dim(), key.dim(), value.dim())
    query, key, value = _batch_alike(*(_with_axes(tensor, rank) for tensor in (query, key, value)))
    if not enable_gqa and (query.shape[-3] != key.shape[-3] or key.shape[-3] != value.shape[-3]):
        heads = max(tensor.shape[-3] for tensor in (query, key, value))
        if any(tensor.shape[-3] not in (1, heads) for tensor in (query, key, value)):
            raise ValueError(
                f"query has {query.shape[-3]} heads, key {key.shape[-3]}, value {value.shape[-3]}: expected as many,"
                " or enable_gqa=True"
            )
        query, key, value = (
            tensor.expand(tensor.shape[:-3] + (heads,) + tensor.shape[-2:]) for tensor in (query, key, value)
        )
    leading = query.shape[:-3]
    mask, bias = None, None
    if attn_mask is not None:
        added = _with_axes(attn_mask, rank)
        if rank > 4:
            added = added.expand(leading + added.shape[-3:])
        added = _four_axes(added)
        if added.dtype != torch.bool and added.requires_grad:
            bias = added.float()
        else:
            mask = added.detach()
    output = _compute(
        _four_axes(query), _four_axes(key), _four_axes(value), mask, bias, dropout_p, is_causal, scale
    )
    output = output.reshape(leading + tuple(output.shape[-3:]))
    if headless:
        output = output.squeeze(-3)
    if output.dim() > len(shape) and all(extent == 1 for extent in output.shape[: output.dim() - len(shape)]):
        output = output.reshape(output.shape[output.dim() - len(shape) :])
    return output
