"""Metrics and parameters as the native part describes them: in signatures, and in documentation."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from . import _native

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric or of a function.

    >>> parameters_of("graph.ground_truth")[0].name
    'threshold'
    """

    #: The name of the keyword.
    name: str
    #: What it is.
    doc: str
    #: What values there are, in words.
    expected: str
    #: Words that are values, and what each means.
    words: tuple[tuple[str, str], ...]
    default: Any
    #: Whether an array or a function can be given instead.
    takes_functions: bool = False

    def documented(self, also: str = "") -> list[str]:
        """The lines of a NumPy docstring for it; ``also`` is added to what it is."""
        lines = wrapped(f"{self.name} : {self.expected}, default {self.default!r}", 0)
        lines += wrapped(self.doc.replace("`", "``") + also, 4)
        for word, doc in self.words:
            lines += wrapped(f"``{word}``: " + doc.replace("`", "``"), 4)
        return lines


@dataclass(frozen=True)
class DescribedMetric:
    """A metric: what it is called, asks and needs, and how its number is read.

    >>> from xai_metrics.attribution import metric_info
    >>> metric_info("deletion").question
    'How fast does the score fall when the most important positions are removed first?'
    """

    #: The name in tables, and of its function or argument: ``average_drop``.
    name: str
    #: The name in texts: ``Average Drop``.
    title: str
    question: str
    #: Which end of its scale is the good one.
    direction: Literal["higher", "lower", "none"]
    range: str
    #: What it needs: ``model``, ``inputs``, ``targets``, ``explanations``, ``attributions``, …
    needs: tuple[str, ...]
    source: str
    #: The value of one sample, with the defaults of all parameters. Of maps: ``x`` is the input, ``a`` or
    #: ``e(x)`` its map, ``f`` the model, and ``g`` the score that it gives the target.
    formula: str
    #: What the ends of the range mean.
    extremes: str
    #: What the number does not tell.
    limits: str
    #: What other packages call the same quantity, or one that differs by a scale: ``quantus.Sparseness``.
    peers: tuple[str, ...]
    #: The value in the example of the documentation.
    example: float | None
    parameters: tuple[Parameter, ...]

    def to_dict(self) -> dict[str, Any]:
        """The fields by name.

        >>> from xai_metrics.attribution import metric_info
        >>> metric_info("complexity").to_dict()["needs"]
        ['explanations']
        """
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields["parameters"] = [vars(parameter) for parameter in self.parameters]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}


M = TypeVar("M", bound=DescribedMetric)


def metrics_by_name(kind: type[M], described: list[dict[str, Any]]) -> dict[str, M]:
    """Metrics by their names, of what the native part says of them."""
    infos = {}
    for metric in described:
        lists: dict[str, Any] = {name: tuple(of) if isinstance(of, list) else of for name, of in metric.items()}
        lists["parameters"] = tuple(_parameter(one) for one in metric["parameters"])
        infos[metric["name"]] = kind(**lists)
    return infos


def _parameter(one: dict[str, Any]) -> Parameter:
    return Parameter(**{**one, "words": tuple(one["words"])})


def parameters_of(operation: str) -> list[Parameter]:
    """The parameters of a function by its name: ``graph.ground_truth``."""
    described = _native.parameters(operation)
    return [_parameter(one) for one in described]


def described(*operations: str) -> Callable[[F], F]:
    """Gives a function of ``**parameters`` the signature and the documentation of its parameters.

    They take the place of the line ``{parameters}`` in its documentation. One that the function names itself
    stays where it is in the signature.

    >>> @described("graph.ground_truth")
    ... def f(x, **parameters):
    ...     '''Does it.
    ...
    ...     {parameters}
    ...     '''
    >>> list(inspect.signature(f).parameters)[:2]
    ['x', 'threshold']
    """
    parameters = [one for operation in operations for one in parameters_of(operation)]

    def decorate(function: F) -> F:
        given = inspect.signature(function)
        keyword, rest = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
        own = [one for one in given.parameters.values() if one.kind is not rest]
        before = [one for one in own if one.kind is not keyword]
        after = [one for one in own if one.kind is keyword]
        others = [p for p in parameters if p.name not in given.parameters]
        made = [inspect.Parameter(p.name, keyword, default=p.default) for p in others]
        signature = given.replace(parameters=[*before, *made, *after])
        function.__signature__ = signature  # type: ignore[attr-defined]
        lines = [line for parameter in parameters for line in parameter.documented()]
        # Nothing is left of a documentation under ``python -OO``.
        text = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = text.replace("{parameters}", "\n".join(lines))
        return function

    return decorate


def wrapped(text: str, indent: int) -> list[str]:
    """The lines of a text, indented by ``indent`` spaces and at most 96 characters long."""
    pad = " " * indent
    return textwrap.wrap(
        text, 96, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )
