"""The samples whose maps a report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from ._data import Run, explained, predicted_classes
from ._keywords import split

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    #: Inputs, maps, targets, scores, and scores of the masked inputs of the samples of an explainer.
    Pictures = tuple[Array, Array, list[int] | None, list[float], list[float]]


def pictures(
    arguments: Mapping[str, Any], explainers: Mapping[str, Any], shown: Mapping[str, Sequence[int]], n_samples: int
) -> tuple[str, list[Pictures]]:
    """Return the layout of images, and some samples of each explainer with maps and scores.

    ``arguments`` are those of an evaluation without explainers, ``shown`` the samples of each
    explainer.
    """
    run = Run.from_keywords(**arguments, by_name=True)
    _check_n("inputs", run.array, n_samples)
    run.explainers = [(name, *explained(explainers[name], f"explainers[{name!r}]")) for name in shown]
    layout = run.read_layout
    if layout is None or not layout.startswith("channels"):
        raise ValueError("inputs: expected images, whose maps can be shown")
    given = None if run.targets is None else run.columns(n_samples)
    found = []
    for name, maps, explainer in run.explainers:
        rows = np.asarray(shown[name], dtype=np.int64)
        targets = _predicted(run, rows) if given is None else given[rows]
        called = f"explainers[{name!r}]"
        if maps is None:
            chosen = run.explainer(explainer, name, called)(np.array(run.array[rows], order="C"), targets, rows)
        else:
            read = run.maps(maps, called, name)
            _check_n(called, read, n_samples)
            chosen = read[rows]
        found.append(_scored(run, arguments, rows, chosen, targets))
    return layout, found


def _scored(run: Run, arguments: Mapping[str, Any], rows: Array, maps: Array, targets: Array) -> Pictures:
    """Return samples with their scores."""
    _, scoring, others = split(arguments)
    how = {**vars(scoring), "layout": run.read_layout, "framework": run.requested_framework, "explained_class": None}
    assert run.model_inputs is not None
    few = Run.from_keywords(**others, **how)
    is_class = targets.ndim == 1 and run.classes is not None
    few.inputs, few.targets = run.model_inputs.rows(rows), np.asarray(run.classes)[targets] if is_class else targets
    few.explainers = [("", maps, None)]
    base, masked = _native.attribution_scores(few.request(), None)
    x, maps = (np.ascontiguousarray(array, dtype=np.float32) for array in (run.array[rows], maps))
    return x, maps, targets.tolist() if targets.ndim == 1 else None, base.tolist(), masked.tolist()


def _predicted(run: Run, rows: Array) -> Array:
    """Return the class of the largest output of some samples."""
    function = run.function
    if function is None:
        raise ValueError("targets: needed where there is no model to predict them")
    return predicted_classes(lambda batch, at: function(batch, rows[at]), run.array[rows], run.batch_size)


def _check_n(what: str, values: Any, n_samples: int) -> None:
    if values is None or len(values) != n_samples:
        n = 0 if values is None else len(values)
        raise ValueError(f"{what}: expected the {n_samples} samples of the table, got {n}")
