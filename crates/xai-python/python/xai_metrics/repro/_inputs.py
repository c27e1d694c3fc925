"""Predictions of runs and true labels, as the kernels take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays

Labels = npt.NDArray[Any]


def runs_of(predictions: Any) -> Labels | list[Labels]:
    """Predictions as one array ``(k, n)``, or as one array ``(n,)`` a run.

    A table has a column a run, an array a row a run. Labels keep their types.
    """
    columns = _arrays.column_names(predictions)
    if columns is not None and getattr(predictions, "ndim", 2) == 2:
        repeated = next((column for column in columns if columns.count(column) > 1), None)
        if repeated is not None:
            raise ValueError(
                f"predictions: more than one column is called {str(repeated)!r}; rename all but one"
            )
        return [
            _arrays.classes(predictions[column], f"predictions[{str(column)!r}]")
            for column in columns
        ]
    if isinstance(predictions, (list, tuple)):
        return _of_sequence(predictions)
    if isinstance(predictions, Iterable) and not hasattr(predictions, "__len__"):
        return _of_sequence(list(predictions))
    array = _arrays.to_numpy(predictions, "predictions")
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim != 2:
        raise ValueError(
            f"predictions: expected runs and samples, (n_runs, n_samples), got shape {array.shape}"
        )
    return _arrays.classes(array, "predictions", 2)


def _of_sequence(runs: Sequence[Any]) -> list[Labels]:
    return [_arrays.classes(run, f"predictions[{i}]") for i, run in enumerate(runs)]


def coded(
    predictions: Any, labels: Any, classes: Any = None
) -> tuple[Labels | list[Labels], Any, Labels | None]:
    """Predictions and labels as integers, and the words that they stand for, if they were words.

    Labels come as ``int64``, or as ``None`` where there are none.
    """
    runs = runs_of(predictions)
    truth = None if labels is None else _arrays.classes(labels, "labels")
    parts = [*(runs if isinstance(runs, list) else [runs]), *([] if truth is None else [truth])]
    are_words = [part.dtype.kind in "SU" for part in parts if part.size]
    if classes is None and not any(are_words):
        if isinstance(runs, list):
            runs = [_arrays.in_place(run, f"predictions[{i}]") for i, run in enumerate(runs)]
        else:
            runs = _arrays.in_place(runs, "predictions")
        return (
            runs,
            None
            if truth is None
            else _arrays.in_place(truth, "labels").astype(np.int64, copy=False),
            None,
        )
    if not all(are_words) and classes is None:
        raise TypeError("labels and predictions: some are words and some are numbers")
    words = np.unique(np.concatenate([part.reshape(-1) for part in parts]))
    if classes is not None:
        known = _arrays.classes(classes, "classes")
        unknown = np.setdiff1d(words, known)
        if unknown.size:
            raise ValueError(f"predictions or labels: {unknown[0]!s} is not among the classes")
        words, order = known, np.argsort(known, kind="stable")
    else:
        order = np.arange(len(words))

    def code(part: Labels) -> npt.NDArray[np.int64]:
        return order[np.searchsorted(words, part, sorter=order)].astype(np.int64, copy=False)

    of_runs: Labels | list[Labels]
    of_runs = [code(run) for run in runs] if isinstance(runs, list) else code(runs)
    return of_runs, None if truth is None else code(truth), words


def stacked(runs: Labels | list[Labels]) -> Labels:
    """Runs as the rows of one array."""
    if not isinstance(runs, list):
        return runs
    if not runs:
        raise ValueError("predictions: no runs")
    lengths = {len(run) for run in runs}
    if len(lengths) > 1:
        raise ValueError(f"predictions: runs of different lengths, {sorted(lengths)}")
    return _arrays.in_place(np.stack(runs), "predictions")
