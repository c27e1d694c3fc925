"""Validation of arguments that are not arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from . import _native

_T = TypeVar("_T")


def whole(name: str, value: Any, at_least: int | None = None, below: int = 2**63) -> int:
    """Return an integer within bounds, by default those of 64 bits.

    Examples
    --------
    >>> whole("n_points", 7, at_least=1)
    7
    >>> whole("n_points", -1, at_least=1)
    Traceback (most recent call last):
    ValueError: n_points: expected at least 1, got -1
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name}: expected a whole number, got {value!r}")
    least = -(2**63) if at_least is None else at_least
    if number < least:
        raise ValueError(f"{name}: expected at least {least}, got {number}")
    if number >= below:
        raise ValueError(f"{name}: expected at most {below - 1}, got {number}")
    return number


def whole_or_none(name: str, value: Any, at_least: int | None = None) -> int | None:
    """Return an integer, or ``None`` for the default of the native part."""
    return None if value is None else whole(name, value, at_least)


def threads(n_jobs: Any) -> int | None:
    """Return a number of threads; ``None`` for one per core."""
    return whole_or_none("n_jobs", n_jobs)


def seed_of(seed: Any) -> int:
    """Return a seed."""
    return whole("seed", seed, 0, 2**64)


def number(name: str, value: Any) -> float:
    """Return a real number.

    Examples
    --------
    >>> number("level", "95")
    Traceback (most recent call last):
    TypeError: level: expected a number, got '95'
    """
    if not isinstance(value, (str, bytes, bytearray)):
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
    raise TypeError(f"{name}: expected a number, got {value!r}")


def names_in(metrics: Any) -> list[Any]:
    """Return the elements of a list of metrics; text may name several, with commas outside brackets between them.

    Examples
    --------
    >>> names_in("deletion(steps=2,5), complexity"), names_in(["a, b", None])
    (['deletion(steps=2,5)', 'complexity'], ['a', 'b', None])
    """
    if isinstance(metrics, (str, type)) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    return [name for element in metrics for name in (_divided(element) if isinstance(element, str) else [element])]


def _divided(text: str) -> list[str]:
    """Divide text at commas outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    names = [part.strip() for part in parts]
    if not all(names):
        raise ValueError(f"metrics: expected names with commas between them, got {text!r}")
    return names


def check_distinct(names: list[Any]) -> None:
    """Raise ``ValueError`` for a metric that is named twice.

    Examples
    --------
    >>> check_distinct(["ynn", "ynn(k=3)", "ynn"])
    Traceback (most recent call last):
    ValueError: metrics: 'ynn' occurs twice; give it once
    """
    repeated = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if repeated is not None:
        raise ValueError(f"metrics: {repeated!r} occurs twice; give it once")


def mapping(name: str, value: Any, of: str) -> dict[Any, Any]:
    """Copy a mapping to a dictionary; ``None`` gives an empty one.

    Examples
    --------
    >>> mapping("class_weights", [1.0], "a weight for each label")
    Traceback (most recent call last):
    TypeError: class_weights: expected a mapping, a weight for each label, got list
    """
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"{name}: expected a mapping, {of}, got {type(value).__name__}")
    return dict(value or {})


def check_class(other: Any, own: Any) -> None:
    """Raise ``TypeError`` unless ``other`` has the class of the state that it is merged into."""
    if not isinstance(other, type(own)):
        raise TypeError(f"other: expected {type(own).__name__}, got {type(other).__name__}")


def suggestion(name: Any, known: Iterable[str]) -> str:
    """Return the end of an error message that suggests the most similar name, if any is similar.

    Examples
    --------
    >>> suggestion("stpes", ["steps", "baseline"]), suggestion("grid", ["steps"])
    ("; did you mean 'steps'?", '')
    """
    near = _native.nearest_name(str(name), list(known))
    return f"; did you mean {near!r}?" if near else ""


def looked_up(values: Mapping[str, _T], name: str, what: str) -> _T:
    """Return the value of a name, or raise ``KeyError`` with the most similar name and all names.

    Examples
    --------
    >>> looked_up({"deletion": 0.5, "insertion": 0.7}, "delection", "metric")
    Traceback (most recent call last):
    KeyError: "metric: got 'delection', did you mean 'deletion'? There are 'deletion', 'insertion'"
    """
    if name in values:
        return values[name]
    near = _native.nearest_name(str(name), [str(known) for known in values])
    known = ", ".join(map(repr, values))
    meant = f"did you mean {near!r}? There are {known}" if near else f"expected one of {known}"
    raise KeyError(f"{what}: got {name!r}, {meant}")
