"""Types of what the package creates from its registry at run time: ``cargo xtask stubs``.

``python stubs.py FOLDER`` writes the files into the folder of the package ``xai_metrics``.
"""

from __future__ import annotations

import inspect
import json
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

from xai_metrics import _native, counterfactual
from xai_metrics._described import Parameter, parameters_of
from xai_metrics._registry import metric_of, metrics_of
from xai_metrics.attribution import metrics
from xai_metrics.attribution._keywords import ModelKeywords
from xai_metrics.casebased import data_attribution
from xai_metrics.casebased.data_attribution._inputs import INPUTS
from xai_metrics.compat.quantus._metric import CLASSES

_WIDTH = 120
_WRITTEN = "Written by ``cargo xtask stubs``; do not edit."

#: Types of arguments that are not parameters of the registry. All others are arrays, models and explainers.
_ARGUMENTS = {
    "keywords": "Unpack[ModelKeywords]",
    "layout": "Layout | None",
    "n_jobs": "int | None",
    "requested": "int | None",
    "schema": "Schema | Mapping[Any, Any] | None",
}

#: Types of options of ``quantus``; all others are numbers, functions and words of that package.
_QUANTUS_OPTIONS = {
    **dict.fromkeys(("abs", "normalise", "return_aggregate", "disable_warnings", "display_progressbar"), "bool"),
    "compat": "bool | None",
    "seed": "int",
}

#: Further types that Python accepts for some parameters.
_ALSO = {"steps": ["None"], "weighting": ["Mapping[str, Any]", "Callable[[Any], Any]"]}

#: Types of arrays and functions, for parameters that take them.
_FUNCTIONS = {
    "baseline": ["Sequence[Any]", "Shaped", "Callable[[Any], Any]"],
    "discretizer": ["Callable[[Any], Any]"],
    "distance": ["Callable[[Any, Any], Any]"],
}

#: Parameters that the functions of an operation declare themselves.
_DECLARED = {
    "data_attribution.compare": ("attributions", "random_attributions", "scores", "log_prob_after", "predictions"),
    "repro.class_distribution": ("kind", "n_classes"),
    "repro.interval": ("level",),
    "repro.simulate_predictions": ("max_error_share",),
}

#: Types of arguments that accept the words of a parameter.
_ALIASES = {
    "ClassDistribution": (parameters_of("repro.class_distribution"), "kind"),
    "CounterfactualDistance": (metric_of("counterfactual", "proximity").parameters, "distance"),
    "Distance": (parameters_of("casebased.explainer"), "distance"),
    "Removal": (parameters_of("graph.sweep"), "removal"),
    "ReturnType": (parameters_of("graph.sweep"), "return_type"),
}

_TYPES = '''
"""Names of metrics, words of arguments, and parameters, for type checkers and editors.

{written}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypedDict, Union

import numpy as np

# Array libraries have numbers of their own.
Int = Union[int, np.integer[Any]]
Float = Union[float, np.floating[Any], np.integer[Any]]
Bool = Union[bool, np.bool_]


class Listed(Protocol):
    """Array of any library that converts to a list."""

    def tolist(self) -> Any: ...


class Shaped(Protocol):
    """Array or table of any library."""

    @property
    def shape(self) -> Any: ...
'''

_METRICS = '''
"""Metrics of attribution maps. {written}"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from typing_extensions import Unpack

from .._types import AttributionMetricName, Bool, Float, Int, Layout, Listed, Shaped
from ._keywords import ModelKeywords
from ._metric import Metric as Metric
from ._value import MetricValue

def by_name(name: AttributionMetricName | str) -> type[Metric]: ...
'''

_COUNTERFACTUAL = '''
"""Metrics of counterfactuals, which ``__getattr__`` of the package creates. {written}"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .._types import Bool, Float, Int, Listed
from ._schema import Schema
from ._values import CounterfactualValue, CoverageValue
'''

_DATA_ATTRIBUTION = '''
"""Metrics of training-data attribution, which ``__getattr__`` of the package creates. {written}"""

from typing import Any, Literal

from ..._types import Int
from ._values import AttributionValue, Brittleness, Cardinality, Mislabeling
'''

_QUANTUS = '''
"""Classes of ``quantus``, which the package creates. {written}"""

from typing import Any

from ._metric import Metric
'''


def files() -> dict[str, str]:
    """Return the generated files by their paths in the package."""
    return {
        "_types.py": _types(),
        "attribution/metrics.pyi": _attribution(),
        "counterfactual/_metrics.pyi": _functions(_COUNTERFACTUAL, counterfactual),
        "compat/quantus/_classes.pyi": _quantus(),
        "casebased/data_attribution/_metrics.pyi": _functions(_DATA_ATTRIBUTION, data_attribution),
    }


def _types() -> str:
    aliases = [_bracketed(f"{name} = Literal", "[", map(_literal, words), "]") for name, words in _words().items()]
    for name, (parameters, parameter) in _ALIASES.items():
        aliases.append(f"{name} = {next(_type(one) for one in parameters if one.name == parameter)}")
    inputs = {name: "Any" for name in INPUTS if name not in _DECLARED["data_attribution.compare"]}
    dictionaries = [_typed_dict("DataAttributionInputs", inputs)]
    for operation in _native.operation_names():
        types = {p.name: _type(p) for p in parameters_of(operation) if p.name not in _DECLARED.get(operation, ())}
        dictionaries.append(_typed_dict(_camel(operation.partition(".")[2]) + "Parameters", types))
    return _file(_TYPES, ["\n".join(aliases), *dictionaries], blank_lines=2)


def _words() -> dict[str, list[str]]:
    """Return the names of metrics of each kind, and the words of arguments, by the names of their types."""
    words: dict[str, list[str]] = {}
    for family in ("attribution", "counterfactual", "casebased", "graph", "repro"):
        for info in metrics_of(family):
            if not info.has_call_of_its_own:
                words.setdefault(_camel(f"{info.kind or family} metric name"), []).append(info.name)
    for argument, known in _native.attribution_words().items():
        if argument != "standard":
            words[_camel(argument)] = list(dict.fromkeys(word for one in known for word in (one, one.replace("-", "_"))))
    return words


def _attribution() -> str:
    classes = []
    for info in metrics_of("attribution"):
        if info.has_call_of_its_own:
            continue
        kind = metrics.by_name(info.name)
        types = {parameter.name: _type(parameter) for parameter in info.parameters}
        arguments = list(inspect.signature(kind.evaluate).parameters.values())
        if "model" in info.needs or "explainer" in info.needs:
            own = [argument for argument in arguments if argument.name not in ModelKeywords.__annotations__]
            arguments = [*own, _KEYWORDS]
        evaluate = _def("evaluate", arguments, {}, "MetricValue")
        classes.append(_class(kind.__name__, f"{info.summary}.", _constructor(kind, types), evaluate))
    return _file(_METRICS, [_all(metrics.__all__), *classes])


def _functions(header: str, module: ModuleType) -> str:
    """Return the stub of a module whose metrics are functions."""
    functions = {}
    for info in module.metric_infos():
        function = getattr(module, info.name)
        if function.__module__ != module.__name__:
            # It is defined in the sources, with its types.
            continue
        signature = inspect.signature(function)
        types = {parameter.name: _type(parameter) for parameter in info.parameters}
        stub = _def(info.name, signature.parameters.values(), types, signature.return_annotation)
        functions[info.name] = f'{stub.removesuffix(" ...")}\n    """{info.summary}."""'
    return _file(header, [_all(functions), *functions.values()])


def _quantus() -> str:
    classes = []
    for name, kind in CLASSES.items():
        summary = (inspect.getdoc(kind) or "").partition("\n\n")[0]
        classes.append(_class(name, summary, _constructor(kind, _QUANTUS_OPTIONS)))
    return _file(_QUANTUS, [_all(CLASSES), *classes])


def _class(name: str, summary: str, *methods: str) -> str:
    body = f'"""{summary}"""\n\n' + "\n".join(methods)
    return f"class {name}(Metric):\n{textwrap.indent(body, '    ')}"


_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_KEYWORDS = inspect.Parameter("keywords", inspect.Parameter.VAR_KEYWORD)


def _constructor(kind: type, types: Mapping[str, str]) -> str:
    return _def("__init__", [_SELF, *inspect.signature(kind).parameters.values()], types, "None")


def _def(name: str, parameters: Iterable[inspect.Parameter], types: Mapping[str, str], returns: str) -> str:
    written = []
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        text = f"{parameter.name}: {types.get(parameter.name) or _ARGUMENTS.get(parameter.name, 'Any')}"
        if parameter.default is not inspect.Parameter.empty:
            text += f" = {_literal(parameter.default)}"
        written.append({_SELF: "self", _KEYWORDS: f"**{text}"}.get(parameter, text))
    return _bracketed(f"def {name}", "(", written, f") -> {returns}: ...")


def _type(parameter: Parameter) -> str:
    """Return the annotation of a parameter, with what only Python accepts."""
    also = list(_ALSO.get(parameter.name, ()))
    if parameter.takes_functions:
        also += _FUNCTIONS[parameter.name]
    return " | ".join([parameter.annotation, *also])


def _typed_dict(name: str, types: Mapping[str, str]) -> str:
    fields = [f"{field}: {kind}" for field, kind in types.items()]
    return f"class {name}(TypedDict, total=False):\n" + textwrap.indent("\n".join(fields), "    ")


def _camel(text: str) -> str:
    return "".join(word.capitalize() for word in text.replace("_", " ").split())


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _all(names: Iterable[str]) -> str:
    return _bracketed("__all__: list[str] = ", "[", map(_literal, names), "]")


def _bracketed(before: str, left: str, items: Iterable[str], right: str) -> str:
    """Return a line with items in brackets, broken between items if it is too long."""
    parts = list(items)
    line = f"{before}{left}{', '.join(parts)}{right}"
    if len(line) <= _WIDTH:
        return line
    # A null character keeps the spaces of an item together.
    text = ", ".join(part.replace(" ", "\0") for part in parts)
    indent = " " * 4
    filled = textwrap.fill(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return f"{before}{left}\n{filled}\n{right}".replace("\0", " ")


def _file(header: str, parts: Iterable[str], blank_lines: int = 1) -> str:
    separator = "\n" * (blank_lines + 1)
    return separator.join([header.strip("\n").format(written=_WRITTEN), *parts]) + "\n"


if __name__ == "__main__":
    for path, text in files().items():
        (Path(sys.argv[1]) / path).write_text(text, encoding="utf-8", newline="\n")
