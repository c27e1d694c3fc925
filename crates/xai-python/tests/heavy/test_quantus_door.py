"""The same calls to Quantus and to :mod:`xai_metrics.compat.quantus`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

quantus = pytest.importorskip("quantus")
torch = pytest.importorskip("torch")

from xai_metrics.attribution import evaluate  # noqa: E402
from xai_metrics.compat import quantus as ours  # noqa: E402

N, CLASSES = 6, 4
QUIET = {"disable_warnings": True, "display_progressbar": False}


@pytest.fixture(autouse=True)
def trapezoids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quantus 0.6 calls ``numpy.trapz``, which NumPy 2.4 has no more."""
    monkeypatch.setattr(np, "trapz", np.trapezoid, raising=False)


class Images:
    """A small network, and its maps."""

    def __init__(self, channels: int = 1, side: int = 12) -> None:
        torch.manual_seed(0)
        self.model = torch.nn.Sequential(
            torch.nn.Conv2d(channels, 4, 3),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(4 * (side - 2) ** 2, 8),
            torch.nn.ReLU(),
            torch.nn.Linear(8, CLASSES),
        ).eval()
        rng = np.random.default_rng(5)
        self.x = rng.random((N, channels, side, side)).astype(np.float32)
        self.y = rng.integers(0, CLASSES, N)
        self.a = explain(self.model, self.x, self.y)
        self.s = np.zeros((N, 1, side, side), dtype=bool)
        self.s[:, :, 2:9, 3:8] = True

    def ask(self, metric: Any, maps: bool = True, **further: Any) -> Any:
        np.random.seed(11)
        a_batch = self.a.copy() if maps else None
        call = {"s_batch": self.s, "explain_func": explain, "channel_first": True, **further}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return metric(model=self.model, x_batch=self.x, y_batch=self.y, a_batch=a_batch, **call)


def explain(model: Any, inputs: Any, targets: Any, **_: Any) -> Any:
    """Input times gradient."""
    x = torch.as_tensor(np.asarray(inputs), dtype=torch.float32).requires_grad_()
    rows = torch.arange(len(x))
    scores = model(x)[rows, torch.as_tensor(np.asarray(targets))]
    (gradient,) = torch.autograd.grad(scores.sum(), x)
    return (x * gradient).detach().numpy()


@pytest.fixture(scope="module")
def grey() -> Images:
    return Images()


@pytest.fixture(scope="module")
def colored() -> Images:
    return Images(channels=3)


def numbers(scores: Any) -> Any:
    if isinstance(scores, dict):
        return {name: np.asarray(values, float) for name, values in scores.items()}
    return np.asarray(scores, float)


def same(of_ours: Any, of_theirs: Any, tolerance: float = 2e-4) -> None:
    of_ours, of_theirs = numbers(of_ours), numbers(of_theirs)
    if isinstance(of_ours, dict):
        assert of_ours.keys() == of_theirs.keys()
        of_ours, of_theirs = (
            np.concatenate([np.atleast_1d(v) for v in of.values()]) for of in (of_ours, of_theirs)
        )
    np.testing.assert_allclose(of_ours, of_theirs, rtol=tolerance, atol=tolerance)


#: Whose numbers are those of Quantus without a word.
ALIKE: list[tuple[str, dict[str, Any]]] = [
    ("FaithfulnessEstimate", {"features_in_step": 12}),
    ("FaithfulnessEstimate", {"features_in_step": 12, "perturb_baseline": "white", "abs": True}),
    ("PixelFlipping", {"features_in_step": 12}),
    ("PixelFlipping", {"features_in_step": 12, "perturb_baseline": 0.5}),
    ("RegionPerturbation", {"patch_size": 4}),
    ("RegionPerturbation", {"patch_size": 5, "order": "lerf", "perturb_baseline": "white"}),
    ("RegionPerturbation", {"patch_size": 4, "regions_evaluation": 3}),
    ("Selectivity", {"patch_size": 3}),
    ("ROAD", {"percentages": [10, 50, 80], "noise": 0.0}),
    ("TopKIntersection", {"k": 10}),
    ("TopKIntersection", {"k": 10, "concept_influence": True}),
    ("RelevanceRankAccuracy", {}),
    ("RelevanceMassAccuracy", {"abs": True}),
    ("AttributionLocalisation", {}),
    ("PointingGame", {}),
    ("AUC", {"abs": True}),
    ("Complexity", {}),
    ("Sparseness", {}),
]
#: Whose numbers are those of Quantus with ``compat=True``.
COMPAT: list[tuple[str, dict[str, Any]]] = [
    ("FaithfulnessCorrelation", {"nr_runs": 20, "subset_size": 30}),
    (
        "FaithfulnessCorrelation",
        {"nr_runs": 20, "subset_size": 30, "perturb_baseline": 0.0, "return_aggregate": False},
    ),
    ("PixelFlipping", {"features_in_step": 12, "return_auc_per_sample": True}),
    ("MonotonicityCorrelation", {"features_in_step": 24, "nr_samples": 5}),
    ("Infidelity", {"perturb_patch_sizes": [4], "n_perturb_samples": 1}),
    ("Infidelity", {"perturb_patch_sizes": [3, 4], "n_perturb_samples": 2, "perturb_baseline": "uniform"}),
    (
        "Infidelity",
        {"perturb_patch_sizes": [3, 4], "n_perturb_samples": 1, "perturb_baseline": 0.5},
    ),
    ("IROF", {"perturb_baseline": 0.0, "return_aggregate": False}),
    ("Sufficiency", {}),
    ("MaxSensitivity", {"nr_samples": 6}),
    ("MaxSensitivity", {"nr_samples": 6, "lower_bound": 0.1, "upper_bound": 0.3, "abs": True}),
    ("MaxSensitivity", {"nr_samples": 6, "normalise": True}),
    ("AvgSensitivity", {"nr_samples": 6}),
    ("LocalLipschitzEstimate", {"nr_samples": 6}),
    ("LocalLipschitzEstimate", {"nr_samples": 6, "perturb_mean": 0.1, "normalise": False}),
    ("Continuity", {"nr_steps": 4}),
    ("Continuity", {"nr_steps": 6, "normalise": False, "abs": False}),
    ("Consistency", {"abs": False}),
    ("Consistency", {"abs": False, "discretise_func": "rank"}),
    ("RelativeInputStability", {"nr_samples": 6, "return_nan_when_prediction_changes": False}),
    ("RelativeOutputStability", {"nr_samples": 6}),
    ("RelativeRepresentationStability", {"nr_samples": 6, "layer_names": ["3"]}),
    ("RelativeRepresentationStability", {"nr_samples": 6}),
    ("RelevanceMassAccuracy", {}),
    ("AttributionLocalisation", {"abs": False}),
    ("Sparseness", {"abs": True}),
    ("EffectiveComplexity", {"eps": 0.05}),
    ("MPRT", {}),
    ("MPRT", {"layer_order": "bottom_up", "similarity_func": "correlation_pearson"}),
    ("MPRT", {"layer_order": "independent", "return_average_correlation": True}),
    ("MPRT", {"return_last_correlation": True, "return_aggregate": True}),
    ("EfficientMPRT", {"complexity_func_kwargs": {"n_bins": 50}}),
    ("RandomLogit", {"num_classes": CLASSES, "similarity_func": "correlation_spearman"}),
    ("NonSensitivity", {}),
    ("Completeness", {}),
]


def theirs_of(name: str, options: dict[str, Any]) -> Any:
    functions = {
        "similarity_func": quantus.similarity_func,
        "discretise_func": quantus.discretise_func,
    }
    given = {
        option: getattr(functions[option], value) if option in functions else value
        for option, value in options.items()
    }
    return getattr(quantus, name)(**given, **QUIET)


@pytest.mark.parametrize(("name", "options"), ALIKE)
def test_numbers_of_quantus(grey: Images, name: str, options: dict[str, Any]) -> None:
    same(grey.ask(getattr(ours, name)(**options, **QUIET)), grey.ask(theirs_of(name, options)))


@pytest.mark.parametrize(("name", "options"), COMPAT)
@pytest.mark.parametrize("batch_size", [64, 4])
def test_numbers_of_quantus_with_compat(
    grey: Images, name: str, options: dict[str, Any], batch_size: int
) -> None:
    metric = getattr(ours, name)(**options, **QUIET, compat=True)
    of_theirs = grey.ask(theirs_of(name, options), batch_size=batch_size)
    same(grey.ask(metric, batch_size=batch_size), of_theirs)
    assert np.shape(metric.all_evaluation_scores) == np.shape(
        [of_theirs] if isinstance(of_theirs, dict) else of_theirs
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("PixelFlipping", {"features_in_step": 48}),
        ("FaithfulnessEstimate", {"features_in_step": 12}),
        ("RegionPerturbation", {"patch_size": 4}),
        ("MaxSensitivity", {"nr_samples": 4, "normalise": True}),
        ("FaithfulnessCorrelation", {"nr_runs": 20, "subset_size": 60}),
    ],
)
def test_images_with_colors_and_maps_made_on_the_way(
    colored: Images, name: str, options: dict[str, Any]
) -> None:
    metric = getattr(ours, name)(**options, **QUIET, compat=True)
    same(colored.ask(metric, maps=False), colored.ask(theirs_of(name, options), maps=False))


def test_smoothing_without_noise_changes_nothing(grey: Images) -> None:
    smooth = ours.SmoothMPRT(nr_samples=2, noise_magnitude=0.0)
    plain = ours.MPRT(layer_order="bottom_up")
    for maps in (True, False):
        same(grey.ask(smooth, maps), grey.ask(plain, maps), 1e-6)
    noisy = ours.SmoothMPRT(nr_samples=2, noise_magnitude=0.5)
    assert grey.ask(noisy) != grey.ask(plain)


def test_maps_that_do_not_move_with_their_inputs_are_invariant(grey: Images) -> None:
    def gradients(model: Any, inputs: Any, targets: Any, **_: Any) -> Any:
        x = np.asarray(inputs)
        return np.divide(explain(model, x, targets), x, where=x != 0.0, out=np.zeros_like(x))

    invariant = ours.InputInvariance(input_shift=0.5)
    assert grey.ask(invariant, maps=False, explain_func=gradients) == [True] * N
    assert grey.ask(invariant) == [False] * N


def test_areas_of_curves(grey: Images) -> None:
    for name, options in (
        ("PixelFlipping", {"features_in_step": 12}),
        ("Selectivity", {"patch_size": 3}),
    ):
        metric, of_theirs = getattr(ours, name)(**options, compat=True), theirs_of(name, options)
        grey.ask(metric), grey.ask(of_theirs)
        assert metric.get_auc_score == pytest.approx(of_theirs.get_auc_score, abs=1e-3)


def test_options_and_defaults_are_those_of_quantus() -> None:
    import inspect

    for name, kind in vars(quantus.metrics).items():
        if not (isinstance(kind, type) and issubclass(kind, quantus.metrics.base.Metric)):
            continue
        if kind is quantus.metrics.base.Metric:
            continue
        known = inspect.signature(getattr(ours, name)).parameters
        asked = inspect.signature(kind.__init__).parameters
        names = {p.name for p in asked.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
        assert names - {"self"} <= set(known), name
        for option in names - {"self"}:
            default, theirs = known[option].default, asked[option].default
            is_plain = isinstance(theirs, (bool, int, float, str))
            if is_plain and (name, option) not in CHOSEN:
                assert default == theirs, (name, option)


#: Defaults that are others on purpose: see the classes.
CHOSEN = {("Completeness", "normalise"), ("RandomLogit", "num_classes")}


#: Whose scores are better at the other end than Quantus says: drops of the score under the removal of
#: relevant patches, and the probability that equal explanations go with equal predictions.
OTHER_END = {"RegionPerturbation", "Consistency"}


def test_attributes_and_available_metrics_are_those_of_quantus() -> None:
    for category, metrics in quantus.AVAILABLE_METRICS.items():
        found = ours.AVAILABLE_METRICS[category]
        assert {name: kind.__name__ for name, kind in found.items()} == {
            name: kind.__name__ for name, kind in metrics.items()
        }
        for name, kind in metrics.items():
            assert found[name].name == kind.name
            assert found[name].evaluation_category.value == kind.evaluation_category.value
            for attribute in ("data_applicability", "model_applicability"):
                values = ({item.value for item in getattr(of, attribute)} for of in (found[name], kind))
                assert len(set(map(frozenset, values))) == 1, (name, attribute)
            is_same = found[name].score_direction.value == kind.score_direction.value
            assert is_same == (kind.__name__ not in OTHER_END), name
    assert ours.available_metrics() == quantus.available_metrics()


def test_evaluate_answers_as_quantus(grey: Images) -> None:
    def asked(package: Any) -> Any:
        metrics = {"Sparseness": package.Sparseness(**QUIET), "AUC": package.AUC(**QUIET)}
        methods = {"one": grey.a, "two": np.abs(grey.a)}
        return package.evaluate(
            metrics, methods, grey.model, grey.x, grey.y, s_batch=grey.s, agg_func=np.mean
        )

    of_ours, of_theirs = asked(ours), asked(quantus)
    assert of_ours.keys() == of_theirs.keys()
    for name in of_ours:
        same(list(of_ours[name].values()), list(of_theirs[name].values()))


@pytest.mark.parametrize("metric", [quantus.PixelFlipping, quantus.PixelFlipping(**QUIET)])
def test_a_metric_of_quantus_is_told_by_its_name_here(metric: Any) -> None:
    with pytest.raises(TypeError, match=r"did you mean deletion \(quantus.PixelFlipping\)"):
        evaluate(None, None, None, {"maps": np.ones((2, 3))}, [metric])
