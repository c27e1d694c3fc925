"""The interfaces of the metrics of pytorch-grad-cam and torchcam, with values by hand."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from xai_metrics import _native
from xai_metrics.compat.pytorch_grad_cam.metrics import perturbation_confidence as confidence
from xai_metrics.compat.pytorch_grad_cam.metrics.arcc import Complexity, batch_pearson_coherency
from xai_metrics.compat.pytorch_grad_cam.metrics.perturbation_confidence import (
    RemoveLeastRelevantFirst,
    RemoveMostRelevantFirst,
)

#: A map of a ReLU, with 6 zeros among 10 pixels.
SPARSE = np.array([[0.0, 0.0, 0.4, 0.0, 1.0], [0.0, 0.3, 0.0, 0.2, 0.0]], np.float32)


@pytest.mark.parametrize(
    ("percentile", "n"), [(90, 1), (80, 2), (50, 5), (20, 8), (10, 9), (0, 10), (100, 1)]
)
def test_a_percentile_removes_as_many_pixels_whatever_the_ties(percentile: float, n: int) -> None:
    for kind in (RemoveMostRelevantFirst, RemoveLeastRelevantFirst):
        removed = kind(percentile, None).removed(SPARSE)
        assert removed.sum() == n
        # As many as where no two values are equal.
        distinct = np.arange(10, dtype=np.float32).reshape(2, 5) / 10
        assert kind(percentile, None, compat=True).removed(distinct).sum() == n


def test_the_first_of_equal_pixels_are_removed_and_with_compat_all() -> None:
    most = RemoveMostRelevantFirst(40, None).removed(SPARSE)
    assert np.flatnonzero(most).tolist() == [0, 1, 2, 4, 6, 8]
    assert RemoveMostRelevantFirst(40, None, compat=True).removed(SPARSE).all()
    least = RemoveLeastRelevantFirst(60, None)
    assert np.flatnonzero(least.removed(SPARSE)).tolist() == [0, 1, 3, 5]
    least.compat = True
    assert np.flatnonzero(least.removed(SPARSE)).tolist() == [0, 1, 3, 5, 7, 9]


def test_the_threshold_of_otsu_removes_what_is_relevant_and_with_compat_the_rest() -> None:
    cam = np.array([[0.0, 0.1, 0.05], [0.9, 0.8, 0.1]])
    relevant = [[False, False, False], [True, True, False]]
    assert RemoveMostRelevantFirst("auto", None).removed(cam).tolist() == relevant
    assert (~RemoveMostRelevantFirst("auto", None, compat=True).removed(cam)).tolist() == relevant
    with pytest.raises(ValueError, match=r"'auto' expects maps in \[0, 1\], got values from 0.0 to 2.0"):
        RemoveMostRelevantFirst("auto", None).removed(np.array([[0.0, 2.0]]))
    with pytest.raises(ValueError, match="percentile: expected a number from 0 to 100, or 'auto', got 'otsu'"):
        RemoveMostRelevantFirst("otsu", None)


def test_missing_pixels_are_the_weighted_mean_of_their_neighbours() -> None:
    image = np.arange(9, dtype=float).reshape(1, 1, 3, 3) ** 2
    missing = np.zeros((1, 3, 3), bool)
    missing[0, 1, 1] = missing[0, 0, 0] = True
    imputed = _native.attribution_impute(image, missing, "channels-first")[0, 0]
    x = image[0, 0]
    # a = (2 x01 + 2 x10 + b) / 5 and b = (2 (x01 + x10 + x12 + x21) + x02 + x20 + x22 + a) / 12
    known = 2 * (x[0, 1] + x[1, 0] + x[1, 2] + x[2, 1]) + x[0, 2] + x[2, 0] + x[2, 2]
    a, b = np.linalg.solve([[5.0, -1.0], [-1.0, 12.0]], [2 * (x[0, 1] + x[1, 0]), known])
    assert imputed[0, 0] == pytest.approx(a)
    assert imputed[1, 1] == pytest.approx(b)
    missing[:] = True
    with pytest.raises(ValueError, match="sample 0"):
        _native.attribution_impute(image, missing, "channels-first")


def test_correlations_and_magnitudes_of_maps() -> None:
    constant, rising = np.full((1, 1, 4), 0.5), np.arange(4.0).reshape(1, 1, 4)
    assert np.isnan(batch_pearson_coherency(constant, rising)).all()
    assert batch_pearson_coherency(constant, rising, compat=True).tolist() == [0.0]
    assert batch_pearson_coherency(rising, -rising).tolist() == [-1.0]
    assert Complexity()(-rising).tolist() == [1.5]


torch: Any = None
with contextlib.suppress(ImportError):
    import torch
needs_torch = pytest.mark.skipif(torch is None, reason="torch is not installed")


def first_pixel(images: Any) -> Any:
    """A model of two outputs: the first pixel of the first channel, and its share of 4."""
    pixel = images[:, 0, 0, 0]
    return torch.stack([pixel, 1 - pixel / 4], dim=1)


def images() -> Any:
    """The first pixel of the first image is 4, that of the second 2; the others are 0."""
    x = torch.zeros(2, 1, 2, 5)
    x[:, 0, 0, 0] = torch.tensor([4.0, 2.0])
    return x


CAMS = np.stack([SPARSE, SPARSE[:, ::-1]])
TARGETS = [lambda outputs: outputs[0], lambda outputs: outputs[1]]


@needs_torch
def test_changes_of_scores_when_images_are_multiplied_by_maps() -> None:
    from xai_metrics.compat.pytorch_grad_cam.metrics import cam_mult_image as cams

    change, drop, rise = cams.CamMultImageConfidenceChange(), cams.DropInConfidence(), cams.IncreaseInConfidence()
    # The first map hides the pixel (4 to 0), the second keeps it.
    call = (images(), CAMS, TARGETS, first_pixel)
    assert change(*call).tolist() == [-4.0, 0.0]
    assert change(*call).dtype == np.float32
    assert drop(*call).tolist() == [4.0, 0.0]
    assert rise(*call).tolist() == [0.0, 0.0]
    # The second target rises where the pixel is hidden.
    assert rise(images(), CAMS, TARGETS[::-1], first_pixel).tolist() == [1.0, 0.0]
    scores, masked = drop(*call, return_visualization=True)
    assert scores.tolist() == [4.0, 0.0]
    assert masked[:, 0, 0, 0].tolist() == [0.0, 2.0]
    assert change(*call, return_diff=False).tolist() == [0.0, 0.5]


@needs_torch
def test_changes_of_scores_when_pixels_are_imputed() -> None:
    from xai_metrics.compat.pytorch_grad_cam.metrics import road

    imputer = road.NoisyLinearImputer(noise=0.0)
    most = confidence.PerturbationConfidenceMetric(RemoveMostRelevantFirst(90, imputer))
    # The largest pixel of the second map is the first of the image, which is imputed from zeros.
    call = (images(), CAMS, TARGETS, first_pixel)
    changes, imputed = most(*call, return_visualization=True)
    assert changes.tolist() == [0.0, 0.5]
    assert imputed[:, 0, 0, 0].tolist() == [4.0, 0.0]
    # One by one as in one call.
    alone = [most.perturbation(image, torch.from_numpy(cam.copy())) for image, cam in zip(images(), CAMS)]
    assert torch.equal(torch.stack(alone), imputed)
    # Half the difference of both orders, of which each is a mean over percentiles.
    percentiles = [30, 70]
    combined = road.ROADCombined(percentiles)(*call)
    means = [
        np.mean([kind(percentile)(*call) for percentile in percentiles], axis=0)
        for kind in (road.ROADLeastRelevantFirst, road.ROADMostRelevantFirst)
    ]
    np.testing.assert_allclose(combined, (means[0] - means[1]) / 2, rtol=1e-6)


@needs_torch
def test_noise_follows_the_seed_and_with_compat_the_generator_of_torch() -> None:
    from xai_metrics.compat.pytorch_grad_cam.metrics.road import NoisyLinearImputer, ROADMostRelevantFirst

    call = (images(), CAMS, TARGETS, first_pixel)

    def of(**options: Any) -> list[float]:
        return ROADMostRelevantFirst(0.5, **options)(*call).tolist()  # type: ignore[no-any-return]

    assert of(seed=1) == of(seed=1) != of(seed=2)
    distinct = (images(), np.arange(20, dtype=np.float32).reshape(2, 2, 5), TARGETS, first_pixel)

    def of_torch() -> list[float]:
        torch.manual_seed(3)
        return ROADMostRelevantFirst(50, compat=True)(*distinct).tolist()  # type: ignore[no-any-return]

    assert of_torch() == of_torch()
    with pytest.raises(ValueError, match=r"cams\[0\]: all pixels are removed"):
        ROADMostRelevantFirst(40, compat=True)(*call)
    with pytest.raises(ValueError, match="weighting: expected neighbors_weights"):
        NoisyLinearImputer(weighting=[((0, 1), 1.0)])


@needs_torch
def test_what_does_not_fit_the_images_is_refused() -> None:
    from xai_metrics.compat.pytorch_grad_cam.metrics.cam_mult_image import DropInConfidence

    with pytest.raises(ValueError, match=r"cams: expected one map per image, \(2, 2, 5\), got shape \(2, 1, 5\)"):
        DropInConfidence()(images(), CAMS[:, :1], TARGETS, first_pixel)
    with pytest.raises(ValueError, match="targets: expected one per image, 2, got 1"):
        DropInConfidence()(images(), CAMS, TARGETS[:1], first_pixel)


@needs_torch
def test_arcc_is_the_harmonic_mean_of_its_parts() -> None:
    from xai_metrics.compat.pytorch_grad_cam.metrics import arcc, road

    def again(input_tensor: Any, targets: Any) -> Any:
        return np.float32(CAMS + 0.5 * np.arange(10).reshape(2, 5))

    call = (images() / 4, CAMS, TARGETS, first_pixel)
    # 0.19 of the map on average; correlation of the maps of masked images with the maps by NumPy.
    flat = np.reshape(again(None, None), (2, -1)), CAMS.reshape(2, -1)
    coherency = [(1 + np.corrcoef(a, b)[0, 1]) / 2 for a, b in zip(*flat)]
    roads = np.clip(2 * road.ROADCombined([20, 40, 60, 80])(*call), 0, 1)
    expected = [3 / (1 / c + 1 / (1 - 0.19) + 1 / r) if r > 0 else 0.0 for c, r in zip(coherency, roads)]
    np.testing.assert_allclose(arcc.ARCC(again)(*call), expected, rtol=1e-5)
    with pytest.raises(ValueError, match=r"grayscale_cams: expected values in \[0, 1\], got 0.0 to 3.0"):
        arcc.ARCC(again)(images(), 3 * CAMS, TARGETS, first_pixel)


class Extractor:
    """An extractor of torchcam with given maps."""

    def __init__(self, model: Any, maps: Any) -> None:
        self.model, self.maps = model, maps
        self.asked: list[Any] = []

    def __call__(self, class_idx: Any = None, scores: Any = None, targets: Any = None) -> Any:
        self.asked.append(class_idx)
        return [self.maps]

    @staticmethod
    def fuse_cams(maps: Any) -> Any:
        return maps[0]

    @contextlib.contextmanager
    def _hooks_off(self) -> Iterator[None]:
        yield


def sums(images: Any) -> Any:
    """A model of two outputs: the sum of the image, and a quarter less it."""
    total = images.flatten(1).sum(1)
    return torch.stack([total, 0.25 - total], dim=1)


@needs_torch
def test_drop_and_increase_of_an_extractor() -> None:
    from xai_metrics.compat.torchcam.metrics import ClassificationMetric

    x = torch.tensor([[[[0.4, 0.3], [0.2, 0.1]]], [[[0.4, 0.3], [0.2, 0.1]]]])
    maps = torch.tensor([[[1.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, torch.nan]]])
    metric = ClassificationMetric(Extractor(sums, maps))
    with pytest.raises(AssertionError, match="call update before summary"):
        metric.summary()
    metric.update(x, 0)
    # The score falls from 1 to 0.4; the second map has a NaN.
    assert metric.summary() == pytest.approx({"avg_drop": 0.6, "conf_increase": 0.0})
    assert (metric.total, metric.nan_count) == (1, 1)
    # Of the other output, which is negative and rises, there is no drop.
    with pytest.raises(ValueError, match="the scores, and that of sample 0 is -0.75; give probabilities"):
        metric.update(x, 1)
    assert metric.total == 1
    theirs = ClassificationMetric(Extractor(sums, maps), compat=True)
    theirs.update(x, 1)
    assert theirs.summary() == {"avg_drop": 0.0, "conf_increase": 1.0}
    # By functions of the outputs, and classes that are predicted.
    extractor = Extractor(sums, maps[:1])
    metric = ClassificationMetric(extractor, lambda outputs: outputs * 2)
    metric.update(x[:1], targets=lambda outputs: outputs[0])
    metric.update(x[:1])
    assert metric.summary() == pytest.approx({"avg_drop": 0.6, "conf_increase": 0.0})
    assert extractor.asked == [None, [0]]
    metric.reset()
    assert (metric.total, metric.drop) == (0, 0.0)


@needs_torch
@pytest.mark.parametrize(
    ("values", "steps", "deletion", "insertion"),
    [([0.4, 0.3, 0.2, 0.1], 2, 0.4, 0.6), ([0.3, 0.25, 0.2, 0.15, 0.1], 3, 0.41, 0.59)],
)
def test_areas_of_an_extractor(values: list[float], steps: int, deletion: float, insertion: float) -> None:
    from xai_metrics.compat.torchcam.metrics import DeletionInsertionMetric

    # Scores from 1 to 0: 1, 0.3, 0 at 0, 1/2, 1; and 1, 0.45, 0.1, 0 at 0, 2/5, 4/5, 1.
    x = torch.tensor([[values]])
    for shape in [(1, 1, -1), (1, 1, 1, -1), (1, 1, 1, 1, -1)]:
        image = x.reshape(shape)
        metric = DeletionInsertionMetric(Extractor(sums, image[:, 0]), steps=steps)
        metric.update(image, 0)
        assert metric.summary() == pytest.approx({"deletion_auc": deletion, "insertion_auc": insertion})
    # With a baseline, and a row of the batch at a time.
    half = DeletionInsertionMetric(Extractor(sums, image[:, 0]), steps=1, baseline=torch.full_like, batch_size=1)
    half.baseline = lambda given: torch.full_like(given, 0.05)
    half.update(image, targets=[lambda outputs: outputs[0]])
    expected = (1 + 0.05 * len(values)) / 2
    assert half.summary() == pytest.approx({"deletion_auc": expected, "insertion_auc": expected})


@needs_torch
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ({"class_idx": 2}, ValueError, "class_idx: 2 is no output of the model, which has 2"),
        ({"class_idx": [0]}, ValueError, "class_idx: expected one per sample, 2, got 1"),
        ({"class_idx": [False, 0]}, TypeError, "class_idx: expected a whole number"),
        ({"targets": [1, 2]}, TypeError, "targets: expected a function or a list of functions"),
        ({"targets": [abs]}, ValueError, "targets: expected one per sample, 2, got 1"),
        ({"class_idx": 0, "targets": abs}, ValueError, "class_idx: not together with targets"),
    ],
)
def test_classes_and_targets_that_mean_nothing(call: Any, error: Any, message: str) -> None:
    from xai_metrics.compat.torchcam import metrics

    x = torch.ones(2, 1, 2, 2)
    for kind in (metrics.ClassificationMetric, metrics.DeletionInsertionMetric):
        with pytest.raises(error, match=message):
            kind(Extractor(sums, x[:, 0])).update(x, **call)
    with pytest.raises(ValueError, match="input_tensor: expected 1D, 2D or 3D positions"):
        kind(Extractor(sums, x[:, 0])).update(torch.ones(1, 1), 0)


@needs_torch
def test_settings_and_baselines_that_mean_nothing() -> None:
    from xai_metrics.compat.torchcam.metrics import DeletionInsertionMetric

    x = torch.ones(1, 1, 2, 2)
    extractor = Extractor(sums, x[:, 0])
    for settings, error in (
        ({"steps": 0}, ValueError),
        ({"steps": 1.5}, TypeError),
        ({"batch_size": True}, TypeError),
        ({"baseline": 0}, TypeError),
    ):
        with pytest.raises(error, match=next(iter(settings))):
            DeletionInsertionMetric(extractor, **settings)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="baseline: expected the function to return a tensor"):
        DeletionInsertionMetric(extractor, baseline=lambda images: 0).update(x, 0)
    with pytest.raises(ValueError, match=r"baseline: expected a shape .* \(1, 1, 2, 2\), got \(3, 3\)"):
        DeletionInsertionMetric(extractor, baseline=torch.zeros(3, 3)).update(x, 0)


@needs_torch
def test_models_are_called_in_evaluation_mode_and_without_the_hooks_of_maps() -> None:
    from xai_metrics.compat.torchcam.metrics import ClassificationMetric

    # Hooks of a class of torchcam, as its extractors register them.
    class Hooks:
        calls = 0

        def count(self, *_: Any) -> None:
            Hooks.calls += 1

    Hooks.__module__ = "torchcam.methods.core"
    layer, seen = torch.nn.Flatten(), []
    model = torch.nn.Sequential(layer, torch.nn.Linear(4, 2), torch.nn.Softmax(-1)).train()
    layer.register_forward_hook(Hooks().count)
    layer.register_forward_hook(lambda *_: seen.append(layer.training))
    extractor = Extractor(model, torch.rand(3, 2, 2))
    ClassificationMetric(extractor).update(torch.rand(3, 1, 2, 2))
    # The maps are of the first of two calls.
    assert Hooks.calls == 1
    assert seen == [False, False]
    assert layer.training
    model(torch.rand(1, 1, 2, 2))
    assert Hooks.calls == 2
