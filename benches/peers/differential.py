"""Draws data until this package and another program disagree, makes the data small, and prints them.

    python differential.py [--minutes 30] [--rounds N] [--seed N] [--interfaces] [CASE ...]

It runs where the package is installed, with NumPy, SciPy and scikit-learn; with `--interfaces` against those of Quantus, Captum,
PyTorch Geometric and case-explainer that are there (`differential_interfaces.py`).
The data have ties, constant rows, rare classes and large offsets more often than data usually have. Ends with 1 where two
programs disagree.
"""

import argparse
import math
import sys
import time
import warnings
from itertools import combinations

import numpy as np
from scipy import stats
from scipy.stats.contingency import association, crosstab
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    cohen_kappa_score,
    f1_score,
    jaccard_score,
    matthews_corrcoef,
    normalized_mutual_info_score,
    r2_score,
    roc_auc_score,
)
from sklearn.neighbors import NearestNeighbors
from xai_metrics import attribution, casebased, graph, repro
from xai_metrics.casebased import data_attribution

CASES = {}


def case(draw):
    """A case: data that are drawn, the axis along which all arrays become shorter, and pairs of numbers."""

    def add(compare):
        CASES[compare.__name__] = (draw, compare)
        return compare

    return add


def numbers(rng, shape):
    """Numbers as data have them: normal, with ties, of few values, far from zero, of all sizes."""
    kind = rng.integers(5)
    values = rng.normal(size=shape)
    if kind == 1:
        values = np.round(values, 1)
    elif kind == 2:
        values = rng.integers(0, 3, shape).astype(float)
    elif kind == 3:
        values = values + 10.0 ** rng.integers(2, 5)
    elif kind == 4:
        values = values * 10.0 ** rng.integers(-6, 7, shape)
    return values


def length(rng, least=2):
    return int(least + rng.integers(0, 10 ** rng.integers(1, 4)))


def classes(rng, shape):
    n = rng.integers(1, 8)
    shares = rng.dirichlet(np.full(n, 10.0 ** rng.uniform(-1.5, 1)))
    return rng.choice(n, shape, p=shares)


def draw_runs(rng):
    n = length(rng)
    labels = classes(rng, n)
    wrong = rng.random((3, n)) < rng.choice([0, 0.02, 0.3, 0.9])
    return {"predictions": np.where(wrong, classes(rng, (3, n)), labels), "labels": labels}


@case(draw_runs)
def pairs_of_runs(predictions, labels):
    found = repro.pairwise(predictions, labels)
    ours = {name: found.pairs(name) for name in ("pa_acc", "pa_kappa", "pa_cramers_v", "pa_nmi", "ec_matthews", "ec_local")}
    errors = predictions != labels
    for at, (i, j) in enumerate(combinations(range(len(predictions)), 2)):
        a, b = predictions[i], predictions[j]
        several = len(set(a)) > 1 and len(set(b)) > 1
        yield "pa_acc", ours["pa_acc"][at], accuracy_score(a, b)
        yield "pa_kappa", ours["pa_kappa"][at], cohen_kappa_score(a, b)
        yield "pa_nmi", ours["pa_nmi"][at], normalized_mutual_info_score(a, b) if len(set(a)) > 1 or len(set(b)) > 1 else math.nan
        yield "ec_matthews", ours["ec_matthews"][at], matthews_corrcoef(errors[i], errors[j])
        yield "pa_cramers_v", ours["pa_cramers_v"][at], association(crosstab(a, b).count) if several else math.nan
        union = (errors[i] | errors[j]).any()
        yield "ec_local", ours["ec_local"][at], jaccard_score(errors[i], errors[j]) if union else math.nan


def draw_regression(rng):
    n = length(rng, 3)
    target = numbers(rng, n)
    return {"predictions": target + numbers(rng, (2, n)) * rng.choice([1e-3, 1.0]), "targets": target}


@case(draw_regression)
def runs_of_numbers(predictions, targets):
    a, b = predictions
    found = repro.regression(predictions, targets)
    constant = np.ptp(a) == 0 or np.ptp(b) == 0
    yield "pearson", found.pairs("pearson")[0], math.nan if constant else stats.pearsonr(a, b).statistic
    yield "mae", found.pairs("mae")[0], np.abs(a - b).mean()


def draw_scores(rng):
    n = length(rng)
    return {"scores": np.clip(numbers(rng, n) / 3 + 0.5, 0, 1), "truth": rng.random(n) < rng.choice([0.02, 0.5, 0.9])}


@case(draw_scores)
def ground_truth(scores, truth):
    found = graph.ground_truth(scores, truth.astype(float))
    chosen = scores > 0.5
    both = truth.any() and not truth.all()
    yield "auroc", found.auroc, roc_auc_score(truth, scores) if both else math.nan
    if truth.any():
        yield "average_precision", found.average_precision, average_precision_score(truth, scores)
    if chosen.any() or truth.any():
        yield "jaccard", found.jaccard, jaccard_score(truth, chosen)
    if truth.any() and chosen.any():
        yield "f1", found.f1_score, f1_score(truth, chosen)


def draw_cases(rng):
    d = int(rng.integers(1, 20))
    rows = numbers(rng, (length(rng, 6), d))
    return {"train": rows, "test": np.vstack([rows[:3], numbers(rng, (5, d))])}


@case(draw_cases)
def nearest_cases(train, test):
    k = min(5, len(train))
    explainer = casebased.CaseExplainer(train, np.zeros(len(train), int), k=k, scale=False)
    found = explainer.explain_batch(test, predictions=np.zeros(len(test), int))
    distances, _ = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(train).kneighbors(test)
    for row, explanation in enumerate(found):
        for at, neighbor in enumerate(explanation.neighbors):
            yield "distance", neighbor.distance, distances[row, at]


def draw_maps(rng):
    n = length(rng, 3)
    return {"first": numbers(rng, n), "second": numbers(rng, n)}


@case(draw_maps)
def maps_of_attribution(first, second):
    magnitudes = np.abs(first)
    if magnitudes.sum() > 0.1:
        # Its formula adds 1e-8 to the sum, and to each share within the logarithm.
        entropy = stats.entropy(magnitudes)
        yield "complexity", attribution.Complexity().evaluate(first[None]).value, entropy, 1e-8 * (len(first) + 10 * entropy + 10)
        ranks = np.arange(1, len(first) + 1)
        gini = ((2 * ranks - len(first) - 1) * np.sort(magnitudes)).sum() / (len(first) * magnitudes.sum())
        yield "sparseness", attribution.Sparseness().evaluate(first[None]).value, gini
    constant = np.ptp(first) == 0 or np.ptp(second) == 0
    for name, theirs in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        ours = attribution.map_similarity(first[None], second[None], name)[0]
        yield name, ours, math.nan if constant else theirs(first, second).statistic


def draw_attributions(rng):
    n = length(rng, 4)
    return {
        "attributions": numbers(rng, (5, n)),
        "subsets": rng.random((12, n)) < rng.uniform(0.1, 0.9),
        "flags": rng.random(n) < rng.choice([0.02, 0.2, 0.9]),
        "train_labels": classes(rng, n),
    }


@case(draw_attributions)
def training_data(attributions, subsets, flags, train_labels):
    outputs = np.cos(np.arange(60.0)).reshape(12, 5)
    # Multiples of a power of two, whose sums are not rounded: of others, ties are told apart by rounding, here and there.
    attributions = np.round(attributions * 1024) / 1024
    sums = subsets @ attributions.T
    found = data_attribution.linear_datamodeling_score(attributions, subsets, outputs).per_sample
    for sample in range(5):
        constant = np.ptp(sums[:, sample]) == 0
        theirs = math.nan if constant else stats.spearmanr(sums[:, sample], outputs[:, sample]).statistic
        yield "linear datamodeling score", found[sample], theirs
    if flags.any() and not flags.all():
        yield "mislabeling auroc", data_attribution.mislabeling_detection(attributions[0], flags).auroc, roc_auc_score(flags, attributions[0])
    test_classes = np.arange(5) % (train_labels.max() + 1)
    found = data_attribution.class_auroc(attributions, train_labels, test_classes).per_sample
    for sample in range(5):
        same = train_labels == test_classes[sample]
        both = same.any() and not same.all()
        yield "class auroc", found[sample], roc_auc_score(same, attributions[sample]) if both else math.nan


if "--interfaces" in sys.argv:
    import differential_interfaces

    CASES = differential_interfaces.cases()


def disagreements(compare, data):
    """What the two programs say differently."""
    found = []
    for name, ours, theirs, *tolerance in compare(**data):
        ours = math.nan if ours is None else float(ours)
        theirs = float(theirs)
        same = math.isnan(ours) and math.isnan(theirs)
        if not same and not math.isclose(ours, theirs, rel_tol=1e-7, abs_tol=(tolerance or [1e-9])[0]):
            found.append((name, ours, theirs))
    return found


def smaller(data):
    """The data without some positions of the last axis, which all arrays share; with rounder numbers."""
    n = min(value.shape[-1] for value in data.values())
    size = n // 2
    while size >= 1:
        for start in range(0, n, size):
            keep = np.r_[0:start, min(start + size, n) : n]
            if len(keep):
                yield {name: value[..., keep] for name, value in data.items()}
        size //= 2
    for digits in (0, 1, 3):
        yield {name: np.round(value, digits) if value.dtype.kind == "f" else value for name, value in data.items()}


def shrink(compare, data):
    """The smallest data, by one step after another, on which the programs disagree."""
    shrinks = True
    while shrinks:
        shrinks = False
        for candidate in smaller(data):
            same = all(np.array_equal(value, data[name]) for name, value in candidate.items())
            try:
                if not same and disagreements(compare, candidate):
                    data, shrinks = candidate, True
                    break
            except (ValueError, IndexError):
                continue
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rounds", type=int, default=sys.maxsize)
    parser.add_argument("--interfaces", action="store_true")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"seed {asked.seed}")
    end = time.monotonic() + 60 * asked.minutes
    counts, failed = dict.fromkeys(asked.cases or CASES, 0), False
    draw_of = np.random.SeedSequence(asked.seed)
    for _ in range(asked.rounds):
        if time.monotonic() >= end or failed:
            break
        for name in counts:
            draw, compare = CASES[name]
            data = draw(np.random.default_rng(draw_of.spawn(1)[0]))
            counts[name] += 1
            if disagreements(compare, data):
                data, failed = shrink(compare, data), True
                print(f"{name} disagrees:")
                for what, ours, theirs in disagreements(compare, data):
                    print(f"  {what}: {ours!r} here, {theirs!r} there")
                for what, value in data.items():
                    print(f"  {what} = {value!r}")
    for name, n in counts.items():
        print(f"{name:24} {n:8} drawn")
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
