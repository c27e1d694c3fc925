"""Graphs: PyTorch Geometric's values, laws, and hand-computed cases."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xai_metrics import graph
from xai_metrics.compat.torch_geometric import explain

FILE = Path(__file__).parents[2] / "xai-graph" / "tests" / "golden" / "graph.json"
GOLDEN = json.loads(FILE.read_text())
#: The peer computes in single precision.
SINGLE = 2e-6
FIVE = ("accuracy", "recall", "precision", "f1_score", "auroc")


def singles(values):
    return np.array(values, dtype=np.float32)


@pytest.mark.parametrize("case", GOLDEN["explainer_runs"])
def test_runs_of_explainers(case):
    full, kept = singles(case["logits_full"]), singles(case["logits_kept"])
    complement, index = singles(case["logits_complement"]), case["index"]
    target = None if case["explanation_type"] == "model" else case["target"]
    of = graph.fidelity(full, kept, complement, target, index=index)
    assert of.pos == pytest.approx(case["pos_fidelity"], abs=SINGLE)
    assert of.neg == pytest.approx(case["neg_fidelity"], abs=SINGLE)
    by_labels = [rows.argmax(axis=1) for rows in (full, kept, complement)]
    assert graph.fidelity(*by_labels, target, index=index) == of
    marked = np.zeros(len(full), dtype=bool)
    marked[index] = True
    if len(set(index)) == len(index):
        assert graph.fidelity(*by_labels, target, index=marked) == of

    for name, expected in [
        ("logits_kept", "unfaithfulness_pyg"),
        ("logits_kept_top3", "unfaithfulness_pyg_top3"),
    ]:
        reverse = graph.unfaithfulness(
            full, singles(case[name]), kl_direction="reverse", index=index
        )
        assert float(reverse) == pytest.approx(case[expected], abs=SINGLE)
    assert graph.top_k_features([case["feature_importance"]], 3) == case["top3"]
    if "groundtruth" in case:
        scores = explain.groundtruth_metrics(
            singles(case["edge_mask"]), singles(case["edge_mask_true"])
        )
        assert scores == pytest.approx([case["groundtruth"][name] for name in FIVE], abs=SINGLE)


@pytest.mark.parametrize("case", GOLDEN["groundtruth"])
def test_masks_against_the_truth(case):
    pred, target, threshold = case["pred"], case["target"], case["threshold"]
    expected = [case[name] for name in FIVE]
    ours = explain.groundtruth_metrics(singles(pred), singles(target), threshold=threshold)
    assert ours == pytest.approx(expected, abs=SINGLE)
    for name, value in zip(FIVE, expected):
        one = explain.groundtruth_metrics(singles(pred), singles(target), name, threshold)
        assert isinstance(one, float) and one == pytest.approx(value, abs=SINGLE)


@pytest.mark.parametrize("case", GOLDEN["characterization"])
def test_characterization_and_the_area_under_the_curve(case):
    weights = case["pos_weight"], case["neg_weight"]
    scores = graph.characterization_score(np.array(case["pos"]), np.array(case["neg"]), *weights)
    np.testing.assert_allclose(scores, case["score"], rtol=1e-12)
    if case["auc"] is None:
        with pytest.raises(ValueError, match="neg_fidelity"):
            graph.fidelity_curve_auc(case["pos"], case["neg"], case["x"])
    else:
        area = graph.fidelity_curve_auc(case["pos"], case["neg"], case["x"])
        assert area == pytest.approx(case["auc"], rel=1e-12)


@pytest.mark.parametrize("case", GOLDEN["gef"])
def test_unfaithfulness_in_both_directions(case):
    rows = case["logits"], case["logits_masked"]
    forward = graph.unfaithfulness(*rows)
    assert forward.value == pytest.approx(case["gef_forward"], rel=1e-12)
    reverse = graph.unfaithfulness(*rows, kl_direction="reverse")
    assert reverse.value == pytest.approx(case["gef_reverse_pyg"], rel=1e-12)


def test_characterization_of_single_numbers_and_shapes():
    assert graph.characterization_score(0.0, 0.5) == 0.0
    assert graph.characterization_score(1.0, 0.0, 0.3, 0.7) == 1.0
    square = graph.characterization_score(np.full((2, 2), 0.5), np.full((2, 2), 0.5))
    np.testing.assert_allclose(square, np.full((2, 2), 0.5))
    assert graph.characterization_score([0.5, 1.0], 0.5).tolist() == pytest.approx([0.5, 2 / 3])
    for wrong in [(1.5, 0.0), (0.5, -0.1), (math.nan, 0.0)]:
        with pytest.raises(ValueError):
            graph.characterization_score(*wrong)
    with pytest.raises(ValueError, match="weight"):
        graph.characterization_score(0.5, 0.5, 0.5, 0.6)
    with pytest.raises(ValueError, match="neg_fidelity"):
        graph.characterization_score([0.5, 0.5], [0.5, 0.5, 0.5])


def test_the_area_of_the_peer_s_own_test():
    pos, neg = [1.0, 1.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.9]
    for x, area in [([0, 1, 2, 3], 8.5), ([10, 11, 12, 13], 8.5), ([0, 1, 2, 5], 19.5)]:
        assert round(graph.fidelity_curve_auc(pos, neg, x), 4) == area
    with pytest.raises(ValueError, match="ascending|at least"):
        graph.fidelity_curve_auc(pos, neg, [3, 2, 1, 0])
    with pytest.raises(ValueError):
        graph.fidelity_curve_auc(pos, neg, [0, 1])


CLASSES = st.integers(0, 3)


@given(st.data(), st.integers(1, 40))
def test_fidelity_is_numpy_s(data, n):
    labels = st.lists(CLASSES, min_size=n, max_size=n)
    full, kept, rest, target = (np.array(data.draw(labels)) for _ in range(4))
    of = graph.fidelity(full, kept, rest)
    assert (of.pos, of.neg) == ((full != rest).mean(), (full != kept).mean())
    of = graph.fidelity(full, kept, rest, target)
    right = full == target
    assert of.pos == np.abs(right.astype(int) - (rest == target)).mean()
    assert of.neg == np.abs(right.astype(int) - (kept == target)).mean()


@given(st.data(), st.integers(1, 60))
def test_scores_are_numpy_s(data, n):
    grid = st.integers(0, 8)
    pred = np.array(data.draw(st.lists(grid, min_size=n, max_size=n))) / 8
    truth = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    of = graph.ground_truth(pred, truth)
    chosen = pred > 0.5
    assert of.true_positives == (chosen & truth).sum()
    assert of.false_positives == (chosen & ~truth).sum()
    assert of.accuracy == (chosen == truth).mean()
    positive, negative = pred[truth], pred[~truth]
    if len(positive) and len(negative):
        above = (positive[:, None] > negative).sum() + (positive[:, None] == negative).sum() / 2
        assert of.auroc == pytest.approx(above / (len(positive) * len(negative)))
    else:
        assert of.auroc is None
    roc, precision_recall = graph.ground_truth_curves(pred, truth)
    assert (roc is None) == (of.auroc is None)
    if roc is not None:
        assert roc.area == pytest.approx(of.auroc) and roc.threshold[0] == math.inf
        trapezoid = np.diff(roc.false_positive_rate) @ (
            (roc.true_positive_rate[1:] + roc.true_positive_rate[:-1]) / 2
        )
        assert trapezoid == pytest.approx(of.auroc)
    if precision_recall is not None:
        assert precision_recall.average_precision == pytest.approx(of.average_precision)
    is_predicted, is_true = graph.counted_elements(pred, truth)
    np.testing.assert_array_equal(is_predicted, chosen)
    np.testing.assert_array_equal(is_true, truth)


@given(st.data(), st.integers(1, 20), st.integers(2, 4))
def test_unfaithfulness_is_numpy_s(data, n, c):
    rows = st.lists(st.lists(st.integers(-6, 6), min_size=c, max_size=c), min_size=n, max_size=n)
    full, kept = (np.array(data.draw(rows)) / 2 for _ in range(2))

    def logs(x):
        x = x - x.max(axis=1, keepdims=True)
        return x - np.log(np.exp(x).sum(axis=1, keepdims=True))

    log_p, log_q = logs(full), logs(kept)
    kl = (np.exp(log_p) * (log_p - log_q)).sum(axis=1)
    of = graph.unfaithfulness(full, kept)
    assert of.divergence == pytest.approx(kl.mean(), abs=1e-12)
    assert of.value == pytest.approx(-np.expm1(-kl.mean()), abs=1e-12)
    per_row = graph.unfaithfulness_per_row(full, kept)
    np.testing.assert_allclose(per_row, -np.expm1(-kl), atol=1e-12)
    as_logs = graph.unfaithfulness(log_p, log_q, return_type="log_probs")
    assert as_logs.value == pytest.approx(of.value, abs=1e-12)
    assert graph.kl_divergence(np.exp(log_p[0]), np.exp(log_q[0])) == pytest.approx(kl[0], abs=1e-9)


def test_logits_of_any_size_have_a_result():
    far = graph.unfaithfulness([[1000.0, -1000.0]], [[-1000.0, 1000.0]])
    assert far.value == 1.0 and far.divergence == pytest.approx(2000.0)
    ruled_out = graph.unfaithfulness([[0.5, 0.5]], [[1.0, 0.0]], return_type="probs")
    assert ruled_out.value == 1.0 and ruled_out.divergence == math.inf
    yes = graph.unfaithfulness([[0.0]], [[math.log(3)]], output_distribution="bernoulli")
    assert yes.divergence == pytest.approx(0.5 * math.log(4 / 3))


@given(st.data(), st.integers(1, 30), st.randoms(use_true_random=False))
def test_merged_states_give_the_bits_of_all_samples(data, n, random):
    numbers = st.floats(-5, 5, width=32)
    rows = st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=n, max_size=n)
    full, kept, rest = (singles(data.draw(rows)) for _ in range(3))
    scores = np.abs(full[:, 0]) / 5
    truth = kept[:, 0] > 0
    cuts = sorted(random.randrange(n + 1) for _ in range(2))
    blocks = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, n]) if a < b]
    random.shuffle(blocks)

    fidelity = graph.FidelityAccumulator()
    probability = graph.FidelityAccumulator()
    unfaithfulness = graph.UnfaithfulnessAccumulator()
    ground_truth = graph.GroundTruthAccumulator()
    for at in blocks:
        part = graph.FidelityAccumulator().update(full[at], kept[at], rest[at])
        fidelity.merge(pickle.loads(pickle.dumps(part)))
        probability.update(full[at], kept[at], rest[at], by="probability")
        part = graph.UnfaithfulnessAccumulator().update(full[at], kept[at])
        unfaithfulness.merge(pickle.loads(pickle.dumps(part)))
        part = graph.GroundTruthAccumulator().update(scores[at], truth[at])
        ground_truth.merge(pickle.loads(pickle.dumps(part)))
    assert fidelity.finish() == graph.fidelity(full, kept, rest)
    assert probability.finish() == graph.fidelity(full, kept, rest, by="probability")
    assert unfaithfulness.finish() == graph.unfaithfulness(full, kept, n_jobs=1)
    assert ground_truth.finish() == graph.ground_truth(scores, truth)
    for ours, theirs in zip(ground_truth.curves(), graph.ground_truth_curves(scores, truth)):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            for name, column in theirs.to_dict().items():
                np.testing.assert_array_equal(ours.to_dict()[name], column)


def test_averages_over_graphs():
    rng = np.random.default_rng(0)
    graphs = [(rng.random(20), rng.random(20) < 0.4) for _ in range(6)]
    whole = graph.GroundTruthAccumulator(over_graphs=True)
    halves = [graph.GroundTruthAccumulator(over_graphs=True) for _ in range(2)]
    for i, one in enumerate(graphs):
        whole.update(*one)
        halves[i % 2].update(*one)
    merged = halves[0].merge(pickle.loads(pickle.dumps(halves[1]))).finish()
    of = whole.finish()
    assert merged == of and of.n_graphs == 6
    each = [graph.ground_truth(*one) for one in graphs]
    average = of.average("jaccard")
    assert average.mean == pytest.approx(np.mean([one.jaccard for one in each]))
    assert average.interval.n_units == 6 and average.direction == "higher"
    all_elements = [np.concatenate(parts) for parts in zip(*graphs)]
    assert of.micro == graph.ground_truth(*all_elements)
    assert len(of.to_pandas()) == 7 and "jaccard" in of._repr_html_()
    assert of.to_dict()["macro"]["jaccard"] == average.mean
    with pytest.raises(ValueError, match="jaccard"):
        of.average("nothing")
    with pytest.raises(ValueError, match="graphs"):
        whole.curves()

    states = [graph.GroundTruthAccumulator().update(*one) for one in graphs]
    intervals = {of.name: of for of in graph.micro_intervals(states)}
    assert intervals["accuracy"].value == of.micro.accuracy
    assert intervals["accuracy"].value in intervals["accuracy"].interval
    with pytest.raises(ValueError):
        graph.micro_intervals(states[:1])
    with pytest.raises(ValueError):
        graph.micro_intervals([])
    with pytest.raises(ValueError, match="nothing"):
        graph.micro_intervals([*states, graph.GroundTruthAccumulator()])
    with pytest.raises(TypeError):
        graph.micro_intervals([*states, graph.FidelityAccumulator()])

    fidelity = graph.FidelityAccumulator(over_graphs=True)
    fidelity.update([0, 1], [0, 1], [1, 0]).update([0, 1], [1, 0], [0, 1])
    assert fidelity.finish().average("pos_fidelity").mean == 0.5
    assert fidelity.finish().micro == graph.Fidelity(0.5, 0.5, 4)
    with pytest.raises(ValueError, match="by"):
        fidelity.update([[0.0, 1.0]], [[0.0, 1.0]], [[0.0, 1.0]], by="probability")
    unfaithfulness = graph.UnfaithfulnessAccumulator(over_graphs=True)
    unfaithfulness.update([[0.0, 1.0]], [[0.0, 1.0]])
    assert unfaithfulness.finish().micro.value == 0


def test_states_tell_what_is_wrong_with_them():
    state = graph.GroundTruthAccumulator().update(singles([0.9, 0.2]), [1, 0])
    with pytest.raises(ValueError, match="float32"):
        state.update(np.array([0.5]), [1])
    with pytest.raises(ValueError):
        state.update(singles([1.5]), [1])
    assert state.finish().accuracy == 1
    with pytest.raises(ValueError, match="choices"):
        state.merge(graph.GroundTruthAccumulator(threshold=0.4).update(singles([0.5]), [1]))
    with pytest.raises(ValueError, match="precision"):
        state.merge(graph.GroundTruthAccumulator().update(np.array([0.5]), [1]))
    with pytest.raises(TypeError, match="GroundTruthAccumulator"):
        state.merge(graph.FidelityAccumulator())
    with pytest.raises(ValueError, match="choices"):
        graph.UnfaithfulnessAccumulator().merge(
            graph.UnfaithfulnessAccumulator(kl_direction="reverse")
        )
    for empty in (graph.GroundTruthAccumulator(), graph.FidelityAccumulator()):
        with pytest.raises(ValueError):
            empty.finish()
        assert pickle.loads(pickle.dumps(empty)).merge(empty) is not empty
    with pytest.raises(ValueError, match="threshold"):
        graph.GroundTruthAccumulator(threshold=2.0)
    with pytest.raises(ValueError, match="zero_division"):
        graph.GroundTruthAccumulator(zero_division=0.3)


def test_selections_and_undefined_statistics():
    nothing = graph.ground_truth([0.0, 0.0], [0.0, 0.0])
    assert nothing.recall is None and nothing.n_undefined == 6
    assert graph.ground_truth([0.0, 0.0], [0.0, 0.0], zero_division=1).recall == 1
    five = explain.groundtruth_metrics([0.0, 0.0], [0.0, 0.0])
    assert five == (1.0, 0.0, 0.0, 0.0, 0.0)
    assert math.isnan(explain.groundtruth_metrics([0.0], [0.0], "recall", zero_division=None))
    assert graph.ground_truth([0.2, 0.3], [0, 1], selection=1).jaccard == 1
    assert graph.ground_truth([0.2, 0.3], [0, 1], selection="truth_size").jaccard == 1
    more = explain.groundtruth_metrics([0.9, 0.1], [1, 0], ["jaccard", "average_precision"])
    assert more == (1.0, 1.0)
    for wrong in ("largest", 3, -1):
        with pytest.raises(ValueError):
            graph.ground_truth([0.2, 0.3], [0, 1], selection=wrong)
    for metrics in ("loss", ["accuracy", "loss"], 3):
        with pytest.raises(ValueError, match="metrics"):
            explain.groundtruth_metrics([0.2], [0], metrics)


def test_scores_beyond_one_are_logits_only_when_that_is_said():
    logits, truth = [2.0, -1.0, 0.5], [1, 0, 1]
    with pytest.raises(ValueError, match="logits"):
        explain.groundtruth_metrics(logits, truth)
    sigmoid = 1 / (1 + np.exp(-np.array(logits)))
    expected = explain.groundtruth_metrics(sigmoid, truth)
    assert explain.groundtruth_metrics(logits, truth, compat=True) == expected
    assert graph.ground_truth(logits, truth, logits=True).accuracy == expected[0]
    assert explain.groundtruth_metrics([0.4], [0], compat=True)[0] == 1.0


def test_masks_by_themselves():
    of = graph.mask_properties([[0.5, 0.5], [0.0, 0.0]], 0.4)
    assert of.size == 2 and of.sparsity == 0.5 and of.entropy == pytest.approx(math.log(2))
    assert of.n_components is None
    edges = [[0, 1, 3], [1, 2, 4]]
    of = graph.mask_properties([1.0, 1.0, 1.0], edge_index=edges, n_nodes=10)
    assert (of.n_components, of.component_share, of.components_per_node) == (2, 0.6, 0.2)
    assert "size" in of._repr_html_() and len(of.to_pandas()) == 1
    with pytest.raises(ValueError, match="edge_index"):
        graph.mask_properties([1.0], edge_index=[[5], [0]], n_nodes=2)

    mask = singles([0.1, 0.9, 0.5, 0.5])
    assert graph.sparsify(mask, top_k=2).tolist() == [0, 1, 1, 0]
    assert graph.sparsify(mask, fraction=0.25).dtype == np.float32
    assert graph.sparsify(mask, threshold=0.4).tolist() == [0, 1, 1, 1]
    both = graph.sparsify([0.9, 0.1], top_k=1, edge_index=[[0, 1], [1, 0]])
    assert both.tolist() == [1, 1]
    for wrong in (
        {},
        {"top_k": 1, "fraction": 0.5},
        {"top_k": 9},
        {"top_k": -1},
        {"fraction": 2.0},
    ):
        with pytest.raises(ValueError):
            graph.sparsify(mask, **wrong)
    with pytest.raises(ValueError):
        graph.top_k_features([[0.1, 0.2]], 3)
    with pytest.raises(ValueError):
        graph.top_k_features([[0.1, 0.2]], -1)
    best, scores = graph.best_of_truths(singles([0.9, 0.1]), [[0, 1], [1, 0]])
    assert best == 1 and scores.jaccard == 1


def mean_model(x, edge_index, edge_weight):
    received = x.copy()
    np.add.at(received, edge_index[1], edge_weight[:, None] * x[edge_index[0]])
    return received


def some_graph(precision=np.float64):
    rng = np.random.default_rng(2)
    features = rng.normal(size=(12, 3)).astype(precision)
    edge_index = rng.integers(0, 12, size=(2, 40))
    return features, edge_index, rng.random(40).astype(precision)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("removal", ["weight", "remove"])
def test_a_model_is_called_on_the_parts_of_a_graph(precision, removal):
    features, edge_index, soft = some_graph(precision)
    mask = graph.sparsify(soft, top_k=15)
    outputs = graph.explained_outputs(
        mean_model, features, edge_index, edge_mask=mask, removal=removal
    )
    expected = mean_model(features, edge_index, mask)
    np.testing.assert_allclose(outputs.kept, expected, rtol=1e-6)
    assert outputs.kept.dtype == precision and set(outputs.to_dict()) == {
        "full",
        "kept",
        "complement",
    }
    curve = graph.sweep(mean_model, features, edge_index, soft, top_k=[5, 15], removal=removal)
    point = curve.points[1]
    of = graph.fidelity(outputs.full, outputs.kept, outputs.complement)
    assert (point.pos_fidelity, point.neg_fidelity) == (of.pos, of.neg)
    assert point.pos_fidelity in point.pos_interval
    assert curve == graph.sweep(
        mean_model, features, edge_index, soft, top_k=[5, 15], removal=removal, progress=True
    )
    again = graph.sweep_from_outputs(
        outputs.full, outputs.kept[None], outputs.complement[None], [15]
    )
    assert again.points[0].characterization == point.characterization
    assert len(curve.to_pandas()) == 2 and "fid+" in curve._repr_html_()
    assert curve.to_dict()["best"] == curve.best


def test_a_sweep_has_levels_of_one_kind():
    features, edge_index, soft = some_graph()
    for levels in ({"fractions": [0.1, 0.5]}, {"thresholds": [0.2, 0.8]}, {"top_k": [1, 2]}):
        curve = graph.sweep(
            mean_model, features, edge_index, soft, undirected=True, index=[0, 3], **levels
        )
        assert curve.n_samples == 2
    target = np.zeros(12, dtype=int)
    assert graph.sweep(mean_model, features, edge_index, soft, top_k=[3], target=target)
    for wrong in ({}, {"top_k": [1], "fractions": [0.5]}, {"top_k": [5, 2]}, {"top_k": [0.5]}):
        with pytest.raises(ValueError):
            graph.sweep(mean_model, features, edge_index, soft, **wrong)
    with pytest.raises(ValueError, match="removal"):
        graph.sweep(mean_model, features, edge_index, soft, top_k=[1], removal="delete")


def test_robust_fidelity_has_the_same_draws_for_a_seed():
    features, edge_index, soft = some_graph()
    mask = graph.sparsify(soft, top_k=15)

    def robust(**choices):
        return graph.robust_fidelity(mean_model, features, edge_index, mask, **choices)

    of = robust(alpha_pos=0.5, alpha_neg=0.5, probabilities="raw")
    assert of == robust(alpha_pos=0.5, alpha_neg=0.5, probabilities="raw", n_jobs=1)
    assert of.delta == pytest.approx(of.pos - of.neg) and of.n_draws == 50
    assert robust(alpha_pos=0.5, seed=2) != robust(alpha_pos=0.5)
    assert of == robust(alpha_pos=0.5, alpha_neg=0.5, probabilities="raw", progress=True)
    all_of_it = robust(alpha_pos=1.0, alpha_neg=0.0, n_draws=2)
    outputs = graph.explained_outputs(mean_model, features, edge_index, edge_mask=mask)
    plain = graph.fidelity(outputs.full, outputs.kept, outputs.complement)
    assert (all_of_it.pos, all_of_it.neg) == (pytest.approx(plain.pos), pytest.approx(plain.neg))
    assert len(of.to_pandas().columns) == 11 and "delta" in of._repr_html_()
    for wrong in ({"alpha_pos": 2.0}, {"n_draws": 1}, {"probabilities": "odds"}, {"index": [-1]}):
        with pytest.raises(ValueError):
            robust(**wrong)
    with pytest.raises(ValueError):
        graph.robust_fidelity(mean_model, features, edge_index, soft)


def test_a_graph_may_have_weights_and_a_batch():
    features, edge_index, soft = some_graph()
    batch = np.repeat([0, 1], 6)

    def pooled(x, edges, weight, batch):
        received = mean_model(x, edges, weight)
        return np.stack([received[batch == i].mean(axis=0) for i in range(2)])

    outputs = graph.explained_outputs(
        pooled, features, edge_index, edge_mask=soft, edge_weight=soft, batch=batch
    )
    np.testing.assert_allclose(outputs.full, pooled(features, edge_index, soft, batch))
    np.testing.assert_allclose(outputs.kept, pooled(features, edge_index, soft * soft, batch))
    nodes = graph.explained_outputs(mean_model, features, edge_index, node_mask=[[1.0, 0.0, 0.0]])
    ones = np.ones(40)
    np.testing.assert_allclose(nodes.kept, mean_model(features * [1, 0, 0], edge_index, ones))
    with pytest.raises(ValueError, match="mask"):
        graph.explained_outputs(mean_model, features, edge_index)
    with pytest.raises(ValueError, match="edge_weight"):
        graph.explained_outputs(
            mean_model, features, edge_index, edge_mask=soft, edge_weight=soft[:-1]
        )


def test_models_that_fail():
    features, edge_index, soft = some_graph()

    class Broken(Exception):
        pass

    def raises(x, edges, weight):
        raise Broken("no answer")

    with pytest.raises(Broken, match="no answer") as raised:
        graph.sweep(raises, features, edge_index, soft, top_k=[3])
    assert any(entry.name == "raises" for entry in raised.traceback)

    calls = iter(range(100))
    for model, said in [
        (lambda x, edges, weight: x[: 12 - (next(calls) > 0)], "shape"),
        (lambda x, edges, weight: x * np.nan, "finite|NaN"),
        (lambda x, edges, weight: x[:, 0], "axes"),
        (lambda x, edges, weight: x[:, :1], "labels"),
    ]:
        with pytest.raises(ValueError, match=said):
            graph.sweep(model, features, edge_index, soft, top_k=[3])
    with pytest.raises(TypeError):
        graph.sweep(lambda x, edges, weight: "x", features, edge_index, soft, top_k=[3])
    with pytest.raises(TypeError):
        graph.sweep(lambda x: x, features, edge_index, soft, top_k=[3])


def test_a_model_may_measure_something_itself():
    features, edge_index, soft = some_graph()

    def model(x, edges, weight):
        outputs = mean_model(x, edges, weight)
        graph.unfaithfulness(outputs, outputs)
        return outputs

    expected = graph.sweep(mean_model, features, edge_index, soft, top_k=[3, 9], n_jobs=2)
    assert graph.sweep(model, features, edge_index, soft, top_k=[3, 9], n_jobs=2) == expected


def test_an_interrupt_ends_a_sweep():
    import _thread
    import time

    features, edge_index, soft = some_graph()

    def interrupted(x, edges, weight):
        _thread.interrupt_main()
        time.sleep(0.01)
        return x

    with pytest.raises(KeyboardInterrupt):
        graph.robust_fidelity(
            interrupted, features, edge_index, graph.sparsify(soft, top_k=3), n_draws=1000
        )


def test_what_is_drawn_and_listed():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    features, edge_index, soft = some_graph()
    curve = graph.sweep(mean_model, features, edge_index, soft, fractions=[0.1, 0.5])
    assert curve.plot().get_xlabel() == "explanation size"
    roc, precision_recall = graph.ground_truth_curves(soft, soft > 0.6, n_points=5)
    assert len(roc.threshold) <= 5 and len(roc.to_pandas()) == len(roc.threshold)
    assert roc.plot().get_ylabel() == "true positive rate"
    assert precision_recall.plot().get_xlabel() == "recall"
    assert len(precision_recall.to_pandas()) <= 5
    matplotlib.pyplot.close("all")
    assert "fid+" in graph.Fidelity(0.5, 0.5, 4)._repr_html_()
    assert graph.Fidelity(0.5, 0.5, 4).to_pandas()["characterization"][0] == 0.5
    assert "divergence" in graph.unfaithfulness([[0.0, 1.0]], [[1.0, 0.0]])._repr_html_()
    assert len(graph.ground_truth([0.2], [1]).to_pandas()) == 1
    assert {info.name for info in graph.metric_infos()} >= {"pos_fidelity", "jaccard", "sparsity"}


@settings(max_examples=20)
@given(st.integers(1, 30), st.randoms(use_true_random=False))
def test_probabilities_of_a_sure_model_are_labels(n, random):
    def sure(classes):
        return np.eye(3)[classes]

    full, kept, rest = ([random.randrange(3) for _ in range(n)] for _ in range(3))
    by = graph.fidelity(sure(full), sure(kept), sure(rest), by="probability", return_type="probs")
    assert by == graph.fidelity(full, kept, rest)


def test_top_features_say_how_many_tie_at_the_cut():
    mask = [[0.5, 0.9, 0.5], [0.5, 0.9, 0.5]]
    assert [graph.top_k_features(mask, k).ties_at_k for k in (1, 2, 3)] == [0, 2, 0]
    top = pickle.loads(pickle.dumps(graph.top_k_features(mask, 2)))
    assert (top, top.ties_at_k) == ([0, 1], 2)
