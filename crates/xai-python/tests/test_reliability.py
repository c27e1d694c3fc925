"""Metrics of metrics: the golden values, what is undefined, and what is refused."""

from __future__ import annotations

import inspect
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from xai_metrics import attribution, reliability

FILE = Path(__file__).parents[2] / "xai-core" / "tests" / "golden" / "reliability.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
#: Of one number; the others have several.
#: Arguments that say which axis is which.
ARGUMENTS = {
    "kendall-w": {"scores": "values_by_explainer"},
    "krippendorff-alpha": {"ratings": "ratings_by_rater"},
}
NUMBERS = {"krippendorff-alpha", "kendall-w", "intra-consistency", "inter-consistency"}


def close(expected, actual):
    if isinstance(expected, dict):
        return all(close(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(actual) and all(map(close, expected, actual))
    if expected is None or actual is None:
        return expected is actual
    return abs(expected - actual) <= 1e-9 * max(1.0, abs(expected))


@pytest.mark.parametrize("case", CASES, ids=[f"{c['id']}-{c['metric']}" for c in CASES])
def test_golden_values(case):
    function = getattr(reliability, case["metric"].replace("-", "_"))
    names = ARGUMENTS.get(case["metric"], {})
    inputs = {names.get(name, name): values for name, values in case["inputs"].items()}
    found = function(**inputs, **case["params"])
    if case["metric"] in NUMBERS:
        found = found.value
    elif case["metric"] != "intra-consistency-effect":
        found = found.to_dict()
    assert close(case["expected"], found), (case["expected"], found)


def test_every_metric_has_its_function():
    parts = {"top_share", "same_top", "max_rank_change"}
    names = {info.name for info in reliability.metric_infos()} - parts
    functions = {
        name
        for name in reliability.__all__
        if inspect.isfunction(getattr(reliability, name)) and name != "metric_infos"
    }
    assert names == functions == {case["metric"].replace("-", "_") for case in CASES}


def test_none_nan_and_gaps_are_undefined():
    nan = math.nan
    with_none = reliability.kendall_w([[1.0, None, 2.0], [2.0, 1.0, 3.0]])
    with_nan = reliability.kendall_w(np.array([[1.0, nan, 2.0], [2.0, 1.0, 3.0]]))
    assert with_none == with_nan
    assert (with_none.value, with_none.n_samples, with_none.n_undefined) == (1.0, 2, 1)
    undefined = reliability.intra_consistency([1.0, nan], [0.0, 0.0], kind="disruptive")
    assert (undefined.value, undefined.effect, undefined.n_undefined) == (None, 1.0, 1)
    assert math.isnan(float(undefined))
    assert float(reliability.kendall_w([[1.0, 2.0], [2.0, 3.0]])) == 1.0
    nothing = reliability.rank_stability([[nan, 1.0], [1.0, nan]], "higher")
    assert (nothing.mean_tau, nothing.n_draws, nothing.wins.shape) == (None, 0, (0, 0))


def test_seeds_and_threads():
    scores = np.random.default_rng(1).normal(size=(4, 50))
    first = reliability.rank_stability(scores, "lower", n_draws=200, seed=7, n_jobs=1)
    again = reliability.rank_stability(scores, "lower", n_draws=200, seed=7, n_jobs=2)
    other = reliability.rank_stability(scores, "lower", n_draws=200, seed=8)
    assert first.to_dict() == again.to_dict()
    assert first.rank_mean.tolist() != other.rank_mean.tolist()
    single = reliability.kendall_w(scores.astype(np.float32).T.copy().T)
    assert single.value == pytest.approx(reliability.kendall_w(scores).value, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.kendall_w([[1.0, math.inf]]), r"\[0, 1\]: not a finite number"),
        (lambda r: r.kendall_w(np.empty((0, 3))), "scores: empty"),
        (lambda r: r.kendall_w([1.0, 2.0]), "values_by_explainer: expected.* 2"),
        (lambda r: r.intra_consistency([1.0], [1.0, 2.0]), r"perturbed: expected shape \(1\)"),
        (lambda r: r.intra_consistency([1.0], [1.0], kind="large"), "kind = large: expected minor"),
        (lambda r: r.intra_consistency([math.inf], [1.0]), r"q\[0\]: not a finite number"),
        (
            lambda r: r.inter_consistency([[1.0]], [[1.0]], [True, True]),
            r"keep: expected shape \(1\)",
        ),
        (
            lambda r: r.inter_consistency([[1.0]], [[1.0]], kind="disruptive"),
            "direction = none: expected higher or lower",
        ),
        (
            lambda r: r.meta_consistency(
                [[1.0]], [[[[1.0]]]], [[[[1.0]]]], [[[True, True]]], None, "lower"
            ),
            r"keep_minor: expected shape \(1, 1, 1\), got \(1, 1, 2\)",
        ),
        (
            lambda r: r.meta_consistency([[1.0]], [[[[1.0]]]], [[[[math.inf]]]], direction="lower"),
            r"disruptive\[0, 0, 0, 0\]: not a finite number",
        ),
        (lambda r: r.krippendorff_alpha([[1, 2]], "ratio"), "level = ratio: expected nominal"),
        (
            lambda r: r.internal_consistency_reliability([[1.0]], [[1.0, 2.0]]),
            r"metric_b: expected shape \(1, 1\), got \(1, 2\)",
        ),
        (
            lambda r: r.internal_consistency_reliability([[1.0]], [[1.0]], "up"),
            "direction_a = up: expected higher",
        ),
        (
            lambda r: r.rank_stability([[1.0]], "higher", [[1]]),
            r"draws\[0, 0\] = 1: expected the index",
        ),
        (
            lambda r: r.rank_stability([[1.0]], "higher", [[-1]]),
            "draws: expected places of samples",
        ),
        (lambda r: r.rank_stability([[1.0]], "higher", n_draws=0), "n_draws: expected at least 1"),
        (lambda r: r.parameter_sensitivity([[[1.0]], [[math.inf]]], "lower"), r"scores\[1, 0, 0\]"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call(reliability)


def test_an_evaluation_is_judged_by_the_same_functions():
    rng = np.random.default_rng(3)
    maps = {name: rng.random((25, 8)) for name in "abc"}
    table = attribution.evaluate(
        None, None, None, maps, ["sparseness", "complexity"], replicates=300
    )
    judged = table.reliability()
    assert list(judged) == table.metrics == judged.metrics
    for metric in judged:
        values, of = table.values.per_sample(metric), judged[metric]
        assert of.kendall_w == reliability.kendall_w(values)
        ranks = np.array([np.argsort(np.argsort(column)) for column in values.T])
        alpha = reliability.krippendorff_alpha(ranks)
        assert of.krippendorff_alpha.value == pytest.approx(alpha.value, abs=1e-12)
        assert of.inter_method_reliability == reliability.inter_method_reliability(values)
        stable = reliability.rank_stability(values, of.better, n_draws=300, seed=table.seed)
        assert of.rank_stability.to_dict() == stable.to_dict()
    a, b = judged.metrics
    both = reliability.internal_consistency_reliability(
        table.values.per_sample(a), table.values.per_sample(b), judged[a].better, judged[b].better
    )
    assert judged.pairs == {(a, b): both}
    assert judged[a].internal_consistency == both.value
    again = pickle.loads(pickle.dumps(table)).reliability(n_jobs=1)
    assert again.to_dict() == judged.to_dict()
    _, header, *lines = repr(judged).splitlines()
    assert header.split()[:3] == ["metric", "kendall", "w"] and len(lines) == 6
    assert judged.to_csv().splitlines()[0].startswith("metric,kendall_w,krippendorff_alpha")


def perturbed_tables():
    rng = np.random.default_rng(4)
    x, weights = rng.random((30, 5)), rng.normal(size=(5, 2))
    target = (x @ weights).argmax(1)

    def table(x, weights, n=30):
        maps = {"gradient": (x * weights[:, target].T)[:n], "random": rng.random(x.shape)[:n]}
        metrics = ["deletion", "insertion"]
        return attribution.evaluate(
            lambda x: x @ weights, x[:n], target[:n], maps, metrics, replicates=0
        )

    noisy = [[x + rng.uniform(-0.01, 0.01, x.shape) for _ in range(2)] for _ in range(3)]
    turned = [weights + rng.normal(size=weights.shape) for _ in range(3)]
    minor = [[table(x, weights) for x in row] for row in noisy]
    keep_minor = np.array([[(x @ weights).argmax(1) == target for x in row] for row in noisy])
    disruptive = [[table(x, w)] for w in turned]
    keep_disruptive = np.array([[(x @ w).argmax(1) != target] for w in turned])
    small = table(x, weights, 20)
    return table(x, weights), (minor, disruptive, keep_minor, keep_disruptive), small


def test_an_evaluation_is_held_against_itself_under_perturbations():
    table, given, small = perturbed_tables()
    found = table.meta_consistency(*given)
    assert list(found) == ["deletion", "insertion"]
    for metric, of in found.items():
        q, *stacked = (
            table.values.per_sample(metric),
            *([[t.values.per_sample(metric) for t in row] for row in rows] for rows in given[:2]),
        )
        direction = table[metric].direction
        assert of == reliability.meta_consistency(q, *stacked, *given[2:], direction)
        assert len(of.per_iteration) == 3 and 0 <= of.value <= 1
    # Nothing is left of a kind without perturbations.
    half = table.meta_consistency(given[0], [], given[2])["deletion"]
    assert half.iec_disruptive == [None] * 3 and half.n_undefined == 6
    assert half.iec_minor == found["deletion"].iec_minor
    with pytest.raises(ValueError, match=r"minor\[0\]: expected the same explainers"):
        table.meta_consistency([[small]], [])
    with pytest.raises(ValueError, match=r"minor\[1\]: expected 2 tables"):
        table.meta_consistency([given[0][0], given[0][1][:1]], [])
    with pytest.raises(TypeError, match="expected EvaluationTable, got int"):
        table.meta_consistency([[1]], [])


def linear(n=40):
    """A linear model of two classes, its inputs and explainers that ask it again."""
    rng = np.random.default_rng(3)
    x, weights = rng.random((n, 6)), rng.normal(size=(6, 2))

    def gradient(x, y):
        return x * weights[:, y].T

    return lambda x: x @ weights, x, {"gradient": gradient, "random": "random"}, weights


def test_the_loop_has_the_numbers_of_tables_that_are_made_one_by_one():
    model, x, explainers, _ = linear()
    metrics = ["deletion", "insertion", "sparseness"]
    judged = attribution.meta_consistency(
        model, x, explainers, metrics, n_iterations=2, n_perturbations=3, minor=0.01, disruptive=0.8, seed=5
    )
    target = model(x).argmax(1)
    low, high = x.min(0), x.max(0)
    tables, keep = [], []
    for kind, size in enumerate((0.01, 0.8)):
        rows = []
        for t in range(2):
            rows.append([])
            for k in range(3):
                stream = np.random.default_rng([5, kind, t, k])
                noisy = np.clip(x + stream.uniform(-1, 1, x.shape) * (size * (high - low)), low, high)
                of = attribution.evaluate(model, noisy, target, explainers, metrics, seed=5, replicates=0)
                keep.append((model(noisy).argmax(1) == target) != bool(kind))
                rows[-1].append(of)
        tables.append(rows)
    keep = np.array(keep).reshape(2, 2, 3, -1)
    expected = judged.table.meta_consistency(*tables, *keep)
    assert judged.metrics == expected
    assert (judged.kept_minor, judged.kept_disruptive) == (keep[0].mean(), keep[1].mean())
    assert judged.kept_minor > 0.9
    again = attribution.meta_consistency(
        model, x, explainers, metrics, n_iterations=2, n_perturbations=3, minor=0.01, disruptive=0.8, seed=5, n_jobs=1
    )
    assert again.metrics == judged.metrics
    columns = judged.columns()
    assert columns["metric"] == ["deletion", "insertion", "sparseness"]
    of = judged["deletion"]
    assert columns["noise_resilience"][0] == of.noise_resilience
    assert of.noise_resilience == pytest.approx(np.mean([*of.effect_minor, *of.iec_minor]))
    assert of.reactivity == pytest.approx(np.mean([*of.effect_disruptive, *of.iec_disruptive]))


def test_all_metrics_and_explainers_share_the_calls_of_a_perturbation():
    model, x, explainers, _ = linear(20)
    rows = []

    def counted(x):
        rows.append(len(x))
        return model(x)

    metrics = ["deletion", "insertion", "average_drop"]
    attribution.meta_consistency(counted, x, explainers, metrics, n_iterations=1, n_perturbations=2)
    of_loop, rows[:] = sum(rows), []
    attribution.evaluate(counted, x, model(x).argmax(1), explainers, metrics)
    # Each of 1 + 2 · 2 evaluations, and the predictions of each.
    assert of_loop == 5 * (sum(rows) + 20)


def test_a_function_perturbs_whatever_it_likes():
    _, x, _, weights = linear()

    def of(weights):
        explainers = {"gradient": lambda x, y: x * weights[:, y].T, "constant": "constant"}
        return {"model": lambda x: x @ weights, "explainers": explainers}

    def perturb(kind, stream):
        scale = {"minor": 0.001, "disruptive": 2.0}[kind]
        return of(weights * stream.normal(1.0, scale, weights.shape))

    judged = attribution.meta_consistency(
        of(weights)["model"], x, of(weights)["explainers"], ["deletion"], perturb=perturb, n_iterations=2, n_perturbations=2
    )
    # Weights of another size shift all values a little, which leaves the ranks.
    assert min(judged["deletion"].iec_minor) == 1.0
    assert 0 < judged.kept_disruptive < 1


def test_a_report_shows_the_metrics_between_the_axes():
    model, x, explainers, _ = linear()
    judged = attribution.meta_consistency(
        model, x, explainers, ["deletion", "insertion"], n_iterations=1, n_perturbations=2
    )
    report = judged.table.report()
    (section,) = report.to_dict()["attribution"]
    shown = section["metrics"][0]["perturbed"]
    assert shown["noise_resilience"] == judged["deletion"].noise_resilience
    assert shown["meta_consistency"] == judged["deletion"].value
    assert "Do metrics stay where predictions stay" in report.html
    assert any("Under perturbations, of 2 metrics" in of["text"] for of in report.to_dict()["findings"])
    plain = attribution.evaluate(model, x, None, explainers, ["deletion"]).report()
    assert "perturbed" not in plain.to_dict()["attribution"][0]["metrics"][0]
    with pytest.raises(ValueError, match="'insertion' is no metric of the table"):
        attribution.evaluate(model, x, None, explainers, ["deletion"]).judged_by(judged.metrics)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"explainers": {"a": np.ones((40, 6))}}, ValueError, "explainers.'a'.: expected an explainer, got maps"),
        ({"perturb": "weights"}, ValueError, "perturb: got 'weights'"),
        ({"perturb": "model"}, TypeError, "model: only the weights of a torch module"),
        ({"minor": -1.0}, ValueError, "minor: expected a size of at least 0"),
        ({"n_iterations": -1}, ValueError, "n_iterations: expected at least 0"),
    ],
)
def test_what_the_loop_cannot_do_is_named(arguments, error, message):
    model, x, explainers, _ = linear()
    with pytest.raises(error, match=message):
        attribution.meta_consistency(model, x, arguments.pop("explainers", explainers), ["deletion"], **arguments)


def test_without_perturbations_nothing_is_said():
    model, x, explainers, _ = linear()
    judged = attribution.meta_consistency(model, x, explainers, ["deletion"], n_iterations=0)
    assert judged["deletion"].value is None and judged.kept_minor is None
    assert judged.columns()["noise_resilience"][0] != judged.columns()["noise_resilience"][0]


def test_axes_that_lie_the_other_way_round_are_refused():
    rng = np.random.default_rng(4)
    by_explainer = rng.normal(size=(4, 9))
    ranks = by_explainer.argsort(axis=0).argsort(axis=0) + 1.0  # of the explainers, by sample
    assert reliability.kendall_w(by_explainer).value == pytest.approx(reliability.kendall_w(ranks).value)
    with pytest.raises(ValueError, match="(?s)each row ranks its columns.*put the explainers into rows .*transpose"):
        reliability.kendall_w(ranks.T)
    assert reliability.krippendorff_alpha(ranks.T).n_units == 4
    with pytest.raises(ValueError, match="(?s)each column ranks the raters.*put the raters .* into rows .*transpose"):
        reliability.krippendorff_alpha(ranks)
    # Whole numbers that are ranks both ways say nothing.
    square = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert reliability.kendall_w(square).value == 0.0 and reliability.krippendorff_alpha(square).n_units == 2


def test_masks_in_the_place_of_draws_are_refused():
    scores = np.random.default_rng(4).normal(size=(2, 5))
    with pytest.raises(ValueError, match="draws: zeros and ones .*flatnonzero"):
        reliability.rank_stability(scores, "higher", [[0, 1, 1, 0, 1], [1, 1, 0, 0, 0]])
    assert reliability.rank_stability(scores, "higher", [[0, 1, 4, 0, 1]]).n_draws == 1
