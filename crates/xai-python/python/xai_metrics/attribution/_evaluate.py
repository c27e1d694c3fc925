"""Many metrics of many explainers, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import _native
from .._arguments import number, seed_of, threads, whole
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
        parameters, without gradients and in its evaluation mode, whatever its mode was and is
        afterwards. An estimator is asked by ``predict_proba``, else by ``decision_function`` (of
        two classes two columns, ``-d`` and ``d``), else, unless it is a classifier, by
        ``predict``. ``None`` for metrics that ask no model.
    inputs : array-like or None
        ``(n, features)``, ``(n, time, features)``, ``(n, height, width, channels)`` or ``(n,
        channels, height, width)``, see ``layout``. An estimator that was fitted to a table is given
        tables of pandas where this is one. ``None`` for metrics of maps alone.
    targets : array-like or None
        Classes ``(n,)``, or one-hot or weight rows ``(n, n_outputs)``, whose score is the sum of
        the outputs by their weights. Classes are numbers of outputs, and of an estimator its
        ``classes_``, words for instance. ``None`` for the class of the largest output.
    explainers : mapping of str to array-like or callable
        By name, the maps of all samples (with or without channels), or a function
        ``explainer(inputs, targets) -> maps`` that is given arrays or tensors as the model is
        (also an object with ``attribute``, as captum has them), or a pair of both. Metrics of
        stability need a function. The columns of a table are matched with those of the inputs.
    metrics : str, or iterable or mapping of names and metrics
        Names of the registry, or objects of :mod:`~xai_metrics.attribution.metrics` with parameters;
        keys of a mapping are the names in the table. ``"standard"`` for :data:`STANDARD`, as far
        as the arguments are enough; ``"all"`` for all that they are enough for, and that have
        values for such inputs: some of them ask the model once per position. The table says why
        others are ``skipped``.
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
        What is applied to the outputs of the model. ``None`` is softmax for the decisions of a
        classifier without probabilities (``"none"`` leaves them as they are), and nothing for all
        other models: a function or a module does not say whether it answers logits.
    batch_size : int or None
        The largest number of rows that model and explainers are given at once; ``None`` for as
        many as 32 MiB hold, at least 1, at most 4096.
    allow_batch_dependence : bool
        Whether the model may answer a row otherwise in another batch. Else the first row of the
        first call with several different ones is asked alone, too, and outputs that differ by more
        than a thousandth of the largest of the call are an error: a layer of normalisation or
        dropout is in training mode.
    layout : {None, "tabular", "time-series", "channels-last", "channels-first"}
        How the axes of the inputs are read. ``None``: by their number; images channels first of
        a torch module (or ``framework="torch"``), last of a Keras model, else as the one reading
        that fits maps without channels, or images of 1 to 4 channels. Where two do, it is an
        error. The result has what was ``assumed``.
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
    given = locals()
    statistics: dict[str, Any] = {"level": number("level", given.pop("level"))}
    statistics["replicates"] = whole("replicates", given.pop("replicates"), 0)
    return _evaluated(curves=True, **given).table(**statistics, seed=seed, n_jobs=n_jobs)


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
    return _evaluated(**locals())


def _evaluated(
    explainers: Mapping[str, Any],
    metrics: Any,
    seed: int,
    n_jobs: int | None,
    progress: bool,
    **arguments: Any,
) -> EvaluationValues:
    """The values of what :func:`evaluate` was given."""
    seed, n_jobs = seed_of(seed), threads(n_jobs)
    if not isinstance(explainers, Mapping):
        raise TypeError(f"explainers: expected a mapping by name, got {type(explainers).__name__}")
    if not explainers:
        raise ValueError("explainers: empty")
    if "first_sample" in arguments:
        whole("first_sample", arguments["first_sample"], 0)
    sides = Sides(**{name: arguments.pop(name) for name in Sides.__dataclass_fields__})
    run = Run(**arguments, sides=sides)
    run.explainers = [_explained(str(name), value) for name, value in explainers.items()]
    asked, skipped = asked_metrics(metrics, run)
    run.metrics = [(name, metric.with_seed(seed)) for name, metric in asked]
    if not run.metrics:
        why = "".join(f"; {name} {reason}" for name, reason in skipped.items())
        raise ValueError(f"metrics: empty{why}")
    arrays = [run.inputs, *(maps for _, maps, _ in run.explainers)]
    total = next((len(a) for a in arrays if hasattr(a, "__len__")), None)
    with bar(total, "sample", progress) as shown:
        # What the native part calls after each batch.
        run.progress = shown.update if progress else None
        values = _native.attribution_evaluate(run.request(), n_jobs)
    return EvaluationValues(values, run.assumed, skipped)


def _explained(name: str, value: Any) -> tuple[str, Any, Any]:
    if isinstance(value, tuple) and len(value) == 2 and is_explainer(value[1]):
        return name, *value
    return (name, None, value) if is_explainer(value) else (name, value, None)


def asked_metrics(metrics: Any, run: Run) -> tuple[list[tuple[str, Metric]], dict[str, str]]:
    """The metrics that were asked for, with their names in the table, and why others of a word are not."""
    if isinstance(metrics, (str, Metric, type)) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    named = metrics.items() if isinstance(metrics, Mapping) else ((None, m) for m in metrics)
    asked: list[tuple[str, Metric]] = []
    skipped: dict[str, str] = {}
    for name, metric in named:
        if metric in ("standard", "all"):
            for word in STANDARD if metric == "standard" else [i.name for i in metric_infos()]:
                reason = _obstacle(metric_info(word), run)
                if reason is not None:
                    skipped[word] = reason
                elif all(word != known for known, _ in asked):
                    asked.append((word, by_name(word)()))
            continue
        if isinstance(metric, type) and issubclass(metric, Metric):
            metric = metric()
        if not isinstance(metric, Metric):
            metric = _by_name(metric)
        missing = metric.missing(run)
        if missing:
            raise ValueError(f"{metric.name}: needs {', '.join(missing)}")
        asked.append((metric.name if name is None else str(name), metric))
    return asked, skipped


def _by_name(name: Any) -> Metric:
    if not isinstance(name, str):
        raise TypeError(f"metrics: expected names and metrics, got {type(name).__name__}")
    return by_name(name)()


def _obstacle(info: MetricInfo, run: Run) -> str | None:
    """Why a metric at its defaults has no value for the data of a run."""
    if info.has_call_of_its_own:
        return f"has a function of its own, {info.name}()"
    missing = by_name(info.name)().missing(run)
    if missing:
        return f"needs {', '.join(missing)}"
    rows = run.targets is not None and to_numpy(run.targets, "targets").ndim == 2
    if not rows and any(parameter.name == "n_classes" for parameter in info.parameters):
        return "needs n_classes, or targets that are rows of weights"
    if run.read_layout is not None and run.read_layout not in info.layouts:
        return f"has values for {' and '.join(info.layouts)} inputs, these are {run.read_layout}"
    return None
