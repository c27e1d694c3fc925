"""Thousands of random inputs agree with the peers, where those are installed."""

from __future__ import annotations

import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xai_metrics import graph, repro

metrics = pytest.importorskip("sklearn.metrics")
contingency = pytest.importorskip("scipy.stats.contingency")

MANY = settings(max_examples=1000, deadline=None)


@st.composite
def runs_and_labels(draw):
    k, n, c = draw(st.integers(2, 4)), draw(st.integers(1, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, c, n)
    changed = rng.random((k, n)) < draw(st.floats(0, 1))
    return np.where(changed, rng.integers(0, c, (k, n)), labels), labels


def of_pairs(runs, metric):
    values = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for a, b in combinations(runs, 2):
            values.append(metric(a, b))
    return values


def cramers_v(a, b):
    table = contingency.crosstab(a, b).count
    return math.nan if 1 in table.shape else contingency.association(table, correction=False)


@MANY
@given(runs_and_labels())
def test_agreement(case):
    predictions, _ = case
    runs = repro.pairwise(predictions)
    kappa = of_pairs(predictions, metrics.cohen_kappa_score)
    np.testing.assert_allclose(runs.pairs("pa_kappa"), kappa, atol=1e-12)
    np.testing.assert_allclose(
        runs.pairs("pa_cramers_v"), of_pairs(predictions, cramers_v), atol=1e-7
    )
    defined = ~np.isnan(runs.pairs("pa_nmi"))
    nmi = np.array(of_pairs(predictions, metrics.normalized_mutual_info_score))
    np.testing.assert_allclose(runs.pairs("pa_nmi")[defined], nmi[defined], atol=1e-7)


@MANY
@given(runs_and_labels())
def test_errors(case):
    predictions, labels = case
    runs = repro.pairwise(predictions, labels)
    errors = predictions != labels
    matthews = of_pairs(errors, metrics.matthews_corrcoef)
    np.testing.assert_allclose(np.nan_to_num(runs.pairs("ec_corr")), matthews, atol=1e-12)
    jaccard = of_pairs(errors, lambda a, b: metrics.jaccard_score(a, b, zero_division=0))
    runs = repro.pairwise(list(predictions), labels, empty_union="zero")
    np.testing.assert_allclose(runs.pairs("ec_local"), jaccard, atol=1e-15)


@MANY
@given(st.integers(1, 60), st.integers(0, 2**32 - 1), st.sampled_from([4, 100]))
def test_masks_against_their_truth(n, seed, levels):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, levels + 1, n) / levels
    truth = rng.random(n) < rng.random()
    of = graph.ground_truth(scores, truth, zero_division=0)
    chosen = scores > 0.5
    assert of.recall == pytest.approx(metrics.recall_score(truth, chosen, zero_division=0))
    assert of.precision == pytest.approx(metrics.precision_score(truth, chosen, zero_division=0))
    assert of.f1_score == pytest.approx(metrics.f1_score(truth, chosen, zero_division=0))
    assert of.jaccard == pytest.approx(metrics.jaccard_score(truth, chosen, zero_division=0))
    if truth.any():
        average = metrics.average_precision_score(truth, scores)
        assert of.average_precision == pytest.approx(average)
    if truth.any() and not truth.all():
        assert of.auroc == pytest.approx(metrics.roc_auc_score(truth, scores))


@MANY
@given(st.integers(2, 4), st.integers(2, 40), st.integers(0, 2**32 - 1))
def test_regression(k, n, seed):
    rng = np.random.default_rng(seed)
    predictions, targets = rng.normal(size=(k, n)), rng.normal(size=n)
    runs = repro.regression(predictions, targets)
    pearson = of_pairs(predictions, lambda a, b: np.corrcoef(a, b)[0, 1])
    np.testing.assert_allclose(runs.pairs("pearson"), pearson, atol=1e-9)
    mae = of_pairs(predictions, metrics.mean_absolute_error)
    np.testing.assert_allclose(runs.pairs("mae"), mae, rtol=1e-12)
    residuals = np.abs(targets - predictions)
    ratio = of_pairs(residuals, lambda a, b: (np.minimum(a, b) / np.maximum(a, b)).mean())
    np.testing.assert_allclose(runs.pairs("ec_ratio"), ratio, rtol=1e-12)
