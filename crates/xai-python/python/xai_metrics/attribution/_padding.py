"""Padded sequences of different lengths, whose padding is not a feature.

Samples with the same feature positions are evaluated together in a run over these positions
only. The model receives whole rows, in which the padding is unchanged.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import booleans, integers, to_numpy
from .._frameworks import outside
from ._keywords import SideInputs

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._inputs import Inputs

    Features = npt.NDArray[np.bool_]

#: Side inputs that are not supported for sequences with padding.
_NOT_PADDED = ("mosaic", "segments", "representation")

#: Largest number of samples for which trailing positions are tested.
_PROBED = 16


def attended_of(inputs: Inputs | None) -> Features | None:
    """Return the positions that the attention mask among the inputs covers, ``(n, positions)``; ``None``
    without such a mask.
    """
    mask = None if inputs is None else inputs.others.get("attention_mask")
    if inputs is None or mask is None or inputs.array.ndim != 2 or mask.shape != inputs.array.shape:
        return None
    return booleans(mask, "inputs['attention_mask']", 2)


def features_of(inputs: Inputs | None, n_features: Any, special_tokens: bool = False) -> Features | None:
    """Return a boolean mask of the features of each sample, ``(n, positions)``; ``None`` if all
    positions are features.

    These are the first ``n_features`` positions of each sample, or else those in the attention
    mask among the inputs, without special tokens if the inputs have their mask, unless
    ``special_tokens`` count.
    """
    if inputs is None or inputs.array.ndim < 2:
        if n_features is not None:
            raise ValueError("n_features: needs inputs of samples and positions")
        return None
    n, size = inputs.array.shape[:2]
    if n_features is not None:
        counts = integers(n_features, "n_features", 1)
        if counts.shape != (n,):
            raise ValueError(f"n_features: expected one number for each of {n} samples, got shape {counts.shape}")
        if counts.size and not 1 <= counts.min() <= counts.max() <= size:
            raise ValueError(f"n_features: expected numbers from 1 to {size}, got {counts.min()} to {counts.max()}")
        features: Features = np.arange(size) < counts[:, None]
    else:
        attended = attended_of(inputs)
        features = np.ones((n, size), dtype=bool) if attended is None else attended
    of = "n_features" if n_features is not None else "inputs['attention_mask']"
    if inputs.special is not None and not special_tokens:
        features, of = features & ~inputs.special, f"{of} and inputs['special_tokens_mask']"
    empty = ~features.any(axis=1)
    if empty.any():
        raise ValueError(f"{of}: sample {int(np.argmax(empty))} has no feature; leave it out")
    return None if features.all() else features


def spread(values: Any, name: str, features: Features, attended: Features | None) -> Any:
    """Return values of sequences of different lengths as an array ``(n, positions, …)``, 0 elsewhere.

    The values of a sample are those of its features, of the positions of the attention mask
    (special tokens included), or of all positions. Other values are returned unchanged.

    Examples
    --------
    >>> mask = np.array([[True, True, False], [True, True, True]])
    >>> spread([[1.0, 2.0], [3.0, 4.0, 5.0]], "maps", mask, None).tolist()
    [[1.0, 2.0, 0.0], [3.0, 4.0, 5.0]]
    """
    is_object = getattr(getattr(values, "dtype", None), "kind", "") == "O"
    if not (isinstance(values, (list, tuple)) or is_object) or len(values) != len(features):
        return values
    rows = [to_numpy(row, f"{name}[{sample}]") for sample, row in enumerate(values)]
    size = features.shape[1]
    if any(row.ndim == 0 for row in rows) or all(len(row) == size for row in rows):
        return values
    found = np.zeros((len(rows), size, *rows[0].shape[1:]), np.result_type(*rows))
    for sample, row in enumerate(rows):
        known = [features[sample], np.ones(size, dtype=bool)]
        known[1:1] = [] if attended is None else [attended[sample]]
        at = next((of for of in known if of.sum() == len(row)), None)
        if at is None:
            lengths = " or ".join(str(int(of.sum())) for of in known)
            raise ValueError(f"{name}[{sample}]: expected {lengths} values, one per feature or position, got {len(row)}")
        found[sample, at] = row
    return found


def obstacle(metric: Any) -> str | None:
    """Return why a metric cannot be computed for samples with padding, or ``None`` if it can."""
    info = metric.info
    if info.is_whole:
        return "relates all samples to each other, which have different features"
    if metric.arrays.get("draws") is not None:
        return "is given draws, which do not know the features of each sample"
    values = {p.name: metric.parameters.get(p.name, p.default) for p in info.parameters}
    if values.get("pooled"):
        return "judges the positions of all samples as one"
    if values.get("baseline") == "mean":
        return "has the mean of the data set as its baseline (give a token in its place)"
    return None


def groups(features: Features) -> Iterator[tuple[slice, npt.NDArray[np.int64]]]:
    """Iterate over runs of consecutive samples with the same features, and the positions of these.

    Examples
    --------
    >>> mask = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0]], dtype=bool)
    >>> [(samples.start, samples.stop, places.tolist()) for samples, places in groups(mask)]
    [(0, 2, [0, 1]), (2, 3, [0])]
    """
    starts = [0, *(1 + np.flatnonzero((features[1:] != features[:-1]).any(axis=1))).tolist(), len(features)]
    for start, stop in zip(starts, starts[1:]):
        if stop > start:
            yield slice(start, stop), np.flatnonzero(features[start])


def requests(request: dict[str, Any], features: Features) -> Iterator[dict[str, Any]]:
    """Return the native arguments of each group."""
    whole, sides = request["inputs"], request["sides"]
    n, size = features.shape

    def cut(array: Any, samples: slice, places: Any) -> Any:
        """Values of positions, of all samples or of one that stands for all."""
        if array is None:
            return None
        rows = array[samples] if len(array) == n else array
        axis = next((axis for axis in range(1, rows.ndim) if rows.shape[axis] == size), None)
        return rows if axis is None else np.ascontiguousarray(np.take(rows, places, axis=axis))

    for samples, places in groups(features):
        unlike = next((name for name in _NOT_PADDED if sides[name] is not None), None)
        if unlike is not None:
            raise ValueError(f"{unlike}: not for sequences with padding")
        arrays = [name for name in vars(SideInputs()) if name in sides and name not in _NOT_PADDED]
        yield {
            **request,
            "model": None if request["model"] is None else _on_whole_rows(request["model"], whole, samples.start, places),
            "of_samples": request["model"] is not None,
            "inputs": cut(whole, samples, places),
            "targets": None if request["targets"] is None else request["targets"][samples],
            "explainers": [(name, cut(maps, samples, places), None) for name, maps, _ in request["explainers"]],
            "sides": {
                **sides,
                **{name: cut(sides[name], samples, places) for name in arrays},
                "baseline": [cut(of, samples, places) for of in sides["baseline"] or []] or None,
            },
            "curves": False,
            "first_sample": request["first_sample"] + samples.start,
            "allow_batch_dependence": request["allow_batch_dependence"] or samples.start > 0,
        }


def _on_whole_rows(model: Callable[..., Any], whole: Any, first: int, places: Any) -> Callable[..., Any]:
    """Return a model of whole rows as a function of their feature positions only."""

    def outputs(batch: Any, samples: Any) -> Any:
        of_all = first + np.asarray(samples)
        rows = np.array(whole[of_all], order="C")
        rows[:, places] = batch
        return model(rows, of_all)

    return outputs


def warn_of_padding(array: Any, whole: Any, function: Callable[..., Any]) -> None:
    """Warn if tokens at the end never change the output, because they are probably undeclared
    padding.
    """
    if whole is None or array.ndim != 2 or array.shape[1] < 3 or not len(array):
        return
    last = array[:, -1:]
    # How many positions at the end have the last token.
    n_last = np.argmin(np.column_stack([array[:, ::-1] == last, np.zeros(len(array), bool)]), axis=1)
    padded = np.flatnonzero((n_last > 1) & (n_last < array.shape[1]))[:_PROBED]
    if not len(padded) or len(set(array[padded, -1].tolist())) > 1:
        return
    rows = np.array(array[padded], order="C")
    for row, n in zip(rows, n_last[padded]):
        row[-n:] = row[0] if row[0] != row[-1] else row[-n - 1]
    before, after = (function(item, padded) for item in (np.array(array[padded], order="C"), rows))
    if np.allclose(before, after, rtol=1e-6, atol=1e-9):
        warnings.warn(
            f"inputs: the last positions of {len(padded)} samples, such as the last {int(n_last[padded[0]])} of sample "
            f"{int(padded[0])}, change nothing, and count as features all the same; if they are padding, say how many features each "
            "sample has by n_features=, or give the attention mask: inputs={'input_ids': …, 'attention_mask': …}",
            stacklevel=outside(),
        )
