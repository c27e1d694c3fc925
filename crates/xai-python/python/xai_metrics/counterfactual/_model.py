"""Predictions of models for encoded rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import to_numpy

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._data import Study


class ModelCalls:
    """A model with the number of its rows.

    It is called with tables like the queries, or with arrays. What it returns are classes, or rows with a probability for each
    class.
    """

    def __init__(self, model: Any, study: Study) -> None:
        self._study = study
        #: Number of rows that the model predicted.
        self.n_rows = 0
        is_estimator = hasattr(model, "predict")
        if not is_estimator and not callable(model):
            raise TypeError(f"model: expected a function or an estimator with `predict`, got {model!r}")
        self._predict = model.predict if is_estimator else model
        self._probabilities = getattr(model, "predict_proba", None)
        self._classes = getattr(model, "classes_", None)
        self._gives_probabilities = self._probabilities is not None

    def _answers(self, predict: Any, rows: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        self.n_rows += len(rows)
        answers = to_numpy(predict(self._study.encoder.table(rows)), "outputs of the model")
        if answers.ndim not in (1, 2) or len(answers) != len(rows):
            raise ValueError(f"model: expected a class for each of {len(rows)} rows, got shape {answers.shape}")
        return answers[:, 0] if answers.ndim == 2 and answers.shape[1] == 1 else answers

    def codes(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the number of the class of each row."""
        if not len(rows):
            return np.empty(0, np.int64)
        answers = self._answers(self._predict, rows)
        if answers.ndim == 2:
            self._gives_probabilities = True
            answers = np.argmax(answers, axis=1)
            if self._classes is not None:
                answers = np.asarray(self._classes)[answers]
        return self._study.labels.take(answers, "predictions of the model")

    def probabilities(
        self, rows: npt.NDArray[np.float64], targets: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64] | None:
        """Return the probability of the target of each row; ``None`` if the model gives no probabilities."""
        if not self._gives_probabilities:
            return None
        if not len(rows):
            return np.empty(0)
        answers = self._answers(self._probabilities or self._predict, rows)
        if answers.ndim != 2:
            return None
        classes = np.arange(answers.shape[1]) if self._classes is None else self._classes
        column = {int(code): place for place, code in enumerate(self._study.labels.take(classes, "classes of the model"))}
        if any(int(target) not in column for target in targets):
            return None
        found: npt.NDArray[np.float64] = answers[np.arange(len(rows)), [column[int(target)] for target in targets]]
        return found.astype(np.float64)
