"""Agreement of the explanations of models that agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xai_metrics._arrays import integers, reals
from xai_metrics._frameworks import Tensors, is_torch_module
from xai_metrics.attribution import _models
from xai_metrics.attribution._data import predicted_classes, targets_of
from xai_metrics.attribution._functions import representativity

from .base import layout_of_images, unzipped

if TYPE_CHECKING:
    import numpy.typing as npt

    from xai_metrics._arrays import Reals
    from xai_metrics._frameworks import Framework
    from xai_metrics._types import Layout


class MeGe:
    """MeGe and ReCo: do models that agree explain themselves alike?

    Better: higher for both, in [0.5, 1] and [0, 1]. One model is trained for each split of the
    data, on the others; two models are compared on the splits that one of them has not seen.

    ReCo is the largest over all thresholds. xplique tries about 20 of them, and a distance that
    equals a threshold is on neither side of it: ``compat=True`` does the same.

    Parameters
    ----------
    learning_algorithm : callable
        ``learning_algorithm(x_train, y_train, x_test, y_test) -> model``.
    k_splits : int
        The number of splits, which has to divide the number of samples.

    References
    ----------
    Fel et al., How good is your explanation?, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [5.0, 1.0]])
    >>> y = np.eye(2)[[1, 0, 1, 0]]
    >>> metric = MeGe(lambda *data: (lambda x: x), x, y, k_splits=2)
    >>> mege, reco = metric.evaluate(lambda model: (lambda inputs, targets: inputs))
    >>> mege # all models are the same
    1.0
    """

    def __init__(
        self,
        learning_algorithm: Callable[..., Any],
        inputs: Any,
        targets: Any = None,
        batch_size: int | None = 64,
        k_splits: int = 4,
        *,
        compat: bool = False,
        layout: Layout | None = None,
        framework: Framework | None = None,
        device: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        inputs, targets = unzipped(inputs, targets)
        self.inputs: Reals = reals(inputs, "inputs")
        n = len(self.inputs)
        if k_splits < 2 or n % k_splits != 0:
            raise ValueError(f"k_splits: expected at least 2 and a divisor of {n}, got {k_splits}")
        self.targets: npt.NDArray[Any] = targets_of(targets, n)
        self.batch_size = batch_size
        self.k_splits = k_splits
        self.split_len: int = n // k_splits
        self.compat = compat
        self.layout = layout
        self.framework = framework
        self.device = device
        self.n_jobs = n_jobs
        splits = np.arange(n) // self.split_len
        self.models: list[Any] = [
            learning_algorithm(
                self.inputs[splits != split],
                self.targets[splits != split],
                self.inputs[splits == split],
                self.targets[splits == split],
            )
            for split in range(k_splits)
        ]

    def evaluate(
        self, explainer_class: Any, explainer_params: dict[str, Any] | None = None
    ) -> tuple[float, float]:
        """Compute MeGe and ReCo; NaN where undefined.

        ``explainer_class(model, **explainer_params)`` makes an explainer ``(inputs, targets) ->
        maps``.

        Parameters
        ----------
        explainer_class : callable
            ``explainer_class(model, **explainer_params)`` creates an explainer ``(inputs, targets)
            -> maps``.
        explainer_params : dict, optional
            Keyword arguments of ``explainer_class``.

        Returns
        -------
        mege, reco : float
            Both scores.
        """
        maps, predictions = [], []
        for model in self.models:
            tensors = Tensors.for_model(model, self.framework, self.device)
            explainer = explainer_class(model, **(explainer_params or {}))
            explain = _models.explainer_function(explainer, tensors)
            maps.append(explain(np.array(self.inputs, order="C"), self.targets))
            function = _models.model_function(model, self.framework, self.device)
            predictions.append(predicted_classes(function, self.inputs, self.batch_size))
        labels = self.targets if self.targets.ndim == 1 else np.argmax(self.targets, axis=1)
        values = representativity(
            maps,
            integers(np.stack(predictions), "predictions"),
            labels,
            layout=layout_of_images(self.layout, maps[0], is_torch_module(self.models[0])),
            held_out_by=np.arange(len(labels)) // self.split_len,
            peer_thresholds=self.compat,
            n_jobs=self.n_jobs,
        )
        nan = float("nan")
        mege = nan if values.mege is None else values.mege
        return mege, nan if values.reco is None else values.reco
