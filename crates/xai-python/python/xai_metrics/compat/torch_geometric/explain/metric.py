"""Drop-in replacement for ``torch_geometric.explain.metric``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xai_metrics import _native, graph
from xai_metrics.graph._inputs import mask_and_truth, on_host, same_precision

from ._explained import Explained, word

__all__ = [
    "characterization_score",
    "fidelity",
    "fidelity_curve_auc",
    "groundtruth_metrics",
    "unfaithfulness",
]

#: Default metrics, in the order of PyTorch Geometric.
METRICS = ("accuracy", "recall", "precision", "f1_score", "auroc")
#: Further available metrics.
MORE_METRICS = ("average_precision", "jaccard")


def fidelity(explainer: Any, explanation: Any) -> tuple[float, float]:
    """Compute the fidelity of an explanation of PyTorch Geometric.

    Parameters
    ----------
    explainer : torch_geometric.explain.Explainer
        Its model is called on the explanation and on the complement, and, for explanations of a
        phenomenon, on the whole graph.
    explanation : torch_geometric.explain.Explanation
        The explanation.

    Returns
    -------
    pos_fidelity, neg_fidelity : float
        fid+ and fid-, see :class:`xai_metrics.graph.Fidelity`. For explanations of the model,
        predictions are compared with the explained one; for those of a phenomenon it is whether
        they are right that is compared.

    Raises
    ------
    ValueError
        For a model of regression.

    See Also
    --------
    xai_metrics.graph.fidelity : the same from arrays.

    Notes
    -----
    The same number as PyTorch Geometric's, which rounds it to single precision. Outputs on another
    device are copied to the host. Source: Amara et al. 2022, arXiv 2206.09677.

    Examples
    --------
    Anything with the methods of an explainer will do:

    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from xai_metrics.compat.torch_geometric.explain import fidelity
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
    asked = Explained(explainer, explanation)
    is_model = asked.explains_model
    target = asked.target()
    full = target if is_model else asked.labels(asked.prediction())
    kept = asked.labels(asked.masked_prediction())
    complement = asked.labels(asked.masked_prediction(complement=True))
    scores = graph.fidelity(
        on_host(full),
        on_host(kept),
        on_host(complement),
        None if is_model else on_host(target),
        index=asked.index(),
    )
    return scores.pos, scores.neg


def characterization_score(
    pos_fidelity: Any, neg_fidelity: Any, pos_weight: float = 0.5, neg_weight: float = 0.5
) -> Any:
    """Compute :func:`xai_metrics.graph.characterization_score`, also of tensors.

    The weights must add up to 1 within 1e-9; PyTorch Geometric compares floats for equality.

    Parameters
    ----------
    pos_fidelity, neg_fidelity : array_like, tensor or float
        fid+ and fid-, in [0, 1].
    pos_weight, neg_weight : float
        At least 0, with sum 1.

    Returns
    -------
    numpy.ndarray, tensor or float
        Scores; a tensor without gradient if ``pos_fidelity`` is a tensor.

    Raises
    ------
    ValueError
        See :func:`xai_metrics.graph.characterization_score`.

    Examples
    --------
    >>> from xai_metrics.compat.torch_geometric.explain import characterization_score
    >>> characterization_score(0.75, 0.25)
    0.75
    """
    scores = graph.characterization_score(pos_fidelity, neg_fidelity, pos_weight, neg_weight)
    return _like(scores, pos_fidelity)


def fidelity_curve_auc(pos_fidelity: Any, neg_fidelity: Any, x: Any) -> Any:
    """Compute :func:`xai_metrics.graph.fidelity_curve_auc`, also of tensors.

    The area of a single point is 0, as in PyTorch Geometric;
    :func:`xai_metrics.graph.fidelity_curve_auc` raises an error.

    Parameters
    ----------
    pos_fidelity, neg_fidelity : array_like or tensor
        fid+ and fid- at each point.
    x : array_like or tensor
        Positions of the points, ascending.

    Returns
    -------
    float or tensor
        Area; a zero-dimensional tensor if ``pos_fidelity`` is a tensor.

    Raises
    ------
    ValueError
        See :func:`xai_metrics.graph.fidelity_curve_auc`.

    Examples
    --------
    >>> from xai_metrics.compat.torch_geometric.explain import fidelity_curve_auc
    >>> round(fidelity_curve_auc([1.0, 1.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.9], [0, 1, 2, 3]), 9)
    8.5
    """
    # One point twice is a curve without a width.
    curve = [[*item, *item] if len(x) == 1 else item for item in (pos_fidelity, neg_fidelity, x)]
    return _like(graph.fidelity_curve_auc(*curve), pos_fidelity)


def unfaithfulness(
    explainer: Any, explanation: Any, top_k: int | None = None, *, compat: bool = False
) -> float:
    """Compute the unfaithfulness of an explanation of PyTorch Geometric: ``1 - exp(-KL(y ||
    y_hat))``.

    Parameters
    ----------
    explainer : torch_geometric.explain.Explainer
        Its model is called on the explanation, and on the whole graph if the explanation does not
        store that prediction.
    explanation : torch_geometric.explain.Explanation
        The explanation.
    top_k : int, optional
        Number of features with the largest sums of the node mask to keep (ties: the lower feature);
        the rest is set to 0. By default the node mask is used unchanged.
    compat : bool
        Whether to return the value of PyTorch Geometric's code, ``KL(y_hat || y)``.

    Returns
    -------
    float
        In [0, 1], lower is better; 0 = the same answer.

    Raises
    ------
    ValueError
        For a model of regression, for ``top_k`` with a node mask over nodes alone or beyond the
        features, and for outputs that are not what the explainer's configuration says.

    See Also
    --------
    xai_metrics.graph.unfaithfulness : the same from arrays.

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

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from xai_metrics.compat.torch_geometric.explain import unfaithfulness
    >>> explainer = SimpleNamespace(
    ...     model_config=SimpleNamespace(mode="multiclass_classification", return_type="probs"),
    ...     get_masked_prediction=lambda *graph_and_masks: np.array([[0.25, 0.75]]))
    >>> explanation = dict(x=None, edge_index=None, prediction=np.array([[0.5, 0.5]]))
    >>> round(unfaithfulness(explainer, explanation), 6)   # 1 - sqrt(3)/2
    0.133975
    >>> round(unfaithfulness(explainer, explanation, compat=True), 6)
    0.122617
    """
    asked = Explained(explainer, explanation)
    node_mask = _top_k_mask(asked, top_k)
    full = on_host(asked.explained_prediction())
    kept = on_host(asked.masked_prediction(node_mask=node_mask))
    full, kept = same_precision(full=full, kept=kept)
    distribution = "categorical"
    if asked.is_binary:
        if compat:
            return _single_column(asked, full)
        distribution = "bernoulli"
        full, kept = full.reshape(len(full), -1), kept.reshape(len(kept), -1)
    reading = {
        "return_type": asked.return_type,
        "output_distribution": distribution,
        "kl_direction": "reverse" if compat else "forward",
    }
    scores = _native.graph_unfaithfulness(full, kept, reading, asked.index())
    if compat and asked.index_is_a_number():
        return -math.expm1(-scores["divergence"] / full.shape[1])
    return float(scores["value"])


def _single_column(asked: Explained, full: Any) -> float:
    if asked.return_type == "raw" and full.ndim == 2 and full.shape[1] == 1:
        return 0.0
    raise ValueError(
        "compat: PyTorch Geometric takes single scores for distributions of one outcome; "
        "leave `compat` out"
    )


def _top_k_mask(asked: Explained, top_k: int | None) -> Any:
    if top_k is None:
        return None
    if word(getattr(asked.explainer, "node_mask_type", None)) == "object":
        raise ValueError("top_k: the node mask is one over nodes, which has no features to choose")
    mask = asked._get("node_mask")
    if mask is None:
        return None
    hard = graph.top_k_feature_mask(on_host(mask), top_k)
    return mask.new_tensor(hard) if hasattr(mask, "new_tensor") else hard


def groundtruth_metrics(
    pred_mask: Any,
    target_mask: Any,
    metrics: str | Sequence[str] | None = None,
    threshold: float = 0.5,
    *,
    zero_division: float | None = 0.0,
    compat: bool = False,
) -> float | tuple[float, ...]:
    """Compare the mask of an explanation with the true one.

    Parameters
    ----------
    pred_mask, target_mask : array_like or torch.Tensor
        Of as many elements, in [0, 1]; any shape.
    metrics : str or sequence of str, optional
        Of ``accuracy``, ``recall``, ``precision``, ``f1_score``, ``auroc`` (the default, in that
        order), ``average_precision`` and ``jaccard``.
    threshold : float
        In [0, 1]: an element is true when ``target >= threshold``, predicted when
        ``pred > threshold``, strictly. Both are compared in the precision of ``pred_mask``.
    zero_division : float, optional
        Value of statistics that divide zero by zero: 0 as in PyTorch Geometric, 1, or ``None`` for
        NaN.
    compat : bool
        Whether to treat scores as logits if any is outside [0, 1], as PyTorch Geometric does
        silently.

    Returns
    -------
    float or tuple of float
        One float for one metric; all in [0, 1], higher is better.

    Raises
    ------
    ValueError
        For an unknown metric, other lengths, no elements, and scores outside [0, 1] (see
        ``compat``).

    Notes
    -----
    Source of the first five: PyTorch Geometric with torchmetrics; of ``jaccard``: GraphXAI, Agarwal
    et al. 2022, arXiv 2208.09339.

    Examples
    --------
    >>> from xai_metrics.compat.torch_geometric.explain import groundtruth_metrics
    >>> groundtruth_metrics([0.9, 0.4, 0.6, 0.1], [1.0, 1.0, 0.0, 0.0])
    (0.5, 0.5, 0.5, 0.5, 0.75)
    >>> groundtruth_metrics([0.9, 0.4, 0.6, 0.1], [1.0, 1.0, 0.0, 0.0], "auroc")
    0.75
    """
    if metrics is not None and not isinstance(metrics, (str, tuple, list)):
        raise ValueError(
            f"metrics: expected a name or a list of names, got {type(metrics).__name__}"
        )
    names = METRICS if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    for name in names:
        if name not in METRICS + MORE_METRICS:
            known = ", ".join(METRICS + MORE_METRICS)
            raise ValueError(f"metrics: expected some of {known}, got {name!r}")
    scores, truth = mask_and_truth(on_host(pred_mask), on_host(target_mask))
    logits = compat and scores.size > 0 and bool(scores.min() < 0 or scores.max() > 1)
    undefined = "undefined" if zero_division is None else zero_division
    choices = {"threshold": threshold, "zero_division": undefined, "logits": logits}
    result = _native.graph_ground_truth(scores, truth, choices)
    values = [math.nan if result[name] is None else float(result[name]) for name in names]
    return values[0] if len(values) == 1 else tuple(values)


def _like(scores: Any, given: Any) -> Any:
    """Convert scores to a tensor with the type of ``given`` if that is a tensor."""
    if type(given).__module__.partition(".")[0] != "torch":
        return scores
    return (given if given.is_floating_point() else given.float()).new_tensor(scores)
