"""Attention: computed exactly, in O(n) memory, looked at, measured and explained.

    import fovea
    result = fovea.attention(q, k, v, mask="causal")       # NumPy in, NumPy out; torch in, torch out
    model = fovea.load("induction")                         # a name, or a folder of Hugging Face files
    run = model("one two three one two")                    # every head of every layer, O(n) memory
    run.weights(layer=0, head=1)                            # [N, M], computed now
    run.measures()                                          # a table of all heads
    with fovea.capture(model) as run: model(**inputs)       # a model of transformers; capture_sdpa: of torch

Letters: B batch, H heads, Hkv key/value heads, N queries, M keys, D key width, Dv value width.
Rows are queries, columns are keys. Shapes: [N, D], [B, N, D] (one head), [B, H, N, D], and one more
batch axis in front. All is computed in float32 on the CPU. help(fovea.capture) and help(fovea.capture_sdpa)
tell of what needs torch, and is imported when it is asked for.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._fovea import Bias, Error, Mask, alibi_slopes, instruction_set, set_thread_count, softmax, thread_count
from ._fovea import version as _version
from ._attention import (
    AttentionResult,
    AttentionStatistics,
    HeadMeans,
    attention,
    attention_crop,
    attention_statistics,
    linear_attention,
    scaled_dot_product_attention,
)
from ._bertviz import head_view, model_view
from ._explain import Explanation, example, example_ids, explain
from ._explorer import Explorer
from ._measures import Definition, Table, measure_definitions, measure_weights
from ._models import Generation, Model, load, model_names
from ._pictures import Picture, head_grid, heatmap, lines, mask_picture
from ._run import HeadView, Run, Similarity
from ._study import Study, StudyValue, study_measures
from ._whatif import Prediction, Sweep, WhatIf

__version__ = _version()
Error.__module__ = "fovea"
Error.__doc__ = "What is wrong with shapes, values, files and texts: what was got, and what was expected."


def __getattr__(name: str) -> _Any:
    """What needs torch is imported when it is asked for."""
    if name in ("capture", "capture_sdpa", "CapturedRun"):
        from . import _capture

        return getattr(_capture, name)
    raise AttributeError(f"module 'fovea' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "CapturedRun", "capture", "capture_sdpa"})


if _TYPE_CHECKING:
    from ._capture import CapturedRun, capture, capture_sdpa

__all__ = [
    "AttentionResult",
    "AttentionStatistics",
    "Bias",
    "Definition",
    "Error",
    "Explanation",
    "Explorer",
    "Generation",
    "HeadMeans",
    "HeadView",
    "Mask",
    "Model",
    "Picture",
    "Prediction",
    "Run",
    "Similarity",
    "Study",
    "StudyValue",
    "Sweep",
    "Table",
    "WhatIf",
    "alibi_slopes",
    "attention",
    "attention_crop",
    "attention_statistics",
    "example",
    "example_ids",
    "explain",
    "head_grid",
    "head_view",
    "heatmap",
    "instruction_set",
    "linear_attention",
    "lines",
    "load",
    "mask_picture",
    "measure_definitions",
    "measure_weights",
    "model_names",
    "model_view",
    "scaled_dot_product_attention",
    "set_thread_count",
    "softmax",
    "study_measures",
    "thread_count",
]
