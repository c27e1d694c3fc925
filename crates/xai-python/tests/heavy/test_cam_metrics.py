"""The same calls to the metrics of pytorch-grad-cam and torchcam, and to ours."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

IMAGES = torch.from_numpy(np.random.default_rng(0).random((4, 3, 16, 16)).astype(np.float32))
CLASSES = [0, 1, 2, 1]


def network() -> Any:
    torch.manual_seed(0)
    layers = [
        torch.nn.Conv2d(3, 6, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(6, 8, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(32, 3),
        torch.nn.Softmax(-1),
    ]
    return torch.nn.Sequential(*layers).eval()


#: Maps without equal values, and such as those of ReLUs.
DISTINCT = np.random.default_rng(1).permuted(np.tile(np.arange(256) / 255, (4, 1)), axis=1).reshape(4, 16, 16)
DISTINCT = DISTINCT.astype(np.float32)
SPARSE = np.maximum(DISTINCT - 0.4, 0) / 0.6


def packages(module: str) -> list[Any]:
    import importlib

    pytest.importorskip("pytorch_grad_cam")
    return [importlib.import_module(f"{of}pytorch_grad_cam.metrics.{module}") for of in ("", "xai_metrics.compat.")]


def targets() -> Any:
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget

    return [ClassifierOutputTarget(k) for k in CLASSES]


@pytest.mark.parametrize("name", ["CamMultImageConfidenceChange", "DropInConfidence", "IncreaseInConfidence"])
@pytest.mark.parametrize("cams", [DISTINCT, SPARSE])
def test_changes_of_masked_images(name: str, cams: Any) -> None:
    theirs, ours = (getattr(of, name)()(IMAGES, cams, targets(), network()) for of in packages("cam_mult_image"))
    np.testing.assert_allclose(ours, theirs, atol=1e-7)
    assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("percentile", [20, 37.5, 80, 99])
@pytest.mark.parametrize("name", ["RemoveMostRelevantFirst", "RemoveLeastRelevantFirst"])
def test_changes_of_imputed_images_without_noise(name: str, percentile: float) -> None:
    found = []
    for confidence, road in zip(packages("perturbation_confidence"), packages("road")):
        perturbation = getattr(confidence, name)(percentile, road.NoisyLinearImputer(noise=0.0))
        metric = confidence.PerturbationConfidenceMetric(perturbation)
        found.append(metric(IMAGES, DISTINCT, targets(), network(), return_visualization=True))
    (theirs, of_theirs), (ours, of_ours) = found
    np.testing.assert_allclose(of_ours, of_theirs, atol=2e-6)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


ROAD = [
    ("ROADMostRelevantFirst", {"percentile": 75}),
    ("ROADLeastRelevantFirst", {"percentile": 75}),
    ("ROADMostRelevantFirst", {"percentile": "auto"}),
    ("ROADLeastRelevantFirst", {"percentile": "auto"}),
    ("ROADMostRelevantFirstAverage", {"percentiles": [70, 90]}),
    ("ROADLeastRelevantFirstAverage", {"percentiles": [70, 90]}),
    ("ROADCombined", {"percentiles": [70, 90]}),
    ("ROADCombined", {}),
]


@pytest.mark.parametrize(("name", "settings"), ROAD)
@pytest.mark.parametrize("channels", [3, 1])
def test_numbers_of_road_with_compat(name: str, settings: dict[str, Any], channels: int) -> None:
    model = network()
    if channels == 1:
        model[0] = torch.nn.Conv2d(1, 6, 3, padding=1)
    # Of the sparse maps, all pixels at a threshold of 0 are removed.
    cams = DISTINCT if settings == {} else SPARSE
    found = []
    for package, further in zip(packages("road"), ({}, {"compat": True})):
        torch.manual_seed(5)
        found.append(getattr(package, name)(**settings, **further)(IMAGES[:, :channels], cams, targets(), model))
    theirs, ours = found
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert ours.dtype == theirs.dtype == np.float32


@pytest.mark.parametrize(("name", "settings"), [of for of in ROAD if "auto" not in of[1].values()])
def test_numbers_of_road_but_for_the_noise(name: str, settings: dict[str, Any]) -> None:
    theirs, ours = (
        getattr(package, name)(**settings)(IMAGES, DISTINCT, targets(), network()) for package in packages("road")
    )
    # Scores move by about 1e-3 under this noise.
    np.testing.assert_allclose(ours, theirs, atol=5e-3)


def test_numbers_of_arcc_with_compat() -> None:
    from pytorch_grad_cam import GradCAM

    theirs, ours = packages("arcc")
    model = network()
    cam = GradCAM(model, [model[3]])
    for cams in (cam(IMAGES, targets()), np.full((4, 16, 16), 0.25, np.float32)):
        call = (IMAGES, cams, targets(), model)
        np.testing.assert_allclose(
            ours.Coherency(compat=True)(*call, cam), theirs.Coherency()(*call, cam), atol=1e-6
        )
        np.testing.assert_allclose(ours.Complexity()(cams), theirs.Complexity()(cams), rtol=1e-6)
    call = (IMAGES, DISTINCT, targets(), model)
    torch.manual_seed(2)
    expected = theirs.ARCC(cam)(*call)
    torch.manual_seed(2)
    np.testing.assert_allclose(ours.ARCC(cam, compat=True)(*call), expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", ["GradCAM", "LayerCAM"])
@pytest.mark.parametrize("layers", ["3", ["0", "3"]])
def test_numbers_of_torchcam(name: str, layers: Any) -> None:
    methods, theirs = pytest.importorskip("torchcam.methods"), pytest.importorskip("torchcam.metrics")
    from xai_metrics.compat.torchcam import metrics as ours

    model = network()[:-1].train()
    softmax = partial(torch.softmax, dim=-1)
    with getattr(methods, name)(model, layers) as extractor:
        for kind, settings in (
            ("ClassificationMetric", {}),
            ("DeletionInsertionMetric", {}),
            ("DeletionInsertionMetric", {"steps": 7, "baseline": torch.mean, "batch_size": 5}),
        ):
            metrics = [getattr(of, kind)(extractor, softmax, **settings) for of in (theirs, ours)]
            for metric in metrics:
                metric.update(IMAGES)
                metric.update(IMAGES[:2], 1)
                metric.update(IMAGES, CLASSES)
                metric.update(IMAGES[:1], targets=lambda outputs: outputs[0] + outputs[2])
            expected, found = (metric.summary() for metric in metrics)
            assert found == pytest.approx(expected, abs=1e-5)
            assert metrics[0].total == metrics[1].total == 11
        # Of logits, some of them negative.
        metrics = [theirs.ClassificationMetric(extractor), ours.ClassificationMetric(extractor, compat=True)]
        for metric in metrics:
            metric.update(IMAGES, 2)
        expected, found = (metric.summary() for metric in metrics)
        assert found == pytest.approx(expected, abs=1e-5)
    assert model.training
