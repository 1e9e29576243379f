"""What a worker of a cluster does, whichever engine runs it: the study of the texts that it is given."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Iterable, Optional

from . import _fovea, _study
from ._models import Model, load


@lru_cache(maxsize=2)
def _loaded(model: str) -> Model:
    """Once per process, which an engine uses again for its next task."""
    return load(model)


class Worker:
    """Small until it works: engines send it to their machines, where the model is loaded."""

    def __init__(
        self,
        model: str,
        *,
        column: str = "text",
        length: Optional[int] = None,
        similarity_rows: int = 2,
        corpus: str = "",
        threads: int = 1,
    ) -> None:
        """`model`: a name, or a folder that every machine sees; `column`: where the texts are; `threads`: as many
        as the engine grants, which counts them and enforces nothing; the others are those of fovea.Study."""
        self.model, self.column, self.threads = model, column, threads
        self.options: dict[str, Any] = {"length": length, "similarity_rows": similarity_rows, "corpus": corpus}

    def load(self) -> Model:
        return _loaded(self.model)

    def study(self, tables: Iterable[Any]) -> Optional[bytes]:
        """The bytes of one study of all tables (columns by name), or None where there are none."""
        whole: Optional[_study.Study] = None
        for table in tables:
            check_column(self.column, table)
            if whole is None:
                _fovea.set_thread_count(self.threads)
                whole = _study.Study(self.load(), **self.options)
            whole.add(self.load(), [str(text) for text in table[self.column]])
        return None if whole is None else whole.to_bytes()


def check_column(column: str, names: Iterable[str]) -> None:
    if column not in names:
        raise _fovea.Error(f"[study] no column {column!r} in the data, it has {', '.join(sorted(names))}")


def merged(parts: Iterable[bytes]) -> _study.Study:
    """One study of the bytes of several, as workers return them."""
    whole: Optional[_study.Study] = None
    for part in parts:
        study = _study.Study.from_bytes(bytes(part))
        if whole is None:
            whole = study
        else:
            whole.merge(study)
    if whole is None:
        raise _fovea.Error("[study] got no parts to merge: was the dataset empty?")
    return whole
