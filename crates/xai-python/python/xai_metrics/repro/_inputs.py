"""Conversion of predictions and true labels for the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _labels
from .._alignment import Alignment

Labels = npt.NDArray[Any]


#: With this many samples and no prediction among the true labels, the labels are probably spelled
#: differently.
_ENOUGH = 10


class Runs(list[Labels]):
    """Labels of each run, ``(n,)``, and the order of the classes if the columns have ordered
    categories.
    """

    order: list[Any] | None = None
    #: True if the runs have different orders of categories, or some have none.
    has_several_orders = False


def columns_of_runs(predictions: Any, name: str, alignment: Alignment | None = None) -> list[Any] | None:
    """Return predictions run by run with their samples aligned; ``None`` for an array ``(k, n)``.

    A mapping has named runs, a table has a column per run, everything else a row per run.
    """
    alignment = Alignment() if alignment is None else alignment
    if isinstance(predictions, Mapping):
        return [alignment.take(run, f"{name}[{run_name!r}]", "samples") for run_name, run in predictions.items()]
    columns = _arrays.column_names(predictions)
    if columns is not None and getattr(predictions, "ndim", 2) == 2:
        repeated = next((column for column in columns if columns.count(column) > 1), None)
        if repeated is not None:
            raise ValueError(f"{name}: more than one column is called {str(repeated)!r}; rename all but one")
        table = alignment.take(predictions, name, "samples")
        return [table[column] for column in columns]
    if isinstance(predictions, Iterable) and not hasattr(predictions, "shape"):
        runs = list(predictions)
        if any(np.ndim(run) == 0 and not hasattr(run, "__len__") for run in runs) or isinstance(predictions, (str, bytes)):
            raise ValueError(
                f"{name}: expected runs and samples, (n_runs, n_samples), got one list; give one list of predictions per run"
            )
        return [alignment.take(run, f"{name}[{i}]", "samples") for i, run in enumerate(runs)]
    return None


def runs_of(predictions: Any, name: str = "predictions", alignment: Alignment | None = None) -> Labels | Runs:
    """Convert predictions to one array ``(k, n)``, or to one array ``(n,)`` per run.

    A table has a column per run, an array a row per run. Labels keep their types.
    """
    alignment = Alignment() if alignment is None else alignment
    columns = columns_of_runs(predictions, name, alignment)
    if columns is not None:
        names = keys_of_runs(predictions, len(columns))
        runs = Runs(_arrays.classes(run, f"{name}[{_called(value)}]") for value, run in zip(names, columns))
        orders = [_labels.order_of(run) for run in columns]
        runs.order = orders[0] if orders else None
        runs.has_several_orders = any(order != runs.order for order in orders)
        check_lengths(runs, names, name)
        return runs
    array = _arrays.to_numpy(alignment.take(predictions, name, None, "samples"), name)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim != 2:
        raise ValueError(f"{name}: expected runs and samples, (n_runs, n_samples), got shape {array.shape}")
    return _arrays.classes(array, name, 2)


def check_lengths(runs: Sequence[Labels], keys: Sequence[Any], name: str, n_labels: int | None = None) -> None:
    """Raise ``ValueError`` for a run with another number of samples than the first, or than the labels.

    Examples
    --------
    >>> check_lengths([np.zeros(2), np.zeros(3)], ["seed 1", "seed 2"], "predictions")
    Traceback (most recent call last):
    ValueError: predictions['seed 2']: expected 2 samples, as predictions['seed 1'], got 3
    """
    if not len(runs):
        return
    n, of = (len(runs[0]), f"{name}[{_called(keys[0])}]") if n_labels is None else (n_labels, "the labels")
    for key, run in zip(keys, runs):
        if len(run) != n:
            raise ValueError(f"{name}[{_called(key)}]: expected {n} samples, as {of}, got {len(run)}")


def keys_of_runs(predictions: Any, n_runs: int) -> Sequence[Any]:
    """Return the keys of a mapping, the names of the columns of a table, otherwise positions."""
    if isinstance(predictions, Mapping):
        return list(predictions)
    return _arrays.column_names(predictions) or range(n_runs)


def names_of_runs(predictions: Any) -> tuple[str, ...] | None:
    """Return the names of the runs of a mapping or of a table, or ``None`` if they are only numbered.

    Examples
    --------
    >>> names_of_runs({"seed 1": [0, 1], "seed 2": [1, 1]}), names_of_runs([[0, 1], [1, 1]])
    (('seed 1', 'seed 2'), None)
    """
    is_table = _arrays.column_names(predictions) is not None and getattr(predictions, "ndim", 2) == 2
    if not isinstance(predictions, Mapping) and not is_table:
        return None
    keys = list(keys_of_runs(predictions, 0))
    if keys == list(range(len(keys))):
        return None
    names = tuple(map(str, keys))
    repeated = next((run_name for run_name in names if names.count(run_name) > 1), None)
    if repeated is not None:
        raise ValueError(f"predictions: two runs are called {repeated!r}; rename one of them")
    return names


def _called(column: Any) -> str:
    return str(column) if isinstance(column, int) else repr(str(column))


def coded(
    predictions: Any, labels: Any, classes: Any = None, called: str = "classes"
) -> tuple[Labels | list[Labels], Any, Labels | None]:
    """Encode predictions and labels as integers; also returns the words that these stand for, if
    any.

    Labels become ``int64``, or ``None`` if not given. ``called`` is the name of the classes in
    error messages.
    """
    alignment = Alignment()
    runs = runs_of(predictions, alignment=alignment)
    truth = None if labels is None else _arrays.classes(alignment.take(labels, "labels", "samples"), "labels")
    if isinstance(runs, list):
        keys = keys_of_runs(predictions, len(runs))
        if truth is not None:
            check_lengths(runs, keys, "predictions", len(truth))
        named = named_runs(runs, keys, "predictions")
    else:
        named = {"predictions": runs}
    parts, truth, words = coded_parts(named, truth, classes, called)
    return parts if isinstance(runs, list) else parts[0], truth, words


def named_runs(runs: Labels | Sequence[Labels], keys: Sequence[Any], name: str) -> dict[str, Labels]:
    """Return runs by their names in error messages."""
    return {f"{name}[{_called(key)}]": run for key, run in zip(keys, runs)}


def coded_parts(
    named: Mapping[str, Labels], truth: Labels | None, classes: Any = None, called: str = "classes"
) -> tuple[list[Labels], Any, Labels | None]:
    """Encode predictions, by their names in error messages, and labels as :func:`coded` does."""
    sides = named if truth is None else {"labels": truth, **named}
    _labels.check_types(sides)
    are_words = any(_labels.kind_of(part) != "numbers" for part in sides.values() if part.size)
    if classes is None and not are_words:
        return (
            [_arrays.in_place(part, name) for name, part in named.items()],
            None if truth is None else _arrays.in_place(truth, "labels").astype(np.int64, copy=False),
            None,
        )
    words = np.unique(np.concatenate([part.reshape(-1) for part in sides.values()]))
    if are_words and classes is None and truth is not None and truth.size >= _ENOUGH:
        predicted = np.unique(np.concatenate([run.reshape(-1) for run in named.values()]))
        _labels.check_known(predicted.tolist(), np.unique(truth).tolist(), "predictions", "the true labels", any_is_enough=True)
    order = np.arange(len(words))
    if classes is not None:
        known = _arrays.classes(classes, called)
        _labels.check_types({called: known, **sides})
        name = "predictions" if truth is None else "predictions or labels"
        _labels.check_known(words.tolist(), known.tolist(), name, f"the {called}")
        words, order = known, np.argsort(known, kind="stable")

    def code(part: Labels) -> npt.NDArray[np.int64]:
        return order[np.searchsorted(words, part, sorter=order)].astype(np.int64, copy=False)

    return [code(part) for part in named.values()], None if truth is None else code(truth), words


def scale_of(categories: Any) -> Labels:
    """Validate a list of all classes in the order of a scale.

    Examples
    --------
    >>> scale_of(["low", "high"]).tolist()
    ['low', 'high']
    """
    scale = _arrays.classes(categories, "categories")
    twice = next((label for label in scale.tolist() if (scale == label).sum() > 1), None)
    if twice is not None:
        raise ValueError(f"categories: {twice!r} occurs twice; give each class once, in the order of the scale")
    return scale


def ordered(predictions: Any, scale: Labels | None = None) -> Labels:
    """Convert runs ``(k, n)`` of ordered classes to numbers, or positions in a scale or among
    ordered categories.

    Raises ``ValueError`` for words without an order, and for labels that are not on the scale.
    """
    runs = runs_of(predictions)
    parts = runs if isinstance(runs, list) else [runs]
    sides = {f"predictions[{i}]": part for i, part in enumerate(parts)}
    _labels.check_types(sides if scale is None else {"categories": scale, **sides})
    if scale is not None:
        for name, part in sides.items():
            _labels.check_known(np.unique(part).tolist(), scale.tolist(), name, "the categories")
    elif isinstance(runs, Runs) and runs.has_several_orders:
        raise ValueError(
            "predictions: the runs have ordered categories, but not the same in all; give all of them the same, "
            "`astype(pandas.CategoricalDtype(categories, ordered=True))`"
        )
    order = runs.order if isinstance(runs, Runs) else None
    if scale is not None:
        order = scale.tolist()
    if order is not None and not _are_ascending(order):
        place_of = {label: index for index, label in enumerate(order)}
        placed = [np.array([place_of[label] for label in part.reshape(-1).tolist()], dtype=np.int64) for part in parts]
        return stacked([value.reshape(part.shape) for value, part in zip(placed, parts)]) if isinstance(runs, list) else placed[0].reshape(runs.shape)
    words = [part for part in parts if part.size and _labels.kind_of(part) != "numbers"]
    if words:
        message = f"predictions: distances between classes need an order, and text such as {_labels.examples(words[0])} has none"
        if _labels.are_numbers_as_text(np.unique(np.concatenate([part.reshape(-1) for part in words])).tolist()):
            raise ValueError(f"{message}; these are numbers that are stored as text: convert them by `astype(int)`")
        raise ValueError(
            f'{message}; say it by categories=["low", …, "high"], or give ordered categories, '
            '`astype(pandas.CategoricalDtype(["low", …, "high"], ordered=True))`, numbers, or weights="identity"'
        )
    return stacked(_in_place(runs))


def _are_ascending(order: list[Any]) -> bool:
    """Return whether categories are ascending numbers, whose own distances are used."""
    are_numbers = all(isinstance(label, (int, float, np.number)) for label in order)
    return are_numbers and all(a < b for a, b in zip(order, order[1:]))


def _in_place(runs: Labels | list[Labels]) -> Labels | list[Labels]:
    if isinstance(runs, list):
        return [_arrays.in_place(run, f"predictions[{i}]") for i, run in enumerate(runs)]
    return _arrays.in_place(runs, "predictions")


def stacked(runs: Labels | list[Labels], name: str = "predictions") -> Labels:
    """Stack runs of one length as the rows of one array."""
    if not isinstance(runs, list):
        return runs
    if not runs:
        raise ValueError(f"{name}: no runs")
    rows = np.stack(runs)
    return _arrays.in_place(rows, name) if rows.dtype.kind in "iub" else rows
