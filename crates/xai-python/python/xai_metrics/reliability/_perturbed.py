"""Response of metric values to perturbations of the inputs or the model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from .. import _native
from .._alignment import Alignment
from ._values import Value, flags_of, values_of

Kind = Literal["minor", "disruptive"]
Direction = Literal["higher", "lower"]


@dataclass(frozen=True, repr=False)
class IntraConsistency(Value):
    """Response of an explainer's values to a perturbation, computed by :func:`intra_consistency`.

    Attributes
    ----------
    value : float or None
        The p-value of the test (minor), or 1 less it (disruptive), in [0, 1], higher is better.
        ``None`` where no sample is kept, and where one that is kept is undefined on either side.
    effect : float or None
        1 less how one-sided the signed ranks are (minor), or that (disruptive), in [0, 1], higher is
        better; it does not depend on the number of samples.
    kind : str
        ``minor`` or ``disruptive``.
    n, w_plus, w_minus : int, float, float
        Of the test: kept samples with both values, and the sums of the ranks of ``q - perturbed`` on
        either side.
    n_undefined : int
        Kept samples without both values.
    """

    value: float | None
    effect: float | None
    kind: str
    n: int
    w_plus: float
    w_minus: float
    n_undefined: int


def intra_consistency(
    q: Any, perturbed: Any, keep: Any = None, kind: Kind = "minor"
) -> IntraConsistency:
    """Test whether the values of an explainer stay under a minor perturbation and move under a
    disruptive one.

    Parameters
    ----------
    q : array_like
        The values of a metric for one explainer, ``(n_samples,)``; NaN where undefined.
    perturbed : array_like
        The same after the inputs or the model were perturbed.
    keep : array_like of bool, optional
        Samples to count: those whose prediction stayed (minor) or changed (disruptive). All by
        default.
    kind : {"minor", "disruptive"}
        How much was perturbed.

    Returns
    -------
    IntraConsistency
        ``value`` is the two-sided p-value of Wilcoxon's signed-rank test of ``q - perturbed``, zeros
        split between the sides (minor), or 1 less it (disruptive). A p-value is no size: it compares
        only at equal numbers of samples. ``effect`` does not depend on them.

    Raises
    ------
    ValueError
        For arrays of different lengths, values that are infinite, and another kind.

    Examples
    --------
    Differences 0, 0.25 and 0.5 have the ranks 1, 2 and 3: one of 2^2 signs, both sides.

    >>> from xai_metrics.reliability import intra_consistency
    >>> found = intra_consistency([0.5, 0.75, 1.0], [0.5, 0.5, 0.5])
    >>> found.value, found.w_plus, found.w_minus
    (0.5, 5.5, 0.5)
    >>> intra_consistency([0.5, 0.75, 1.0], [0.5, 0.5, 0.5], kind="disruptive").effect # 5 / 6
    0.8333333333333334
    """
    q, perturbed, keep = Alignment().take_all({"q": q, "perturbed": perturbed, "keep": keep}, "samples")
    before, after = values_of(q, "q", 1), values_of(perturbed, "perturbed", 1)
    counted = flags_of(keep, "keep", 1)
    found = _native.reliability_intra_consistency(before, after, counted, kind)
    return IntraConsistency(**{k: v for k, v in found.items() if k != "test"}, **_test(found))


def _test(found: dict[str, Any]) -> dict[str, Any]:
    return {name: found["test"][name] for name in ("n", "w_plus", "w_minus")}


def intra_consistency_effect(
    q: Any, perturbed: Any, keep: Any = None, kind: Kind = "minor"
) -> float | None:
    """Compute how one-sidedly the values of an explainer moved, the effect of
    :func:`intra_consistency`.

    Parameters
    ----------
    q, perturbed : array_like
        The values before and after, ``(n_samples,)``; NaN where undefined.
    keep : array_like of bool, optional
        Samples to count. All by default.
    kind : {"minor", "disruptive"}
        How much was perturbed.

    Returns
    -------
    float or None
        In [0, 1], higher is better. Minor, 1: as many ranks up as down; disruptive, 1: every value moved
        to the same side. ``None`` where no kept sample has both values.

    Raises
    ------
    ValueError
        See :func:`intra_consistency`.

    Examples
    --------
    >>> from xai_metrics.reliability import intra_consistency_effect
    >>> intra_consistency_effect([1.0, 2.0], [0.0, 0.0], kind="disruptive") # all fell
    1.0
    >>> intra_consistency_effect([1.0, 2.0], [0.0, 0.0])
    0.0
    """
    return intra_consistency(q, perturbed, keep, kind).effect


@dataclass(frozen=True, repr=False)
class InterConsistency(Value):
    """Stability of ranks or worsening of values, computed by :func:`inter_consistency`.

    Attributes
    ----------
    value : float or None
        The share, in [0, 1], higher is better; ``None`` where nothing is compared.
    kind : str
        ``minor`` or ``disruptive``.
    n_pairs, n_undefined : int
        Pairs of a sample and an explainer that are compared, and those that are not because a value
        is undefined.
    """

    value: float | None
    kind: str
    n_pairs: int
    n_undefined: int


def inter_consistency(
    q: Any,
    perturbed: Any,
    keep: Any = None,
    kind: Kind = "minor",
    direction: Direction | None = None,
) -> InterConsistency:
    """Compute whether ranks of explainers stay under a minor perturbation and values get worse
    under a disruptive one.

    Parameters
    ----------
    q : array_like
        The values of a metric, ``(n_explainers, n_samples)``; NaN where undefined.
    perturbed : array_like
        The same after the inputs or the model were perturbed.
    keep : array_like of bool, optional
        Samples to count, ``(n_samples,)``: those whose prediction stayed (minor) or changed
        (disruptive). All by default.
    kind : {"minor", "disruptive"}
        How much was perturbed.
    direction : {"higher", "lower"}
        Better end of the scale of the metric; required for a disruptive perturbation.

    Returns
    -------
    InterConsistency
        Minor: the share of pairs (sample, explainer) whose rank among the explainers of the sample is
        unchanged, with mid-ranks; a sample with an undefined value is left out. Disruptive: the share
        whose value got strictly worse.

    Raises
    ------
    ValueError
        For arrays of different shapes, values that are infinite, another kind, and no direction where
        it has to be said.

    Examples
    --------
    In the second sample the explainers change places.

    >>> from xai_metrics.reliability import inter_consistency
    >>> before, after = [[1.0, 1.0], [2.0, 2.0]], [[1.5, 3.0], [2.0, 2.0]]
    >>> inter_consistency(before, after).value
    0.5
    >>> inter_consistency(before, after, kind="disruptive", direction="lower").value
    0.5
    """
    alignment = Alignment()
    q, perturbed = alignment.take_all({"q": q, "perturbed": perturbed}, "explainers", "samples")
    keep = alignment.take(keep, "keep", "samples")
    before, after = values_of(q, "q", 2), values_of(perturbed, "perturbed", 2)
    counted = flags_of(keep, "keep", 1)
    found = _native.reliability_inter_consistency(before, after, counted, kind, direction)
    return InterConsistency(**found)


@dataclass(frozen=True, repr=False)
class MetaConsistency(Value):
    """Both consistencies under both kinds of perturbation, computed by :func:`meta_consistency`.

    Attributes
    ----------
    value : float or None
        The mean of the defined ones of ``iac_minor``, ``iac_disruptive``, ``iec_minor`` and
        ``iec_disruptive`` of all iterations, in [0, 1], higher is better.
    std : float or None
        The deviation (over n) of ``per_iteration``.
    per_iteration : list of float or None
        The mean of the four of each iteration.
    iac_minor, iac_disruptive : list of float or None
        Intra-consistency of each iteration, over its perturbations and the explainers.
    iec_minor, iec_disruptive : list of float or None
        Inter-consistency of each iteration, over its perturbations.
    effect_minor, effect_disruptive : list of float or None
        The effects of intra-consistency; they are no part of ``value``.
    n_undefined : int
        How many of the four numbers of all iterations are undefined.
    """

    value: float | None
    std: float | None
    per_iteration: list[float | None]
    iac_minor: list[float | None]
    iac_disruptive: list[float | None]
    iec_minor: list[float | None]
    iec_disruptive: list[float | None]
    effect_minor: list[float | None]
    effect_disruptive: list[float | None]
    n_undefined: int

    @property
    def noise_resilience(self) -> float | None:
        """Mean of the defined values of ``effect_minor`` and ``iec_minor``; 1 if noise changes
        nothing.
        """
        return _mean(*self.effect_minor, *self.iec_minor)

    @property
    def reactivity(self) -> float | None:
        """Mean of the defined values of ``effect_disruptive`` and ``iec_disruptive``; 1 if every
        value gets worse.
        """
        return _mean(*self.effect_disruptive, *self.iec_disruptive)


def _mean(*values: float | None) -> float | None:
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def meta_consistency(
    q: Any,
    minor: Any,
    disruptive: Any,
    keep_minor: Any = None,
    keep_disruptive: Any = None,
    direction: Direction | None = None,
) -> MetaConsistency:
    """Compute whether a metric keeps values and ranks where the prediction stays and reacts where
    it changes.

    Parameters
    ----------
    q : array_like
        The values of a metric, ``(n_explainers, n_samples)``; NaN where undefined.
    minor, disruptive : array_like
        The same after perturbations of either kind, ``(n_iterations, n_perturbations, n_explainers,
        n_samples)``.
    keep_minor, keep_disruptive : array_like of bool, optional
        Samples to count, ``(n_iterations, n_perturbations, n_samples)``: those whose prediction
        stayed, and those whose prediction changed. All by default.
    direction : {"higher", "lower"}
        Better end of the scale of the metric; required.

    Returns
    -------
    MetaConsistency
        1: noise changes nothing, and every value gets worse where the prediction changes. 0.5 is about
        what a metric has that never moves.

    Raises
    ------
    ValueError
        For arrays of other shapes, values that are infinite, and no direction.

    Examples
    --------
    One iteration of one perturbation of each kind: the minor one moves nothing, the other one lets
    both values of both explainers fall, two of 2^2 signs.

    >>> import numpy as np
    >>> from xai_metrics.reliability import meta_consistency
    >>> q = np.array([[0.5, 0.75], [0.25, 0.5]])
    >>> meta = meta_consistency(q, [[q]], [[q - 0.25]], direction="higher")
    >>> meta.iac_disruptive, meta.iec_disruptive, meta.value # (1 + 0.5 + 1 + 1) / 4
    ([0.5], [1.0], 0.875)
    """
    alignment = Alignment()
    before = values_of(alignment.take(q, "q", "explainers", "samples"), "q", 2)
    given = []
    for name, values, keep in (
        ("minor", minor, keep_minor),
        ("disruptive", disruptive, keep_disruptive),
    ):
        values = alignment.take(values, name, None, None, "explainers", "samples")
        keep = alignment.take(keep, f"keep_{name}", None, None, "samples")
        after, counted = values_of(values, name, 4), flags_of(keep, f"keep_{name}", 3)
        expected = (*after.shape[:2], after.shape[3])
        if counted is not None and counted.shape != expected:
            raise ValueError(f"keep_{name}: expected shape {expected}, got {counted.shape}")
        given.append((after, counted))
    found = _native.reliability_meta_consistency(before, *given, direction)
    iterations = found.pop("iterations")
    columns: dict[str, Any] = {
        name: [iteration[name] for iteration in iterations]
        for name in MetaConsistency.__dataclass_fields__
        if name.startswith(("iac", "iec", "effect"))
    }
    return MetaConsistency(**found, **columns, per_iteration=[item["value"] for item in iterations])
