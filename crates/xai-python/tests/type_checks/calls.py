# pyright: strict
"""Right and wrong calls. Type checkers must report the lines marked by an error, and no others."""

from typing import Any

import numpy as np
import numpy.typing as npt

from xai_metrics import Report, casebased, counterfactual, find, graph, repro
from xai_metrics import Reports  # error
from xai_metrics.attribution import (
    Batch,
    Comprehensiveness,
    Consistency,
    Continuity,
    Deletion,
    EvaluationTable,
    MaximumStability,
    MetricResult,
    MetricValue,
    MuFidelity,
    NonSensitivity,
    PointingGame,
    RandomLogit,
    RelevanceMassAccuracy,
    Road,
    Sparseness,
    TopKIntersection,
    base_scores,
    by_name,
    evaluate,
    evaluate_part,
    explain,
    map_similarity,
    metrics,
)
from xai_metrics.attribution import Delution  # error
from xai_metrics.attribution.metrics import Insertion, Metric
from xai_metrics.attribution.metrics import Inserton  # error
from xai_metrics.compat import quants  # error
from xai_metrics.compat.case_explainer import TreeLeafRetrieval
from xai_metrics.compat.quantus import PixelFlipping
from xai_metrics.compat.quantus import PixelFliping  # error
from xai_metrics.casebased import CaseExplainer, HiddenActivations, NeighborSearch, data_attribution
from xai_metrics.casebased.data_attribution import brittleness, class_detection, top_k_cardinality
from xai_metrics.casebased.data_attribution import class_detecton  # error
from xai_metrics.counterfactual import coverage, group_gap, proximity, validity
from xai_metrics.counterfactual import proximty  # error

x: npt.NDArray[np.float64] = np.ones((4, 6))
y: npt.NDArray[np.int64] = np.array([0, 1, 0, 1])
maps = {"mine": x, "random": "random"}


def model(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return rows[:, :2]


# Parameters of metrics.
Deletion()
Deletion(steps=20, baseline="mean", features="grid:7", ties="random:3")
Deletion(steps=None, baseline=np.zeros(6), max_fraction=0.5)
Deletion(steps=[1, 2, 4], baseline=[0.0, 1.0], draws=[[0, 1, 2, 3, 4, 5]] * 4)
Deletion(steps=np.arange(1, 5), baseline=lambda inputs: inputs.mean(axis=0))
Deletion(steps="every:2", baseline=[[0.0, 1.0], [1.0, 2.0]])
Deletion(max_fraction=np.float32(0.5), baseline=np.int64(1))
Deletion(step=3)  # error
Deletion(20)  # error
Deletion(max_fraction="half")  # error
Deletion(score="best")  # error
TopKIntersection(k=5, capped=True)
TopKIntersection(k=np.int64(5), ties="lowest_index")
TopKIntersection(k=0.1)
TopKIntersection(k="5")  # error
TopKIntersection(capped="yes")  # error
TopKIntersection(ties="lowest")  # error
MuFidelity(subset_size=0.3, n_subsets=50, correlation="kendall", seed=1)
MuFidelity(correlation="kendal")  # error
MuFidelity(n_subsets=0.5)  # error
Road(percentages=[10, 50.0], of="score")
Road(percentages=np.linspace(10, 90, 3))
Road(percentages="all")  # error
Continuity(shifts=range(1, 4), axes="both")
Continuity(shifts=[0.5])  # error
RandomLogit(n_classes="auto")
RandomLogit(n_classes=x.shape[1])
RandomLogit(n_classes="all")  # error
Consistency(discretizer=lambda values: int(values.argmax()))
MaximumStability(distance="l1", radius=0.2)
MaximumStability(distance=lambda a, b: float(abs(a - b).max()))
MaximumStability(neighborhood="near")  # error
NonSensitivity(more_baselines=["mean", 0.5])
PointingGame(pool="l2-norm", tolerance=1)  # error
Sparseness(pooled=True)  # error

# One metric for one explainer.
value: MetricValue = Deletion().evaluate(model, x, y, maps["mine"])
value = Deletion().evaluate(model, x, y, model, activation="softmax", batch_size=8)
value = Deletion().evaluate(model=model, inputs=x, targets=None, explanations=x, segments=np.arange(6), n_jobs=2)
value = RelevanceMassAccuracy().evaluate(x, x > 0.5)
value = RelevanceMassAccuracy().evaluate(x, mosaic=x, layout="channels_first")
value = Comprehensiveness(steps=[0.5]).evaluate(model, x.tolist(), y.tolist(), x.tolist())
mean: float = float(value)
per_sample: npt.NDArray[np.float64] = value.per_sample
Deletion().evaluate(model, x, y)  # error
Deletion().evaluate(model, x, y, x, activation="sofmax")  # error
Deletion().evaluate(model, x, y, x, activaton="softmax")  # error
Deletion().evaluate(model, x, y, x, layout="chanels-last")  # error
Deletion().evaluate(model, x, y, x, masks=x)  # error
RelevanceMassAccuracy().evaluate(x, x, model=model)  # error
value.per_samples  # error


# Several metrics for several explainers.
class Own:
    """A metric of a user."""

    name, direction = "own", "higher"
    reads = ("inputs", "explanations")

    def per_sample(self, batch: Batch) -> list[float]:
        return [0.0] * batch.n_samples


table: EvaluationTable = evaluate(model, x, y, maps)
table = evaluate(model, x, y, maps, "all", activation="log-softmax", layout="tabular")
table = evaluate(model, x, y, {"mine": (x, explain)}, ["deletion", MuFidelity(seed=2), Sparseness, Own(), Own], level=0.9)
table = evaluate(model, x, y, maps, ["deletion(steps=20)", "mu-fidelity"], masks=x, n_features=[6, 6, 5, 4])
table = evaluate(model, x, y, maps, {"few": Deletion(steps=3), "many": "insertion", "own": Own()})
table = evaluate(model, {"ids": x}, None, {"occlusion": ("occlusion", {"baseline": 3})}, Deletion())
table = evaluate(None, None, None, {"mine": [[0.0, 1.0]]}, ("sparseness",))
table = evaluate_part(model, x, y, maps, first_sample=4).merge(evaluate_part(model, x, y, maps)).table()
evaluate(model, x, y, maps, activation="sofmax")  # error
evaluate(model, x, y, maps, activations="softmax")  # error
evaluate(model, x, y, maps, ["deletion", 3])  # error
evaluate(model, x, y, maps, framework="pytorch")  # error
evaluate(model, x, y, [x])  # error
scores: npt.NDArray[np.float64] = base_scores(model, x, y, activation="none")
base_scores(model, x, y, explained_class=1)  # error
map_similarity(x, x, "pearson")
map_similarity(x, x, "cosine")  # error

# Results.
result: MetricResult = table["deletion"]
result = table["a name of the user"]
table[0]  # error
best: str = table["mu_fidelity"].ranking[0]
mean_value: float | None = table["deletion"]["mine"].value
table["deletion"]["mine"].values  # error
interval = table["deletion"]["mine"].interval
ends: list[float] = [] if interval is None else [interval.low, interval.high]
wrong_frame: int = table.to_pandas()  # error (pyright)
wrong_text: int = table.to_latex()  # error
kendall: float | None = table.reliability()["deletion"].kendall_w.value
kind: type[Metric] = by_name("deletion")
metric: Metric = metrics.Insertion(steps=3)
summary: str = find("deletion").summary
seeded: Metric = Insertion().with_seed(3)

# Repeated trainings.
runs = repro.pairwise([[0, 1], [1, 1], [0, 0]], [0, 1], metrics=["ec_local", "pa_acc"], empty_union="zero")
values: npt.NDArray[np.float64] = runs.pairs("ec_local")
runs.interval("pa_acc", 0.9, statistic="median", interval="bca", n_replicates=99, seed=2)
runs.interval("pa_acc", statistic=0.25)
runs.interval("pa_acc", interval="bootstrap")  # error
repro.pairwise(y, empty_unions="zero")  # error
repro.pairwise(y, empty_union="none")  # error
repro.PairwiseAccumulator("pa_acc", empty_union="drop").update(y, y).finish()
repro.compare_groups(y, y, y, n_assignments=10)["ec_local"].difference
repro.compare_groups(y, y, y, n_permutations=10)  # error
repro.class_distribution("exponential:0.5", 3, seed=2)
repro.SimulationStudy(10, n_samples=5).summary().metric("ec_global").values.mean
repro.SimulationStudy(10, samples=5)  # error
repro.agreement_interval(y, "cohen_kappa")  # error

# Counterfactuals.
near: float | None = proximity([[0, 0]], [[1, 1]], [0], distance="manhattan", over="best", n_jobs=1).value
proximity(x, x, schema={"income": "numeric"}, zero_scale="skip", distance="squared_euclidean")
proximity(x, x, distance="taxicab")  # error
validity(x, x, predictd=y)  # error
filled: float | None = coverage(x, x, requested=3).fill
gap: float | None = group_gap([1.0, None], ["a", "b"]).gap
methods = counterfactual.evaluate(x, {"mine": x}, ["proximity", "ynn(k=3)"], train=x, distance="mad")
share: float | None = methods["mine"]["proximity"].value
share = methods["mine"]["ynn(k=3)"].value
methods["mine"]["proximity"].per_sample  # error
counterfactual.evaluate(x, {"mine": x}, distance="near")  # error

# Explanations by training cases.
cases = CaseExplainer(x, y, k=3, distance="minkowski:3", weighting=lambda distances: 1 / (1 + distances), scale=False)
cases = CaseExplainer(x.tolist(), ["a", "b", "a", "b"], weighting={"inverse-power": {"exponent": 2}}, encode="one-hot")
correspondence: float = cases.explain_instance(x[0], predicted_class=1).correspondence
CaseExplainer(x, y, neighbors=3)  # error
CaseExplainer(x, y, k="3")  # error
CaseExplainer(x, y, encode="onehot")  # error
NeighborSearch(x, engine="kd-tree", distance="cosine")
NeighborSearch(x, metric="cosine")  # error
HiddenActivations(model, layer=1, output_weighting="none")
HiddenActivations(model, layer="last")  # error
casebased.compute_correspondence([(0, 0.1, "cat")], "cat", high=0.9, weighting="gaussian:0.5")
casebased.compute_correspondence([(0, 0.1, "cat")], "cat", top=0.9)  # error
detected: npt.NDArray[np.float64] = class_detection(x, y, y, k=2).per_sample
class_detection(x, y)  # error
unique: int = top_k_cardinality(x, k=2).unique
flips: float | None = brittleness(y, [1, 2], x).share_flipped  # error
compared = data_attribution.compare({"mine": x}, ["class_detection"], train_labels=y, test_classes=y, replicates=0)
detected = compared.results["mine"]["class_detection"].per_sample
data_attribution.compare({"mine": x}, training_labels=y)  # error

# Graphs.
truth = graph.ground_truth(x, x, threshold=0.3, selection="truth-size", zero_division=0)
area: float | None = truth.auroc
truth.auc  # error
graph.ground_truth(x, x, selection="largest")  # error
graph.fidelity(y, y, y, by="probability", return_type="log_probs")
graph.fidelity(y, y, y, by="probabilities")  # error
graph.unfaithfulness(x, x, return_type="probs", kl_direction="reverse").divergence
graph.unfaithfulness(x, x, direction="reverse")  # error


def network(features: Any, edge_index: Any, edge_weight: Any) -> Any:
    return features


graph.sweep(network, x, [[0, 1], [1, 0]], [0.9, 0.1], fractions=[0.5], removal="remove").best
graph.sweep(network, x, [[0, 1], [1, 0]], [0.9, 0.1], fractions=[0.5], removal="drop")  # error

# A page, and interfaces of other packages.
page: Report = table.report(title="Maps of a forest")
TreeLeafRetrieval(model, overflow="nearest")
PixelFlipping(features_in_step=2, normalise=False, compat=True)(model, x, y, a_batch=x)
PixelFlipping(features_per_step=2)  # error
