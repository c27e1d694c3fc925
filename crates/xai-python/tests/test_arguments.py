"""Arguments that are no arrays: what is wrong with them is said by their names."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from xai_metrics import attribution, casebased, graph, repro
from xai_metrics.attribution import metrics

X = np.random.default_rng(0).normal(size=(6, 4))
Y = [0, 1] * 3
RUNS = [[0, 1, 0], [0, 1, 1], [1, 1, 0]]
EDGES = [[0, 1], [1, 0]]
TOO_LARGE = 2**70


def evaluated(**given):
    given = {"metrics": ["complexity"], **given}
    return attribution.evaluate(None, None, None, {"a": X}, **given)


def smoothed(**given):
    return attribution.smoothed(lambda x, _: x, **given)


def aggregated(features, edge_index, edge_weight):
    return features


def robust(**given):
    return graph.robust_fidelity(aggregated, X, EDGES, [1.0, 0.0], **given)


def swept(**given):
    return graph.sweep(aggregated, X, EDGES, [1.0, 0.0], **given)


def study(**given):
    return repro.SimulationStudy(**{"n_draws": 1, "n_samples": 20, **given})


def labelled(**given):
    return repro.simulate_labels(**{"probabilities": [1.0], "n_samples": 1, **given})


def predicted(**given):
    return repro.simulate_predictions([0], **{"n_runs": 2, **given}, error_probabilities=[1.0], max_error_share=0.1)


WHOLE = {
    "seed of evaluate": ("seed", lambda one: evaluated(seed=one)),
    "replicates of evaluate": ("replicates", lambda one: evaluated(replicates=one)),
    "n_copies": ("n_copies", lambda one: smoothed(n_copies=one)),
    "seed of smoothed": ("seed", lambda one: smoothed(seed=one)),
    "n_points": ("n_points", lambda one: graph.ground_truth_curves([0.9], [1], n_points=one)),
    "n_points of a state": (
        "n_points",
        lambda one: graph.GroundTruthAccumulator().update([0.9], [1]).curves(one),
    ),
    "n_nodes": ("n_nodes", lambda one: graph.mask_properties([1.0, 0.0], edge_index=EDGES, n_nodes=one)),
    "k of top_k_features": ("k", lambda one: graph.top_k_features(X, one)),
    "n_draws of a study": ("n_draws", lambda one: study(n_draws=one)),
    "first of a study": ("first", lambda one: study(first=one)),
    "bins": ("n_bins", lambda one: study().profiles(one)),
    "n_samples": ("n_samples", lambda one: labelled(n_samples=one)),
    "seed of labels": ("seed", lambda one: labelled(seed=one)),
    "item of labels": ("item", lambda one: labelled(item=one)),
    "item of a law": ("item", lambda one: repro.class_distribution("flat", 3, item=one)),
    "n_runs": ("n_runs", lambda one: predicted(n_runs=one)),
    "k": ("k", lambda one: casebased.CaseExplainer(X, Y, k=one)),
    "first_sample": ("first_sample", lambda one: casebased.Audit(casebased.CaseExplainer(X, Y), first_sample=one)),
}


@pytest.mark.parametrize(("name", "call"), WHOLE.values(), ids=WHOLE)
def test_whole_numbers(name, call):
    for wrong in (-1, TOO_LARGE):
        with pytest.raises(ValueError, match=f"^{name}: expected at (least|most)"):
            call(wrong)
    for wrong in (1.5, "x", [3], True):
        with pytest.raises(TypeError, match=f"^{name}: expected a whole number, got "):
            call(wrong)


JOBS = {
    "evaluate": lambda n: evaluated(n_jobs=n),
    "a metric": lambda n: metrics.Complexity().evaluate(X, n_jobs=n),
    "table": lambda n: evaluated().values.table(n_jobs=n),
    "base_scores": lambda n: attribution.base_scores(lambda x: x, X, Y, n_jobs=n),
    "mask_inputs": lambda n: attribution.mask_inputs(X, X, n_jobs=n),
    "map_similarity": lambda n: attribution.map_similarity(X, X, "spearman", n_jobs=n),
    "representativity": lambda n: attribution.representativity([X, X], [Y, Y], Y, n_jobs=n),
    "sweep": lambda n: swept(fractions=[0.5], n_jobs=n),
    "robust_fidelity": lambda n: robust(n_jobs=n),
    "fidelity": lambda n: graph.fidelity(X, X, X, n_jobs=n),
    "unfaithfulness": lambda n: graph.unfaithfulness(X, X, n_jobs=n),
    "ground_truth": lambda n: graph.ground_truth([0.9], [1], n_jobs=n),
    "mask_properties": lambda n: graph.mask_properties([0.9], n_jobs=n),
    "sparsify": lambda n: graph.sparsify([0.9], top_k=1, n_jobs=n),
    "a state": lambda n: graph.FidelityAccumulator(n_jobs=n),
    "pairwise": lambda n: repro.pairwise(RUNS, RUNS[0], n_jobs=n),
    "pairwise of packed runs": lambda n: repro.pairwise(repro.PackedRuns(RUNS, RUNS[0]), n_jobs=n),
    "interval": lambda n: repro.pairwise(RUNS, RUNS[0]).interval("pa_acc", n_jobs=n),
    "accumulator": lambda n: repro.PairwiseAccumulator(n_jobs=n),
    "gwet_ac2": lambda n: repro.gwet_ac2(RUNS, n_jobs=n),
    "sample_consistency": lambda n: repro.sample_consistency(RUNS, n_jobs=n),
    "compare_groups": lambda n: repro.compare_groups(RUNS, RUNS, RUNS[0], n_jobs=n),
    "regression": lambda n: repro.regression(X, X[0], n_jobs=n),
    "study": lambda n: study(n_jobs=n),
    "summary": lambda n: study().summary(n_jobs=n),
    "CaseExplainer": lambda n: casebased.CaseExplainer(X, Y, n_jobs=n),
    "NeighborSearch": lambda n: casebased.NeighborSearch(X, n_jobs=n),
    "distances": lambda n: casebased.distances(X, X, n_jobs=n),
}


@pytest.mark.parametrize("call", JOBS.values(), ids=JOBS)
def test_numbers_of_threads(call):
    with pytest.raises(ValueError, match="^n_jobs: expected at most"):
        call(TOO_LARGE)
    with pytest.raises(TypeError, match="^n_jobs: expected a whole number, got 1.5"):
        call(1.5)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("level", lambda one: evaluated(level=one)),
        ("level", lambda one: repro.summarize(RUNS, RUNS[0], level=one)),
        ("level", lambda one: repro.error_sets(RUNS, RUNS[0]).accuracy_intervals(one)),
        ("magnitude", lambda one: smoothed(magnitude=one)),
        ("threshold", lambda one: graph.mask_properties([1.0], one)),
        ("pos_weight", lambda one: graph.characterization_score(0.5, 0.5, one)),
    ]
    + [
        (kind, lambda one, kind=kind: graph.sparsify([1.0, 0.5], **{kind: one}))
        for kind in ("top_k", "fraction", "threshold")
    ],
)
def test_numbers(name, call):
    for wrong in ("x", b"1", [1.0, 2.0]):
        with pytest.raises(TypeError, match=f"^{name}: expected a number, got "):
            call(wrong)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: swept(fractions=0.5), ValueError, "^fractions: expected 1 axis"),
        (lambda: swept(top_k=b"1"), TypeError, "^top_k: expected an array or a table, got bytes"),
        (lambda: swept(thresholds=["x"]), TypeError, "^thresholds: expected real numbers"),
        (lambda: robust(n_draws=np.inf), ValueError, "^n_draws = inf: expected a whole number"),
        (lambda: robust(n_draws="x"), ValueError, "^n_draws = x: expected a whole number"),
        (lambda: robust(probabilities=3), ValueError, "= 3: expected logits, probs or log-probs"),
        (
            lambda: graph.fidelity(X, X, X, by="probability", return_type=None),
            ValueError,
            "^return_type = None: expected logits",
        ),
        (lambda: repro.votes(RUNS, 1.5), TypeError, "^sample: expected a whole number, got 1.5"),
        (lambda: repro.pairwise(RUNS, RUNS[0], metrics=[None]), TypeError, "^metrics: expected names"),
        (lambda: repro.pairwise(RUNS, RUNS[0], metrics=3), TypeError, "^metrics: expected names"),
        (lambda: evaluated(metrics=None), TypeError, "^metrics: expected names and metrics, got No"),
        (lambda: evaluated().values.merge(3), TypeError, "^other: expected EvaluationValues, got int"),
        (lambda: study().merge(3), TypeError, "^other: expected SimulationStudy, got int"),
        (
            lambda: casebased.Audit(casebased.CaseExplainer(X, Y)).merge(3),
            TypeError,
            "^other: expected Audit, got int",
        ),
        (
            lambda: metrics.RelativeRepresentationStability().evaluate(
                lambda x: x, lambda x, _: x, X, Y, 3
            ),
            TypeError,
            "^representation: expected a callable or an estimator, got int",
        ),
        (
            lambda: metrics.RankCorrelation().evaluate(X, lambda x, _: x, inputs=X),
            TypeError,
            "^reference_maps: expected maps, got an explainer",
        ),
        (lambda: metrics.Road(percentages=b"3"), ValueError, "^percentages = b'3': expected"),
        (lambda: metrics.Deletion(steps=bytearray(b"3")), ValueError, "^steps = bytearray"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("masks", [[True, False], 1, []])
def test_masks_have_the_axes_of_maps(masks):
    with pytest.raises(ValueError, match="^masks: expected where the object is"):
        metrics.PointingGame().evaluate(X, masks)


@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        ({"weighting": weighting}, ValueError, "^weighting: expected {'inverse-power': {'exponent'")
        for weighting in (
            {},
            {"nope": {}},
            {1: 2},
            {"gaussian": None},
            {"gaussian": {"width": 1.0}},
            {"inverse-power": {"exponent": 2}},
            {"gaussian": {"bandwidth": 1.0}, "exponential": {"bandwidth": 1.0}},
        )
    ]
    + [
        (
            {"weighting": {"gaussian": {"bandwidth": "x"}}},
            TypeError,
            r"^weighting\['gaussian'\]\['bandwidth'\]: expected a number, got 'x'",
        ),
        ({"class_weights": {0: "x"}}, TypeError, r"^class_weights\[0\]: expected a number, got 'x'"),
        ({"class_weights": [1, 2]}, TypeError, "^class_weights: expected a mapping"),
    ],
)
def test_weights_of_a_correspondence(choices, error, message):
    with pytest.raises(error, match=message):
        casebased.CaseExplainer(X, Y, **choices)
    with pytest.raises(error, match=message):
        casebased.compute_correspondence([(0, 0.1, 0)], 0, **choices)


@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        ({"metadata": {1: Y}}, TypeError, "^metadata: expected names that are text, got 1; write '1'"),
        ({"metadata": {"a": [[1]] * 6}}, ValueError, r"^metadata\['a'\]: expected one value for each"),
        ({"metadata": [Y]}, TypeError, "^metadata: expected a mapping"),
        ({"redact": [0]}, TypeError, "^redact: expected names that are text, got 0; write '0'"),
    ],
)
def test_names_of_what_is_known_of_training_rows(choices, error, message):
    with pytest.raises(error, match=message):
        casebased.CaseExplainer(X, Y, **choices)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_metadata_may_be_a_table(library):
    table = pytest.importorskip(library).DataFrame({"place": list("abcdef")})
    if library == "pandas":
        table.index = range(10, 16)
    explainer = casebased.CaseExplainer(X, Y, k=1, metadata=table)
    near = explainer.explain_instance(X[2], predicted_class=0).neighbors[0]
    labels = {"index label": 12} if library == "pandas" else {}
    assert near.metadata == {"place": "c", **labels}


@pytest.mark.parametrize(
    "call",
    [
        lambda **given: casebased.CaseExplainer(X, Y, **given),
        lambda **given: casebased.NeighborSearch(X, **given),
        lambda **given: casebased.distances(X, X, **given),
    ],
)
def test_a_covariance_is_of_all_features(call):
    with pytest.raises(ValueError, match=r"^covariance: expected shape \(4, 4\), got \(2, 2\)"):
        call(distance="mahalanobis", covariance=np.eye(2))


def test_a_scaler_takes_as_many_columns_as_it_was_fitted_to():
    scaler = casebased.CaseExplainer(X, Y).scaler
    for transform in (scaler.transform, scaler.inverse_transform):
        with pytest.raises(ValueError, match="^X has 1 features, expected 4"):
            transform(X[:, :1])


def test_no_queries_have_no_rows_and_all_columns():
    search = casebased.NeighborSearch(X)
    for k, width in ((3, 3), (9, 6)):
        assert [found.shape for found in search.query(X[:0], k)] == [(0, width)] * 2
        assert search.query(X[:1], k)[0].shape == (1, width)


def test_a_class_is_a_metric_of_its_defaults():
    assert evaluated(metrics=metrics.Complexity).metrics == ["complexity"]


def test_none_is_the_default_number_of_draws():
    assert robust(n_draws=None, progress=True) == robust()


@pytest.mark.parametrize("framework", ["torch", "jax", "tensorflow"])
def test_a_framework_that_is_not_installed_says_what_to_install(framework):
    if importlib.util.find_spec(framework) is not None:
        pytest.skip(f"{framework} is installed")
    with pytest.raises(ImportError, match=f"needs {framework}: install it by `pip install"):
        attribution.base_scores(lambda x: x, X, Y, framework=framework)
