"""Predictions of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arrays import to_numpy
from ..._frameworks import framework_of, on_arrays
from .classes import label_array, label_value

if TYPE_CHECKING:
    import numpy.typing as npt

_NAME = "what the model predicts"


def predictions_of(
    model: Any, X_test: Any, samples: npt.NDArray[Any], transform: Any
) -> npt.NDArray[Any]:
    """Predict the classes of samples in one call.

    For a framework module, whose outputs are scores, the class is the index of the largest
    output.
    """
    predict = getattr(model, "predict", None) or on_arrays(model)
    rows = samples
    if hasattr(model, "feature_names_in_"):
        # Fitted on a table: it warns where the names of the columns are missing.
        if hasattr(X_test, "columns"):
            rows = X_test
        elif hasattr(X_test, "to_frame") and len(samples) == 1:
            # A row of a table.
            rows = X_test.to_frame().T.astype(samples.dtype)
    if transform is not None:
        rows = getattr(transform, "transform", transform)(rows)
    labels = to_numpy(predict(rows), _NAME)
    if labels.size == 1 and len(samples) > 1:
        # A model of one row at a time.
        rest = [to_numpy(predict(rows[i : i + 1]), _NAME) for i in range(1, len(samples))]
        labels = np.concatenate([one.reshape(-1) for one in (labels, *rest)])
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    elif labels.ndim == 2 and framework_of(model) != "numpy":
        labels = labels.argmax(axis=1)
    if labels.shape != (len(samples),):
        raise ValueError(
            f"the model predicts an array of shape {labels.shape}, expected one class for each of "
            f"{len(samples)} samples"
        )
    return label_array(labels, _NAME)


def one_label(label: Any) -> npt.NDArray[Any]:
    """Return an array with one label of any type."""
    label = label_value(label)
    if isinstance(label, np.ndarray):
        return label.reshape(-1)
    array = np.empty(1, dtype=object)
    array[0] = label
    return array if isinstance(label, (tuple, frozenset)) else np.asarray([label])
