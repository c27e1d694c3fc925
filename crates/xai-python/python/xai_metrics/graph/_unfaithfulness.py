"""How far is the answer on the explanation from the answer on the whole graph?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._results import html_table, pandas_frame
from . import _peer
from ._inputs import on_host, positions, same_precision


@dataclass(frozen=True)
class Unfaithfulness:
    """The graph explanation unfaithfulness of some samples.

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

    def to_dict(self) -> dict[str, Any]:
        """The score as a dictionary."""
        return asdict(self)

    def to_pandas(self) -> Any:
        """One row."""
        return pandas_frame({name: [value] for name, value in self.to_dict().items()})

    def _repr_html_(self) -> str:
        return html_table([("", "value"), *self.to_dict().items()], "Unfaithfulness")


def unfaithfulness(
    explainer: Any, explanation: Any, top_k: int | None = None, *, compat: bool = False
) -> float:
    """Unfaithfulness of an explanation of PyTorch Geometric: ``1 - exp(-KL(y || y_hat))``.

    Parameters
    ----------
    explainer : torch_geometric.explain.Explainer
        Its model is called on the explanation, and on the whole graph where the explanation does
        not hold that prediction.
    explanation : torch_geometric.explain.Explanation
    top_k : int, optional
        Keeps the features with the largest sums of the node mask whole (ties: the lower feature)
        and sets the rest to 0. By default the node mask is used as it is.
    compat : bool
        Gives the number that PyTorch Geometric's code gives, ``KL(y_hat || y)``.

    Returns
    -------
    float
        In [0, 1], lower is better; 0 = the same answer.

    Raises
    ------
    ValueError
        For a model of regression, for ``top_k`` with a node mask over nodes alone or beyond the
        features, and for outputs that are not what the explainer's configuration says.

    Notes
    -----
    The paper and PyTorch Geometric's documentation define ``KL(y || y_hat)``, with the answer on
    the whole graph as the truth; its code computes ``KL(y_hat || y)``, since torch's ``kl_div``
    takes the truth as its second argument. Ours differs in three more ways, none of which
    ``compat`` undoes except the last: logits of any size have a result (the peer's is NaN beyond
    about 100), an outcome that the explanation rules out makes it 1, and of a single sample named
    by a number the divergence is not divided by the number of classes. A single score for yes is a
    distribution over yes and no (the peer takes the softmax of one number, which is 1: with
    ``compat`` 0).

    Source: Agarwal et al. 2022, arXiv 2208.09339.

    See Also
    --------
    unfaithfulness_from_outputs : the same from arrays.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from xai_metrics.graph import unfaithfulness
    >>> explainer = SimpleNamespace(
    ...     model_config=SimpleNamespace(mode="multiclass_classification", return_type="probs"),
    ...     get_masked_prediction=lambda *graph_and_masks: np.array([[0.25, 0.75]]))
    >>> explanation = dict(x=None, edge_index=None, prediction=np.array([[0.5, 0.5]]))
    >>> round(unfaithfulness(explainer, explanation), 6)   # 1 - sqrt(3)/2
    0.133975
    >>> round(unfaithfulness(explainer, explanation, compat=True), 6)
    0.122617
    """
    asked = _peer.Explained(explainer, explanation)
    node_mask = _top_k_mask(asked, top_k)
    full = on_host(asked.explained_prediction())
    kept = on_host(asked.masked_prediction(node_mask=node_mask))
    full, kept = same_precision(full=full, kept=kept)
    distribution = "categorical"
    if asked.is_binary:
        if compat:
            return _of_one_column(asked, full)
        distribution = "bernoulli"
        full, kept = full.reshape(len(full), -1), kept.reshape(len(kept), -1)
    reading = (asked.return_type, distribution, "reverse" if compat else "forward")
    scores = _native.graph_unfaithfulness(full, kept, reading, asked.index())
    if compat and asked.index_is_a_number():
        return -math.expm1(-scores["divergence"] / full.shape[1])
    return float(scores["value"])


def _of_one_column(asked: _peer.Explained, full: Any) -> float:
    if asked.return_type == "raw" and full.ndim == 2 and full.shape[1] == 1:
        return 0.0
    raise ValueError(
        "compat: PyTorch Geometric takes single scores for distributions of one outcome; "
        "leave `compat` out"
    )


def _top_k_mask(asked: _peer.Explained, top_k: int | None) -> Any:
    if top_k is None:
        return None
    if _peer.word(getattr(asked.explainer, "node_mask_type", None)) == "object":
        raise ValueError("top_k: the node mask is one over nodes, which has no features to choose")
    mask = asked._get("node_mask")
    if mask is None:
        return None
    hard = top_k_feature_mask(on_host(mask), top_k)
    return mask.new_tensor(hard) if hasattr(mask, "new_tensor") else hard


def unfaithfulness_from_outputs(
    full: Any,
    kept: Any,
    *,
    return_type: str = "raw",
    distribution: str = "categorical",
    direction: str = "forward",
    index: Any = None,
    n_jobs: int | None = None,
) -> Unfaithfulness:
    """Unfaithfulness from what a model answered on the whole graph and on the explanation.

    Parameters
    ----------
    full, kept : array_like
        Outputs ``(n_samples, n_classes)``, single or double precision.
    return_type : str
        What they are: ``raw`` (logits of any size), ``probs`` or ``log_probs``.
    distribution : str
        ``categorical``: one class of several; ``bernoulli``: each column a yes or no of its own, of
        which the divergences are added.
    direction : str
        ``forward``: ``KL(full || kept)``, as the papers define it; ``reverse``: ``KL(kept ||
        full)``, the number of PyTorch Geometric and GraphXAI.
    index : array_like, optional
        Only these samples, by position or by booleans.
    n_jobs : int, optional
        The number of threads; one per core by default.

    Returns
    -------
    Unfaithfulness

    Raises
    ------
    ValueError
        For no samples, other shapes, what is not finite, and rows that are no distributions (sums
        off by more than 1e-4).

    Examples
    --------
    >>> from xai_metrics.graph import unfaithfulness_from_outputs
    >>> of = unfaithfulness_from_outputs([[0.5, 0.5]], [[0.25, 0.75]], return_type="probs")
    >>> round(of.value, 6), round(of.divergence, 6)
    (0.133975, 0.143841)
    """
    full, kept = same_precision(full=full, kept=kept)
    reading = (return_type, distribution, direction)
    at = positions(index)
    return Unfaithfulness(**_native.graph_unfaithfulness(full, kept, reading, at, n_jobs))


def unfaithfulness_per_row(
    full: Any,
    kept: Any,
    *,
    return_type: str = "raw",
    distribution: str = "categorical",
    direction: str = "forward",
    index: Any = None,
    n_jobs: int | None = None,
) -> npt.NDArray[np.float64]:
    """The unfaithfulness ``1 - exp(-KL)`` of every row by itself, ``(n_samples,)`` in [0, 1].

    Takes what :func:`unfaithfulness_from_outputs` takes.

    Examples
    --------
    >>> from xai_metrics.graph import unfaithfulness_per_row
    >>> unfaithfulness_per_row([[0.0, 0.0], [1.0, 2.0]], [[3.0, 3.0], [1.0, 2.0]])
    array([0., 0.])
    """
    full, kept = same_precision(full=full, kept=kept)
    reading = (return_type, distribution, direction)
    values: npt.NDArray[np.float64] = _native.graph_unfaithfulness_rows(
        full, kept, reading, positions(index), n_jobs
    )
    return values


def kl_divergence(p: Any, q: Any, *, from_logs: bool = False) -> float:
    """``KL(p || q) = sum p ln(p / q)`` in nats, from probabilities or from their logarithms.

    ``0 ln 0`` counts as 0; an outcome that ``p`` allows and ``q`` rules out makes it infinite.

    Parameters
    ----------
    p, q : array_like
        ``(n_outcomes,)``.
    from_logs : bool
        They are logarithms of probabilities.

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
    first = _arrays.reals(p, names[0], ndim=1).astype(np.float64, copy=False)
    second = _arrays.reals(q, names[1], ndim=1).astype(np.float64, copy=False)
    return float(_native.graph_kl(first, second, from_logs))


def top_k_features(node_mask: Any, k: int) -> list[int]:
    """The ``k`` features with the largest column sums of a node mask, ascending.

    Ties go to the lower feature. Raises ``ValueError`` for ``k`` beyond the features.

    Examples
    --------
    >>> from xai_metrics.graph import top_k_features
    >>> top_k_features([[0.1, 0.5, 0.3], [0.2, 0.5, 0.3]], 2)
    [1, 2]
    """
    mask = _arrays.reals(node_mask, "node_mask", ndim=2)
    return list(_native.graph_top_k_features(mask, _size(k)))


def top_k_feature_mask(node_mask: Any, k: int) -> npt.NDArray[Any]:
    """The node mask that keeps the :func:`top_k_features` whole and sets the rest to 0.

    Examples
    --------
    >>> from xai_metrics.graph import top_k_feature_mask
    >>> top_k_feature_mask([[0.1, 0.5, 0.3], [0.2, 0.5, 0.3]], 1)
    array([[0., 1., 0.],
           [0., 1., 0.]])
    """
    mask = _arrays.reals(node_mask, "node_mask", ndim=2)
    hard: npt.NDArray[Any] = _native.graph_top_k_feature_mask(mask, _size(k))
    return hard


def _size(k: int) -> int:
    if k < 0:
        raise ValueError(f"top_k: expected a number of features, got {k}")
    return k
