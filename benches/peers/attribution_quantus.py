"""Attribution metrics: Quantus on torch."""
import numpy as np
import quantus
import torch
from captum.metrics import infidelity

from compare import Peer, close

VERSIONS = ["quantus", "captum", "torch", "numpy"]
PERCENTAGES = [10, 30, 50, 70, 90]
SAMPLES, CHANNELS, SIDE, CLASSES = 64, 3, 64, 10
FEATURES = CHANNELS * SIDE * SIDE
OFF = dict(disable_warnings=True, display_progressbar=False)


class Linear:
    """Images, their classes, and a linear model whose maps say all about it."""

    def __init__(self, data):
        shape = (SAMPLES, CHANNELS, SIDE, SIDE)
        self.x = data.rng.random(shape, dtype="float32")
        self.y = data.rng.integers(0, CLASSES, SAMPLES)
        weights = 0.03 * data.rng.standard_normal((FEATURES, CLASSES), dtype="float32")
        bias = 0.1 * data.rng.standard_normal(CLASSES, dtype="float32")
        self.net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(FEATURES, CLASSES)).eval()
        with torch.no_grad():
            self.net[1].weight.copy_(torch.from_numpy(weights.T.copy()))
            self.net[1].bias.copy_(torch.from_numpy(bias))
        self.gradients = weights.T.reshape(CLASSES, CHANNELS, SIDE, SIDE)
        # What each element adds to the score over the smallest element of its sample, the peer's baseline.
        self.a = (self.x - self.x.min((1, 2, 3), keepdims=True)) * self.gradients[self.y]
        self.random = data.rng.standard_normal(shape, dtype="float32")
        data.save(random=self.random, inputs=self.x, maps=self.a, targets=self.y, weights=weights, bias=bias)

    def explain(self, model, inputs, targets, **_):
        return np.asarray(inputs) * self.gradients[np.asarray(targets)]

    def ask(self, metric, a=None, **extra):
        a = self.a if a is None else a
        return metric(model=self.net, x_batch=self.x, y_batch=self.y, a_batch=a, channel_first=True, **extra)


def quantus_linear(data):
    linear = Linear(data)

    def mean(name, run, tolerance, slow=False):
        compare = lambda answer, ours: close([np.mean(answer)], ours("value"), tolerance, 1e-3)
        return Peer("quantus " + name, run, 1, {f"quantus_{name}": compare}, slow)

    def pixel_flipping(name, step):
        metric = quantus.PixelFlipping(features_in_step=step, return_auc_per_sample=True, normalise=False, abs=False, **OFF)
        return mean(name, lambda: linear.ask(metric), 1e-3)

    correlation = quantus.FaithfulnessCorrelation(nr_runs=100, subset_size=224, normalise=False, abs=False, return_aggregate=False, **OFF)
    sensitivity = quantus.MaxSensitivity(nr_samples=200, normalise=False, abs=False, **OFF)
    maps = linear.explain(linear.net, linear.x, linear.y)
    def noisy(inputs, baselines=None):
        noise = torch.from_numpy(0.1 * data.rng.standard_normal(inputs.shape, dtype="float32"))
        return noise, inputs - noise

    x, a, y = torch.from_numpy(linear.x), torch.from_numpy(linear.random), torch.from_numpy(linear.y)

    def captum_infidelity():
        with torch.no_grad():
            return infidelity(linear.net, noisy, x, a, target=y, n_perturb_samples=64, max_examples_per_batch=256).numpy()

    # Its noise is drawn: the mean over samples and draws has a standard deviation of some percent.
    compare = lambda answer, ours: close([np.mean(answer)], ours("value"), 0.1)
    captum = Peer("captum infidelity", captum_infidelity, 1, {"captum_infidelity": compare})
    return [
        captum,
        pixel_flipping("pixel_flipping", 256),
        pixel_flipping("pixel_flipping_384", 32),
        mean("faithfulness_correlation", lambda: linear.ask(correlation), 1e-3),
        # Its noise is drawn, and the largest of 200 draws hardly differs from draw to draw.
        mean("max_sensitivity", lambda: linear.ask(sensitivity, maps, explain_func=linear.explain), 0.05, slow=True),
    ]


def quantus_grey(data):
    """ROAD: of images of several channels the peer fails."""
    shape = (SAMPLES, 1, SIDE, SIDE)
    x, a = data.rng.random(shape, dtype="float32"), data.rng.standard_normal(shape, dtype="float32")
    weights = 0.03 * data.rng.standard_normal((SIDE * SIDE, CLASSES), dtype="float32")
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(SIDE * SIDE, CLASSES)).eval()
    with torch.no_grad():
        net[1].weight.copy_(torch.from_numpy(weights.T.copy()))
        net[1].bias.zero_()
        y = net(torch.from_numpy(x)).argmax(1).numpy()
    data.save(inputs=x, maps=a, targets=y, weights=weights, bias=np.zeros(CLASSES, dtype="float32"))
    road = quantus.ROAD(percentages=PERCENTAGES, normalise=False, abs=False, **OFF)
    run = lambda: road(model=net, x_batch=x, y_batch=y, a_batch=a, channel_first=True)
    # Its noise is drawn; a few of the samples change sides with it.
    compare = lambda answer, ours: close([answer[p] for p in PERCENTAGES], ours("accuracies"), 0.0, 0.1)
    return [Peer("quantus road", run, 1, {"quantus_road": compare}, slow=True)]


WORKLOADS = {"quantus_linear": quantus_linear, "quantus_grey": quantus_grey}
