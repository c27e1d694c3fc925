"""Cases of `differential.py` that need torch: the interfaces of Quantus, Captum and PyTorch Geometric beside the packages themselves,
and case-explainer. Each is there where its package is."""

import importlib.util
import math

import numpy as np
import torch

CLASSES = 4
QUIET = {"disable_warnings": True, "display_progressbar": False}


def is_there(*packages):
    return all(importlib.util.find_spec(package) for package in packages)


def draw_seed(rng):
    # All else is drawn from it: images and models do not become smaller as rows do.
    return {"seed": np.array([rng.integers(2**32)])}


def maps_as_they_are(rng, maps):
    """Maps as methods give them: of a model, of noise, with ties, mostly zero, far from zero."""
    kind = rng.integers(5)
    if kind == 1:
        maps = rng.normal(size=maps.shape)
    elif kind == 2:
        maps = np.round(maps, 1)
    elif kind == 3:
        maps = np.where(rng.random(maps.shape) < 0.9, 0.0, maps)
    elif kind == 4:
        maps = maps + 10.0
    # A map that says nothing has no value in most metrics.
    return np.where(np.ptp(maps, axis=(1, 2, 3), keepdims=True) == 0, rng.normal(size=maps.shape), maps).astype(np.float32)


def explain(model, inputs, targets, **_):
    """Input times gradient."""
    x = torch.as_tensor(np.asarray(inputs), dtype=torch.float32).requires_grad_()
    scores = model(x)[torch.arange(len(x)), torch.as_tensor(np.asarray(targets))]
    (gradient,) = torch.autograd.grad(scores.sum(), x)
    return (x * gradient).detach().numpy()


class Images:
    """A few images, a small network with random weights, and maps of it."""

    def __init__(self, rng):
        torch.manual_seed(int(rng.integers(2**31)))
        n, channels, self.side = int(rng.integers(2, 6)), int(rng.choice([1, 3])), int(rng.choice([8, 12]))
        self.channels = channels
        hidden = int(rng.integers(2, 6))
        self.model = torch.nn.Sequential(
            torch.nn.Conv2d(channels, hidden, 3),
            torch.nn.Tanh(),
            torch.nn.Flatten(),
            torch.nn.Linear(hidden * (self.side - 2) ** 2, CLASSES),
        ).eval()
        self.x = rng.random((n, channels, self.side, self.side)).astype(np.float32)
        self.y = rng.integers(0, CLASSES, n)
        self.a = maps_as_they_are(rng, explain(self.model, self.x, self.y))
        self.s = np.zeros((n, 1, self.side, self.side), dtype=bool)
        for mask in self.s:
            top, left = rng.integers(0, self.side - 2, 2)
            mask[0, top : top + rng.integers(1, 5), left : left + rng.integers(1, 5)] = True

    def ask(self, metric, seed, **further):
        np.random.seed(seed)
        call = {"s_batch": self.s, "explain_func": explain, "channel_first": True, **further}
        return metric(model=self.model, x_batch=self.x, y_batch=self.y, a_batch=self.a.copy(), **call)


#: Metrics of Quantus, and how their options are drawn. `compat=True` asks for the number of Quantus, where that is another one.
QUANTUS = {
    "FaithfulnessEstimate": lambda r: {"features_in_step": int(r.choice([4, 8])), "perturb_baseline": str(r.choice(["black", "white"]))},
    "PixelFlipping": lambda r: {"features_in_step": int(r.choice([4, 8])), "return_auc_per_sample": bool(r.integers(2))},
    "RegionPerturbation": lambda r: {"patch_size": int(r.integers(2, 6)), "order": str(r.choice(["morf", "lerf"])), "regions_evaluation": 3},
    "Selectivity": lambda r: {"patch_size": int(r.integers(2, 6))},
    "FaithfulnessCorrelation": lambda r: {"nr_runs": 10, "subset_size": int(r.integers(2, 30)), "return_aggregate": False},
    "MonotonicityCorrelation": lambda r: {"features_in_step": 8, "nr_samples": 4},
    "Infidelity": lambda r: {"perturb_patch_sizes": [int(r.integers(2, 5))], "n_perturb_samples": 1},
    "TopKIntersection": lambda r: {"k": int(r.integers(1, 40)), "concept_influence": bool(r.integers(2))},
    "RelevanceRankAccuracy": lambda r: {},
    "RelevanceMassAccuracy": lambda r: {"abs": bool(r.integers(2))},
    "AttributionLocalisation": lambda r: {"abs": bool(r.integers(2))},
    "PointingGame": lambda r: {"weighted": bool(r.integers(2))},
    "AUC": lambda r: {"abs": bool(r.integers(2))},
    "Complexity": lambda r: {},
    "Sparseness": lambda r: {},
    "EffectiveComplexity": lambda r: {"eps": float(r.choice([1e-5, 0.05, 0.5]))},
    "MaxSensitivity": lambda r: {"nr_samples": 4, "normalise": bool(r.integers(2)), "abs": bool(r.integers(2))},
    "AvgSensitivity": lambda r: {"nr_samples": 4},
    "LocalLipschitzEstimate": lambda r: {"nr_samples": 4, "normalise": bool(r.integers(2))},
    "Continuity": lambda r: {"nr_steps": int(r.integers(2, 6)), "normalise": bool(r.integers(2))},
    "RelativeInputStability": lambda r: {"nr_samples": 4, "return_nan_when_prediction_changes": bool(r.integers(2))},
    "RelativeOutputStability": lambda r: {"nr_samples": 4},
    "MPRT": lambda r: {"layer_order": str(r.choice(["bottom_up", "top_down", "independent"]))},
    "NonSensitivity": lambda r: {"features_in_step": 8},
    "Completeness": lambda r: {},
}


#: Whose numbers are shares of the sum of a map.
SHARES = ("AttributionLocalisation", "RelevanceMassAccuracy")


#: Whose numbers depend on the order of the values of a map.
ORDERED = ("FaithfulnessEstimate", "PixelFlipping", "RegionPerturbation", "Selectivity", "MonotonicityCorrelation", "TopKIntersection")
ORDERED += ("RelevanceRankAccuracy", "PointingGame")


def flat(scores):
    parts = scores.values() if isinstance(scores, dict) else [scores]
    return np.concatenate([np.asarray(part, float).ravel() for part in parts])


def interface_of_quantus(seed):
    import quantus
    from xai_metrics.compat import quantus as ours

    rng = np.random.default_rng(seed)
    images, chosen = Images(rng), int(rng.integers(2**31))
    name = str(rng.choice(list(QUANTUS)))
    options = QUANTUS[name](rng)
    sums, sizes = images.a.sum((1, 2, 3), dtype=float), np.abs(images.a).sum((1, 2, 3), dtype=float)
    if name in SHARES and not options.get("abs", True) and (np.abs(sums) < 1e-3 * sizes).any():
        # A share of a sum that is zero but for rounding: undefined here, some number there.
        return
    if name in ORDERED and any(len(np.unique(a)) < a.size for a in images.a):
        # Which of equal values comes first: an unstable sort there.
        return
    try:
        theirs = flat(images.ask(getattr(quantus, name)(**options, **QUIET), chosen))
    except (ValueError, AssertionError, IndexError, TypeError):
        # What it refuses, it has no number for.
        return
    found = flat(images.ask(getattr(ours, name)(**options, **QUIET, compat=True), chosen))
    yield f"{name} {options}: how many", len(found), len(theirs)
    # Models compute in single precision; where squares of small changes are ranked, two of 54 may change places.
    tolerance = 0.01 if name == "MonotonicityCorrelation" else 5e-4
    for at, (number, of_theirs) in enumerate(zip(found, theirs)):
        yield f"{name} {options} [{at}]", number, of_theirs, tolerance * max(1.0, abs(of_theirs))


def interface_of_captum(seed):
    import captum.attr
    import captum.metrics
    from xai_metrics.compat import captum_metrics as ours

    rng = np.random.default_rng(seed)
    images, chosen = Images(rng), int(rng.integers(2**31))
    inputs, target = torch.as_tensor(images.x), torch.as_tensor(images.y)
    maps = torch.as_tensor(images.a)
    normalize, largest = bool(rng.integers(2)), [None, 5][rng.integers(2)]
    norm = [1, 2, "fro", math.inf][rng.integers(4)]

    def noisy(x, baselines=None):
        noise = 0.1 * torch.randn_like(x)
        return noise, x - noise

    def both(asked):
        found = []
        for package in (ours, captum.metrics):
            torch.manual_seed(chosen)
            found.append(asked(package).numpy())
        return zip(*found)

    infidelity = lambda package: package.infidelity(
        images.model, noisy, inputs, maps, target=target, n_perturb_samples=6, max_examples_per_batch=largest, normalize=normalize
    )
    for number, theirs in both(infidelity):
        yield f"infidelity, normalize={normalize}", number, theirs, 2e-3 * max(1.0, abs(theirs))
    method = captum.attr.Saliency(images.model)
    sensitivity = lambda package: package.sensitivity_max(method.attribute, inputs, n_perturb_samples=4, norm_ord=norm, target=target)
    for number, theirs in both(sensitivity):
        yield f"sensitivity_max, norm={norm}", number, theirs, 5e-4 * max(1.0, abs(theirs))


def interface_of_pyg(seed):
    from torch_geometric.explain import metric as theirs
    from xai_metrics.compat.torch_geometric.explain import metric as ours

    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 400))
    scores = np.round(rng.random(n), int(rng.choice([1, 2, 7]))).astype(np.float32)
    truth = (rng.random(n) < rng.choice([0.05, 0.5, 0.9])).astype(np.float32)
    if 0 < truth.sum() < n:
        asked = torch.as_tensor(scores), torch.as_tensor(truth)
        # Of scores that are exactly at the threshold PyTorch Geometric's rounding decides.
        for number, of_theirs in zip(ours.groundtruth_metrics(*asked), theirs.groundtruth_metrics(*asked)):
            yield "groundtruth_metrics", number, of_theirs, 1e-5
    positive, negative = (torch.as_tensor(rng.random(n), dtype=torch.float32) for _ in range(2))
    weight = float(rng.uniform(0.05, 0.95))
    found = ours.characterization_score(positive, negative, weight, 1 - weight)
    for number, of_theirs in zip(found, theirs.characterization_score(positive, negative, weight, 1 - weight)):
        yield "characterization_score", number, of_theirs, 1e-5
    x = torch.linspace(0, 1, n)
    area = theirs.fidelity_curve_auc(positive, negative, x)
    # In single precision, and of a quotient that may be large.
    yield "fidelity_curve_auc", ours.fidelity_curve_auc(positive, negative, x), area, 1e-4 * max(1, abs(float(area)))


def cases_of_case_explainer(seed):
    from case_explainer import CaseExplainer as Theirs
    from xai_metrics.casebased import CaseExplainer

    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(8, 200)), int(rng.integers(1, 12)), int(rng.integers(1, 8))
    train = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d) + rng.choice([0.0, 100.0])
    labels, test = rng.integers(0, 3, n), train[rng.integers(0, n, 5)] + rng.normal(size=(5, d)) * 0.1
    predictions = rng.integers(0, 3, 5)
    asked = {"k": k}
    theirs = Theirs(train, labels, **asked).explain_batch(test, predictions=predictions)
    ours = CaseExplainer(train, labels, **asked).explain_batch(test, predictions=predictions)
    for number, of_theirs in zip(ours, theirs):
        yield "correspondence", number.correspondence, of_theirs.correspondence, 1e-9


#: Each with the packages that it needs.
CASES = {
    "interface_of_quantus": (interface_of_quantus, ("quantus",)),
    "interface_of_captum": (interface_of_captum, ("captum",)),
    "interface_of_pyg": (interface_of_pyg, ("torch_geometric", "torchmetrics")),
    "cases_of_case_explainer": (cases_of_case_explainer, ("case_explainer",)),
}


def cases():
    return {name: (draw_seed, lambda seed, compare=compare: compare(int(seed[0]))) for name, (compare, needs) in CASES.items() if is_there(*needs)}
