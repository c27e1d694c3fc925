"""The examples on the pages of metrics: in Rust, on the command line and in Python."""

import csv
import inspect
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rust
from command import run
from markdown import code, parameters
from xai_metrics import attribution, casebased, graph, repro
from xai_metrics._described import parameters_of
from xai_metrics.attribution import metrics

ROOT = Path(__file__).parents[2]
FILES = "crates/xai-cli/tests/data/examples"
TEST = "crates/xai-attribution/tests/metrics/examples.rs"


# Attribution: one example, that tests run in Rust, on the command line and in Python.


def data():
    """The page of the data that the examples of attribution metrics share."""
    rust = (ROOT / TEST).read_text("utf-8")
    files = (ROOT / FILES / "make.py").read_text("utf-8")
    return f"""# The data of the examples

The examples of all attribution metrics are about one quadratic model of 16 features and two classes, and maps that take it for
a linear one: four inputs, which are images of 4 × 4 pixels for the metrics that need images. The same data are made in Rust, as
files for the command line, and in Python (on each page). The value of a metric is the same in all three, to four decimals; tests
compare them. The models in files compute in single precision.

## Rust

This is the test. The function `value` is the example of each metric, by its entry in the registry.

{code(rust, "rust")}

## Files for the command line

They lie in the folder `{FILES}`; this makes them:

{code(files, "python")}
"""


def of_attribution(info, xai, has_command):
    if info.example is None:
        function = getattr(attribution, info.name)
        name = f"`xai_metrics.attribution.{info.name}`"
        return ["## Example in Python", f"It has a function of its own, {name}.", code(doctest(function), "pycon")]
    settings = '&[("n_classes".into(), 2_usize.into())]' if _needs_classes(info) else "&[]"
    rust = f"""use xai_attribution::Evaluate;
use xai_attribution::metric::registry;

let metric = registry::find("{info.name}")?.build::<f64>({settings})?;
let value = metric.evaluate_on(data)?.value; // {info.example}"""
    parts = [
        "## Example",
        f"On [the data of the examples](../example.md) its value is **{info.example}**.",
        "### Rust", code(rust, "rust"), "### Command line",
    ]
    if has_command:
        kind = "tabular" if "tabular" in info.layouts else "images"
        command, folder = command_of(info, xai, kind), ROOT / FILES / kind
        parts += [f"In the folder `{FILES}/{kind}`:", code(command, "sh"), "prints", code(run(xai, command, folder), "text")]
    else:
        parts.append("It is in the libraries alone, for it needs what no file holds.")
    return [*parts, "### Python", code(doctest(metrics.by_name(info.name)), "pycon")]


def _needs_classes(info):
    return any(parameter.name == "n_classes" for parameter in info.parameters)


def command_of(info, xai, kind):
    """The first example in the help of a metric."""
    name = info.name.replace("_", "-")
    lines = run(xai, f"xai attribution {name} --help", ROOT).splitlines()
    command = next(line.strip() for line in lines if line.strip().startswith(f"xai attribution {name} "))
    classes = " --n-classes 2" if _needs_classes(info) else ""
    return command + classes + (" --channels last" if kind == "images" else "")


def doctest(documented):
    """The examples of a docstring, without what is said between them."""
    text = inspect.getdoc(documented).partition("Examples\n--------\n")[2]
    return "\n\n".join(part for part in text.split("\n\n") if part.startswith(">>>"))


# The other families: one command for the metrics that one result has, with data of a few numbers.


@dataclass
class Worked:
    """An operation on small data: on the command line, and in Python, which has to have the same numbers."""

    family: str
    command: str
    #: The file below `crates`, and the item whose documentation has the example in Rust.
    rust: tuple
    #: The place of each metric in the JSON.
    metrics: dict
    #: The files by name: an array, a table as rows, or the path of a file of the repository.
    files: dict
    #: The call in Python, which is given the arrays by the names of their files.
    python: str = ""
    #: A number of its result, by the name of the metric.
    number: Callable = getattr
    #: The parameters that the command has.
    described: str = ""

    def run(self, xai):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in self.files.items():
                _write(Path(folder) / name, content)
            self.printed = run(xai, self.command, folder)
            self.found = json.loads(run(xai, f"{self.command} --json", folder))
        return self

    def value(self, name):
        """The number of a metric on the command line, which is that of Python."""
        found = self.found
        for key in self.metrics[name].split("."):
            found = found[key]
        return found

    def check(self):
        """Python has the same numbers."""
        if not self.python:
            return
        given = {_variable(name): content for name, content in self.files.items()}
        modules = {"casebased": casebased, "graph": graph, "repro": repro}
        result = eval(self.python, {**modules, **given})
        for name in self.metrics:
            ours, theirs = self.value(name), self.number(result, name)
            same = ours is None if theirs is None else ours is not None and abs(ours - theirs) < 1e-12
            assert same, (self.python, name, ours, theirs)

    def parts(self, info):
        """The parameters and the examples of a metric."""
        doc = rust.documentation(*self.rust)
        value = self.value(info.name)
        shown = "undefined" if value is None else round(value, 4)
        parts = []
        if self.described:
            named = self.command.partition(" --")[0]
            parts += ["## Parameters", f"Those of `{named}`.", parameters(parameters_of(self.described))]
        parts += ["## Examples", "### Rust", code(rust.example(doc), "rust")]
        parts += ["### Command line", f"Its value here is **{shown}**. Where the files hold"]
        parts += [code("\n".join(f"{name}: {_shown(content)}" for name, content in self.files.items()), "none")]
        parts += ["and", code(self.command, "sh"), "prints", code(self.printed, "text")]
        if self.python:
            parts += ["### Python", code(f"{self.python_code()}  # {info.name}: {shown}", "python")]
        return parts

    def python_code(self):
        """The call, and the arrays that it is given."""
        given = ((_variable(name), content) for name, content in self.files.items())
        used = [f"{name} = {content!r}" for name, content in given if re.search(rf"\b{name}\b", self.python)]
        return "\n".join([f"from xai_metrics import {self.family}", "", *used, self.python])


def _variable(file):
    return file.partition(".")[0]


def _write(file, content):
    if isinstance(content, Path):
        file.write_bytes((ROOT / content).read_bytes())
    elif file.suffix == ".csv":
        with file.open("w", newline="") as table:
            csv.writer(table).writerows(content)
    else:
        np.save(file, np.asarray(content))


def _shown(content):
    return content.as_posix() if isinstance(content, Path) else json.dumps(content)


def _places(names, place="{}"):
    return {name: place.format(name) for name in names}


def _mean(result, name):
    return result.summary(name).mean


MODELS = Path("crates/xai-cli/tests/data/models")
OF_PAIRS, OF_NUMBERS, OF_RUNS = (
    [info.name for info in repro.metric_infos() if info.kind == kind] for kind in ("pair", "regression", "all runs")
)
OF_TRUTH = ("accuracy", "recall", "precision", "f1_score", "auroc", "average_precision", "jaccard")
OF_MASK = ("size", "sparsity", "entropy", "component_share", "component_ratio", "components_per_node")
RUNS = [[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]]

OPERATIONS = [
    Worked(
        "graph", "xai graph fidelity --full full.npy --kept kept.npy --complement complement.npy",
        ("xai-graph/src/fidelity/metric.rs", "fidelity"),
        _places(("pos_fidelity", "neg_fidelity", "characterization")),
        {"full.npy": [0, 1, 2, 1], "kept.npy": [0, 1, 2, 0], "complement.npy": [1, 0, 2, 0]},
        "graph.fidelity(full, kept, complement)",
        lambda fidelity, name: getattr(fidelity, name.removesuffix("_fidelity")),
    ),
    Worked(
        "graph",
        "xai graph robust-fidelity --model gnn.onnx --features gnn_features.npy --edge-index gnn_edges.npy --edge-mask mask.npy --probabilities",
        ("xai-graph/src/fidelity/robust.rs", "RobustFidelityMetric"),
        {
            "robust_pos_fidelity": "pos",
            "robust_neg_fidelity": "neg",
            "robust_fidelity_delta": "delta",
            "robust_pos_probability": "by_probability.pos",
            "robust_neg_probability": "by_probability.neg",
            "robust_probability_delta": "by_probability.delta",
        },
        {
            **{name: MODELS / name for name in ("gnn.onnx", "gnn_features.npy", "gnn_edges.npy")},
            "mask.npy": [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        },
        described="graph.robust_fidelity",
    ),
    Worked(
        "graph", "xai graph fidelity-auc --pos pos.npy --neg neg.npy --x sizes.npy",
        ("xai-graph/src/fidelity/curve_auc.rs", "fidelity_curve_auc"),
        {"fidelity_auc": "value"},
        {"pos.npy": [1.0, 1.0, 0.5, 1.0], "neg.npy": [0.0, 0.5, 0.5, 0.9], "sizes.npy": [0.0, 1.0, 2.0, 3.0]},
        "graph.fidelity_curve_auc(pos, neg, sizes)",
        lambda area, _: area,
    ),
    Worked(
        "graph", "xai graph unfaithfulness --full full.npy --kept kept.npy --return-type probs",
        ("xai-graph/src/unfaithfulness/metric.rs", "unfaithfulness"),
        {"unfaithfulness": "value"},
        {"full.npy": [[0.5, 0.5]], "kept.npy": [[0.25, 0.75]]},
        'graph.unfaithfulness(full, kept, return_type="probs")',
        lambda found, _: found.value,
        "graph.unfaithfulness",
    ),
    Worked(
        "graph", "xai graph groundtruth --predicted mask.npy --target truth.npy",
        ("xai-graph/src/ground_truth/evaluate.rs", "ground_truth"),
        _places(OF_TRUTH),
        {"mask.npy": [0.9, 0.4, 0.6, 0.1], "truth.npy": [1.0, 1.0, 0.0, 0.0]},
        "graph.ground_truth(mask, truth)",
        described="graph.ground_truth",
    ),
    Worked(
        "graph", "xai graph mask --mask mask.npy --edge-index edges.npy --threshold 0.5",
        ("xai-graph/src/mask/properties.rs", "MaskMetric.evaluate_edges"),
        _places(OF_MASK),
        {"mask.npy": [0.9, 0.8, 0.1], "edges.npy": [[0, 2, 1], [1, 3, 2]]},
        "graph.mask_properties(mask, 0.5, edge_index=edges)",
        described="graph.mask_properties",
    ),
    Worked(
        "casebased", "xai casebased correspondence --neighbors neighbors.csv --predicted cat",
        ("xai-casebased/src/correspondence/metric.rs", "correspondence"),
        {"correspondence": "correspondence"},
        {"neighbors.csv": [["distance", "label"], [0.1, "cat"], [0.2, "cat"], [0.3, "cat"], [0.5, "dog"], [0.8, "cat"]]},
        'casebased.compute_correspondence([(i, *row) for i, row in enumerate(neighbors[1:])], "cat")',
        lambda found, _: found[0],
        "casebased.correspondence",
    ),
    Worked(
        "casebased",
        "xai casebased audit --train train.csv --test test.csv --label y --predicted p --k 2 --scale false",
        ("xai-casebased/src/result/audit/mod.rs", "Audit"),
        {
            "mean_correspondence": "mean_correspondence",
            "expected_calibration_error": "expected_calibration_error",
            "accuracy": "distribution.accuracy",
            "auroc_of_right": "distribution.auroc_of_right",
        },
        {
            "train.csv": [["x", "y"], [0.0, 0], [0.5, 0], [1.0, 1]],
            "test.csv": [["x", "y", "p"], [0.1, 0, 0], [0.8, 1, 1], [0.9, 0, 1]],
        },
        "casebased.CaseExplainer([[0.0], [0.5], [1.0]], [0, 0, 1], k=2, scale=False)"
        ".audit([[0.1], [0.8], [0.9]], y_test=[0, 1, 0], predictions=[0, 1, 1])",
        described="casebased.explainer",
    ),
    Worked(
        "repro", "xai repro pairwise --predictions runs.npy --labels labels.npy",
        ("xai-repro/src/pairwise/options.rs", "Pairwise"),
        _places(OF_PAIRS, "metrics.{}.mean"),
        {"runs.npy": RUNS, "labels.npy": [0, 1, 1, 0]},
        "repro.pairwise(runs, labels)",
        _mean,
        "repro.pairwise",
    ),
    Worked(
        "repro", "xai repro pairwise --predictions runs.npy --labels labels.npy",
        ("xai-repro/src/across_runs/agreement.rs", "Agreement.new"),
        _places(OF_RUNS),
        {"runs.npy": RUNS, "labels.npy": [0, 1, 1, 0]},
        "repro.agreement(runs)",
    ),
    Worked(
        "repro", "xai repro regression --predictions runs.npy --targets targets.npy",
        ("xai-repro/src/regression/reproducibility.rs", "RegressionReproducibility"),
        _places(OF_NUMBERS, "metrics.{}.mean"),
        {"runs.npy": [[1.0, 1, 4, 2], [1.0, 0, 2, 2]], "targets.npy": [1.0, 2, 3, 4]},
        "repro.regression(runs, targets)",
        _mean,
    ),
]


def worked(family, xai):
    """The operation of each metric of a family, run and checked."""
    found = {}
    for operation in OPERATIONS:
        if operation.family == family:
            operation.run(xai).check()
            found |= dict.fromkeys(operation.metrics, operation)
    return found
