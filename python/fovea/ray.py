"""Studies of many texts over a cluster of Ray: fovea.ray.study(dataset, "minilm").

Every batch becomes a study of its own, which the driver merges. Ray runs a batch again whose worker died, and hands
on each result once; so the merged study has the same bits as one made by a single process.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _study
from ._workers import Worker, merged


class Study(Worker):
    """A worker for `dataset.map_batches(fovea.ray.Study, fn_constructor_args=("minilm",), concurrency=4)`.

    The model is loaded once per worker. The column "study" of the result holds the bytes of one study per batch:
    merge(result).
    """

    def __init__(self, model: str, **options: Any) -> None:
        """options: column, length, similarity_rows, corpus and threads; threads as many as num_cpus says."""
        super().__init__(model, **options)
        self.load()

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        data = np.empty(1, dtype=object)
        data[0] = self.study([batch])
        return {"study": data}


def merge(dataset: Any) -> _study.Study:
    """The study of all batches of what map_batches(Study) gave; one batch at a time is in the driver's memory."""
    return merged(row["study"] for row in dataset.iter_rows())


def study(
    dataset: Any,
    model: str,
    *,
    workers: int = 2,
    batch_size: int = 256,
    threads: int = 1,
    worker: type[Study] = Study,
    **options: Any,
) -> _study.Study:
    """All of it, over `workers` workers of `threads` processors each; options as of Study, or of a class of your own
    that is derived from it. Ray starts a worker again that died."""
    parts = dataset.map_batches(
        worker,
        fn_constructor_args=(model,),
        fn_constructor_kwargs={"threads": threads, **options},
        batch_size=batch_size,
        concurrency=workers,
        num_cpus=threads,
    )
    return merge(parts)
