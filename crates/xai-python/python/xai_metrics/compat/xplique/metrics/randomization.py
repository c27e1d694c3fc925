"""Sensitivity of maps to the target and to the parameters of the model."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._frameworks import Tensors, is_keras_model, is_torch_module
from xai_metrics.attribution import _models, metrics
from xai_metrics.attribution._data import predicted_classes
from xai_metrics.attribution._functions import model_randomization
from xai_metrics.attribution._layout import channels_axis

from .base import ExplainerMetric, How

if TYPE_CHECKING:
    from typing_extensions import Unpack


class RandomLogitMetric(ExplainerMetric):
    """Random Logit: does the map of another class look the same?

    Better: lower. Range: [-1, 1]. By structural similarity; which other class is drawn for a
    sample depends on ``seed``. Targets are rows or classes; ``None`` for what the model predicts.

    References
    ----------
    Sixt et al., When Explanations Lie, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> images = np.random.default_rng(0).random((2, 12, 12, 1))
    >>> metric = RandomLogitMetric(None, images, np.eye(3)[[0, 1]])
    >>> metric(lambda inputs, targets: inputs) # whatever is asked, the map is the same
    1.0
    """

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        activation: str | None = None,
        seed: int = 42,
        **how: Unpack[How],
    ) -> None:
        super().__init__(model, inputs, targets, batch_size, activation, **how)
        self.seed = seed
        self.n_classes: int = self._n_classes()

    def _n_classes(self) -> int:
        if self.targets is not None and self.targets.ndim == 2:
            return int(self.targets.shape[1])
        if self.model is None:
            raise ValueError("targets: expected rows, or classes and a model that has them")
        function = _models.model_function(self.model, self.framework, self.device)
        return int(function(np.array(self.inputs[:1], order="C")).shape[1])

    def evaluate(self, explainer: Any) -> float:
        """Compute the mean similarity over the inputs.

        Parameters
        ----------
        explainer : callable
            Explainer.

        Returns
        -------
        float
            Mean similarity.
        """
        metric = metrics.RandomLogit(n_classes=self.n_classes, seed=self.seed)
        return float(self._measure(metric, explainer=explainer))


class ModelRandomizationStrategy(ABC):
    """Strategy that randomizes the parameters of a model.

    Examples
    --------
    >>> class Same(ModelRandomizationStrategy):
    ...     def randomize(self, model):
    ...         return model
    >>> Same().randomize("model")
    'model'
    """

    @abstractmethod
    def randomize(self, model: Any) -> Any:
        """Randomize a model in place.

        Parameters
        ----------
        model : object
            The model.

        Returns
        -------
        object
            The model itself.
        """


class ProgressiveLayerRandomization(ModelRandomizationStrategy):
    """Randomize the layers with parameters one after another, up to one of them.

    Layers are those of a Keras model that have weights, or the modules of a torch module that have
    parameters of their own, in the order in which they were made. New parameters are uniform in
    [0, 1).

    Parameters
    ----------
    stop_layer : str, int or float
        The first layer that stays: its name, its place, or the share of the layers before it.
    reverse : bool
        Whether to begin at the output.
    seed : int
        Seed of the new parameters.

    Examples
    --------
    >>> strategy = ProgressiveLayerRandomization(0.25)
    >>> strategy.reverse # from the output
    True
    """

    def __init__(self, stop_layer: str | int | float, reverse: bool = True, seed: int = 42) -> None:
        if not isinstance(stop_layer, (str, int, float)):
            raise TypeError("stop_layer: expected a name, a place or a share")
        if isinstance(stop_layer, float) and not 0.0 <= stop_layer <= 1.0:
            raise ValueError(f"stop_layer: expected a share in [0, 1], got {stop_layer}")
        self.stop_layer = stop_layer
        self.reverse = reverse
        self.seed = seed

    def randomize(self, model: Any) -> Any:
        """Randomize a model in place.

        Parameters
        ----------
        model : torch module or Keras model
            The model.

        Returns
        -------
        object
            The model itself.
        """
        layers = _layers(model)
        if self.reverse:
            layers = layers[::-1]
        random = np.random.default_rng(self.seed)
        for _, layer in layers[: self._n_randomized([name for name, _ in layers])]:
            _randomize(layer, random)
        return model

    def _n_randomized(self, names: list[str]) -> int:
        if isinstance(self.stop_layer, str):
            if self.stop_layer not in names:
                raise ValueError(f"stop_layer: {self.stop_layer!r} not found in the model")
            return names.index(self.stop_layer)
        if isinstance(self.stop_layer, float):
            return int(len(names) * self.stop_layer)
        return max(0, min(self.stop_layer, len(names)))


class ModelRandomizationMetric(ExplainerMetric):
    """Model Randomization: does the map of a model of random numbers look the same?

    Better: lower. Range: [-1, 1]. By Spearman's correlation of the maps of the model and those of
    a copy whose top quarter of layers is random, or whatever the strategy makes of it. Maps that
    are constant have no correlation and do not count; in xplique, and with ``compat=True``, they
    count as 0.

    ``evaluate`` takes an explainer with an attribute ``model``, which is the copy while it is
    asked for its maps. :func:`~xai_metrics.attribution.model_randomization` tests all layers one
    by one, of models of any kind.

    References
    ----------
    Adebayo et al., Sanity Checks for Saliency Maps, 2018.

    Examples
    --------
    >>> class Same(ModelRandomizationStrategy):
    ...     def randomize(self, model):
    ...         return model
    >>> class Explainer:
    ...     model = "any"
    ...     def explain(self, inputs, targets):
    ...         return inputs
    >>> ModelRandomizationMetric(None, [[1.0, 2.0]], [0], Same())(Explainer())
    1.0
    """

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        randomization_strategy: ModelRandomizationStrategy | None = None,
        batch_size: int | None = 64,
        activation: str | None = None,
        seed: int = 42,
        **how: Unpack[How],
    ) -> None:
        super().__init__(model, inputs, targets, batch_size, activation, **how)
        self.seed = seed
        self.randomization_strategy: ModelRandomizationStrategy = (
            ProgressiveLayerRandomization(0.25, seed=seed)
            if randomization_strategy is None
            else randomization_strategy
        )

    def evaluate(self, explainer: Any) -> float:
        """Compute the mean similarity over the inputs.

        Parameters
        ----------
        explainer : object
            Explainer with an attribute ``model``.

        Returns
        -------
        float
            Mean similarity.

        Raises
        ------
        TypeError
            If the explainer has no attribute ``model``.
        ValueError
            If the maps of every sample are constant, unless ``compat``.
        """
        if not hasattr(explainer, "model"):
            raise TypeError("explainer: expected an object with an attribute `model`")
        randomized = self.randomization_strategy.randomize(_copied(explainer.model))
        tensors = Tensors.for_model(explainer.model, self.framework, self.device)
        explain = _models.explainer_function(explainer, tensors)
        shape = self.inputs.shape[1:]

        def ask(inputs: Any, targets: Any) -> Any:
            # Maps need not look like the inputs: their rows are compared.
            maps = explain(inputs.reshape(-1, *shape), targets)
            if maps.ndim == 4:
                maps = maps.mean(axis=channels_axis(self.layout))
            return maps.reshape(len(maps), -1)

        def explainer_of(layers: list[int]) -> Any:
            if not layers:
                return ask

            def of_randomized(inputs: Any, targets: Any) -> Any:
                original, explainer.model = explainer.model, randomized
                try:
                    return ask(inputs, targets)
                finally:
                    explainer.model = original

            return of_randomized

        targets = self.targets
        if targets is None:
            function = _models.model_function(self.model, self.framework, self.device)
            targets = predicted_classes(function, self.inputs, self.batch_size)
        values = model_randomization(
            explainer_of,
            self.inputs.reshape(len(self.inputs), -1),
            targets,
            1,
            batch_size=self.batch_size,
            n_jobs=self.n_jobs,
        )
        if self.compat:
            return float(np.nan_to_num(values.steps[0].per_sample).mean())
        average = values.average
        if average is None:
            raise ValueError("explainer: the maps of every sample are constant")
        return average


def _layers(model: Any) -> list[tuple[str, Any]]:
    """Return the layers that have parameters, by name, from input to output."""
    if is_torch_module(model):
        modules = model.named_modules()
        return [(n, m) for n, m in modules if next(m.parameters(recurse=False), None) is not None]
    if hasattr(model, "layers"):
        return [(layer.name, layer) for layer in model.layers if layer.get_weights()]
    raise TypeError(f"model: expected a torch module or a Keras model, got {type(model).__name__}")


def _randomize(layer: Any, random: np.random.Generator) -> None:
    if is_torch_module(layer):
        import torch

        with torch.no_grad():
            for parameter in layer.parameters(recurse=False):
                values = torch.from_numpy(np.asarray(random.random(tuple(parameter.shape))))
                parameter.copy_(values)
        return
    weights = layer.get_weights()
    layer.set_weights([random.random(w.shape).astype(w.dtype) for w in weights])


def _copied(model: Any) -> Any:
    if is_keras_model(model):
        import tensorflow as tf

        clone = tf.keras.models.clone_model(model)
        clone.set_weights(model.get_weights())
        return clone
    return copy.deepcopy(model)
