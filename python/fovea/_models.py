"""Our own models: BERT, GPT-2, Llama, T5 and BART from their published files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Mapping, Optional, Sequence, Union

from . import _fovea, _whatif
from ._run import Run

Weights = Literal["float32", "f32", "float16", "f16", "bfloat16", "bf16", "int8"]
Precision = Literal["float32", "f32", "bfloat16", "bf16"]


def _texts(text: str, second: Optional[str]) -> list[str]:
    return [text] if second is None else [text, second]


@dataclass(frozen=True)
class Generation:
    text: str  # what was written, without the prompt
    ids: list[int]
    ended: bool  # by a token that ends a text
    run: Run  # of the prompt and the new tokens


class Model:
    """A model with its tokenizer: model("The cat sat.") is a Run. Several threads may use one at once."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.config: dict[str, Any] = model.config()

    @property
    def name(self) -> str:
        return self.config["name"]

    def __call__(self, text: str, second: Optional[str] = None) -> Run:
        """Runs the model on a text, or a pair of texts; every attention call is kept, in O(n) memory.

        Of an encoder-decoder model the second text is what it is made to write.
        """
        texts = (text,) if second is None else (text, second)
        run, cut, read = self._model.read(list(texts))
        return self._run(run, texts, read, cut)

    def _run(self, made: Any, texts: tuple[str, ...], read: Any, cut: int = 0) -> Run:
        run = Run(made, cut)
        run._model_read = (self, texts, read)
        return run

    def outputs(self, text: str, second: Optional[str] = None) -> tuple[Any, Any]:
        """(logits [1, T, V] or None, hidden states [1, T, E]) of the text."""
        return self._model.outputs(_texts(text, second))

    def tokenize(self, text: str, second: Optional[str] = None) -> tuple[list[int], list[str]]:
        """(ids, tokens)"""
        return self._model.encode(_texts(text, second))

    def decode(self, ids: list[int]) -> str:
        return self._model.decode(ids)

    def generate(
        self,
        prompt: str,
        *,
        max_tokens: int = 50,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        beams: int = 1,
    ) -> Generation:
        """Continues the prompt (an encoder-decoder model: answers it). temperature 0: the most likely token."""
        text, ids, ended, run, read = self._model.generate(prompt, max_tokens, temperature, top_k, top_p, seed, beams)
        texts = (prompt, text) if len(run.kinds) > 1 else (prompt + text,)
        return Generation(text, ids, ended, self._run(run, texts, read))

    def predict(
        self, text: str, second: Optional[str] = None, *, position: _whatif.Positions = None, top: int = 10
    ) -> list[_whatif.Prediction]:
        """The most likely tokens: after the last one (of masked-language models: at every mask), or at `position`.

        position: a number, a token that occurs once, several of them, or "all". An encoder-decoder model reads
        the first text and predicts what comes after the second one, or its own first token.
        """
        return _whatif.predict(self, _texts(text, second), position, top)

    def vector(self, text: str) -> Any:
        """The mean of the last hidden states, float64 [E]: the vector of a text (MiniLM and its like)."""
        return _fovea.sentence_vector(self._model, [text])

    def whatif(
        self,
        text: str,
        second: Optional[str] = None,
        *,
        ablate: Union[str, Sequence[str]] = (),
        ablate_mean: Union[str, Sequence[str]] = (),
        scale: Mapping[str, float] = {},
        block: Union[str, Sequence[str]] = (),
        patch: Union[str, Sequence[str]] = (),
        patch_from: Union[str, Sequence[str]] = (),
        position: _whatif.Positions = None,
        top: int = 10,
    ) -> _whatif.WhatIf:
        """The run before and after a change; everything after the change is computed again.

        ablate       heads give nothing: "L2H3", "L4H*", ["L0H1", "L1H0"]; ablate_mean: their mean over the positions
        scale        what heads give is multiplied: {"L2H3": 0.5}
        block        queries do not see keys: "L3H*:sat->cat", "L1H0:*->2", by token or position
        patch        an activation is taken from the run of patch_from, as many tokens long: "L2.resid_post@5",
                     "L2H1.v@cat", or TransformerLens' names
        Of an encoder-decoder model, places begin with enc., dec. or cross.
        """
        return _whatif.whatif(
            self, _texts(text, second), ablate, ablate_mean, scale, block, patch, patch_from, position, top
        )

    def sweep(
        self,
        text: str,
        second: Optional[str] = None,
        *,
        metric: Optional[str] = None,
        over: str = "heads",
        ablate: str = "zero",
        kind: Optional[str] = None,
        patch_from: Union[str, Sequence[str]] = (),
        position: _whatif.Positions = None,
    ) -> _whatif.Sweep:
        """Every head ablated in turn, or every position of every layer patched from another text: who matters?

        metric: "kl" (default), "cosine" (default without logits), "logit( cat)", "logit( he) - logit( she)".
        Ctrl-C ends it.
        """
        return _whatif.sweep(self, _texts(text, second), metric, over, ablate, kind, patch_from, position)

    def __repr__(self) -> str:
        config = self.config
        kept = "" if config["weights"] == "float32" else f" in {config['weights']}"
        computed = "" if config["precision"] == "float32" else f", computed in {config['precision']}"
        return f"<fovea.Model {config['name']}: {config['family']}, {config['parameters']:,} parameters{kept}{computed}>"


def _folders() -> list[Path]:
    """Where models are looked for by name: those of the package, then those of `fovea model get`."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return [Path(__file__).parent / "models", Path(cache) / "fovea" / "models"]


def model_names() -> list[str]:
    """Names that load() knows on this machine."""
    names = {each.name for folder in _folders() if folder.is_dir() for each in folder.iterdir() if each.is_dir()}
    return sorted(names)


def load(name: str | os.PathLike[str], *, weights: Weights = "float32", precision: Precision = "float32") -> Model:
    """A model by its name (model_names()) or its folder: config.json, safetensors, tokenizer files.

    weights: how matrices and tables are kept in memory, whatever the file has: "float32", "float16" or "bfloat16"
    (half of it), "int8" with a scale per row (a quarter); computed in float32. Relative error of logits (TinyStories
    15M) at most 6e-4, 5e-3 and 2.5e-2.
    precision: "bf16" rounds the factors of all products to bfloat16 and sums in float32, with weights kept in
    bfloat16, at most 1e-2 off; slower than "float32" where the processor has no AMX. The names are those of the
    command's --weights and --precision; model.config has what was chosen.
    """
    text = os.fspath(name)
    for folder in [Path(text), *(each / text for each in _folders())]:
        if folder.is_dir():
            return Model(_fovea.TextModel.load(str(folder), weights, precision))
    known = ", ".join(model_names()) or "none"
    raise FileNotFoundError(
        f"{text!r} is no folder, and no model by that name is here (there are: {known}). "
        f"The command `fovea model get {text}` fetches those it knows."
    )
