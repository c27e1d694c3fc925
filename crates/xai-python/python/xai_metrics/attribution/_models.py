"""Models and explainers of any framework, as functions of NumPy arrays.

A model is called with whole batches, on the thread that called us. It is given the arrays or
tensors of its own framework: NumPy unless it is a torch module or a Keras model, or ``framework``
says otherwise.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from .. import _native
from .._arrays import reals

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Framework = Literal["numpy", "torch", "jax", "tensorflow"]

#: The frameworks whose tensors models and explainers may be given.
FRAMEWORKS = ("numpy", "torch", "jax", "tensorflow")


class Tensors:
    """Turns NumPy arrays into the tensors of a framework, on a device, and back.

    >>> import numpy as np
    >>> Tensors.of(lambda x: x, None, None).framework
    'numpy'
    """

    framework: Framework
    device: Any

    def __init__(self, framework: Framework, device: Any = None, dtype: Any = None) -> None:
        self.framework = framework
        self.device = device
        #: Of the parameters of a torch module: the inputs are given in the same.
        self.dtype = dtype

    @classmethod
    def of(cls, model: Any, framework: Framework | None, device: Any) -> Tensors:
        """What a model wants, or what the user says that it wants."""
        if framework is not None and framework not in FRAMEWORKS:
            known = ", ".join(FRAMEWORKS)
            raise ValueError(f"framework: expected one of {known}, got {framework!r}")
        if is_torch_module(model) and framework in (None, "torch"):
            parameter = next(iter(model.parameters()), None)
            if parameter is None:
                return cls("torch", device)
            floating = next((p for p in model.parameters() if p.is_floating_point()), None)
            dtype = None if floating is None else floating.dtype
            return cls("torch", parameter.device if device is None else device, dtype)
        if framework is None:
            framework = "tensorflow" if is_keras_model(model) else "numpy"
        if device is not None and framework == "numpy":
            raise ValueError("device: NumPy arrays have none; name a framework, too")
        return cls(framework, device)

    def tensor(self, array: npt.NDArray[Any]) -> Any:
        """An array of ours as a tensor."""
        if self.framework == "torch":
            import torch

            tensor = torch.from_numpy(array)
            dtype = self.dtype if tensor.is_floating_point() else None
            return tensor.to(device=self.device, dtype=dtype)
        if self.framework == "jax":
            import jax

            return jax.device_put(array, self.device)
        if self.framework == "tensorflow":
            import tensorflow as tf

            with tf.device(self.device) if self.device is not None else contextlib.nullcontext():
                return tf.convert_to_tensor(array)
        return array

    def array(self, answer: Any, name: str) -> Any:
        """An answer as real numbers."""
        if self.framework == "torch" and hasattr(answer, "detach"):
            # We have put the inputs there.
            answer = answer.detach().cpu()
        elif self.framework == "jax":
            import numpy as np

            answer = np.asarray(answer)
        return reals(answer, name)

    @contextlib.contextmanager
    def without_gradients(self) -> Iterator[None]:
        """What a model is called in."""
        if self.framework == "torch":
            import torch

            with torch.no_grad():
                yield
        else:
            yield


def is_torch_module(model: Any) -> bool:
    """Whether it is a torch module, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def is_keras_model(model: Any) -> bool:
    """Whether it is a Keras layer or model, without importing TensorFlow."""
    bases = (base.__module__.partition(".")[0] for base in type(model).__mro__)
    return "tensorflow" in sys.modules and any(base in ("keras", "tensorflow") for base in bases)


def model_function(
    model: Any,
    framework: Framework | None = None,
    device: Any = None,
    n_outputs: int | None = None,
) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
    """A model as a function from a batch to an array ``(batch, n_outputs)``.

    Where there should be so many outputs, one stands for all of them.
    """
    tensors = Tensors.of(model, framework, device)
    warn_when_training(model)
    ask = _predict_function(model)

    def outputs(batch: npt.NDArray[Any]) -> npt.NDArray[Any]:
        n = len(batch)
        with tensors.without_gradients():
            answer = ask(tensors.tensor(batch))
        rows = rows_of(tensors.array(_logits(answer), "the answer of the model"), n)
        if n_outputs is not None and rows.shape[1] == 1:
            rows = rows.repeat(n_outputs, axis=1)
        return rows

    return outputs


def operator_function(
    model: Any,
    operator: Callable[[Any, Any, Any], Any],
    targets: npt.NDArray[Any],
    activation: str | None,
    framework: Framework | None = None,
    device: Any = None,
) -> Callable[[npt.NDArray[Any], npt.NDArray[np.int64]], npt.NDArray[Any]]:
    """A score ``operator(model, inputs, targets)`` as a function of a batch and its samples."""
    tensors = Tensors.of(model, framework, device)
    warn_when_training(model)
    asked = model if activation is None else _activated(model, activation)

    def scores(batch: npt.NDArray[Any], samples: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        n = len(batch)
        with tensors.without_gradients():
            answer = operator(asked, tensors.tensor(batch), tensors.tensor(targets[samples]))
        array = tensors.array(answer, "the answer of the operator")
        if array.shape not in ((n,), (n, 1)):
            raise ValueError(f"operator: expected scores of shape ({n},), got {array.shape}")
        rows: npt.NDArray[Any] = array.reshape(n, 1)
        return rows

    return scores


def explainer_function(
    explainer: Any, tensors: Tensors
) -> Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]]:
    """An explainer ``explainer(inputs, targets)`` as a function from arrays to an array."""
    ask = explainer
    if not callable(explainer) and callable(getattr(explainer, "explain", None)):
        ask = explainer.explain
    elif callable(getattr(explainer, "attribute", None)):
        # As captum has them.
        def ask(inputs: Any, targets: Any) -> Any:
            return explainer.attribute(inputs, target=targets)

    def maps(inputs: npt.NDArray[Any], targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
        answer = ask(tensors.tensor(inputs), tensors.tensor(targets))
        array: npt.NDArray[Any] = tensors.array(answer, "the maps of the explainer")
        if array.ndim < 2 or len(array) != len(inputs):
            raise ValueError(f"explainer: expected {len(inputs)} maps, got shape {array.shape}")
        return array

    return maps


def is_explainer(value: Any) -> bool:
    """Whether it makes maps, rather than holding them."""
    return (
        callable(value)
        or callable(getattr(value, "attribute", None))
        or callable(getattr(value, "explain", None))
    )


def rows_of(array: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    """Outputs of ``n`` samples; one output per sample may come without an axis of its own.

    >>> import numpy as np
    >>> rows_of(np.array([0.5, 0.25]), 2).shape
    (2, 1)
    >>> rows_of(np.zeros((3, 2)), 2)
    Traceback (most recent call last):
    ValueError: model: expected outputs of shape (2, n_outputs) or (2,), got (3, 2)
    """
    if array.shape == (n,):
        return array.reshape(n, 1)
    if array.ndim != 2 or array.shape[0] != n or array.shape[1] == 0:
        expected = f"({n}, n_outputs) or ({n},)"
        raise ValueError(f"model: expected outputs of shape {expected}, got {array.shape}")
    return array


def warn_when_training(model: Any) -> None:
    """A module in training mode answers one input differently each time."""
    if is_torch_module(model) and model.training:
        message = (
            "the model is in training mode: dropout and batch normalization make its answers "
            "depend on chance and on the batch; call model.eval() first"
        )
        warnings.warn(message, UserWarning, stacklevel=4)


def _predict_function(model: Any) -> Callable[[Any], Any]:
    if callable(getattr(model, "predict_proba", None)):
        return _function(model.predict_proba)
    if is_keras_model(model):
        return lambda batch: model(batch, training=False)
    if callable(model):
        return _function(model)
    if callable(getattr(model, "predict", None)):
        return _function(model.predict)
    kind = type(model).__name__
    raise TypeError(f"model: expected a callable or an estimator, got {kind}")


def _function(function: Any) -> Callable[[Any], Any]:
    asked: Callable[[Any], Any] = function
    return asked


def _logits(answer: Any) -> Any:
    """Answers of models that name their outputs, such as those of Hugging Face."""
    logits = getattr(answer, "logits", None)
    return answer if logits is None else logits


def _activated(model: Any, activation: str) -> Callable[[Any], Any]:
    """A model whose answers have an activation, for operators."""
    ask = _predict_function(model)

    def activated(inputs: Any) -> Any:
        answer = ask(inputs)
        if hasattr(answer, "detach"):
            return answer.sigmoid() if activation == "sigmoid" else answer.softmax(-1)
        if type(answer).__module__.startswith("tensorflow"):
            import tensorflow as tf

            return tf.nn.sigmoid(answer) if activation == "sigmoid" else tf.nn.softmax(answer)
        rows = rows_of(reals(answer, "the answer of the model"), len(inputs))
        return _native.attribution_activated(rows, activation)

    return activated
