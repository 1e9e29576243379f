"""Studies of many texts over a cluster of Ray: fovea.ray.study(dataset, "minilm").

Every batch becomes a study of its own, which the driver merges. Ray runs a batch again whose worker died, and hands
on each result once; so the merged study has the same bits as one made by a single process.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _fovea, _study
from ._models import load


class Study:
    """A worker for `dataset.map_batches(fovea.ray.Study, fn_constructor_args=("minilm",), concurrency=4)`.

    The model is loaded once per worker, by its name or by a folder that every machine sees. The column "study" of
    the result holds the bytes of one study per batch: merge(result).
    """

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
        """`threads`: as many as num_cpus says, which Ray counts and does not enforce."""
        self._model = load(model)
        self._column, self._threads = column, threads
        self._options: dict[str, Any] = {"length": length, "similarity_rows": similarity_rows, "corpus": corpus}

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        if self._column not in batch:
            raise _fovea.Error(f"[ray] no column {self._column!r} in the dataset, it has {', '.join(sorted(batch))}")
        _fovea.set_thread_count(self._threads)
        study = _study.Study(self._model, **self._options)
        study.add(self._model, [str(text) for text in batch[self._column]])
        data = np.empty(1, dtype=object)
        data[0] = study.to_bytes()
        return {"study": data}


def merge(dataset: Any) -> _study.Study:
    """The study of all batches of what map_batches(Study) gave; one batch at a time is in the driver's memory."""
    return _study.merged(row["study"] for row in dataset.iter_rows())


def study(
    dataset: Any, model: str, *, workers: int = 2, batch_size: int = 256, threads: int = 1, **options: Any
) -> _study.Study:
    """All of it: the dataset's column of texts, over `workers` workers of `threads` processors each."""
    parts = dataset.map_batches(
        Study,
        fn_constructor_args=(model,),
        fn_constructor_kwargs={"threads": threads, **options},
        batch_size=batch_size,
        concurrency=workers,
        num_cpus=threads,
    )
    return merge(parts)
