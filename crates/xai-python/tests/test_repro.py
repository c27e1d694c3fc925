"""Reproducibility: the peers' values, laws, and hand-computed cases."""

from __future__ import annotations

import json
import math
import pickle
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xai_metrics import find, repro

GOLDEN = Path(__file__).parents[2] / "xai-repro" / "tests" / "golden"


def golden(name):
    return json.loads((GOLDEN / name).read_text())


def some_runs(n_runs=5, n_samples=200, n_classes=4, seed=1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_samples)
    changed = rng.random((n_runs, n_samples)) < 0.3
    predictions = np.where(changed, rng.integers(0, n_classes, (n_runs, n_samples)), labels)
    return predictions, labels


def assert_alike(ours, peers, tolerance=1e-12):
    peers = [math.nan if value is None else value for value in peers]
    np.testing.assert_allclose(ours, peers, rtol=tolerance, atol=1e-15)


@pytest.mark.parametrize("case", golden("repro.json")["cases"])
def test_pair_metrics_are_those_of_the_peers(case):
    runs = repro.pairwise(case["predictions"], case["labels"])
    for name in (
        "ec_local",
        "ec_global",
        "ec_acc",
        "ec_corr",
        "pa_acc",
        "pa_kappa",
        "pa_cramers_v",
    ):
        assert_alike(runs.pairs(name), case[name])
    assert_alike(runs.errors.accuracy, case["accuracy"])
    assert len(runs.errors.always_wrong) == case["intersection"]


@pytest.mark.parametrize("case", golden("more_metrics.json")["classes"])
def test_more_metrics_are_those_of_the_peers(case):
    names = ["pa_nmi", "ec_matthews", "ec_kappa"]
    runs = repro.pairwise(case["predictions"], case["labels"], metrics=names)
    for name in names:
        assert_alike(runs.pairs(name), case[name], 1e-9)
    samples = repro.sample_consistency(case["predictions"])
    assert_alike(samples.entropy, case["entropy"], 1e-9)
    for weights, value in case["ac2"].items():
        assert_alike([repro.gwet_ac2(case["predictions"], weights)], [value], 1e-9)


@pytest.mark.parametrize("case", golden("more_metrics.json")["regression"])
def test_regression_metrics_are_those_of_the_peers(case):
    runs = repro.regression(case["predictions"], case["targets"])
    for name in runs.metrics:
        assert_alike(runs.pairs(name), case[name], 1e-9)


def test_the_study_has_the_crate_s_bits():
    expected = golden("study_seed_1.json")
    study = repro.SimulationStudy(expected["n_draws"], seed=1)
    ours = study.summary().to_dict()
    assert ours["n_draws"] == expected["n_draws"]
    assert ours["accuracy"] == expected["accuracy"]
    for of, theirs in zip(ours["metrics"], expected["metrics"], strict=True):
        assert of == theirs


def test_the_study_goes_on_where_it_stopped(tmp_path):
    whole = repro.SimulationStudy(40, n_samples=100, seed=3, progress=True)
    first = repro.SimulationStudy(15, n_samples=100, seed=3)
    rest = repro.SimulationStudy(25, first=15, n_samples=100, seed=3, n_jobs=1)
    both = pickle.loads(pickle.dumps(first)).merge(rest)
    for name, column in whole.columns().items():
        np.testing.assert_array_equal(both.columns()[name], column)
    both.to_csv(tmp_path / "draws.csv")
    again = repro.SimulationStudy.from_csv(tmp_path / "draws.csv")
    assert again.summary() == whole.summary()
    profile = whole.profiles(4)[0]
    assert profile["metric"] == "ec_local"
    assert {"accuracy", "mean", "low", "high", "n_defined"} <= set(profile["independent"][0])
    assert len(whole.to_pandas()) == 40
    assert len(whole.summary().to_pandas()) == len(whole.summary().metrics)
    assert "ec_local" in whole._repr_html_()
    assert whole.summary().metric("pa_acc").metric == "pa_acc"
    with pytest.raises(ValueError, match="none named"):
        whole.summary().metric("nothing")


LABELS = st.integers(min_value=-3, max_value=3)


@st.composite
def runs_and_labels(draw, max_runs=5, max_samples=30):
    k = draw(st.integers(2, max_runs))
    n = draw(st.integers(1, max_samples))
    rows = st.lists(LABELS, min_size=n, max_size=n)
    predictions = np.array([draw(rows) for _ in range(k)])
    return predictions, np.array(draw(rows))


def by_numpy(predictions, labels, name):
    errors = predictions != labels
    values = []
    for i, j in combinations(range(len(predictions)), 2):
        both, either = (errors[i] & errors[j]).sum(), (errors[i] | errors[j]).sum()
        values.append(
            {
                "ec_local": both / either if either else math.nan,
                "ec_global": both / errors.shape[1],
                "ec_acc": (errors[i] == errors[j]).mean(),
                "pa_acc": (predictions[i] == predictions[j]).mean(),
                "pa_disagreement": (predictions[i] != predictions[j]).mean(),
            }[name]
        )
    return values


@given(runs_and_labels())
def test_counted_metrics_are_those_of_numpy(case):
    predictions, labels = case
    runs = repro.pairwise(predictions, labels)
    for name in ("ec_local", "ec_global", "ec_acc", "pa_acc", "pa_disagreement"):
        assert_alike(runs.pairs(name), by_numpy(predictions, labels, name))


@given(
    runs_and_labels(), st.sampled_from(["int64", "int32", "int16", "int8", "float32", "O", "U2"])
)
def test_the_type_of_labels_does_not_matter(case, dtype):
    predictions, labels = case
    expected = repro.pairwise(predictions, labels)
    ours = repro.pairwise(predictions.astype(dtype), labels.astype(dtype))
    for name in expected.metrics:
        np.testing.assert_array_equal(ours.pairs(name), expected.pairs(name))


@given(runs_and_labels(), st.randoms(use_true_random=False))
def test_merged_states_give_the_bits_of_all_samples(case, random):
    predictions, labels = case
    n = len(labels)
    cuts = sorted(random.randrange(n + 1) for _ in range(3))
    blocks = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, n])]
    states = [repro.PairwiseAccumulator().update(predictions[:, at], labels[at]) for at in blocks]
    random.shuffle(states)
    merged = repro.PairwiseAccumulator()
    for state in states:
        merged.merge(pickle.loads(pickle.dumps(state)))
    expected = repro.pairwise(predictions, labels)
    streamed = merged.finish()
    assert streamed.n_samples == n
    for name in expected.metrics:
        np.testing.assert_array_equal(streamed.pairs(name), expected.pairs(name))
        assert streamed.summary(name) == expected.summary(name)
        assert streamed.interval(name) == expected.interval(name)
    np.testing.assert_array_equal(streamed.accuracy, expected.errors.accuracy)
    assert streamed.n_ever_wrong == len(expected.errors.ever_wrong)
    assert streamed.n_always_wrong == len(expected.errors.always_wrong)
    assert streamed.agreement == repro.agreement(predictions)
    np.testing.assert_array_equal(
        streamed.leave_one_out_consistency, expected.errors.leave_one_out_consistency
    )


@given(runs_and_labels())
def test_the_order_of_samples_and_the_threads_do_not_matter(case):
    predictions, labels = case
    order = np.random.default_rng(0).permutation(len(labels))
    expected = repro.pairwise(predictions, labels)
    ours = repro.pairwise(predictions[:, order], labels[order], n_jobs=1)
    for name in expected.metrics:
        np.testing.assert_array_equal(ours.pairs(name), expected.pairs(name))


@given(runs_and_labels())
def test_summaries_are_those_of_the_values(case):
    predictions, labels = case
    runs = repro.pairwise(predictions, labels)
    summaries = repro.summarize(predictions, labels, level=0.9)
    for name in runs.metrics:
        ours, theirs = summaries.summaries[name].to_dict(), runs.summary(name).to_dict()
        for key in ("n_defined", "n_undefined", "mean", "std", "min", "max"):
            assert ours[key] == theirs[key]
        assert summaries.intervals[name] == runs.interval(name, 0.9)


def test_a_list_a_table_and_packed_runs_are_the_array():
    pandas = pytest.importorskip("pandas")
    predictions, labels = some_runs()
    expected = repro.pairwise(predictions, labels)
    table = pandas.DataFrame({f"run {i}": run for i, run in enumerate(predictions)})
    for given_runs in (
        list(predictions),
        tuple(predictions.tolist()),
        table,
        iter(predictions),
        np.asfortranarray(predictions),
        predictions[:, :, None],
    ):
        ours = repro.pairwise(given_runs, pandas.Series(labels))
        for name in expected.metrics:
            np.testing.assert_array_equal(ours.pairs(name), expected.pairs(name))
    packed = repro.PackedRuns(predictions, labels)
    np.testing.assert_array_equal(packed.classes, np.unique(predictions))
    assert repr(packed) == "PackedRuns(n_runs=5, n_samples=200)"
    for name in expected.metrics:
        ours = repro.pairwise(packed, metrics=name)
        np.testing.assert_array_equal(ours.pairs(name), expected.pairs(name))
    assert repro.agreement(packed) == repro.agreement(predictions)
    np.testing.assert_array_equal(
        repro.error_sets(packed).accuracy, repro.error_sets(predictions, labels).accuracy
    )
    assert repro.summarize(packed).summaries == repro.summarize(predictions, labels).summaries


def test_words_are_labels():
    words = np.array(["cat", "dog", "owl", "fox"])
    predictions, labels = some_runs()
    expected = repro.pairwise(predictions, labels)
    ours = repro.pairwise(words[predictions], words[labels])
    of_objects = repro.pairwise(words[predictions].astype(object), list(words[labels]))
    for name in expected.metrics:
        np.testing.assert_array_equal(ours.pairs(name), expected.pairs(name))
        np.testing.assert_array_equal(of_objects.pairs(name), expected.pairs(name))
    packed = repro.PackedRuns(words[predictions], words[labels])
    np.testing.assert_array_equal(packed.classes, np.sort(words))
    assert sum(repro.votes(words[predictions], 3).values()) == 5

    states = []
    for at in (slice(0, 50), slice(50, 200)):
        state = repro.PairwiseAccumulator(classes=words)
        states.append(state.update(words[predictions[:, at]], words[labels[at]]))
    merged = states[0].merge(pickle.loads(pickle.dumps(states[1]))).finish()
    for name in expected.metrics:
        np.testing.assert_array_equal(merged.pairs(name), expected.pairs(name))
    with pytest.raises(ValueError, match="classes="):
        repro.PairwiseAccumulator().update([["a", "b"], ["a", "a"]], ["a", "b"])
    with pytest.raises(ValueError, match="'b' is not among the classes"):
        repro.PairwiseAccumulator(classes=["a"]).update([["a", "b"], ["a", "a"]], ["a", "a"])
    with pytest.raises(ValueError, match="other classes"):
        repro.PairwiseAccumulator(classes=["a"]).merge(repro.PairwiseAccumulator(classes=["b"]))
    with pytest.raises(TypeError, match="labels has numbers .* and predictions text"):
        repro.pairwise(np.array([["a", "b"], ["a", "a"]]), [0, 1])


def test_without_labels_there_is_agreement_alone():
    predictions, labels = some_runs()
    runs = repro.pairwise(predictions)
    assert set(runs.metrics) == {"pa_acc", "pa_disagreement", "pa_kappa", "pa_cramers_v", "pa_nmi"}
    expected = repro.pairwise(predictions, labels)
    for name in runs.metrics:
        np.testing.assert_array_equal(runs.pairs(name), expected.pairs(name))
    with pytest.raises(ValueError, match="needs labels"):
        repro.pairwise(predictions, metrics="ec_local")
    with pytest.raises(ValueError, match="labels"):
        repro.error_sets(predictions)


def test_text_names_several_metrics():
    predictions, labels = some_runs()
    assert repro.pairwise(predictions, labels, metrics="ec_acc, pa-acc").metrics == ("ec_acc", "pa_acc")


def test_without_labels_nothing_about_errors_is_shown():
    predictions, labels = some_runs()
    packed = repro.PackedRuns(predictions)
    for runs in (repro.pairwise(predictions), repro.pairwise(packed), repro.summarize(predictions), repro.summarize(packed)):
        assert "accuracy" not in repr(runs) and "wrong" not in runs._repr_html_()
        with pytest.raises(ValueError, match="without true labels; pass labels="):
            runs.errors
    for runs in (repro.pairwise(predictions), pickle.loads(pickle.dumps(repro.pairwise(packed)))):
        with pytest.raises(ValueError, match="contains their accuracy, which needs true labels; pass labels="):
            runs.report()
    with pytest.raises(ValueError, match="need true labels"):
        repro.error_sets(packed)
    assert "accuracy" in repr(repro.pairwise(repro.PackedRuns(predictions, labels)))


def test_an_empty_union_is_what_was_asked_for():
    predictions, labels = [[0, 0], [0, 0], [0, 1]], [0, 0]

    def local(policy):
        return repro.pairwise(predictions, labels, metrics="ec_local", empty_union=policy)

    assert math.isnan(local("undefined").pairs("ec_local")[0])
    assert local("undefined").summary("ec_local").n_undefined == 1
    assert local("nan").summary("ec_local").n_undefined == 1
    assert local("drop").summary("ec_local").n_undefined == 0
    assert local(0).pairs("ec_local").tolist() == [0, 0, 0]
    assert local(1).pairs("ec_local").tolist() == [1, 0, 0]
    with pytest.raises(ValueError):
        local("error")
    with pytest.raises(ValueError, match="empty_union"):
        local("perhaps")


def test_intervals_are_over_runs():
    predictions, labels = some_runs(n_runs=12)
    runs = repro.pairwise(predictions, labels)
    interval = runs.interval("pa_kappa", 0.9)
    assert interval.n_units == 12 and interval.level == 0.9 and interval.method == "jackknife"
    assert runs.summary("pa_kappa").mean in interval
    assert not interval.is_small_sample
    for statistic in ("mean", "std", "min", "median", "max", 0.25):
        bca = runs.interval("pa_kappa", statistic=statistic, interval="bca", n_replicates=200)
        again = runs.interval("pa_kappa", statistic=statistic, interval="bca", n_replicates=200)
        assert bca.low <= bca.high and bca == again and bca.method == "bootstrap-bca"
    few = repro.pairwise(predictions[:5], labels).interval("pa_acc", interval="bca")
    assert few.is_small_sample
    assert repro.pairwise(predictions[:2], labels).interval("pa_acc") is None
    with pytest.raises(ValueError):
        runs.interval("pa_kappa", 1.5)
    with pytest.raises(ValueError, match="statistic"):
        runs.interval("pa_kappa", statistic="mode")
    with pytest.raises(ValueError, match="interval"):
        runs.interval("pa_kappa", interval="guess")
    with pytest.raises(ValueError, match="not asked for"):
        runs.pairs("ec_nothing")
    accuracy = runs.errors.accuracy_intervals(0.9)
    assert all(of.low <= p <= of.high for of, p in zip(accuracy, runs.errors.accuracy))
    assert accuracy[0].method == "wilson"


def test_the_jackknife_is_that_of_numpy():
    from statistics import mean

    predictions, labels = some_runs(n_runs=4)
    runs = repro.pairwise(predictions, labels, metrics="ec_acc")
    matrix = runs.matrix("ec_acc")
    without = []
    for run in range(4):
        kept = np.delete(np.delete(matrix, run, 0), run, 1)
        without.append(np.nanmean(kept))
    error = math.sqrt(3 / 4 * sum((value - mean(without)) ** 2 for value in without))
    interval = runs.interval("ec_acc")
    t = 3.182446305283708  # Student's t of 3 degrees of freedom at 97.5 %
    assert (interval.high - interval.low) / 2 == pytest.approx(t * error, rel=1e-9)


def test_agreement_has_intervals():
    predictions, _ = some_runs(n_runs=12)
    of = repro.agreement(predictions)
    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        interval = repro.agreement_interval(predictions, name)
        assert getattr(of, name) in interval
    bca = repro.agreement_interval(predictions, interval="bca", n_replicates=200)
    assert bca.method == "bootstrap-bca"
    with pytest.raises(ValueError, match="coefficient"):
        repro.agreement_interval(predictions, "kappa")
    assert repro.agreement([[0, 0], [0, 0]]).fleiss_kappa is None
    assert len(of.to_pandas()) == 4 and "fleiss_kappa" in of._repr_html_()


def test_weighted_agreement():
    predictions, _ = some_runs(n_classes=3)
    assert repro.gwet_ac2(predictions, "identity") == pytest.approx(
        repro.agreement(predictions).gwet_ac1
    )
    linear = 1 - np.abs(np.subtract.outer(range(3), range(3))) / 2
    assert repro.gwet_ac2(predictions, linear) == pytest.approx(repro.gwet_ac2(predictions))
    with pytest.raises(ValueError, match="weights"):
        repro.gwet_ac2(predictions, "cubic")
    with pytest.raises(ValueError, match="weights"):
        repro.gwet_ac2(predictions, [[1.0, 0.5], [0.5, 1.0]])


def test_samples_that_change():
    predictions, _ = some_runs()
    samples = repro.sample_consistency(predictions)
    changing = np.flatnonzero((predictions != predictions[0]).any(axis=0))
    np.testing.assert_array_equal(samples.ever_changing, changing)
    most = samples.most_inconsistent(3)
    assert samples.entropy[most[0]] == samples.entropy.max() and len(most) == 3
    assert samples.mean_entropy == pytest.approx(samples.entropy.mean())
    assert samples.n_classes.tolist() == [len(set(column)) for column in predictions.T]
    assert len(samples.to_pandas()) == 200 and "entropy" in samples._repr_html_()
    assert repro.votes([[2, 1], [2, 0], [1, 0]], 0) == {2: 2, 1: 1}
    assert repro.votes([[2, 1], [2, 0], [1, 0]], -1) == {0: 2, 1: 1}
    with pytest.raises(ValueError, match="sample"):
        repro.votes([[2, 1], [2, 0]], 2)


def test_two_groups_are_compared():
    predictions, labels = some_runs(n_runs=8)
    comparison = repro.compare_groups(predictions[:4], predictions[4:], labels)
    assert len(comparison) == 11
    local = comparison["ec_local"]
    first = repro.pairwise(predictions[:4], labels).summary("ec_local")
    second = repro.pairwise(predictions[4:], labels).summary("ec_local")
    assert local.first == first and local.second == second
    assert local.difference == pytest.approx(first.mean - second.mean)
    assert local.exact and local.n_assignments in (35, 70) and 0 < local.p_value <= 1
    again = repro.compare_groups(
        list(predictions[:4]), predictions[4:], labels, metrics="ec_local", n_assignments=20, seed=2
    )
    assert not again[0].exact and again[0].n_assignments == 20
    assert len(comparison.to_pandas()) == 11 and "ec_local" in comparison._repr_html_()
    with pytest.raises(KeyError):
        comparison["nothing"]
    with pytest.raises(ValueError, match="second"):
        repro.compare_groups(predictions, predictions[:, :-1], labels)


def test_two_groups_of_regressions_are_compared():
    rng = np.random.default_rng(3)
    targets = rng.normal(size=50)
    steady = targets + 0.1 + 0.01 * rng.normal(size=(4, 50))
    noisy = targets + rng.normal(size=(3, 50))
    comparison = repro.compare_groups(
        {f"seed {i}": run for i, run in enumerate(steady)}, noisy, targets=targets, n_assignments=1000
    )
    assert [row.metric for row in comparison] == list(repro.regression(noisy, targets).metrics)
    for name in ("ec_ratio", "concordance", "mae"):
        first = repro.regression(steady, targets).summary(name)
        second = repro.regression(noisy, targets).summary(name)
        assert comparison[name].first.mean == pytest.approx(first.mean)
        assert comparison[name].difference == pytest.approx(first.mean - second.mean)
    # Of 35 assignments of seven runs to groups of four and three only this one is as extreme.
    assert (comparison["mae"].n_assignments, comparison["mae"].exact) == (35, True)
    assert comparison["mae"].p_value == pytest.approx(1 / 35)
    single = repro.compare_groups(steady.astype(np.float32), noisy, targets=targets, metrics="mae")
    assert len(single) == 1 and single["mae"].difference == pytest.approx(comparison["mae"].difference, abs=1e-6)
    with pytest.raises(ValueError, match="labels: expected the true labels"):
        repro.compare_groups(steady, noisy)
    with pytest.raises(ValueError, match="or targets"):
        repro.compare_groups(steady, noisy, targets, targets=targets)
    with pytest.raises(ValueError, match="metrics: got 'ec_local', expected some of ec_ratio"):
        repro.compare_groups(steady, noisy, targets=targets, metrics="ec_local")
    with pytest.raises(TypeError, match="empty_union"):
        repro.compare_groups(steady, noisy, targets=targets, empty_union="zero")
    with pytest.raises(ValueError, match="second group"):
        repro.compare_groups(steady, np.where(noisy == noisy[1, 2], np.nan, noisy), targets=targets)


def test_error_consistency_is_that_of_geirhos():
    # 8 and 6 of 10 right, 5 of them in both, 1 wrong in both.
    labels = np.zeros(10, dtype=int)
    first, second = labels.copy(), labels.copy()
    first[[0, 1]] = 1
    second[[1, 2, 3, 4]] = 1
    assert find("error consistency").name == find("modelvshuman.ErrorConsistency").name == "ec_kappa"
    observed, expected = 0.6, 0.8 * 0.6 + 0.2 * 0.4
    kappa = repro.pairwise([first, second], labels).pairs("ec_kappa")
    assert kappa == pytest.approx([(observed - expected) / (1 - expected)])
    assert kappa == pytest.approx([1 / 11])
    assert np.isnan(repro.pairwise([labels, labels], labels).pairs("ec_kappa")).all()


def named_runs():
    predictions, labels = some_runs(n_runs=4)
    return {f"seed {i}": run for i, run in enumerate(predictions)}, predictions, labels


def test_runs_have_names():
    named, predictions, labels = named_runs()
    runs = repro.pairwise(named, labels)
    plain = repro.pairwise(predictions, labels)
    assert runs.run_names == tuple(named) and plain.run_names is None
    for metric in runs.metrics:
        np.testing.assert_array_equal(runs.pairs(metric), plain.pairs(metric))
    assert runs.columns()["first"].tolist() == ["seed 0"] * 3 + ["seed 1"] * 2 + ["seed 2"]
    assert runs.errors.columns()["run"].tolist() == list(named)
    assert plain.columns()["second"].tolist() == [1, 2, 3, 2, 3, 3]
    assert plain.errors.columns()["run"].tolist() == [0, 1, 2, 3]
    assert "seed 3" in repr(runs.errors) and "seed 3" in runs.errors._repr_html_()
    again = pickle.loads(pickle.dumps(runs))
    assert again.run_names == again.errors.run_names == tuple(named)
    numbers = repro.regression({name: run.astype(float) for name, run in named.items()}, labels.astype(float))
    assert numbers.columns()["first"].tolist() == runs.columns()["first"].tolist()
    assert repro.PackedRuns(named, labels).run_names == tuple(named)
    assert repro.summarize(named, labels).errors.run_names == repro.error_sets(named, labels).run_names == tuple(named)
    assert repro.agreement(named) == repro.agreement(predictions)
    assert repro.votes(named, 0) == repro.votes(predictions, 0)
    assert repro.compare_groups(named, predictions, labels)["pa_acc"].difference == 0.0


def test_names_of_runs_come_from_tables():
    pandas = pytest.importorskip("pandas")
    named, predictions, labels = named_runs()
    assert repro.pairwise(pandas.DataFrame(named), labels).run_names == tuple(named)
    assert repro.pairwise(pandas.DataFrame(predictions.T), labels).run_names is None
    with pytest.raises(ValueError, match="two runs are called '1'"):
        repro.pairwise({1: predictions[0], "1": predictions[1]}, labels)
    with pytest.raises(TypeError, match=r"predictions\['b'\]"):
        repro.pairwise({"a": [0, 1], "b": ["x", "y"]}, [0, 1])


def test_blocks_have_the_same_runs_in_the_same_order():
    named, _, labels = named_runs()
    state = repro.PairwiseAccumulator().update(named, labels)
    assert state.update(list(named.values()), labels).finish().run_names == tuple(named)
    backwards = dict(reversed(named.items()))
    with pytest.raises(ValueError, match="predictions: expected the runs 'seed 0', 'seed 1', .* in this order"):
        state.update(backwards, labels)
    with pytest.raises(ValueError, match="merged state: expected the runs"):
        state.merge(repro.PairwiseAccumulator().update(backwards, labels))
    assert state.n_samples == 2 * len(labels)
    assert repro.PairwiseAccumulator().merge(state).run_names == tuple(named)


def test_results_are_drawn_without_arguments():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    named, predictions, labels = named_runs()
    runs = repro.pairwise(named, labels)
    numbers = repro.regression(predictions.astype(float), labels.astype(float))
    heat_map = runs.plot()
    assert [label.get_text() for label in heat_map.get_xticklabels()] == list(named)
    assert [ax.get_ylabel() for ax in heat_map.figure.axes] == ["run", "pa_acc"]
    assert numbers.plot().figure.axes[1].get_ylabel() == "ec_ratio"
    assert repro.pairwise(named, labels, metrics=["ec_acc"]).plot().figure.axes[1].get_ylabel() == "ec_acc"
    accuracy = runs.errors.plot()
    assert [label.get_text() for label in accuracy.get_yticklabels()] == list(named)
    points = [line.get_xdata()[0] for line in accuracy.get_lines() if len(line.get_xdata()) == 1]
    assert points == runs.errors.accuracy.tolist()
    summaries = repro.summarize(named, labels).plot()
    assert [label.get_text() for label in summaries.get_yticklabels()] == list(runs.metrics)
    groups = repro.compare_groups(predictions, predictions[:2], labels).plot()
    assert [text.get_text() for text in groups.get_legend().get_texts()] == ["first group", "second group"]
    samples = repro.sample_consistency(named)
    heights = [bar.get_height() for bar in samples.plot().containers[0]]
    assert sum(heights) == 200 and heights[3] == 200 - len(samples.ever_changing)
    assert len(repro.agreement(named).plot().get_lines()) == 4
    assert repro.SimulationStudy(20, n_samples=50).plot().get_ylabel() == "ec_local"
    pyplot.close("all")


def test_class_distributions_and_simulators():
    for kind in repro.CLASS_DISTRIBUTIONS:
        law = repro.class_distribution(kind, 7, seed=5, item=2)
        assert law.sum() == pytest.approx(1) and (np.diff(law) <= 0).all()
        np.testing.assert_array_equal(law, repro.class_distribution(kind, 7, seed=5, item=2))
        turned = repro.class_distribution(kind, 7, reversed=True, seed=5, item=2)
        np.testing.assert_array_equal(law[::-1], turned)
    assert repro.class_distribution("exponential:0", 3)[-1] == 0
    with pytest.raises(ValueError, match="kind"):
        repro.class_distribution("normal", 3)

    labels = repro.simulate_labels(repro.class_distribution("uniform", 5), 500, every_class=True)
    assert set(labels) == set(range(5)) and labels.dtype == np.int64
    with pytest.raises(ValueError):
        repro.simulate_labels([0.5, 0.5], 1, every_class=True)
    with pytest.raises(ValueError):
        repro.simulate_labels([0.5, 0.6], 10)

    law = repro.class_distribution("flat", 5)
    same = repro.simulate_predictions(labels, 4, law, 0.5, copied=1.0)
    assert (same == same[0]).all()
    fixed = repro.simulate_predictions(labels, 4, law, 0.2)
    assert (fixed != labels).any(axis=0).sum() <= 100
    variable = repro.simulate_predictions(labels, 4, law, 0.2, error_set="variable", seed=9)
    assert (variable != labels).sum(axis=1).max() <= 100
    more = repro.simulate_predictions(labels, 6, law, 0.2, error_set="variable", seed=9)
    np.testing.assert_array_equal(more[:4], variable)
    with pytest.raises(ValueError, match="error_set"):
        repro.simulate_predictions(labels, 4, law, 0.2, error_set="some")
    with pytest.raises(ValueError, match="labels"):
        repro.simulate_predictions([-1, 0], 4, law, 0.2)


def test_mean_metrics_are_the_study_s():
    predictions, labels = some_runs()
    means = repro.mean_metrics(predictions, labels)
    runs = repro.pairwise(predictions, labels)
    assert means["accuracy"] == pytest.approx(runs.errors.accuracy.mean())
    assert means["pa_kappa"] == pytest.approx(runs.summary("pa_kappa").mean)


def test_results_are_shown_stored_and_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    predictions, labels = some_runs()
    runs = repro.pairwise(predictions, labels)
    frame = runs.to_pandas()
    assert len(frame) == 10 and list(frame.columns[:3]) == ["first", "second", "ec_local"]
    assert "ec_local" in runs._repr_html_() and "10 pairs of 5 runs" in repr(runs)
    again = pickle.loads(pickle.dumps(runs))
    np.testing.assert_array_equal(again.pairs("ec_local"), runs.pairs("ec_local"))
    np.testing.assert_array_equal(again.errors.ever_wrong, runs.errors.ever_wrong)
    assert again.errors.accuracy_intervals() == runs.errors.accuracy_intervals()
    assert again.interval("ec_acc") == runs.interval("ec_acc")
    assert runs.plot("pa_acc").get_xlabel() == "run"
    assert repro.SimulationStudy(20, n_samples=50).plot("ec_local").get_ylabel() == "ec_local"
    matplotlib.pyplot.close("all")
    summaries = repro.summarize(predictions, labels)
    assert len(summaries.to_pandas()) == 11 and "ec_local" in summaries._repr_html_()
    assert len(runs.errors.to_pandas()) == 5 and "accuracy" in runs.errors._repr_html_()
    assert "mean" in runs.summary("ec_acc")._repr_html_()
    assert {info.kind for info in repro.metric_infos()} == {"pair", "all runs", "regression"}


def test_states_tell_what_is_wrong_with_them():
    predictions, labels = some_runs()
    state = repro.PairwiseAccumulator().update(predictions, labels)
    before = state._state.to_bytes()
    with pytest.raises(ValueError):
        state.update(predictions[:3], labels)
    with pytest.raises(ValueError):
        state.update(predictions, labels[:-1])
    assert state._state.to_bytes() == before
    again = pickle.loads(pickle.dumps(state))
    assert again.n_samples == 200 and "n_samples=200" in repr(again)
    for wrong in (b"", b"nonsense", before[:-5], b"\x050.0.0" + before[6:]):
        with pytest.raises(ValueError, match="stored state"):
            again.__setstate__({"_state": wrong})
    with pytest.raises(ValueError, match="metrics"):
        state.merge(repro.PairwiseAccumulator("ec_acc"))
    with pytest.raises(ValueError):
        state.merge(repro.PairwiseAccumulator().update(predictions[:3], labels))
    with pytest.raises(TypeError, match="PairwiseAccumulator"):
        state.merge(predictions)
    with pytest.raises(ValueError):
        repro.PairwiseAccumulator().finish()
    assert state.update(predictions[:, :0], labels[:0]).n_samples == 200
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(repro.PackedRuns(predictions, labels))


@settings(max_examples=30)
@given(st.integers(2, 4), st.integers(1, 20), st.randoms(use_true_random=False))
def test_regression_of_singles_is_that_of_doubles(k, n, random):
    values = np.array([[random.randint(-8, 8) / 4 for _ in range(n)] for _ in range(k)])
    targets = np.array([random.randint(-8, 8) / 4 for _ in range(n)])
    expected = repro.regression(values, targets)
    ours = repro.regression(list(values.astype(np.float32)), targets.astype(np.float32))
    for name in expected.metrics:
        np.testing.assert_array_equal(ours.pairs(name), expected.pairs(name))
    np.testing.assert_array_equal(
        expected.mean_absolute_error, np.abs(values - targets).mean(axis=1)
    )
    assert expected.interval("mae") is None or expected.interval("mae").n_units == k


def test_names_of_metrics_may_have_hyphens():
    runs = repro.pairwise([[0, 1, 0], [1, 1, 1]], [0, 1, 1], metrics="pa-acc")
    assert runs.metrics == ("pa_acc",) and runs.pairs("pa_acc").tolist() == [1 / 3]


def test_what_constant_runs_share_is_undefined():
    runs = repro.pairwise([[1, 1, 1], [1, 1, 1]])
    assert np.isnan(runs.pairs("pa_nmi")).all() and runs.pairs("pa_acc").tolist() == [1.0]


def test_groups_of_numbers_and_words_are_not_compared() -> None:
    for predictions in ([[0, 1, 0], ["0", "1", "0"]], [["0", "1", "0"], [0, 1, 0]]):
        with pytest.raises(TypeError, match=r"first\[[01]\]"):
            repro.compare_groups(predictions, predictions, [0, 1, 0])
    with pytest.raises(TypeError, match=r"second\['b'\]"):
        repro.compare_groups([[0, 1], [1, 1]], {"a": [0, 1], "b": ["0", "1"]}, [0, 1])


def test_a_metric_that_was_not_compared_is_named() -> None:
    comparison = repro.compare_groups([[0, 1], [1, 1]], [[0, 0], [1, 0]], [0, 1], metrics="pa_acc, ec_acc")
    with pytest.raises(KeyError, match="metric: got 'ec_ac', did you mean 'ec_acc'"):
        comparison["ec_ac"]
