"""Signatures and docstrings generated from the native descriptions of metrics and parameters."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from . import _native
from ._display import Display, Record
from ._results import Result

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, repr=False)
class Parameter(Record):
    """Parameter of a metric or function.

    Examples
    --------
    >>> parameters_of("graph.ground_truth")[0].name
    'threshold'
    """

    #: Name of the keyword.
    name: str
    #: Description.
    doc: str
    #: Accepted values, in words.
    expected: str
    #: Type of the accepted values, with the names of ``xai_metrics._types``.
    annotation: str
    #: Accepted words with their descriptions.
    words: tuple[tuple[str, str], ...]
    default: Any
    #: True if an array or a function is accepted, too.
    takes_functions: bool = False

    def documented(self, also: str = "") -> list[str]:
        """Return the lines of its entry in a NumPy docstring.

        Parameters
        ----------
        also : str
            Text appended to the description.

        Returns
        -------
        list of str
            Lines.
        """
        lines = wrapped(f"{self.name} : {self.expected}, default {self.default!r}", 0)
        lines += wrapped(self.doc.replace("`", "``") + also, 4)
        for word, doc in self.words:
            lines += wrapped(f"``{word}``: " + doc.replace("`", "``"), 4)
        return lines


@dataclass(frozen=True, kw_only=True, repr=False)
class MetricInfo(Result):
    """Description of a metric.

    Attributes
    ----------
    name : str
        The name in tables, and of the metric's function or argument: ``average_drop``.
    title : str
        The name in headings: ``Average drop``.
    family : {"attribution", "casebased", "counterfactual", "graph", "repro", "reliability"}
        The module that has it.
    summary : str
        Definition in one sentence, without its full stop.
    direction : {"higher", "lower", "none"}
        Better end of the scale, with the default parameters.
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
        Meaning of both ends of the range.
    limits : str
        Limits of the interpretation.
    elsewhere : tuple of str
        Names of the same quantity in other packages, or of one that differs by a scale: ``quantus.Sparseness``.
    example : float or None
        The value in the example of the documentation.
    parameters : tuple of Parameter
        Its parameters.
    kind : str
        For ``repro``: ``pair``, ``all runs`` or ``regression``; for ``casebased``: ``data
        attribution`` if it evaluates attributions to training cases.
    optional : tuple of str
        Optional inputs.
    draws : str or None
        Kind of its random draws, if precomputed draws are accepted.
    is_whole : bool
        Whether it compares all samples of a data set with each other.
    has_call_of_its_own : bool
        Whether it is a separate function rather than a metric of ``evaluate``.
    layouts : tuple of str
        Supported layouts of the inputs.
    is_scale_free : bool
        Whether it is invariant to multiplication of all maps, attributions or values by a positive
        number.
    mirror : {"keeps", "keeps-without-ties", "changes"}
        Whether it is invariant to mirroring inputs, maps and masks; ``keeps-without-ties`` if no
        two attributions of a map are equal.

    Examples
    --------
    >>> from xai_metrics import find
    >>> find("deletion").summary
    'Area under the score curve while the most important positions are removed first'
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

        Returns
        -------
        dict
            Fields by name, with lists instead of tuples.

        Examples
        --------
        >>> from xai_metrics import find
        >>> find("complexity").to_dict()["needs"]
        ['explanations']
        """
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields["parameters"] = [vars(parameter) for parameter in self.parameters]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}

    def _display(self) -> Display:
        rows = [
            ("better", self.direction),
            ("range", self.range),
            ("needs", ", ".join((*self.needs, *(f"[{name}]" for name in self.optional)))),
            ("elsewhere", ", ".join(self.elsewhere)),
        ]
        texts = {
            "parameters": ", ".join(f"{one.name}={one.default!r}" for one in self.parameters),
            "formula": self.formula,
            "extremes": self.extremes,
            "limits": self.limits,
            "source": self.source,
        }
        notes = [f"{name}: {text}" for name, text in texts.items() if text]
        summary = f"{self.title} ({self.family}.{self.name}): {self.summary}"
        return Display(summary, rows=[row for row in rows if row[1]], notes=notes)


def metric_from_native(described: Mapping[str, Any]) -> MetricInfo:
    """Build the description of a metric from a native one."""
    fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in described.items()}
    fields["parameters"] = tuple(map(_parameter, fields["parameters"]))
    return MetricInfo(**fields)


def _parameter(one: dict[str, Any]) -> Parameter:
    return Parameter(**{**one, "words": tuple(one["words"])})


def parameters_of(operation: str) -> list[Parameter]:
    """Return the parameters of a native function by its name, for example ``graph.ground_truth``.
    """
    described = _native.parameters(operation)
    return [_parameter(one) for one in described]


def described(*operations: str) -> Callable[[F], F]:
    """Replace ``**parameters`` in the signature by the native parameters, and document them at the
    line ``{parameters}``.

    Parameters that the function declares itself keep their position in the signature.

    Examples
    --------
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
    """Create a keyword-only parameter."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def signature_with(function: Callable[..., Any], keywords: Sequence[inspect.Parameter]) -> inspect.Signature:
    """Return the signature with keywords in place of ``**named``, before the function's own
    keywords.
    """
    given = inspect.signature(function)
    own = [one for one in given.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    before = [one for one in own if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    made = [one for one in keywords if one.name not in given.parameters]
    after = [one for one in own if one.kind is inspect.Parameter.KEYWORD_ONLY]
    return given.replace(parameters=[*before, *made, *after])


def documentation_with(function: Callable[..., Any], marker: str, lines: Sequence[str]) -> str:
    """Return the docstring with ``place`` replaced by lines."""
    # Nothing is left of a documentation under ``python -OO``.
    return inspect.cleandoc(function.__doc__ or "").replace(marker, "\n".join(lines))


def wrapped(text: str, indent: int) -> list[str]:
    """Wrap a text to lines of at most 96 characters, indented by ``indent`` spaces."""
    pad = " " * indent
    return textwrap.wrap(
        text, 96, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )
