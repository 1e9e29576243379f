"""head_view and model_view with the arguments of BertViz: one import changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, TypedDict

import numpy

from . import _fovea
from ._explorer import STORED_TOKENS, Explorer, link_to
from ._run import Run

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _layers(attention: Any, name: str, layers: Optional[Sequence[int]], heads: Optional[Sequence[int]]) -> list[Any]:
    """Each layer as float32 [H, N, M], of one sequence."""
    if hasattr(attention, "detach") or isinstance(attention, numpy.ndarray):
        attention = list(attention)
    found = []
    for index in range(len(attention)) if layers is None else layers:
        layer = attention[index]
        layer = layer.detach().float().cpu().numpy() if hasattr(layer, "detach") else numpy.asarray(layer, numpy.float32)
        if layer.ndim == 4 and layer.shape[0] == 1:
            layer = layer[0]
        if layer.ndim != 3:
            raise ValueError(
                f"{name}: layer {index} has shape {list(layer.shape)}, expected [1, heads, queries, keys] of one sequence"
            )
        found.append(layer if heads is None else layer[list(heads)])
    if not found:
        raise ValueError(f"{name}: got no layers")
    return found


def _causal(layers: list[Any]) -> bool:
    """No query looks at what follows it, in any layer: then that was hidden, not ignored."""
    n, m = layers[0].shape[-2:]
    return n == m and n > 1 and all(not numpy.triu(layer, 1).any() for layer in layers)


def _calls(kind: str, layers: list[Any]) -> list[Any]:
    """Weights of several kinds in one run: scores that are their logarithms."""
    rows = []
    for index, weights in enumerate(layers):
        heads, n, m = weights.shape
        with numpy.errstate(divide="ignore"):
            bias = numpy.log(weights)[None]
        q, k = numpy.zeros((1, heads, n, 1), numpy.float32), numpy.zeros((1, heads, m, 1), numpy.float32)
        mask = "causal" if kind == "decoder" and n == m else None
        rows.append((kind, index, q, k, k, mask, bias, 1.0, 0.0))
    return rows


def _pretty(tokens: Sequence[str], prettify: bool) -> list[str]:
    if not prettify:
        return list(tokens)
    return [token.replace("Ġ", " ").replace("▁", " ").replace("</w>", "").strip() or token for token in tokens]


class Given(TypedDict, total=False):
    """What head_view and model_view take alike, by name: BertViz's names."""

    encoder_attention: Any
    decoder_attention: Any
    cross_attention: Any
    encoder_tokens: Optional[Sequence[str]]
    decoder_tokens: Optional[Sequence[str]]
    include_layers: Optional[Sequence[int]]
    html_action: str


def _run_of(attention: Any, tokens: Any, prettify: bool, given: Given, heads: Optional[Sequence[int]] = None) -> Run:
    unknown = set(given) - set(Given.__annotations__)
    if unknown:
        raise TypeError(f"got unknown arguments {', '.join(sorted(unknown))}; by name there are {', '.join(Given.__annotations__)}")
    encoder, decoder, cross = given.get("encoder_attention"), given.get("decoder_attention"), given.get("cross_attention")
    layers = given.get("include_layers")
    if attention is not None:
        if encoder is not None or decoder is not None or cross is not None:
            raise ValueError("got attention and encoder_attention, decoder_attention or cross_attention; expected one or the other")
        if tokens is None:
            raise ValueError("attention needs tokens")
        found = _layers(attention, "attention", layers, heads)
        mask = "causal" if _causal(found) else None
        return Run.from_weights(numpy.stack(found)[:, None], _pretty(tokens, prettify), mask=mask)
    calls, named = [], {}
    sides = {"encoder": given.get("encoder_tokens"), "decoder": given.get("decoder_tokens")}
    for kind, values in (("encoder", encoder), ("decoder", decoder), ("cross", cross)):
        if values is None:
            continue
        calls += _calls(kind, _layers(values, f"{kind}_attention", layers, heads))
        queries, keys = sides["decoder" if kind == "cross" else kind], sides["decoder" if kind == "decoder" else "encoder"]
        if queries is None or keys is None:
            missing = "encoder_tokens" if sides["encoder"] is None else "decoder_tokens"
            raise ValueError(f"{kind}_attention needs {missing}")
        named[kind] = (_pretty(queries, prettify), _pretty(keys, prettify))
    if not calls:
        raise ValueError("expected attention, or encoder_attention, decoder_attention and cross_attention")
    run = Run(_fovea.Run.from_calls("", calls))
    for kind, (queries, keys) in named.items():
        run.set_tokens(queries, keys, kind)
    return run


def _shown(run: Run, given: Given, **start: Any) -> Any:
    """Displayed, where there is a notebook; else, or if asked for, returned."""
    html_action = given.get("html_action", "view")
    if html_action not in ("view", "return"):
        raise ValueError(f"html_action: got {html_action!r}, expected 'view' or 'return'")
    long = max(max(run.shape(0, kind)[2:]) for kind in run.kinds) > STORED_TOKENS
    shown = run.serve(**start) if long else run.explore(**start)
    if html_action == "view":
        try:
            from IPython import get_ipython
        except ImportError:
            return shown
        if get_ipython() is not None:
            from IPython.display import display

            display(shown)
            return None
    return shown


def head_view(
    attention: Any = None,
    tokens: Optional[Sequence[str]] = None,
    sentence_b_start: Optional[int] = None,
    prettify_tokens: bool = True,
    layer: Optional[int] = None,
    heads: Optional[Sequence[int]] = None,
    **given: Unpack[Given],
) -> Any:
    """Lines between tokens, per layer and head: BertViz's arguments, the explorer's page.

    attention: one array [1, H, N, M] per layer, as output_attentions=True gives it; layer and heads: what is
    shown first. Up to 512 tokens it is a page inside the notebook; longer ones are served while Python
    runs. sentence_b_start is taken and not needed: a separator among the tokens tells. By name:
    encoder_attention, decoder_attention and cross_attention with encoder_tokens and decoder_tokens, instead of
    attention and tokens; include_layers; html_action ("view", or "return" to display nothing).
    """
    run = _run_of(attention, tokens, prettify_tokens, given)
    included = given.get("include_layers")
    place = None if layer is None else (list(included).index(layer) if included else layer)
    return _shown(run, given, view="lines", layer=place, heads=list(heads or ()))


def model_view(
    attention: Any = None,
    tokens: Optional[Sequence[str]] = None,
    sentence_b_start: Optional[int] = None,
    prettify_tokens: bool = True,
    display_mode: str = "dark",
    *,
    include_heads: Optional[Sequence[int]] = None,
    **given: Unpack[Given],
) -> Any:
    """All heads of all layers at a glance: BertViz's arguments, the explorer's page.

    As head_view; include_heads: these heads alone. display_mode is taken and not needed: the page follows the
    system's light or dark.
    """
    return _shown(_run_of(attention, tokens, prettify_tokens, given, include_heads), given, view="grid")
