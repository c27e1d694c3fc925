"""Metrics as text with settings, as the command line takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xai_metrics.attribution import STANDARD, Deletion, MuFidelity, Sparseness, evaluate, evaluate_stream

RANDOM = np.random.default_rng(5)
X = RANDOM.random((12, 5))
WEIGHTS = RANDOM.normal(size=(5, 2))
TARGETS = np.arange(12) % 2
MAPS = {"terms": X * WEIGHTS[:, TARGETS].T, "random": RANDOM.random(X.shape)}


def model(x: Any) -> Any:
    return np.exp(x @ WEIGHTS)


def table(metrics: Any, **how: Any) -> Any:
    return evaluate(model, X, TARGETS, MAPS, metrics, replicates=0, **how)


def test_settings_are_those_of_the_classes() -> None:
    found = table(["deletion(steps=3, baseline=mean)", "mu_fidelity(n-subsets=50,subset_size=0.4)"])
    for name, metric in (
        ("deletion", Deletion(steps=3, baseline="mean")),
        ("mu_fidelity", MuFidelity(n_subsets=50, subset_size=0.4)),
    ):
        value = metric.evaluate(model, X, TARGETS, MAPS["terms"])
        np.testing.assert_array_equal(found[name]["terms"].per_sample, value.per_sample)
    # After one feature, which is not the same as in one step.
    steps = table(["deletion(steps=[1])", "deletion(steps=1)"])
    assert steps.metrics == ["deletion(steps=[1])", "deletion(steps=1)"]
    for name, chosen in zip(steps.metrics, ([1], 1)):
        value = Deletion(steps=chosen).evaluate(model, X, TARGETS, MAPS["terms"])
        assert steps[name]["terms"].value == value.value
    channels = table("deletion(baseline=[0.1, 0.2, 0.3, 0.4, 0.5])")["deletion"]["terms"].value
    assert channels == Deletion(baseline=[0.1, 0.2, 0.3, 0.4, 0.5]).evaluate(model, X, TARGETS, MAPS["terms"]).value


def test_one_text_selects_several_metrics_with_their_settings_as_names() -> None:
    found = table("sparseness, deletion(steps=2,5), deletion, complexity")
    assert found.metrics == ["sparseness", "deletion(steps=2,5)", "deletion", "complexity"]
    assert found["deletion(steps=2,5)"]["terms"].value == Deletion(steps=[2, 5]).evaluate(model, X, TARGETS, MAPS["terms"]).value
    objects = table([Deletion(), Deletion(steps=[2, 5]), Sparseness()])
    assert objects.metrics == ["deletion", "deletion(steps=[2, 5])", "sparseness"]
    named = table({"few": "deletion(steps=2)", "many": Deletion(steps="all")})
    assert named.metrics == ["few", "many"]


def test_words_give_a_setting_to_the_metrics_that_have_it() -> None:
    found = table("standard(baseline=mean, n_subsets=30)")
    assert set(found.metrics) | set(found.skipped) == set(STANDARD)
    for name, metric in (("deletion", Deletion(baseline="mean")), ("mu_fidelity", MuFidelity(baseline="mean", n_subsets=30))):
        assert found[name]["terms"].value == metric.evaluate(model, X, TARGETS, MAPS["terms"]).value
    everything = table("all(steps=2)")
    assert {"deletion", "insertion", "sparseness"} < set(everything.metrics)
    assert everything.skipped["representativity"] == "has a function of its own, representativity()"
    stream = evaluate_stream(model, (X, TARGETS), MAPS, "all(steps=2)", replicates=0)
    assert "consistency" in stream.skipped and "deletion" in stream.metrics


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("deletion(step=2)", r"metrics: deletion\(step=2\): Deletion has no parameter 'step'; it has .*; did you mean 'steps'\?"),
        ("deletion(steps=fog)", r"metrics: deletion\(steps=fog\): steps = fog: expected a whole number in \[1, "),
        ("deletion(steps=2", r"metric = deletion\(steps=2: expected a metric's name, with settings in brackets"),
        ("deletion(steps=2, steps=3)", "expected `steps` once"),
        ("delection(steps=2)", "metric: got 'delection', did you mean deletion"),
        ("PixelFlipping", r"did you mean deletion \(quantus.PixelFlipping\)"),
        ("standard(grid=1)", r"metrics: standard\(grid=1\): none of these metrics has a parameter 'grid'"),
        ("standard(base_line=mean)", "has a parameter 'base_line'; did you mean 'baseline'"),
        ("standard(baseline=fog)", r"metrics: \w+\(baseline=fog\): baseline = fog: expected a number"),
        ("deletion, deletion(steps=10)", "deletion is asked for twice; name every metric once, or with other settings"),
        ("deletion,", "metrics: expected names with commas between them, got 'deletion,'"),
        ({"a": "deletion, insertion"}, r"metrics\['a'\]: expected one metric, got 'deletion, insertion'"),
        ({"a": "standard"}, r"metrics\['a'\]: expected one metric, got 'standard'"),
    ],
)
def test_a_wrong_setting_is_an_error_with_a_hint(metrics: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"(?s){message}"):
        table(metrics)


def test_what_a_word_selects_may_be_named_beside_it() -> None:
    assert table("standard, deletion").metrics == table("standard").metrics
    assert sorted(table("deletion, standard").metrics) == sorted(STANDARD)
    assert "deletion(steps=2)" in table("standard, deletion(steps=2)").metrics


def test_words_skip_metrics_whose_baseline_is_not_for_tables() -> None:
    for baseline, reason in (("blur:5", "cannot blur tables"), ("linear-imputation", "has a baseline of images")):
        found = table("standard", baseline=baseline)
        assert "complexity" in found.metrics and reason in found.skipped["deletion"]


def test_a_seed_that_was_given_is_kept_even_if_it_is_the_default() -> None:
    asked = {"fixed": MuFidelity(seed=1, n_subsets=20), "free": "mu_fidelity(n_subsets=20)"}
    first, second = (table(asked, seed=seed) for seed in (1, 2))
    assert first["fixed"]["random"].value == second["fixed"]["random"].value == first["free"]["random"].value
    assert first["free"]["random"].value != second["free"]["random"].value
