"""Unfaithfulness: divergence of the outputs for the explanation from those for the whole graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import threads, whole
from .._described import described
from .._results import Result
from ._inputs import aligned, positions, same_precision

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import UnfaithfulnessParameters


@dataclass(frozen=True, repr=False)
class Unfaithfulness(Result):
    """Graph explanation unfaithfulness of some samples.

    Attributes
    ----------
    value : float
        ``1 - exp(-divergence)`` in [0, 1], lower is better, 0 = the same answer.
    divergence : float
        The mean Kullback-Leibler divergence over the rows, in nats; may be infinite.
    n_samples : int
        How many rows were compared.
    """

    value: float
    divergence: float
    n_samples: int

    def __float__(self) -> float:
        return self.value


@described("graph.unfaithfulness")
def unfaithfulness(
    full: Any,
    kept: Any,
    *,
    index: Any = None,
    n_jobs: int | None = None,
    **parameters: Unpack[UnfaithfulnessParameters],
) -> Unfaithfulness:
    """Compute unfaithfulness from outputs for the whole graph and for the explanation.

    Parameters
    ----------
    full, kept : array_like
        Outputs ``(n_samples, n_classes)``, single or double precision.
    {parameters}
    index : array_like, optional
        Only these samples, by position or by booleans.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    Unfaithfulness
        Unfaithfulness and divergence.

    Raises
    ------
    ValueError
        For no samples, other shapes, what is not finite, and rows that are no distributions (sums
        off by more than 1e-4).

    Examples
    --------
    >>> from xai_metrics.graph import unfaithfulness
    >>> of = unfaithfulness([[0.5, 0.5]], [[0.25, 0.75]], return_type="probs")
    >>> round(of.value, 6), round(of.divergence, 6)
    (0.133975, 0.143841)
    """
    full, kept, index = aligned(index, full=full, kept=kept)
    full, kept = same_precision(full=full, kept=kept)
    at = positions(index, len(full))
    return Unfaithfulness(**_native.graph_unfaithfulness(full, kept, parameters, at, threads(n_jobs)))


@described("graph.unfaithfulness")
def unfaithfulness_per_row(
    full: Any,
    kept: Any,
    *,
    index: Any = None,
    n_jobs: int | None = None,
    **parameters: Unpack[UnfaithfulnessParameters],
) -> npt.NDArray[np.float64]:
    """Compute the unfaithfulness ``1 - exp(-KL)`` of every row, in [0, 1].

    Parameters
    ----------
    full, kept, index, n_jobs
        See :func:`unfaithfulness`.
    {parameters}

    Returns
    -------
    numpy.ndarray
        ``(n_samples,)``, in the order of ``index`` where it is given.

    Raises
    ------
    ValueError
        See :func:`unfaithfulness`.

    Examples
    --------
    >>> from xai_metrics.graph import unfaithfulness_per_row
    >>> unfaithfulness_per_row([[0.0, 0.0], [1.0, 2.0]], [[3.0, 3.0], [1.0, 2.0]])
    array([0., 0.])
    """
    full, kept, index = aligned(index, full=full, kept=kept)
    full, kept = same_precision(full=full, kept=kept)
    values: npt.NDArray[np.float64] = _native.graph_unfaithfulness_rows(
        full, kept, parameters, positions(index, len(full)), threads(n_jobs)
    )
    return values


def kl_divergence(p: Any, q: Any, *, from_logs: bool = False) -> float:
    """Compute ``KL(p || q) = sum p ln(p / q)`` in nats, from probabilities or their logarithms.

    ``0 ln 0`` counts as 0. An outcome that is possible under ``p`` and impossible under ``q``
    makes the divergence infinite.

    Parameters
    ----------
    p, q : array_like
        ``(n_outcomes,)``.
    from_logs : bool
        They are logarithms of probabilities.

    Returns
    -------
    float
        At least 0, in nats; infinite where ``q`` rules out what ``p`` allows.

    Raises
    ------
    ValueError
        For other lengths, no outcomes, and what is no probability.

    Examples
    --------
    >>> from xai_metrics.graph import kl_divergence
    >>> kl_divergence([0.5, 0.5], [1.0, 0.0])
    inf
    >>> kl_divergence([0.0, -2000.0], [-2000.0, 0.0], from_logs=True)
    2000.0
    """
    names = ("log_p", "log_q") if from_logs else ("p", "q")
    p, q = Alignment().take_all({names[0]: p, names[1]: q}, "outcomes")
    first = _arrays.reals(p, names[0], ndim=1).astype(np.float64, copy=False)
    second = _arrays.reals(q, names[1], ndim=1).astype(np.float64, copy=False)
    return float(_native.graph_kl(first, second, from_logs))


class TopFeatures(list[int]):
    """Features in ascending order with the number of ties at the cut, computed by
    :func:`top_k_features`.

    Examples
    --------
    >>> TopFeatures([0, 2], ties_at_k=0)
    [0, 2]
    """

    #: Number of features that tie at rank ``k``, of which the lower ones are chosen; 0 if none of
    #: them is excluded.
    ties_at_k: int

    def __init__(self, features: Iterable[int], ties_at_k: int) -> None:
        super().__init__(features)
        self.ties_at_k = ties_at_k

    def __reduce__(self) -> tuple[Any, ...]:
        return TopFeatures, (list(self), self.ties_at_k)


def top_k_features(node_mask: Any, k: int) -> TopFeatures:
    """Return the ``k`` features with the largest column sums of a node mask, in ascending order.

    Ties go to the lower feature.

    Parameters
    ----------
    node_mask : array_like
        ``(n_nodes, n_features)`` in [0, 1].
    k : int
        How many features.

    Returns
    -------
    TopFeatures
        Their numbers, as a list; ``ties_at_k`` says how many tie at the cut.

    Raises
    ------
    ValueError
        For ``k`` beyond the features.

    Examples
    --------
    >>> from xai_metrics.graph import top_k_features
    >>> top_k_features([[0.1, 0.5, 0.3], [0.2, 0.5, 0.3]], 2)
    [1, 2]
    >>> top_k_features([[0.1, 0.5, 0.5]], 1).ties_at_k
    2
    """
    mask = _arrays.reals(node_mask, "node_mask", ndim=2)
    return TopFeatures(*_native.graph_top_k_features(mask, whole("k", k, 0)))


def top_k_feature_mask(node_mask: Any, k: int) -> npt.NDArray[Any]:
    """Set all but the :func:`top_k_features` of a node mask to 0.

    Parameters
    ----------
    node_mask : array_like
        ``(n_nodes, n_features)`` in [0, 1].
    k : int
        How many features are kept.

    Returns
    -------
    numpy.ndarray
        A mask of the same shape, in the precision of the given one.

    Raises
    ------
    ValueError
        For ``k`` beyond the features.

    Examples
    --------
    >>> from xai_metrics.graph import top_k_feature_mask
    >>> top_k_feature_mask([[0.1, 0.5, 0.3], [0.2, 0.5, 0.3]], 1)
    array([[0., 1., 0.],
           [0., 1., 0.]])
    """
    mask = _arrays.reals(node_mask, "node_mask", ndim=2)
    hard: npt.NDArray[Any] = _native.graph_top_k_feature_mask(mask, whole("k", k, 0))
    return hard
