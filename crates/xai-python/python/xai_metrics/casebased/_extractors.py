"""Extraction of activations and leaves of models."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import reals

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


class ActivationExtractor(ABC):
    """Base class of extractors of model activations, for :class:`.CustomActivations`.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.casebased import ActivationExtractor
    >>> class Signs(ActivationExtractor):
    ...     def fit(self, model, X):
    ...         return self
    ...     def transform(self, X):
    ...         return np.sign(X)
    >>> Signs().fit_transform(None, np.array([[2.0, -3.0]]))
    array([[ 1., -1.]])
    """

    @abstractmethod
    def fit(self, model: Any, X: Array) -> ActivationExtractor:
        """Bind the extractor to a model and training rows.

        Parameters
        ----------
        model : object
            The model.
        X : array of shape (n, d)
            Training rows.

        Returns
        -------
        ActivationExtractor
            The extractor itself.
        """

    @abstractmethod
    def transform(self, X: Array) -> Array:
        """Compute the activations of rows.

        Parameters
        ----------
        X : array of shape (m, d)
            The rows.

        Returns
        -------
        array of shape (m, n_units)
            Activations.
        """

    def fit_transform(self, model: Any, X: Array) -> Array:
        """Call :meth:`fit`, then :meth:`transform` with the same rows.

        Parameters
        ----------
        model : object
            The model.
        X : array of shape (n, d)
            Training rows.

        Returns
        -------
        array of shape (n, n_units)
            Activations.
        """
        return self.fit(model, X).transform(X)

    @property
    def is_fitted(self) -> bool:
        """True if the extractor is bound to a model."""
        return getattr(self, "_model", None) is not None

    @property
    def metric_ready(self) -> bool:
        """True if activations are already scaled; otherwise they are standardized on the training
        rows.
        """
        return False


class SklearnMLPActivationExtractor(ActivationExtractor):
    """Extractor of the standardized hidden layers of a scikit-learn ``MLPClassifier`` or
    ``MLPRegressor``.

    Parameters
    ----------
    layer : str or int
        ``"last_hidden"``; ``"all_hidden"``, side by side, layer ``i`` of ``n`` times
        ``sqrt((i + 1) / n)``; or the number of a hidden layer, from 0.
    use_output_weights : bool
        Whether units of the last hidden layer are multiplied by the root of their importance: the
        mean absolute weight to the outputs, relative to the mean over the units.
    input_transform : callable or transformer, optional
        Applied to rows before the network.
    output_class : int, optional
        The output whose weights alone are the importance.

    Examples
    --------
    >>> from xai_metrics.casebased import SklearnMLPActivationExtractor
    >>> SklearnMLPActivationExtractor().is_fitted
    False
    """

    def __init__(
        self,
        layer: str | int = "last_hidden",
        use_output_weights: bool = True,
        input_transform: Any = None,
        output_class: int | None = None,
    ) -> None:
        self.layer = layer
        self.use_output_weights = use_output_weights
        self.input_transform = input_transform
        self.output_class = output_class
        self._model: Any = None
        self._means: list[Array] = []
        self._scales: list[Array] = []

    def fit(self, model: Any, X: Array) -> SklearnMLPActivationExtractor:
        """Bind the extractor to a fitted network, and standardize by its activations for ``X``.

        Parameters
        ----------
        model : MLPClassifier or MLPRegressor
            Fitted network.
        X : array of shape (n, d)
            Training rows.

        Returns
        -------
        SklearnMLPActivationExtractor
            The extractor itself.

        Raises
        ------
        TypeError, ValueError
            If the model is not a fitted network, or does not have the layer or output.
        """
        if not (hasattr(model, "hidden_layer_sizes") and hasattr(model, "activation")):
            raise TypeError(
                "SklearnMLPActivationExtractor requires an sklearn MLP, "
                f"got {type(model).__name__}."
            )
        if not hasattr(model, "coefs_"):
            raise ValueError("Model must be fitted before extracting activations.")
        n_hidden = model.n_layers_ - 2
        if isinstance(self.layer, int) and not 0 <= self.layer < n_hidden:
            raise ValueError(f"layer index must be in [0, {n_hidden - 1}], got {self.layer}")
        if not isinstance(self.layer, int) and self.layer not in ("last_hidden", "all_hidden"):
            raise ValueError("layer must be 'last_hidden', 'all_hidden', or an integer")
        self._model = model
        if self.output_class is not None:
            self.importance(self.output_class)
        layers = self._layers(X)
        self._means = [layer.mean(axis=0) for layer in layers]
        self._scales = [_deviation(layer) for layer in layers]
        return self

    def transform(self, X: Array) -> Array:
        """Compute scaled activations, ready for Euclidean distances.

        Parameters
        ----------
        X : array of shape (m, d)
            The rows.

        Returns
        -------
        array of shape (m, n_units)
            Activations.

        Raises
        ------
        RuntimeError
            If the extractor is not fitted.
        """
        if self._model is None:
            raise RuntimeError("Call fit() before transform().")
        parts = []
        layers = self._layers(X)
        for i, layer in enumerate(layers):
            share = np.sqrt((i + 1) / len(layers))
            parts.append(share * ((layer - self._means[i]) / self._scales[i]))
        if self.use_output_weights and self.layer in ("last_hidden", "all_hidden"):
            parts[-1] = parts[-1] * np.sqrt(self.importance(self.output_class))
        return np.hstack(parts)

    def importance(self, output_class: int | None) -> Array:
        """Return the importance of each unit of the last hidden layer, with mean 1.

        Parameters
        ----------
        output_class : int or None
            Output whose weights are used; ``None`` for the mean over all outputs.

        Returns
        -------
        array of shape (n_units,)
            Absolute outgoing weights divided by their mean.

        Raises
        ------
        ValueError
            If there is no such output.
        """
        weights = np.abs(self._model.coefs_[-1])
        if output_class is None:
            of_unit = weights.mean(axis=1)
        elif 0 <= output_class < weights.shape[1]:
            of_unit = weights[:, output_class]
        else:
            last = weights.shape[1] - 1
            raise ValueError(f"output_class must be in [0, {last}], got {output_class}")
        total = of_unit.sum()
        return np.asarray(of_unit / total * len(of_unit) if total > 0 else np.ones(len(of_unit)))

    @property
    def metric_ready(self) -> bool:
        """Always ``True``: activations are already scaled."""
        return True

    def _layers(self, X: Array) -> list[Array]:
        """Compute the activations of the selected layers."""
        rows = _model_input(X, self.input_transform)
        layers = []
        for coefs, intercepts in zip(self._model.coefs_[:-1], self._model.intercepts_[:-1]):
            rows = _activated(rows @ coefs + intercepts, self._model.activation)
            layers.append(rows)
        if self.layer == "all_hidden":
            return layers
        return [layers[self.layer if isinstance(self.layer, int) else -1]]


class DecisionTreeActivationExtractor(ActivationExtractor):
    """Extractor of the leaves of a scikit-learn tree or forest, one-hot encoded by node.

    :class:`.TreeLeaf` and :class:`.ForestProximity` compare leaves directly, which is faster.

    Parameters
    ----------
    max_one_hot_dims : int
        Largest number of one-hot columns. For larger forests the leaf indices are returned instead,
        divided by the largest index of each tree, with a warning; use ``distance="hamming"`` for
        these.

    Examples
    --------
    >>> from xai_metrics.casebased import DecisionTreeActivationExtractor
    >>> DecisionTreeActivationExtractor().max_one_hot_dims
    2000
    """

    def __init__(self, max_one_hot_dims: int = 2000) -> None:
        self.max_one_hot_dims = max_one_hot_dims
        self._model: Any = None
        self._nodes: Array = np.zeros(0, dtype=np.int64)

    def fit(self, model: Any, X: Array) -> DecisionTreeActivationExtractor:
        """Bind the extractor to a fitted tree or forest.

        Parameters
        ----------
        model : tree or forest
            Fitted scikit-learn model.
        X : array of shape (n, d)
            Not used.

        Returns
        -------
        DecisionTreeActivationExtractor
            The extractor itself.

        Raises
        ------
        TypeError, ValueError
            If the model is not a fitted tree or forest.
        """
        if not hasattr(model, "apply"):
            raise TypeError(
                "DecisionTreeActivationExtractor requires a sklearn decision tree or random "
                f"forest, got {type(model).__name__}."
            )
        trees = getattr(model, "estimators_", [model])
        if not all(hasattr(tree, "tree_") for tree in trees):
            raise ValueError("Model must be fitted before extracting activations.")
        self._model = model
        self._nodes = np.array([tree.tree_.node_count for tree in trees])
        if not self._one_hot:
            warnings.warn(
                f"the leaves would be {int(self._nodes.sum())} columns, more than "
                f"{self.max_one_hot_dims}: their numbers are given; take distance='hamming'",
                stacklevel=2,
            )
        return self

    @property
    def _one_hot(self) -> bool:
        return len(self._nodes) == 1 or int(self._nodes.sum()) <= self.max_one_hot_dims

    def transform(self, X: Array) -> Array:
        """Compute the leaves of rows.

        Parameters
        ----------
        X : array of shape (m, d)
            The rows.

        Returns
        -------
        numpy.ndarray
            One-hot columns, or scaled leaf indices with one column per tree.

        Raises
        ------
        RuntimeError
            If the extractor is not fitted.
        """
        if self._model is None:
            raise RuntimeError("Call fit() before transform().")
        rows = np.atleast_2d(X)
        leaves = np.asarray(self._model.apply(rows)).reshape(len(rows), -1)
        if not self._one_hot:
            return np.asarray(leaves / np.maximum(self._nodes - 1, 1), dtype=np.float32)
        first = np.concatenate([[0], np.cumsum(self._nodes)[:-1]])
        columns = np.zeros((len(rows), int(self._nodes.sum())), dtype=np.float32)
        np.put_along_axis(columns, leaves + first, 1.0, axis=1)
        return columns


class CallableActivationExtractor(ActivationExtractor):
    """Extractor that calls a function of model and rows, for torch, Keras, XGBoost and others.

    Parameters
    ----------
    fn : callable
        ``fn(model, rows) -> activations`` of shape ``(n_rows, n_units)``.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.casebased import CallableActivationExtractor
    >>> extractor = CallableActivationExtractor(lambda model, rows: model * rows)
    >>> extractor.fit_transform(2.0, np.array([[1.0, 3.0]]))
    array([[2., 6.]])
    """

    def __init__(self, fn: Callable[[Any, Array], Any]) -> None:
        if not callable(fn):
            raise TypeError("fn must be callable.")
        self._fn = fn
        self._model: Any = None

    def fit(self, model: Any, X: Array) -> CallableActivationExtractor:
        """Bind the extractor to a model.

        Parameters
        ----------
        model : object
            The model.
        X : array of shape (n, d)
            Not used.

        Returns
        -------
        CallableActivationExtractor
            The extractor itself.
        """
        self._model = model
        return self

    def transform(self, X: Array) -> Array:
        """Call the function.

        Parameters
        ----------
        X : array of shape (m, d)
            The rows.

        Returns
        -------
        array of shape (m, n_units)
            Activations.

        Raises
        ------
        RuntimeError
            If the extractor is not fitted.
        """
        if self._model is None:
            raise RuntimeError("Call fit() before transform().")
        activations = reals(self._fn(self._model, np.atleast_2d(X)), "the activations")
        return activations.astype(np.float64, copy=False)


def _model_input(X: Any, transform: Any) -> Array:
    rows = np.atleast_2d(X)
    if transform is not None:
        function = getattr(transform, "transform", transform)
        if not callable(function):
            raise TypeError("input_transform must be callable or provide transform().")
        rows = function(rows)
    if hasattr(rows, "toarray"):
        rows = rows.toarray()
    return np.atleast_2d(np.asarray(rows, dtype=np.float64))


def _activated(values: Array, name: str) -> Array:
    if name == "relu":
        return np.maximum(values, 0.0)
    if name == "tanh":
        return np.tanh(values)
    if name == "logistic":
        # By the hyperbolic tangent, which does not overflow.
        return 0.5 * (1.0 + np.tanh(0.5 * values))
    if name == "identity":
        return values
    raise ValueError(f"activation {name!r} of the network is not known")


def _deviation(layer: Array) -> Array:
    """Return the population standard deviation of each unit; 1 for constant units."""
    deviation = layer.std(axis=0)
    constant = deviation <= 10.0 * np.finfo(np.float64).eps * np.abs(layer.mean(axis=0))
    return np.where(constant, 1.0, deviation)
