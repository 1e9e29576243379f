"""What a model predicts, what it predicts when something is changed on the way, and which heads matter."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from . import _fovea
from ._pictures import Picture, heatmap
from ._run import Run

Positions = Union[None, int, str, Sequence[Union[int, str]]]


class TokenPrediction(NamedTuple):
    token: str
    id: int
    logit: float
    probability: float


class LogitMove(NamedTuple):
    token: str
    id: int
    before: float
    after: float


@dataclass(frozen=True)
class Prediction:
    """What is expected after a position (of masked-language models: there)."""

    position: int
    token: str  # that stands there
    top: list[TokenPrediction]  # the most likely first

    def __repr__(self) -> str:
        top = ", ".join(f"{each.token!r} {100 * each.probability:.1f} %" for each in self.top[:5])
        return f"<fovea.Prediction at {self.position} ({self.token!r}): {top}>"


def _prediction(fields: dict[str, Any]) -> Prediction:
    return Prediction(fields["position"], fields["token"], [TokenPrediction(*each) for each in fields["top"]])


@dataclass(frozen=True)
class WhatIf:
    """A run before and after a change; predictions of models with logits, one per position."""

    before: list[Prediction]
    after: list[Prediction]
    kl: list[float]  # how far the prediction moved, in nats
    moved: list[list[LogitMove]]  # the logits that moved most
    cosine: float  # of the text's vectors, before and after
    run_before: Run
    run_after: Run

    def __repr__(self) -> str:
        if not self.before:
            return f"<fovea.WhatIf: cosine {self.cosine:.4f}>"
        lines = [
            f"{old!r}\n  -> {new!r}, KL {kl:.4f} nats" for old, new, kl in zip(self.before, self.after, self.kl)
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not self.before:
            return f"<p>cosine of the text's vector before and after: {self.cosine:.4f}</p>"
        parts = []
        for old, new, kl in zip(self.before, self.after, self.kl):
            after = {each.id: each.probability for each in new.top}
            before = {each.id: each.probability for each in old.top}
            names = {each.id: each.token for each in [*new.top, *old.top]}
            share = lambda values, key: f"{100 * values[key]:.2f} %" if key in values else "–"  # noqa: E731
            rows = "".join(
                f"<tr><td>{escape(names[key])}</td><td>{share(before, key)}</td><td>{share(after, key)}</td></tr>"
                for key in dict.fromkeys([*before, *after])
            )
            parts.append(
                f"<p>after {escape(old.token)} ({old.position}); KL divergence {kl:.4f} nats</p>"
                f"<table><tr><th>token</th><th>before</th><th>after</th></tr>{rows}</table>"
            )
        return "".join(parts)


@dataclass(frozen=True)
class Sweep:
    """Every head, or every position, changed in turn: one number of each run."""

    metric: str
    over: str  # "heads" or "positions"
    base: float  # of the unchanged run
    values: Any  # float64 [L, H], or [L, N]
    tokens: list[str]

    @property
    def change(self) -> Any:
        """values less the base; divergence and cosine tell the change by themselves."""
        return self.values if self.metric in ("kl", "cosine") else self.values - self.base

    def most(self, count: int = 10) -> list[tuple[int, int, float]]:
        """(layer, head or position, change), the largest changes first. A small cosine is a large change."""
        import numpy

        size = numpy.abs(self.change if self.metric != "cosine" else 1 - self.values)
        places = numpy.argsort(-size, axis=None, kind="stable")[:count]
        return [(int(i), int(j), float(self.change[i, j])) for i, j in zip(*numpy.unravel_index(places, size.shape))]

    def plot(self, **options: Any) -> Picture:
        import numpy

        change = numpy.asarray(self.change, numpy.float32)
        layers = [f"L{i}" for i in range(change.shape[0])]
        columns = self.tokens if self.over == "positions" else [f"H{i}" for i in range(change.shape[1])]
        options.setdefault("title", f"{self.metric}, each of the {self.over} changed")
        if self.metric in ("kl", "cosine"):
            options.setdefault("range", "data")
        else:
            most = max(float(numpy.abs(change).max()), 1e-9)
            options.setdefault("range", (-most, most))
            options.setdefault("colormap", "RdBu")
        return heatmap(change, layers, columns, **options)

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def __repr__(self) -> str:
        return f"<fovea.Sweep of {self.metric} over {self.over}, {list(self.values.shape)}, base {self.base:.4f}>"


def _names(positions: Positions) -> list[str]:
    if positions is None:
        return []
    if isinstance(positions, (int, str)):
        return [str(positions)]
    return [str(each) for each in positions]


def _list(values: Union[str, Sequence[str]]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def predict(model: Any, texts: list[str], position: Positions, top: int) -> list[Prediction]:
    return [_prediction(each) for each in _fovea.predict(model._model, texts, _names(position), top)]


def whatif(
    model: Any,
    texts: list[str],
    ablate: Union[str, Sequence[str]],
    ablate_mean: Union[str, Sequence[str]],
    scale: Mapping[str, float],
    block: Union[str, Sequence[str]],
    patch: Union[str, Sequence[str]],
    patch_from: Union[str, Sequence[str]],
    position: Positions,
    top: int,
) -> WhatIf:
    changes = _fovea.Changes()
    changes.ablate, changes.ablate_mean = _list(ablate), _list(ablate_mean)
    changes.scale = [(heads, float(factor)) for heads, factor in scale.items()]
    changes.block, changes.patch, changes.patch_from = _list(block), _list(patch), _list(patch_from)
    if not any((changes.ablate, changes.ablate_mean, changes.scale, changes.block, changes.patch)):
        raise ValueError("nothing to change: give ablate, ablate_mean, scale, block or patch")
    if bool(changes.patch) != bool(changes.patch_from):
        raise ValueError("patch and patch_from go together: an activation, and the text it is taken from")
    found = _fovea.whatif(model._model, texts, changes, _names(position), top)
    return WhatIf(
        [_prediction(each) for each in found["before"]],
        [_prediction(each) for each in found["after"]],
        found["kl"],
        [[LogitMove(*each) for each in moved] for moved in found["moved"]],
        found["cosine"],
        Run(found["run_before"]),
        Run(found["run_after"]),
    )


def sweep(
    model: Any, texts: list[str], metric: Optional[str], over: str, ablate: str, kind: Optional[str],
    patch_from: Union[str, Sequence[str]], position: Positions,
) -> Sweep:
    if over not in ("heads", "positions"):
        raise ValueError(f'over: got {over!r}, expected "heads" or "positions"')
    if ablate not in ("zero", "mean"):
        raise ValueError(f'ablate: got {ablate!r}, expected "zero" or "mean"')
    if (over == "positions") != bool(patch_from):
        raise ValueError('over="positions" and patch_from go together: what is replaced comes from that text')
    if metric is None:
        metric = "kl" if model.config["has_logits"] else "cosine"
    if kind is None:
        kind = "encoder" if model.config["has_encoder"] else "decoder"
    base, values, tokens = _fovea.sweep(
        model._model, texts, metric, _names(position), kind, ablate == "mean", _list(patch_from)
    )
    return Sweep(metric, over, base, values, tokens)
