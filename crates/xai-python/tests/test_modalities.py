"""Models of other things than tables and images, judged by masks: stretches of a time series, edges of a graph."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from xai_metrics.attribution import Deletion, MaskedModel, evaluate

METRICS = ["deletion", "insertion", "comprehensiveness", "faithfulness_estimate"]


def left_out(model, n_samples, n_features, target):
    """How far the score of each sample falls without each of its features."""
    whole = np.ones((n_samples, n_features), bool)
    samples = np.arange(n_samples)
    full = model(samples, whole)[samples, target]
    drops = []
    for feature in range(n_features):
        kept = whole.copy()
        kept[:, feature] = False
        drops.append(full - model(samples, kept)[samples, target])
    return np.array(drops).T


# The sums of these differences fall where the score rises: that warning is a hint, not a proof.
@pytest.mark.filterwarnings("ignore:maps of .* seem to explain the other class")
def test_stretches_of_a_time_series_are_features():
    """A bump in one of eight stretches of a noisy series says its class; removed is a straight line from end to end."""
    n, n_stretches, length = 60, 8, 12
    rng = np.random.default_rng(5)
    series = rng.normal(scale=0.2, size=(n, n_stretches * length))
    target = rng.integers(2, size=n)
    bump = np.where(target == 1, 5, 2)
    for row, at in enumerate(bump):
        series[row, at * length : (at + 1) * length] += 2.0 * np.hanning(length)
    classifier = LogisticRegression().fit(series, target)

    def scores(samples, kept):
        asked = series[samples].copy()
        for row, stretch in zip(*np.nonzero(~np.asarray(kept))):
            first, last = stretch * length, (stretch + 1) * length - 1
            asked[row, first : last + 1] = np.linspace(asked[row, first], asked[row, last], length)
        return classifier.predict_proba(asked)

    model = MaskedModel(scores, n_features=[n_stretches] * n)
    maps = {"left out": left_out(scores, n, n_stretches, target), "random": rng.normal(size=(n, n_stretches))}
    table = evaluate(model, None, target, maps, METRICS)
    for metric in METRICS:
        assert table[metric].is_better("left out", than="random"), metric
    # The stretch with the bump is the one that the score hangs on.
    assert (maps["left out"].argmax(1) == bump).all()
    first = Deletion(steps=[1]).evaluate(model, None, target, maps["left out"]).curve
    assert first.n_features.tolist() == [0, 1] and first.scores[1] < 0.6 < first.scores[0]


def test_edges_of_graphs_are_features():
    """A graph convolution says what a node is by the colour of its neighbours; graphs have different numbers of edges."""
    rng = np.random.default_rng(8)
    graphs = []
    for _ in range(40):
        n_leaves, n_others = int(rng.integers(2, 5)), int(rng.integers(3, 8))
        leaves = [(0, 1 + leaf) for leaf in range(n_leaves)]  # around the node that is explained
        chain = [(n_leaves + 1 + i, n_leaves + 2 + i) for i in range(n_others)]  # apart from it
        colors = rng.random((n_leaves + n_others + 2, 2))
        graphs.append((np.array(leaves + chain), colors, n_leaves))

    def convolved(edges, colors):
        adjacency = np.eye(len(colors))
        adjacency[edges[:, 0], edges[:, 1]] = adjacency[edges[:, 1], edges[:, 0]] = 1.0
        return (adjacency / adjacency.sum(1, keepdims=True)) @ colors

    def scores(samples, kept):
        logits = []
        for sample, row in zip(samples, kept):
            edges, colors, _ = graphs[sample]
            of_edges = edges[np.asarray(row)[: len(edges)]]
            logits.append(4.0 * convolved(of_edges, convolved(of_edges, colors))[0])
        exponentials = np.exp(np.array(logits))
        return exponentials / exponentials.sum(1, keepdims=True)

    n_edges = [len(edges) for edges, _, _ in graphs]
    model = MaskedModel(scores, n_features=n_edges)
    whole = [np.ones(n, bool) for n in n_edges]
    target = scores(range(40), whole).argmax(1)
    maps = {"left out": [], "random": [rng.normal(size=n) for n in n_edges]}
    for sample, n in enumerate(n_edges):
        kept = ~np.eye(n, dtype=bool)
        full = scores([sample], whole[sample][None])[0, target[sample]]
        maps["left out"].append(full - scores([sample] * n, kept)[:, target[sample]])
    table = evaluate(model, None, target, maps, ["deletion", "comprehensiveness", "faithfulness_estimate"])
    assert table["comprehensiveness"].is_better("left out", than="random")
    assert table["faithfulness_estimate"]["left out"].value == pytest.approx(1.0)
    # What is not connected to the node changes nothing.
    for (edges, _, n_leaves), drops in zip(graphs, maps["left out"]):
        assert np.abs(drops[n_leaves:]).max() == 0.0 < np.abs(drops[:n_leaves]).max()
