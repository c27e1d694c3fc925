"""Fidelity: change of predictions without the explanation, and with the explanation alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._alignment import Alignment
from .._arguments import number, threads
from .._display import Display, count
from .._results import Result
from ._inputs import aligned, answers, positions, same_precision

if TYPE_CHECKING:
    from .._types import ReturnType


@dataclass(frozen=True, repr=False)
class Fidelity(Result):
    """Change of predictions when the explanation is removed, and when only the explanation remains.

    Attributes
    ----------
    pos : float
        fid+ in [0, 1]: how often the prediction changes without the explanation; higher is better
        (the explanation is necessary).
    neg : float
        fid- in [0, 1]: how often it changes with the explanation alone; lower is better (the
        explanation is sufficient).
    n_samples : int
        How many samples were compared.
    """

    pos: float
    neg: float
    n_samples: int

    @property
    def characterization(self) -> float:
        """Characterization score in [0, 1]: the harmonic mean of ``pos`` and ``1 - neg``."""
        return float(characterization_score(self.pos, self.neg))

    def to_dict(self) -> dict[str, Any]:
        """Return the scores by name.

        Returns
        -------
        dict of str to float
            Fields and ``characterization``.
        """
        return {**super().to_dict(), "characterization": self.characterization}

    def _display(self) -> Display:
        rows = [("fid+", self.pos), ("fid-", self.neg), ("characterization", self.characterization)]
        return Display(f"Fidelity, {count(self.n_samples, 'sample')}", rows=rows)


def fidelity(
    full: Any,
    kept: Any,
    complement: Any,
    target: Any = None,
    *,
    index: Any = None,
    by: Literal["label", "probability"] = "label",
    return_type: ReturnType = "raw",
    n_jobs: int | None = None,
) -> Fidelity:
    """Compute fidelity from the outputs of a model.

    Parameters
    ----------
    full, kept, complement : array_like
        On the whole graph, on the explanation alone, and on the graph without it: predicted classes
        ``(n_samples,)``, or outputs ``(n_samples, n_classes)``, of which the largest decides (ties:
        the lower class).
    target : array_like, optional
        The true classes, for explanations of a phenomenon: then it is compared whether the
        predictions are right. ``None``: explanations of the model.
    index : array_like, optional
        Only these samples, by position or by booleans; one named twice counts twice.
    by : str
        ``label``: whether the prediction changes. ``probability``: by how much the probability of
        one class changes, the true one or else the one predicted on the whole graph; needs outputs.
    return_type : str
        Kind of the outputs, for ``by="probability"``: ``raw`` (logits), ``probs`` or ``log_probs``.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    Fidelity
        fid+ and fid-.

    Raises
    ------
    ValueError
        For no samples, other lengths, outputs of one column or that are not finite, and outputs
        that are not what ``return_type`` says.

    Examples
    --------
    >>> from xai_metrics.graph import fidelity
    >>> of = fidelity([0, 1, 2, 1], kept=[0, 1, 2, 0], complement=[1, 0, 2, 0])
    >>> of.pos, of.neg, of.characterization
    (0.75, 0.25, 0.75)
    """
    state, n_jobs = _native.GraphState.fidelity(False), threads(n_jobs)
    fold(state, full, kept, complement, target, index, by, return_type, n_jobs)
    return Fidelity(**state.finish(n_jobs))


def fold(
    state: Any,
    full: Any,
    kept: Any,
    complement: Any,
    target: Any,
    index: Any,
    by: str,
    return_type: str,
    n_jobs: int | None,
) -> None:
    """Add model outputs to a native state."""
    full, kept, complement, target, index = aligned(index, full=full, kept=kept, complement=complement, target=target)
    truth = None if target is None else answers(target, "target")
    if by == "label":
        of = [answers(full, "full"), answers(kept, "kept"), answers(complement, "complement")]
        state.update_fidelity(*of, truth, positions(index, len(of[0])), n_jobs)
    elif by == "probability":
        rows = same_precision(full=full, kept=kept, complement=complement)
        at = positions(index, len(rows[0]))
        state.update_probabilities(*rows, str(return_type), truth, at, n_jobs)
    else:
        raise ValueError(f"by: expected 'label' or 'probability', got {by!r}")


def characterization_score(
    pos_fidelity: Any,
    neg_fidelity: Any,
    pos_weight: float = 0.5,
    neg_weight: float = 0.5,
) -> Any:
    """Compute the weighted harmonic mean of fid+ and 1 - fid-, elementwise.

    ``(w+ + w-) / (w+ / fid+ + w- / (1 - fid-))``

    Parameters
    ----------
    pos_fidelity, neg_fidelity : array_like or float
        fid+ and fid-, in [0, 1], of one shape.
    pos_weight, neg_weight : float
        At least 0, with sum 1 within 1e-9.

    Returns
    -------
    numpy.ndarray or float
        Scores in [0, 1] with the shape of the arguments, higher is better. 0 if fid+ is 0 or fid-
        is 1.

    Raises
    ------
    ValueError
        For what is not in [0, 1], and for such weights.

    Notes
    -----
    Source: Amara et al. 2022, arXiv 2206.09677.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.graph import characterization_score
    >>> characterization_score(np.array([1.0, 0.6, 1.0]), np.array([0.0, 0.2, 1.0]), 0.2, 0.8)
    array([1.  , 0.75, 0.  ])
    >>> characterization_score(0.75, 0.25)
    0.75
    """
    both = {"pos_fidelity": pos_fidelity, "neg_fidelity": neg_fidelity}
    pos, neg = (_doubles(values, name) for name, values in zip(both, Alignment().take_all(both, "points")))
    if pos.shape != neg.shape and pos.ndim and neg.ndim:
        raise ValueError(f"neg_fidelity: expected shape {pos.shape}, got {neg.shape}")
    if pos.shape != neg.shape:
        pos, neg = np.broadcast_arrays(pos, neg)
    scores = _native.graph_characterization(
        pos.reshape(-1),
        neg.reshape(-1),
        number("pos_weight", pos_weight),
        number("neg_weight", neg_weight),
    )
    return scores.reshape(pos.shape) if pos.ndim else float(scores[0])


def fidelity_curve_auc(pos_fidelity: Any, neg_fidelity: Any, x: Any) -> float:
    """Compute the area under ``fid+ / (1 - fid-)`` over a fidelity curve with the trapezoidal rule.

    Parameters
    ----------
    pos_fidelity, neg_fidelity : array_like
        fid+ and fid- at each point, ``(n_points,)`` in [0, 1].
    x : array_like
        Where the points stand, ascending; equal neighbours are allowed.

    Returns
    -------
    float
        At least 0, higher is better.

    Raises
    ------
    ValueError
        For fid- of 1, which names the point, for a descent of ``x``, for other lengths, and for
        fewer than two points, which have no area.

    Examples
    --------
    >>> from xai_metrics.graph import fidelity_curve_auc
    >>> round(fidelity_curve_auc([1.0, 1.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.9], [0, 1, 2, 3]), 9)
    8.5
    """
    given = {"pos_fidelity": pos_fidelity, "neg_fidelity": neg_fidelity, "x": x}
    aligned_points = Alignment().take_all(given, "points")
    return float(_native.graph_fidelity_curve_auc(*(_doubles(value, name, 1) for name, value in zip(given, aligned_points))))


def _doubles(values: Any, name: str, ndim: int | None = None) -> npt.NDArray[np.float64]:
    doubles: npt.NDArray[np.float64] = _arrays.reals(values, name, ndim).astype(
        np.float64, copy=False
    )
    return doubles
