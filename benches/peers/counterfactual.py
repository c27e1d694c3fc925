"""Counterfactuals: CEval, gower, scikit-learn and SciPy; 1,000 queries with four counterfactuals each, 10,000 × 20 training rows."""
import contextlib
import io

import gower
import numpy as np
import pandas as pd
from ceval import CEval
from scipy.spatial.distance import pdist
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

from compare import Peer, close

VERSIONS = ["ceval", "gower", "scikit-learn", "scipy", "pandas", "numpy"]

#: Queries and counterfactuals per query; training rows and columns.
N, M, T, D = 1000, 4, 10_000, 20
#: Queries that CEval evaluates, whose time grows with their number.
FEW = 25


def quietly(function):
    """What the function returns, without what it prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        return function()


def counterfactual(data):
    rng = data.rng
    y = np.arange(T) % 2
    x = rng.normal(size=(T, D)) + 0.5 * y[:, None]
    model = LogisticRegression().fit(x, y)
    queries = x[model.predict(x) == 0][:N]
    query = np.repeat(np.arange(N), M)
    # Some features move at random, and the row then crosses the boundary.
    rows = queries[query] + 0.3 * rng.normal(size=(N * M, D)) * (rng.random((N * M, D)) < 0.4)
    weights = model.coef_[0]
    rows += np.maximum(0, 0.3 - model.decision_function(rows))[:, None] * 1.05 * weights / (weights @ weights)
    predicted = model.predict(rows)

    names = [f"f{column}" for column in range(D)]
    frame = lambda values, **more: pd.DataFrame(values, columns=names).assign(**more)
    few = frame(rows[: FEW * M], label=predicted[: FEW * M], instance=query[: FEW * M])
    ceval = quietly(lambda: CEval(frame(queries[:FEW], label=0), "label", data=frame(x, label=y), model=model, k_nn=5))

    def ours(name, **given):
        def prepare():
            from xai_metrics import counterfactual as family

            def run():
                function = getattr(family, name)
                inputs = {"class_": np.zeros(N, int), "predicted": predicted, "train": x, "train_labels": y}
                found = function(queries, rows, query, **inputs, rows="all", **given)
                return {"per_counterfactual": np.asarray(found.per_counterfactual, float)}

            return run

        return prepare, N * M

    def mean_of(n, read):
        return np.nanmean(read("per_counterfactual")[: n * M])

    def pooled(n):
        """Compares the mean of the first rows, which CEval rounds to three digits."""
        return lambda answer, read: close(answer, mean_of(n, read), 0, 6e-4)

    def shown(n):
        """Shows both means, where CEval encodes and scales columns in its own way."""
        return lambda answer, read: (True, f"{answer} and {mean_of(n, read):.3f}, by other distances")

    def first(answer, read):
        return close(answer, read("per_counterfactual")[: len(answer)], 1e-6)

    def of_ceval(method):
        return lambda: quietly(lambda: getattr(ceval, method)(few, "1toN"))

    def nearest(metric, **options):
        distances, _ = NearestNeighbors(n_neighbors=5, metric=metric, **options).fit(x).kneighbors(rows)
        return distances.mean(axis=1)

    def nearest_by_gower():
        distances = gower.gower_matrix(rows[:50], x)
        return np.sort(distances, axis=1)[:, :5].mean(axis=1)

    def outlier_factor():
        return -LocalOutlierFactor(n_neighbors=20, novelty=True).fit(x).score_samples(rows)

    def diversity():
        return np.array([pdist(rows[query == i]).mean() for i in range(N)])

    near = {"k": 5, "among": "all"}
    data.package |= {
        "cf_sparsity": ours("sparsity"),
        "cf_ynn": ours("ynn", k=5, distance="euclidean"),
        "cf_relative_distance": ours("relative_distance", distance="gower"),
        "cf_nearest_euclidean": ours("nearest_distance", distance="euclidean", **near),
        "cf_nearest_manhattan": ours("nearest_distance", distance="manhattan", **near),
        "cf_nearest_gower": ours("nearest_distance", distance="gower", **near),
        "cf_lof": ours("local_outlier_factor", distance="euclidean", epsilon=1e-10),
        "cf_redundancy": ours("redundancy", score="count", model=model),
        "cf_diversity": diversity_of_ours(queries, rows, query),
    }
    return [
        Peer("CEval sparsity", of_ceval("_calc_sparsity"), FEW * M, {"cf_sparsity": pooled(FEW)}, slow=True),
        Peer("CEval yNN", of_ceval("_calc_yNN"), FEW * M, {"cf_ynn": shown(FEW)}, slow=True),
        Peer("CEval relative_dist", of_ceval("_calc_relative_dist"), FEW * M, {"cf_relative_distance": shown(FEW)}, slow=True),
        Peer("CEval redundancy", of_ceval("_calc_redundancy"), FEW * M, {"cf_redundancy": pooled(FEW)}, slow=True),
        Peer("sklearn brute", lambda: nearest("euclidean", algorithm="brute"), N * M, {"cf_nearest_euclidean": first}),
        Peer("sklearn", lambda: nearest("manhattan"), N * M, {"cf_nearest_manhattan": first}),
        Peer("gower", nearest_by_gower, 50, {"cf_nearest_gower": first}, slow=True),
        Peer("sklearn LOF", outlier_factor, N * M, {"cf_lof": first}),
        Peer("SciPy pdist", diversity, N, {"cf_diversity": lambda answer, read: close(answer, read("per_query"), 1e-12)}),
    ]


def diversity_of_ours(queries, rows, query):
    def prepare():
        from xai_metrics import counterfactual as family

        return lambda: {"per_query": np.asarray(family.diversity(queries, rows, query, distance="euclidean").per_query, float)}

    return prepare, N


WORKLOADS = {"counterfactual": counterfactual}
