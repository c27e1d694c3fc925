"""Stand-alone functions: model scores, masked inputs, and metrics that :func:`evaluate` does not
compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._alignment import Alignment
from .._arguments import number, seed_of, threads, whole
from .._arrays import column_names, in_order_of, integers, reals
from .._frameworks import Tensors, is_torch_module
from .._registry import metric_of
from .._display import Display, Record, count
from .._results import Result, Table, axes
from ._data import Run, explained, targets_of
from ._keywords import MapKeywords, Scoring, ScoringKeywords, with_keywords
from ._layers import Layers
from ._layout import layout_of
from ._models import explainer_function, is_explainer
from ._value import MetricValue, none_for_nan, undefined_value

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from .._arrays import Reals
    from .._frameworks import Framework
    from .._types import Layout, Similarity


@with_keywords(ScoringKeywords)
def base_scores(
    model: Any,
    inputs: Any,
    targets: Any = None,
    *,
    n_jobs: int | None = None,
    **keywords: Unpack[ScoringKeywords],
) -> npt.NDArray[np.float64]:
    """Compute the model score of each sample: the sum of its outputs weighted by the target.

    Parameters
    ----------
    model : callable, torch module, Keras model or estimator
        See :func:`evaluate`.
    inputs : array-like
        ``(n, …)``.
    targets : array-like, optional
        Classes ``(n,)``, or rows of weights ``(n, n_outputs)``; the class of the largest output unless given.
    {keywords}
    n_jobs : int or None
        Number of threads; ``None`` for one per core.

    Returns
    -------
    numpy.ndarray
        One score per sample, ``(n,)``.

    Raises
    ------
    ValueError, TypeError
        See :func:`evaluate`.

    Examples
    --------
    >>> base_scores(lambda x: x, [[1.0, 2.0], [3.0, 4.0]], [[1, 0], [-1, 1]]).tolist()
    [1.0, 1.0]
    """
    run = Run.from_keywords(model=model, inputs=inputs, targets=targets, **keywords)
    scores: npt.NDArray[np.float64] = _native.attribution_scores(run.request(), threads(n_jobs))[0]
    return scores


@dataclass(frozen=True, eq=False, repr=False)
class MaskedScores(Result):
    """Scores of each sample for the full input and for the input masked by its map.

    Examples
    --------
    >>> import numpy as np
    >>> MaskedScores(np.array([0.8]), np.array([0.4])).to_dict()
    {'base': [0.8], 'masked': [0.4]}
    """

    base: npt.NDArray[np.float64]
    #: NaN for a constant map, which has no mask.
    masked: npt.NDArray[np.float64]

    def measure(
        self,
        metric: Literal["average_drop", "average_increase", "average_gain"],
        base_score_policy: Literal["error", "as-is", "skip"] = "error",
    ) -> MetricValue:
        """Compute Average Drop, Increase or Gain from these scores.

        Parameters
        ----------
        metric : {"average_drop", "average_increase", "average_gain"}
            Name of the metric.
        base_score_policy : {"error", "as-is", "skip"}
            Treatment of base scores that the formula cannot divide by.

        Returns
        -------
        MetricValue
            The mean, and one value per sample.

        Raises
        ------
        ValueError
            For an unknown metric, for arrays of different lengths, and for base scores that the
            policy rejects.

        Examples
        --------
        >>> import numpy as np
        >>> scores = MaskedScores(np.array([0.8, 0.5]), np.array([0.4, 0.6]))
        >>> round(scores.measure("average_drop").value, 6)
        0.25
        """
        if metric not in ("average_drop", "average_increase", "average_gain"):
            expected = "average_drop, average_increase or average_gain"
            raise ValueError(f"metric: expected {expected}, got {metric!r}")
        base = np.ascontiguousarray(reals(self.base, "base", 1), dtype=np.float64)
        masked = np.ascontiguousarray(reals(self.masked, "masked", 1), dtype=np.float64)
        direction = metric_of("attribution", metric).direction
        try:
            value, per_sample = _native.attribution_of_scores(metric, base_score_policy, base, masked)
        except _native.UndefinedError:
            if not len(base):
                raise
            return undefined_value(metric, direction, len(base))
        n_undefined = int(np.isnan(per_sample).sum())
        return MetricValue(metric, direction, value, per_sample, n_undefined)

    def columns(self) -> dict[str, Any]:
        """Return the scores as columns, with one row per sample.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        return self.to_dict()


@with_keywords(MapKeywords)
def masked_scores(
    model: Any,
    inputs: Any,
    targets: Any,
    explanations: Any,
    *,
    n_jobs: int | None = None,
    **keywords: Unpack[MapKeywords],
) -> MaskedScores:
    """Compute the model scores of all inputs and of the inputs masked by their maps (``2 n`` rows).

    Parameters
    ----------
    model : callable, torch module, Keras model or estimator
        See :func:`evaluate`.
    inputs : array-like
        ``(n, …)``.
    targets : array-like
        Classes ``(n,)``, or rows of weights ``(n, n_outputs)``.
    explanations : array-like or callable
        Maps ``(n, …)``, with or without channels, or an explainer ``(inputs, targets) -> maps``.
    {keywords}
    n_jobs : int or None
        Number of threads; ``None`` for one per core.

    Returns
    -------
    MaskedScores
        Two scores per sample.

    Raises
    ------
    ValueError, TypeError
        See :func:`evaluate`.

    Examples
    --------
    >>> scores = masked_scores(lambda x: x, [[2.0, 1.0]], [0], [[0.0, 1.0]])
    >>> scores.base.tolist(), scores.masked.tolist()
    ([2.0], [0.0])
    """
    run = Run.from_keywords(model=model, inputs=inputs, targets=targets, **keywords)
    run.explainers = [("explainer", *explained(explanations))]
    base, masked = _native.attribution_scores(run.request(), threads(n_jobs))
    if masked is None:
        raise ValueError("explanations: empty")
    return MaskedScores(base, masked)


def mask_inputs(
    inputs: Any,
    explanations: Any,
    *,
    scaling: Literal["relative", "xplique"] = "relative",
    layout: Layout | None = None,
    n_jobs: int | None = None,
) -> npt.NDArray[Any]:
    """Multiply inputs by masks made from maps: ``|map|``, averaged over channels and scaled to [0,
    1].

    A constant map has no mask: its masked input is NaN, and metrics of masked inputs are
    undefined.

    Parameters
    ----------
    inputs : array-like
        ``(n, …)``.
    explanations : array-like
        Maps ``(n, …)``, with or without channels. Columns of tables are matched by name.
    scaling : str
        ``"relative"`` divides by the range of the map, so that its scale does not matter. ``"xplique"``
        divides by the range plus 1e-8, as xplique does: a constant map has a mask of zeros.
    layout : optional
        See :func:`evaluate`.
    n_jobs : int or None
        Number of threads; ``None`` for one per core.

    Returns
    -------
    numpy.ndarray
        Of the shape of the inputs.

    Raises
    ------
    ValueError
        For arrays of inconsistent shapes, and numbers that are not finite.

    Examples
    --------
    >>> mask_inputs([[4.0, 4.0, 4.0]], [[0.0, -1.0, 2.0]]).tolist()
    [[0.0, 2.0, 4.0]]
    """
    if scaling not in ("relative", "xplique"):
        raise ValueError(f"scaling: expected relative or xplique, got {scaling!r}")
    inputs, explanations = Alignment().take_all({"inputs": inputs, "explanations": explanations}, "samples")
    explanations = in_order_of(column_names(inputs), explanations, "explanations")
    whole, maps = reals(inputs, "inputs"), reals(explanations, "explanations")
    name = layout_of(layout, whole.shape, planes=[maps])
    masked: npt.NDArray[Any]
    as_xplique = scaling == "xplique"
    masked, has_mask = _native.attribution_mask_inputs(whole, maps, name, threads(n_jobs), as_xplique)
    masked[~np.array(has_mask)] = np.nan
    return masked


def map_similarity(
    a: Any,
    b: Any,
    similarity: Similarity = "ssim",
    *,
    layout: Layout | None = None,
    n_jobs: int | None = None,
) -> npt.NDArray[np.float64]:
    """Compute the similarity of two sets of maps, sample by sample.

    Parameters
    ----------
    a, b : array-like
        Maps of one shape, ``(n, …)``.
    similarity : {"ssim", "spearman", "pearson", "jaccard"}
        Structural similarity (of images), a correlation, or the overlap of the largest tenth of the
        attributions. All are at most 1, for maps that are alike.
    layout : optional
        Layout of the maps, see :func:`evaluate`.
    n_jobs : int or None
        Number of threads; ``None`` for one per core.

    Returns
    -------
    numpy.ndarray
        Similarities ``(n,)``; NaN where undefined.

    Raises
    ------
    ValueError
        For maps of different shapes, and structural similarity of maps that are no images.

    Examples
    --------
    >>> map_similarity([[1.0, 2.0, 3.0]], [[1.0, 5.0, 9.0]], "spearman").tolist()
    [1.0]
    """
    first, second = _both(a, b)
    name = layout_of(layout, first.shape) or "tabular"
    alike: npt.NDArray[np.float64] = _native.attribution_similarity(
        first, second, similarity, name, threads(n_jobs)
    )
    return alike


def maps_within(
    a: Any, b: Any, absolute: float = 1e-8, relative: float = 1e-5, *, n_jobs: int | None = None
) -> npt.NDArray[np.bool_]:
    """Compare two sets of maps element by element within tolerances, sample by sample.

    Parameters
    ----------
    a, b : array-like
        Maps of one shape, ``(n, …)``. The columns of a table are matched by name.
    absolute, relative : float
        Near is ``|a - b| <= absolute + relative * |b|``, as in ``numpy.allclose``.
    n_jobs : int or None
        Number of threads; ``None`` for one per core.

    Returns
    -------
    numpy.ndarray of bool
        ``True`` for samples whose elements are all within the tolerances, ``(n,)``.

    Raises
    ------
    ValueError
        For maps of different shapes, and for a tolerance that is negative or not finite.

    Examples
    --------
    >>> maps_within([[1.0, 2.0], [1.0, 2.0]], [[1.0, 2.1], [1.0, 4.0]], relative=0.1).tolist()
    [True, False]
    """
    first, second = _both(a, b)
    tolerances = number("absolute", absolute), number("relative", relative)
    for name, tolerance in zip(("absolute", "relative"), tolerances):
        if not 0 <= tolerance < np.inf:
            raise ValueError(f"{name}: expected a finite number, at least 0, got {tolerance!r}")
    return np.array(
        _native.attribution_maps_within(first, second, *tolerances, threads(n_jobs)), dtype=bool
    )


def _both(a: Any, b: Any) -> tuple[Reals, Reals]:
    """Align the samples and columns of two sets of maps."""
    a, b = Alignment().take_all({"a": a, "b": b}, "samples")
    return reals(a, "a"), reals(in_order_of(column_names(a), b, "b", "a"), "b")


def smoothed(
    explainer: Any,
    n_copies: int = 20,
    magnitude: float = 0.1,
    *,
    noise: Any = None,
    seed: int = 1,
    model: Any = None,
    framework: Framework | None = None,
    device: Any = None,
) -> Callable[[Any, Any], npt.NDArray[np.float64]]:
    """Wrap an explainer so that it returns the mean of its maps over noisy copies of each input
    (SmoothGrad).

    With explainers of :func:`model_randomization` this gives the smooth parameter-randomization
    test. The noise depends on the input and the seed only.

    Parameters
    ----------
    explainer : callable
        ``explainer(inputs, targets) -> maps``.
    n_copies : int
        Noisy copies of every input, at least 1.
    magnitude : float
        Standard deviation of the noise in units of the range of each input.
    noise : array-like, optional
        Precomputed noise ``(draws, n, …)`` to use instead of random copies: it is multiplied by the
        magnitude and by the range of each input. All inputs must then be in one batch.
    seed : int
        Seed of the noise.
    model, framework, device : optional
        Determine the tensors that the explainer receives, see :func:`evaluate`.

    Returns
    -------
    callable
        An explainer ``(inputs, targets) -> maps``.

    Raises
    ------
    ValueError
        For less than one copy, a magnitude that is negative or not finite, and, when the explainer is called,
        for noise of another shape than the inputs.

    References
    ----------
    Smilkov et al., SmoothGrad: removing noise by adding noise, 2017.

    Examples
    --------
    >>> squares = smoothed(lambda x, y: x * x, 1000, 0.5)
    >>> bool(abs(squares([[0.0, 2.0]], [0])[0, 0] - 1.0) < 0.2) # the variance of the noise
    True
    >>> given = smoothed(lambda x, y: x * x, magnitude=0.5, noise=[[[0.5, 1.0]], [[-0.5, -1.0]]])
    >>> given([[0.0, 2.0]], [0]).tolist() # the range of the input is 2
    [[0.25, 5.0]]
    """
    tensors = Tensors.for_model(model, framework, device)
    drawn = whole("n_copies", n_copies, 1), number("magnitude", magnitude), seed_of(seed)
    given = None if noise is None else reals(noise, "noise")
    function = explainer_function(explainer, tensors)

    def explain(inputs: Any, targets: Any) -> npt.NDArray[np.float64]:
        batch = reals(inputs, "inputs")
        rows = targets_of(targets, len(batch))
        mean: npt.NDArray[np.float64] = _native.attribution_smoothed(
            function, batch, rows, *drawn, given
        )
        return mean

    return explain


@dataclass(frozen=True, eq=False, repr=False)
class RandomizationStep(Record):
    """Similarity of the original maps to the maps after randomizing some layers of the model.

    Examples
    --------
    >>> import numpy as np
    >>> RandomizationStep((0,), 0.5, np.array([0.5]), 0).to_dict()["per_sample"]
    [0.5]
    """

    #: Randomized layers; 0 is the one at the output.
    layers: tuple[int, ...]
    #: Mean over the samples with a value; ``None`` if there are none.
    value: float | None
    #: Values of the samples; NaN where undefined.
    per_sample: npt.NDArray[np.float64]
    n_undefined: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name.

        Returns
        -------
        dict
            Fields by name, with ``None`` for undefined samples.
        """
        return {**vars(self), "per_sample": none_for_nan(self.per_sample)}


@dataclass(frozen=True, eq=False, repr=False)
class RandomizationValues(Table):
    """Result of :func:`model_randomization`, step by step.

    Examples
    --------
    >>> import numpy as np
    >>> step = RandomizationStep((0,), 0.5, np.array([0.25, 0.75]), 0)
    >>> RandomizationValues((step,)).average, RandomizationValues((step,)).last
    (0.5, 0.5)
    """

    steps: tuple[RandomizationStep, ...]
    #: Names of the layers of a torch module, starting at the output.
    names: tuple[str, ...] | None = None

    @property
    def average(self) -> float | None:
        """Mean over samples of their mean similarity over the steps; ``None`` if all are undefined.

        Undefined steps of a sample are left out.
        """
        rows = np.array([step.per_sample for step in self.steps])
        defined = ~np.isnan(rows)
        some = defined.any(axis=0)
        if not some.any():
            return None
        sums = np.where(defined, rows, 0.0).sum(axis=0)[some]
        return float(np.mean(sums / defined.sum(axis=0)[some]))

    @property
    def last(self) -> float | None:
        """Similarity at the last step; with cascading layers, all layers are randomized there."""
        return self.steps[-1].value

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name.

        Returns
        -------
        dict
            Steps and layer names.
        """
        names = None if self.names is None else list(self.names)
        return {"steps": [step.to_dict() for step in self.steps], "names": names}

    def columns(self) -> dict[str, Any]:
        """Return the steps as columns, with one row per step.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        names = ("layers", "value", "n_undefined")
        return {name: [getattr(item, name) for item in self.steps] for name in names}

    def _display(self) -> Display:
        rows: list[Any] = []
        for number_of, step in enumerate(self.steps, 1):
            layers = [str(layer) if self.names is None else self.names[layer] for layer in step.layers]
            rows.append((number_of, step.value, len(step.per_sample) - step.n_undefined, ", ".join(layers)))
        mean, last = ("undefined" if value is None else f"{value:.4g}" for value in (self.average, self.last))
        notes = [f"mean over the steps: {mean}, last step: {last}; lower is better"]
        n_undefined = sum(step.n_undefined for step in self.steps)
        if n_undefined:
            notes.append(f"{count(n_undefined, 'value')} undefined, as of constant maps")
        header = ("step", "similarity", "samples", "randomized layers")
        return Display("Similarity with the maps of the model as it is", header, rows, notes)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Plot the similarity by step with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.
        **style
            Keyword arguments for ``ax.plot``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = axes(ax)
        style.setdefault("marker", "o")
        values = [float("nan") if step.value is None else step.value for step in self.steps]
        ax.plot(range(1, len(values) + 1), values, **style)
        ax.set_xlabel("step")
        ax.set_ylabel("similarity with the map of the model as it is")
        return ax


def model_randomization(
    model: Any,
    inputs: Any,
    targets: Any,
    n_layers: int | None = None,
    *,
    explainer: Any = None,
    order: Literal["cascading", "bottom-up", "independent"] = "cascading",
    similarity: Similarity = "spearman",
    batch_size: int | None = None,
    layout: Layout | None = None,
    framework: Framework | None = None,
    device: Any = None,
    seed: int = 1,
    n_jobs: int | None = None,
) -> RandomizationValues:
    """Compare explanations before and after randomizing the layers of the model (model parameter
    randomization test).

    Lower is better. An explanation that does not change (similarity 1) when the parameters are
    randomized does not depend on what the model has learned.

    Parameters
    ----------
    model : torch module or callable
        A module, whose layers are randomized in turn and restored at the end. For any other model,
        a function from a list of layers (0 is the one at the output) to an explainer of the model
        with those layers randomized; it is called once without layers, and once per step.
    inputs : array-like
        See :func:`evaluate`.
    targets : array-like
        Classes ``(n,)``, or rows of weights ``(n, n_outputs)``.
    n_layers : int, optional
        Number of layers, and of steps. Not for a module, whose layers are the submodules with
        parameters of their own.
    explainer : callable
        For a module: ``explainer(inputs, targets) -> maps`` of this same module, or an object with
        ``attribute``, as in Captum.
    order : {"cascading", "bottom-up", "independent"}
        Order of randomization: from the output down, from the input up, or one layer at a time.
    similarity : {"spearman", "ssim", "pearson", "jaccard"}
        Similarity of two maps.
    batch_size, layout, framework, device, n_jobs : optional
        See :func:`evaluate`.
    seed : int
        Seed of the new parameters of a module. Those of a layer depend on seed and layer only, so
        that they are equal at every step. They come from its ``reset_parameters``, which also
        resets its buffers; a layer without that method has its values permuted.

    Returns
    -------
    RandomizationValues
        A step per layer.

    Raises
    ------
    TypeError
        For a model that is neither a module nor a function, and a module without an explainer.
    ValueError
        Without targets or layers, and for arrays that do not fit each other.

    References
    ----------
    Adebayo et al., Sanity Checks for Saliency Maps, 2018.

    Examples
    --------
    >>> def explainer_of(layers):
    ...     sign = -1.0 if 0 in layers else 1.0 # only the layer at the output matters
    ...     return lambda inputs, targets: sign * inputs
    >>> x = [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]
    >>> values = model_randomization(explainer_of, x, [0, 0], 2, order="independent")
    >>> [step.value for step in values.steps], values.average
    ([-1.0, 1.0], 0.0)

    A torch module is randomized here::

        values = model_randomization(network, x, y, explainer=captum.attr.Saliency(network))
        values.names, values.last
    """
    if targets is None:
        raise ValueError("targets: needed by the explainers")
    names = None
    if is_torch_module(model):
        if not is_explainer(explainer):
            raise TypeError(
                "explainer: expected a function (inputs, targets) -> maps of the module, or an object of captum, by name: "
                "explainer=Saliency(network)"
            )
        if n_layers is not None:
            raise ValueError("n_layers: not for a torch module, whose layers are counted here")
        layers_of = Layers(model, seed_of(seed))
        names, n_layers = layers_of.names, len(layers_of.names)
        tensors = Tensors.for_model(model, framework, device)
        explain = explainer_function(explainer, tensors)

        def function_of(layers: list[int]) -> Any:
            def maps(inputs: npt.NDArray[Any], targets: npt.NDArray[Any]) -> Any:
                with layers_of.randomized(layers):
                    return explain(inputs, targets)

            return maps

    else:
        if not callable(model) or explainer is not None or n_layers is None:
            raise TypeError(
                "model: expected a torch module with its explainer, or a function that hands out explainers, with "
                "n_layers"
            )
        tensors = Tensors.for_model(None, framework, device)

        def function_of(layers: list[int]) -> Any:
            return explainer_function(model(layers), tensors)

    scoring = Scoring(batch_size=batch_size, layout=layout, framework=tensors.framework)
    run = Run(inputs=inputs, targets=targets, scoring=scoring)
    values = _native.attribution_model_randomization(
        run.request(), function_of, whole("n_layers", n_layers, 0), order, similarity, threads(n_jobs)
    )
    steps = [
        RandomizationStep(
            tuple(step["layers"]),
            step["value"],
            np.array([np.nan if x is None else x for x in step["per_sample"]], dtype=np.float64),
            step["n_undefined"],
        )
        for step in values["steps"]
    ]
    return RandomizationValues(tuple(steps), names)


@dataclass(frozen=True, repr=False)
class MegeReco(Result):
    """MeGe and ReCo: representativity and consistency of explanations over several models of one
    task.

    Examples
    --------
    >>> MegeReco(1.0, None, 3, 0, 0).to_dict()["mege"]
    1.0
    """

    #: Mean generalizability in [0.5, 1]; ``None`` without a pair of models that agree.
    mege: float | None
    #: Relative consistency in [0, 1]; ``None`` without a pair that agrees and one that differs.
    reco: float | None
    #: Number of distances for which both models are right.
    n_same: int
    #: Number of distances for which one of the two models is right.
    n_different: int
    #: Number of pairs excluded because a constant map has no rank correlation.
    n_undefined: int

    def _display(self) -> Display:
        notes = [f"distances of two models: {self.n_same} if both are right, {self.n_different} if one is"]
        if self.n_undefined:
            notes.append(f"{count(self.n_undefined, 'pair')} undefined, as of constant maps")
        return Display("Explanations of several models", rows=[("MeGe", self.mege), ("ReCo", self.reco)], notes=notes)


def representativity(
    explanations: Sequence[Any],
    predictions: Any,
    labels: Any,
    *,
    layout: Layout | None = None,
    held_out_by: Any = None,
    peer_thresholds: bool = False,
    n_jobs: int | None = None,
) -> MegeReco:
    """Compute MeGe and ReCo, which compare the explanations of several models of one task.

    Higher is better for both. The distance between the maps of two models is ``sqrt(1 -
    |Spearman|)``.

    Parameters
    ----------
    explanations : sequence of array-like
        The maps of every model for all samples.
    predictions : array-like
        Predicted classes ``(models, n)``.
    labels : array-like
        True classes ``(n,)``.
    held_out_by : array-like, optional
        Index of the model that has *not* seen each sample in training, ``(n,)``: pairs are then
        compared on the samples that one of the two models has not seen.
    peer_thresholds : bool
        Whether ReCo tries about 20 thresholds, as xplique does, instead of all.
    layout : optional
        Layout of the maps, see :func:`evaluate`.
    n_jobs : int or None
        Number of threads; ``None`` for one per core.

    Returns
    -------
    MegeReco
        Both scores, and the numbers of distances they are based on.

    Raises
    ------
    ValueError
        For fewer than two models, and for arrays that do not fit each other.

    References
    ----------
    Fel et al., How good is your explanation?, 2020.

    Examples
    --------
    >>> first, second = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [[1.0, 2.0, 4.0], [2.0, 1.0, 3.0]]
    >>> of = representativity([first, second], [[0, 1], [0, 0]], [0, 1])
    >>> of.mege, of.reco
    (1.0, 1.0)
    """
    alignment = Alignment()
    tables = [
        (f"explanations[{i}]", alignment.take(of_model, f"explanations[{i}]", "samples"))
        for i, of_model in enumerate(explanations)
    ]
    predictions = alignment.take(predictions, "predictions", None, "samples")
    labels = alignment.take(labels, "labels", "samples")
    held_out_by = alignment.take(held_out_by, "held_out_by", "samples")
    columns = next((names for names in (column_names(item) for _, item in tables) if names), None)
    maps = [reals(in_order_of(columns, value, name, "the first table"), name) for name, value in tables]
    name = layout_of(layout, maps[0].shape if maps else None) or "tabular"
    folds = None if held_out_by is None else integers(held_out_by, "held_out_by", 1).tolist()
    values = _native.attribution_representativity(
        maps,
        np.ascontiguousarray(integers(predictions, "predictions", 2)),
        np.ascontiguousarray(integers(labels, "labels", 1)),
        name,
        folds,
        peer_thresholds,
        threads(n_jobs),
    )
    return MegeReco(**values)
