"""What every public function, class and metric says of itself."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import re
from pathlib import Path
from typing import Any

import pytest
from xai_metrics import attribution, casebased, counterfactual, graph, reliability, repro
from xai_metrics.attribution import metric_infos, metrics

PUBLIC = [
    pytest.param(getattr(module, name), id=f"{module.__name__}.{name}")
    for module in (attribution, casebased, counterfactual, graph, reliability, repro)
    for name in module.__all__
]
FUNCTIONS = [case for case in PUBLIC if inspect.isroutine(case.values[0])]
CLASSES = [case for case in PUBLIC if inspect.isclass(case.values[0])]


def sections(documented: Any) -> dict[str, str]:
    """The sections of a NumPy docstring by their headings."""
    parts = re.split(r"(?:^|\n)([A-Z][a-z ]+)\n---+\n", inspect.getdoc(documented) or "")
    return dict(zip(parts[1::2], parts[2::2]))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_says_what_it_takes_and_returns_and_raises(function: Any) -> None:
    said = sections(function)
    named = re.findall(r"^\**(\w[\w, ]*?)(?: :.*)?$", said.get("Parameters", ""), re.MULTILINE)
    taken = [name for names in named for name in names.split(", ")]
    assert sorted(taken) == sorted(inspect.signature(function).parameters)
    assert set(said) >= ({"Returns", "Raises", "Examples"} if taken else {"Returns", "Examples"})
    assert ">>>" in said["Examples"] and all(text.strip() for text in said.values())


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_and_what_is_public_of_it_is_documented(kind: Any) -> None:
    own = [member for name, member in vars(kind).items() if not name.startswith("_")]
    described = [m for m in own if inspect.isroutine(m) or isinstance(m, property)]
    assert all(inspect.getdoc(member) for member in [kind, *described])


@pytest.mark.parametrize(
    "info", [info for info in metric_infos() if not info.has_call_of_its_own], ids=lambda i: i.name
)
def test_every_metric_says_how_its_number_is_read(info: Any) -> None:
    kind = metrics.by_name(info.name)
    text = " ".join((kind.__doc__ or "").split())
    limits = info.limits.replace("`", "``")
    for of in (info.formula, info.extremes, f"What it does not tell: {limits}", *info.elsewhere):
        assert of and " ".join(of.split()) in text
    assert f".value, 4) {info.example!r}" in sections(kind)["Examples"].replace("\n", " ")
    # The class is made when it is asked for, so that those who collect doctests do not find it.
    examples = doctest.DocTestParser().get_doctest(kind.__doc__ or "", {}, info.name, None, None)
    assert doctest.DocTestRunner().run(examples).failed == 0 < len(examples.examples)


def test_what_the_lines_of_the_readme_print_is_what_it_says() -> None:
    text = Path(__file__).parents[1].joinpath("README.md").read_text("utf-8")
    pairs = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(pairs) == 2
    for code, told in pairs:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, {})  # noqa: S102
        lines = [[line.rstrip() for line in of.splitlines()] for of in (printed.getvalue(), told)]
        assert lines[0] == lines[1]
