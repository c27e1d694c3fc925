"""Does a prediction change without the explanation, and with it alone?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._results import html_table, pandas_frame
from . import _peer
from ._inputs import answers, on_host, positions, same_precision


@dataclass(frozen=True)
class Fidelity:
    """How predictions change when the explanation is taken away, and when it alone is left.

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
        """Both in one, in [0, 1]: the harmonic mean of ``pos`` and ``1 - neg``."""
        return float(characterization_score(self.pos, self.neg))

    def to_dict(self) -> dict[str, Any]:
        """The scores as a dictionary."""
        return {**asdict(self), "characterization": self.characterization}

    def to_pandas(self) -> Any:
        """One row."""
        return pandas_frame({name: [value] for name, value in self.to_dict().items()})

    def _repr_html_(self) -> str:
        return html_table([("", "value"), *self.to_dict().items()], "Fidelity")


def fidelity(explainer: Any, explanation: Any) -> tuple[float, float]:
    """Fidelity of an explanation of PyTorch Geometric.

    Parameters
    ----------
    explainer : torch_geometric.explain.Explainer
        Its model is called on the explanation and on the complement, and on the whole graph where
        it explains a phenomenon.
    explanation : torch_geometric.explain.Explanation

    Returns
    -------
    pos_fidelity, neg_fidelity : float
        fid+ and fid-, see :class:`Fidelity`. For explanations of the model, predictions are
        compared with the explained one; for those of a phenomenon it is whether they are right that
        is compared.

    Raises
    ------
    ValueError
        For a model of regression.

    See Also
    --------
    fidelity_from_outputs : the same from arrays.

    Notes
    -----
    The same number as PyTorch Geometric's, which rounds it to single precision. Outputs on another
    device are copied to the host. Source: Amara et al. 2022, arXiv 2206.09677.

    Examples
    --------
    Anything with the methods of an explainer will do:

    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from xai_metrics.graph import fidelity
    >>> explainer = SimpleNamespace(
    ...     model_config=SimpleNamespace(mode="multiclass_classification"),
    ...     explanation_type="model",
    ...     get_masked_prediction=lambda x, edge_index, node_mask, edge_mask: x * node_mask,
    ...     get_target=lambda outputs: outputs.argmax(-1))
    >>> x = np.array([[0.0, 2.0], [2.0, 0.0]])
    >>> explanation = dict(x=x, edge_index=np.zeros((2, 0), dtype=int),
    ...                    node_mask=np.array([[0.0, 1.0], [0.0, 0.0]]), target=np.array([1, 0]))
    >>> fidelity(explainer, explanation)
    (0.5, 0.0)
    """
    asked = _peer.Explained(explainer, explanation)
    is_model = asked.explains_model
    target = asked.target()
    full = target if is_model else asked.labels(asked.prediction())
    kept = asked.labels(asked.masked_prediction())
    complement = asked.labels(asked.masked_prediction(complement=True))
    scores = _native.graph_fidelity(
        answers(on_host(full), "full"),
        answers(on_host(kept), "kept"),
        answers(on_host(complement), "complement"),
        None if is_model else answers(on_host(target), "target"),
        asked.index(),
    )
    return float(scores["pos"]), float(scores["neg"])


def fidelity_from_outputs(
    full: Any,
    kept: Any,
    complement: Any,
    target: Any = None,
    *,
    index: Any = None,
    by: str = "label",
    return_type: str = "raw",
    n_jobs: int | None = None,
) -> Fidelity:
    """Fidelity from what a model answered.

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
        What outputs are, for ``by="probability"``: ``raw`` (logits), ``probs`` or ``log_probs``.
    n_jobs : int, optional
        The number of threads; one per core by default.

    Returns
    -------
    Fidelity

    Raises
    ------
    ValueError
        For no samples, other lengths, outputs of one column or that are not finite, and outputs
        that are not what ``return_type`` says.

    Examples
    --------
    >>> from xai_metrics.graph import fidelity_from_outputs
    >>> of = fidelity_from_outputs([0, 1, 2, 1], kept=[0, 1, 2, 0], complement=[1, 0, 2, 0])
    >>> of.pos, of.neg, of.characterization
    (0.75, 0.25, 0.75)
    """
    truth = None if target is None else answers(target, "target")
    at = positions(index)
    if by == "label":
        full, kept = answers(full, "full"), answers(kept, "kept")
        complement = answers(complement, "complement")
        return Fidelity(**_native.graph_fidelity(full, kept, complement, truth, at, n_jobs))
    if by != "probability":
        raise ValueError(f"by: expected 'label' or 'probability', got {by!r}")
    full, kept, complement = same_precision(full=full, kept=kept, complement=complement)
    scores = _native.graph_fidelity_by_probability(
        full, kept, complement, return_type, truth, at, n_jobs
    )
    return Fidelity(**scores)


def characterization_score(
    pos_fidelity: Any,
    neg_fidelity: Any,
    pos_weight: float = 0.5,
    neg_weight: float = 0.5,
) -> Any:
    """The weighted harmonic mean of fid+ and 1 - fid-, componentwise.

    ``(w+ + w-) / (w+ / fid+ + w- / (1 - fid-))``

    Parameters
    ----------
    pos_fidelity, neg_fidelity : array_like or torch.Tensor or float
        fid+ and fid-, in [0, 1], of one shape.
    pos_weight, neg_weight : float
        At least 0, with sum 1 within 1e-9 (PyTorch Geometric compares floats for equality).

    Returns
    -------
    numpy.ndarray or torch.Tensor or float
        In [0, 1], higher is better; as ``pos_fidelity`` is. 0 where fid+ is 0 or fid- is 1.

    Raises
    ------
    ValueError
        For what is not in [0, 1], and for such weights.

    Notes
    -----
    Source: Amara et al. 2022, arXiv 2206.09677. A tensor comes back without a gradient.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.graph import characterization_score
    >>> characterization_score(np.array([1.0, 0.6, 1.0]), np.array([0.0, 0.2, 1.0]), 0.2, 0.8)
    array([1.  , 0.75, 0.  ])
    >>> characterization_score(0.75, 0.25)
    0.75
    """
    pos = _doubles(pos_fidelity, "pos_fidelity")
    neg = _doubles(neg_fidelity, "neg_fidelity")
    if pos.shape != neg.shape and pos.ndim and neg.ndim:
        raise ValueError(f"neg_fidelity: expected shape {pos.shape}, got {neg.shape}")
    pos, neg = np.broadcast_arrays(pos, neg)
    scores = _native.graph_characterization(
        pos.reshape(-1), neg.reshape(-1), pos_weight, neg_weight
    )
    return _like(scores.reshape(pos.shape), pos_fidelity)


def fidelity_curve_auc(pos_fidelity: Any, neg_fidelity: Any, x: Any) -> Any:
    """The area under ``fid+ / (1 - fid-)`` over a fidelity curve, by the trapezoidal rule.

    Parameters
    ----------
    pos_fidelity, neg_fidelity : array_like or torch.Tensor
        fid+ and fid- at each point, ``(n_points,)`` in [0, 1].
    x : array_like or torch.Tensor
        Where the points stand, ascending; equal neighbours are allowed.

    Returns
    -------
    float or torch.Tensor
        At least 0, higher is better; a tensor without axes where ``pos_fidelity`` is one.

    Raises
    ------
    ValueError
        For fid- of 1, which names the point, for a descent of ``x``, and for other lengths.

    Examples
    --------
    >>> from xai_metrics.graph import fidelity_curve_auc
    >>> round(fidelity_curve_auc([1.0, 1.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.9], [0, 1, 2, 3]), 9)
    8.5
    """
    pos, neg = _doubles(pos_fidelity, "pos_fidelity", 1), _doubles(neg_fidelity, "neg_fidelity", 1)
    area = _native.graph_fidelity_curve_auc(pos, neg, _doubles(x, "x", 1))
    return _like(np.float64(area), pos_fidelity) if _is_tensor(pos_fidelity) else area


def _doubles(values: Any, name: str, ndim: int | None = None) -> npt.NDArray[np.float64]:
    doubles: npt.NDArray[np.float64] = _arrays.reals(values, name, ndim).astype(
        np.float64, copy=False
    )
    return doubles


def _is_tensor(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] == "torch"


def _like(scores: Any, given: Any) -> Any:
    """Scores as what was given: a tensor of its type, an array, or a float."""
    if _is_tensor(given):
        kept = given if given.is_floating_point() else given.float()
        return kept.new_tensor(scores)
    return float(scores) if scores.ndim == 0 else scores
