"""Metric functions generated from the native descriptions."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from ... import _native
from ..._arguments import threads
from ..._described import MetricInfo, wrapped
from ._info import infos_by_name
from ._inputs import INPUTS, arrays_of
from ._values import Outcome, outcome_of

#: Result types of functions that do not return values per test case only.
_RETURNS = {
    "top_k_cardinality": "Cardinality",
    "mislabeling_detection": "Mislabeling",
    "brittleness": "Brittleness",
}

#: Lines that define the data of the examples, by input.
_EXAMPLE = {
    "attributions": "attributions = (7 * i + 5 * t + i * t) % 11 - 4",
    "random_attributions": "random = (3 * i + 2 * t) % 7",
    "train_labels": "train_labels = i % 3",
    "test_classes": "test_classes = np.arange(4) % 3",
    "flags": "flags = i % 4 == 0",
    "subsets": "subsets = (i * i + np.arange(6)[:, None]) % 5 < 2",
    "outputs": "outputs = np.array([(j + 2 * t[:, 0] + j * t[:, 0]) % 7 for j in range(6)]) / 8",
    "removed": "removed = [0, 3, 5, 8, 10]",
    "drops": "drops = np.array([(3 * j + t[:, 0]) % 5 - 1 for j in range(5)]) / 8",
    "relevant": "relevant = (i + t) % 5 == 0",
    "scores": "scores = 5 * i % 7",
    "log_prob": "before = np.log([0.5, 0.25, 0.125, 0.5])",
    "log_prob_after": "after = np.log([[0.75, 0.5], [0.25, 0.5], [0.25, 0.125], [0.5, 0.25]])",
    "ks": "ks = [0, 10, 20, 40]",
    "predictions": "predictions = [[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0], [2, 2, 1, 1]]",
}


def function_of(name: str, module: str) -> Callable[..., Outcome]:
    """Create the function of a metric, as a member of a module."""
    info = infos_by_name()[name]
    signature = _signature(info)
    inputs = [*info.needs, *info.optional]

    def function(*arguments: Any, **named: Any) -> Outcome:
        try:
            given = signature.bind(*arguments, **named).arguments
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        parameters = {p.name: given.get(p.name) for p in info.parameters}
        arrays = arrays_of({item: given.get(item) for item in inputs})
        found = _native.data_attribution([name], parameters, arrays, threads(given.get("n_jobs")))
        return outcome_of(found.to_python()[0])

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = _documentation(info)
    return function


def _is_optional(info: MetricInfo, need: str) -> bool:
    """Return whether another input can replace an input that a metric needs."""
    return need == "outputs" and "logits" in info.optional


def _signature(info: MetricInfo) -> inspect.Signature:
    either, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    empty = inspect.Parameter.empty
    made = [
        inspect.Parameter(need, either, default=None if _is_optional(info, need) else empty)
        for need in info.needs
    ]
    made += [inspect.Parameter(item, keyword, default=None) for item in info.optional]
    made += [inspect.Parameter(p.name, keyword, default=p.default) for p in info.parameters]
    made.append(inspect.Parameter("n_jobs", keyword, default=None))
    return inspect.Signature(made, return_annotation=_RETURNS.get(info.name, "AttributionValue"))


def _documentation(info: MetricInfo) -> str:
    lines = [*wrapped(f"{info.title}: {info.summary}.", 0), "", "::", ""]
    lines += [textwrap.indent(info.formula, "    "), ""]
    lines += wrapped(f"Better: {info.direction}. Range: {info.range}. {info.extremes}", 0)
    lines += ["", "Parameters", "----------"]
    for name in (*info.needs, *info.optional):
        is_optional = name in info.optional or _is_optional(info, name)
        lines += wrapped(f"{name} : {INPUTS[name].type}{', optional' if is_optional else ''}", 0)
        lines += wrapped(INPUTS[name].doc, 4)
    for parameter in info.parameters:
        lines += parameter.documented()
    lines += ["n_jobs : int, optional", "    Number of threads; one per core by default.", ""]
    lines += ["Returns", "-------", _RETURNS.get(info.name, "AttributionValue"), ""]
    lines += ["Raises", "------", "ValueError"]
    lines += wrapped(
        "For arrays of inconsistent shapes, values that are not finite, cases that do not exist, and "
        "parameters outside their range.",
        4,
    )
    lines += ["", "Notes", "-----", *wrapped(f"What it does not tell: {info.limits}", 0), ""]
    if info.elsewhere:
        peers = ", ".join(f"``{peer}``" for peer in info.elsewhere)
        lines += [*wrapped(f"Elsewhere: {peers}. The numbers may differ.", 0), ""]
    lines += ["References", "----------", *wrapped(f"{info.source}.", 0), ""]
    return "\n".join([*lines, *_example(info)])


def _example(info: MetricInfo) -> list[str]:
    data = [_EXAMPLE[need] for need in info.needs]
    given = ", ".join(line.partition(" = ")[0] for line in data)
    lines = ["import numpy as np", f"from xai_metrics.casebased.data_attribution import {info.name}"]
    if "i" in " ".join(data):
        lines.append("t, i = np.arange(4)[:, None], np.arange(12)")
    lines += [*data, f"round({info.name}({given}).value, 4)"]
    return ["Examples", "--------", *(f">>> {line}" for line in lines), repr(info.example), ""]
