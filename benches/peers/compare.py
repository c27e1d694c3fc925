"""The peers and ours in turns, on the same data: `cargo xtask peers` runs this in each environment of the peers.

A module per family makes the data (seeded), keeps them as .npy for our process (`peers-ours serve`) and runs the peers in
this one. Both are timed in turns, so that other load on the machine slows both; before each round a pause lets the threads
of the other side stop spinning. A time is the best run of all rounds, and the table says beside it whether the two answers
agree. With `--python` ours is the package `xai_metrics` in this process, conversion included. With `--write` each table takes
the place of that of its family in `docs/benchmarks.md`, with processor, date and versions.
"""

import argparse
import datetime
import gc
import importlib
import os
import pathlib
import platform
import subprocess
import sys
import time
import warnings
from importlib.metadata import version
from itertools import groupby
from typing import NamedTuple


class Comparison(NamedTuple):
    """A workload of ours, and the peers that do the same."""

    module: str
    data: str
    ours: str
    work: str  # what is timed, and per which unit
    peers: dict[str, float | None]  # the ratio of each peer's time to ours to reach; None where it is only shown
    or_model: bool = False  # whether a ratio of 1 is enough where the model takes MODEL_SHARE of our time

    @property
    def names(self):
        """What asks for it; a module is named after its family and, behind that, its environment."""
        return {self.module.partition("_")[0], self.data, self.ours}

    @property
    def environment(self):
        """The Python environment that its peers need."""
        return self.module.partition("_")[2] or "peers"


# Those that share data stand next to each other.
COMPARISONS = [Comparison(*row) for row in [
    ("casebased", "knn_5d", "knn_5d", "5 nearest of 56 959 × 5, per query",
     {"sklearn kd_tree": 3, "sklearn brute": None, "faiss flat f32": None}),
    ("casebased", "knn_5d", "knn_5d_explain", "explain, 56 959 × 5, k = 5, per explanation", {"case-explainer": 3000}),
    ("casebased", "knn_30d", "knn_30d", "5 nearest of 284 807 × 30, per query", {"sklearn brute": 3, "faiss flat f32": 3}),
    ("casebased", "knn_30d", "knn_30d_explain", "explain, 284 807 × 30, k = 5, per explanation", {"case-explainer": None}),
    ("casebased", "knn_784d", "knn_784d", "5 nearest of 60 000 × 784, per query", {"sklearn brute": 4, "faiss flat f32": 0.9}),
    ("casebased", "clusters_12d", "clusters_chebyshev",
     "5 nearest of 200 000 × 12 in 100 clusters, chebyshev, per query", {"sklearn kd_tree chebyshev": 3}),
    ("casebased", "clusters_12d", "clusters_euclidean",
     "5 nearest of 200 000 × 12 in 100 clusters, euclidean, per query", {"sklearn kd_tree": 6}),
    ("casebased", "digits_64d", "digits_64d", "5 nearest of 60 000 × 64, digits and noise, per query", {"faiss flat f32": 5}),
    ("casebased", "uniform_20d", "uniform_20d", "50 nearest of 100 000 × 20, uniform, per query", {"faiss flat f32": 3}),
    ("casebased", "uniform_3d", "uniform_3d", "nearest of 1 000 000 × 3, uniform, per query", {"sklearn kd_tree": 6}),
    ("attribution", "mask", "mask", "mask and multiply, 64 × 224 × 224 × 3, f32", {"torch": 2}),
    ("attribution", "numpy_model", "numpy_model",
     "Deletion, 64 images 64 × 64 × 3, 50 steps, a linear model in Python", {"torch, whole batches": 0.8}),
    ("attribution", "torch_model", "torch_model", "Deletion, 128 images 3 × 32 × 32, 32 steps, a CNN in torch",
     {"a loop with batches of 64": 1}),
    ("attribution_xplique", "linear", "average_drop", "Average Drop, 64 images 64 × 64 × 3, a linear model",
     {"xplique average_drop": None}),
    ("attribution_xplique", "linear", "deletion", "Deletion, 64 images 64 × 64 × 3, 50 steps, a linear model",
     {"xplique deletion": 10}),
    ("attribution_quantus", "quantus_linear", "quantus_pixel_flipping",
     "Pixel-Flipping, 48 steps, 64 images 3 × 64 × 64, a linear model", {"quantus pixel_flipping": 30}),
    ("attribution_quantus", "quantus_linear", "quantus_pixel_flipping_384",
     "Pixel-Flipping, 384 steps, 64 images 3 × 64 × 64, a linear model", {"quantus pixel_flipping_384": 30}),
    ("attribution_quantus", "quantus_linear", "quantus_faithfulness_correlation",
     "Faithfulness Correlation, 100 subsets of 224, 64 images 3 × 64 × 64, a linear model", {"quantus faithfulness_correlation": 20}),
    ("attribution_quantus", "quantus_linear", "quantus_max_sensitivity",
     "Max-Sensitivity, 200 neighbours, 64 images 3 × 64 × 64, a linear model", {"quantus max_sensitivity": 100}),
    ("attribution_quantus", "quantus_linear", "captum_infidelity",
     "Infidelity, 64 draws of noise, 64 images 3 × 64 × 64, a linear model", {"captum infidelity": None}),
    ("attribution_quantus", "quantus_grey", "quantus_road",
     "ROAD, 5 percentages, 64 images 1 × 64 × 64, a linear model", {"quantus road": 10}),
    ("attribution_quantus", "cnn", "cnn_pixel_flipping", "Pixel-Flipping, 64 steps, 64 images 32 × 32, a CNN",
     {"quantus pixel_flipping": 3}, True),
    ("attribution_quantus", "cnn", "cnn_faithfulness_correlation",
     "Faithfulness Correlation, 100 subsets of 224, 64 images 32 × 32, a CNN", {"quantus faithfulness_correlation": 3}, True),
    ("attribution_quantus", "cnn", "cnn_max_sensitivity", "Max-Sensitivity, 200 neighbours, 64 images 32 × 32, a CNN",
     {"quantus max_sensitivity": 3}, True),
    ("attribution_quantus", "cnn", "cnn_local_lipschitz", "local Lipschitz, 200 neighbours, 64 images 32 × 32, a CNN",
     {"quantus local_lipschitz": 3}, True),
    ("attribution_quantus", "cnn", "cnn_road", "ROAD, 5 percentages, 64 images 32 × 32, a CNN", {"quantus road": 3}, True),
    ("attribution_quantus", "cnn", "cnn_random_logit", "Random Logit by SSIM, 64 images 32 × 32, a CNN",
     {"quantus random_logit": 1}),
    ("attribution_quantus", "cnn", "cnn_random_logit_spearman", "Random Logit by ranks, 64 images 32 × 32, a CNN",
     {"quantus random_logit_spearman": 1}),
    ("attribution_quantus", "cnn", "cnn_infidelity", "Infidelity, 10 draws of noise, 64 images 32 × 32, a CNN",
     {"captum infidelity": 1.2}),
    ("attribution_quantus", "cnn", "cnn_sensitivity_max", "Max-Sensitivity, 10 neighbours, 64 images 32 × 32, a CNN",
     {"captum sensitivity_max": 1.2}),
    ("graph", "groundtruth", "groundtruth", "ground-truth metrics, 5 M edges", {"PyG + torchmetrics": 10}),
    ("graph", "gef", "gef", "unfaithfulness, 1 M × 10, f32", {"torch as in PyG": 6}),
    ("graph", "fidelity", "fidelity", "both fidelities from outputs, 1 M × 10, f32", {"torch as in PyG": 3}),
    ("repro", "ec_pairs", "ec_pairs", "error consistency of 200 runs × 100 000 samples, packed before, per pair", {"numba": 100}),
    ("repro", "ec_pairs", "ec_pairs_raw", "error consistency of 200 runs × 100 000 samples, packing included, per pair",
     {"numba": None}),
    ("repro", "agreement_pairs", "agreement_pa", "percent agreement, 100 000 samples, 10 classes, packed before, per pair",
     {"numpy PA": 30}),
    ("repro", "agreement_pairs", "agreement_kappa", "Cohen's κ, 100 000 samples, 10 classes, packed before, per pair",
     {"sklearn kappa": 400}),
    ("repro", "agreement_pairs", "agreement_v", "Cramér's V, 100 000 samples, 10 classes, packed before, per pair",
     {"scipy Cramer V": 250}),
    ("repro", "agreement_pairs", "agreement_raw", "PA, κ and V of 6 runs × 100 000 samples, packing included, per pair",
     {"numpy + sklearn + scipy": None}),
    ("repro", "study", "study", "one draw of the simulation study: 5 runs × 1000 samples, 7 metrics", {"numpy/sklearn/scipy": 250}),
    *(("counterfactual", "counterfactual", f"cf_{name}", f"{work}, 1 000 × 4 counterfactuals, 10 000 × 20 rows", {peer: target})
      for name, work, peer, target in (
          ("sparsity", "sparsity", "CEval sparsity", None),
          ("ynn", "yNN, k = 5", "CEval yNN", None),
          ("relative_distance", "relative distance, Gower", "CEval relative_dist", None),
          ("redundancy", "redundancy", "CEval redundancy", None),
          ("nearest_euclidean", "5 nearest rows, Euclidean", "sklearn brute", None),
          ("nearest_manhattan", "5 nearest rows, Manhattan", "sklearn", None),
          ("nearest_gower", "5 nearest rows, Gower", "gower", None),
          ("lof", "local outlier factor, k = 20, training rows included", "sklearn LOF", None),
          ("diversity", "diversity, Euclidean", "SciPy pdist", None),
      )),
    *(("training_quantus", "quanda", name, f"{work}, 50 000 training cases", {f"quanda {name}": 10})
      for name, work in (
          ("class_detection", "class detection, k = 5, 1 000 test cases"),
          ("datamodeling", "linear datamodeling score, 100 subsets, 1 000 test cases"),
          ("shortcut_detection", "shortcut detection, 1 000 test cases"),
          ("mixed_datasets", "mixed datasets, 1 000 test cases"),
          ("top_k_cardinality", "cardinality of the top 5, 1 000 test cases"),
          ("model_randomization", "randomization of the model, by ranks, 1 000 test cases"),
          ("reciprocal_rank", "mean reciprocal rank, 1 000 test cases"),
          ("hit_at_k", "hit at 10, 1 000 test cases"),
          ("mislabeling_detection", "detection of wrong labels"),
      )),
    *(("texts_quantus", "ferret", f"ferret_{name}", f"{work}, 200 texts of 10 to 60 tokens", {f"ferret {name}": 10})
      for name, work in (
          ("comprehensiveness", "comprehensiveness, 10 shares"),
          ("sufficiency", "sufficiency, 10 shares"),
          ("tau_loo", "faithfulness estimate by Kendall's τ"),
          ("auprc", "precision-recall area of rationales"),
          ("token_f1", "token F1, k = 5"),
          ("token_iou", "token IOU, k = 5"),
      )),
    ("reliability_quantus", "metaquantus", "meta_consistency",
     "meta-consistency of 10 metrics, 5 explainers, a perturbation of either kind, 16 images 32 × 32", {"metaquantus": 10}),
]]
# The workloads of models in Python, which our binary cannot run.
OF_PYTHON = {c.ours for c in COMPARISONS if c.ours in ("numpy_model", "torch_model") or c.data in ("cnn", "counterfactual", "quanda", "ferret", "metaquantus")}
# The workloads that the package for Python is timed with, by what a module puts into `Data.package`.
FROM_PYTHON = OF_PYTHON | {"knn_5d", "knn_5d_explain", "knn_30d", "groundtruth", "gef", "fidelity", "ec_pairs",
                           "agreement_pa", "agreement_kappa", "agreement_v", "study"}
# The share of a ratio that is to be reached from Python, but of models in Python all of it.
FROM_PYTHON_SHARE = 0.8
MODEL_SHARE = 0.8
# The comparison in the documentation stands between these lines.
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/benchmarks.md"
START, END = "<!-- written by `cargo xtask peers --write` -->\n", "<!-- the end of what is written -->\n"
# One round is as many runs as fill these seconds, but at least so many: the first run finds the caches full of the
# other process's data, and its own threads idle.
ROUND, LEAST, SETTLE = 0.5, 3, 0.3


class Peer:
    """One peer on one workload.

    run() does it once and returns the answer; units is the units of work in one run; compare[OURS](answer, ours) gives
    (agrees, text), where ours(NAME) reads an array of our answer. Of a slow one a single run is a round.
    """

    def __init__(self, name, run, units, compare, slow=False):
        self.name, self.run, self.units, self.compare, self.slow, self.answer = name, run, units, compare, slow, None

    def prepare(self):
        self.answer = self.run()

    def time(self):
        """Seconds per unit, the best run of a round."""
        gc.collect()
        times = []
        while not times or not self.slow and (len(times) < LEAST or sum(times) < ROUND):
            start = time.perf_counter()
            self.answer = self.run()
            times.append(time.perf_counter() - start)
        return min(times) / self.units


class Data:
    """The arrays of one workload, seeded by its name, kept as .npy for our process."""

    def __init__(self, root, name):
        import numpy as np

        self.np, self.name, self.folder = np, name, root / name
        self.rng = np.random.default_rng(list(name.encode()))
        # By our name of a workload what prepares it in Python, giving a function whose answer is arrays by their names
        # (None where there is nothing to compare) and, as "model", the share of its time that a model took; and its units.
        self.package = {}

    def save(self, **arrays):
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, array in arrays.items():
            part = self.folder / f"{name}.part.npy"
            self.np.save(part, self.np.ascontiguousarray(array))
            part.replace(self.folder / f"{name}.npy")


class Ours:
    """Our process, which answers each line with a line."""

    def __init__(self, binary, root):
        self.process = subprocess.Popen([binary, "serve", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        print(command, file=self.process.stdin, flush=True)
        kind, _, text = self.process.stdout.readline().rstrip("\n").partition(" ")
        if kind not in ("ok", "seconds"):
            raise RuntimeError(f"ours: {command}: {text or 'it ended'}")
        return text

    def workload(self, name, data):
        ours = Peer("ours", None, 1, None)
        ours.prepare = lambda: self.ask(f"prepare {name}")
        ours.time = lambda: float(self.ask("time"))
        ours.read = lambda array: data.np.load(data.folder / "ours" / name / f"{array}.npy")
        return ours


class Package:
    """The package for Python, in this process."""

    def ask(self, _):
        """There is nothing to give back."""

    def workload(self, name, data):
        make, units = data.package[name]
        ours = Peer("ours", make(), units, None)
        ours.read = lambda array: ours.answer[array]
        return ours


def close(theirs, ours, rtol, atol=0.0):
    """(agrees, text) of two arrays, element by element; NaN equals NaN."""
    import numpy as np

    theirs, ours = np.asarray(theirs, dtype=np.float64), np.asarray(ours, dtype=np.float64)
    if theirs.shape != ours.shape:
        return False, f"shape {ours.shape} instead of {theirs.shape}"
    if (np.isnan(theirs) != np.isnan(ours)).any():
        return False, f"{int((np.isnan(theirs) != np.isnan(ours)).sum())} values undefined in one of the two answers only"
    off = np.abs(theirs - ours)
    agrees = bool(np.all((off <= atol + rtol * np.abs(theirs)) | np.isnan(theirs)))
    return agrees, f"{theirs.size} value{'s' * (theirs.size > 1)} within {float(np.nanmax(off, initial=0.0)):.1e}"


def take_turns(sides, rounds):
    """The best time of each side, or what it failed with; after a failure it is run no more."""
    best = [float("inf")] * len(sides)
    for at_round in range(-1, rounds):
        for i, side in enumerate(sides):
            if isinstance(best[i], float):
                try:
                    if at_round < 0:
                        side.prepare()
                    else:
                        time.sleep(SETTLE)
                        best[i] = min(best[i], side.time())
                except Exception as error:
                    best[i] = f"{type(error).__name__}: {error}".replace("\n", " ")
    return best


def digits(value):
    """Three significant digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def shown(seconds):
    """A time with the unit that fits; a dash where there is none."""
    if isinstance(seconds, str):
        return "—"
    units = (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9))
    unit, factor = next((unit, factor) for unit, factor in units if seconds * factor >= 1 or unit == "ns")
    return f"{digits(seconds * factor)} {unit}"


def row(work, peer, target, theirs, ours, problem=None):
    """A line of the table. The ratio is bold if it misses the target, which only a right answer can meet.

    >>> row("w", "p", 3, 11e-6, 2e-6)
    '| w | p | 11 µs | 2 µs | 5.5× | ≥ 3× |'
    >>> row("w", "p", 3, 11e-6, 2e-6, "differs: 7")
    '| w (differs: 7) | p | 11 µs | 2 µs | **5.5×** | ≥ 3× |'
    >>> row("w", "p", 3, 1.0, "ValueError: boom", "not compared")
    '| w (not compared) | p | 1 s | — | **—** | ≥ 3× |'
    """
    ratio = None if isinstance(theirs, str) or isinstance(ours, str) else theirs / ours
    is_met = target is None or ratio and ratio >= target and not problem
    ratio = f"{digits(ratio)}×" if ratio else "—"
    if problem:
        work = f"{work} ({problem})"
    cells = [shown(theirs), shown(ours), ratio if is_met else f"**{ratio}**", f"≥ {target:g}×" if target else "—"]
    return f"| {work} | {peer} | {' | '.join(cells)} |"


def compare(comparison, peers, ours, data, rounds):
    """The lines of one workload, and what failed or differs in it."""
    name, targets = comparison.ours, comparison.peers
    theirs = [peers[peer] for peer in targets]
    own = ours.workload(name, data)
    *best, our_best = take_turns([*theirs, own], rounds)
    lines, problems = [], []
    share = FROM_PYTHON_SHARE if isinstance(ours, Package) and name not in OF_PYTHON else 1
    model = (own.answer or {}).get("model")
    for peer, seconds in zip(theirs, best):
        failed = [f"{name} ({peer.name}): {time}" for time in (seconds, our_best) if isinstance(time, str)]
        if failed or isinstance(ours, Package) and own.answer is None:
            problem = "not compared"
        else:
            agrees, text = peer.compare[name](peer.answer, own.read)
            problem = None if agrees else f"differs: {text}"
            failed = [] if agrees else [f"{name} ({peer.name}): {problem}"]
            print(f"   {peer.name}: {text}", file=sys.stderr)
        target = targets[peer.name] and share * targets[peer.name]
        if model is not None:
            print(f"   the model takes {model:.0%} of our time", file=sys.stderr)
            target = 1 if comparison.or_model and model >= MODEL_SHARE else target
        lines.append(row(comparison.work, peer.name, target, seconds, our_best, problem))
        problems += failed
    return lines, problems


def machine():
    """The processor and the number of threads."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    return f"{model}, {os.cpu_count()} threads"


def with_section(document, heading, text):
    """The document with the text below this heading, between its two lines; other sections there stay as they are.

    >>> empty = f"a\\n{START}{END}b\\n"
    >>> one = with_section(empty, "graph", "1\\n")
    >>> two = with_section(with_section(one, "casebased", "2\\n"), "graph", "3\\n")
    >>> two == f"a\\n{START}\\n### casebased\\n\\n2\\n\\n### graph\\n\\n3\\n\\n{END}b\\n"
    True
    """
    before, start, rest = document.partition(START)
    written, end, after = rest.partition(END)
    if not (start and end):
        raise ValueError(f"{DOCUMENT}: the lines that enclose the comparison are missing: {START}{END}")
    sections = dict(section.split("\n\n", 1) for section in written.split("### ")[1:])
    sections[heading] = f"{text}\n"
    return before + start + "\n" + "".join(f"### {name}\n\n{sections[name]}" for name in sorted(sections)) + end + after


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="families, workloads or data; all where none is named")
    parser.add_argument("--quick", action="store_true", help="two rounds instead of five")
    parser.add_argument("--python", action="store_true", help="compare the package for Python")
    parser.add_argument("--write", action="store_true", help="also write the tables into docs/benchmarks.md")
    parser.add_argument("--environments", action="store_true", help="only print which environments are needed")
    parser.add_argument("--in", dest="environment", help="the environment that this is")
    parser.add_argument("--ours", help="the program peers-ours")
    parser.add_argument("--data", type=pathlib.Path, help="the folder of the data")
    asked = parser.parse_args()
    possible = [c for c in COMPARISONS if (c.ours in FROM_PYTHON if asked.python else c.ours not in OF_PYTHON)]
    if unknown := set(asked.names).difference(*(c.names for c in possible)):
        works = ", ".join(c.ours for c in possible)
        families = ", ".join(dict.fromkeys(c.module.partition("_")[0] for c in possible))
        parser.error(f"no family or workload {', '.join(unknown)}; families: {families}; workloads: {works}")
    if asked.write and (parts := set(asked.names) - {c.module.partition("_")[0] for c in possible}):
        parser.error(f"--write takes whole families, not {', '.join(parts)}: a table takes the place of that of its family")
    return asked, [c for c in possible if not asked.names or c.names & set(asked.names)]


def main():
    asked, chosen = arguments()
    if asked.environments:
        print(*dict.fromkeys(c.environment for c in chosen), sep="\n")
        return 0
    warnings.filterwarnings("ignore")
    # Only tables go to standard output; what libraries print goes to standard error.
    tables = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    rounds, problems = 2 if asked.quick else 5, []
    ours = Package() if asked.python else Ours(asked.ours, asked.data)
    for name, of_module in groupby((c for c in chosen if c.environment == asked.environment), key=lambda c: c.module):
        module = importlib.import_module(name)
        versions = ", ".join(f"{v} {version(v)}" for v in module.VERSIONS)
        heading = f"{name}, from Python" if asked.python else name
        date = datetime.date.today().isoformat()
        text = f"{machine()}; {date}; {versions}. Best of {rounds} alternating rounds.\n\n"
        text += "| work | reference | its time | ours | ratio | target |\n|---|---|---:|---:|---:|---|\n"
        print(f"\n### {heading}\n\n{text}", end="", file=tables)
        for name, of_data in groupby(of_module, key=lambda c: c.data):
            print(f"── {name}", file=sys.stderr)
            data = Data(asked.data, name)
            peers = {peer.name: peer for peer in module.WORKLOADS[name](data)}
            for comparison in of_data:
                lines, found = compare(comparison, peers, ours, data, rounds)
                print(*lines, sep="\n", file=tables)
                text += "".join(f"{line}\n" for line in lines)
                problems += found
            data = peers = None  # their memory is given back before the next ones are made
            ours.ask("release")
        if asked.write:
            document = DOCUMENT.read_text(encoding="utf-8")
            DOCUMENT.write_text(with_section(document, heading, text), encoding="utf-8")
    print(*problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.modules["compare"] = sys.modules["__main__"]  # so that the modules share these classes
    sys.exit(main())
