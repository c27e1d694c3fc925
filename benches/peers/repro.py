"""Reproducibility: numba's compiled loop, numpy, scikit-learn, scipy."""
from itertools import combinations

import numpy as np
from numba import njit, prange
from scipy.stats.contingency import association, crosstab
from sklearn.metrics import cohen_kappa_score

from compare import Peer, close

VERSIONS = ["numba", "numpy", "scikit-learn", "scipy"]


@njit(parallel=True)
def error_consistency(errors):
    k = len(errors)
    matrix = np.full((k, k), np.nan)
    for i in prange(k):
        for j in range(i + 1, k):
            union = np.sum(errors[i] | errors[j])
            value = np.sum(errors[i] & errors[j]) / union if union else 0.0
            matrix[i, j] = matrix[j, i] = value
    return matrix


def cramers_v(a, b):
    return association(crosstab(a, b).count, correction=False)


def ec_pairs(data):
    errors = data.rng.random((200, 100_000)) < 0.2
    data.save(errors=errors.astype(np.uint8))
    upper = np.triu_indices(len(errors), 1)

    def ours():
        from xai_metrics import repro

        packed = repro.PackedRuns(errors.astype(int), np.zeros(errors.shape[1], dtype=int))
        return lambda: {"ec_local": repro.pairwise(packed, metrics="ec_local").pairs("ec_local")}

    data.package["ec_pairs"] = (ours, len(upper[0]))
    compare = lambda answer, ours: close(answer[upper], ours("ec_local"), 1e-12)
    return [Peer("numba", lambda: error_consistency(errors), len(upper[0]), {"ec_pairs": compare, "ec_pairs_raw": compare})]


def agreement_pairs(data):
    predictions = data.rng.integers(0, 10, (6, 100_000))
    # Half of each run repeats the first, so that the three statistics are not all near zero.
    repeated = data.rng.random(predictions.shape) < 0.5
    predictions = np.where(repeated, predictions[0], predictions)
    data.save(predictions=predictions)
    pairs = list(combinations(predictions, 2))

    # From Python the call itself takes longer than six runs, so the pairs of sixty are asked for as well.
    many = data.rng.integers(0, 10, (60, 100_000))

    def package(metric):
        def ours():
            from xai_metrics import repro

            truth = np.zeros(100_000, dtype=int)
            others, packed = (repro.PackedRuns(runs, truth) for runs in (many, predictions))

            def run():
                repro.pairwise(others, metrics=metric)
                return {"values": repro.pairwise(packed, metrics=metric).pairs(metric)}

            return run

        return ours, 60 * 59 // 2 + len(pairs)

    for ours, metric in (("agreement_pa", "pa_acc"), ("agreement_kappa", "pa_kappa"), ("agreement_v", "pa_cramers_v")):
        data.package[ours] = package(metric)

    def peer(name, ours, statistic):
        compare = lambda answer, read: close(answer, read("values"), 1e-12, 1e-14)
        return Peer(name, lambda: [statistic(a, b) for a, b in pairs], len(pairs), {ours: compare})

    percent_agreement = lambda a, b: np.mean(a == b)
    statistics = [percent_agreement, cohen_kappa_score, cramers_v]
    compare = lambda answer, read: close(answer, read("values"), 1e-12, 1e-14)
    run = lambda: [statistic(a, b) for statistic in statistics for a, b in pairs]
    return [
        peer("numpy PA", "agreement_pa", percent_agreement),
        peer("sklearn kappa", "agreement_kappa", cohen_kappa_score),
        peer("scipy Cramer V", "agreement_v", cramers_v),
        Peer("numpy + sklearn + scipy", run, len(pairs), {"agreement_raw": compare}),
    ]


SAMPLES, RUNS, DRAWS = 1000, 5, 20


def draw(rng):
    """Labels and the predictions of five runs that err on a share of the samples."""
    n_classes = int(rng.integers(2, 50))
    shares = rng.random(n_classes)
    shares /= shares.sum()
    labels = rng.choice(n_classes, SAMPLES, p=shares)
    runs = np.repeat(labels[None], RUNS, axis=0)
    n_errors = int(np.ceil(rng.random() * rng.random() * SAMPLES))
    for run in runs:
        at = rng.permutation(SAMPLES)[:n_errors]
        run[at] = rng.choice(n_classes, n_errors, p=shares)
    return labels, runs


def correlation(a, b):
    return np.nan if a.all() or b.all() or not a.any() or not b.any() else np.corrcoef(a, b)[0, 1]


def metrics(labels, runs):
    """Means over pairs of: PA, kappa, Cramer's V, error correlation, EC_acc, EC_global, EC_local."""
    errors = runs != labels
    of_labels, of_errors = list(combinations(runs, 2)), list(combinations(errors, 2))
    return [
        np.mean([np.mean(a == b) for a, b in of_labels]),
        np.mean([cohen_kappa_score(a, b) for a, b in of_labels]),
        np.mean([cramers_v(a, b) for a, b in of_labels]),
        np.nanmean([correlation(a, b) for a, b in of_errors]),
        np.mean([np.mean(a == b) for a, b in of_errors]),
        np.mean([np.mean(a & b) for a, b in of_errors]),
        np.mean([(a & b).sum() / max(1, (a | b).sum()) for a, b in of_errors]),
    ]


def study(data):
    given = [draw(data.rng) for _ in range(DRAWS)]
    data.save(labels=np.array([l for l, _ in given]), predictions=np.array([p for _, p in given]))
    # Random draws cannot be compared one by one; the metrics of given draws can.
    expected = [metrics(*d) for d in given]
    compare = lambda answer, ours: close(expected, ours("metrics"), 1e-9, 1e-12)
    rng = np.random.default_rng(1)

    def ours():
        from xai_metrics import repro

        # Its own draws: there is nothing to compare.
        return lambda: repro.SimulationStudy(2000) and None

    data.package["study"] = (ours, 2000)
    return [Peer("numpy/sklearn/scipy", lambda: [metrics(*draw(rng)) for _ in range(DRAWS)], DRAWS, {"study": compare})]


WORKLOADS = {"ec_pairs": ec_pairs, "agreement_pairs": agreement_pairs, "study": study}
