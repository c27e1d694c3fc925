"""Stands in for the metrics of ``openxai``: ``openxai.metrics`` and ``openxai.evaluator``.

>>> import numpy as np
>>> from xai_metrics.compat import openxai
>>> maps, truth = np.array([[3.0, 2.0, 0.1], [0.1, 2.0, 3.0]]), np.array([3.0, 2.0, 1.0])
>>> per_sample, mean = openxai.rankcorr(maps, truth)
>>> per_sample.round(6).tolist(), round(float(mean), 6)
([1.0, -1.0], 0.0)

Inputs are tables. Every function answers the values of all samples, NaN where there is none, and
their mean. A number of features ``k`` is a whole number, a share, or -1 for all; whole numbers fail
in OpenXAI.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arrays import reals, to_numpy
from xai_metrics._frameworks import Tensors
from xai_metrics.attribution import _models
from xai_metrics.attribution._data import predicted_classes
from xai_metrics.attribution._registry import named
from xai_metrics.attribution.metrics import by_name

from ._per_sample import per_sample

if TYPE_CHECKING:
    import numpy.typing as npt

    from xai_metrics.attribution._metric import Metric

    Array = npt.NDArray[Any]
    Values = tuple[Array, float]

__all__ = [
    "Evaluator",
    "eval_ground_truth_faithfulness",
    "eval_pred_faithfulness",
    "eval_relative_stability",
    "ground_truth_metrics",
    "metrics_dict",
    "metrics_params",
    "pairwise_comp",
    "prediction_metrics",
    "rankcorr",
    "stability_metrics",
]

#: Agreement of the largest attributions, by the words of OpenXAI.
_AGREEMENTS = {"overlap": "FA", "rank": "RA", "sign": "SA", "ranksign": "SRA"}


def pairwise_comp(explanations: Any, ground_truth: Any, *, compat: bool = False) -> Values:
    """Pairwise Rank Agreement (PRA): the share of the pairs of features in the same order as in a
    truth.

    Features of equal attributions share a rank. Better: higher. ``compat=True`` has the ranks of
    OpenXAI, which follow each other without gaps.

    >>> round(pairwise_comp([[3.0, 2.0, 1.0]], [3.0, 1.0, 2.0])[1], 6)
    0.666667
    """
    return _with_reference("PRA", explanations, ground_truth, **_ranks(compat))


def rankcorr(explanations: Any, ground_truth: Any, *, compat: bool = False) -> Values:
    """Rank Correlation (RC): do attributions and a truth rank the features alike?

    Spearman's correlation of the sizes of the attributions. Better: higher. ``compat=True`` has the
    ranks of OpenXAI, which follow each other without gaps: with ties its number is another.
    """
    return _with_reference("RC", explanations, ground_truth, **_ranks(compat))


def eval_ground_truth_faithfulness(
    explanations: Any,
    ground_truth: Any,
    predictions: Any,
    k: float,
    metric: str,
    AUC: bool = False,
) -> Values:
    """Agreement of the largest attributions with those of a truth: FA, RA, SA and SRA.

    Better: higher. The numbers are those of OpenXAI.

    Parameters
    ----------
    explanations : array-like
        Maps ``(n, n_features)``.
    ground_truth : array-like
        The true map of class 1 ``(n_features,)``; that of class 0 is its negative.
    predictions : array-like
        Predicted classes, 0 and 1, ``(n,)``.
    k : int or float
        How many attributions are the largest: a number, a share, or -1 for all.
    metric : {"overlap", "rank", "sign", "ranksign"}
        What has to be the same: FA, RA, SA or SRA.
    AUC : bool
        Whether it is the mean over 1 to ``k`` of the largest.

    Examples
    --------
    >>> eval_ground_truth_faithfulness([[3.0, -2.0, 1.0]], [3.0, 1.0, 2.0], [1], 2, "overlap")[1]
    0.5
    """
    if metric not in _AGREEMENTS:
        raise ValueError(f"metric: expected one of {', '.join(_AGREEMENTS)}, got {metric!r}")
    truth = reals(ground_truth, "ground_truth", 1)
    signs = np.where(to_numpy(predictions, "predictions") > 0, 1.0, -1.0)
    top = _number_of(k, truth.size)
    references = signs[:, None] * truth
    return _with_reference(
        _AGREEMENTS[metric], explanations, references, k=top, over_top=AUC and top > 1
    )


def eval_pred_faithfulness(
    explanations: Any,
    inputs: Any,
    model: Any,
    k: float,
    perturb_method: Any,
    feature_metadata: Any,
    n_samples: int = 100,
    invert: bool = False,
    seed: int = -1,
    n_jobs: int | None = None,
    AUC: bool = False,
    *,
    compat: bool = False,
) -> Values:
    """Prediction gaps: how far does the score move under noise on the largest attributions (PGI),
    or on all others (PGU)?

    The score is that of the predicted class. OpenXAI reads the first output whatever is predicted,
    as ``compat=True`` does. Better: higher for PGI, lower for PGU.

    Parameters
    ----------
    explanations, inputs : array-like
        Maps and inputs ``(n, n_features)``.
    model
        As in :func:`xai_metrics.attribution.evaluate`.
    k : int or float
        How many attributions are the largest: a number, a share, or -1 for all.
    perturb_method
        An object with the method ``get_perturbed_inputs`` of OpenXAI.
    feature_metadata : sequence
        What ``perturb_method`` is told of the features.
    n_samples : int
        Perturbations of each input.
    invert : bool
        Whether noise is on all features but the largest: PGU.
    seed : int
        Of the generators of torch and NumPy before each sample; -1 for the place of the sample.
    n_jobs : int or None
        Threads; ``None`` for one per core.
    AUC : bool
        Whether it is the area over 1 to ``k`` of the largest.
    """
    x, maps = reals(inputs, "inputs", 2), reals(explanations, "explanations", 2)
    noise = np.stack(
        [
            _perturbed(perturb_method, row, n_samples, feature_metadata, i if seed == -1 else seed)
            for i, row in enumerate(x)
        ],
        axis=1,
    )
    kind = _metric("PGU" if invert else "PGI")
    run = {
        "model": model,
        "inputs": x,
        "targets": np.zeros(len(x), np.int64) if compat else None,
        "explanations": maps,
        "n_jobs": n_jobs,
    }
    top = _number_of(k, x.shape[1])
    sizes = range(1, top + 1) if AUC and top > 1 else [top]
    values = np.array([per_sample(kind(k=n, draws=noise), run) for n in sizes])
    if len(values) > 1:
        # Trapezoids over the whole range.
        return _answered(((values[1:] + values[:-1]) / 2.0).mean(axis=0))
    return _answered(values[0])


def eval_relative_stability(
    explainer: Any,
    inputs: Any,
    model: Any,
    perturb_method: Any,
    feature_metadata: Any,
    metric: str,
    p_norm: float = 2,
    n_samples: int = 1000,
    n_perturbations: int = 100,
    seed: int = -1,
    n_jobs: int | None = None,
) -> Values:
    """Relative stability (RIS, ROS, RRS): how far does a map move for each share that the input,
    the outputs or a layer of the model move, at most?

    Of the perturbed inputs the first ``n_perturbations`` with the same prediction count. Better:
    lower. The numbers are those of OpenXAI, which leaves out samples without a value.

    Parameters
    ----------
    explainer
        An object with ``get_explanations(inputs, label=…)``, or a function of inputs and targets.
    inputs : array-like
        ``(n, n_features)``.
    model
        A model of OpenXAI, which has ``predict_with_logits`` and ``predict_layer``; of any other
        model the outputs are read as they are, and RRS is not to be had.
    metric : {"RIS", "ROS", "RRS"}
        What the change of a map is compared with.
    p_norm : 2
        The norm.
    perturb_method, feature_metadata, n_samples, seed, n_jobs
        As in :func:`eval_pred_faithfulness`.
    """
    if metric not in stability_metrics:
        raise ValueError(f"metric: expected one of {', '.join(stability_metrics)}, got {metric!r}")
    if p_norm != 2:
        raise ValueError(f"p_norm: expected 2, got {p_norm!r}")
    x = reals(inputs, "inputs", 2)
    tensors = Tensors.of(model, None, None)
    logits = getattr(model, "predict_with_logits", None)
    function = _models.model_function(model)
    if logits is not None:
        function = _of_arrays(logits, tensors)
    classes = predicted_classes(function, x, None)
    noise = np.empty((n_perturbations, *x.shape), x.dtype)
    for i, row in enumerate(x):
        drawn = _perturbed(
            perturb_method, row, n_samples, feature_metadata, i if seed == -1 else seed
        )
        same = drawn[predicted_classes(function, row + drawn, None) == classes[i]]
        # One more neighbour like another does not change the largest value.
        noise[:, i] = np.resize(same, noise[:, i].shape) if len(same) else drawn[:1]
        noise[: len(same), i] = same[:n_perturbations]
    run: dict[str, Any] = {
        "model": function,
        "inputs": x,
        "targets": classes,
        "explainer": _explainer(explainer, tensors),
        "n_jobs": n_jobs,
    }
    if metric == "RRS":
        layer = getattr(model, "predict_layer", None)
        if layer is None:
            raise ValueError("model: RRS needs predict_layer, as the models of OpenXAI have it")
        first = _of_arrays(lambda batch: layer(batch, hidden_layer_idx=0, post_act=True), tensors)
        run["representation"] = first
    return _answered(per_sample(_metric(metric)(draws=noise), run))


#: The function of each metric, and what it is told.
metrics_dict: dict[str, Callable[..., Values]] = {
    "PRA": pairwise_comp,
    "RC": rankcorr,
    **dict.fromkeys(_AGREEMENTS.values(), eval_ground_truth_faithfulness),
    **dict.fromkeys(("PGU", "PGI"), eval_pred_faithfulness),
    **dict.fromkeys(("RIS", "RRS", "ROS"), eval_relative_stability),
}
metrics_params: dict[str, dict[str, Any]] = {
    "PRA": {},
    "RC": {},
    **{name: {"metric": word} for word, name in _AGREEMENTS.items()},
    "PGU": {"invert": True},
    "PGI": {"invert": False},
    **{name: {"metric": name} for name in ("RIS", "RRS", "ROS")},
}
ground_truth_metrics = ["PRA", "RC", "FA", "RA", "SA", "SRA"]
prediction_metrics = ["PGU", "PGI"]
stability_metrics = ["RIS", "RRS", "ROS"]


class Evaluator:
    """One metric of one model.

    Parameters
    ----------
    model
        The model; metrics of a truth need its ``return_ground_truth_importance()``.
    metric : str
        "PRA", "RC", "FA", "RA", "SA", "SRA", "PGU", "PGI", "RIS", "RRS" or "ROS".

    Examples
    --------
    >>> class Linear:
    ...     def return_ground_truth_importance(self):
    ...         return [3.0, 2.0, 1.0]
    >>> per_sample, mean = Evaluator(Linear(), "RC").evaluate(explanations=[[3.0, 2.0, 0.5]])
    >>> round(mean, 6)
    1.0
    """

    def __init__(self, model: Any, metric: str) -> None:
        if metric not in metrics_dict:
            raise ValueError(f"metric: expected one of {', '.join(metrics_dict)}, got {metric!r}")
        self.model = model
        self.metric = metric
        self.metric_fn = metrics_dict[metric]
        # Of this evaluator alone: those of OpenXAI share theirs.
        self.metrics_params = dict(metrics_params[metric])
        if metric in ground_truth_metrics:
            truth = getattr(model, "return_ground_truth_importance", None)
            if truth is None:
                raise ValueError(f"model: {metric} needs its return_ground_truth_importance()")
            self.metrics_params["ground_truth"] = truth()
        else:
            self.metrics_params["model"] = model

    def evaluate(self, **param_dict: Any) -> Values:
        """The values of all samples, and their mean."""
        self.metrics_params.update(param_dict)
        return self.metric_fn(**self.metrics_params)


def _metric(name: str) -> type[Metric]:
    """The metric that is called so there."""
    return by_name(named("openxai", name).name)


def _ranks(compat: bool) -> dict[str, str]:
    return {"rank_ties": "dense"} if compat else {}


def _with_reference(name: str, explanations: Any, reference: Any, **parameters: Any) -> Values:
    maps = np.atleast_2d(reals(explanations, "explanations"))
    references = np.atleast_2d(reals(reference, "ground_truth"))
    run = {"explanations": maps, "reference_maps": references, "layout": "tabular"}
    return _answered(per_sample(_metric(name)(**parameters), run))


def _answered(per_sample: Array) -> Values:
    defined = per_sample[~np.isnan(per_sample)]
    return per_sample, float(defined.mean()) if defined.size else float("nan")


def _number_of(k: float, n_features: int) -> int:
    if k == -1:
        return n_features
    if isinstance(k, float):
        if not 0.0 < k < 1.0:
            raise ValueError(f"k: expected a share between 0 and 1, a number or -1, got {k}")
        return math.ceil(k * n_features)
    return int(k)


def _perturbed(method: Any, row: Array, n: int, metadata: Any, seed: int) -> Array:
    """What a method of OpenXAI adds to one input ``(n, n_features)``."""
    import torch

    x = torch.from_numpy(np.ascontiguousarray(row)).float()
    with _seeded(seed):
        moved = method.get_perturbed_inputs(
            original_sample=x,
            feature_mask=torch.zeros(len(row), dtype=torch.bool),
            num_samples=n,
            feature_metadata=metadata,
        )
    added: Array = (moved - x).detach().numpy().astype(row.dtype)
    return added


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """The generators of torch and NumPy from a seed on; afterwards they are as they were."""
    import torch

    state = np.random.get_state()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        np.random.seed(seed)
        try:
            yield
        finally:
            np.random.set_state(state)


def _of_arrays(function: Callable[[Any], Any], tensors: Tensors) -> Callable[..., Array]:
    def outputs(batch: Array, samples: Any = None) -> Array:
        with tensors.calling():
            answer = tensors.array(function(tensors.tensor(batch)), "the answer of the model")
        rows: Array = answer.reshape(len(batch), -1)
        return rows

    return outputs


def _explainer(explainer: Any, tensors: Tensors) -> Callable[[Array, Array], Array]:
    ask = getattr(explainer, "get_explanations", None)
    if ask is None:
        return _models.explainer_function(explainer, tensors)

    def maps(inputs: Array, targets: Array) -> Array:
        with tensors.calling(gradients=True):
            answer = ask(tensors.tensor(inputs), label=tensors.tensor(targets))
        found: Array = tensors.array(answer, "the maps of explainer")
        return found

    return maps
