"""The metrics of explainers under xplique's names, with its arguments in its order."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import integers, reals
from . import _models, metrics
from ._data import predicted_classes, targets_of
from ._dropin_base import ExplainerMetric, _unzipped
from ._functions import model_randomization, representativity

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._models import Framework


class AverageStability(ExplainerMetric):
    """Average Stability: how far does the map move on average when the input moves a little?

    Better: lower. Range: [0, inf). Every element of the input grows by a uniform number below
    ``radius``. Each sample has noise of its own here; in xplique all samples share theirs, so that
    their values depend on each other: ``compat=True`` draws as it does.

    Parameters
    ----------
    radius : float
        The largest change of an element.
    distance : {"l2", "l1", "relative"} or callable
        How far apart two maps are; a function is given both flattened.
    nb_samples : int
        Neighbours per sample.
    seed : int
        What the neighbours depend on.

    References
    ----------
    Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.

    Examples
    --------
    >>> metric = AverageStability(None, [[1.0, 2.0]], [0])
    >>> metric(lambda inputs, targets: inputs * 0.0) # a map that never moves
    0.0
    """

    def __init__(
        self,
        model: Any,
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        radius: float = 0.1,
        distance: str | Callable[[Any, Any], float] = "l2",
        nb_samples: int = 20,
        *,
        seed: int = 1,
        compat: bool = False,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            model,
            inputs,
            targets,
            batch_size,
            compat=compat,
            layout=layout,
            framework=framework,
            device=device,
            n_jobs=n_jobs,
        )
        self.radius = radius
        self.distance = distance
        self.nb_samples = nb_samples
        self.seed = seed
        self._metric()

    @property
    def noisy_masks(self) -> npt.NDArray[np.float64]:
        """Noise ``(nb_samples, …)`` that all samples share, as ``compat=True`` draws it."""
        shape = (self.nb_samples, *self.inputs.shape[1:])
        return np.random.default_rng(self.seed).uniform(0.0, self.radius, shape)

    def _metric(self) -> metrics.AverageStability:
        noise = None
        if self.compat:
            noise = np.repeat(self.noisy_masks[:, None], len(self.inputs), axis=1)
        return metrics.AverageStability(
            radius=self.radius,
            neighbors=self.nb_samples,
            distance=self.distance,  # type: ignore[arg-type]
            seed=self.seed,
            draws=noise,
        )

    def evaluate(self, explainer: Any, base_explanations: Any = None) -> float:
        """The mean distance; ``base_explanations`` are the maps of the inputs, where they exist."""
        of = {"explainer": explainer, "explanations": base_explanations}
        return self._measure(self._metric(), **of).value


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
        *,
        compat: bool = False,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            model,
            inputs,
            targets,
            batch_size,
            activation,
            compat=compat,
            layout=layout,
            framework=framework,
            device=device,
            n_jobs=n_jobs,
        )
        self.seed = seed
        self.n_classes = self._n_classes()

    def _n_classes(self) -> int:
        if self.targets is not None and self.targets.ndim == 2:
            return int(self.targets.shape[1])
        if self.model is None:
            raise ValueError("targets: expected rows, or classes and a model that has them")
        function = _models.model_function(self.model, self.framework, self.device)
        return int(function(np.array(self.inputs[:1], order="C")).shape[1])

    def evaluate(self, explainer: Any) -> float:
        """The mean similarity over the inputs."""
        metric = metrics.RandomLogit(classes=self.n_classes, seed=self.seed)
        return self._measure(metric, explainer=explainer).value


class ModelRandomizationStrategy(ABC):
    """How the parameters of a model become random.

    >>> class Same(ModelRandomizationStrategy):
    ...     def randomize(self, model):
    ...         return model
    >>> Same().randomize("model")
    'model'
    """

    @abstractmethod
    def randomize(self, model: Any) -> Any:
        """Randomizes a model in place, and returns it."""


class ProgressiveLayerRandomization(ModelRandomizationStrategy):
    """Randomizes the layers with parameters one after another, up to one of them.

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
        What the new parameters depend on.

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
        """Randomizes a model in place, and returns it."""
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
        *,
        compat: bool = False,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            model,
            inputs,
            targets,
            batch_size,
            activation,
            compat=compat,
            layout=layout,
            framework=framework,
            device=device,
            n_jobs=n_jobs,
        )
        self.seed = seed
        self.randomization_strategy = (
            ProgressiveLayerRandomization(0.25, seed=seed)
            if randomization_strategy is None
            else randomization_strategy
        )

    def evaluate(self, explainer: Any) -> float:
        """The mean similarity over the inputs."""
        if not hasattr(explainer, "model"):
            raise TypeError("explainer: expected an object with an attribute `model`")
        randomized = self.randomization_strategy.randomize(_copied(explainer.model))
        tensors = _models.Tensors.of(explainer.model, self.framework, self.device)
        explain = _models.explainer_function(explainer, tensors)
        shape = self.inputs.shape[1:]

        def ask(inputs: Any, targets: Any) -> Any:
            # Maps need not look like the inputs: their rows are compared.
            maps = explain(inputs.reshape(-1, *shape), targets)
            if maps.ndim == 4:
                maps = maps.mean(axis=1 if self.layout == "channels-first" else -1)
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
            batch_size = self.batch_size or max(len(self.inputs), 1)
            targets = predicted_classes(function, self.inputs, batch_size)
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


class MeGe:
    """MeGe and ReCo: do models that agree explain themselves alike?

    Better: higher for both, in [0.5, 1] and [0, 1]. One model is trained for each split of the
    data, on the others; two models are compared on the splits that one of them has not seen.

    ReCo is the largest over all thresholds. xplique tries about 20 of them, and a distance that
    equals a threshold is on neither side of it: ``compat=True`` does the same.

    Parameters
    ----------
    learning_algorithm : callable
        ``learning_algorithm(x_train, y_train, x_test, y_test) -> model``.
    k_splits : int
        The number of splits, which has to divide the number of samples.

    References
    ----------
    Fel et al., How good is your explanation?, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [5.0, 1.0]])
    >>> y = np.eye(2)[[1, 0, 1, 0]]
    >>> metric = MeGe(lambda *data: (lambda x: x), x, y, k_splits=2)
    >>> mege, reco = metric.evaluate(lambda model: (lambda inputs, targets: inputs))
    >>> mege # all models are the same
    1.0
    """

    def __init__(
        self,
        learning_algorithm: Callable[..., Any],
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        k_splits: int = 4,
        *,
        compat: bool = False,
        layout: str | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        inputs, targets = _unzipped(inputs, targets)
        self.inputs = reals(inputs, "inputs")
        n = len(self.inputs)
        if k_splits < 2 or n % k_splits != 0:
            raise ValueError(f"k_splits: expected at least 2 and a divisor of {n}, got {k_splits}")
        self.targets = targets_of(targets, n)
        self.batch_size = batch_size
        self.k_splits = k_splits
        self.split_len = n // k_splits
        self.compat = compat
        self.layout = layout
        self.framework = framework
        self.device = device
        self.n_jobs = n_jobs
        splits = np.arange(n) // self.split_len
        self.models = [
            learning_algorithm(
                self.inputs[splits != split],
                self.targets[splits != split],
                self.inputs[splits == split],
                self.targets[splits == split],
            )
            for split in range(k_splits)
        ]

    def evaluate(
        self, explainer_class: Any, explainer_params: dict[str, Any] | None = None
    ) -> tuple[float, float]:
        """MeGe and ReCo; NaN where there is none.

        ``explainer_class(model, **explainer_params)`` makes an explainer ``(inputs, targets) ->
        maps``.
        """
        maps, predictions = [], []
        for model in self.models:
            tensors = _models.Tensors.of(model, self.framework, self.device)
            explainer = explainer_class(model, **(explainer_params or {}))
            explain = _models.explainer_function(explainer, tensors)
            maps.append(explain(np.array(self.inputs, order="C"), self.targets))
            function = _models.model_function(model, self.framework, self.device)
            batch_size = self.batch_size or len(self.inputs)
            predictions.append(predicted_classes(function, self.inputs, batch_size))
        labels = self.targets if self.targets.ndim == 1 else np.argmax(self.targets, axis=1)
        values = representativity(
            maps,
            integers(np.stack(predictions), "predictions"),
            labels,
            layout=self.layout,
            held_out_by=np.arange(len(labels)) // self.split_len,
            peer_thresholds=self.compat,
            n_jobs=self.n_jobs,
        )
        nan = float("nan")
        mege = nan if values.mege is None else values.mege
        return mege, nan if values.reco is None else values.reco


def _layers(model: Any) -> list[tuple[str, Any]]:
    """The layers that have parameters, by name, from input to output."""
    if _models.is_torch_module(model):
        modules = model.named_modules()
        return [(n, m) for n, m in modules if next(m.parameters(recurse=False), None) is not None]
    if hasattr(model, "layers"):
        return [(layer.name, layer) for layer in model.layers if layer.get_weights()]
    raise TypeError(f"model: expected a torch module or a Keras model, got {type(model).__name__}")


def _randomize(layer: Any, random: np.random.Generator) -> None:
    if _models.is_torch_module(layer):
        import torch

        with torch.no_grad():
            for parameter in layer.parameters(recurse=False):
                values = torch.from_numpy(np.asarray(random.random(tuple(parameter.shape))))
                parameter.copy_(values)
        return
    weights = layer.get_weights()
    layer.set_weights([random.random(w.shape).astype(w.dtype) for w in weights])


def _copied(model: Any) -> Any:
    if _models.is_keras_model(model):
        import tensorflow as tf

        clone = tf.keras.models.clone_model(model)
        clone.set_weights(model.get_weights())
        return clone
    return copy.deepcopy(model)
