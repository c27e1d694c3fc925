"""Writes the classes of the metrics from the native registry.

``python tools/metric_classes.py --write`` writes ``python/xai_metrics/attribution/metrics.py``
anew; a test compares the file with what this would write.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from xai_metrics.attribution._registry import MetricInfo, OptionInfo, metric_infos

FILE = Path(__file__).parent.parent / "python/xai_metrics/attribution/metrics.py"

HEAD = '''"""Every metric of attribution maps and explainers, by its name in the registry.

A metric is an object with options. :func:`~xai_metrics.attribution.evaluate` takes any number of
them for any number of explainers; ``evaluate`` of the metric itself asks for one explainer what
the metric needs.

This file is written by ``tools/metric_classes.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ._options import Distance, Metric
from ._value import MetricValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._models import Framework

__all__ = [
    "Metric",
    "by_name",
{names}
]
'''

#: The arguments of ``evaluate``, by what a metric needs.
ARGUMENTS = {
    "model": "model",
    "inputs": "inputs",
    "targets": "targets",
    "explanations": "explanations",
    "explainer": "explainer",
    "masks": "masks",
    "segments": "segments",
    "reference maps": "reference_maps",
    "second maps": "second_maps",
    "representation": "representation",
}

#: How scores are taken, for metrics that ask a model or an explainer.
RUN = [
    ("activation", "str | None", "None"),
    ("batch_size", "int | None", "64"),
    ("layout", "str | None", "None"),
    ("framework", "Framework | None", "None"),
    ("device", "Any", "None"),
    ("n_jobs", "int | None", "None"),
]
OF_MAPS = [("layout", "str | None", "None"), ("n_jobs", "int | None", "None")]

#: Options whose type the name of their value does not tell.
TYPES = {
    "steps": "int | str | None",
    "baseline": "Any",
    "subset_fraction": "float",
    "classes": "int | None",
    "grid": "int | None",
    "top_k": "float",
    "percentages": "Sequence[float] | str",
    "sizes": "Sequence[int] | str",
    "shifts": "Sequence[int] | str",
    "near": "float | str",
    "bins": "int | str",
    "distance": 'Literal["l1", "l2", "relative"] | Distance',
    "map_distance": 'Literal["l1", "l2"]',
}
NUMBERS = ("SHARE", "SCORE", "SIGMA", "R", "CHANGE", "SIZE", "P")

#: What Python adds to the sentence of an option.
NOTES = {
    "steps": "``None`` or -1 for one per feature.",
    "grid": "``None`` for none.",
    "baseline": (
        "Or an array of the shape of one sample or of all inputs, or a function that is given the "
        "inputs and answers with such an array."
    ),
    "distance": "Or a function of two flattened maps.",
}


def class_name(info: MetricInfo) -> str:
    return "".join(word.capitalize() for word in info.name.split("_"))


def option_type(option: OptionInfo) -> str:
    if option.argument in TYPES:
        return TYPES[option.argument]
    if option.value_name == "true|false":
        return "bool"
    if "|" in option.value_name:
        words = ", ".join(f'"{word}"' for word in option.value_name.split("|"))
        return f"Literal[{words}]"
    if option.value_name in NUMBERS and option.argument != "perturbation":
        return "float"
    return "int" if option.value_name in ("N", "CELLS", "POSITIONS") else "str"


def option_default(option: OptionInfo) -> str:
    kind = option_type(option)
    if option.default == "":
        return "None"
    if kind == "bool":
        return option.default.capitalize()
    if kind == "float":
        return repr(float(option.default))
    if kind.startswith("int") and option.default.isdigit():
        return option.default
    if option.argument == "baseline":
        return option.default
    return f'"{option.default}"'


def arguments_of(info: MetricInfo) -> list[str]:
    """The arguments of ``evaluate``: what it needs, in the registry's order."""
    arguments = []
    for need in info.needs:
        arguments.append(f"{ARGUMENTS[need]}: Any")
    return arguments


def run_of(info: MetricInfo) -> list[tuple[str, str, str]]:
    asks = {"model", "explainer"} & set(info.needs)
    run = list(RUN if asks else OF_MAPS)
    of_segments = ("features", "ordered_features", "perturbation")
    features = any(option.argument in of_segments for option in info.options)
    if features and "segments" not in info.needs:
        run.insert(0, ("segments", "Any", "None"))
    if "masks" in info.needs and info.name == "focus":
        run.insert(0, ("mosaic", "Any", "None"))
    if not asks:
        run.insert(0, ("inputs", "Any", "None"))
    return run


def wrapped(text: str, indent: int, width: int = 100) -> str:
    pad = " " * indent
    return textwrap.fill(text, width, initial_indent=pad, subsequent_indent=pad)


def class_of(info: MetricInfo) -> str:
    name = class_name(info)
    better = {"higher": "higher", "lower": "lower", "none": "neither end"}[info.direction]
    needs = ", ".join(info.needs)
    lines = [f"class {name}(Metric):", *title_of(info), ""]
    lines += [f"    Better: {better}. Range: {info.range}."]
    lines += [wrapped(f"Needs: {needs}." + layouts_of(info), 4), ""]
    if info.is_whole:
        lines += ["    It relates all samples to each other: parts of a data set do not join.", ""]
    if info.options or info.draws:
        lines += ["    Parameters", "    ----------"]
        for option in info.options:
            lines += [f"    {option.argument} : {documented_type(option)}"]
            note = NOTES.get(option.argument)
            help = option.help.replace("`", "``") + "." + (f" {note}" if note else "")
            lines += [wrapped(help, 8)]
        if info.draws:
            drawn = f"{info.draws.capitalize()} drawn elsewhere, instead of own ones."
            lines += ["    draws : array-like, optional", wrapped(drawn, 8)]
        lines += [""]
    lines += ["    References", "    ----------", wrapped(info.source + ".", 4), ""]
    lines += ["    Examples", "    --------", f"    >>> {name}().info.direction"]
    lines += [f"    '{info.direction}'", '    """', ""]
    lines += [f'    name: ClassVar[str] = "{info.name}"', ""]
    parameters = [f"{o.argument}: {option_type(o)} = {option_default(o)}" for o in info.options]
    if info.draws:
        parameters.append("draws: Any = None")
    names = [o.argument for o in info.options] + (["draws"] if info.draws else [])
    star = ["*"] if parameters else []
    lines += definition("__init__", ["self", *star, *parameters], "None")
    passed = ", ".join(f"{n}={n}" for n in names)
    lines += [call("super().__init__", passed), ""]
    run = run_of(info)
    arguments = arguments_of(info)
    if info.name == "focus":
        arguments[1] += " = None"
    arguments += ["*", *(f"{n}: {kind} = {default}" for n, kind, default in run)]
    lines += definition("evaluate", ["self", *arguments], "MetricValue")
    lines += ['        """The value of one explainer, and one value per sample.', ""]
    lines += ["        The arguments are those of :func:`~xai_metrics.attribution.evaluate`."]
    if "explanations" in info.needs:
        lines += ["        Instead of maps, ``explanations`` may be an explainer that makes them."]
    lines += ['        """']
    lines += ["        return self._measure(locals())"]
    return "\n".join(lines) + "\n"


def title_of(info: MetricInfo) -> list[str]:
    title = f'    """{info.title}: {lower_first(info.question)}'
    if len(title) <= 100:
        return [title]
    return [f'    """{info.title}.', "", wrapped(info.question, 4)]


def layouts_of(info: MetricInfo) -> str:
    return "" if len(info.layouts) == 4 else f" Inputs: {' or '.join(info.layouts)}."


def documented_type(option: OptionInfo) -> str:
    kind = option_type(option)
    for literal in [part for part in kind.split(" | ") if part.startswith("Literal")]:
        kind = kind.replace(literal, "{" + literal[len("Literal[") : -1] + "}")
    kind = kind.replace("Any", "float, str, sequence or array-like")
    return f"{kind.replace(' | ', ' or ')}, default {option_default(option)}"


def definition(name: str, parameters: list[str], result: str) -> list[str]:
    line = f"    def {name}({', '.join(parameters)}) -> {result}:"
    if len(line) <= 100:
        return [line]
    return [f"    def {name}(", *(f"        {p}," for p in parameters), f"    ) -> {result}:"]


def call(function: str, arguments: str) -> str:
    line = f"        {function}({arguments})"
    if len(line) <= 100:
        return line
    inner = "\n".join(f"            {item}," for item in arguments.split(", "))
    return f"        {function}(\n{inner}\n        )"


def lower_first(text: str) -> str:
    return text[0].lower() + text[1:]


def generated() -> str:
    """The text of the file."""
    infos = [info for info in metric_infos() if not info.has_call_of_its_own]
    names = "\n".join(f'    "{class_name(info)}",' for info in infos)
    classes = "\n\n".join(class_of(info) for info in infos)
    table = "\n".join(f"        {class_name(info)}," for info in infos)
    tail = f'''

_BY_NAME: dict[str, type[Metric]] = {{
    metric.name: metric
    for metric in (
{table}
    )
}}


def by_name(name: str) -> type[Metric]:
    """The class of a metric by its name in tables.

    >>> by_name("mu_fidelity").__name__
    'MuFidelity'
    """
    return _BY_NAME[name]
'''
    return HEAD.replace("{names}", names) + "\n\n" + classes + tail


if __name__ == "__main__":
    if "--write" in sys.argv:
        FILE.write_text(generated(), encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != generated():
        sys.exit(f"{FILE} is not what the registry says; run with --write")
