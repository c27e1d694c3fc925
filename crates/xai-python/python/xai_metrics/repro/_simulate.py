"""Simulation of labels and predictions with known truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._arguments import seed_of, whole
from .._described import described, parameters_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import ClassDistribution, ClassDistributionParameters, SimulatePredictionsParameters

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: Kinds of :func:`class_distribution`.
CLASS_DISTRIBUTIONS = tuple(
    word.partition("[")[0] for word, _ in parameters_of("repro.class_distribution")[0].words
)


@described("repro.class_distribution")
def class_distribution(
    kind: ClassDistribution, n_classes: int, *, item: int = 0, **parameters: Unpack[ClassDistributionParameters]
) -> Floats:
    """Draw the probabilities of some classes, sorted with the most frequent first and with sum 1.

    Before they are divided by their sum the classes are i.i.d. ``U(0.9, 1.1)`` (balanced), i.i.d.
    ``U(0, 1)`` (uniform), ``linspace(lowest, 1, c) ** scale`` with ``scale ~ U(0.1, 20)``
    (exponential; a ``lowest`` of 0 makes the rarest class impossible, with 0.794 the most frequent
    class is at most 101 times as likely as the rarest), ``m ~ U{1..c}`` of them at ``c / m`` and
    the others at 1 (multimodal), or groups of classes at one height each and the others i.i.d.
    ``U(0, 1)`` (step; up to 10 classes there is no group, and it is as uniform).

    Parameters
    ----------
    {parameters}
    item : int
        Number of the draw.

    Returns
    -------
    numpy.ndarray
        ``(n_classes,)``.

    Raises
    ------
    ValueError
        For an unknown shape, and for less than one class.

    Examples
    --------
    >>> from xai_metrics.repro import class_distribution
    >>> class_distribution("flat", 4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    given = {"kind": kind, "n_classes": n_classes, **parameters}
    law: Floats = _native.repro_class_distribution(whole("item", item, 0), given)
    return law


def simulate_labels(
    probabilities: Any,
    n_samples: int,
    *,
    every_class: bool = False,
    seed: int = 1,
    item: int = 0,
) -> Integers:
    """Draw independent true labels, class ``i`` with probability ``probabilities[i]``.

    Parameters
    ----------
    probabilities : array_like
        ``(n_classes,)``, with sum 1.
    n_samples : int
    every_class : bool
        Draws the whole again until each class occurs.
    seed, item : int
        Of the draw.

    Returns
    -------
    numpy.ndarray
        ``(n_samples,)`` classes ``0..n_classes``.

    Raises
    ------
    ValueError
        For what is no law, and where a class is too rare to occur among so many labels.

    Examples
    --------
    >>> from xai_metrics.repro import simulate_labels
    >>> sorted(set(simulate_labels([0.5, 0.0, 0.5], 100).tolist()))
    [0, 2]
    """
    law = _law(probabilities, "probabilities")
    labels: Integers = _native.repro_labels(
        law, whole("n_samples", n_samples, 0), every_class, seed_of(seed), whole("item", item, 0)
    )
    return labels


@described("repro.simulate_predictions")
def simulate_predictions(
    labels: Any,
    n_runs: int,
    error_probabilities: Any,
    max_error_share: float,
    *,
    seed: int = 1,
    item: int = 0,
    **parameters: Unpack[SimulatePredictionsParameters],
) -> Integers:
    """Draw the predictions of runs for given labels.

    Parameters
    ----------
    labels : array_like
        True classes ``(n_samples,)``, at least 0.
    n_runs : int
        Number of runs.
    error_probabilities : array_like
        Distribution ``(n_classes,)`` of the labels that runs predict where they may err; a correct
        draw is not an error.
    {parameters}
    seed, item : int
        Seed and number of the draw. The first runs do not depend on ``n_runs``.

    Returns
    -------
    numpy.ndarray
        ``(n_runs, n_samples)``.

    Raises
    ------
    ValueError
        For labels or probabilities that are none, a law that does not sum to 1, and a share
        outside [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.repro import simulate_predictions
    >>> labels = np.zeros(100, dtype=int)
    >>> runs = simulate_predictions(labels, 5, [0.0, 1.0], 0.2, error_set="fixed")
    >>> (runs != labels).sum(axis=1)
    array([20, 20, 20, 20, 20])
    """
    truth = _arrays.integers(labels, "labels", ndim=1)
    if truth.size and (truth.min() < 0 or truth.max() >= 2**32):
        raise ValueError("labels: expected classes from 0, below 2^32")
    law = _law(error_probabilities, "error_probabilities")
    given = {"max_error_share": max_error_share, **parameters}
    runs: Integers = _native.repro_predictions(
        truth.astype(np.uint32),
        whole("n_runs", n_runs, 0),
        law,
        seed_of(seed),
        whole("item", item, 0),
        given,
    )
    return runs


def _law(probabilities: Any, name: str) -> Floats:
    law: Floats = _arrays.reals(probabilities, name, ndim=1).astype(np.float64, copy=False)
    return law
