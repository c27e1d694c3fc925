"""Attribution metrics: Quantus and Captum on torch."""
import time

import numpy as np
import quantus
import torch
from captum.metrics import infidelity, sensitivity_max

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


class Timed(torch.nn.Module):
    """A network, and the seconds that it and its gradients took."""

    def __init__(self, net):
        super().__init__()
        self.net, self.seconds = net, 0.0

    def timed(self, call, *arguments):
        start = time.perf_counter()
        answer = call(*arguments)
        self.seconds += time.perf_counter() - start
        return answer

    def forward(self, inputs):
        return self.timed(self.net, inputs)

    def gradients(self, inputs, targets):
        return self.timed(gradients, self.net, inputs, targets)


def gradients(net, inputs, targets):
    """The gradient of the score of each target, which all sides take for the map."""
    x = torch.as_tensor(inputs).detach().requires_grad_()
    with torch.enable_grad():
        scores = net(x).gather(1, torch.as_tensor(targets)[:, None])
        return torch.autograd.grad(scores.sum(), x)[0]


class Cnn:
    """Images, a small network with random weights, the classes that it predicts, and the maps.

    Of images with one channel the same features are removed on both sides, and ROAD of the peer does not fail.
    """

    def __init__(self, data):
        self.data, self.x = data, data.rng.random((SAMPLES, 1, 32, 32), dtype="float32")
        torch.manual_seed(0)
        block = lambda before, after: [torch.nn.Conv2d(before, after, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
        last = torch.nn.Linear(2048, CLASSES)
        self.net = torch.nn.Sequential(*block(1, 16), *block(16, 32), torch.nn.Flatten(), last).eval()
        with torch.no_grad():
            # Scores of a few units, and samples of several classes.
            last.weight *= 20
            last.bias -= self.net(torch.from_numpy(self.x)).mean(0)
            self.y = self.net(torch.from_numpy(self.x)).argmax(1).numpy()
        self.a = gradients(self.net, self.x, self.y).numpy()
        self.timed = Timed(self.net)

    def quantus(self, name, metric, *how, **more):
        explain = lambda model, inputs, targets, **_: gradients(model, inputs, targets).numpy()
        given = dict(x_batch=self.x, y_batch=self.y, a_batch=self.a, explain_func=explain, channel_first=True)
        return self.peer("quantus", name, lambda: metric(model=self.net, **given), *how, **more)

    def peer(self, package, name, run, ours, tolerance, read=np.mean, answer=lambda value: value.value, slow=False):
        """A peer, and ours beside it: `read` and `answer` make of the two answers what is compared."""

        def ours_timed():
            self.timed.seconds, start = 0.0, time.perf_counter()
            value = ours()
            return {"answer": answer(value), "model": self.timed.seconds / (time.perf_counter() - start)}

        self.data.package[f"cnn_{name}"] = (lambda: ours_timed, 1)
        compare = lambda theirs, of: close(read(theirs), of("answer"), *tolerance)
        return Peer(f"{package} {name}", run, 1, {f"cnn_{name}": compare}, slow)


def cnn(data):
    from xai_metrics import attribution

    cnn, plain = Cnn(data), dict(normalise=False, abs=False, **OFF)
    x, y, a = map(torch.from_numpy, (cnn.x, cnn.y, cnn.a))
    maps, explainer = (cnn.timed, x, y, a), ((a, cnn.timed.gradients), x, y)
    pixel_flipping = attribution.Deletion(steps="every:16", baseline="sample-min")
    correlation = attribution.MuFidelity(
        features="positions", subset_size=224, n_subsets=100, correlation="pearson", baseline="sample-min"
    )
    near = dict(distance="relative", neighborhood="around")
    max_sensitivity = attribution.MaximumStability(radius=0.2, n_neighbors=200, **near)
    sensitivity_of_captum = attribution.MaximumStability(radius=0.02, n_neighbors=10, **near)
    lipschitz = attribution.LocalLipschitz(neighborhood="gaussian", radius=0.1, n_neighbors=200)
    # The other classes that the peer draws.
    others = np.random.RandomState(42).randint(0, CLASSES - 1, SAMPLES)
    others += others >= cnn.y
    of_structure, of_ranks = (
        attribution.RandomLogit(n_classes=CLASSES, similarity=of, draws=others) for of in ("ssim", "spearman")
    )
    noisy = attribution.Infidelity(perturbation="gaussian:0.1", n_draws=10)
    road = attribution.RoadMostRelevantFirst(percentages=PERCENTAGES)

    def perturbed(inputs):
        noise = 0.1 * torch.randn_like(inputs)
        return noise, inputs - noise

    def captum_infidelity():
        with torch.no_grad():
            return infidelity(cnn.net, perturbed, x, a, target=y).numpy()

    explain = lambda inputs, target: (gradients(cnn.net, *inputs, target),)
    # Where both sides draw, means over the samples differ by some percent.
    return [
        cnn.quantus(
            "pixel_flipping",
            quantus.PixelFlipping(features_in_step=16, **plain),
            lambda: pixel_flipping.evaluate(*maps, activation="softmax"),
            (1e-3,),
            read=lambda curves: np.mean(curves, axis=0),
            answer=lambda value: value.curve.scores[1:],
        ),
        cnn.quantus(
            "faithfulness_correlation",
            quantus.FaithfulnessCorrelation(nr_runs=100, subset_size=224, return_aggregate=False, **plain),
            lambda: correlation.evaluate(*maps),
            (0.0, 0.06),
        ),
        cnn.quantus(
            "max_sensitivity",
            quantus.MaxSensitivity(nr_samples=200, **plain),
            lambda: max_sensitivity.evaluate(*explainer),
            (0.05,),
            slow=True,
        ),
        cnn.quantus(
            "local_lipschitz",
            quantus.LocalLipschitzEstimate(nr_samples=200, **plain),
            lambda: lipschitz.evaluate(*explainer),
            (0.05,),
            slow=True,
        ),
        cnn.quantus(
            "road",
            quantus.ROAD(percentages=PERCENTAGES, **plain),
            lambda: road.evaluate(*maps),
            (0.0, 0.1),
            read=lambda answer: [answer[p] for p in PERCENTAGES],
            answer=lambda value: value.curve.scores,
            slow=True,
        ),
        # Its structural similarity is that of maps as lines, ours of images: both are near 0.
        cnn.quantus(
            "random_logit",
            quantus.RandomLogit(num_classes=CLASSES, **plain),
            lambda: of_structure.evaluate(*explainer),
            (0.0, 0.05),
        ),
        cnn.quantus(
            "random_logit_spearman",
            quantus.RandomLogit(quantus.similarity_func.correlation_spearman, num_classes=CLASSES, **plain),
            lambda: of_ranks.evaluate(*explainer),
            (1e-4, 1e-6),
        ),
        cnn.peer("captum", "infidelity", captum_infidelity, lambda: noisy.evaluate(*maps), (0.2,)),
        cnn.peer(
            "captum",
            "sensitivity_max",
            lambda: sensitivity_max(explain, x, target=y).numpy(),
            lambda: sensitivity_of_captum.evaluate(cnn.timed.gradients, x, y),
            (0.05,),
        ),
    ]


WORKLOADS = {"quantus_linear": quantus_linear, "quantus_grey": quantus_grey, "cnn": cnn}
