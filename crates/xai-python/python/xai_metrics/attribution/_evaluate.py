"""Evaluation of several explainers by several metrics in one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._arguments import number, seed_of, threads, whole
from .._progress import bar
from ._data import Run, explained
from ._keywords import EvaluateKeywords, with_keywords
from ._masked import MaskedModel, MaskedRun
from ._metric import Metric
from ._selection import select
from ._table import EvaluationTable, EvaluationValues
from ._texts import is_ragged

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._own import Metrics


@with_keywords(EvaluateKeywords)
def evaluate(
    model: Any,
    inputs: Any,
    targets: Any,
    explainers: Mapping[str, Any],
    metrics: Metrics = "standard",
    *,
    baseline: Any = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: bool = False,
    **keywords: Unpack[EvaluateKeywords],
) -> EvaluationTable:
    """Evaluate metrics for several explainers of one model.

    Use :func:`evaluate_stream` for data that comes in batches or does not fit into memory.
    Intermediate results are shared: all metrics use the same scores of the inputs; Average Drop,
    Increase and Gain use the same scores of the masked inputs; μFidelity uses the same random
    subsets, and so the same model scores, for all explainers. Batches are prepared on all
    threads while the model runs on the calling thread.

    Parameters
    ----------
    model : callable, module, session, estimator, booster or None
        Function from a batch of inputs to ``(batch, n_outputs)``, or ``(batch,)`` for one
        output, as an array, a tensor or a list. ``None`` for metrics that need no
        model. Its inputs and the method that is called depend on its kind:

        - A torch module, also compiled: tensors on the device and in the precision of its
          parameters, without gradients and in evaluation mode, which is reset
          afterwards. Integers remain integers if it has an embedding.
        - A Keras model: tensors of its backend, ``training=False``.
        - A function of ``jax.jit``: JAX arrays.
        - An inference session of ONNX Runtime: arrays of the types that it declares, and
          batches of the size that it declares, if any.
        - An estimator or pipeline of scikit-learn and similar packages: ``predict_proba``, else
          ``decision_function`` (for two classes two columns, ``-d`` and ``d``), else,
          unless it is a classifier, ``predict``.
        - A booster of XGBoost, LightGBM or CatBoost: probabilities, with two columns for two
          classes.
        - A method of a torch module: the same inputs as the module.
        - A :class:`MaskedModel`: sample indices and masks of kept features, for any modality.
        - A text-classification pipeline of transformers: the tokens of its tokenizer. ``inputs`` are
          texts, whose tokens without special ones are the features; removed tokens are replaced by
          the mask token, unless ``baseline`` is another; targets may be labels.
        - Other callables: NumPy arrays, or tensors if ``inputs`` are tensors, see
          ``framework``.
    inputs : array-like, table, mapping or tuple of array-likes, or None
        ``(n, features)``, ``(n, time, features)``, ``(n, height, width, channels)`` or ``(n,
        channels, height, width)``, see ``layout``. ``None`` for metrics of maps alone. Of several
        inputs, a mapping by name or a tuple, the first is explained, and the others are passed
        unchanged, row by row: the model is called with these names, or with that many positional
        arguments.

        A model that knows its columns by name, a function if some columns are not numbers, and any
        model with ``framework="pandas"`` is called with tables like a pandas or polars table of
        inputs, with columns in the order that the model knows. Values that a metric does not change
        are exactly those of the table, in their types. Where a metric changes a column:

        - Numbers and booleans are replaced by the baseline. A type that cannot hold it, such as
          integers by a fraction, becomes a floating-point type.
        - Words, categories and other values are replaced by the most frequent value, dates, durations,
          periods and ordered categories by the median, or by those of a baseline that is a row or a
          :class:`Background`. Metrics that scale or move inputs see them as codes around 0, in
          decreasing frequency or in their order, and fractions stand for the nearest code.
        - Values that cannot be counted, such as lists, are left alone.
        - Missing numbers stay missing where a metric does not change them; metrics that scale or move
          inputs take them for a number near the mean of the column.

        ``assumed["columns"]`` lists the replacement of each column if not all are numbers.
    targets : array-like or None
        Classes ``(n,)``, or one-hot or weight rows ``(n, n_outputs)``, whose score is the sum of
        the outputs by their weights. Classes are output indices; for an estimator or its
        ``predict_proba``, values of ``classes_``. ``None`` for the class of the largest output, and
        for models of one output, regressors for instance.
    explainers : mapping of str to explanations or explainers
        By name one of these, or a pair ``(maps, explainer)``. Metrics of stability need an
        explainer.

        - Maps of all samples, with or without channels, as arrays, tensors or tables, whose columns
          are matched with those of the inputs by name. Maps with an additional class axis are
          indexed by the targets. Maps of images in a lower resolution, such as those of Grad-CAM, are
          upsampled; the result says so in ``assumed``.
        - A ``shap.Explanation``, and a list of explanations of lime, one per sample. Values of the
          second of two classes alone, as boosters have them, are negated where the target is the
          first; the result says so. Values of one of more classes alone are refused where targets differ.
          Plain arrays are taken as those of each sample's target, unless ``explained_class`` says another class.
        - Values per superpixel ``(n, n_segments)``: in a pair ``(values, segments)``, or with the
          argument ``segments``.
        - A function ``explainer(inputs, targets) -> maps``, whose inputs are those of the
          model; an object with ``attribute``, as in Captum; an explainer of SHAP.
        - An object of pytorch-grad-cam or TorchCAM, also within ``with GradCAM(...) as cam:``; an
          attributor or a composite of zennit, with relevance 1 at the target. The explained score is
          that of the target.
        - A list of ``InteractionValues`` of shapiq, of order one, or an explainer of shapiq with
          ``max_order=1``. They explain the class the explainer was created for, see
          ``explained_class``.
        - A pair ``(explainer, {"n_steps": 20})`` of one of these with its keyword arguments.
        - A name from :func:`explain`, such as ``"random"``: a reference explainer. For a masked model
          ``"random"``, ``"constant"`` or ``"occlusion"``, the fall of the score without each feature.
        - For texts, a list with an array per sample: of its features, or of all tokens of its
          attention mask. Masks, such as rationales, may be such lists, too. Without a model and
          inputs, maps of different lengths are evaluated as they are.
        - For inputs given by name, Captum objects explain the first one,
          ``LayerIntegratedGradients`` of an embedding for instance; attributions are summed over the
          elements of an embedding.
    metrics : str, or iterable or mapping of names and metrics
        Names of the registry, with settings as on the command line: ``"deletion"``,
        ``"deletion(steps=20), complexity"``; or objects of :mod:`~xai_metrics.attribution.metrics`;
        or user-defined objects with ``per_sample``, see :class:`OwnMetric`. ``"standard"`` selects
        those of :data:`STANDARD` that the arguments allow; ``"all"`` selects all metrics that the
        arguments and the kind of inputs allow, some of which call the model once per position.
        ``"standard(steps=20)"`` sets a parameter of those of them that have it. The table lists the
        reasons for others in ``skipped``. Keys of a mapping are the names in the table; without one, a
        metric that is selected twice has its settings in its name.
    {keywords}
    baseline : optional
        Replacement for removed features, for all metrics that have a parameter ``baseline`` and were
        not given one, and for the reference explainer ``"occlusion"``; 0 by default.

        - A number, or a list of numbers per feature or channel.
        - A word of the parameter of the metrics, such as ``"mean"`` or ``"blur:5"`` (``"occlusion"``
          takes only ``"mean"``).
        - One sample as an array; a row with names, such as a ``Series``, is matched with the columns of
          the inputs.
        - A function from the inputs to such an array, or to one for all inputs.
        - Several rows as a :class:`Background`: a random row for each sample, their mean, or a row for
          each sample. An array of n rows is paired with the samples, and ``assumed`` says so; an array of
          another number of rows is refused, because it does not say which of these.
    level : float
        Coverage of the intervals.
    replicates : int
        Bootstrap replicates per interval; 0 for no intervals.
    seed : int
        Seed of the bootstrap and of the metrics; a metric with its own seed keeps that.
    n_jobs : int or None
        Number of threads; ``None`` for one per core. The results do not depend on it.
    progress : bool
        Whether to show a progress bar, if tqdm is installed.

    Returns
    -------
    EvaluationTable
        Values, intervals and ranks of all explainers by metric, with what was assumed in ``assumed``
        and metrics that a word could not select in ``skipped``.

    Raises
    ------
    ValueError
        For arrays of inconsistent shapes, NaN in inputs, maps or outputs, outputs of the wrong
        shape, a model whose answers depend on the batch, a missing input, an unknown metric.
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
    >>> from xai_metrics.attribution import Background, evaluate, text_model
    >>> x = np.array([[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]])
    >>> maps = {"good": np.eye(2)[[0, 1, 0]], "bad": np.eye(2)[[1, 0, 1]]}
    >>> table = evaluate(lambda x: x, x, [0, 1, 0], maps, ["average_drop", "deletion"])
    >>> table["deletion"].ranking
    ['good', 'bad']

    Several inputs, of which the first is explained; several outputs; a score of one's own:

    >>> inputs = {"x": x, "scale": np.array([1.0, 2.0, 1.0])}
    >>> model = lambda x, scale: {"maps": x * scale[:, None], "loss": scale}
    >>> score = lambda maps: maps.max(axis=1)
    >>> table = evaluate(model, inputs, None, maps, ["deletion"], output="maps", score=score)
    >>> table["deletion"].ranking
    ['good', 'bad']

    Every comparison has its baselines:

    >>> explainers = {**maps, "random": "random", "occlusion": ("occlusion", {"baseline": 0.1})}
    >>> table = evaluate(lambda x: x, x, [0, 1, 0], explainers, ["deletion"])
    >>> sorted(table["deletion"].ranking)[-2:]
    ['occlusion', 'random']

    Texts, with the words that people marked:

    >>> model = text_model(lambda texts: [text.count("good") for text in texts], ["a good film", "so good"])
    >>> explainers = {"mine": [[0.0, 1.0, 0.0], [0.0, 1.0]], "occlusion": "occlusion", "random": "random"}
    >>> rationales = [[False, True, False], [False, True]]
    >>> table = evaluate(model, None, None, explainers, "comprehensiveness, token_f1(k=1)", masks=rationales)
    >>> table["token_f1"]["occlusion"].value, table["comprehensiveness"].ranking[-1]
    (1.0, 'random')

    Settings, and rows of background data in the place of removed features:

    >>> background = Background([[0.5, 0.5], [0.1, 0.3]], "random")
    >>> table = evaluate(lambda x: x, x, [0, 1, 0], maps, "deletion, deletion(steps=1)", baseline=background)
    >>> table.metrics
    ['deletion', 'deletion(steps=1)']

    With the libraries that models and explanations are from (a test runs these lines)::

        evaluate(cnn, images, y, {"ig": IntegratedGradients(cnn), "cam": LayerGradCam(cnn, cnn[0])})
        evaluate(cnn, images, y, {"few": (IntegratedGradients(cnn), {"n_steps": 5}), "edges": "edges"})
        evaluate(cnn, images, y, {"grad-cam": GradCAM(cnn, [cnn[0]]), "torchcam": LayerCAM(cnn, cnn[0])})
        evaluate(cnn, images, y, {"lrp": EpsilonPlus(), "gradient": Gradient(cnn)})
        evaluate(torch.compile(cnn), images, None, {"superpixels": (values, segments)})
        evaluate(cnn[0], images, None, {"random": "random"}, score=lambda maps: maps[:, 1].sum((1, 2)))
        evaluate(forest, x, y, {"shap": TreeExplainer(forest)(x), "asked": TreeExplainer(forest)})
        evaluate(forest, x, y, {"shapiq": trees.explain_X(x), "asked": trees}, explained_class=1)
        evaluate(forest, x, y, {"lime": [lime.explain_instance(row, forest.predict_proba) for row in x]})
        evaluate(pipeline, people, answers, {"shap": explanation, "occlusion": "occlusion"})
        evaluate(booster, people, y, {"shap": booster_explanation})
        evaluate(session, x, y, {"constant": "constant", "gradient": "input_x_gradient"})
        evaluate(keras_model, x, y, {"gradient": "input_x_gradient"})
        evaluate(jax.jit(lambda x: x @ weights), x, y, {"gradient": "input_x_gradient"})
        evaluate(bert, {"input_ids": ids, "attention_mask": mask}, y, {"tokens": ("occlusion", {"baseline": 3})})
        evaluate(bert, {"input_ids": ids, "attention_mask": mask}, y, {"ig": LayerIntegratedGradients(bert, bert.bert.embeddings)})
        evaluate(text_pipeline, texts, labels, {"occlusion": "occlusion", "random": "random"})
    """
    level, replicates = number("level", level), whole("replicates", replicates, 0)
    run = Run.from_keywords(model=model, inputs=inputs, targets=targets, curves=True, by_name=True, **keywords)
    values = _evaluated(run, explainers, metrics, baseline, seed, n_jobs, progress)
    return values.table(level=level, replicates=replicates, seed=seed, n_jobs=n_jobs)


@with_keywords(EvaluateKeywords)
def evaluate_part(
    model: Any,
    inputs: Any,
    targets: Any,
    explainers: Mapping[str, Any],
    metrics: Metrics = "standard",
    *,
    first_sample: int = 0,
    baseline: Any = None,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: bool = False,
    **keywords: Unpack[EvaluateKeywords],
) -> EvaluationValues:
    """Evaluate metrics on one part of a data set, for merging with the other parts.

    The baseline ``"mean"`` is the mean of the part only; pass the mean of the whole data set as an
    array, or as ``Background(rows, "mean")``. Codes of columns that are not numbers, and stand-ins of
    missing values, are those of the part; pass a row with the neutral values as the baseline.

    Parameters
    ----------
    model, inputs, targets, explainers, metrics
        See :func:`evaluate`, of the samples of the part.
    first_sample : int
        The place of the first sample in the whole: random choices belong to a sample's place, so that
        parts give the values of the whole.
    {keywords}
    baseline : optional
        See :func:`evaluate`.
    seed, n_jobs, progress
        See :func:`evaluate`.

    Returns
    -------
    EvaluationValues
        Values per sample; :meth:`~EvaluationValues.merge` joins them with those of the next part.

    Raises
    ------
    ValueError, TypeError
        See :func:`evaluate`.

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
    first_sample = whole("first_sample", first_sample, 0)
    run = Run.from_keywords(
        model=model, inputs=inputs, targets=targets, first_sample=first_sample, by_name=True, **keywords
    )
    return _evaluated(run, explainers, metrics, baseline, seed, n_jobs, progress)


def _evaluated(
    run: Run,
    explainers: Mapping[str, Any],
    metrics: Any,
    baseline: Any,
    seed: int,
    n_jobs: int | None,
    progress: bool,
) -> EvaluationValues:
    """Compute the values of all explainers; ``run`` has no explainers or metrics yet."""
    seed, n_jobs = seed_of(seed), threads(n_jobs)
    if not isinstance(explainers, Mapping):
        raise TypeError(f"explainers: expected a mapping by name, got {type(explainers).__name__}")
    if not explainers:
        raise ValueError("explainers: empty")
    is_ragged_alone = run.model is None and run.inputs is None and any(map(is_ragged, explainers.values()))
    if isinstance(run.model, MaskedModel) or is_ragged_alone:
        if baseline is not None:
            raise ValueError("baseline: expected None: a masked model is called without the removed features")
        return _evaluate_masked(run, explainers, metrics, seed, n_jobs, progress)
    if _is_batch_iterable(run.inputs):
        raise TypeError(
            "inputs: batches are judged by evaluate_stream(model, data, explainers, metrics)"
        )
    run.explainers = [
        (str(name), *explained(value, f"explainers[{str(name)!r}]"))
        for name, value in explainers.items()
    ]
    run.seed = seed
    if baseline is not None:
        run.baseline = baseline
        run.assumed.pop("baseline", None)
    selected, skipped = select(metrics, run, run.baseline)
    run.metrics = [(name, metric.with_seed(seed)) for name, metric in selected]
    if not run.metrics:
        why = "".join(f"; {name} {reason}" for name, reason in skipped.items())
        raise ValueError(f"metrics: empty{why}")
    arrays = [run.array, *(maps for _, maps, _ in run.explainers)]
    total = next((len(a) for a in arrays if hasattr(a, "__len__")), None)
    with bar(total, "sample", progress) as shown:
        # What the native part calls after each batch.
        run.progress = shown.update if progress else None
        return values_of(run, skipped, n_jobs)


def _evaluate_masked(
    given: Run, explainers: Mapping[str, Any], metrics: Any, seed: int, n_jobs: int | None, progress: bool
) -> EvaluationValues:
    """Compute the values of all explainers of a masked model, or of maps of different sizes."""
    run = MaskedRun.from_run(given, explainers)
    selected, skipped = select(metrics, run)
    run.metrics = [(name, metric.with_seed(seed)) for name, metric in selected]
    run.curves = given.curves
    with bar(len(run.n_features), "sample", progress) as shown:
        run.progress = shown.update if progress else None
        return EvaluationValues(run.values(n_jobs), run.assumed, skipped, run.activation)


def planned_calls(
    model: MaskedModel,
    explainers: Mapping[str, Any],
    metrics: Metrics = "standard",
    *,
    targets: Any = None,
) -> int:
    """Count the rows that a masked model will be evaluated on, for example to estimate the cost of
    a paid service.

    The one extra row that checks whether outputs depend on the batch is not included. Cached
    answers are not subtracted.

    Parameters
    ----------
    model : MaskedModel
        The model, which is not called. There is no ``baseline``, because a masked model removes
        features itself.
    explainers, metrics, targets
        See :func:`evaluate`. Without targets the rows that predict the classes are included.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    ValueError, TypeError
        See :func:`evaluate`.

    Examples
    --------
    >>> model = MaskedModel(lambda samples, kept: kept.mean(axis=1))
    >>> planned_calls(model, {"mine": [[3.0, 1.0], [1.0, 2.0, 0.0]]}, ["deletion", "insertion"])
    10
    """
    run = MaskedRun(model, targets, explainers)
    run.metrics, _ = select(metrics, run)
    return run.planned()


def _is_batch_iterable(inputs: Any) -> bool:
    """Return whether ``inputs`` can only be iterated over (a generator or loader)."""
    has_rows = isinstance(inputs, (Mapping, Sequence)) or any(
        hasattr(inputs, name) for name in ("shape", "__array__", "__dlpack__", "__arrow_c_stream__")
    )
    return isinstance(inputs, Iterable) and not has_rows


def values_of(run: Run, skipped: dict[str, str], n_jobs: int | None) -> EvaluationValues:
    """Compute the values of a run."""
    values, activation = run.values(n_jobs)
    return EvaluationValues(values, run.assumed, skipped, activation)
