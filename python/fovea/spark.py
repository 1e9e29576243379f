"""Studies of many texts over a cluster of Spark: fovea.spark.study(frame, "minilm").

Every partition becomes a study of its own, which the driver merges. Spark runs a partition again whose executor
died, and hands on each result once; so the merged study has the same bits as one made by a single process.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, Iterator, Optional

from . import _fovea, _study
from ._models import Model, load


@lru_cache(maxsize=2)
def _loaded(model: str) -> Model:
    """Once per Python worker, which Spark uses again for the next partition."""
    return load(model)


def partition_study(
    model: str,
    *,
    column: str = "text",
    length: Optional[int] = None,
    similarity_rows: int = 2,
    corpus: str = "",
    threads: int = 1,
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """For `frame.mapInPandas(partition_study("minilm"), "study binary")`: one row per partition with texts."""

    def run(frames: Iterator[Any]) -> Iterator[Any]:
        import pandas

        whole: Optional[_study.Study] = None
        for frame in frames:
            if whole is None:
                _fovea.set_thread_count(threads)
                whole = _study.Study(_loaded(model), length=length, similarity_rows=similarity_rows, corpus=corpus)
            whole.add(_loaded(model), [str(text) for text in frame[column]])
        if whole is not None:
            yield pandas.DataFrame({"study": [whole.to_bytes()]})

    return run


def study(frame: Any, model: str, *, column: str = "text", **options: Any) -> _study.Study:
    """The study of a column of texts; `model` is a name or a folder that every executor sees."""
    if column not in frame.columns:
        raise _fovea.Error(f"[spark] no column {column!r} in the frame, it has {', '.join(frame.columns)}")
    parts = frame.select(column).mapInPandas(partition_study(model, column=column, **options), "study binary")
    return _study.merged(row["study"] for row in parts.toLocalIterator())
