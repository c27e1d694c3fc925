"""Drop-in replacement for ``case_explainer.explainer``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from xai_metrics import casebased
from xai_metrics.casebased import Blend, CustomActivations, SklearnMLPActivationExtractor

from .activations import from_former

__all__ = ["CaseExplainer"]

#: Names of distances in case-explainer, from scikit-learn and SciPy.
_DISTANCES = {
    "l2": "euclidean",
    "p": "minkowski:2",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "minkowski": "minkowski:2",
}


class CaseExplainer(casebased.CaseExplainer):
    """:class:`xai_metrics.casebased.CaseExplainer` with the arguments of case-explainer.

    Parameters
    ----------
    activation_extractor, blend_alpha, activation_layer, use_output_weights, retrieval
        Deprecated by case-explainer; use ``similarity``.
    options
        Further arguments of :class:`xai_metrics.casebased.CaseExplainer`.

    Notes
    -----
    Differences from case-explainer 0.2.0: equal distances come by the lower training row; ``k``
    above the number of rows is no error anywhere; an empty batch is one; models are asked once for
    a whole batch.

    Examples
    --------
    >>> from xai_metrics.compat.case_explainer import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0], [5.0]], ["no", "no", "yes"], k=2)
    >>> explainer.explain_instance([0.5], predicted_class="no").correspondence
    1.0
    """

    #: Argument ``retrieval`` as given.
    retrieval: Any = None
    metric: str = "euclidean"
    algorithm: str = "auto"
    scale_data: bool = True

    def __init__(
        self,
        X_train: Any,
        y_train: Any,
        k: int = 5,
        feature_names: Sequence[str] | None = None,
        class_names: Mapping[Any, str] | Sequence[str] | None = None,
        metric: str = "euclidean",
        algorithm: str = "auto",
        scale_data: bool = True,
        class_weights: Mapping[Any, float] | None = None,
        metadata: Mapping[str, Any] | None = None,
        n_jobs: int | None = -1,
        similarity: Any = None,
        activation_extractor: Any = None,
        model: Any = None,
        blend_alpha: float = 0.0,
        activation_layer: str | int | None = None,
        use_output_weights: bool = True,
        retrieval: Any = None,
        **options: Any,
    ) -> None:
        similarity = strategy_of_arguments(
            similarity,
            model,
            activation_extractor,
            blend_alpha,
            activation_layer,
            use_output_weights,
            retrieval,
        )
        super().__init__(
            X_train,
            y_train,
            k=k,
            feature_names=feature_names,
            class_names=class_names,
            distance=_DISTANCES.get(metric, metric),
            # Any exact engine answers as a ball tree.
            engine="auto" if algorithm == "ball_tree" else algorithm,
            scale=scale_data,
            class_weights=class_weights,
            metadata=metadata,
            n_jobs=n_jobs,
            similarity=similarity,
            model=model,
            **options,
        )
        self.metric, self.algorithm, self.scale_data = metric, algorithm, scale_data
        if retrieval is not None:
            self.retrieval = retrieval

    def get_training_info(self) -> dict[str, Any]:
        """Describe the training data and the settings of the explainer.

        Returns
        -------
        dict
            Counts, names and settings.
        """
        info = super().get_training_info()
        del info["engine"], info["distance"]
        return {**info, "algorithm": self.algorithm, "metric": self.metric}

    @property
    def activation_extractor(self) -> Any:
        """Extractor of the activations of the model; ``None`` if features are compared."""
        return self._space.extractor

    @property
    def blend_alpha(self) -> float:
        """Share of the features in the combined distance of features and activations."""
        return self._space.feature_share


def strategy_of_arguments(
    similarity: Any,
    model: Any,
    activation_extractor: Any,
    blend_alpha: float,
    activation_layer: Any,
    use_output_weights: bool,
    retrieval: Any,
) -> Any:
    """Return the similarity strategy of the arguments, most of which case-explainer has deprecated.
    """
    legacy = activation_extractor is not None or activation_layer is not None
    chosen = similarity if similarity is not None else retrieval
    if similarity is not None and retrieval is not None:
        raise ValueError("Pass either similarity= or retrieval=, not both")
    if chosen is not None:
        name = "similarity" if similarity is not None else "retrieval"
        if legacy:
            raise ValueError(
                f"{name}= cannot be combined with the deprecated parameters "
                "activation_extractor and activation_layer"
            )
        if blend_alpha != 0.0 or use_output_weights is not True:
            raise ValueError(
                f"{name}= says itself how to blend and to weight: Blend(...), "
                "HiddenActivations(output_weighting=...)"
            )
        if retrieval is not None:
            _warn("retrieval= is deprecated; use similarity=")
            strategy = from_former(retrieval)
            if strategy is retrieval:
                raise TypeError("retrieval must be one of the *Retrieval classes; use similarity=")
            return strategy
        return from_former(similarity)
    if not 0.0 <= float(blend_alpha) <= 1.0:
        raise ValueError(f"blend_alpha must be in [0, 1], got {blend_alpha}")
    if not legacy:
        return None
    _warn(
        "activation_extractor= and activation_layer= are deprecated; use "
        "similarity=HiddenActivations(...) or CustomActivations(...)"
    )
    if activation_extractor is not None and activation_layer is not None:
        raise ValueError("Provide either activation_extractor or activation_layer, not both")
    if model is None:
        raise ValueError("model must be provided when activation_extractor is set")
    if activation_layer is not None:
        activation_extractor = SklearnMLPActivationExtractor(activation_layer, use_output_weights)
    strategy = CustomActivations(model, activation_extractor)
    return Blend(strategy, float(blend_alpha)) if blend_alpha else strategy


def _warn(message: str) -> None:
    # Through this function, the one above and the constructor, to the line of the user.
    warnings.warn(message, DeprecationWarning, stacklevel=4)
