"""Attention and what is known of it, for NumPy and torch."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from . import _fovea


class AttentionResult(NamedTuple):
    """What was not asked for is None."""

    output: Any  # [.., N, Dv]
    weights: Any = None  # [.., N, M], after dropout: the ones used
    logsumexp: Any = None  # [.., N], before dropout; -inf for a row that sees nothing


def _torch_of(*arrays: Any) -> Any:
    """The module torch, if one of the arrays is its tensor; None otherwise. Never imports it."""
    torch = sys.modules.get("torch")
    if torch is not None and any(isinstance(array, torch.Tensor) for array in arrays):
        return torch
    return None


def _wants_gradient(torch: Any, *arrays: Any) -> bool:
    return any(isinstance(array, torch.Tensor) and array.requires_grad for array in arrays)


def _rounded(array: Any, dtype: Any) -> Any:
    torch = _torch_of(array)
    if torch is not None:
        return array.to(getattr(torch, dtype) if isinstance(dtype, str) else dtype)
    import numpy

    return numpy.asarray(array).astype(dtype)


def _rounded_numbers(given: Any, dtype: Any) -> Any:
    """A mask or a bias of numbers, rounded; all others as they are."""
    torch = _torch_of(given)
    if torch is not None:
        return _rounded(given, dtype) if given.is_floating_point() else given
    return _rounded(given, dtype) if getattr(getattr(given, "dtype", None), "kind", "") == "f" else given


def _detached(array: Any) -> Any:
    torch = _torch_of(array)
    return array.detach() if torch is not None and array.requires_grad else array


def attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    mask: Any = None,
    bias: Any = None,
    scale: Optional[float] = None,
    softcap: float = 0.0,
    dropout: float = 0.0,
    seed: int = 0,
    weights: bool = False,
    logsumexp: bool = False,
    dtype: Any = None,
) -> AttentionResult:
    """softmax(q @ k.T * scale + bias + mask) @ v, without the N x M matrix unless weights=True.

    q [B, H, N, D], k [B, Hkv, M, D], v [B, Hkv, M, Dv], H a multiple of Hkv; also [N, D], [B, N, D]
    (one head), or one more batch axis in front. Any strides. float32, float16 or bfloat16; the result
    is float32.

    mask    a Mask, its expression ("causal & window(64)"), truth values (True: visible) or numbers
            that are added to the scores (-inf hides). A row that sees nothing gives zeros.
    bias    a Bias, or numbers that are added to the scores; torch tensors that require a gradient get one
    scale   what the scores are multiplied by; default 1 / sqrt(D)
    softcap c: scores s become c * tanh(s / c)
    dropout share of the weights dropped, from seed; kept ones are scaled by 1 / (1 - dropout)
    dtype   round q, k, v and numbers in mask and bias to this type first: "float32" for float64 ones

    torch tensors that require a gradient get one (with respect to q, k, v and a dense bias).
    """
    if dtype is not None:
        q, k, v = (_rounded(array, dtype) for array in (q, k, v))
        mask, bias = (_rounded_numbers(given, dtype) for given in (mask, bias))
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(q, torch.Tensor):
        if torch.is_grad_enabled() and _wants_gradient(torch, q, k, v, bias):
            from ._torch import attention_with_gradient

            return attention_with_gradient(q, k, v, mask, bias, scale, softcap, dropout, seed, weights, logsumexp)
    return AttentionResult._make(
        _fovea.attention(q, k, v, mask, bias, scale, softcap, dropout, seed, weights, logsumexp)
    )


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Optional[float] = None,
    enable_gqa: bool = False,
) -> Any:
    """torch.nn.functional.scaled_dot_product_attention, computed by fovea, differentiable.

    query [.., H, L, E], key [.., Hkv, S, E], value [.., Hkv, S, Ev]; the result has the type of query.
    attn_mask: truth values (True: takes part) or numbers that are added, of any shape that broadcasts to
    [.., L, S]. is_causal: query i sees keys 0..i. Dropout takes its seed from torch's generator.
    """
    from ._torch import scaled_dot_product_attention as compute

    return compute(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def linear_attention(
    q: Any,
    k: Any,
    v: Any,
    *,
    feature_map: str = "elu_plus_one",
    causal: bool = False,
    epsilon: float = 1e-6,
    dtype: Any = None,
) -> Any:
    """phi(Q) (phi(K).T V) / (phi(Q) . sum phi(K) + epsilon): time and memory grow with N + M.

    Shapes and dtype as of attention(). feature_map: "elu_plus_one", "relu", "exp" or "identity". Differentiable.
    """
    if dtype is not None:
        q, k, v = (_rounded(array, dtype) for array in (q, k, v))
    torch = _torch_of(q, k, v)
    if torch is not None and torch.is_grad_enabled() and _wants_gradient(torch, q, k, v):
        from ._torch import linear_attention_with_gradient

        return linear_attention_with_gradient(q, k, v, feature_map, causal, epsilon)
    return _fovea.linear_attention(q, k, v, feature_map, causal, epsilon)


@dataclass(frozen=True)
class HeadMeans:
    """Means over the rows that see something, one per head: [B, H], or [1] for q [N, D]."""

    entropy: Any
    maximum: Any
    diagonal: Any
    distance: Any
    visible: Any
    rows_seeing: Any  # how many rows have a weight > 0


@dataclass(frozen=True)
class AttentionStatistics:
    """What attention looks at, without the N x M matrix. Query i stands at position p = i + M - N."""

    entropy: Any  # [.., N] -sum w ln w, in nats
    maximum: Any  # [.., N] the largest weight
    position: Any  # [.., N] its key, the first of equals; -1: none
    diagonal: Any  # [.., N] the weight of key p
    distance: Any  # [.., N] sum w |j - p|
    logsumexp: Any  # [.., N]; None where weights are stored
    visible: Any  # [.., N] keys that the row may see
    received: Any  # [.., M] sum over the rows: attention each key receives
    thumbnail: Any  # [.., R, C] mean of each cell
    thumbnail_max: Any  # [.., R, C] maximum of each cell
    top_weights: Any  # [.., N, k] largest first
    top_keys: Any  # [.., N, k]
    means: HeadMeans

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> AttentionStatistics:
        return cls(**{**fields, "means": HeadMeans(**fields["means"])})


def attention_statistics(
    q: Any,
    k: Any,
    *,
    mask: Any = None,
    bias: Any = None,
    scale: Optional[float] = None,
    softcap: float = 0.0,
    thumbnail: int = 256,
    top_k: int = 0,
    dtype: Any = None,
) -> AttentionStatistics:
    """Entropy, largest weight, distance, attention received and more of every row, in O(N + M) memory.

    q [B, H, N, D], k [B, Hkv, M, D]; the options are those of attention(). thumbnail: at most so many
    cells a side, 0: none. top_k: the k largest weights of each row. Ctrl-C ends it.
    """
    if dtype is not None:
        q, k = _rounded(q, dtype), _rounded(k, dtype)
        mask, bias = (_rounded_numbers(given, dtype) for given in (mask, bias))
    fields = _fovea.attention_statistics(
        _detached(q), _detached(k), mask, bias, scale, softcap, thumbnail, top_k
    )
    return AttentionStatistics._of(fields)


def attention_crop(
    q: Any,
    k: Any,
    rows: tuple[int, int],
    keys: tuple[int, int],
    *,
    mask: Any = None,
    bias: Any = None,
    scale: Optional[float] = None,
    softcap: float = 0.0,
    dtype: Any = None,
) -> Any:
    """The weights of rows[0]..rows[1]-1 and keys[0]..keys[1]-1, as they stand in the whole matrix."""
    if dtype is not None:
        q, k = _rounded(q, dtype), _rounded(k, dtype)
        mask, bias = (_rounded_numbers(given, dtype) for given in (mask, bias))
    return _fovea.attention_crop(
        _detached(q), _detached(k), mask, bias, scale, softcap, rows[0], rows[1], keys[0], keys[1]
    )
