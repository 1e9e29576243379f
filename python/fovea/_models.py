"""Our own models: BERT, GPT-2, Llama, T5 and BART from their published files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from . import _fovea
from ._run import Run


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
        return self._model.outputs([text] if second is None else [text, second])

    def tokenize(self, text: str, second: Optional[str] = None) -> tuple[list[int], list[str]]:
        """(ids, tokens)"""
        return self._model.encode([text] if second is None else [text, second])

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

    def __repr__(self) -> str:
        config = self.config
        return f"<fovea.Model {config['name']}: {config['family']}, {config['parameters']:,} parameters>"


def _folders() -> list[Path]:
    """Where models are looked for by name: those of the package, then those of `fovea model get`."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return [Path(__file__).parent / "models", Path(cache) / "fovea" / "models"]


def model_names() -> list[str]:
    """Names that load() knows on this machine."""
    names = {each.name for folder in _folders() if folder.is_dir() for each in folder.iterdir() if each.is_dir()}
    return sorted(names)


def load(name: str | os.PathLike[str]) -> Model:
    """A model by its name (model_names()) or its folder: config.json, safetensors, tokenizer files."""
    text = os.fspath(name)
    for folder in [Path(text), *(each / text for each in _folders())]:
        if folder.is_dir():
            return Model(_fovea.TextModel.load(str(folder)))
    known = ", ".join(model_names()) or "none"
    raise FileNotFoundError(
        f"{text!r} is no folder, and no model by that name is here (there are: {known}). "
        f"The command `fovea model get {text}` fetches those it knows."
    )
