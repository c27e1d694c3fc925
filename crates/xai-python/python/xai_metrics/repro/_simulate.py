"""Labels and predictions whose truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: The laws of :func:`class_distribution`.
CLASS_DISTRIBUTIONS = ("flat", "balanced", "uniform", "exponential", "multimodal", "step")


def class_distribution(
    kind: str,
    n_classes: int,
    *,
    lowest: float = 0.794,
    reversed: bool = False,
    seed: int = 1,
    item: int = 0,
) -> Floats:
    """Draws the probabilities of some classes: sorted, most frequent first, with sum 1.

    Parameters
    ----------
    kind : str
        - ``flat``: all equally likely
        - ``balanced``: i.i.d. ``U(0.9, 1.1)``, then divided by the sum
        - ``uniform``: i.i.d. ``U(0, 1)``
        - ``exponential``: ``linspace(lowest, 1, c) ** scale``, ``scale ~ U(0.1, 20)``
        - ``multimodal``: ``m ~ U{1..c}`` classes at ``c / m``, the others at 1
        - ``step``: runs of classes at one height, the others i.i.d. ``U(0, 1)``
    n_classes : int
        At least 1.
    lowest : float
        Of ``exponential``, in [0, 1]: 0 makes the rarest class impossible; the default bounds the
        spread of the classes at 100-fold.
    reversed : bool
        Rarest first, for errors that favour the classes that are rare among the labels.
    seed, item : int
        Of the draw; the same give the same bits on every machine.

    Returns
    -------
    numpy.ndarray
        ``(n_classes,)``.

    Examples
    --------
    >>> from xai_metrics.repro import class_distribution
    >>> class_distribution("flat", 4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    law: Floats = _native.repro_class_distribution(kind, n_classes, lowest, seed, item)
    return law[::-1].copy() if reversed else law


def simulate_labels(
    probabilities: Any,
    n_samples: int,
    *,
    every_class: bool = False,
    seed: int = 1,
    item: int = 0,
) -> Integers:
    """Draws true labels: independent, class ``i`` with probability ``probabilities[i]``.

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
    labels: Integers = _native.repro_labels(law, n_samples, every_class, seed, item)
    return labels


def simulate_predictions(
    labels: Any,
    n_runs: int,
    error_probabilities: Any,
    max_error_share: float,
    *,
    error_set: str = "fixed",
    copied: float | None = None,
    seed: int = 1,
    item: int = 0,
) -> Integers:
    """Draws the predictions of runs for given labels.

    Parameters
    ----------
    labels : array_like
        ``(n_samples,)``, each 0 or more.
    n_runs : int
    error_probabilities : array_like
        ``(n_classes,)``: the law of the labels that runs draw where they may err; a right one is no
        error.
    max_error_share : float
        ``s`` in [0, 1]: a run errs on at most ``ceil(s n)`` samples.
    error_set : str
        ``fixed``: the same samples in every run, or ``variable``: each run its own.
    copied : float, optional
        Runs depend on each other: each copies a base prediction on this share of the set, in [0,
        1], and draws the rest. With 1 all runs agree. ``None``: runs are independent.
    seed, item : int
        Of the draw. More runs begin with those of fewer.

    Returns
    -------
    numpy.ndarray
        ``(n_runs, n_samples)``.

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
    runs: Integers = _native.repro_predictions(
        truth.astype(np.uint32), n_runs, law, max_error_share, error_set, copied, seed, item
    )
    return runs


def _law(probabilities: Any, name: str) -> Floats:
    law: Floats = _arrays.reals(probabilities, name, ndim=1).astype(np.float64, copy=False)
    return law
