"""Studies of many texts over a cluster of Spark: fovea.spark.study(frame, "minilm").

Every partition becomes a study of its own, which the driver merges. Spark runs a partition again whose executor
died, and hands on each result once; so the merged study has the same bits as one made by a single process.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

from . import _study
from ._workers import Worker, check_column, merged


def partition_study(model: str, **options: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """For `frame.mapInPandas(partition_study("minilm"), "study binary")`: one row per partition with texts.

    options: column, length, similarity_rows, corpus and threads; threads as many as spark.task.cpus says.
    """
    worker = Worker(model, **options)

    def run(frames: Iterator[Any]) -> Iterator[Any]:
        import pandas

        study = worker.study(frames)
        if study is not None:
            yield pandas.DataFrame({"study": [study]})

    return run


def study(frame: Any, model: str, *, column: str = "text", **options: Any) -> _study.Study:
    """The study of a column of texts; options as of partition_study."""
    check_column(column, frame.columns)
    parts = frame.select(column).mapInPandas(partition_study(model, column=column, **options), "study binary")
    return merged(row["study"] for row in parts.toLocalIterator())
