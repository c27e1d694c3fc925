"""Similarity strategies for ``CaseExplainer(similarity=...)``.

==========================  ====================================================================
strategy                    rows are similar if they
==========================  ====================================================================
:class:`Features`           are near in (scaled) features: the default
:class:`HiddenActivations`  are near in the hidden layers of a scikit-learn network, or in the
                            output of a function
:class:`CustomActivations`  are near in the output of a user-defined extractor
:class:`Blend`              are near in activations and features combined
:class:`TreeLeaf`           are in the same leaf of a decision tree, then near in features
:class:`ForestProximity`    are in the same leaf of many trees of a random forest
==========================  ====================================================================

Source: the strategies of case-explainer 0.2.0; activations as a distance: R. Caruana et al.,
"Case-based explanation of non-case-based learning methods", AMIA 1999.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, Union, runtime_checkable

from ._extractors import (
    ActivationExtractor,
    CallableActivationExtractor,
    DecisionTreeActivationExtractor,
    SklearnMLPActivationExtractor,
)

__all__ = [
    "ActivationExtractor",
    "Blend",
    "CallableActivationExtractor",
    "CustomActivations",
    "DecisionTreeActivationExtractor",
    "Features",
    "ForestProximity",
    "HiddenActivations",
    "Predictor",
    "SimilarityStrategy",
    "SklearnMLPActivationExtractor",
    "TreeLeaf",
]

_WEIGHTINGS = ("mean_abs", "predicted_class", "none")


@runtime_checkable
class Predictor(Protocol):
    """Protocol of fitted models that predict classes.

    Examples
    --------
    >>> from xai_metrics.casebased import Predictor
    >>> isinstance(object(), Predictor)
    False
    """

    def predict(self, X: Any, /) -> Any:
        """Return the predicted class of every row.

        Parameters
        ----------
        X : array of shape (m, n_features)
            The rows.

        Returns
        -------
        array of shape (m,)
            Predicted classes.
        """


@dataclass(frozen=True)
class Features:
    """Similarity of (scaled) features. The default.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer, Features
    >>> CaseExplainer([[0.0], [1.0]], [0, 1], k=1, similarity=Features())
    CaseExplainer(n_samples=2, n_features=1, k=1, mode='features', engine='brute-force')
    """


@dataclass(frozen=True)
class HiddenActivations:
    """Similarity of the hidden activations of a network.

    Parameters
    ----------
    model : MLPClassifier or callable
        A fitted network of scikit-learn; or a function from rows to activations, of shape
        ``(n_rows, n_units)``, which are standardised on the training rows. A module of torch or
        Keras is such a function of tensors, in its evaluation mode.
    layer : str or int
        ``"last_hidden"``; ``"all_hidden"``, where layer ``i`` of ``n`` counts ``(i + 1) / n``; or
        the number of a hidden layer, from 0.
    output_weighting : str
        Weight of each unit of the last hidden layer: ``"mean_abs"``, the mean absolute weight to
        the outputs; ``"predicted_class"``, the absolute weight to the predicted output; ``"none"``.
    input_transform : callable or transformer, optional
        Applied to rows before the network.

    Examples
    --------
    Only the sum of the features matters to this layer:

    >>> from xai_metrics.casebased import CaseExplainer, HiddenActivations
    >>> layer = HiddenActivations(lambda rows: rows.sum(axis=1, keepdims=True))
    >>> explainer = CaseExplainer([[0.0, 1.0], [5.0, 5.0]], ["no", "yes"], k=1, similarity=layer)
    >>> explainer.explain_instance([9.0, 0.0], predicted_class="yes").neighbors[0].index
    1
    """

    model: Any
    layer: Literal["last_hidden", "all_hidden"] | int = "last_hidden"
    output_weighting: Literal["mean_abs", "predicted_class", "none"] = "mean_abs"
    input_transform: Any | None = None

    def __post_init__(self) -> None:
        if self.output_weighting not in _WEIGHTINGS:
            raise ValueError(
                "output_weighting must be 'mean_abs', 'predicted_class' or 'none', "
                f"got {self.output_weighting!r}"
            )


@dataclass(frozen=True)
class CustomActivations:
    """Similarity of activations from a user-defined extractor.

    Parameters
    ----------
    model : object
        Model that is passed to ``extractor.fit(model, X)``.
    extractor : ActivationExtractor or callable
        An extractor, or a function ``(model, rows) -> activations``. Activations are standardised
        on the training rows unless the extractor is ``metric_ready``.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer, CustomActivations
    >>> similarity = CustomActivations(model=2.0, extractor=lambda model, rows: rows[:, :1] * model)
    >>> CaseExplainer([[0.0, 9.0], [1.0, 0.0]], [0, 1], k=1, similarity=similarity)
    CaseExplainer(n_samples=2, n_features=2, k=1, mode='activations', engine='brute-force')
    """

    model: Any
    extractor: Any


@dataclass(frozen=True)
class TreeLeaf:
    """Similarity by the leaf of a decision tree.

    Within a leaf, rows are ordered by their distance in features, with the distance of the
    explainer (case-explainer always uses the Euclidean one).

    Parameters
    ----------
    model : DecisionTreeClassifier
        A fitted tree of scikit-learn.
    overflow : str
        Treatment of leaves with fewer than ``k`` rows: ``"truncate"`` returns fewer neighbours,
        ``"nearest"`` appends the nearest rows of other leaves.
    within_leaf : str
        ``"feature_distance"``, the only order there is.

    Examples
    --------
    >>> from xai_metrics.casebased import TreeLeaf
    >>> TreeLeaf(model=None).overflow
    'truncate'
    """

    model: Any
    overflow: Literal["truncate", "nearest"] = "truncate"
    within_leaf: Literal["feature_distance"] = "feature_distance"


@dataclass(frozen=True)
class ForestProximity:
    """Similarity by the leaves of a random forest.

    The distance is 1 minus the share of trees in which two rows share a leaf.

    Parameters
    ----------
    model : RandomForestClassifier
        A fitted forest of scikit-learn.

    Examples
    --------
    >>> from xai_metrics.casebased import ForestProximity
    >>> ForestProximity(model=None)
    ForestProximity(model=None)
    """

    model: Any


@dataclass(frozen=True)
class Blend:
    """Weighted combination of activations and features.

    ::

        distance^2 = features * distance_features^2 + (1 - features) * distance_activations^2

    This holds for the Euclidean distance.

    Parameters
    ----------
    strategy : HiddenActivations or CustomActivations
        Where the activations come from.
    features : float
        The share of the features, in [0, 1].

    Examples
    --------
    >>> from xai_metrics.casebased import Blend, HiddenActivations
    >>> Blend(HiddenActivations(abs)).features
    0.3
    """

    strategy: Any
    features: float = 0.3

    def __post_init__(self) -> None:
        if not 0.0 <= self.features <= 1.0:
            raise ValueError(f"features must be in [0, 1], got {self.features}")


#: Types that ``similarity=`` accepts.
SimilarityStrategy = Union[
    Features, HiddenActivations, CustomActivations, TreeLeaf, ForestProximity, Blend
]
