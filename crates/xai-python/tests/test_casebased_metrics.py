"""Correspondence and distances."""

import json
import pathlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xai_metrics.casebased import compute_correspondence, distances
from xai_metrics.compat.case_explainer.metrics import compute_all_distances, euclidean_distance

GOLDEN = pathlib.Path(__file__).parents[2] / "xai-casebased/tests/golden/casebased.json"

TYPES = [[0, 1, -7, True, 2.5], ["cat", "dog", "owl"], [None, (1, 2), frozenset({3}), "cat"]]
#: Neighbours, and a predicted class of the type of their labels.
cases = st.sampled_from(TYPES).flatmap(
    lambda labels: st.tuples(
        st.lists(
            st.tuples(st.integers(0, 99), st.floats(0.0, 1e6), st.sampled_from(labels)),
            min_size=1,
            max_size=12,
        ),
        st.sampled_from(labels),
    )
)


@pytest.fixture(scope="module")
def golden():
    return json.loads(GOLDEN.read_text())


def test_correspondence_is_that_of_the_peer(golden):
    for case in golden["correspondence"]:
        neighbors = list(zip(range(99), case["distances"], case["labels"]))
        weights = {int(label): w for label, w in (case["class_weights"] or {}).items()}
        score, level = compute_correspondence(
            neighbors, case["predicted"], case["distance_weighted"], weights
        )
        assert score == pytest.approx(case["correspondence"], rel=1e-12)
        assert level == case["level"]


def test_distances_are_those_of_scipy(golden):
    for case in golden["distances"]:
        a, b = case["a"], case["b"]
        assert euclidean_distance(a, b) == pytest.approx(case["euclidean"], rel=1e-12)
        for name in ("sqeuclidean", "manhattan", "chebyshev", "cosine", "canberra", "braycurtis"):
            assert distances([a], [b], name)[0, 0] == pytest.approx(case[name], rel=1e-12)
        cubic = distances([a], [b], "minkowski:3")[0, 0]
        assert cubic == pytest.approx(case["minkowski3"], rel=1e-12)


@given(cases, st.booleans())
def test_correspondence_is_the_share_of_the_weight(case, distance_weighted):
    neighbors, predicted = case
    score, level = compute_correspondence(neighbors, predicted, distance_weighted)

    def weight(distance):
        return 1 / (1 + Fraction(distance)) ** 3 if distance_weighted else Fraction(1)

    agreeing = sum(weight(d) for _, d, label in neighbors if label == predicted)
    assert score == pytest.approx(
        float(agreeing / sum(weight(d) for _, d, _ in neighbors)), rel=1e-9
    )
    assert level == ("high" if score >= 0.85 else "medium" if score >= 0.7 else "low")


@given(cases, st.randoms(use_true_random=False))
def test_the_order_of_neighbors_does_not_matter(case, random):
    neighbors, predicted = case
    shuffled = neighbors.copy()
    random.shuffle(shuffled)
    assert compute_correspondence(neighbors, predicted) == compute_correspondence(
        shuffled, predicted
    )


def test_neighbors_that_are_no_triples_are_named():
    for neighbors, place in (([(0, 0.5, 1), (0.5, 1)], 1), ([0.5], 0), ([(0, 0.5, 1, 2)], 0)):
        with pytest.raises(ValueError, match=rf"neighbors\[{place}\]: expected \(index, distance, label\), got"):
            compute_correspondence(neighbors, 1)


def test_labels_of_neighbors_and_prediction_have_one_type():
    for labels, predicted in (([0, 1], "0"), (["0", "1"], 0), (["a"], b"a")):
        neighbors = [(i, 0.5, label) for i, label in enumerate(labels)]
        with pytest.raises(TypeError, match="predicted_class: expected labels of one type"):
            compute_correspondence(neighbors, predicted)
    with pytest.raises(TypeError, match="class_weights text"):
        compute_correspondence([(0, 0.5, 1)], 1, class_weights={"1": 2.0})


def test_neighbors_may_come_one_by_one():
    assert compute_correspondence(zip(range(2), [0.0, 1.0], "ab"), "a")[0] == 1 / 1.125


def test_undefined_is_zero_as_the_peer_has_it():
    assert compute_correspondence([], 1) == (0.0, "undefined")
    assert compute_correspondence([(0, 0.1, 1)], 1, class_weights={1: 0.0}) == (0.0, "undefined")


def test_class_weights_of_absent_classes_change_nothing():
    neighbors = [(0, 0.5, "a"), (1, 1.0, "b")]
    alone = compute_correspondence(neighbors, "a", class_weights={"a": 2.0})
    assert compute_correspondence(neighbors, "a", class_weights={"a": 2.0, "z": 9.0}) == alone


@pytest.mark.parametrize(
    ("weighting", "expected"),
    [
        ("uniform", 0.5),
        ("inverse-power:1", 1 / (1 + 1 / 2)),
        ({"inverse-power": {"exponent": 1.0, "offset": 2.0}}, (1 / 2) / (1 / 2 + 1 / 3)),
        ("gaussian:1", 1 / (1 + np.exp(-0.5))),
        ("exponential:2", 1 / (1 + np.exp(-0.5))),
        (lambda far: 2 - far, 2 / 3),
    ],
)
def test_kernels_by_hand(weighting, expected):
    neighbors = [(0, 0.0, 1), (1, 1.0, 0)]
    score, _ = compute_correspondence(neighbors, 1, weighting=weighting)
    assert score == pytest.approx(expected, rel=1e-12)


def test_thresholds_decide_the_level():
    neighbors = [(0, 0.0, 1), (1, 0.0, 0)]
    assert compute_correspondence(neighbors, 1, high=0.5, medium=0.1)[1] == "high"
    assert compute_correspondence(neighbors, 1, high=0.9, medium=0.5)[1] == "medium"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compute_correspondence([(0, -1.0, 1)], 1), "at least 0"),
        (lambda: compute_correspondence([(0, float("nan"), 1)], 1), "not finite|finite"),
        (lambda: compute_correspondence([(0, 1.0, 1)], 1, class_weights={1: -1.0}), "at least 0"),
        (lambda: compute_correspondence([(0, 1.0, 1)], 1, weighting="cubic"), "inverse-cube"),
        (lambda: compute_correspondence([(0, 1.0, 1)], 1, False, weighting="uniform"), "already"),
        (lambda: compute_correspondence([(0, 1.0, 1)], 1, False, weighting=abs), "already"),
        (lambda: compute_correspondence([(0, -1.0, 1)], 1, weighting=abs), "at least 0"),
        (lambda: compute_correspondence([(0, 3.0, 1)], 1, weighting=np.negative), "at least 0"),
        (lambda: compute_correspondence([(0, 1.0, 1)], 1, high=0.5, medium=0.7), "medium"),
        (lambda: euclidean_distance([1.0], [1.0, 2.0]), "coordinates"),
        (lambda: euclidean_distance([np.nan], [1.0]), r"point1\[0\]"),
        (lambda: compute_all_distances([1.0], [[1.0, 2.0]]), "shape"),
        (lambda: distances([[0.0]], [[1.0]], "cosine"), "direction"),
        (lambda: distances([[1.0]], [[1.0]], "minkowski:0.5"), "at least 1"),
        (lambda: distances([[1.0]], [[1.0]], "manhatten"), "manhattan"),
        (lambda: distances([[1.0]], [[1.0]], "mahalanobis"), "covariance"),
    ],
)
def test_values_without_a_meaning_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_labels_must_be_hashable():
    with pytest.raises(TypeError):
        compute_correspondence([(0, 1.0, [1])], 1)


points = st.integers(1, 20).flatmap(
    lambda d: st.tuples(*(st.lists(st.floats(-1e3, 1e3), min_size=d, max_size=d) for _ in range(3)))
)


@given(points)
@settings(max_examples=50)
def test_euclidean_distance_is_a_distance(three):
    a, b, c = three
    assert euclidean_distance(a, b) == euclidean_distance(b, a)
    assert euclidean_distance(a, a) == 0.0
    around = euclidean_distance(a, c) + euclidean_distance(c, b)
    assert euclidean_distance(a, b) <= around * (1 + 1e-12) + 1e-9
    assert compute_all_distances(a, [b, c])[1] == euclidean_distance(a, c)


def test_mahalanobis_in_units_of_the_spread():
    found = distances([[0.0, 0.0]], [[2.0, 0.0]], "mahalanobis", covariance=[[4, 0], [0, 1]])
    assert found[0, 0] == 1.0
