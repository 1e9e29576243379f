"""Models of transformers: queries, keys and values of each attention call, kept in O(n) memory."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Sequence

import torch

from . import _fovea
from ._attention import attention
from ._run import Run
from ._transformers_masks import RuleMask

NAME = "fovea"  # of our attention function and of our masks, among transformers' own


@dataclass
class Call:
    """One attention call of a module."""

    q: Any  # [B, H, N, D]
    k: Any  # [B, Hkv, M, D]; with sinks [B, Hkv, 1 + M, D]
    v: Any
    mask: Any
    bias: Any
    scale: Optional[float]
    softcap: float
    sinks: bool = False
    forward: int = 0  # which forward pass of the model it belongs to
    kind: str = ""


def _kept(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself, or a copy if it shows memory of more than itself, such as a cache that goes on to change."""
    tensor = tensor.detach()
    if tensor.untyped_storage().nbytes() > tensor.numel() * tensor.element_size():
        return tensor.clone(memory_format=torch.contiguous_format)
    return tensor


def _kept_call(call: Call) -> Call:
    bias = None if call.bias is None else call.bias.detach().float()
    return replace(call, q=_kept(call.q), k=_kept(call.k), v=_kept(call.v), bias=bias)


def _kind_of(name: str, module: Any, encoder_decoder: bool) -> str:
    lower = name.lower()
    if any(word in lower for word in ("encoder_attn", "crossattention", "cross_attn", "encdecattention", "cross_attention")):
        return "cross"
    if encoder_decoder:
        return "decoder" if "decoder" in lower.split(".") else "encoder"
    return "decoder" if getattr(module, "is_causal", False) else "encoder"


class CapturedRun(Run):
    """The run of the first forward pass; `passes` are all of them: with generate, the prompt, then each new token.

    It is filled when the `with` block ends.
    """

    def __init__(self) -> None:
        super().__init__(None)
        self.passes: list[Run] = []
        self.sinks = False  # key 0 is the sink that the model adds to the keys of every layer
        self._failure: Optional[str] = None

    def __getattribute__(self, name: str) -> Any:
        if name == "_run" and object.__getattribute__(self, "__dict__").get("_run") is None:
            raise RuntimeError(
                object.__getattribute__(self, "__dict__").get("_failure")
                or "the run is filled when the `with` block ends"
            )
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        if self.__dict__.get("_run") is None:
            return "<fovea.CapturedRun: empty until the with block ends>"
        return super().__repr__()


class _Recorder:
    """Calls in their order. generate() of an encoder-decoder model runs the encoder before the first forward pass."""

    def __init__(self, model: Any, compute: bool) -> None:
        self.compute = compute
        self.calls: list[Call] = []
        self.forwards = 0
        self.encoder_decoder = bool(getattr(getattr(model, "config", None), "is_encoder_decoder", False))
        self.names = {id(module): name for name, module in model.named_modules()} if model is not None else None

    @property
    def forward(self) -> int:
        return max(0, self.forwards - 1)

    def passes(self) -> list[list[Call]]:
        numbers = sorted({call.forward for call in self.calls})
        return [[call for call in self.calls if call.forward == number] for number in numbers]

    def watches(self, module: Any) -> bool:
        return self.names is None or id(module) in self.names

    def keep(self, module: Any, call: Call) -> None:
        name = self.names.get(id(module), "") if self.names else ""
        kind = _kind_of(name, module, self.encoder_decoder)
        self.calls.append(replace(call, forward=self.forward, kind=kind))


_active: list[_Recorder] = []  # the innermost last


def _with_sinks(call: Call, sinks: torch.Tensor) -> Call:
    """A sink is a key of its own before the others, with value 0 and a score that no query changes."""
    batch, kv_heads, keys, _ = call.k.shape
    heads, queries = call.q.shape[1:3]
    call.k = torch.cat([torch.zeros_like(call.k[:, :, :1]), call.k], dim=2)
    call.v = torch.cat([torch.zeros_like(call.v[:, :, :1]), call.v], dim=2)
    bias = torch.zeros(1, heads, 1, keys + 1)
    bias[0, :, 0, 0] = sinks.detach().float()
    call.bias = bias
    first = _fovea.Mask.lengths([1] * batch)
    rule = call.mask
    if isinstance(rule, RuleMask):
        call.mask = rule.moved(1) | first
    elif rule is not None:
        dense = rule if rule.dtype == torch.bool else rule > torch.finfo(rule.dtype).min / 2
        call.mask = torch.nn.functional.pad(dense.expand(batch, -1, queries, keys), (1, 0), value=True)
    call.sinks = True
    return call


def _engine_mask(mask: Any, keys: int) -> Any:
    """A rule where there is one; else the numbers or truth values of the model's own mask."""
    if mask is None or isinstance(mask, _fovea.Mask):
        return mask
    if isinstance(mask, RuleMask):
        return mask.rule
    mask = mask.detach()[..., :keys]
    return mask if mask.dtype == torch.bool else mask.float()


def _torch_forward(module: Any, query: Any, key: Any, value: Any, mask: Any, softcap: Any, sinks: Any, **options: Any) -> Any:
    """(output, weights) as torch computes them; None if neither transformers nor the model has a function for it."""
    dense = mask.dense() if isinstance(mask, RuleMask) else mask
    if not softcap and sinks is None:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        return sdpa_attention_forward(module, query, key, value, dense, **options)
    # torch's function has neither of them: the model's own attention, whose mask is added.
    eager = getattr(sys.modules.get(type(module).__module__), "eager_attention_forward", None)
    if eager is None:
        return None
    if dense is not None and dense.dtype == torch.bool:
        hidden = torch.finfo(query.dtype).min
        dense = torch.zeros(dense.shape, dtype=query.dtype).masked_fill(~dense, hidden)
    return eager(module, query, key, value, dense, softcap=softcap, **options)


def attention_forward(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: Any,
    dropout: float = 0.0,
    scaling: Optional[float] = None,
    is_causal: Optional[bool] = None,
    softcap: Optional[float] = None,
    position_bias: Any = None,
    s_aux: Any = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """What transformers calls for each attention; query [B, H, N, D], the result [B, N, H, Dv]."""
    if query.dtype == torch.float64:
        raise TypeError(f"{type(module).__name__} computes in float64, expected float32, float16 or bfloat16: model.float()")
    watching = [each for each in _active if each.watches(module)]  # captures may be nested: each keeps the call
    recorder = watching[-1] if watching else None
    mask = attention_mask
    if mask is None:
        causal = is_causal if is_causal is not None else getattr(module, "is_causal", False)
        # As torch's: with one query there is nothing to hide.
        mask = _fovea.Mask.causal("top_left") if causal and query.shape[2] > 1 else None
    call = Call(query, key, value, mask, position_bias, scaling, float(softcap or 0.0))
    if s_aux is not None:
        _with_sinks(call, s_aux)
    call.mask = _engine_mask(call.mask, call.k.shape[2])
    if watching:
        kept = _kept_call(call)
        for each in watching:
            each.keep(module, kept)
    if recorder is not None and not recorder.compute:
        found = _torch_forward(
            module, query, key, value, attention_mask, softcap, s_aux, dropout=dropout, scaling=scaling,
            is_causal=is_causal, position_bias=position_bias, **kwargs,
        )
        if found is not None:
            return found[0], None
    seed = int(torch.randint(0, 2**62, ()).item()) if dropout > 0 else 0
    output = attention(
        call.q, call.k, call.v, mask=call.mask, bias=call.bias, scale=call.scale, softcap=call.softcap,
        dropout=dropout, seed=seed,
    ).output
    return output.to(query.dtype).transpose(1, 2).contiguous(), None


def _register() -> None:
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface

    from ._transformers_masks import mask_interface

    AttentionInterface.register(NAME, attention_forward)
    AttentionMaskInterface.register(NAME, mask_interface)


def _configs(model: Any) -> list[Any]:
    """Every config of the model's parts, each once."""
    found: dict[int, Any] = {}
    for module in model.modules():
        config = getattr(module, "config", None)
        if hasattr(config, "_attn_implementation"):
            found.setdefault(id(config), config)
    for config in list(found.values()):
        for name in getattr(config, "sub_configs", {}) or {}:
            sub = getattr(config, name, None)
            if sub is not None:
                found.setdefault(id(sub), sub)
    return list(found.values())


def _patch_names(model: Any, tokens: int) -> list[str]:
    """Of a vision model: the place of each patch, after what comes before the patches."""
    config = getattr(model, "config", None)
    size, patch = getattr(config, "image_size", None), getattr(config, "patch_size", None)
    if not isinstance(size, int) or not isinstance(patch, int):
        return []
    side = size // patch
    extra = tokens - side * side
    if not 0 <= extra <= 8:
        return []
    front = ["[CLS]", *(f"[REG{i}]" for i in range(1, extra))][:extra]
    return front + [f"{row},{column}" for row in range(side) for column in range(side)]


class capture:
    """with fovea.capture(model, tokenizer) as run: model(**inputs)

    Keeps q, k, v, scale, mask (as a rule where there is one), bias, softcap and sinks of every attention
    layer of a transformers model, O(n) memory, and computes them by fovea's kernel; compute=False: torch
    computes, fovea watches. run is filled when the block ends; with generate, run.passes are the prompt and
    then each new token.

    tokenizer names the tokens; or tokens= does, names for every sequence or a list of them for each. Of
    several texts at once, generate's new tokens have no names (beams change places). Of a model with several
    towers, capture one of them: fovea.capture(model.vision_model). A model whose attention does not go through
    transformers' AttentionInterface is an error that names it.
    """

    def __init__(
        self, model: Any, tokenizer: Any = None, *, tokens: Sequence[Any] = (), compute: bool = True
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._tokens = list(tokens)
        self._compute = compute
        self._read: Optional[torch.Tensor] = None  # [B, M] what the encoder read
        self._known: list[Optional[torch.Tensor]] = []  # of each forward pass, [B, M]: what is read, and before it
        self._steps: list[int] = []  # and how many of them are new

    def __enter__(self) -> CapturedRun:
        model = self._model
        check: Optional[Callable[[], bool]] = getattr(type(model), "_can_set_attn_implementation", None)
        if check is None or not check():
            raise ValueError(
                f"{type(model).__name__} has an attention of its own, which does not go through transformers'"
                " AttentionInterface: it cannot be captured; fovea.capture_sdpa() watches torch's function instead"
            )
        _register()
        self._before = [(config, config._attn_implementation) for config in _configs(model)]
        for config, _ in self._before:
            config._attn_implementation_internal = NAME
        self._hooks = [model.register_forward_pre_hook(self._remember, with_kwargs=True)]
        encoder = model.get_encoder() if getattr(model.config, "is_encoder_decoder", False) else None
        if encoder is not None:  # generate runs it by itself; capture may be of it alone
            self._hooks.append(encoder.register_forward_pre_hook(self._remember_encoder, with_kwargs=True))
        self._recorder = _Recorder(model, self._compute)
        _active.append(self._recorder)
        self.run = CapturedRun()
        return self.run

    def _remember(self, model: Any, args: Any, kwargs: Any) -> None:
        """What this forward pass reads, after what is in its cache."""
        self._recorder.forwards += 1
        name = "decoder_input_ids" if self._recorder.encoder_decoder else "input_ids"
        ids = kwargs.get(name)
        if ids is None and args and name == "input_ids":
            ids = args[0]
        if not isinstance(ids, torch.Tensor) or ids.dim() != 2:
            self._known.append(None)
            self._steps.append(0)
            return
        self._steps.append(ids.shape[1])
        cache = kwargs.get("past_key_values")
        past = int(cache.get_seq_length()) if cache is not None else 0
        known: Optional[torch.Tensor] = ids.detach().clone()
        if past:
            before = self._known[-1] if self._known else None
            # Of several sequences the rows may have changed places, as beams do.
            fits = before is not None and before.shape[0] == ids.shape[0] == 1 and before.shape[1] >= past
            known = torch.cat([before[:, :past], ids], dim=1) if before is not None and fits else None
        self._known.append(known)

    def _remember_encoder(self, encoder: Any, args: Any, kwargs: Any) -> None:
        ids = kwargs.get("input_ids", args[0] if args else None)
        if self._read is None and isinstance(ids, torch.Tensor) and ids.dim() == 2 and not ids.is_floating_point():
            self._read = ids.detach().clone()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        _active.remove(self._recorder)
        for hook in self._hooks:
            hook.remove()
        for config, name in self._before:
            config._attn_implementation_internal = name
        if kind is None:
            self._fill()

    def _fill(self) -> None:
        name = type(self._model).__name__
        if not self._recorder.calls:
            self.run._failure = f"no attention of {name} was called within the block"
            raise RuntimeError(self.run._failure)
        fill(self.run, self._recorder, name)
        numbers = sorted({call.forward for call in self._recorder.calls})
        for number, run in zip(numbers, self.run.passes):
            for kind in run.kinds:
                self._name_tokens(run, kind, number)

    def _name_tokens(self, run: Run, kind: str, number: int) -> None:
        shape = run.shape(0, kind)
        if any(run.shape(layer, kind) != shape for layer in range(run.layers_of(kind))):
            return  # windows: each layer has keys of its own
        batch, _, n, m = shape
        extra = ["[sink]"] if self.run.sinks else []
        here = self._known[number] if number < len(self._known) else None
        new = here if here is not None and here.shape[1] >= n == self._steps[number] else None
        if self._recorder.encoder_decoder:
            side = {"encoder": (self._read, self._read), "decoder": (new, here), "cross": (new, self._read)}
        else:
            side = {"encoder": (new, new), "decoder": (new, here), "cross": (new, None)}
        queries = self._names(side[kind][0], batch, n, exactly=kind == "encoder")
        keys = self._names(side[kind][1], batch, m - len(extra), exactly=kind != "decoder")
        if queries and keys:
            run.set_tokens(queries, [extra + names for names in keys], kind)

    def _names(self, known: Optional[torch.Tensor], batch: int, count: int, *, exactly: bool) -> list[list[str]]:
        """Of each sequence, the names of its last `count` tokens; none if they are not known."""
        given = self._tokens if self._tokens and not isinstance(self._tokens[0], str) else [self._tokens] * batch
        if len(given) == batch and all(len(names) == count for names in given):
            return [list(names) for names in given]
        if self._tokenizer is not None and known is not None and known.shape[0] == batch:
            before = known.shape[1] - count
            if before == 0 or (before > 0 and not exactly):
                return [list(self._tokenizer.convert_ids_to_tokens(row.tolist())) for row in known[:, before:]]
        names = _patch_names(self._model, count)
        return [names] * batch if names else []


def fill(run: CapturedRun, recorder: _Recorder, model: str) -> None:
    """Makes runs of what was recorded. Layers are counted within their kind, in the order of the calls."""
    for calls in recorder.passes():
        layers: dict[str, int] = {}
        rows = []
        for call in calls:
            layer = layers.get(call.kind, 0)
            layers[call.kind] = layer + 1
            rows.append((call.kind, layer, call.q, call.k, call.v, call.mask, call.bias, call.scale, call.softcap))
        run.passes.append(Run(_fovea.Run.from_calls(model, rows)))
    run.sinks = any(call.sinks for call in recorder.calls)
    run._run = run.passes[0]._run


class capture_sdpa:
    """with fovea.capture_sdpa() as run: anything that calls torch.nn.functional.scaled_dot_product_attention

    Every call is a layer of the run, in order, with q, k, v, mask and scale kept in O(n) memory; torch
    computes, or fovea with compute=True.
    """

    def __init__(self, *, compute: bool = False) -> None:
        self._compute = compute

    def __enter__(self) -> CapturedRun:
        functional = torch.nn.functional
        self._before = functional.scaled_dot_product_attention
        self._recorder = _Recorder(None, self._compute)
        self.run = CapturedRun()
        functional.scaled_dot_product_attention = self._watched
        return self.run

    def _watched(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: Optional[float] = None,
        enable_gqa: bool = False,
    ) -> torch.Tensor:
        q, k, v = (each if each.dim() >= 4 else each.unsqueeze(-3) for each in (query, key, value))
        q, k, v = (each.reshape((-1,) + tuple(each.shape[-3:])) for each in (q, k, v))
        mask: Any = _fovea.Mask.causal("top_left") if is_causal else attn_mask
        if attn_mask is not None and attn_mask.dim() == 3:
            mask = attn_mask.unsqueeze(1 if query.dim() == 3 else 0)
        mask = _engine_mask(mask, k.shape[2])
        kind = "decoder" if is_causal else "encoder"
        self._recorder.calls.append(Call(_kept(q), _kept(k), _kept(v), mask, None, scale, 0.0, kind=kind))
        compute = self._before
        if self._compute:
            from ._torch import scaled_dot_product_attention as compute
        return compute(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        torch.nn.functional.scaled_dot_product_attention = self._before
        if kind is not None:
            return
        if not self._recorder.calls:
            self.run._failure = "scaled_dot_product_attention was not called within the block"
            raise RuntimeError(self.run._failure)
        fill(self.run, self._recorder, "")
