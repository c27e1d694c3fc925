"""Gathers the pages of the site in a folder, for Sphinx: the texts of the repository as they are, and what follows from the
descriptions of the metrics. `cargo xtask site` calls it, with the package for Python installed.

    python docs/site/pages.py XAI FOLDER          the binary `xai`, and the folder, which is made anew

Every command on a page is run. Its numbers are compared with those of Python: of attribution metrics by tests, of others here.
"""

import importlib
import inspect
import json
import re
import shutil
import sys
from pathlib import Path

import examples
import peers
import rust
from command import run
from markdown import cell, code, parameters, plain
from xai_metrics import _native, attribution, casebased, counterfactual, graph, repro
from xai_metrics.attribution import metric_infos

ROOT = Path(__file__).parents[2]
TEXTS = ["docs/*.md", "docs/guide/*.png", "crates/*/README.md", "crates/xai-attribution/GUIDE.md"]
#: Titles of the families; metrics of metrics have a page of another form.
FAMILIES = {name: title for name, title, _ in _native.families() if name != "reliability"}

#: The points of the guide about groups of metrics, by their first words, and which metrics these are.
GROUPS = {
    "Stability and": r"\w*_stability|local_lipschitz|continuity",
    "Localization and": r"pointing_game|relevance_\w*|\w*localization\w*|top_k_intersection|focus",
    "Pointing game and": r"pointing_game|relevance_\w*",
    "Randomization by": r"model_randomization|random_logit",
    "Agreement and": r"\w*_agreement|rank_correlation",
}


def main(xai, folder):
    xai, folder = Path(xai).resolve(), Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    for file in (file for pattern in TEXTS for file in ROOT.glob(pattern)):
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    home = (ROOT / "docs/site/index.md").read_text("utf-8")
    others = sorted(f"docs/{file.stem}" for file in ROOT.glob("docs/*.md") if f"docs/{file.stem}\n" not in home)
    home = home.replace("{others}", "\n".join(others)).replace("{README}", (ROOT / "README.md").read_text("utf-8"))
    write(folder / "index.md", home)
    guide = folder / "crates/xai-attribution/GUIDE.md"  # part of a page of the crate, without a title of its own
    write(guide, f"# Which metric for which question\n\n{guide.read_text('utf-8')}")
    listed = json.loads(run(xai, "xai attribution list --json", ROOT))["metrics"]
    of_command_line = {metric["name"].replace("-", "_") for metric in listed if metric["command"]}
    for info in metric_infos():
        page = of_attribution(info, xai, info.name in of_command_line)
        write(folder / f"metrics/attribution/{info.name}.md", page)
    for family, module in {"casebased": casebased, "graph": graph, "repro": repro}.items():
        worked = examples.worked(family, xai)
        for info in module.metric_infos():
            if info.kind == "data attribution":
                page = of_function(info, casebased.data_attribution, "xai casebased attribution", DEFINED["casebased"])
            elif info.name in worked:
                page = of_family(info, worked[info.name])
            else:
                page = of_function(info, module, None, DEFINED[family])
            write(folder / f"metrics/{family}/{info.name}.md", page)
    of_files = json.loads(run(xai, "xai counterfactual list --json", ROOT))["metrics"]
    with_command = {metric["name"].replace("-", "_") for metric in of_files}
    for info in counterfactual.metric_infos():
        command = "xai counterfactual" if info.name in with_command else None
        page = of_function(info, counterfactual, command, DEFINED["counterfactual"])
        write(folder / f"metrics/counterfactual/{info.name}.md", page)
    for family, title in FAMILIES.items():
        infos = importlib.import_module(f"xai_metrics.{family}").metric_infos()
        write(folder / f"metrics/{family}/index.md", table(title, infos))
    judged = (ROOT / "crates/xai-core/METRICS.md").read_text("utf-8").replace("\n### ", "\n## ")
    write(folder / "metrics/core/index.md", f"# Metrics judged\n\n{judged}")
    write(folder / "metrics/example.md", examples.data())
    for name, text in peers.pages():
        write(folder / f"coming-from/{name}.rst", text)
    for name, text in reference():
        write(folder / f"python/{name}.rst", text)


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def table(title, infos):
    rows = [f"| [{info.title}]({info.name}.md) | {cell(info.summary)} | {info.direction} | {cell(info.range)} |" for info in infos]
    pages = "\n".join(info.name for info in infos)
    return "\n".join([
        f"# {title}", "", f"{len(infos)} metrics.", "",
        "| metric | summary | better | range |", "|---|---|---|---|", *rows, "",
        "```{toctree}", ":hidden:", "", pages, "```", "",
    ])


def facts(info, more=()):
    facts = [
        ("name", f"`{info.name}`"),
        ("better", {"none": "neither: the value describes"}.get(info.direction, info.direction)),
        ("range", cell(info.range)),
        ("needs", ", ".join(info.needs)),
        *more,
        ("source", cell(info.source)),
    ]
    rows = [f"| {name} | {value} |" for name, value in facts if value]
    return "\n".join([f"# {info.title}", "", plain(f"{info.summary}."), "", "| | |", "|---|---|", *rows, ""])


def of_attribution(info, xai, has_command):
    inputs = "all kinds" if len(info.layouts) == 4 else " or ".join(info.layouts)
    elsewhere = ", ".join(f"`{peer}`" for peer in info.elsewhere)
    parts = [
        facts(info, [("inputs", inputs), ("elsewhere", elsewhere and f"{elsewhere}. The numbers may differ")]),
        "## Definition",
        "The value of one sample, where `x` is the input, `a` or `e(x)` its map, `f` the model, and `g(x)` the score of its target:",
        code(info.formula, "none"),
        plain(info.extremes),
    ]
    if info.is_whole:
        parts.append("Compares all samples with each other: results of parts of a data set cannot be merged.")
    if info.parameters:
        parts += ["## Parameters", parameters(info.parameters)]
    parts += ["## What it does not tell", plain(info.limits)]
    disagreeing = "\n".join(disagreement(info))
    parts += ["## Which metrics disagree with it", disagreeing] if disagreeing else []
    parts += examples.of_attribution(info, xai, has_command)
    return "\n\n".join(parts) + "\n"


def disagreement(info):
    """What the guide of the metrics says of one: by its name, or as one of a group."""
    guide = (ROOT / "crates/xai-attribution/GUIDE.md").read_text("utf-8")
    of_pairs = guide.partition("## Which metrics disagree, and why")[2]
    title = "".join(word.capitalize() for word in info.name.split("_"))
    named = re.compile(rf"(?<!\w)(?:{re.escape(info.title)}|(?-i:{title}))(?!\w)", re.IGNORECASE)
    for point in re.split(r"\n(?=- )", of_pairs.strip()):
        group = next((names for heading, names in GROUPS.items() if point.startswith(f"- **{heading}")), None)
        if re.fullmatch(group, info.name) if group else named.search(point):
            yield point


#: What the symbols of definitions mean, by family.
DEFINED = {
    "casebased": "The value of one test case `t`, where `τ_ti` is the attribution to training case `i`:",
    "counterfactual": "The value of one query `x` with its counterfactuals `x'`, where `d` is a distance:",
    "graph": "Where `V` and `E` are nodes and edges, and `V'` and `E'` those of the counterfactual:",
}


def of_function(info, module, group, defined):
    """The page of a metric that is a function of a module; its example is that of the function."""
    function = getattr(module, info.name)
    example = inspect.getdoc(function).partition("Examples\n--------\n")[2]
    elsewhere = ", ".join(f"`{peer}`" for peer in info.elsewhere)
    parts = [
        facts(info, [("elsewhere", elsewhere and f"{elsewhere}. The numbers may differ")]),
        "## Definition",
        defined,
        code(info.formula, "none"),
        plain(info.extremes),
    ]
    if info.parameters:
        parts += ["## Parameters", parameters(info.parameters)]
    parts += ["## What it does not tell", plain(info.limits)]
    parts += ["## Example", code(example.strip(), "pycon")]
    if group is not None:
        parts += ["On files:", code(f"{group} {info.name.replace('_', '-')} --help", "sh")]
    return "\n\n".join(parts) + "\n"


def of_family(info, worked):
    elsewhere = ", ".join(f"`{peer}`" for peer in info.elsewhere)
    parts = [
        facts(info, [("elsewhere", elsewhere and f"{elsewhere}. The numbers may differ")]),
        "## Definition",
        code(info.formula, "none"),
        plain(info.extremes),
    ]
    limits = plain(info.limits) if info.limits else rust.limits(info.family)
    parts += ["## What it does not tell", limits, *worked.parts(info)]
    return "\n\n".join(parts) + "\n"


def reference():
    """The pages of the package for Python. What several modules have is on the page of the first."""
    seen = set()
    for module in ("xai_metrics", "xai_metrics.attribution", "xai_metrics.attribution.metrics",
                   "xai_metrics.casebased", "xai_metrics.casebased.data_attribution", "xai_metrics.counterfactual", "xai_metrics.graph", "xai_metrics.repro",
                   "xai_metrics.reliability", "xai_metrics.spark", "xai_metrics.dask", "xai_metrics_sql"):  # fmt: skip
        listed = importlib.import_module(module)
        later = attribution.metrics.__all__ if module == "xai_metrics.attribution" else ()
        own = [name for name in listed.__all__ if name not in later and documented(listed, name) not in seen]
        seen |= {documented(listed, name) for name in own}
        members = ", ".join(name for name in own if documented(listed, name))
        yield module, f"{module}\n{'=' * len(module)}\n\n.. automodule:: {module}\n   :members: {members}\n"


def documented(module, name):
    """A class or a function of a module; nothing for a module or a value."""
    value = getattr(module, name)
    return value if inspect.isclass(value) or inspect.isroutine(value) else None


if __name__ == "__main__":
    main(*sys.argv[1:])
