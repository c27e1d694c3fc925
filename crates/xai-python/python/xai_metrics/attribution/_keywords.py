"""Keyword arguments shared by the functions of this package."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from .. import _native
from .._described import documentation_with, keyword, signature_with, wrapped

if TYPE_CHECKING:
    from .._frameworks import Framework
    from .._types import Activation, Layout

F = TypeVar("F", bound=Callable[..., Any])


#: Inputs that are arguments of their own, and options of inputs that come with the metrics.
_ARGUMENTS = ("model", "inputs", "targets", "explanations", "explainer")
_OF_METRICS = ("baselines", "draws")

#: The descriptions of all inputs of attribution metrics, by name.
INPUTS: dict[str, dict[str, Any]] = {spec["name"]: spec for spec in _native.attribution_inputs()}

#: The documentation of keywords for side inputs, by name.
_SIDE_INPUTS: dict[str, str] = {
    name: spec["description"]
    for name, spec in INPUTS.items()
    if name not in _ARGUMENTS and spec["option"] not in _OF_METRICS
}
_SIDE_INPUTS["mosaic"] = "Cells of a mosaic that show the class, instead of masks: booleans (n, rows, columns)"


#: Types of keywords that are no arrays alone.
_TYPES = {"second_maps": "array-like or callable", "representation": "callable"}


class SideInputs:
    """Additional inputs of some metrics, as attributes by their names.

    >>> SideInputs(masks=[[True]]).provided()
    {'masks'}
    """

    def __init__(self, **given: Any) -> None:
        vars(self).update({name: given.pop(name, None) for name in _SIDE_INPUTS})
        if given:
            raise TypeError(f"no side input is called {next(iter(given))!r}")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def provided(self) -> set[str]:
        """Return the names of the inputs that were given, as they occur in ``MetricInfo.needs``."""
        given = {name.replace("_", " ") for name, value in vars(self).items() if value is not None}
        # A mosaic takes the place of masks.
        return {"masks" if name == "mosaic" else name for name in given}


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """Settings for computing model scores and reading maps.

    Parameters
    ----------
    output : str, int or callable, optional
        Selects the output to score of a model with several outputs (a tuple, a mapping, a
        ``ModelOutput``): its name, its index, or a function of the whole answer. ``logits`` by
        default.
    score : callable, optional
        Function from the outputs, for example segmentation maps or boxes, to one number per row,
        ``(batch,)``, which is the score for every target, or to ``(batch, n_outputs)``:
        ``score=lambda maps: maps[:, 2].sum((1, 2))``.
    activation : {None, "softmax", "sigmoid", "log-softmax"}
        Activation to apply to the outputs of the model. ``None`` means softmax for the decisions of
        a classifier without probabilities (``"none"`` leaves them unchanged), and no activation for
        all other models, because a function or a module does not tell whether it returns logits.
    batch_size : int or None
        Largest number of rows per call of model and explainers; the result has it as
        ``batch_size``. ``None``: for tables as many rows as fit into 4 MiB, 64 to 16,384; for
        images, series, token ids (whole numbers for a torch module with embeddings or an ONNX
        model that takes integers) and masked models 64, or 32 if a row exceeds 256 KiB; at most 32
        MiB. For torch models on a GPU 512, at most 256 MiB.
    allow_batch_dependence : bool
        Whether the output for a row may depend on its batch. Otherwise the first row of the first
        call with several different rows is also evaluated alone, and a difference of more than a
        thousandth of the largest output of the call is an error: a normalization or dropout layer
        is in training mode.
    explained_class : optional
        The class that maps without an axis of classes explain, as SHAP values of the second of two classes alone: they are
        negated where the target is the other. By default maps are those of each sample's target. For a model with two outputs,
        ``assumed`` names the class, and there is a warning where the sums of the maps fall as the scores rise.
    n_features : array-like of int, optional
        How many positions of each sample are features, ``(n,)``; the others, behind them, are padding, which no metric changes or
        counts. By default of inputs by name those that an ``attention_mask`` has, else all. There is a warning where tokens at the
        end change nothing. With padding there are no curves, and no metric that relates samples to each other. Maps and masks may
        then be lists with an array per sample, of its features, of the positions of its attention mask, or of all positions.
    special_tokens : bool
        Whether special tokens such as ``[CLS]`` and ``[SEP]`` are features. It matters for inputs by name with a
        ``special_tokens_mask``, which the model is not given, and for pipelines of transformers; without that mask they
        always are.
    layout : {None, "tabular", "time-series", "channels-last", "channels-first"}
        How the axes of the inputs are read. ``None``: by their number; images channels first of
        a torch module (or ``framework="torch"``), last of a Keras model, else as the one reading
        that fits maps without channels, or images of 1 to 4 channels. If both layouts
        fit, an error is raised, as for images for torch whose shape says that their channels are last: nothing is
        transposed, and a module that takes them so needs ``"channels-last"``. The result has what was ``assumed``.
    framework : {None, "numpy", "torch", "jax", "tensorflow", "pandas", "polars"}
        What model and explainers are given. Recognized for all kinds of models but functions, which
        are given tensors of torch or JAX where ``inputs`` are such (the result says so in ``assumed``),
        else arrays of NumPy, and tables if there are columns of words. Functions of tensors receive
        integers unchanged.
    device : optional
        Device of the tensors; by default that of the parameters of a torch module.
    """

    output: Any = None
    score: Callable[[Any], Any] | None = None
    activation: Activation | None = None
    batch_size: int | None = None
    allow_batch_dependence: bool = False
    explained_class: Any = None
    n_features: Any = None
    special_tokens: bool = False
    layout: Layout | None = None
    framework: Framework | None = None
    device: Any = None


# Which of these keywords a function has, and for type checkers, which cannot read them from the classes above, their types.


class ScoringKeywords(TypedDict, total=False):
    """Keyword arguments of :func:`base_scores`."""

    output: Any
    score: Callable[[Any], Any] | None
    activation: Activation | None
    batch_size: int | None
    allow_batch_dependence: bool
    layout: Layout | None
    framework: Framework | None
    device: Any


class MapKeywords(ScoringKeywords, total=False):
    """Keyword arguments of :func:`masked_scores`."""

    explained_class: Any


class ModelKeywords(MapKeywords, total=False):
    """Keyword arguments of metrics that call the model."""

    n_features: Any


class StreamKeywords(MapKeywords, total=False):
    """Keyword arguments of :func:`evaluate_stream`."""

    masks: Any
    mosaic: Any
    segments: Any
    reference_maps: Any
    second_maps: Any
    representation: Any


class EvaluateKeywords(StreamKeywords, ModelKeywords, total=False):
    """Keyword arguments of :func:`evaluate` and :func:`evaluate_part`."""

    n_features: Any
    special_tokens: bool


def split(keywords: Mapping[str, Any]) -> tuple[SideInputs, Scoring, dict[str, Any]]:
    """Split keyword arguments into side inputs, scoring settings, and the rest.

    Examples
    --------
    >>> split({"activation": "softmax", "seed": 1})[1].activation
    'softmax'
    """
    others = dict(keywords)
    sides = SideInputs(**{name: others.pop(name) for name in _SIDE_INPUTS if name in others})
    scoring = Scoring(**{of.name: others.pop(of.name) for of in fields(Scoring) if of.name in others})
    return sides, scoring, others


def with_keywords(keywords: type[Any]) -> Callable[[F], F]:
    """Replace ``**keywords`` in the signature by the actual keywords, and document them at the line
    ``{keywords}``.

    Examples
    --------
    >>> @with_keywords(ScoringKeywords)
    ... def f(x, **keywords):
    ...     '''Does it.
    ...
    ...     {keywords}
    ...     '''
    >>> list(inspect.signature(f).parameters)[:3]
    ['x', 'output', 'score']
    >>> f(1, scores=2)
    Traceback (most recent call last):
    TypeError: f() got an unexpected keyword argument 'scores'
    """
    # The types are for type checkers, which cannot read them from the descriptions.
    takes_sides = "masks" in keywords.__annotations__
    sides = [keyword(name, None, Any) for name in _SIDE_INPUTS if takes_sides]
    scoring = [of for of in fields(Scoring) if of.name in keywords.__annotations__]
    taken = [*sides, *(keyword(of.name, of.default, of.type) for of in scoring)]

    def decorate(function: F) -> F:
        signature = signature_with(function, taken)

        @functools.wraps(function)
        def checked(*arguments: Any, **named: Any) -> Any:
            unknown = next((name for name in named if name not in signature.parameters), None)
            if unknown is not None:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown!r}")
            return function(*arguments, **named)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        lines = [_documented().get(one.name, "") for one in taken]
        checked.__doc__ = documentation_with(function, "{keywords}", lines)
        return checked  # type: ignore[return-value]

    return decorate


@functools.cache
def _documented() -> dict[str, str]:
    """Return the documentation of each keyword: its line and the indented lines below it."""
    text = inspect.cleandoc(Scoring.__doc__ or "")
    documented = {of[1]: of[0].rstrip() for of in re.finditer(r"^(\w+) : .*(?:\n {4}.*)+", text, re.MULTILINE)}
    for name, description in _SIDE_INPUTS.items():
        lines = [f"{name} : {_TYPES.get(name, 'array-like')}, optional", *wrapped(f"{description}.", 4)]
        documented[name] = "\n".join(lines)
    return documented
