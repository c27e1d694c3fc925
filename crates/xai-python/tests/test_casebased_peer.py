"""Thousands of random inputs beside case-explainer 0.2.0 itself, where it is installed."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

peer = pytest.importorskip("case_explainer")
pytest.importorskip("sklearn")

import xai_metrics.compat.case_explainer as ours  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
CLASSES = ([0, 1, 2], ["a", "b", "c"], [False, True], [-7, 100], [1.5, 2.5])
#: The peer's own names; Bray-Curtis is missing, of which scikit-learn has another form.
METRICS = ("euclidean", "l2", "manhattan", "l1", "cityblock", "chebyshev", "minkowski", "canberra")
thorough = settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))

labels = st.sampled_from([0, 1, 2, "a", "b", True, None, (1,), 2.5])
neighbors = st.lists(st.tuples(st.integers(0, 99), st.floats(0, 1e6), labels), max_size=15)
weights = st.dictionaries(labels, st.floats(0, 100, allow_subnormal=False), max_size=4)


@given(neighbors, labels, st.booleans(), st.none() | weights)
@thorough
def test_correspondence(near, predicted, distance_weighted, class_weights):
    theirs, their_level = peer.compute_correspondence(
        near, predicted, distance_weighted, class_weights
    )
    score, level = ours.compute_correspondence(near, predicted, distance_weighted, class_weights)
    assert score == pytest.approx(theirs, rel=1e-9, abs=1e-15)
    assert level == their_level or min(abs(theirs - 0.7), abs(theirs - 0.85)) < 1e-9


vectors = st.integers(1, 30).flatmap(
    lambda d: st.tuples(*[st.lists(st.floats(-1e6, 1e6), min_size=d, max_size=d)] * 2)
)


@given(vectors)
@thorough
def test_euclidean_distance(pair):
    a, b = map(np.array, pair)
    assert ours.euclidean_distance(a, b) == pytest.approx(peer.euclidean_distance(a, b), rel=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.sampled_from(CLASSES),
    metric=st.sampled_from(METRICS),
    k=st.integers(1, 12),
    scale_data=st.booleans(),
    distance_weighted=st.booleans(),
    class_weight=st.none() | st.floats(0, 10),
)
@thorough
def test_explanations(seed, classes, metric, k, scale_data, distance_weighted, class_weight):
    random = np.random.default_rng(seed)
    n, d = random.integers(2, 60), random.integers(1, 5)
    rows = random.standard_normal((n, d)) * random.uniform(0.1, 10, d)
    samples = random.standard_normal((3, d))
    pool = np.array(classes)
    y, predicted, truth = (random.choice(pool, size) for size in (n, 3, 3))
    choices = dict(
        k=k,
        metric=metric,
        scale_data=scale_data,
        class_weights=None if class_weight is None else {classes[0]: class_weight},
        metadata={"row": list(range(n))},
    )
    compare(
        peer.CaseExplainer(rows, y, n_jobs=1, **choices),
        ours.CaseExplainer(rows, y, **choices),
        samples,
        dict(y_test=truth, predictions=predicted, distance_weighted=distance_weighted),
    )


@pytest.fixture(scope="module")
def models():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(0)
    rows = random.standard_normal((90, 4))
    y = np.array(["low", "mid", "high"])[np.digitize(rows[:, 0] + rows[:, 1], [-0.7, 0.7])]
    networks = [
        MLPClassifier(size, activation=activation, max_iter=40, random_state=0).fit(rows, labels)
        for size, activation in (((5,), "relu"), ((4, 3), "tanh"), ((6, 4, 3), "logistic"))
        for labels in (y, y == "low")
    ]
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(rows, y)
    forest = RandomForestClassifier(9, max_depth=5, random_state=0).fit(rows, y)
    return rows, y, networks, tree, forest


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["layers", "blend", "custom", "tree", "tree nearest", "forest"]),
    network=st.integers(0, 5),
    layer=st.sampled_from(["last_hidden", "all_hidden", 0]),
    weighting=st.sampled_from(["mean_abs", "predicted_class", "none"]),
    share=st.floats(0, 1),
    k=st.integers(1, 9),
)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_similarities(models, seed, kind, network, layer, weighting, share, k):
    rows, y, networks, tree, forest = models
    network = networks[network]
    y = y if len(network.classes_) == 3 or "tree" in kind or kind == "forest" else y == "low"
    samples = np.random.default_rng(seed).standard_normal((3, 4))

    def strategy(library):
        layers = library.HiddenActivations(network, layer, weighting)
        squares = library.CallableActivationExtractor(lambda model, X: np.asarray(X) ** 2)
        return {
            "layers": layers,
            "blend": library.Blend(layers, share),
            "custom": library.CustomActivations(network, squares),
            "tree": library.TreeLeaf(tree),
            "tree nearest": library.TreeLeaf(tree, overflow="nearest"),
            "forest": library.ForestProximity(forest),
        }[kind]

    theirs, mine = (
        library.CaseExplainer(rows, y, k=k, similarity=strategy(library))
        for library in (peer, ours)
    )
    # Theirs names its engine `algorithm`.
    mine_says, theirs_says = (
        re.sub(r", (engine|algorithm)='[^']*'", "", repr(explainer)) for explainer in (mine, theirs)
    )
    if share == 1.0:
        # Of activations with weights of each class, theirs calls this a blend.
        theirs_says = theirs_says.replace("hybrid(alpha=1.00)", "features")
    assert mine_says == theirs_says
    assert mine.get_training_info().keys() == theirs.get_training_info().keys()
    compare(theirs, mine, samples, {})


def compare(theirs, mine, samples, asked):
    for a, b in zip(theirs.explain_batch(samples, **asked), mine.explain_batch(samples, **asked)):
        far = [neighbor.distance for neighbor in a.neighbors]
        # Rounding near 0 is that of a square root.
        np.testing.assert_allclose([n.distance for n in b.neighbors], far, rtol=1e-7, atol=1e-7)
        assert b.predicted_class == a.predicted_class and b.true_class == a.true_class
        assert b.is_correct() == a.is_correct() and b.test_index == a.test_index
        found, expected = ([n.index for n in e.neighbors] for e in (b, a))
        tied = len(np.unique(np.round(far, 6))) < len(far)
        assert (
            found == expected or tied or _tied_at_the_end(theirs, mine, samples[a.test_index], far)
        )
        if found == expected:
            assert b.correspondence == pytest.approx(a.correspondence, rel=1e-6, abs=1e-9)
            described, other = b.to_dict(), a.to_dict()
            for said in (described, other):
                del said["correspondence"], said["correspondence_interpretation"]
                for neighbor in said["neighbors"]:
                    del neighbor["distance"]
            assert described == other


def _tied_at_the_end(theirs, mine, sample, far):
    """Whether the next neighbour is as far as the last one, so that either may be named."""
    more = mine.explain_instance(sample, predicted_class=mine.y_train[0], k=len(far) + 1)
    distances = [neighbor.distance for neighbor in more.neighbors]
    assume(len(distances) > len(far))
    return abs(distances[-1] - far[-1]) < 1e-6
