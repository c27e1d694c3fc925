"""Many metrics of many explainers, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import _native
from .._arrays import to_numpy
from .._progress import bar
from ._data import Run, Sides
from ._metric import Metric
from ._models import is_explainer
from ._registry import MetricInfo, metric_info, metric_infos
from ._table import EvaluationTable, EvaluationValues
from .metrics import by_name

if TYPE_CHECKING:
    from ._models import Framework

#: The metrics of an evaluation in which none are named: one of each kind that costs few rows of the
#: model, whatever the size of the inputs.
STANDARD = (
    "symmetric_relevance_gain",
    "average_drop",
    "average_increase",
    "average_gain",
    "deletion",
    "insertion",
    "mu_fidelity",
    "complexity",
    "sparseness",
)


def evaluate(
    model: Any,
    inputs: Any,
    targets: Any,
    explainers: Mapping[str, Any],
    metrics: str | Iterable[str | Metric] | Mapping[str, str | Metric] = "standard",
    *,
    masks: Any = None,
    mosaic: Any = None,
    segments: Any = None,
    reference_maps: Any = None,
    second_maps: Any = None,
    representation: Any = None,
    activation: str | None = None,
    batch_size: int | None = None,
    allow_batch_dependence: bool = False,
    layout: str | None = None,
    framework: Framework | None = None,
    device: Any = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: bool = False,
) -> EvaluationTable:
    """Judges explainers of one model by many metrics, without one call of the model too many.

    Scores that several metrics or explainers read are taken once: those of the inputs by all,
    those of masked inputs by Average Drop, Increase and Gain, those of random subsets by μFidelity
    of all explainers. Batches are prepared on all threads while the model runs on yours.

    Parameters
    ----------
    model : callable, torch module, Keras model, estimator or None
        Is given a batch of inputs and answers ``(batch, n_outputs)``, or ``(batch,)`` for one
        output. A torch module is given tensors on the device and in the precision of its
        parameters, without gradients; an estimator is asked by ``predict_proba`` (else
        ``predict``). ``None`` for metrics that ask no model.
    inputs : array-like or None
        ``(n, features)``, ``(n, time, features)``, ``(n, height, width, channels)`` or, with
        ``layout="channels-first"``, ``(n, channels, height, width)``. ``None`` for metrics of maps
        alone.
    targets : array-like or None
        Classes ``(n,)``, or one-hot or weight rows ``(n, n_outputs)``, whose score is the sum of
        the outputs by their weights. ``None`` for the class of the largest output.
    explainers : mapping of str to array-like or callable
        By name, the maps of all samples (with or without channels), or a function
        ``explainer(inputs, targets) -> maps`` that is given arrays or tensors as the model is
        (also an object with ``attribute``, as captum has them), or a pair of both. Metrics of
        stability need a function.
    metrics : str, or iterable or mapping of names and metrics
        Names of the registry, or objects of :mod:`~xai_metrics.attribution.metrics` with parameters;
        keys of a mapping are the names in the table. ``"standard"`` for :data:`STANDARD`, as far
        as the arguments are enough; ``"all"`` for all that they are enough for: some of them ask
        the model once per position.
    masks : array-like, optional
        Where the object is, booleans ``(n, height, width)``.
    mosaic : array-like, optional
        Instead of masks: which cells of a mosaic show the class, booleans ``(n, rows, columns)``.
    segments : array-like, optional
        The segment of each position, ``(n, height, width)`` or ``(height, width)``.
    reference_maps : array-like, optional
        Maps that others are compared with, ``(n, …)`` or ``(1, …)``.
    second_maps : array-like or callable, optional
        Maps of the same samples by the randomized or the shifted model.
    representation : callable, optional
        A layer of the model: a batch in, ``(batch, size)`` out.
    activation : {None, "softmax", "sigmoid", "log-softmax"}
        What is applied to the outputs of the model.
    batch_size : int or None
        The largest number of rows that model and explainers are given at once; ``None`` for as
        many as 32 MiB hold, at least 1, at most 4096.
    allow_batch_dependence : bool
        Whether the model may answer a row otherwise in another batch. Else the first row of the
        first call with several different ones is asked alone, too, and outputs that differ by more
        than a thousandth of the largest of the call are an error: a layer of normalisation or
        dropout is in training mode.
    layout : {None, "tabular", "time-series", "channels-last", "channels-first"}
        How the axes of the inputs are read; by their number, and channels last, where it is
        ``None``.
    framework : {None, "numpy", "torch", "jax", "tensorflow"}
        What model and explainers are given; recognized for torch modules and Keras models.
    device : optional
        Where tensors are put; that of the parameters of a torch module.
    level : float
        The coverage of the intervals.
    replicates : int
        Bootstrap replicates behind each interval; 0 makes none.
    seed : int
        What bootstrap and metrics depend on; a metric with a seed of its own keeps it.
    n_jobs : int or None
        Threads; ``None`` for one per core. The results do not depend on it.
    progress : bool
        Whether to show a bar, where tqdm is installed.

    Returns
    -------
    EvaluationTable

    Raises
    ------
    ValueError
        For arrays that do not fit each other, NaN in inputs, maps or outputs, an answer of the
        wrong shape, a model whose answers depend on the batch, a missing input, an unknown metric.
        Also for a base score that the formula of the only metric cannot divide by; one of several
        metrics is undefined then, see :attr:`MetricResult.undefined`.
    TypeError
        For arguments that are no arrays of numbers.
    Exception
        Whatever model or explainer raise, unchanged. An exception has ``completed_scores``:
        triples of explainer, score and values by sample of all that was computed until then, NaN
        where it was not.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]])
    >>> maps = {"good": np.eye(2)[[0, 1, 0]], "bad": np.eye(2)[[1, 0, 1]]}
    >>> table = evaluate(lambda x: x, x, [0, 1, 0], maps, ["average_drop", "deletion"])
    >>> table["deletion"].ranking
    ['good', 'bad']
    """
    run = _run(
        explainers,
        metrics,
        seed,
        model=model,
        inputs=inputs,
        targets=targets,
        sides=Sides(masks, mosaic, segments, reference_maps, second_maps, representation),
        activation=activation,
        batch_size=batch_size,
        allow_batch_dependence=allow_batch_dependence,
        layout=layout,
        framework=framework,
        device=device,
        curves=True,
    )
    values = _evaluated(run, n_jobs, progress)
    return values.table(level=level, replicates=replicates, seed=seed, n_jobs=n_jobs)


def evaluate_part(
    model: Any,
    inputs: Any,
    targets: Any,
    explainers: Mapping[str, Any],
    metrics: str | Iterable[str | Metric] | Mapping[str, str | Metric] = "standard",
    *,
    first_sample: int = 0,
    masks: Any = None,
    mosaic: Any = None,
    segments: Any = None,
    reference_maps: Any = None,
    second_maps: Any = None,
    representation: Any = None,
    activation: str | None = None,
    batch_size: int | None = None,
    allow_batch_dependence: bool = False,
    layout: str | None = None,
    framework: Framework | None = None,
    device: Any = None,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: bool = False,
) -> EvaluationValues:
    """The values of one part of a data set, which join those of other parts.

    ``first_sample`` is the place of the first sample in the whole: random choices belong to a
    sample's place, so that parts give the values of the whole. A baseline that is the mean of the
    data set is that of the part; give the mean of the whole as an array. All other arguments are
    those of :func:`evaluate`.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[4.0, 1.0], [2.0, 1.0]])
    >>> maps = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> parts = [
    ...     evaluate_part(
    ...         lambda x: x, x[[i]], [0], {"mine": maps[[i]]}, ["average_drop"], first_sample=i
    ...     )
    ...     for i in range(2)
    ... ]
    >>> round(parts[0].merge(parts[1]).table()["average_drop"]["mine"].value, 6)
    0.5
    """
    run = _run(
        explainers,
        metrics,
        seed,
        model=model,
        inputs=inputs,
        targets=targets,
        sides=Sides(masks, mosaic, segments, reference_maps, second_maps, representation),
        activation=activation,
        batch_size=batch_size,
        allow_batch_dependence=allow_batch_dependence,
        layout=layout,
        framework=framework,
        device=device,
        first_sample=first_sample,
    )
    return _evaluated(run, n_jobs, progress)


def _run(explainers: Mapping[str, Any], metrics: Any, seed: int, **arguments: Any) -> Run:
    if not isinstance(explainers, Mapping):
        raise TypeError(f"explainers: expected a mapping by name, got {type(explainers).__name__}")
    if not explainers:
        raise ValueError("explainers: empty")
    run = Run(**arguments)
    run.explainers = [_explained(str(name), value) for name, value in explainers.items()]
    run.metrics = [(name, metric.with_seed(seed)) for name, metric in asked_metrics(metrics, run)]
    if not run.metrics:
        raise ValueError("metrics: empty")
    return run


def _explained(name: str, value: Any) -> tuple[str, Any, Any]:
    if isinstance(value, tuple) and len(value) == 2 and is_explainer(value[1]):
        return name, *value
    return (name, None, value) if is_explainer(value) else (name, value, None)


def asked_metrics(metrics: Any, run: Run) -> list[tuple[str, Metric]]:
    """The metrics that were asked for, with their names in the table."""
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    named = metrics.items() if isinstance(metrics, Mapping) else ((None, m) for m in metrics)
    asked: list[tuple[str, Metric]] = []
    for name, metric in named:
        if metric in ("standard", "all"):
            words = STANDARD if metric == "standard" else [i.name for i in metric_infos()]
            possible = [by_name(word)() for word in words if _is_possible(metric_info(word), run)]
            known = {name for name, _ in asked}
            asked += [(m.name, m) for m in possible if m.name not in known and not m.missing(run)]
            continue
        if isinstance(metric, type) and issubclass(metric, Metric):
            metric = metric()
        if not isinstance(metric, Metric):
            metric = _by_name(metric)
        missing = metric.missing(run)
        if missing:
            raise ValueError(f"{metric.name}: needs {', '.join(missing)}")
        asked.append((metric.name if name is None else str(name), metric))
    return asked


def _by_name(name: Any) -> Metric:
    if not isinstance(name, str):
        raise TypeError(f"metrics: expected names and metrics, got {type(name).__name__}")
    return by_name(name)()


def _is_possible(info: MetricInfo, run: Run) -> bool:
    if any(parameter.name == "n_classes" for parameter in info.parameters):
        # Classes do not say how many there are.
        rows = run.targets is not None and to_numpy(run.targets, "targets").ndim == 2
        return rows and not info.has_call_of_its_own
    return not info.has_call_of_its_own


def _evaluated(run: Run, n_jobs: int | None, progress: bool) -> EvaluationValues:
    arrays = [run.inputs, *(maps for _, maps, _ in run.explainers)]
    total = next((len(a) for a in arrays if hasattr(a, "__len__")), None)
    with bar(total, "sample", progress) as shown:
        # What the native part calls after each batch.
        run.progress = shown.update if progress else None
        return EvaluationValues(_native.attribution_evaluate(run.request(), n_jobs))
