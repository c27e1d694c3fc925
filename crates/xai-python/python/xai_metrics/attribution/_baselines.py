"""Baselines that are arrays: one row for all samples, or rows of background data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from .._arguments import seed_of, suggestion
from .._arrays import column_names, reals
from ._explanations import note
from ._inputs import Inputs
from ._layout import channels_axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from .._described import MetricInfo

    Array = npt.NDArray[Any]

_USES = ("random", "mean", "paired")


@dataclass(frozen=True, eq=False)
class Background:
    """Rows of background data as a baseline, for example of the training set.

    A value for ``baseline`` of :func:`evaluate`, of metrics and of the reference explainer
    ``"occlusion"``.

    Parameters
    ----------
    rows : array-like or table
        Rows ``(m, …)`` with the shape of the samples. The columns of a table are matched with those
        of the inputs by name, and may have words and dates that the inputs do not have.
    use : {"random", "mean", "paired"}
        ``"random"``: a random row for each sample, which all its removed features are taken from.
        ``"mean"``: the mean of the rows; of columns that are not numbers the most frequent value, of
        dates the median. ``"paired"``: row i for sample i.
    seed : int, optional
        Seed of the random rows, by default that of the evaluation. The row of a sample depends only
        on the seed and on the place of the sample in the data set.

    Raises
    ------
    ValueError
        For another ``use``.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.attribution import Background, Deletion
    >>> x, weights = np.array([[3.0, 1.0], [2.0, 4.0]]), np.array([1.0, 2.0])
    >>> background = np.array([[1.0, 0.0], [3.0, 2.0]])
    >>> deletion = Deletion(baseline=Background(background, "mean"))
    >>> deletion.evaluate(lambda x: x @ weights, x, None, x * weights).curve.scores.tolist() # the mean is (2, 1)
    [7.5, 4.0, 4.0]
    """

    rows: Any
    use: Literal["random", "mean", "paired"]
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.use not in _USES:
            expected = ", ".join(map(repr, _USES))
            raise ValueError(f"use: expected one of {expected}, got {self.use!r}{suggestion(self.use, _USES)}")
        if self.seed is not None:
            seed_of(self.seed)

    def __repr__(self) -> str:
        return f"Background(..., {self.use!r})"


class RunInterface(Protocol):
    """Part of the interface of a run that baselines use."""

    #: Place of the first sample in the data set.
    first_sample: int
    #: Seed of random background rows.
    seed: int
    #: Baseline of the reference explainer ``"occlusion"``.
    baseline: Any
    #: Values assumed for arguments that were not given.
    assumed: dict[str, str]
    #: Baselines that were converted, and their rows.
    baseline_rows: list[tuple[Any, Array]]

    @property
    def model_inputs(self) -> Inputs | None:
        """Inputs in the form that the model receives."""

    @property
    def read_layout(self) -> str | None:
        """Layout of the inputs."""

    def aligned(self, values: Any, name: str) -> Any:
        """Reorder values by their index to the order of the inputs."""

    def in_order(self, values: Any, name: str) -> Any:
        """Reorder the columns of a table to those of the run."""


class MetricInterface(Protocol):
    """Part of the interface of a metric that baselines use."""

    #: Parameters that differ from their defaults.
    parameters: dict[str, Any]
    #: Parameters as they were given.
    given: dict[str, Any]
    #: Parameters that are arrays or functions.
    arrays: dict[str, Any]

    @property
    def info(self) -> MetricInfo:
        """Description of the metric."""


def of_metric(metric: MetricInterface, run: RunInterface) -> Any:
    """Return the baseline of a metric: a value that the native part takes, or an array ``(n, …)`` or
    ``(1, …)``; ``None`` for a metric without one.
    """
    default = next((item.default for item in metric.info.parameters if item.name == "baseline"), None)
    given = metric.arrays.get("baseline", metric.parameters.get("baseline", default))
    inputs = run.model_inputs
    if given is None or inputs is None:
        return given
    is_number = isinstance(given, (int, float))
    if "baseline" not in metric.given and is_number:
        if inputs.table is not None:
            note(run.assumed, "baseline", f"{given}")
        elif inputs.has_named_tokens:
            _note_token(run, given)
    if "baseline" in metric.arrays:
        row = None if isinstance(given, Background) else run.in_order(given, "baseline")
        if getattr(row, "ndim", 0) == 1:
            # A number per channel, or one row of a table.
            numbers = reals(inputs.numbers(row, "baseline"), "baseline")
            is_row = inputs.table is not None and len(numbers) == len(inputs.table.names)
            return numbers[None] if is_row else numbers.tolist()
        return baseline_rows(given, run)
    if inputs.table is None or not inputs.has_codes:
        return given
    if given == "mean":
        return inputs.typical()
    if is_number:
        return _number_row(given, inputs)
    names = ", ".join(repr(str(name)) for name in [*inputs.table.coded, *inputs.table.unchanged_columns])
    raise ValueError(
        f"baseline: expected a number, 'mean', a row with the names of the columns or a Background, got {given!r}: the inputs "
        f"have columns that are not numbers, {names}"
    )


def of_explainer(given: Any, run: RunInterface) -> Array:
    """Return the baseline of a reference explainer, by default that of the run, ``(n, …)`` or ``(1, …)``.
    """
    inputs = run.model_inputs
    if inputs is None:
        raise ValueError("baseline: needs inputs")
    given = run.baseline if given is None else given
    if given is None:
        given = 0.0
        if inputs.has_named_tokens:
            _note_token(run, given)
    if isinstance(given, str):
        check_word(given)
        if given == "mean":
            return inputs.typical()
        raise ValueError(
            f"baseline: {given!r} is only supported by metrics; give the explainer a number, 'mean', a row or a Background"
        )
    if not callable(given) and not isinstance(given, Background):
        shape = inputs.array.shape
        row = run.in_order(given, "baseline")
        if np.ndim(row) == 0:
            return _number_row(float(reals(row, "baseline")), inputs)
        if np.ndim(row) == 1 and len(shape) > 2:
            axes = [1] * len(shape)
            axes[channels_axis(run.read_layout) if len(shape) == 4 else -1] = -1
            return np.broadcast_to(reals(row, "baseline").reshape(axes), (1, *shape[1:]))
    return baseline_rows(given, run)


def _note_token(run: RunInterface, token: float) -> None:
    """Note which token replaces removed ones where none was given."""
    note(run.assumed, "baseline", f"{token:g}, the token id in the place of removed tokens")


def check_word(baseline: Any) -> None:
    """Raise ``ValueError`` for a token such as ``"[MASK]"``, which is given by its id.

    Examples
    --------
    >>> check_word("mean")
    >>> check_word("<mask>")
    Traceback (most recent call last):
    ValueError: baseline: '<mask>' is a token; give its id, such as tokenizer.mask_token_id
    """
    if isinstance(baseline, str) and re.fullmatch(r"[\[<][a-zA-Z_|].*[\]>]", baseline):
        raise ValueError(f"baseline: {baseline!r} is a token; give its id, such as tokenizer.mask_token_id")


def _number_row(number: float, inputs: Inputs) -> Array:
    """Return a row of one number, with the typical values of columns that are not numbers."""
    row = np.full((1, *inputs.array.shape[1:]), number, inputs.array.dtype)
    if inputs.table is not None:
        row[:, inputs.table.is_coded_column] = 0.0
    return row


def described_columns(baselines: Mapping[str, Any], inputs: Inputs | None) -> dict[str, str]:
    """Return what metrics replace each column of a table by, for a table whose columns are not all
    numbers; nothing for other inputs.

    ``baselines`` are those of the metrics by name, ``None`` for metrics without one.
    """
    if inputs is None or inputs.table is None or not inputs.has_codes:
        return {}
    metrics: dict[str, list[str]] = {}
    for name, baseline in baselines.items():
        if baseline is None:
            text = "where it changes inputs, columns that are not numbers take the value with the nearest code"
        else:
            text = inputs.table.described(baseline if len(baseline) == 1 else None)
        metrics.setdefault(text, []).append(name)
    return {
        "columns" if len(metrics) == 1 else f"columns ({', '.join(names)})": text for text, names in metrics.items()
    }


def baseline_rows(given: Any, run: RunInterface) -> Array:
    """Return the baseline of each sample, ``(n, …)``, or ``(1, …)`` for one that all samples share.

    Metrics and explainers of a run share a baseline, which may be a slow or random function.
    """
    known = next((rows for of, rows in run.baseline_rows if of is given), None)
    if known is None:
        known = _converted(given, run)
        run.baseline_rows.append((given, known))
    return known


def _converted(given: Any, run: RunInterface) -> Array:
    inputs = run.model_inputs
    if inputs is None:
        raise ValueError("baseline: needs inputs")
    array = inputs.array
    if isinstance(given, Background):
        return _background_rows(given, run, inputs)
    if callable(given):
        rows = _answered(given, array)
    else:
        if column_names(given) is not None and getattr(given, "ndim", 2) == 2 and len(given) not in (1, len(array)):
            # Before its values, of which some may be missing.
            raise ValueError(_wrong_shape((len(given), *array.shape[1:]), array.shape))
        if _has_samples(given, array):
            given = run.aligned(given, "baseline")
        rows = reals(inputs.numbers(run.in_order(given, "baseline"), "baseline"), "baseline")
        if rows.shape == array.shape and len(array) > 1:
            run.assumed["baseline"] = "row i of the array for sample i"
    rows = rows[None] if rows.shape == array.shape[1:] else rows
    if rows.shape in (array.shape, (1, *array.shape[1:])):
        return rows
    raise ValueError(_wrong_shape(rows.shape, array.shape))


def _answered(function: Any, array: Array) -> Array:
    """Return the answer of a baseline function, a number as one row."""
    rows: Array = reals(function(array), "baseline: the answer of the function")
    if rows.ndim == 0:
        return np.full((1, *array.shape[1:]), rows, rows.dtype)
    if rows.ndim == 1 and array.shape == (len(rows), len(rows)):
        n = len(rows)
        raise ValueError(
            f"baseline: the function answers {n} numbers, which may be one per sample or one per feature; return shape "
            f"(1, {n}), one row for all samples, or ({n}, {n}), a row for each"
        )
    return rows


def _background_rows(background: Background, run: RunInterface, inputs: Inputs) -> Array:
    name, shape = "baseline: rows of the background", inputs.array.shape
    rows = background.rows
    if background.use == "paired" and _has_samples(rows, inputs.array):
        rows = run.aligned(rows, name)
    rows = run.in_order(rows, name)
    if inputs.has_codes:
        if column_names(rows) is None or not hasattr(rows, "columns"):
            raise TypeError(f"{name}: expected a table with the columns of the inputs, some of which are not numbers")
        assert inputs.table is not None
        inputs.table.extend(rows, name)
    rows = reals(inputs.numbers(rows, name), name)
    if rows.shape[1:] != shape[1:] or not len(rows):
        raise ValueError(f"{name}: expected shape {_text('m', shape)} with at least one row, got {rows.shape}")
    missing = np.flatnonzero(~np.isfinite(rows.reshape(len(rows), -1)).all(axis=1))
    if len(missing):
        raise ValueError(f"{name}: row {missing[0]} has a value that is missing or infinite; fill it, or leave the row out")
    if background.use == "mean":
        return inputs.typical(rows)
    if background.use == "paired":
        if len(rows) != len(inputs.array):
            raise ValueError(f"{name}: expected {len(inputs.array)} paired rows, one per sample, got {len(rows)}")
        return rows
    seed = run.seed if background.seed is None else background.seed
    return np.asarray(rows[random_rows(len(inputs.array), len(rows), seed, run.first_sample)])


def _has_samples(rows: Any, array: Array) -> bool:
    """Return whether rows are one array or table with a row for each sample."""
    return getattr(rows, "ndim", 0) == array.ndim and len(rows) == len(array)


def random_rows(n_samples: int, n_rows: int, seed: int, first_sample: int = 0) -> npt.NDArray[np.int64]:
    """Return a random row for each sample, which depends only on the seed and on the place of the
    sample in the data set.

    Examples
    --------
    >>> random_rows(6, 10, seed=1).tolist()[4:] == random_rows(2, 10, seed=1, first_sample=4).tolist()
    True
    """
    bits = np.random.PCG64(seed).advance(first_sample)
    drawn: npt.NDArray[np.uint64] = bits.random_raw(n_samples)
    # The bias of the remainder is below n_rows / 2^64.
    return (drawn % np.uint64(n_rows)).astype(np.int64)


def _wrong_shape(shape: tuple[int, ...], inputs: tuple[int, ...]) -> str:
    row = _text("", inputs)
    if shape[1:] == inputs[1:]:
        return (
            f"baseline: an array of {shape[0]} rows may be background data, or a row for each sample; say which by "
            'Background(rows, "random") (a random row for each sample), Background(rows, "mean") or '
            'Background(rows, "paired") (row i for sample i)'
        )
    return (
        f"baseline: expected a number, a number per feature or channel, one sample {row} or {_text('1', inputs)}, a function "
        f"of the inputs, or Background(rows, use) with rows {_text('m', inputs)}; got shape {shape}"
    )


def _text(first: str, shape: tuple[int, ...]) -> str:
    sizes = [*([first] if first else []), *map(str, shape[1:])]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
