"""Metrics and keywords are called and described alike in the library, on the command line and in Python."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import subprocess
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xai_metrics import _native, attribution, find
from xai_metrics.attribution import _keywords, metrics
from xai_metrics.casebased import data_attribution

FAMILIES = {name: importlib.import_module(f"xai_metrics.{name}") for name, _, _ in _native.families()}
INFOS = [info for module in FAMILIES.values() for info in module.metric_infos()]
BUILT = [info for info in attribution.metric_infos() if not info.has_call_of_its_own]
CRATES = Path(__file__).parents[2]
XAI = Path(os.environ.get("XAI", CRATES.parent / "target/debug/xai"))

needs_xai = pytest.mark.skipif(not XAI.is_file(), reason="the program xai is not built")
by_name = pytest.mark.parametrize("info", INFOS, ids=lambda info: f"{info.family}.{info.name}")


@cache
def xai(*command: str) -> str:
    return subprocess.run([XAI, *command], check=True, capture_output=True, encoding="utf-8").stdout


def test_every_module_has_its_part_of_the_table_of_all_families() -> None:
    table = [(metric["family"], metric["name"], len(metric["parameters"]), metric["optional"]) for metric in _native.metrics()]
    assert table == [(info.family, info.name, len(info.parameters), list(info.optional)) for info in INFOS]
    for _, title, summary in _native.families():
        assert title and summary.endswith("?")
    kinds = {(info.family, info.kind) for info in INFOS if info.kind}
    assert kinds == {("casebased", "data attribution"), ("repro", "pair"), ("repro", "all runs"), ("repro", "regression")}


def test_every_metric_is_found_by_its_name() -> None:
    names = [info.name for info in INFOS]
    for info in INFOS:
        assert find(f"{info.family}.{info.name}") is info
        assert find(f"{info.family}.{info.name}".upper().replace("_", "-")) is info
        if names.count(info.name) == 1:
            assert find(info.name) is info
        else:
            with pytest.raises(ValueError, match=rf"is the name of several: .*{info.family}\.{info.name}"):
                find(info.name)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("kendall-w", "reliability.kendall_w"),
        ("lds", "casebased.linear_datamodeling_score"),
        ("PixelFlipping", "attribution.deletion"),
        ("quantus.PixelFlipping", "attribution.deletion"),
        ("class_detection", "casebased.class_detection"),
        ("DropInConfidence", "attribution.average_drop"),
        ("ROADCombined", "attribution.road"),
        ("pytorch-grad-cam.IncreaseInConfidence", "attribution.average_increase"),
        ("quanda.MRRMetric", "casebased.mean_reciprocal_rank"),
        ("dattri.loo_corr", "casebased.leave_one_out_correlation"),
        ("sklearn.metrics.cohen_kappa_score", "repro.pa_kappa"),
    ],
)
def test_names_of_other_packages_and_families_are_found(name: str, found: str) -> None:
    info = find(name)
    assert f"{info.family}.{info.name}" == found


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("kendal_w", r"got 'kendal_w', did you mean reliability\.kendall_w"),
        ("class_detections", r"did you mean casebased\.class_detection or casebased\.subclass_detection"),
        ("torch_geometric.explain.metric.fidelity", r"several: graph\.pos_fidelity .* or graph\.neg_fidelity"),
        ("ClassificationMetric", r"average_drop \(torchcam.ClassificationMetric \(avg_drop\)\) or .*conf_increase"),
        ("MetaEvaluation", r"did you mean reliability\.\w+ \(metaquantus.MetaEvaluation"),
        ("zzz", r"got 'zzz', expected a name that metric_infos\(\) of a module has: attribution, casebased, counterfactual, graph"),
    ],
)
def test_names_that_no_metric_has_are_answered_with_near_ones(name: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        find(name)


def test_a_metric_of_another_family_is_named_with_it() -> None:
    with pytest.raises(ValueError, match=r"metric: got 'kendall-w', did you mean reliability\.kendall_w\?"):
        metrics.by_name("kendall-w")
    with pytest.raises(ValueError, match="metrics: correspondence judges no attributions"):
        data_attribution.compare({"e": [[1.0]]}, "correspondence")


@pytest.mark.skipif(not (CRATES / "xai-core/METRICS.md").is_file(), reason="the tables are not here")
def test_the_tables_of_the_library_have_the_same_metrics() -> None:
    rows = []
    for family in FAMILIES:
        crate = "core" if family == "reliability" else family
        table = (CRATES / f"xai-{crate}/METRICS.md").read_text("utf-8").partition("\n\n")[0]
        for line in table.splitlines()[2:]:
            name, *cells = (cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            rows.append((name.strip("`").replace("-", "_"), *cells))
    ours = [(i.name, i.summary, i.direction, i.range, ", ".join(i.needs), i.source) for i in INFOS]
    assert sorted(rows) == sorted(ours)


@needs_xai
def test_the_command_line_lists_the_same_metrics_of_all_families() -> None:
    listed = json.loads(xai("list", "--json"))["metrics"]
    assert [(metric["family"], metric["name"].replace("-", "_")) for metric in listed] == [(i.family, i.name) for i in INFOS]
    for theirs, info in zip(listed, INFOS, strict=True):
        ours = info.to_dict()
        for field in ("title", "summary", "direction", "range", "needs", "source", "formula", "extremes", "limits", "elsewhere", "example"):
            assert theirs[field] == ours[field], (info.name, field)
        assert theirs["invariance"] == {"scale": info.is_scale_free, "mirror": info.mirror}
        parameters = [(p.name, p.doc, p.expected, list(p.default) if isinstance(p.default, tuple) else p.default) for p in info.parameters]
        assert [(p["name"], p["doc"], p["expected"], p["default"]) for p in theirs["parameters"]] == parameters


@needs_xai
@pytest.mark.parametrize(
    ("group", "module"), [("attribution", attribution), ("casebased attribution", data_attribution)]
)
def test_the_list_of_a_family_is_its_part_of_the_list_of_all(group: str, module: Any) -> None:
    listed = {metric["name"]: metric for metric in json.loads(xai(*group.split(), "list", "--json"))["metrics"]}
    assert [name.replace("-", "_") for name in listed] == [info.name for info in module.metric_infos()]
    of_all = [{k: v for k, v in one.items() if k != "family"} for one in json.loads(xai("list", "--json"))["metrics"]]
    assert all(metric in of_all for metric in listed.values())


@needs_xai
@pytest.mark.parametrize(
    ("group", "module"), [("attribution", attribution), ("casebased attribution", data_attribution)]
)
def test_every_parameter_is_an_option_with_its_words_and_its_default(group: str, module: Any) -> None:
    listed = json.loads(xai(*group.split(), "list", "--json"))["metrics"]
    commands = {of["name"].replace("-", "_"): of.get("command", f"xai {group} {of['name']}") for of in listed}
    for info in module.metric_infos():
        command = commands[info.name]
        if command is None:
            continue
        text = " ".join(xai(*command.split()[1:], "--help").split())
        for parameter in info.parameters:
            name = parameter.name.replace("_", "-")
            option = re.search(rf" --{name} (?=[<A-Z[]).*?(?= --[a-z][a-z-]+ [<[]| Options of every command|$)", text)
            assert option, (info.name, name)
            assert all(re.split(r"[:[]", word)[0] in option[0] for word, _ in parameter.words), (info.name, name)
            if isinstance(parameter.default, (int, float, str)) and not isinstance(parameter.default, bool) and name != "seed":
                default = re.search(r"\[default: (.*?)\]( |$)", option[0])
                assert default, (info.name, name)
                assert default[1] == str(parameter.default) or float(default[1]) == float(parameter.default), (info.name, name)


@needs_xai
@pytest.mark.parametrize(
    ("section", "infos", "inputs"),
    [
        ("attribution", BUILT, _native.attribution_inputs()),
        ("data_attribution", data_attribution.metric_infos(), _native.data_attribution_inputs()),
        ("repro", [i for i in FAMILIES["repro"].metric_infos() if i.kind == "pair"], []),
    ],
)
def test_studies_take_every_metric_and_input(section: str, infos: list[Any], inputs: list[dict[str, Any]]) -> None:
    keys = json.loads(xai("report", "schema", "study"))["properties"][section]["anyOf"][0]["properties"]
    metric_list = keys["metrics"]["anyOf"][0]["pattern"]
    for info in infos:
        assert re.match(metric_list, info.name), info.name
    assert infos and not re.match(metric_list, "no_metric")
    per_explainer = keys.get("explainers", {}).get("anyOf", [{}])[0].get("properties", {})
    for spec in inputs:
        option = (spec["option"] or spec["name"]).replace("-", "_")
        if option == "draws" or (spec["element"] in ("function", "model") and option != "model"):
            continue  # not stored in files
        assert option in keys or option in per_explainer or option in ("explanations", "attributions"), option


@needs_xai
def test_words_are_those_of_the_command_line() -> None:
    text = xai("attribution", "compare", "--help")
    words = _native.attribution_words()
    standard = re.search(r"`standard` are ([\w\-, ]+);", " ".join(text.split()))
    assert standard and tuple(standard[1].replace("-", "_").split(", ")) == attribution.STANDARD
    of_activation = text.partition("--activation ")[2].partition("\n\n")[2].partition("[default")[0]
    assert re.findall(r"- ([\w-]+):", of_activation) == words["activation"]


def test_words_in_signatures_and_documentation_are_those_of_the_library() -> None:
    words = _native.attribution_words()
    for name, also in (("activation", []), ("layout", [])):
        documented = _keywords._documented()[name].splitlines()[0]
        # What is the default without a word has one, too.
        known = [word for word in words[name] if word != "none"]
        assert re.findall(r'"([\w-]+)"', documented) == known + also


def test_the_keywords_of_evaluate_are_those_of_its_parts() -> None:
    parts = [*vars(_keywords.SideInputs()), *(field.name for field in fields(_keywords.Scoring))]
    assert sorted(_keywords.EvaluateKeywords.__annotations__) == sorted(parts)
    for function in (attribution.evaluate, attribution.evaluate_part, attribution.evaluate_stream, attribution.base_scores):
        taken = inspect.signature(function).parameters
        assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in taken.values())
        for kind in (_keywords.SideInputs(), _keywords.Scoring()):
            for name, default in vars(kind).items():
                if name in taken:
                    assert taken[name].default is default
    assert set(parts) < set(inspect.signature(attribution.evaluate).parameters)
    with pytest.raises(TypeError, match=r"evaluate\(\) got an unexpected keyword argument 'layouts'"):
        attribution.evaluate(None, None, None, {}, layouts="tabular")  # type: ignore[call-arg]


@pytest.mark.parametrize("info", BUILT, ids=lambda info: info.name)
def test_what_a_metric_needs_and_its_parameters_are_arguments(info: Any) -> None:
    kind = metrics.by_name(info.name)
    settings = inspect.signature(kind).parameters
    assert {p.name: p.default for p in info.parameters} == {n: p.default for n, p in settings.items() if n != "draws"}
    arguments = inspect.signature(kind.evaluate).parameters
    of_table = {*inspect.signature(attribution.evaluate).parameters, "explanations", "explainer"}
    for need in info.needs:
        assert need.replace(" ", "_") in arguments and need.replace(" ", "_") in of_table


@pytest.mark.parametrize("info", data_attribution.metric_infos(), ids=lambda info: info.name)
def test_what_a_metric_of_attributions_needs_is_an_argument(info: Any) -> None:
    taken = inspect.signature(getattr(data_attribution, info.name)).parameters
    named = [*info.needs, *info.optional, *(p.name for p in info.parameters), "n_jobs"]
    assert list(taken) == named
    assert all(taken[p.name].default == p.default for p in info.parameters)
    of_table = {*inspect.signature(data_attribution.compare).parameters, "attributions"}
    assert of_table.issuperset([*info.needs, *info.optional])


@by_name
def test_every_metric_is_described(info: Any) -> None:
    for field in ("title", "summary", "range", "needs", "formula", "source"):
        assert getattr(info, field), field
    assert info.direction in ("higher", "lower", "none") and not info.summary.endswith((".", "?"))
