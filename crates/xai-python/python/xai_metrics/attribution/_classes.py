"""Classes of the metrics, created from the native registry."""

from __future__ import annotations

import inspect
import textwrap
from functools import cache
from typing import Any

from .._described import MetricInfo, Parameter, wrapped
from .._registry import metric_of
from ._metric import Metric, evaluate_signature
from ._value import MetricValue

#: Additional values of parameters that only Python accepts.
_ALSO = {
    "steps": "``None`` and -1 mean ``all``.",
    "baseline": (
        "Also one sample as an array (a row with names is matched with the columns of the inputs), "
        "a function from the inputs to such an array or to one for all inputs, or a ``Background`` of "
        "several rows."
    ),
    "distance": "Also a function of two flattened maps.",
    "discretizer": (
        "Also a function from a flattened map, one number per position, to the key to compare: a "
        "number, text, a tuple or an array."
    ),
}

#: Contents of ``draws``, by the kind of draws of a metric.
_DRAWS = {
    "subsets": "Indices of features ``(draws, n, size)``",
    "neighbours": "Noise to add ``(draws, n, …)``",
    "given values": "Values ``(draws, n, features)``",
    "orders": "Orders of removal ``(n, features)``",
    "other targets": "Other classes ``(n,)``",
}


#: Introduction of a formula.
_NOTATION = (
    "Value of one sample, where ``x`` is the input, ``a`` or ``e(x)`` its map, and ``g(x)`` the score "
    "of its target::"
)

#: Data of the examples by name, and the lines that define them.
_EXAMPLE = {
    "x": "x = np.arange(64).reshape(4, 16) % 32 * 7 % 17 / np.array([[16], [16], [32], [32]])",
    "weights": "weights = np.arange(32).reshape(16, 2) * 5 % 9 / 64",
    "targets": "targets = np.array([0, 1, 0, 1])",
    "model": "model = lambda x: x.reshape(len(x), 16) ** 2 @ weights",
    "explainer": "explainer = lambda x, y: x * weights[:, y].T.reshape(x.shape)",
    "images": "images = x.reshape(4, 4, 4, 1)",
    "maps": "maps = explainer({inputs}, targets)",
    "object": "on_object = x > 0.5",
    "segments": "segments = np.arange(16).reshape(1, 16) // 4",
    "layer": "layer = lambda x: x.reshape(len(x), 16) ** 2",
}

#: Example arguments by need, and the names above that they use.
_ARGUMENTS = {
    "model": ("model", ("weights", "model")),
    "inputs": ("{inputs}", ("x",)),
    "targets": ("targets", ("targets",)),
    "explanations": ("maps", ("x", "weights", "targets", "explainer", "maps")),
    "explainer": ("explainer", ("weights", "explainer")),
    "masks": ("on_object", ("object",)),
    "segments": ("segments", ("segments",)),
    "reference maps": ("{inputs}", ("x",)),
    "second maps": ("{inputs}", ("x",)),
    "representation": ("layer", ("layer",)),
}


@cache
def class_of(name: str) -> type[Metric]:
    """Create the class of a metric, on first use: creating all of them would dominate the import time.

    Examples
    --------
    >>> class_of("mu_fidelity").__name__
    'MuFidelity'
    """
    return _metric_class(metric_of("attribution", name))


def _metric_class(info: MetricInfo) -> type[Metric]:
    def evaluate(self: Metric, *arguments: Any, **named: Any) -> MetricValue:
        return Metric.evaluate(self, *arguments, **named)

    name = class_name(info)
    evaluate.__doc__ = Metric.evaluate.__doc__
    evaluate.__qualname__ = f"{name}.evaluate"
    evaluate.__signature__ = evaluate_signature(info)  # type: ignore[attr-defined]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(p.name, keyword, default=p.default) for p in info.parameters]
    if info.draws:
        parameters.append(inspect.Parameter("draws", keyword, default=None))
    members = {
        "__doc__": _documentation(info),
        "__module__": f"{__package__}.metrics",
        "__signature__": inspect.Signature(parameters),
        "name": info.name,
        "evaluate": evaluate,
    }
    return type(name, (Metric,), members)


def class_name(info: MetricInfo) -> str:
    """Return the name of the class of a metric."""
    return "".join(word.capitalize() for word in info.name.split("_"))


def _documentation(info: MetricInfo) -> str:
    better = "neither end" if info.direction == "none" else info.direction
    needs = f"Needs: {', '.join(info.needs)}."
    if len(info.layouts) < 4:
        needs += f" Inputs: {' or '.join(info.layouts)}."
    lines = [*_title(info), "", *wrapped(_NOTATION, 0), "", textwrap.indent(info.formula, "    "), ""]
    lines += wrapped(f"Better: {better}. Range: {info.range}. {info.extremes}", 0)
    lines += ["", *wrapped(needs, 0), ""]
    if info.is_whole:
        lines += ["Compares all samples with each other: results of parts of a data set cannot be merged.", ""]
    if info.parameters or info.draws:
        lines += ["Parameters", "----------"]
        for parameter in info.parameters:
            lines += _documented(parameter)
        if info.draws:
            drawn = f"{_DRAWS[info.draws]}, used instead of random draws."
            lines += ["draws : array-like, optional", *wrapped(drawn, 4)]
        lines += [""]
    limits = info.limits.replace("`", "``")
    lines += ["Notes", "-----", *wrapped(f"What it does not tell: {limits}", 0), ""]
    if info.elsewhere:
        peers = ", ".join(f"``{peer}``" for peer in info.elsewhere)
        lines += [*wrapped(f"Elsewhere: {peers}. The numbers may differ.", 0), ""]
    lines += ["References", "----------", *wrapped(f"{info.source}.", 0), ""]
    return "\n".join([*lines, *_example(info)])


def _example(info: MetricInfo) -> list[str]:
    """Return a runnable example, which applies the metric to maps of a quadratic model that assume
    a linear one.
    """
    if not _ARGUMENTS.keys() >= set(info.needs):
        return []
    inputs = "x" if "tabular" in info.layouts else "images"
    asked = [_ARGUMENTS[need] for need in info.needs]
    names = {name for _, names in asked for name in names} | {"x", inputs}
    data = [line for name, line in _EXAMPLE.items() if name in names]
    given = ", ".join(argument for argument, _ in asked)
    kind = class_name(info)
    # Classes do not say how many there are.
    settings = "n_classes=2" if any(p.name == "n_classes" for p in info.parameters) else ""
    lines = [
        "import numpy as np",
        f"from xai_metrics.attribution import {kind}",
        *data,
        f"round({kind}({settings}).evaluate({given}).value, 4)",
    ]
    lines = [f">>> {line.format(inputs=inputs)}" for line in lines]
    return ["Examples", "--------", *lines, repr(info.example), ""]


def _title(info: MetricInfo) -> list[str]:
    title = f"{info.title}: {info.summary}."
    return [title] if len(title) <= 93 else [f"{info.title}.", "", *wrapped(f"{info.summary}.", 0)]


def _documented(parameter: Parameter) -> list[str]:
    is_more = parameter.takes_functions or parameter.name == "steps"
    return parameter.documented(f" {_ALSO[parameter.name]}" if is_more else "")
