"""Models and explainers of any framework, as functions of NumPy arrays.

A model is called with whole batches, on the thread that called us. It is given the arrays or
tensors of its own framework: NumPy unless it is a torch module or a Keras model, or ``framework``
says otherwise. A torch module is in its evaluation mode while it or an explainer is called.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._arrays import is_lazy, reals

if TYPE_CHECKING:
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

    def __init__(
        self, framework: Framework, device: Any = None, dtype: Any = None, module: Any = None
    ) -> None:
        self.framework = framework
        self.device = device
        #: Of the parameters of a torch module: the inputs are given in the same.
        self.dtype = dtype
        #: The torch module itself.
        self.module = module

    @classmethod
    def of(cls, model: Any, framework: Framework | None, device: Any) -> Tensors:
        """What a model wants, or what the user says that it wants."""
        if framework is not None and framework not in FRAMEWORKS:
            known = ", ".join(FRAMEWORKS)
            raise ValueError(f"framework: expected one of {known}, got {framework!r}")
        if is_torch_module(model) and framework in (None, "torch"):
            parameter = next(iter(model.parameters()), None)
            if parameter is None:
                return cls("torch", device, None, model)
            floating = next((p for p in model.parameters() if p.is_floating_point()), None)
            dtype = None if floating is None else floating.dtype
            return cls("torch", parameter.device if device is None else device, dtype, model)
        if framework is None:
            framework = "tensorflow" if is_keras_model(model) else "numpy"
        if device is not None and framework == "numpy":
            raise ValueError("device: NumPy arrays have none; name a framework, too")
        return cls(framework, device)

    def tensor(self, array: npt.NDArray[Any]) -> Any:
        """An array of ours as a tensor."""
        if self.framework == "torch":
            tensor = _library("torch").from_numpy(array)
            dtype = self.dtype if tensor.is_floating_point() else None
            return tensor.to(device=self.device, dtype=dtype)
        if self.framework == "jax":
            return _library("jax").device_put(array, self.device)
        if self.framework == "tensorflow":
            tf = _library("tensorflow")
            with tf.device(self.device) if self.device is not None else contextlib.nullcontext():
                return tf.convert_to_tensor(array)
        return array

    def array(self, answer: Any, name: str) -> Any:
        """An answer as real numbers."""
        if self.framework == "torch" and hasattr(answer, "detach"):
            # We have put the inputs there.
            answer = answer.detach().cpu()
        elif self.framework == "jax":
            answer = np.asarray(answer)
        return reals(answer, name)

    @property
    def training(self) -> list[Any]:
        """The parts of a torch module that are in training mode: dropout and batch normalization make their
        answers depend on chance and on the batch."""
        return [] if self.module is None else [of for of in self.module.modules() if of.training]

    @contextlib.contextmanager
    def calling(self, *, gradients: bool = False) -> Iterator[None]:
        """What functions are called in: evaluation mode, which ends with the call, and no gradients unless wanted."""
        training = self.training
        for part in training:
            part.training = False
        try:
            if self.framework == "torch" and not gradients:
                with _library("torch").no_grad():
                    yield
            else:
                yield
        finally:
            for part in training:
                part.training = True


def _library(framework: str) -> Any:
    """A framework, or an ``ImportError`` that says what to install."""
    try:
        return importlib.import_module(framework)
    except ModuleNotFoundError as error:
        if error.name != framework:
            raise
        raise ImportError(
            f"framework: {framework!r} needs {framework}: install it by `pip install {framework}`"
        ) from None


def is_torch_module(model: Any) -> bool:
    """Whether it is a torch module, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def is_keras_model(model: Any) -> bool:
    """Whether it is a Keras layer or model, without importing TensorFlow."""
    bases = (base.__module__.partition(".")[0] for base in type(model).__mro__)
    return "tensorflow" in sys.modules and any(base in ("keras", "tensorflow") for base in bases)


@dataclass(frozen=True)
class Known:
    """How a model is asked, and what its kind says of its answers."""

    ask: Callable[[Any], Any]
    #: The labels of its columns, of an estimator that has them.
    classes: list[Any] | None = None
    #: What makes probabilities of its answers.
    activation: str = "none"

    @classmethod
    def of(cls, model: Any, name: str = "model") -> Known:
        """What is known of a model; errors call it by its name.

        >>> Known.of(len).classes is None
        True
        """
        classes = _classes_of(model)
        if callable(getattr(model, "predict_proba", None)):
            return cls(model.predict_proba, classes)
        if is_keras_model(model):
            return cls(lambda batch: model(batch, training=False))
        decide = getattr(model, "decision_function", None)
        if callable(decide):
            if classes is None:
                return cls(decide)
            return cls(_decisions(decide, len(classes)), classes, "softmax")
        if callable(model):
            return cls(model)
        if classes is not None:
            raise TypeError(
                f"model: {type(model).__name__} answers classes, whose names are no scores; take an estimator with "
                "predict_proba or decision_function, or a function that answers (batch, n_classes)"
            )
        if callable(getattr(model, "predict", None)):
            return cls(model.predict)
        kind = type(model).__name__
        raise TypeError(f"{name}: expected a callable or an estimator, got {kind}")


def _classes_of(model: Any) -> list[Any] | None:
    """The class of each column of an estimator's answers; none of several outputs."""
    classes = getattr(model, "classes_", None)
    if not callable(getattr(model, "predict", None)) or not isinstance(classes, (np.ndarray, list)):
        return None
    labels = list(classes.tolist() if isinstance(classes, np.ndarray) else classes)
    return None if any(np.ndim(label) for label in labels) else labels


def _decisions(decide: Callable[[Any], Any], n_classes: int) -> Callable[[Any], Any]:
    """Decisions as one column per class: of two classes ``-d`` and ``d``."""

    def ask(batch: Any) -> Any:
        answer = np.asarray(decide(batch))
        if n_classes == 2 and answer.ndim == 1:
            return np.column_stack([-answer, answer])
        if answer.shape[1:] != (n_classes,):
            raise ValueError(
                f"model: decision_function answers shape {answer.shape} for {n_classes} classes; make it answer one "
                'column per class, of an SVC by decision_function_shape="ovr"'
            )
        return answer

    return ask


def model_function(
    model: Any,
    framework: Framework | None = None,
    device: Any = None,
    n_outputs: int | None = None,
    columns: list[Any] | None = None,
) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
    """A model as a function from a batch to an array ``(batch, n_outputs)``.

    Where there should be so many outputs, one stands for all of them. An estimator that was fitted to a
    table is given tables of pandas with these columns.
    """
    tensors = Tensors.of(model, framework, device)
    ask = Known.of(model).ask
    is_of_tables = columns is not None and getattr(model, "feature_names_in_", None) is not None
    widths: set[int] = set()

    def outputs(batch: npt.NDArray[Any]) -> npt.NDArray[Any]:
        n = len(batch)
        with tensors.calling():
            given = _frame(batch, columns) if is_of_tables else tensors.tensor(batch)
            answer = _one_answer(ask(given))
        rows = rows_of(tensors.array(answer, "the answer of the model"), n)
        if n_outputs is not None and rows.shape[1] == 1:
            rows = rows.repeat(n_outputs, axis=1)
        widths.add(rows.shape[1])
        if len(widths) > 1:
            numbers = " and ".join(str(width) for width in sorted(widths))
            raise ValueError(f"model: expected as many outputs from every call, got {numbers}")
        return rows

    return outputs


def _frame(batch: npt.NDArray[Any], columns: list[Any] | None) -> Any:
    import pandas

    return pandas.DataFrame(batch, columns=columns)


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
    asked = model if activation is None else _activated(model, activation)

    def scores(batch: npt.NDArray[Any], samples: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        n = len(batch)
        with tensors.calling():
            answer = operator(asked, tensors.tensor(batch), tensors.tensor(targets[samples]))
        array = tensors.array(answer, "the answer of the operator")
        if array.shape not in ((n,), (n, 1)):
            raise ValueError(f"operator: expected scores of shape ({n},), got {array.shape}")
        rows: npt.NDArray[Any] = array.reshape(n, 1)
        return rows

    return scores


def explainer_function(
    explainer: Any, tensors: Tensors, classes: list[Any] | None = None
) -> Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]]:
    """An explainer ``explainer(inputs, targets)`` as a function from arrays to an array.

    It is given the labels of classes where there are such.
    """
    labels = None if classes is None else np.asarray(classes)
    ask = explainer
    if not callable(explainer) and callable(getattr(explainer, "explain", None)):
        ask = explainer.explain
    elif callable(getattr(explainer, "attribute", None)):
        # As captum has them.
        def ask(inputs: Any, targets: Any) -> Any:
            return explainer.attribute(inputs, target=targets)

    def maps(inputs: npt.NDArray[Any], targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if labels is not None and targets.ndim == 1:
            targets = labels[targets]
        with tensors.calling(gradients=True):
            answer = ask(tensors.tensor(inputs), tensors.tensor(targets))
        array: npt.NDArray[Any] = tensors.array(answer, "the maps of the explainer")
        if array.ndim < 2 or len(array) != len(inputs):
            raise ValueError(f"explainer: expected {len(inputs)} maps, got shape {array.shape}")
        return array

    return maps


def is_explainer(value: Any) -> bool:
    """Whether it makes maps, rather than holding them."""
    if is_lazy(value):
        # Its own `explain` tells a plan of queries.
        return False
    return callable(value) or any(
        callable(getattr(value, of, None)) for of in ("attribute", "explain")
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


def _one_answer(answer: Any) -> Any:
    """The array of an answer that may be one of several: ``logits`` by name, as Hugging Face has them."""
    if isinstance(answer, Mapping):
        parts = {str(name): part for name, part in answer.items()}
    elif isinstance(answer, (tuple, list)) and any(getattr(of, "ndim", 0) > 1 for of in answer):
        names = getattr(answer, "_fields", range(len(answer)))
        parts = {str(name): part for name, part in zip(names, answer)}
    else:
        logits = getattr(answer, "logits", None)
        return answer if logits is None else logits
    if len(parts) == 1:
        return next(iter(parts.values()))
    if "logits" in parts:
        return parts["logits"]
    raise TypeError(
        f"model: it answers several arrays, {', '.join(parts)}; make it a function that answers the one to score, "
        "such as `lambda batch: model(batch)[0]`"
    )


def _activated(model: Any, activation: str) -> Callable[[Any], Any]:
    """A model whose answers have an activation, for operators."""
    ask = Known.of(model).ask

    def activated(inputs: Any) -> Any:
        answer = _one_answer(ask(inputs))
        if hasattr(answer, "detach"):
            return answer.sigmoid() if activation == "sigmoid" else answer.softmax(-1)
        if type(answer).__module__.startswith("tensorflow"):
            import tensorflow as tf

            return tf.nn.sigmoid(answer) if activation == "sigmoid" else tf.nn.softmax(answer)
        rows = rows_of(reals(answer, "the answer of the model"), len(inputs))
        return _native.attribution_activated(rows, activation)

    return activated
