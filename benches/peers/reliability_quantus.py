"""Tests of metrics by perturbation: metaquantus over Quantus on torch."""
import numpy as np
import quantus
import torch

from absent import stand_for
from compare import Peer, close

stand_for("torchvision", "seaborn", "transformers", "zennit")
from metaquantus.meta_evaluation import MetaEvaluation  # noqa: E402
from metaquantus.perturbation_tests.ipt import InputPerturbationTest  # noqa: E402

VERSIONS = ["metaquantus", "quantus", "torch", "numpy"]
SAMPLES, SIDE, CLASSES, PERTURBATIONS = 16, 32, 10, 1
PLAIN = dict(normalise=False, abs=False, disable_warnings=True, display_progressbar=False)
# Of a negative value the peer takes a logarithm.
OF_SIZES = {**PLAIN, "abs": True}
MINOR, DISRUPTIVE = 0.001, 1.0


def metaquantus(data):
    """A linear model, so that what is measured is not the model; five explainers of it, ten metrics."""
    from xai_metrics import attribution

    x = data.rng.random((SAMPLES, 1, SIDE, SIDE), dtype="float32")
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(SIDE * SIDE, CLASSES)).eval()
    weights = 0.1 * data.rng.standard_normal((CLASSES, SIDE * SIDE), dtype="float32")
    with torch.no_grad():
        net[1].weight.copy_(torch.from_numpy(weights))
        net[1].bias.zero_()
        y = net(torch.from_numpy(x)).argmax(1).numpy()
    of_class, any_map = weights.reshape(CLASSES, 1, SIDE, SIDE), data.rng.random((1, SIDE, SIDE), dtype="float32")
    explainers = {
        "gradient": lambda x, y: of_class[y],
        "input_x_gradient": lambda x, y: x * of_class[y],
        "absolute": lambda x, y: np.abs(of_class[y]),
        "square": lambda x, y: x * x * of_class[y],
        "same": lambda x, y: x * any_map,
    }
    subsets, near = dict(subset_size=64), dict(neighborhood="around")
    metrics = {
        "faithfulness_correlation": (
            quantus.FaithfulnessCorrelation(nr_runs=50, return_aggregate=False, **subsets, **PLAIN),
            attribution.MuFidelity(
                features="positions", n_subsets=50, correlation="pearson", baseline="sample-min", **subsets
            ),
        ),
        "pixel_flipping": (
            quantus.PixelFlipping(features_in_step=32, return_auc_per_sample=True, **PLAIN),
            attribution.Deletion(steps="every:32", baseline="sample-min"),
        ),
        "faithfulness_estimate": (
            quantus.FaithfulnessEstimate(features_in_step=32, **PLAIN),
            attribution.FaithfulnessEstimate(group_size=32, baseline="sample-min"),
        ),
        "monotonicity_correlation": (
            quantus.MonotonicityCorrelation(features_in_step=32, nr_samples=10, **PLAIN),
            attribution.MonotonicityCorrelation(group_size=32, n_values=10),
        ),
        "sparseness": (quantus.Sparseness(**OF_SIZES), "sparseness"),
        "complexity": (quantus.Complexity(**OF_SIZES), "complexity"),
        "effective_complexity": (quantus.EffectiveComplexity(**OF_SIZES), "effective-complexity"),
        "max_sensitivity": (
            quantus.MaxSensitivity(nr_samples=10, **PLAIN),
            attribution.MaximumStability(radius=0.2, n_neighbors=10, distance="relative", **near),
        ),
        "avg_sensitivity": (
            quantus.AvgSensitivity(nr_samples=10, **PLAIN),
            attribution.AverageStability(radius=0.2, n_neighbors=10, distance="relative", **near),
        ),
        "local_lipschitz": (
            quantus.LocalLipschitzEstimate(nr_samples=10, **PLAIN),
            attribution.LocalLipschitz(neighborhood="gaussian", radius=0.1, n_neighbors=10),
        ),
    }

    def explain(model, inputs, targets, method=None, **_):
        return explainers[method](np.asarray(inputs), np.asarray(targets))

    def theirs():
        tests = {
            "Input Resilience Test": InputPerturbationTest(type="resilience", noise=MINOR),
            "Input Adversary Test": InputPerturbationTest(type="adversary", noise=DISRUPTIVE),
        }
        values = {}
        for name, (metric, _) in metrics.items():
            meta = MetaEvaluation(
                tests,
                {method: {} for method in explainers},
                iterations=1,
                nr_perturbations=PERTURBATIONS,
                explain_func=explain,
                write_to_file=False,
            )
            meta(estimator=metric, model=net, x_batch=x, y_batch=y, score_direction="higher")
            values[name] = meta.results_eval_scores["Input Resilience Test"]
        return values

    def ours():
        own = [of for _, of in metrics.values()]
        counts = dict(n_iterations=1, n_perturbations=PERTURBATIONS)
        judged = attribution.meta_consistency(
            net, x, explainers, own, minor=MINOR, disruptive=DISRUPTIVE, **counts
        )
        return {"judged": judged}

    data.package["meta_consistency"] = (lambda: ours, 1)

    def compare(answer, of):
        """What both make of maps alone, before perturbations: the rest depends on draws."""
        table = of("judged").table
        same = ["sparseness", "complexity"]
        return close(
            [answer[name][method] for name in same for method in explainers],
            [table[name][method].per_sample for name in same for method in explainers],
            1e-4,
        )

    return [Peer("metaquantus", theirs, 1, {"meta_consistency": compare}, slow=True)]


WORKLOADS = {"metaquantus": metaquantus}
