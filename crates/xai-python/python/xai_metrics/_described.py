"""Parameters as the native part describes them: in signatures, and in documentation."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

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


def parameters_of(operation: str) -> list[Parameter]:
    """The parameters of a function by its name: ``graph.ground_truth``."""
    described = _native.parameters(operation)
    return [Parameter(**{**one, "words": tuple(one["words"])}) for one in described]


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
