"""Definitions of the Quantus classes, one entry per class."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics.attribution._functions import smoothed

from . import _words
from ._metric_call import MetricCall, over_defined
from ._randomized import layers_of, outputs_of_layers, randomized, shifted
from ._words import resolve, name_of

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True)
class Definition:
    """Definition of a Quantus class."""

    #: Function that computes the scores.
    scores: Callable[[MetricCall], Any]
    #: Options in addition to :data:`SHARED`, with their defaults.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Default of the argument ``softmax``.
    softmax: bool = False
    #: Differences from Quantus, and the effect of ``compat=True``.
    differs: str = "The numbers are those of Quantus."
    #: Whether the scores of a call without ``compat`` differ.
    differs_when: Callable[[MetricCall, Any], bool] = lambda q, scores: False
    #: Current name of the class, if this one is an old name.
    like: str | None = None


#: Options of every class.
SHARED: dict[str, Any] = {
    "abs": False,
    "normalise": True,
    "normalise_func": None,
    "normalise_func_kwargs": None,
    "return_aggregate": False,
    "aggregate_func": None,
    "default_plot_func": None,
    "disable_warnings": False,
    "display_progressbar": False,
    "seed": 1,
}
_REMOVING = {"perturb_func": None, "perturb_baseline": "black", "perturb_func_kwargs": None}
_NEIGHBOURS = {
    "nr_samples": 200,
    "perturb_func": None,
    "perturb_func_kwargs": None,
    "return_nan_when_prediction_changes": False,
}
_NORMS = {"similarity_func": None, "norm_numerator": None, "norm_denominator": None}
_RELATIVE = {**_NEIGHBOURS, "normalise": False, "return_nan_when_prediction_changes": True}
_LAYERS = {
    "similarity_func": "correlation_spearman",
    "layer_order": "top_down",
    "seed": 42,
    "return_average_correlation": False,
    "return_last_correlation": False,
    "skip_layers": False,
    "abs": True,
}


# Faithfulness


def _faithfulness_correlation(q: MetricCall) -> Any:
    q.removes()
    o = q.options
    return q.per_sample(
        features="positions",
        correlation=_correlation(q),
        subset_size=int(o.subset_size),
        n_subsets=o.nr_runs,
        baseline=o.perturb_baseline,
        draws=q.subsets(o.subset_size, o.nr_runs),
    )


def _faithfulness_estimate(q: MetricCall) -> Any:
    q.removes()
    return q.per_sample(
        group_size=q.options.features_in_step,
        correlation=_correlation(q),
        baseline=q.options.perturb_baseline,
    )


def _correlation(q: MetricCall) -> str:
    return resolve("similarity_func", q.options.similarity_func, _words.CORRELATIONS)


def _pixel_flipping(q: MetricCall) -> Any:
    q.removes()
    steps = f"every:{q.options.features_in_step}"
    curves = q.curves(steps=steps, baseline=q.options.perturb_baseline)
    if not q.options.return_auc_per_sample:
        return [curve[1:].tolist() for curve in curves]
    return [unit_area(curve[1:]) for curve in curves] if q.compat else q.areas


def _monotonicity(q: MetricCall) -> Any:
    q.removes()
    steps = f"every:{q.options.features_in_step}"
    return _flags(q.per_sample(steps=steps, baseline=q.options.perturb_baseline, strict=True))


def _monotonicity_correlation(q: MetricCall) -> Any:
    q.removes()
    o = q.options
    resolve("similarity_func", o.similarity_func, {"correlation_spearman": ""})
    if o.perturb_baseline != "uniform":
        raise ValueError(
            f"perturb_baseline: expected uniform, got {o.perturb_baseline!r}: it is a mean over "
            "values"
        )
    n_groups = math.ceil(q.x[0].size / o.features_in_step)
    bounds = ",".join(str(float(bound)) for bound in q.uniform_bounds())
    return q.per_sample(
        group_size=o.features_in_step,
        n_values=o.nr_samples,
        value_range=bounds,
        draws=q.replaced_values(n_groups, o.nr_samples),
    )


def _patches(q: MetricCall, **parameters: Any) -> list[npt.NDArray[Any]]:
    q.removes()
    return q.curves(
        reading="images",
        features=f"patches:{q.options.patch_size}",
        baseline=q.options.perturb_baseline,
        **parameters,
    )


def _region_perturbation(q: MetricCall) -> Any:
    o = q.options
    resolve("order", o.order, {"morf": "", "lerf": "", "random": ""})
    n_patches = math.prod(math.ceil(size / o.patch_size) for size in q.plane())
    share = min(1.0, (o.regions_evaluation + 0.5) / n_patches)
    orders = None
    if o.order == "lerf":
        q.maps = -q.maps
    elif o.order == "random":
        orders = np.array([q.rng.permutation(n_patches) for _ in range(q.n)])
    curves = _patches(q, steps="every:1", max_fraction=share, draws=orders)
    return [(curve[0] - curve[1:]).tolist() for curve in curves]


def _selectivity(q: MetricCall) -> Any:
    return [curve[1:].tolist() for curve in _patches(q, steps="all")]


def _sensitivity_n(q: MetricCall) -> Any:
    q.removes()
    o = q.options
    step, n = o.features_in_step, q.x[0].size
    largest = min(o.n_max_percentage * n, n - 1) // step
    if largest < 1:
        raise ValueError(f"features_in_step: expected fewer than all {n} features, got {step}")
    sizes = np.unique(np.geomspace(1, largest, 12).round().astype(int)) * step
    correlation = _correlation(q)
    # Of each size it is Faithfulness Correlation, of whatever correlation.
    of_sizes = [
        q.per_sample(
            "mu_fidelity",
            features="positions",
            correlation=correlation,
            subset_size=int(size),
            n_subsets=100,
            baseline=o.perturb_baseline,
        )
        for size in sizes
    ]
    return over_defined(of_sizes, "mean", axis=1)


def _irof(q: MetricCall) -> Any:
    q.removes()
    sides = {"segments": q.segments()}
    baseline = q.options.perturb_baseline
    if not q.compat:
        return q.per_sample(reading="images", sides=sides, baseline=baseline)
    how = {"reading": "images", "sides": sides, "baseline": baseline}
    curves = q.curves(**how, base_score_policy="as-is")
    return [len(curve) - 1 - unit_area(curve[1:] / curve[0]) for curve in curves]


def _infidelity(q: MetricCall) -> Any:
    q.removes()
    o = q.options
    resolve("loss_func", o.loss_func, {"mse": ""})
    sizes = o.perturb_patch_sizes or [4]
    if q.compat:
        changes = q.accumulated_patches(sizes, o.n_perturb_samples)
        ways: list[dict[str, Any]] = [{"draws": draws} for draws in changes]
    else:
        # Other baselines are the same in every repetition.
        repeats = o.n_perturb_samples if o.perturb_baseline == "uniform" else 1
        ways = [
            {"perturbation": f"patches:{size}", "baseline": baseline}
            for baseline in q.repeated_baseline(repeats)
            for size in sizes
        ]
    values = [q.per_sample(reading="images", map_kind="gradient", **how) for how in ways]
    return np.mean(values, axis=0).tolist()


def _road(q: MetricCall) -> Any:
    q.removes(_words.IMPUTATION)
    o = q.options
    percentages = list(range(1, 100, 2) if o.percentages is None else o.percentages)
    value = q.measure(reading="images", percentages=percentages, noise=float(o.noise))
    scores = [] if value.curve is None else value.curve.scores.tolist()
    return dict(zip(percentages, scores))


def _sufficiency(q: MetricCall) -> Any:
    word = {"seuclidean": "euclidean", "cityblock": "manhattan"}.get(
        q.options.distance_func, q.options.distance_func
    )
    how = {
        "distance": word,
        "standardized": q.options.distance_func == "seuclidean",
        "threshold": f"of-largest:{q.options.threshold}",
    }
    return q.among_samples(**how)


# Robustness


def _sensitivity(q: MetricCall) -> Any:
    o = q.options
    _plain_norms(q, {"difference": ""}, {"fro_norm": ""}, {"fro_norm": ""})
    bounds = {"lower_bound": o.lower_bound, "upper_bound": o.upper_bound}
    return q.near(
        o.lower_bound,
        "around",
        "max" if q.metric == "maximum_stability" else "mean",
        bounds,
        {"distance": "relative"},
        drops=True,
    )


def _local_lipschitz(q: MetricCall) -> Any:
    o = q.options
    _plain_norms(q, {"lipschitz_constant": ""}, _words.DISTANCES, {"distance_euclidean": ""})
    distance = resolve("norm_numerator", o.norm_numerator or "distance_euclidean", _words.DISTANCES)
    law = {"perturb_mean": o.perturb_mean, "perturb_std": o.perturb_std}
    return q.near(o.perturb_std, "gaussian", "max", law, {"distance": distance})


def _plain_norms(q: MetricCall, *words: dict[str, str]) -> None:
    """Check the functions of the similarity and of its two norms."""
    for option, known in zip(_NORMS, words):
        given = getattr(q.options, option)
        if given is not None:
            resolve(option, given, known)


def _continuity(q: MetricCall) -> Any:
    o = q.options
    axis = resolve("perturb_func", o.perturb_func or "translation_x_direction", _words.TRANSLATIONS)
    resolve("perturb_baseline", o.perturb_baseline, {"black": ""})
    along = 1 if axis == "width" else 0
    size = q.plane()[along]
    step = (2 * size + 1) // o.nr_steps
    shifts = [k * (step if q.compat else max(1, step)) - size for k in range(1, o.nr_steps + 1)]
    if q.compat:
        # Quantus asks for the maps of the images again.
        q.maps = q.explained_all(q.call.model)
    else:
        shifts = [by for by in shifts if 0 < abs(by) < size]
        if not o.return_nan_when_prediction_changes:
            return q.per_sample(reading="images", axes=axis, shifts=shifts)
    draws, how = q.shifted_images(along, shifts), {"metric": "local_lipschitz", "distance": "l1"}
    return q.draw_by_draw(draws, "max", reading="images", **how)


def _consistency(q: MetricCall) -> Any:
    n, given = q.x[0].size, q.options.discretise_func
    words: dict[str, Any] = {
        "top_n_sign": (lambda a: np.sign(a[:5])) if q.compat else "top-signed:5",
        "sign": f"top-signed:{n}",
        "rank": f"rank:{n}",
        "floating_points": "rounded:2",
    }
    is_word = not callable(given) or name_of(given) in words
    return q.among_samples(discretizer=resolve("discretise_func", given, words) if is_word else given)


def _relative_stability(q: MetricCall) -> Any:
    o = q.options
    how: dict[str, Any] = {"floor": o.eps_min}
    sides = {}
    if q.compat:
        how["elementwise"] = o.eps_min
    if q.metric == "relative_representation_stability":
        layer = outputs_of_layers(q.call.model, q.tensors, o.layer_names, o.layer_indices)
        sides["representation"] = q.on_reshaped(layer)
    bounds = {"lower_bound": 0.02, "upper_bound": 0.2} if q.compat else {"lower_bound": 0.2}
    return q.near(0.2, "around", "max", bounds, how, drops=True, sides=sides)


# Localisation


def _pointing_game(q: MetricCall) -> Any:
    values = q.on_masks(ties="any", weighted=q.options.weighted)
    if q.options.weighted:
        return values
    # Quantus keeps the NaN of an empty mask as a boolean.
    return [bool(v) for v in values] if q.compat else _flags(values)


def _attribution_localisation(q: MetricCall) -> Any:
    o = q.options
    relevance = "signed" if q.compat and not o.positive_attributions else "positive"
    values = q.on_masks(relevance=relevance, weighted=o.weighted, max_size=o.max_size)
    # Quantus has no share above 1.
    return [math.nan if q.compat and v > 1.0 else v for v in values]


def _top_k_intersection(q: MetricCall) -> Any:
    how = {"k": int(q.options.k), "influence": q.options.concept_influence}
    return q.on_masks(ties="lowest-index", **how)


def _relevance_mass(q: MetricCall) -> Any:
    return q.on_masks(relevance="signed" if q.compat else "positive")


def _focus(q: MetricCall) -> Any:
    if q.call.custom_batch is None:
        raise ValueError(
            "custom_batch: expected which quadrants show the class, four booleans per sample: "
            "top left, top right, bottom left, bottom right"
        )
    mosaic = np.asarray(q.call.custom_batch).astype(bool).reshape(q.n, 2, 2)
    return q.on_masks(mosaic=mosaic)


# Complexity


def _sparseness(q: MetricCall) -> Any:
    if q.compat:
        q.maps = q.maps + 1e-7
    return q.per_sample(reading=q.own_reading())


def _effective_complexity(q: MetricCall) -> Any:
    if q.compat:
        return [int(n) for n in q.per_sample("nonzero_features", reading=q.own_reading(), threshold=q.options.eps)]
    return q.per_sample("effective_complexity", reading=q.own_reading(), tolerance=q.options.tolerance, steps="all")


# Randomisation


def _randomization(q: MetricCall) -> Any:
    o = q.options
    if o.return_average_correlation and o.return_last_correlation:
        raise ValueError("return_average_correlation: not together with return_last_correlation")
    names = layers_of(q.call.model, o.layer_order)
    steps = {"original": q.similarity(q.explained_all(q.call.model))}
    for step, name in enumerate(names):
        if not o.skip_layers or step == len(names) - 1:
            chosen = [name] if o.layer_order == "independent" else names[: step + 1]
            steps[name] = q.similarity(q.explained_all(randomized(q.call.model, chosen, o.seed)))
    if o.return_average_correlation:
        counted = [values for name, values in steps.items() if q.compat or name != "original"]
        return over_defined(counted, "mean", axis=0)
    if o.return_last_correlation:
        return list(steps.values())[-1]
    if o.return_aggregate:
        raise ValueError(
            "return_aggregate: of one value per sample; turn on return_average_correlation or "
            "return_last_correlation"
        )
    return steps


def _smooth_randomization(q: MetricCall) -> Any:
    o = q.options
    plain = q.explain

    def explain(model: Any, inputs: Any, targets: Any) -> Any:
        def maps(batch: Any, of: Any) -> Any:
            return np.broadcast_to(plain(model, batch, of), batch.shape)

        return smoothed(maps, o.nr_samples, o.noise_magnitude, seed=o.seed)(inputs, targets)

    q.explain = explain  # type: ignore[method-assign]
    if q.call.a_batch is None:
        q.maps = q.explained_all(q.call.model)
    return _randomization(q)


def _efficient_randomization(q: MetricCall) -> Any:
    o = q.options
    if o.compute_extra_scores:
        raise ValueError("compute_extra_scores: not here; ask Complexity of each model's maps")
    resolve("complexity_func", o.complexity_func or "discrete_entropy", {"discrete_entropy": ""})
    how = o.complexity_func_kwargs or {}
    bins = how.get("n_bins", 100)
    if how.get("rule") is not None:
        bins = resolve(
            "complexity_func_kwargs", how["rule"], {"Freedman Diaconis": "freedman-diaconis"}
        )
    model = randomized(q.call.model, layers_of(q.call.model, o.layer_order), o.seed)
    random = q.elements(q.explained_all(model))
    return q.per_sample(bins=bins, sides={"second_maps": random})


def _random_logit(q: MetricCall) -> Any:
    o = q.options
    word, reading = q.similar()
    n_classes = o.num_classes
    if n_classes is None:
        n_classes = q.outputs(q.x[:1]).shape[1]
    how: dict[str, Any] = {"n_classes": int(n_classes), "similarity": word, "reading": reading}
    if not q.compat:
        return q.per_sample(**how)
    others = np.empty(q.n, np.int64)
    for rows in q.batches():
        # It draws the same numbers for every mini-batch.
        n = len(others[rows])
        drawn = np.random.RandomState(o.seed).randint(0, n_classes - 1, n)
        others[rows] = drawn + (drawn >= q.y[rows])
    return q.per_sample(draws=others, **how)


# Axioms


def _completeness(q: MetricCall) -> Any:
    q.removes()
    if q.options.output_func is not None:
        raise ValueError("output_func: not here; make it part of the model")
    gap = q.per_sample(
        gap="absolute" if q.compat else "relative", baseline=q.options.perturb_baseline
    )
    return _within(gap, 0.0 if q.compat else q.options.tolerance)


def _non_sensitivity(q: MetricCall) -> Any:
    q.removes()
    o = q.options
    how: dict[str, Any] = {"zero_threshold": o.eps, "change_threshold": o.eps}
    if o.features_in_step > 1:
        groups = np.arange(q.x[0].size) // o.features_in_step
        how |= {"features": "segments", "sides": {"segments": groups[None]}}
    return [int(n) for n in q.per_sample(baseline=o.perturb_baseline, **how)]


def _input_invariance(q: MetricCall) -> Any:
    o = q.options
    if o.perturb_func is not None:
        raise ValueError("perturb_func: inputs are shifted by input_shift")
    moved = shifted(q.call.model, o.input_shift)
    batches = [q.explained(moved, q.x[b] + o.input_shift, q.y[b]) for b in q.batches()]
    values = q.per_sample(sides={"second_maps": q.elements(np.concatenate(batches))})
    return _within(values, o.tolerance)


def _within(values: list[float], tolerance: float) -> list[Any]:
    return [v if math.isnan(v) else v <= tolerance for v in values]


def _flags(values: list[float]) -> list[Any]:
    """Convert to booleans; NaN stays NaN."""
    return [v if math.isnan(v) else bool(v) for v in values]


def unit_area(scores: npt.NDArray[Any]) -> float:
    """Compute the area under points with unit spacing, as Quantus does.

    Examples
    --------
    >>> unit_area(np.array([1.0, 0.5, 0.0]))
    1.0
    """
    return float(((scores[1:] + scores[:-1]) / 2.0).sum())


# When scores are not those of Quantus


def _always(q: MetricCall, scores: Any) -> bool:
    return True


def _where_undefined(q: MetricCall, scores: Any) -> bool:
    return bool(np.isnan(np.asarray(scores, float)).any())


def _where_compared(q: MetricCall, scores: Any) -> bool:
    """Return whether samples of several mini-batches are compared, or one has no value."""
    return q.is_in_batches or _where_undefined(q, scores)


def _where_negative(q: MetricCall, scores: Any) -> bool:
    return bool((q.maps < 0).any())


#: Definitions of all metrics of Quantus by name.
DEFINITIONS = {
    "FaithfulnessCorrelation": Definition(
        _faithfulness_correlation,
        {
            "similarity_func": "correlation_pearson",
            "nr_runs": 100,
            "subset_size": 224,
            **_REMOVING,
            "return_aggregate": True,
        },
        differs="Subsets are drawn under ``seed``; ``compat=True`` draws those of Quantus from "
        "the global generator of NumPy.",
        differs_when=_always,
    ),
    "FaithfulnessEstimate": Definition(
        _faithfulness_estimate,
        {"similarity_func": "correlation_pearson", "features_in_step": 1, **_REMOVING},
    ),
    "PixelFlipping": Definition(
        _pixel_flipping,
        {"features_in_step": 1, "return_auc_per_sample": False, **_REMOVING},
        softmax=True,
        differs="Curves are those of Quantus: without the score of the whole input. Areas are "
        "means over the share of features, with it; ``compat=True`` takes trapezoids of "
        "width 1 without it.",
        differs_when=lambda q, scores: q.options.return_auc_per_sample,
    ),
    "Monotonicity": Definition(
        _monotonicity,
        {"features_in_step": 1, **_REMOVING, "abs": True},
        softmax=True,
        differs="Features are put back, the least relevant first. Quantus puts nothing back and "
        "answers True whatever the map: there is no ``compat`` for that.",
        differs_when=lambda q, scores: any(score is not True for score in scores),
    ),
    "MonotonicityCorrelation": Definition(
        _monotonicity_correlation,
        {
            "similarity_func": "correlation_spearman",
            "eps": 1e-5,
            "nr_samples": 100,
            "features_in_step": 1,
            **_REMOVING,
            "perturb_baseline": "uniform",
            "abs": True,
        },
        softmax=True,
        differs="The mean is over evenly spaced values; ``compat=True`` draws those of Quantus "
        "from the global generator of NumPy. ``eps`` changes no ranks, and is not read.",
        differs_when=_always,
    ),
    "RegionPerturbation": Definition(
        _region_perturbation,
        {"patch_size": 8, "order": "morf", "regions_evaluation": 100, **_REMOVING},
        softmax=True,
        differs="Drops are those of Quantus; a random order is drawn under ``seed``, with ``compat=True`` from "
        "the global generator of NumPy. ``get_auc_score`` is the AOPC of the paper; with "
        "``compat=True`` the mean of trapezoids of width 1.",
        differs_when=lambda q, scores: q.options.order == "random",
    ),
    "Selectivity": Definition(
        _selectivity,
        {"patch_size": 8, **_REMOVING},
        softmax=True,
        differs="Curves are those of Quantus; areas as in PixelFlipping.",
    ),
    "SensitivityN": Definition(
        _sensitivity_n,
        {
            "similarity_func": "correlation_pearson",
            "n_max_percentage": 0.8,
            "features_in_step": 1,
            **_REMOVING,
            "return_aggregate": True,
        },
        softmax=True,
        differs="A correlation over random subsets for each of up to 12 sizes, multiples of "
        "``features_in_step``. Quantus correlates drops along one deletion with sums of "
        "single steps, over the samples of the first mini-batch: there is no ``compat`` "
        "for that.",
        differs_when=_always,
    ),
    "IROF": Definition(
        _irof,
        {
            "segmentation_method": "slic",
            **_REMOVING,
            "perturb_baseline": "mean",
            "return_aggregate": True,
        },
        softmax=True,
        differs="Segments are ``custom_batch``, or those of scikit-image where it is installed. "
        "The area is a share in (-inf, 1]; with ``compat=True`` it grows with the number "
        "of segments, as in Quantus. The baseline is that of the sample as it was; "
        "Quantus takes the mean of the mini-batch as perturbed so far.",
        differs_when=_always,
    ),
    "ROAD": Definition(
        _road,
        {"percentages": None, "noise": 0.01, "perturb_func": None, "perturb_func_kwargs": None},
        softmax=True,
        differs="Pixels are removed with all their channels, and all samples count. Quantus fails "
        "for several channels and counts the first mini-batch alone: there is no "
        "``compat`` for that.",
        differs_when=lambda q, scores: q.is_in_batches or q.options.noise > 0,
    ),
    "Infidelity": Definition(
        _infidelity,
        {
            "loss_func": "mse",
            "perturb_patch_sizes": None,
            "n_perturb_samples": 10,
            **_REMOVING,
            "normalise": False,
        },
        differs="Each patch is removed by itself, and maps are gradients. In Quantus patches stay "
        "removed: ``compat=True``. ``n_perturb_samples`` is the number of draws of the baseline "
        "``uniform``, under ``seed`` or from the global generator of NumPy; others are the same in "
        "every repetition.",
        differs_when=_always,
    ),
    "Sufficiency": Definition(
        _sufficiency,
        {"threshold": 0.6, "distance_func": "seuclidean", "abs": True},
        softmax=True,
        differs="All samples are compared with each other, and a sample without near ones has no "
        "value; with ``compat=True`` those of a mini-batch, and 0.",
        differs_when=_where_compared,
    ),
    "LocalLipschitzEstimate": Definition(
        _local_lipschitz,
        {**_NORMS, **_NEIGHBOURS, "perturb_mean": 0.0, "perturb_std": 0.1},
        softmax=True,
        differs="Maps are scaled by one number of the data set, and neighbours drawn under "
        "``seed``. With ``compat=True`` every mini-batch is scaled by itself, and "
        "neighbours are those that Quantus draws from the global generator of NumPy.",
        differs_when=_always,
    ),
    "MaxSensitivity": Definition(
        _sensitivity,
        {**_NORMS, **_NEIGHBOURS, "lower_bound": 0.2, "upper_bound": None, "normalise": False},
        differs="Neighbours are drawn under ``seed``, and those with another prediction can be "
        "left out. With ``compat=True`` they are those that Quantus draws from the global "
        "generator of NumPy, and one with another prediction makes the value NaN.",
        differs_when=_always,
    ),
    "Continuity": Definition(
        _continuity,
        {
            "nr_steps": 28,
            "perturb_func": None,
            "perturb_baseline": "black",
            "perturb_func_kwargs": None,
            "return_nan_when_prediction_changes": False,
            "abs": True,
        },
        differs="Images are moved by the steps of Quantus that leave something of them. In "
        "Quantus, and with ``compat=True``, some steps show an empty image, all of images "
        "of less than 14 columns.",
        differs_when=_always,
    ),
    "Consistency": Definition(
        _consistency,
        {"discretise_func": "top_n_sign", "abs": True},
        softmax=True,
        differs="``top_n_sign`` is the five largest attributions; in Quantus, and with "
        "``compat=True``, the first five. ``discretise_func`` may be a function of a map "
        "to anything that compares. All samples are compared with each other, and a "
        "sample alone with its map has no value; with ``compat=True`` those of a "
        "mini-batch, and 0.",
        differs_when=lambda q, scores: name_of(q.options.discretise_func) == "top_n_sign" or _where_compared(q, scores),
    ),
    "RelativeInputStability": Definition(
        _relative_stability,
        {**_RELATIVE, "eps_min": 1e-6},
        differs="Changes are those of whole vectors, under noise of both signs, of neighbours "
        "with the same prediction. With ``compat=True`` as in Quantus: element by "
        "element, under noise in [0.02, 0.2), and NaN where a prediction changes.",
        differs_when=_always,
    ),
    "PointingGame": Definition(
        _pointing_game,
        {"weighted": False},
        differs="An empty mask has no value; Quantus counts it as a hit, as ``compat=True`` does. "
        "``weighted=True`` fails in Quantus.",
        differs_when=lambda q, scores: q.options.weighted or _where_undefined(q, scores),
    ),
    "AttributionLocalisation": Definition(
        _attribution_localisation,
        {"weighted": False, "max_size": 1.0, "positive_attributions": False, "abs": True},
        differs="The positive part counts; with ``compat=True`` attributions as they are. Weights "
        "are those of the paper: those of Quantus depend on the number of samples.",
        differs_when=lambda q, scores: q.options.weighted or (not q.options.positive_attributions and _where_negative(q, scores)),
    ),
    "TopKIntersection": Definition(
        _top_k_intersection,
        {"k": 1000, "concept_influence": False},
    ),
    "RelevanceRankAccuracy": Definition(lambda q: q.on_masks(ties="lowest-index")),
    "RelevanceMassAccuracy": Definition(
        _relevance_mass,
        differs="The positive part counts; with ``compat=True`` attributions as they are, whose "
        "shares may leave [0, 1].",
        differs_when=_where_negative,
    ),
    "AUC": Definition(lambda q: q.on_masks()),
    "Focus": Definition(
        _focus,
        {"mosaic_shape": None},
        differs="Quantus adds 1e-9 to the divisor.",
    ),
    "Sparseness": Definition(
        _sparseness,
        {"abs": True},
        differs="Quantus adds 1e-7 to every attribution, as ``compat=True`` does: a map of zeros has the "
        "value 0, and no value here.",
        differs_when=_where_undefined,
    ),
    "Complexity": Definition(
        lambda q: q.per_sample(reading=q.own_reading()),
        {"abs": True},
        differs="Quantus adds 1e-12 under the logarithm: values differ by at most as much for each "
        "position. A map of zeros has no value.",
        differs_when=_where_undefined,
    ),
    "EffectiveComplexity": Definition(
        _effective_complexity,
        {"eps": 1e-5, "tolerance": 0.1, "abs": True},
        differs="How many of the largest attributions the model needs to answer within "
        "``tolerance``, as in the paper. Quantus counts attributions above ``eps`` and "
        "asks no model: ``compat=True``.",
        differs_when=_always,
    ),
    "MPRT": Definition(
        _randomization,
        {**_LAYERS, "return_sample_correlation": None},
        differs="The average is that of the randomized models; with ``compat=True``, as in Quantus, the "
        "original counts as well, which is similar to itself.",
        differs_when=lambda q, scores: q.options.return_average_correlation,
    ),
    "SmoothMPRT": Definition(
        _smooth_randomization,
        {**_LAYERS, "layer_order": "bottom_up", "nr_samples": 50, "noise_magnitude": 0.1},
        differs="``explain_func`` is asked, under the same noise for every model. Quantus asks "
        "its own ``explain`` instead, under noise drawn anew. Otherwise as MPRT.",
        differs_when=_always,
    ),
    "EfficientMPRT": Definition(
        _efficient_randomization,
        {
            "complexity_func": None,
            "complexity_func_kwargs": None,
            "similarity_func": None,
            "layer_order": "bottom_up",
            "seed": 42,
            "compute_extra_scores": False,
            "skip_layers": True,
            "normalise": False,
        },
        softmax=True,
        differs='Bins are ``complexity_func_kwargs={"n_bins": 100}``, or the rule of Freedman and '
        "Diaconis; those of Quantus take the number of axes for that of values.",
        differs_when=lambda q, scores: (q.options.complexity_func_kwargs or {}).get("rule") is not None,
    ),
    "RandomLogit": Definition(
        _random_logit,
        {"similarity_func": "ssim", "num_classes": None, "seed": 42},
        differs="``num_classes`` is that of the model (in Quantus 1000). With ``compat=True`` the "
        "other classes are those that Quantus draws. Its structural similarity is that of "
        "flattened maps, ours of images.",
        differs_when=_always,
    ),
    "Completeness": Definition(
        _completeness,
        {**_REMOVING, "output_func": None, "tolerance": 1e-3, "normalise": False},
        differs="Whether the gap is at most the share ``tolerance`` of what the score gained. "
        "Quantus asks for equality, as ``compat=True`` does, and by default of normalised "
        "maps, which have none.",
        differs_when=_always,
    ),
    "NonSensitivity": Definition(
        _non_sensitivity,
        {"eps": 1e-5, "features_in_step": 1, **_REMOVING, "abs": True},
        softmax=True,
        differs="Groups of ``features_in_step`` elements are counted; Quantus counts elements: there is no "
        "``compat`` for that.",
        differs_when=lambda q, scores: q.options.features_in_step > 1,
    ),
    "InputInvariance": Definition(
        _input_invariance,
        {
            "input_shift": -1,
            "perturb_func": None,
            "perturb_func_kwargs": None,
            "tolerance": 1e-4,
            "normalise": False,
        },
        differs="The model undoes the shift at its inputs, and all elements are shifted; Quantus "
        "changes the bias of the first layer, which is not the same with padding, and "
        "leaves out the first element. Invariant are maps that differ by at most the "
        "share ``tolerance`` of their largest attribution.",
        differs_when=_always,
    ),
}
# Classes that are as another, but for the metric of their name.
DEFINITIONS["AvgSensitivity"] = DEFINITIONS["MaxSensitivity"]
DEFINITIONS["RelativeOutputStability"] = DEFINITIONS["RelativeInputStability"]
_OF_LAYERS = {**DEFINITIONS["RelativeInputStability"].options, "layer_names": None, "layer_indices": None}
DEFINITIONS["RelativeRepresentationStability"] = replace(
    DEFINITIONS["RelativeInputStability"], options=_OF_LAYERS
)
# Other names of classes.
DEFINITIONS["BatchSufficiency"] = replace(DEFINITIONS["Sufficiency"], like="Sufficiency")
DEFINITIONS["ModelParameterRandomisation"] = replace(DEFINITIONS["MPRT"], like="MPRT")
