"""Studies: what every head of a model does over many texts. The same bits in any order and in any parts."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterable, NamedTuple, Optional

from . import _fovea
from ._models import Model


class StudyValue(NamedTuple):
    rows: int
    mean: float
    deviation: float


class Study:
    """All measures of all heads over the texts that were added; the same file as `fovea study` writes.

    A text is measured alone and sums are exact, so that studies of parts of a corpus, merged, have the same bits
    as one of all of it, whatever the parts.
    """

    def __init__(self, model: Model, *, length: Optional[int] = None, similarity_rows: int = 2, corpus: str = "") -> None:
        """`length`: tokens read of each text, 128 or what the model takes; `corpus`: its name, for people."""
        if length is None:
            length = min(128, model.config["max_tokens"])
        self._study = _fovea.Study(model._model, length, similarity_rows, corpus)

    @classmethod
    def _of(cls, study: Any) -> Study:
        self = cls.__new__(cls)
        self._study = study
        return self

    def add(self, model: Model, texts: Iterable[str]) -> None:
        """Measures texts with the study's own model, several at a time on the threads there are."""
        self._study.add(model._model, list(texts))

    def merge(self, other: Study) -> None:
        """Adds a study of other texts, of the same model and options."""
        self._study.merge(other._study)

    def save(self, path: str | os.PathLike[str]) -> None:
        self._study.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Study:
        return cls._of(_fovea.Study.load(os.fspath(path)))

    def to_bytes(self) -> bytes:
        """The bytes of the file: equal for equal studies."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.safetensors")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    @classmethod
    def from_bytes(cls, data: bytes) -> Study:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.safetensors")
            with open(path, "wb") as file:
                file.write(data)
            return cls.load(path)

    @property
    def model(self) -> str:
        return self._study.model()

    @property
    def weights(self) -> str:
        """The type in which the model kept its weights: "float32", "float16", "bfloat16" or "int8"."""
        return self._study.weights()

    @property
    def precision(self) -> str:
        """Of the model's products: "float32" or "bfloat16"."""
        return self._study.precision()

    @property
    def layers(self) -> int:
        return self._study.layers()

    @property
    def heads(self) -> int:
        """Of each layer."""
        return self._study.heads()

    @property
    def counts(self) -> dict[str, int]:
        """Texts, tokens and what was cut, skipped or unknown."""
        return self._study.counts()

    def value(self, layer: int, head: int, measure: str = "entropy") -> StudyValue:
        """Mean and deviation of a measure over all tokens, and how many rows these are; measures: study_measures()."""
        if not (0 <= layer < self.layers and 0 <= head < self.heads):
            raise _fovea.Error(f"[study] no layer {layer} with head {head}: there are {self.layers} and {self.heads}")
        return StudyValue(*self._study.value(layer * self.heads + head, measure))


def study_measures() -> list[str]:
    """The measures that a study holds."""
    return _fovea.study_measures()
