"""Similarities of one's own: extractors, functions, and models that look like scikit-learn's."""

import pickle
import warnings

import numpy as np
import pytest
from xai_metrics.casebased import (
    ActivationExtractor,
    Blend,
    CallableActivationExtractor,
    CaseExplainer,
    CustomActivations,
    DecisionTreeActivationExtractor,
    Features,
    ForestProximity,
    HiddenActivations,
    SklearnMLPActivationExtractor,
    TreeLeaf,
)
from xai_metrics.compat import case_explainer
from xai_metrics.compat.case_explainer import activations

RANDOM = np.random.default_rng(3)
ROWS = RANDOM.standard_normal((1500, 3))
LABELS = (ROWS[:, 0] > 0).astype(int)
SAMPLES = RANDOM.standard_normal((1100, 3))


class Network:
    """Two hidden layers of rectified sums, as scikit-learn stores them."""

    hidden_layer_sizes = (2, 2)
    activation = "relu"
    n_layers_ = 4
    classes_ = np.array([0, 1, 2])
    coefs_ = [
        np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]),
        np.array([[1.0, 0.5], [0.0, 2.0]]),
        np.array([[1.0, -1.0, 0.0], [1.0, 3.0, 0.0]]),
    ]
    intercepts_ = [np.zeros(2), np.array([0.5, 0.0]), np.zeros(3)]

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)


class RegressorMixin:
    """As scikit-learn marks what predicts numbers."""


class Tree:
    """Splits at zero of the first two features."""

    tree_ = "fitted"

    def apply(self, X):
        return 2 * (X[:, 0] > 0) + (X[:, 1] > 0)


class Forest:
    estimators_ = ()

    def apply(self, X):
        return (X > 0).astype(int)


class Regression(RegressorMixin, Forest):
    """A forest of regression."""


def layer(rows):
    first = np.maximum(rows @ Network.coefs_[0] + Network.intercepts_[0], 0)
    return np.maximum(first @ Network.coefs_[1] + Network.intercepts_[1], 0)


def standardized(values, of):
    return (values - of.mean(axis=0)) / of.std(axis=0)


def nearest(rows, samples, k):
    far = np.linalg.norm(samples[:, None] - rows[None], axis=2)
    return np.argsort(far, axis=1, kind="stable")[:, :k], np.sort(far, axis=1)[:, :k]


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_a_blend_is_features_beside_activations(share):
    strategy = Blend(HiddenActivations(layer), share)
    explainer = CaseExplainer(ROWS, LABELS, k=4, similarity=strategy)
    found = explainer.explain_arrays(SAMPLES, predictions=np.zeros(1100, int))

    def space(rows):
        parts = (
            (share, standardized(rows, ROWS)),
            (1 - share, standardized(layer(rows), layer(ROWS))),
        )
        return np.hstack([np.sqrt(weight) * part for weight, part in parts])

    indices, far = nearest(space(ROWS), space(SAMPLES), 4)
    np.testing.assert_allclose(found.distances, far, atol=1e-6)
    assert (found.indices == indices).mean() > 0.95  # many activations are 0 and tie


@pytest.mark.parametrize("how", [{}, {"layer": 0}, {"use_output_weights": False}])
def test_an_output_that_there_is_not_is_refused(how):
    extractor = SklearnMLPActivationExtractor(**how, output_class=99)
    with pytest.raises(ValueError, match=r"output_class must be in \[0, 2\], got 99"):
        extractor.fit(Network(), ROWS)


def test_the_weights_of_hidden_units():
    extractor = SklearnMLPActivationExtractor()
    np.testing.assert_allclose(
        extractor.fit_transform(Network(), ROWS),
        # Mean absolute weights 2/3 and 4/3: 2/3 and 4/3 of their mean.
        standardized(layer(ROWS), layer(ROWS)) * np.sqrt([2 / 3, 4 / 3]),
    )
    alone = SklearnMLPActivationExtractor(output_class=1).fit_transform(Network(), ROWS)
    np.testing.assert_allclose(alone, standardized(layer(ROWS), layer(ROWS)) * np.sqrt([0.5, 1.5]))
    every = SklearnMLPActivationExtractor("all_hidden", use_output_weights=False)
    found = every.fit_transform(Network(), ROWS)
    assert found.shape == (1500, 4)
    np.testing.assert_allclose(found.std(axis=0), np.sqrt([0.5, 0.5, 1.0, 1.0]))
    assert SklearnMLPActivationExtractor(0).fit_transform(Network(), ROWS).shape == (1500, 2)


def test_weights_of_the_predicted_class():
    strategy = HiddenActivations(Network(), output_weighting="predicted_class")
    explainer = CaseExplainer(ROWS, LABELS, k=3, similarity=strategy)
    samples = SAMPLES[:50]
    for label, weights in ((0, [1.0, 1.0]), (1, [0.5, 1.5])):
        found = explainer.explain_arrays(samples, predictions=np.full(50, label))
        scaled = np.sqrt(weights)
        _, far = nearest(
            standardized(layer(ROWS), layer(ROWS)) * scaled,
            standardized(layer(samples), layer(ROWS)) * scaled,
            3,
        )
        np.testing.assert_allclose(found.distances, far, atol=1e-6)
    with pytest.raises(ValueError, match="not in model.classes_"):
        explainer.explain_arrays(samples, predictions=np.full(50, 9))
    with pytest.raises(ValueError, match="predictions"):
        explainer.explain_votes(samples)


def test_the_network_predicts_what_it_is_given():
    class Shifted(Network):
        def predict(self, X):
            return (np.asarray(X)[:, 0] > 5).astype(int)

    strategy = HiddenActivations(Shifted(), input_transform=lambda X: X + 5)
    found = CaseExplainer(ROWS, LABELS, similarity=strategy).explain_arrays(SAMPLES)
    assert (found.predicted == (SAMPLES[:, 0] > 0)).all()


@pytest.mark.parametrize("overflow", ["truncate", "nearest"])
def test_leaves_of_a_tree(overflow):
    rows = np.array([[-1.0, -1, 0], [-2, -1, 0], [1, 1, 0], [3, 3, 0], [-1, 1, 0]])
    strategy = TreeLeaf(Tree(), overflow)
    explainer = CaseExplainer(rows, [0, 0, 1, 1, 0], k=3, similarity=strategy, scale=False)
    found = explainer.explain_arrays([[0.5, 0.5, 0.0], [-1, -1, 0]], predictions=[1, 0])
    if overflow == "truncate":
        assert found.indices.tolist() == [[2, 3], [0, 1]]
        one = explainer.explain_arrays([[0.5, 0.5, 0.0], [-1, 1, 0]], predictions=[1, 0])
        assert one.indices.tolist() == [[2, 3], [4, -1]]
        assert np.isnan(one.distances[1, 1])
        assert [len(e.neighbors) for e in one] == [2, 1]
        nobody = explainer.explain_arrays([[1.0, -1, 0]], predictions=[1])
        assert nobody.indices.shape == (1, 0) and nobody.levels[0] == "undefined"
        assert nobody[0].neighbors == []
    else:
        assert found.indices.tolist() == [[2, 3, 4], [0, 1, 4]]
        assert len(found[0].neighbors) == 3


def test_leaves_of_a_forest():
    explainer = CaseExplainer(ROWS, LABELS, k=6, similarity=ForestProximity(Forest()))
    found = explainer.explain_arrays(SAMPLES, predictions=np.zeros(1100, int))
    shared = ((SAMPLES[:, None] > 0) == (ROWS[None] > 0)).mean(axis=2)
    np.testing.assert_array_equal(
        found.indices, np.argsort(1 - shared, axis=1, kind="stable")[:, :6]
    )


@pytest.mark.parametrize(
    "strategy",
    [
        Features(),
        HiddenActivations(Network()),
        Blend(HiddenActivations(Network(), "all_hidden")),
        TreeLeaf(Tree()),
        ForestProximity(Forest()),
        CustomActivations(1.0, CallableActivationExtractor(np.multiply)),
    ],
    ids=lambda strategy: type(strategy).__name__,
)
def test_explainers_of_every_similarity_pickle_and_audit(strategy):
    explainer = CaseExplainer(ROWS, LABELS, k=3, similarity=strategy)
    again = pickle.loads(pickle.dumps(explainer))
    predicted = (SAMPLES[:, 0] > 0).astype(int)
    a = explainer.explain_arrays(SAMPLES, predictions=predicted)
    b = again.explain_arrays(SAMPLES, predictions=predicted)
    np.testing.assert_array_equal(a.indices, b.indices)
    np.testing.assert_array_equal(a.distances, b.distances)
    report = explainer.audit(SAMPLES, predictions=predicted)
    defined = ~np.isnan(a.correspondence)
    assert report.mean_correspondence == pytest.approx(a.correspondence[defined].mean())
    if not isinstance(strategy, Features):
        with pytest.raises(ValueError, match="similarity"):
            explainer.save("/nowhere")


class Raising(ActivationExtractor):
    def fit(self, model, X):
        return self

    def transform(self, X):
        raise LookupError("no such layer")


@pytest.mark.parametrize(
    ("strategy", "error", "message"),
    [
        (CustomActivations(1, Raising()), LookupError, "no such layer"),
        (HiddenActivations(lambda X: X[:3]), ValueError, r"the activations: expected \d+ rows"),
        (HiddenActivations(lambda X: X[:, 0]), ValueError, "the activations: expected 2 axes"),
        (HiddenActivations(lambda X: X * np.nan), ValueError, r"the activations\[0, 0\]: not a fin"),
        (HiddenActivations(lambda X: X.astype(str)), TypeError, "the activations: expected real"),
        (HiddenActivations(lambda X: X + 1j), TypeError, "the activations: expected real numbers"),
        (
            HiddenActivations(lambda X: np.ma.array(X, mask=X > X.min())),
            ValueError,
            "the activations: some values are masked",
        ),
        (
            HiddenActivations(lambda X: [[1.0] * (1 + i % 2) for i in range(len(X))]),
            ValueError,
            "the activations: ",
        ),
        (HiddenActivations(object()), TypeError, "MLP"),
        (HiddenActivations(Network(), layer=5), ValueError, "layer index"),
        (HiddenActivations(Network(), layer="first"), ValueError, "layer must be"),
        (TreeLeaf(object()), TypeError, "decision tree"),
        (TreeLeaf(Tree(), overflow="wrap"), ValueError, "overflow"),
        (TreeLeaf(Tree(), within_leaf="random"), ValueError, "within_leaf"),
        (ForestProximity(Tree()), TypeError, "random forest"),
        (TreeLeaf(Regression()), TypeError, "decision tree classifier"),
        (ForestProximity(Regression()), TypeError, "random forest classifier"),
        (Blend(Features()), TypeError, "Blend wraps"),
        (CustomActivations(1, 2), TypeError, "ActivationExtractor"),
        ("activations", ValueError, "model="),
    ],
)
def test_similarities_that_cannot_be(strategy, error, message):
    with pytest.raises(error, match=message):
        CaseExplainer(ROWS, LABELS, similarity=strategy)


def test_parameters_of_strategies_are_checked():
    with pytest.raises(ValueError, match="output_weighting"):
        HiddenActivations(Network(), output_weighting="max")
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        Blend(HiddenActivations(Network()), 1.5)


def test_deprecated_arguments_give_what_their_successors_give():
    predicted = (SAMPLES[:, 0] > 0).astype(int)

    def found(**arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            explainer = case_explainer.CaseExplainer(ROWS, LABELS, **arguments)
        return explainer.explain_arrays(SAMPLES, predictions=predicted).distances

    blend = Blend(HiddenActivations(Network(), "all_hidden"), 0.25)
    expected = found(similarity=blend)
    former = activations.HiddenActivationRetrieval(Network(), "all_hidden", blend_alpha=0.25)
    extractor = SklearnMLPActivationExtractor("all_hidden")
    for arguments in (
        dict(retrieval=former),
        dict(activation_layer="all_hidden", model=Network(), blend_alpha=0.25),
        dict(activation_extractor=extractor, model=Network(), blend_alpha=0.25),
    ):
        np.testing.assert_allclose(found(**arguments), expected, atol=1e-9)
    with pytest.warns(DeprecationWarning, match="similarity="):
        case_explainer.CaseExplainer(ROWS, LABELS, retrieval=former)
    for wrong in (
        dict(similarity=blend, retrieval=former),
        dict(similarity=blend, blend_alpha=0.5),
        dict(activation_layer=0),
        dict(blend_alpha=2.0),
    ):
        with pytest.raises(ValueError):
            found(**wrong)


def test_one_hot_leaves():
    class Grown(Forest):
        class _Tree:
            class tree_:
                node_count = 2

        estimators_ = (_Tree, _Tree, _Tree)

    leaves = DecisionTreeActivationExtractor().fit_transform(Grown(), ROWS[:5])
    assert leaves.shape == (5, 6) and (leaves.sum(axis=1) == 3).all()
    assert (leaves[:, 1::2] == (ROWS[:5] > 0)).all()
    with pytest.warns(UserWarning, match="hamming"):
        numbers = DecisionTreeActivationExtractor(max_one_hot_dims=5).fit_transform(
            Grown(), ROWS[:5]
        )
    assert (numbers == (ROWS[:5] > 0)).all()
