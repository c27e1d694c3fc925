"""Correspondence of given neighbours, and distances between rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._alignment import Alignment
from .._arguments import mapping, number, threads
from .._arrays import column_names, in_order_of, reals
from .._described import described
from .._labels import check_types
from ._fitting.choices import (
    LEVELS,
    check_covariance,
    split_covariance,
    split_weighting,
    weights_of,
)
from ._fitting.classes import objects_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from .._types import CorrespondenceParameters, Distance

__all__ = ["compute_correspondence", "distances"]


@described("casebased.correspondence")
def compute_correspondence(
    neighbors: Sequence[tuple[int, float, Any]],
    predicted_class: Any,
    distance_weighted: bool = True,
    class_weights: Mapping[Any, float] | None = None,
    **parameters: Unpack[CorrespondenceParameters],
) -> tuple[float, str]:
    """Compute how well the nearest training cases agree with a prediction.

    ::

        w_i = class_weight(y_i) / (d_i + 1)^3
        correspondence = sum of w_i with the predicted class / sum of all w_i

    Parameters
    ----------
    neighbors : sequence of (index, distance, label)
        The neighbours in any order. Distances are at least 0; labels may have any type that can be
        hashed, and are the same where Python takes them as equal.
    predicted_class : label
        The predicted class.
    distance_weighted : bool
        ``False`` gives every neighbour the same weight (plain voting).
    class_weights : mapping from label to weight, optional
        Weight of each class, at least 0; 1 for classes that are not listed.
    {parameters}

    Returns
    -------
    (float, str)
        The correspondence in [0, 1]: 1 means that every neighbour has the predicted class, 0 that
        none has. The level: ``"high"``, ``"medium"``, ``"low"``, or ``"undefined"`` (with the
        number 0.0) where there are no neighbours or all weigh 0.

    Raises
    ------
    ValueError
        For a distance or a weight that is negative or not finite.

    Notes
    -----
    ``weighting`` may also be ``{"inverse-power": {"exponent": P, "offset": C}}``, or a function
    from an array of distances to an array of weights. It excludes ``distance_weighted=False``.

    Agreement is not correctness: neighbours can agree with a wrong prediction. The levels are
    conventions, not probabilities.

    Source: ``compute_correspondence`` of case-explainer 0.2.0.

    Examples
    --------
    >>> from xai_metrics.casebased import compute_correspondence
    >>> neighbors = [(0, 0.1, "cat"), (1, 0.2, "cat"), (2, 0.3, "cat"), (3, 0.5, "dog")]
    >>> neighbors.append((4, 0.8, "cat"))
    >>> score, level = compute_correspondence(neighbors, "cat")
    >>> round(score, 4), level
    (0.8685, 'high')
    >>> compute_correspondence(neighbors, "cat", distance_weighted=False)
    (0.8, 'medium')
    """
    numbers: dict[Hashable, int] = {}
    number_of = numbers.setdefault
    if not isinstance(neighbors, (list, tuple)):
        neighbors = list(neighbors)
    _check_neighbors(neighbors)
    labels = [number_of(label, len(numbers)) for _, _, label in neighbors]
    weighed = mapping("class_weights", class_weights, "a weight for each label")
    sides = {
        "the labels of the neighbors": list(numbers),
        "predicted_class": [predicted_class],
        "class_weights": list(weighed),
    }
    check_types({name: objects_of(labels) for name, labels in sides.items()})
    weights = [(number_of(c, len(numbers)), number(f"class_weights[{c!r}]", value)) for c, value in weighed.items()]
    far = [distance for _, distance, _ in neighbors]
    weighting = parameters.get("weighting")
    if not distance_weighted:
        if weighting is not None:
            raise ValueError("weighting: distance_weighted=False asks for plain voting already")
        parameters["weighting"] = "uniform"
    chosen, kernel = split_weighting(parameters)
    if callable(weighting):
        if any(not 0 <= distance < np.inf for distance in far):
            raise ValueError("distances: expected finite numbers, at least 0")
        # The weights take the place of the distances, and weigh what they are.
        array = np.asarray(far, dtype=np.float64).reshape(1, -1)
        _, scores, levels = _native.casebased_weigh(
            weights_of(weighting, array, np.ones(array.shape, dtype=bool)),
            np.asarray(labels, dtype=np.int64).reshape(1, -1),
            np.asarray([numbers.get(predicted_class, -1)]),
            weights,
            chosen,
            1,
        )
        level = LEVELS[levels[0]]
        return (0.0 if level == "undefined" else float(scores[0])), level
    score, level = _native.casebased_correspondence(
        far,
        labels,
        numbers.get(predicted_class, -1),
        chosen,
        kernel,
        weights,
    )
    return (0.0 if score is None else score), level


def _check_neighbors(neighbors: Sequence[Any]) -> None:
    """Raise ``ValueError`` for neighbours that are not triples."""
    for index, neighbor in enumerate(neighbors):
        try:
            n_parts = len(neighbor)
        except TypeError:
            n_parts = 0
        if n_parts != 3:
            raise ValueError(
                f"neighbors[{index}]: expected (index, distance, label), got {neighbor!r}; of two arrays make triples by "
                "`zip(range(len(labels)), distances, labels)`"
            )


def distances(
    queries: Any,
    rows: Any,
    distance: Distance = "euclidean",
    *,
    covariance: Any = None,
    n_jobs: int | None = None,
) -> npt.NDArray[np.float64]:
    """Compute the distance of every query to every row.

    Parameters
    ----------
    queries : array of shape (n_queries, n_features)
        First set of rows.
    rows : array of shape (n_rows, n_features)
        Second set of rows.
    distance : str
        ``"euclidean"``, ``"squared-euclidean"``, ``"manhattan"``, ``"chebyshev"``,
        ``"minkowski:P"``, ``"cosine"``, ``"correlation"``, ``"canberra"``, ``"braycurtis"``,
        ``"hamming"``, or ``"mahalanobis"`` with ``covariance``. The Bray-Curtis distance divides by
        ``sum |a + b|``, as in SciPy; scikit-learn's trees divide by ``sum |a| + |b|``.
    covariance : array of shape (n_features, n_features), optional
        Covariance for ``distance="mahalanobis"``.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    array of shape (n_queries, n_rows)
        The distances, at least 0.

    Raises
    ------
    ValueError
        For rows of different lengths, numbers that are not finite, an unknown distance, and a
        covariance that cannot be inverted.

    Examples
    --------
    >>> from xai_metrics.casebased import distances
    >>> distances([[0.0, 0.0]], [[3.0, 4.0], [1.0, -1.0]], "manhattan")
    array([[7., 2.]])
    """
    alignment = Alignment()
    rows = alignment.take(rows, "rows", None, "features")
    covariance = alignment.take(covariance, "covariance", "features", "features")
    _, covariance = split_covariance({"distance": distance}, covariance, needed=True)
    queries = in_order_of(column_names(rows), queries, "queries", "rows")
    queries, rows = doubles(queries, "queries", 2), doubles(rows, "rows", 2)
    check_covariance(covariance, rows.shape[1])
    found: npt.NDArray[np.float64] = _native.casebased_distances(
        queries, rows, distance, covariance, threads(n_jobs)
    )
    return found


def doubles(values: Any, name: str, ndim: int) -> npt.NDArray[np.float64]:
    if type(values) is np.ndarray and values.ndim == ndim and values.size:
        # What is most often handed in needs no conversion.
        if values.dtype == np.float64 and values.flags.aligned:
            return values
    return reals(values, name, ndim).astype(np.float64, copy=False)
