"""Drop-in replacement for ``torchcam.metrics`` 0.5: its two metrics with their methods.

:func:`xai_metrics.attribution.evaluate` computes the same metrics for several extractors, with
intervals: :class:`~xai_metrics.attribution.metrics.AverageDrop`,
:class:`~xai_metrics.attribution.metrics.AverageIncrease`,
:class:`~xai_metrics.attribution.metrics.Deletion` and
:class:`~xai_metrics.attribution.metrics.Insertion`. Where the value of the package differs from the
definition of the metric, ours follows the definition; the class documents the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._frameworks import Tensors
from xai_metrics.attribution import Curve, MaskedScores, evaluate
from xai_metrics.attribution.metrics import by_name

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["ClassificationMetric", "DeletionInsertionMetric"]


class _ExplainedBatch:
    """Images with the scores of their targets and the maps of an extractor."""

    def __init__(
        self,
        extractor: Any,
        logits_fn: Callable[[Any], Any] | None,
        images: Any,
        class_idx: int | list[int] | None,
        targets: Any,
    ) -> None:
        if images.ndim not in (3, 4, 5):
            raise ValueError(f"input_tensor: expected 1D, 2D or 3D positions, (n, channels, …), got shape {tuple(images.shape)}")
        if targets is not None and class_idx is not None:
            raise ValueError("class_idx: not together with targets")
        self.model, self.logits_fn = extractor.model, logits_fn
        self.images = images
        outputs = self._outputs(images)
        #: Explained class of each sample, or its target function.
        self.targets: list[Any]
        if targets is None:
            self.targets = _classes(outputs, class_idx)
            maps = extractor(class_idx if isinstance(class_idx, int) else self.targets, outputs)
        else:
            self.targets = _functions(targets, len(images))
            maps = extractor(scores=outputs, targets=self.targets)
        self.scores = self._selected(outputs, np.arange(len(images)))
        self.maps = extractor.fuse_cams(maps).detach()

    def _outputs(self, images: Any) -> Any:
        answer = self.model(images)
        return answer if self.logits_fn is None else self.logits_fn(answer)

    def _selected(self, outputs: Any, samples: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the score of each row by the target of its sample."""
        targets = [self.targets[sample] for sample in samples]
        if all(map(callable, targets)):
            return np.array([float(target(row).detach()) for target, row in zip(targets, outputs)])
        return np.asarray(outputs.detach().cpu()[np.arange(len(targets)), targets], np.float64)

    def scores_for(self, images: Any, samples: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Compute the scores of other images by the targets of samples."""
        return self._selected(self._outputs(images), samples)

    @cached_property
    def known(self) -> npt.NDArray[np.int64]:
        """Samples whose map has no NaN."""
        return np.flatnonzero(~np.isnan(self.maps.cpu().numpy()).reshape(len(self.maps), -1).any(axis=1))

    @property
    def n_unknown(self) -> int:
        """Number of samples whose map has a NaN."""
        return len(self.maps) - len(self.known)

    def resized(self) -> Any:
        """Return the maps without NaN in the size of the images, by linear interpolation."""
        import torch

        size = self.images.shape[2:]
        mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(size)]
        maps = self.maps[self.known][:, None]
        return torch.nn.functional.interpolate(maps, tuple(size), mode=mode, align_corners=False)[:, 0]


class ClassificationMetric:
    """Average Drop and Average Increase of an extractor of torchcam.

    Maps are used as they are, in [0, 1]. Average Drop divides by scores: those that are not positive
    raise an error, and ``1e-8`` is added to the divisor. With ``compat=True``, all scores are accepted
    (logits below 0 have a drop of 0 or less), and ``1e-7`` is added, as in torchcam.

    Attributes
    ----------
    drop, increase : float
        Sums over the samples.
    total : int
        Number of samples.
    nan_count : int
        Number of samples that are left out, because their maps have NaN.

    Parameters
    ----------
    cam_extractor
        Extractor such as ``torchcam.methods.GradCAM``.
    logits_fn : callable, optional
        Function of the outputs of the model, such as ``functools.partial(torch.softmax, dim=-1)``.
    compat : bool
        Whether to return the values of torchcam.

    Examples
    --------
    ::

        with GradCAM(model, "layer4") as extractor:
            metric = ClassificationMetric(extractor, functools.partial(torch.softmax, dim=-1))
            metric.update(images)
            metric.summary()    # {"avg_drop": …, "conf_increase": …}
    """

    def __init__(
        self, cam_extractor: Any, logits_fn: Callable[[Any], Any] | None = None, *, compat: bool = False
    ) -> None:
        self.cam_extractor = cam_extractor
        self.logits_fn = logits_fn
        self.compat = compat
        self.reset()

    def update(
        self, input_tensor: Any, class_idx: int | list[int] | None = None, *, targets: Any = None
    ) -> None:
        """Add the values of a batch of images.

        Parameters
        ----------
        input_tensor : tensor
            Images ``(n, channels, …)``.
        class_idx : int or list of int, optional
            Explained class of all samples or of each; the predicted one by default.
        targets : callable or list of callable, optional
            Instead of classes: functions from the outputs for one sample to its score.

        Raises
        ------
        ValueError
            For scores that Average Drop cannot divide by, classes that the model does not have, and
            both ``class_idx`` and ``targets``.
        TypeError
            For classes that are no integers, and targets that are no functions.
        """
        tensors = Tensors.for_model(self.cam_extractor.model, "torch", None)
        with tensors.calling(gradients=True):
            batch = _ExplainedBatch(self.cam_extractor, self.logits_fn, input_tensor, class_idx, targets)
        known, base = batch.known, batch.scores[batch.known]
        if len(known):
            if not self.compat and (base <= 0).any():
                sample = int(known[base <= 0][0])
                raise ValueError(
                    f"logits_fn: Average Drop divides by the scores, and that of sample {sample} is {batch.scores[sample]:.4g}; "
                    "give probabilities, logits_fn=functools.partial(torch.softmax, dim=-1)"
                )
            maps = batch.resized()[:, None]
            with tensors.calling():
                masked = batch.scores_for(maps * input_tensor[known], known)
            if self.compat:
                drops = np.maximum(base - masked, 0) / (base + 1e-7)
            else:
                drops = MaskedScores(base, masked).measure("average_drop").per_sample
            self.drop += float(drops.sum())
            self.increase += int((base < masked).sum())
            self.total += len(known)
        self.nan_count += batch.n_unknown

    def summary(self) -> dict[str, float]:
        """Return the means over all samples, ``avg_drop`` and ``conf_increase``.

        Raises
        ------
        AssertionError
            Before any update.
        """
        _check_total(self.total)
        return {"avg_drop": self.drop / self.total, "conf_increase": self.increase / self.total}

    def reset(self) -> None:
        """Forget all samples."""
        self.drop, self.increase = 0.0, 0.0
        self.total = self.nan_count = 0


class DeletionInsertionMetric:
    """Areas under the curves of deletion and insertion of an extractor of torchcam.

    The values are those of torchcam: positions are removed from, or added to, the largest attribution
    on, all channels together, and areas are those over the share of positions.

    Attributes
    ----------
    deletion, insertion : float
        Sums over the samples.
    total, nan_count : int
        See :class:`ClassificationMetric`.

    Parameters
    ----------
    cam_extractor, logits_fn
        See :class:`ClassificationMetric`.
    steps : int
        Largest number of steps; each changes the same number of positions, the last one the rest.
    baseline : tensor or callable, optional
        Values of removed positions, or a function of the images that returns them; 0 by default.
    batch_size : int
        Largest number of rows per model call.

    Examples
    --------
    ::

        with GradCAM(model, "layer4") as extractor:
            metric = DeletionInsertionMetric(extractor, functools.partial(torch.softmax, dim=-1))
            metric.update(images)
            metric.summary()    # {"deletion_auc": …, "insertion_auc": …}
    """

    def __init__(
        self,
        cam_extractor: Any,
        logits_fn: Callable[[Any], Any] | None = None,
        *,
        steps: int = 20,
        baseline: Any = None,
        batch_size: int = 32,
    ) -> None:
        for name, value in (("steps", steps), ("batch_size", batch_size)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{name}: expected a whole number, got {value!r}")
            if value < 1:
                raise ValueError(f"{name}: expected at least 1, got {value}")
        if baseline is not None and not callable(baseline) and not hasattr(baseline, "detach"):
            raise TypeError(f"baseline: expected a tensor, a function or None, got {baseline!r}")
        self.cam_extractor = cam_extractor
        self.logits_fn = logits_fn
        self.steps = steps
        self.baseline = baseline
        self.batch_size = batch_size
        self.reset()

    def update(
        self, input_tensor: Any, class_idx: int | list[int] | None = None, *, targets: Any = None
    ) -> None:
        """Add the values of a batch of images; see :meth:`ClassificationMetric.update`."""
        tensors = Tensors.for_model(self.cam_extractor.model, "torch", None)
        with tensors.calling(gradients=True):
            batch = _ExplainedBatch(self.cam_extractor, self.logits_fn, input_tensor, class_idx, targets)
        if len(batch.known):
            baseline = self._baseline(input_tensor)[batch.known]
            self._add(batch, input_tensor[batch.known], baseline, tensors)
        self.nan_count += batch.n_unknown

    def _add(self, batch: _ExplainedBatch, images: Any, baseline: Any, tensors: Tensors) -> None:
        n, channels, *size = images.shape
        # Any number of axes is a row of positions.
        flat = (n, channels, 1, -1)
        maps = batch.resized().reshape(n, 1, -1)
        step = -(-maps.shape[2] // self.steps)

        def scores(rows: npt.NDArray[Any], samples: npt.NDArray[np.int64]) -> Any:
            changed = tensors.tensor(rows.reshape(-1, channels, *size)).to(images.device, images.dtype)
            with tensors.calling():
                return batch.scores_for(changed, samples)

        on_cpu = images.detach().cpu()
        given = baseline.detach().cpu().reshape(flat).numpy()
        table = evaluate(
            scores,
            (on_cpu.reshape(flat).numpy(), batch.known),
            None,
            {"cam": maps.cpu().numpy()},
            [by_name(name)(steps=f"every:{step}", baseline=given) for name in ("deletion", "insertion")],
            batch_size=self.batch_size,
            layout="channels-first",
            replicates=0,
        )
        # The last step may be shorter than the others.
        areas = [_area(table[name]["cam"].curve, maps.shape[2]) for name in ("deletion", "insertion")]
        self.deletion += n * areas[0]
        self.insertion += n * areas[1]
        self.total += n

    def _baseline(self, images: Any) -> Any:
        import torch

        given = self.baseline(images) if callable(self.baseline) else self.baseline
        if given is None:
            return torch.zeros_like(images)
        if not isinstance(given, torch.Tensor):
            raise TypeError(f"baseline: expected the function to return a tensor, got {given!r}")
        try:
            return torch.broadcast_to(given.to(images), images.shape)
        except RuntimeError:
            shapes = f"{tuple(images.shape)}, got {tuple(given.shape)}"
            raise ValueError(f"baseline: expected a shape that can be broadcast to that of the images, {shapes}") from None

    def summary(self) -> dict[str, float]:
        """Return the means over all samples, ``deletion_auc`` and ``insertion_auc``.

        Raises
        ------
        AssertionError
            Before any update.
        """
        _check_total(self.total)
        return {"deletion_auc": self.deletion / self.total, "insertion_auc": self.insertion / self.total}

    def reset(self) -> None:
        """Forget all samples."""
        self.deletion, self.insertion = 0.0, 0.0
        self.total = self.nan_count = 0


def _area(curve: Curve | None, n_features: int) -> float:
    """Compute the area under a curve over the share of changed features."""
    if curve is None:
        raise ValueError("input_tensor: expected at least one position")
    shares, scores = curve.n_features / n_features, curve.scores
    return float((np.diff(shares) * (scores[1:] + scores[:-1]) / 2).sum())


def _check_total(total: int) -> None:
    if not total:
        raise AssertionError("no samples yet: call update before summary")


def _classes(scores: Any, class_idx: Any) -> list[int]:
    """Return the explained class of each sample."""
    n, n_classes = scores.shape
    if class_idx is None:
        return scores.argmax(dim=-1).tolist()  # type: ignore[no-any-return]
    classes = [class_idx] * n if isinstance(class_idx, int) else class_idx
    if not isinstance(classes, list) or any(isinstance(k, bool) or not isinstance(k, int) for k in classes):
        raise TypeError(f"class_idx: expected a whole number, a list of them or None, got {class_idx!r}")
    if len(classes) != n:
        raise ValueError(f"class_idx: expected one per sample, {n}, got {len(classes)}")
    wrong = next((k for k in classes if not 0 <= k < n_classes), None)
    if wrong is not None:
        raise ValueError(f"class_idx: {wrong} is no output of the model, which has {n_classes}")
    return classes


def _functions(targets: Any, n: int) -> list[Callable[[Any], Any]]:
    """Return a target function for each sample."""
    functions = [targets] * n if callable(targets) else targets
    if not isinstance(functions, list) or not all(map(callable, functions)):
        raise TypeError(f"targets: expected a function or a list of functions, got {targets!r}")
    if len(functions) != n:
        raise ValueError(f"targets: expected one per sample, {n}, got {len(functions)}")
    return functions
