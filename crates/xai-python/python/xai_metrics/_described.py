"""Metrics and parameters as the native part describes them: in signatures, and in documentation."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from . import _native
from ._results import Result

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


@dataclass(frozen=True, kw_only=True)
class MetricInfo(Result):
    """The description of a metric.

    >>> from xai_metrics import find
    >>> find("deletion").summary
    'Area under the score curve while the most important positions are removed first'

    Attributes
    ----------
    name : str
        The name in tables, and of the metric's function or argument: ``average_drop``.
    title : str
        The name in headings: ``Average drop``.
    family : {"attribution", "casebased", "graph", "repro", "reliability"}
        The module that has it.
    summary : str
        What the number is, in one sentence without its full stop.
    direction : {"higher", "lower", "none"}
        Which values are better, with the defaults of the parameters.
    range : str
        The values it takes.
    needs : tuple of str
        The inputs it is computed from: ``model``, ``inputs``, ``targets``, ``explanations``, …
    source : str
        The paper or program that defines it.
    formula : str
        The value of one sample, with the defaults of all parameters. ``x`` is the input, ``a`` or ``e(x)`` its map, ``f`` the
        model, and ``g`` the score of the target.
    extremes : str
        What both ends of the range mean.
    limits : str
        What the number does not show.
    elsewhere : tuple of str
        Names of the same quantity in other packages, or of one that differs by a scale: ``quantus.Sparseness``.
    example : float or None
        The value in the example of the documentation.
    parameters : tuple of Parameter
        Its parameters.
    kind : str
        Of repeated trainings: ``pair``, ``all runs`` or ``regression``; of training cases: ``data attribution``, if it judges
        attributions to them.
    optional : tuple of str
        Inputs that it uses if they are given.
    draws : str or None
        What it draws, where draws made elsewhere may be given instead.
    is_whole : bool
        Whether it relates all samples of a data set to each other.
    has_call_of_its_own : bool
        Whether it is a function of its own, and no metric of ``evaluate``.
    layouts : tuple of str
        The layouts of inputs that it has values for.
    is_scale_free : bool
        Whether multiplying all maps, attributions or values by a positive number leaves the metric as it is.
    mirror : {"keeps", "keeps-without-ties", "changes"}
        Whether mirroring inputs, maps and masks leaves the metric as it is; ``keeps-without-ties`` if no two attributions of a
        map are equal.
    """

    name: str
    title: str = ""
    family: str = ""
    summary: str = ""
    direction: Literal["higher", "lower", "none"] = "none"
    range: str = "(-inf, inf)"
    needs: tuple[str, ...] = ()
    source: str = ""
    formula: str = ""
    extremes: str = ""
    limits: str = ""
    elsewhere: tuple[str, ...] = ()
    example: float | None = None
    parameters: tuple[Parameter, ...] = ()
    kind: str = ""
    optional: tuple[str, ...] = ()
    draws: str | None = None
    is_whole: bool = False
    has_call_of_its_own: bool = False
    layouts: tuple[str, ...] = ()
    is_scale_free: bool = False
    mirror: Literal["keeps", "keeps-without-ties", "changes"] = "changes"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name.

        >>> from xai_metrics import find
        >>> find("complexity").to_dict()["needs"]
        ['explanations']
        """
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields["parameters"] = [vars(parameter) for parameter in self.parameters]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}


def metric_from_native(described: Mapping[str, Any]) -> MetricInfo:
    """Build the description of a metric from what the native part returns."""
    fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in described.items()}
    fields["parameters"] = tuple(map(_parameter, fields["parameters"]))
    return MetricInfo(**fields)


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
        keywords = [keyword(parameter.name, parameter.default) for parameter in parameters]
        function.__signature__ = signature_with(function, keywords)  # type: ignore[attr-defined]
        lines = [line for parameter in parameters for line in parameter.documented()]
        function.__doc__ = documentation_with(function, "{parameters}", lines)
        return function

    return decorate


def keyword(name: str, default: Any, annotation: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """A keyword of a signature."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def signature_with(function: Callable[..., Any], keywords: Sequence[inspect.Parameter]) -> inspect.Signature:
    """The signature of a function with keywords in the place of its ``**named``, before those that it names itself."""
    given = inspect.signature(function)
    own = [one for one in given.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    before = [one for one in own if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    made = [one for one in keywords if one.name not in given.parameters]
    after = [one for one in own if one.kind is inspect.Parameter.KEYWORD_ONLY]
    return given.replace(parameters=[*before, *made, *after])


def documentation_with(function: Callable[..., Any], place: str, lines: Sequence[str]) -> str:
    """The documentation of a function with lines in some place of it."""
    # Nothing is left of a documentation under ``python -OO``.
    return inspect.cleandoc(function.__doc__ or "").replace(place, "\n".join(lines))


def wrapped(text: str, indent: int) -> list[str]:
    """The lines of a text, indented by ``indent`` spaces and at most 96 characters long."""
    pad = " " * indent
    return textwrap.wrap(
        text, 96, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )
