"""Adapters that turn models and explainers of any framework into functions of NumPy arrays.

A model is called with whole batches, on the calling thread. Its kind determines whether it
receives NumPy arrays, tensors of its framework, or tables; for plain functions ``framework``
does. A torch module is in evaluation mode while it or an explainer is called.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._arrays import is_lazy, reals
from .._frameworks import Tensors, is_keras_model, is_from_package, is_torch_module
from . import _packages
from ._inputs import Inputs, whole_numbers

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._frameworks import Framework
    from .._types import Layout


@dataclass(frozen=True)
class ModelAdapter:
    """Callable form of a model, and what its kind implies about its outputs."""

    #: Calls the model, with several inputs by position or by name.
    call: Callable[..., Any]
    #: Labels of the output columns, for estimators that have them.
    classes: list[Any] | None = None
    #: Activation that converts the outputs to probabilities.
    activation: str = "none"
    #: True if outputs are values rather than class scores.
    is_regressor: bool = False

    @classmethod
    def for_model(cls, model: Any, name: str = "model") -> ModelAdapter:
        """Inspect a model; ``name`` is used in error messages.

        Examples
        --------
        >>> ModelAdapter.for_model(len).classes is None
        True
        """
        if isinstance(model, type):
            raise TypeError(f"{name}: expected a model, got the class {model.__name__}; give an object of it, {model.__name__}(…)")
        if _is_unfitted(model):
            kind = type(model).__name__
            raise ValueError(f"{name}: {kind} is not fitted; call its `fit` with the training data first")
        known = next((known for is_one, known in _KINDS if is_one(model)), None)
        if known is None:
            kind = type(model).__name__
            raise TypeError(f"{name}: expected a callable or an estimator, got {kind}")
        return known(model)


def _is_unfitted(model: Any) -> bool:
    """Return whether ``model`` is a scikit-learn estimator that has not been fitted."""
    if not is_from_package(model, "sklearn") or not hasattr(model, "fit"):
        return False
    if hasattr(model, "__sklearn_is_fitted__"):
        return not model.__sklearn_is_fitted__()
    return not any(name.endswith("_") and not name.startswith("__") for name in vars(model))


def _keras(model: Any) -> ModelAdapter:
    named_mode = {"training": False} if is_from_package(model, "keras", "tf_keras") else {}

    def call(*several: Any, **named: Any) -> Any:
        one = several[0] if len(several) == 1 else list(several)
        return model(named or one, **named_mode)

    return ModelAdapter(call)


def _onnx_session(session: Any) -> ModelAdapter:
    inputs, outputs = session.get_inputs(), [entry.name for entry in session.get_outputs()]
    # A model that was exported with the number of rows of its example takes as many.
    sizes = [item.shape[0] for item in inputs if item.shape and isinstance(item.shape[0], int)]

    def call(*several: Any, **named: Any) -> Any:
        feed = named or dict(zip((of.name for of in inputs), several))
        missing = [item.name for item in inputs if item.name not in feed]
        if missing:
            names = ", ".join(repr(element.name) for element in inputs)
            raise ValueError(
                f"inputs: the model has the inputs {names}, and there is nothing for {', '.join(map(repr, missing))}; give a "
                f"mapping of all by name, {{{inputs[0].name!r}: …, {missing[-1]!r}: …}}, of which the first is explained"
            )
        feed = {entry.name: _as_declared(feed[entry.name], entry.type) for entry in inputs if entry.name in feed}
        n = len(next(iter(feed.values())))
        if not sizes or sizes[0] == n:
            return dict(zip(outputs, session.run(None, feed)))
        calls = []
        for first in range(0, n, sizes[0]):
            rows = np.arange(first, first + sizes[0]).clip(max=n - 1)
            calls.append(session.run(None, {key: value[rows] for key, value in feed.items()}))
        answers = ([row for part in parts for row in part][:n] for parts in zip(*calls))
        return {
            name: rows if isinstance(rows[0], dict) else np.stack(rows)
            for name, rows in zip(outputs, answers)
        }

    return ModelAdapter(call)


def _as_declared(array: npt.NDArray[Any], declared: str) -> npt.NDArray[Any]:
    """Convert an ONNX input to its declared type, for example ``tensor(float)``."""
    name = declared.removeprefix("tensor(").removesuffix(")")
    dtype = np.dtype({"float": "float32", "double": "float64"}.get(name, name))
    return whole_numbers(array, dtype) if dtype.kind in "iu" else array.astype(dtype, copy=False)


def _xgboost_booster(model: Any) -> ModelAdapter:
    xgboost = sys.modules["xgboost"]
    objective = json.loads(model.save_config())["learner"]["objective"]["name"]

    def call(batch: Any) -> Any:
        if isinstance(batch, np.ndarray):
            of = {"feature_names": model.feature_names, "feature_types": model.feature_types}
        else:
            of = {"enable_categorical": True}
        # Its own answers are classes.
        margin = objective == "multi:softmax"
        answer = model.predict(xgboost.DMatrix(batch, **of), output_margin=margin)
        return _two_columns(answer) if objective == "binary:logistic" else answer

    return ModelAdapter(call, activation="softmax" if objective == "multi:softmax" else "none")


def _lightgbm_booster(model: Any) -> ModelAdapter:
    objective = str(model.dump_model(num_iteration=1).get("objective", "")).partition(" ")[0]

    def call(batch: Any) -> Any:
        answer = model.predict(batch)
        return _two_columns(answer) if objective == "binary" else answer

    return ModelAdapter(call)


def _catboost_model(model: Any) -> ModelAdapter:
    if len(model.classes_) == 0:
        return ModelAdapter(model.predict)
    classes = np.asarray(model.classes_).tolist()
    return ModelAdapter(lambda batch: model.predict(batch, prediction_type="Probability"), classes)


def _two_columns(probability: Any) -> Any:
    """Convert the probability of the second of two classes to one column per class."""
    return np.column_stack([1.0 - probability, probability])


def _probabilities(model: Any) -> ModelAdapter:
    return ModelAdapter(model.predict_proba, _classes_of(model))


def _decisions(model: Any) -> ModelAdapter:
    """Adapt ``decision_function`` to one column per class: ``-d`` and ``d`` for two classes."""
    decide, classes = model.decision_function, _classes_of(model)
    if classes is None:
        return ModelAdapter(decide)
    n_classes = len(classes)

    def call(batch: Any) -> Any:
        answer = np.asarray(decide(batch))
        if n_classes == 2 and answer.ndim == 1:
            return np.column_stack([-answer, answer])
        if answer.shape[1:] != (n_classes,):
            raise ValueError(
                f"model: decision_function answers shape {answer.shape} for {n_classes} classes; make it answer one "
                'column per class, of an SVC by decision_function_shape="ovr"'
            )
        return answer

    return ModelAdapter(call, classes, "softmax")


def _predictions(model: Any) -> ModelAdapter:
    if _classes_of(model) is not None:
        raise TypeError(
            f"model: {type(model).__name__} answers classes, whose names are no scores; take an estimator with "
            "predict_proba or decision_function, or a function that answers (batch, n_classes)"
        )
    return ModelAdapter(model.predict, is_regressor=True)


def _has(method: str) -> Callable[[Any], bool]:
    return lambda model: callable(getattr(model, method, None))


def _is_method_of_classes(model: Any) -> bool:
    """Return whether ``model`` is the method ``predict_proba`` of an estimator."""
    return getattr(model, "__name__", "") == "predict_proba" and hasattr(model, "__self__")


def _is_booster(package: str) -> Callable[[Any], bool]:
    return lambda model: type(model).__name__ == "Booster" and is_from_package(model, package)


#: Kinds of models: predicate and adapter. The first match is used.
_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any], ModelAdapter]], ...] = (
    (is_keras_model, _keras),
    (is_torch_module, ModelAdapter),
    (lambda model: is_from_package(model, "onnxruntime"), _onnx_session),
    (_is_booster("xgboost"), _xgboost_booster),
    (_is_booster("lightgbm"), _lightgbm_booster),
    (lambda model: is_from_package(model, "catboost"), _catboost_model),
    (_has("predict_proba"), _probabilities),
    (_has("decision_function"), _decisions),
    (_is_method_of_classes, lambda method: ModelAdapter(method, _classes_of(method.__self__))),
    (callable, ModelAdapter),
    (_has("predict"), _predictions),
)


def _classes_of(model: Any) -> list[Any] | None:
    """Return the class label of each output column of an estimator; ``None`` for multi-output
    estimators.
    """
    classes = getattr(model, "classes_", None)
    if not callable(getattr(model, "predict", None)) or not isinstance(classes, (np.ndarray, list)):
        return None
    labels = list(classes.tolist() if isinstance(classes, np.ndarray) else classes)
    return None if any(np.ndim(label) for label in labels) else labels


def is_function(model: Any) -> bool:
    """Return whether a model is a plain callable (or ``None``), so that the framework of its inputs
    is unknown.
    """
    kind = next((known for is_one, known in _KINDS if is_one(model)), ModelAdapter)
    return kind is ModelAdapter and not _has("predict")(getattr(model, "__self__", None))


def knows_columns(model: Any) -> bool:
    """Return whether a model, or the estimator whose method it is, knows its columns by name."""
    model = getattr(model, "__self__", model)
    if getattr(model, "feature_names_in_", None) is not None or is_from_package(
        model, "catboost", "lightgbm"
    ):
        return True
    return is_from_package(model, "xgboost") and getattr(model, "feature_names", None) is not None


def _columns_of(model: Any) -> list[Any] | None:
    """Return the column names that a model, or the estimator whose method it is, was fitted with,
    if it stores them.
    """
    model = getattr(model, "__self__", model)
    # Of scikit-learn and XGBoost, of LightGBM, of CatBoost, and of the boosters of the two before.
    attributes = ("feature_names_in_", "feature_name_", "feature_names_", "feature_names", "feature_name")
    names = next((of for name in attributes if (of := getattr(model, name, None)) is not None), None)
    names = names() if callable(names) and is_from_package(model, "lightgbm") else names
    return None if names is None else list(names)


def images_of(model: Any, tensors: Tensors) -> Layout | None:
    """Return the image layout of the model's framework: channels first for torch, last for
    TensorFlow, as configured for Keras.
    """
    if is_keras_model(model):
        config = getattr(sys.modules.get("keras"), "config", None)
        is_first = config is not None and config.image_data_format() == "channels_first"
        return "channels-first" if is_first else "channels-last"
    conventions: dict[str, Layout] = {"torch": "channels-first", "tensorflow": "channels-last"}
    return conventions.get(tensors.framework)


def argument_function(
    model: Any, tensors: Tensors, inputs: Inputs | None, *, in_own_order: bool = True
) -> Callable[[npt.NDArray[Any], Any], tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return a function that converts a batch and its sample indices to the arguments of the model.

    The columns of a table are in the order that the model knows, or else in that of the inputs.
    """
    if inputs is None:
        return lambda batch, samples: ((tensors.tensor(batch),), {})
    wants_tables = tensors.framework in ("pandas", "polars")
    if wants_tables and inputs.table is None:
        raise ValueError(f"framework: {tensors.framework!r} needs inputs that are a table")
    of_tables = inputs.table is not None and (
        wants_tables or inputs.has_codes or knows_columns(model)
    )
    columns = inputs.table.names if of_tables and inputs.table is not None else None
    known = _columns_of(model) if columns is not None and in_own_order else None
    if columns is not None and known is not None and Counter(known) == Counter(columns):
        columns = known
    return lambda batch, samples: inputs.model_arguments(batch, samples, tensors, columns)


def model_function(
    model: Any,
    framework: Framework | None = None,
    device: Any = None,
    n_outputs: int | None = None,
    inputs: Inputs | None = None,
    output: Any = None,
    score: Callable[[Any], Any] | None = None,
) -> Callable[..., npt.NDArray[Any]]:
    """Return a model as a function from a batch to an array ``(batch, n_outputs)``.

    If ``n_outputs`` is given, a single output is repeated to so many columns. With several
    inputs, the second argument of the function is the sample index of each row.
    """
    tensors = Tensors.for_model(model, framework, device)
    call = ModelAdapter.for_model(model).call
    given = argument_function(model, tensors, inputs)
    widths: set[int] = set()
    of_numpy = framework is None and tensors.framework == "numpy" and is_function(model)

    def outputs(batch: npt.NDArray[Any], samples: Any = None) -> npt.NDArray[Any]:
        n = len(batch)
        arguments, named = given(batch, samples)
        with tensors.calling(), framework_hint(of_numpy):
            answer = one_answer(call(*arguments, **named), output)
            if score is not None:
                answer = score(answer)
        rows = rows_of(tensors.array(answer, "the answer of the model"), n)
        if n_outputs is not None and rows.shape[1] == 1:
            rows = rows.repeat(n_outputs, axis=1)
        widths.add(rows.shape[1])
        if len(widths) > 1:
            numbers = " and ".join(str(width) for width in sorted(widths))
            raise ValueError(f"model: expected as many outputs from every call, got {numbers}")
        return rows

    return outputs


@contextlib.contextmanager
def framework_hint(of_numpy: bool) -> Iterator[None]:
    """Add a hint about ``framework`` to exceptions of a function that was called with NumPy arrays.

    Such a function may expect tensors or tables. The exception itself is unchanged.
    """
    try:
        yield
    except (AttributeError, TypeError) as error:
        # Of Python 3.11 and newer.
        if of_numpy and hasattr(error, "add_note"):
            error.add_note(
                "The model is a function and was given an array of NumPy; framework=\"torch\", \"jax\", \"tensorflow\", "
                "\"pandas\" or \"polars\" gives it tensors or tables."
            )
        raise


def gradient_function(
    model: Any,
    tensors: Tensors,
    inputs: Inputs | None,
    output: Any = None,
    score: Callable[[Any], Any] | None = None,
) -> Callable[[npt.NDArray[Any], npt.NDArray[Any], Any], npt.NDArray[Any]]:
    """Return a function of batch, targets and samples that computes the gradient of the target
    output.

    The gradient is with respect to the first input.
    """
    call = ModelAdapter.for_model(model).call
    given = argument_function(model, tensors, inputs)

    def gradient(
        batch: npt.NDArray[Any], targets: npt.NDArray[Any], samples: Any
    ) -> npt.NDArray[Any]:
        several, named = given(batch, samples)
        first = several[0] if several else named[next(iter(named))]

        def outputs(first: Any) -> Any:
            again = {**named, next(iter(named)): first} if named else {}
            answer = one_answer(call(*((first, *several[1:]) if several else ()), **again), output)
            answer = answer if score is None else score(answer)
            return answer if answer.ndim > 1 else answer[:, None]

        def weights(n_outputs: int) -> npt.NDArray[Any]:
            if targets.ndim == 2:
                return targets
            # One output stands for all classes.
            columns = targets if n_outputs > 1 else np.zeros_like(targets)
            return np.asarray(np.arange(n_outputs) == columns[:, None], dtype=np.float64)

        with tensors.calling(gradients=True):
            answer = tensors.gradient(outputs, first, weights)
        array: npt.NDArray[Any] = tensors.array(answer, "the gradient of the model")
        return array

    return gradient


def operator_function(
    model: Any,
    operator: Callable[[Any, Any, Any], Any],
    targets: npt.NDArray[Any],
    activation: str | None,
    framework: Framework | None = None,
    device: Any = None,
) -> Callable[[npt.NDArray[Any], npt.NDArray[np.int64]], npt.NDArray[Any]]:
    """Return a score ``operator(model, inputs, targets)`` as a function of a batch and its sample
    indices.
    """
    tensors = Tensors.for_model(model, framework, device)
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
    explainer: Any,
    tensors: Tensors,
    classes: list[Any] | None = None,
    given: Any = None,
    read: Callable[[Any, npt.NDArray[Any]], Any] | None = None,
    n_outputs: Callable[[], int | None] | None = None,
) -> Callable[..., npt.NDArray[Any]]:
    """Return an explainer ``explainer(inputs, targets)`` as a function from arrays to an array.

    If the classes have labels, the explainer receives these. ``given`` converts a batch and its
    samples to the arguments of a model, ``read`` converts an answer to an array of maps for the
    targets. ``n_outputs`` is used to check targets for libraries that do not check them.
    """
    labels = None if classes is None else np.asarray(classes)
    call = _as_function(explainer, tensors)
    of_batch = argument_function(None, tensors, None) if given is None else given
    of_captum = is_captum(explainer)

    def maps(
        inputs: npt.NDArray[Any], targets: npt.NDArray[Any], samples: Any = None
    ) -> npt.NDArray[Any]:
        columns = targets
        if targets.ndim == 2 and of_captum:
            targets = _only_classes(targets)
        if of_captum and n_outputs is not None and targets.ndim == 1:
            check_classes(targets, n_outputs())
        if labels is not None and targets.ndim == 1:
            targets = labels[targets]
        several, named = of_batch(inputs, samples)
        one = several[0] if len(several) == 1 else several
        with tensors.calling(gradients=True):
            answer = call(named or one, tensors.tensor(targets))
        if read is not None:
            answer = read(answer, columns)
        array: npt.NDArray[Any] = tensors.array(answer, "the maps of the explainer")
        if array.ndim < 2 or len(array) != len(inputs):
            raise ValueError(f"explainer: expected {len(inputs)} maps, got shape {array.shape}")
        return array

    return maps


def check_classes(targets: npt.NDArray[Any], n_outputs: int | None) -> None:
    """Raise ``ValueError`` for targets that are not outputs of the model."""
    if n_outputs is not None and len(targets) and not 0 <= targets.min() <= targets.max() < n_outputs:
        wrong = targets.min() if targets.min() < 0 else targets.max()
        raise ValueError(f"targets: {wrong} is no output of the model, which has {n_outputs}")


def _as_function(explainer: Any, tensors: Tensors) -> Callable[[Any, Any], Any]:
    """Return an explainer, or a pair of an explainer and keyword arguments, as a function of inputs
    and targets.
    """
    options: dict[str, Any] = {}
    if isinstance(explainer, tuple):
        explainer, options = explainer
    known = _packages.explain_function(explainer, options, tensors)
    if known is not None:
        return known
    if is_captum(explainer):
        return _captum_function(explainer, options)
    if is_from_package(explainer, "shap"):
        # Its answers are for all classes.
        return lambda inputs, targets: explainer(inputs, **options)
    call = explainer if callable(explainer) else explainer.explain
    return lambda inputs, targets: call(inputs, targets, **options)


def _captum_function(explainer: Any, options: Mapping[str, Any]) -> Callable[[Any, Any], Any]:
    """Return an explainer of Captum as a function of inputs and targets.

    Of inputs by name, the first is explained and the others are additional arguments of the model,
    whose answer may be that of a model of transformers.
    """

    def maps(inputs: Any, targets: Any) -> Any:
        if not isinstance(inputs, Mapping):
            return explainer.attribute(inputs, target=targets, **options)
        method, function = explainer, getattr(explainer, "forward_func", None)
        first, others = _in_positions(function, inputs)
        if function is not None:
            method = copy.copy(explainer)
            method.forward_func = lambda *given, **named: one_answer(function(*given, **named))
        return method.attribute(first, target=targets, **{"additional_forward_args": others, **options})

    return maps


def _in_positions(function: Any, inputs: Mapping[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """Return inputs by name as the first argument of a function and the others, with defaults for
    arguments in between.

    Names that the function does not have are taken in their order.

    >>> _in_positions(lambda ids, types=None, mask=None: ids, {"ids": 1, "mask": 2})
    (1, (None, 2))
    """
    first, *others = inputs
    try:
        parameters = list(inspect.signature(getattr(function, "forward", function)).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    known = [item.name for item in parameters]
    if not set(inputs) <= set(known):
        return inputs[first], tuple(inputs[name] for name in others)
    if known[0] != first:
        raise ValueError(f"inputs: captum explains the first argument of the model, {known[0]!r}; make it the first of the inputs")
    between = parameters[1 : 1 + max(known.index(name) for name in inputs)]
    for item in between:
        if item.kind not in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD):
            raise ValueError(
                f"inputs: captum calls the model with positional arguments, and {item.name!r} takes only a name; give captum a "
                "function of positional arguments"
            )
        if item.name not in inputs and item.default is item.empty:
            raise ValueError(f"inputs: the model needs {item.name!r}, too, which comes before {others[-1]!r}")
    return inputs[first], tuple(inputs.get(item.name, item.default) for item in between)


def is_captum(explainer: Any) -> bool:
    """Return whether an explainer, alone or paired with keyword arguments, has the interface of
    Captum.
    """
    alone = explainer[0] if isinstance(explainer, tuple) else explainer
    return callable(getattr(alone, "attribute", None))


def _only_classes(weights: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Convert one-hot rows to classes, because Captum explains one output per sample."""
    classes: npt.NDArray[np.int64] = weights.argmax(axis=1)
    if (weights != (np.arange(weights.shape[1]) == classes[:, None])).any():
        raise ValueError(
            "targets: rows of weights are explained by a function explainer(inputs, targets) of your own; captum's methods "
            "explain one class of each sample"
        )
    return classes


def is_explainer(value: Any) -> bool:
    """Return whether ``value`` computes maps (rather than being maps), alone or paired with keyword
    arguments.
    """
    if isinstance(value, tuple):
        is_pair = len(value) == 2 and isinstance(value[1], Mapping)
        return is_pair and (isinstance(value[0], str) or is_explainer(value[0]))
    if isinstance(value, type):
        of = value.__name__
        raise TypeError(f"explainers: expected maps or an explainer, got the class {of}; give an object of it, {of}(…)")
    if is_lazy(value):
        # Its own `explain` tells a plan of queries.
        return False
    return callable(value) or _packages.is_object_of_package(value) or any(
        callable(getattr(value, item, None)) for item in ("attribute", "explain")
    )


def rows_of(array: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    """Check outputs of ``n`` samples; ``(n,)`` is reshaped to ``(n, 1)``.

    Examples
    --------
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
        message = f"model: expected outputs of shape {expected}, got {array.shape}"
        if array.ndim > 2:
            message += "; maps and boxes become one number per row by score=, a function of them"
        raise ValueError(message)
    return array


def one_answer(answer: Any, output: Any = None) -> Any:
    """Select the array of a model answer: the requested one, else ``logits`` (Hugging Face), else
    the only one.

    Examples
    --------
    >>> one_answer({"boxes": [[1.0]], "scores": [[0.5]]}, "scores"), one_answer(([1.0], [2.0]), 1)
    ([[0.5]], [2.0])
    """
    if callable(output):
        return output(answer)
    parts = _parts(answer, output is not None)
    if parts is None:
        if output is not None:
            raise TypeError(f"output: the model answers one array, got {output!r}; leave it out")
        return _columns_of_rows(answer)
    names = list(parts)
    message = ", ".join(map(str, names))
    if output is None:
        if len(parts) > 1 and "logits" not in parts:
            raise TypeError(
                f"model: it answers several arrays, {message}; say which one to score, by output= its name, its place, or "
                "a function such as `lambda answer: answer[0]`"
            )
        output = "logits" if "logits" in parts else names[0]
    elif isinstance(output, int) and output not in parts and -len(names) <= output < len(names):
        output = names[output]
    if output not in parts:
        raise ValueError(f"output: expected one of {message}, or its place, got {output!r}")
    return _columns_of_rows(parts[output])


def _parts(answer: Any, is_asked: bool) -> dict[Any, Any] | None:
    """Return the arrays of an answer by name or index; ``None`` if it is one array or a list with a
    row per sample.
    """
    if isinstance(answer, Mapping):
        return dict(answer)
    if isinstance(answer, (tuple, list)):
        if is_asked or any(getattr(item, "ndim", 0) > 1 for item in answer):
            return dict(zip(getattr(answer, "_fields", range(len(answer))), answer))
        return None
    return dict(vars(answer)) if is_dataclass(answer) or hasattr(answer, "logits") else None


def _columns_of_rows(answer: Any) -> Any:
    """Convert rows that are dictionaries by class (scikit-learn classifiers in ONNX) to an array.
    """
    if isinstance(answer, list) and answer and isinstance(answer[0], Mapping):
        return np.array([[row[key] for key in answer[0]] for row in answer])
    return answer


def _activated(model: Any, activation: str) -> Callable[[Any], Any]:
    """Return a model with an activation applied to its outputs, for operators."""
    call = ModelAdapter.for_model(model).call

    def activated(inputs: Any) -> Any:
        answer = one_answer(call(inputs))
        if activation != "sigmoid" and tuple(getattr(answer, "shape", ()))[1:] == (1,):
            raise ValueError(
                f"activation: expected another than {activation}: the model has one output, whose softmax is constant; give "
                'activation="sigmoid" if the output is the logit of one of two classes'
            )
        if hasattr(answer, "detach"):
            return answer.sigmoid() if activation == "sigmoid" else answer.softmax(-1)
        if type(answer).__module__.startswith("tensorflow"):
            import tensorflow as tf

            return tf.nn.sigmoid(answer) if activation == "sigmoid" else tf.nn.softmax(answer)
        rows = rows_of(reals(answer, "the answer of the model"), len(inputs))
        return _native.attribution_activated(rows, activation)

    return activated
