"""Explanations of many predictions, as arrays."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .._display import N_SAMPLES, Display, count
from .._results import Table, plain
from ._explanation import Explanation, Neighbor
from ._fitting.choices import LEVELS
from ._fitting.classes import label_value

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._fitted import Fitted

__all__ = ["Explanations"]


class Explanations(Table, Sequence[Explanation]):
    """Explanations of ``m`` samples as arrays, and as a sequence of objects.

    ``explanations[3]`` is an :class:`.Explanation`, created on access.

    Attributes
    ----------
    indices : array of int, shape (m, k)
        The nearest training rows of each sample, nearest first. -1 where a sample has fewer than
        ``k`` neighbours, which only :class:`.TreeLeaf` lets happen.
    distances : array of float, shape (m, k)
        Their distances; NaN where there is no neighbour.
    predicted : array of labels, shape (m,)
        The predicted classes.
    truth : array of labels, shape (m,), or None
        The true classes, where they are known.
    correspondence : array of float, shape (m,)
        How far the neighbours agree, in [0, 1]; NaN where it is undefined.
    ties_at_k : array of int, shape (m,)
        How many training rows tie with the last neighbour of each sample, the neighbour included; 0 where all of them
        are among the neighbours. Rows with higher indices are left out.
    explainer : CaseExplainer
        Explainer that created the explanations.
    level_numbers : array of int, shape (m,)
        0 undefined, 1 low, 2 medium, 3 high.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0], [5.0]], [0, 0, 1], k=2, scale=False)
    >>> found = explainer.explain_arrays([[0.25], [4.0]], predictions=[0, 1])
    >>> found.indices
    array([[0, 1],
           [2, 1]])
    >>> found.correspondence.round(3)
    array([1.   , 0.889])
    >>> found.levels
    array(['high', 'high'], dtype='<U9')
    >>> found[1]
    Sample 1: predicted 1, correspondence 88.89% (high)
            row  class  distance  feature_0
    sample                                4
    1.      2    1             1          5
    2.      1    0             3          1
    """

    def __init__(
        self,
        explainer: Fitted,
        samples: npt.NDArray[Any],
        answer: tuple[Any, ...],
        predicted: npt.NDArray[Any],
        truth: npt.NDArray[Any] | None,
        with_provenance: bool,
    ) -> None:
        self.indices: npt.NDArray[np.int64]
        self.distances: npt.NDArray[np.float64]
        self.correspondence: npt.NDArray[np.float64]
        self.level_numbers: npt.NDArray[Any]
        self.ties_at_k: npt.NDArray[np.int64]
        self.indices, self.distances, _, self.correspondence, self.level_numbers, self._full, self.ties_at_k = (
            answer
        )
        self.predicted = predicted
        self.truth = truth
        self._samples = samples
        self.explainer = explainer
        self._with_provenance = with_provenance

    @property
    def labels(self) -> npt.NDArray[Any]:
        """Classes of the neighbours, ``(m, k)``; meaningless where there is no neighbour."""
        return np.asarray(self.explainer.y_train[self.indices])

    @property
    def levels(self) -> npt.NDArray[np.str_]:
        """Levels of correspondence, ``(m,)``."""
        levels: npt.NDArray[np.str_] = np.array(LEVELS)[self.level_numbers]
        return levels

    @property
    def is_correct(self) -> npt.NDArray[np.bool_] | None:
        """Correctness of each prediction, ``(m,)``; ``None`` if the true classes are unknown.
        """
        if self.truth is None:
            return None
        number = self.explainer._classes.numbers
        return np.equal(number(self.predicted), number(self.truth))

    def __len__(self) -> int:
        return len(self._samples)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Explanation]: ...
    def __getitem__(self, index: int | slice) -> Explanation | list[Explanation]:
        rows = range(len(self))[index]
        if isinstance(rows, range):
            return self._explanations(rows)
        return self._explanations([rows])[0]

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._explanations(range(len(self))))

    def to_list(self) -> list[Explanation]:
        """Return all explanations as objects, whose attributes are looked up on first access.

        Returns
        -------
        list of Explanation
            One explanation per sample.
        """
        return self._explanations(range(len(self)))

    def _explanations(self, rows: Sequence[int]) -> list[Explanation]:
        new = Explanation.__new__
        made = []
        # None of these objects is garbage. In a program that holds 170 000 others, as one with
        # scikit-learn and pandas does, 57 000 explanations take 8 ms; looking for garbage after
        # every few hundred made it 96 ms.
        looks = gc.isenabled()
        gc.disable()
        try:
            for row in rows:
                explanation = new(Explanation)
                explanation._batch = self
                explanation._row = row
                made.append(explanation)
        finally:
            if looks:
                gc.enable()
        return made

    def attribute(self, name: str, row: int) -> Any:
        """Return an attribute of the explanation of a row.

        Parameters
        ----------
        name : str
            Name of an attribute of :class:`.Explanation`.
        row : int
            Index of the sample.

        Returns
        -------
        object
            Value of the attribute.
        """
        if name == "neighbors":
            return self._neighbors(row)
        if name == "test_sample":
            return self.explainer._shown(self._samples[row]).copy()
        if name == "test_index":
            return row
        if name == "predicted_class":
            return label_value(self.predicted[row])
        if name == "true_class":
            return None if self.truth is None else label_value(self.truth[row])
        if name == "correspondence":
            score = float(self.correspondence[row])
            return score if score == score else 0.0
        if name == "correspondence_interpretation":
            return str(LEVELS[self.level_numbers[row]])
        if name == "feature_names":
            return self.explainer.shown_feature_names
        if name == "class_names":
            return self.explainer._class_name_of
        raise AttributeError(f"'Explanation' object has no attribute {name!r}")

    def _neighbors(self, row: int) -> list[Neighbor]:
        explainer = self.explainer
        indices, distances = self.indices[row], self.distances[row]
        if not self._full:
            there = indices >= 0
            indices, distances = indices[there], distances[there]
        features = explainer._native.shown_features(indices)
        metadata = explainer.metadata if self._with_provenance else {}
        found = []
        for rank, (index, distance) in enumerate(zip(indices.tolist(), distances.tolist())):
            known = {name: values[index] for name, values in metadata.items()}
            label = label_value(explainer.y_train[index])
            found.append(Neighbor(index, distance, label, features[rank], known))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays as lists.

        Returns
        -------
        dict of str to list
            Arrays by name.
        """
        return {
            "indices": plain(self.indices),
            "distances": plain(self.distances),
            "labels": plain(self.labels),
            "predicted": plain(self.predicted),
            "true": plain(self.truth),
            "correspondence": plain(self.correspondence),
            "level": plain(self.levels),
        }

    def columns(self) -> dict[str, Any]:
        """Return predicted and true class, correspondence, level, neighbours and distances as
        columns, with one row per sample.

        Returns
        -------
        dict of str to array
            Columns by name.
        """
        columns: dict[str, Any] = {"predicted": self.predicted}
        if self.truth is not None:
            columns["true"] = self.truth
        columns["correspondence"] = self.correspondence
        columns["level"] = self.levels
        for rank in range(self.indices.shape[1]):
            columns[f"neighbor_{rank + 1}"] = self.indices[:, rank]
            columns[f"distance_{rank + 1}"] = self.distances[:, rank]
        return columns

    def _display(self) -> Display:
        has_truth = self.truth is not None
        header = ["sample", "predicted", *["true"] * has_truth, "correspondence", "level", "nearest rows"]
        rows = []
        for row in range(min(N_SAMPLES, len(self))):
            labels = [str(of[row]) for of in (self.predicted, self.truth) if of is not None]
            near = ", ".join(map(str, self.indices[row].tolist()))
            score, level = float(self.correspondence[row]), LEVELS[self.level_numbers[row]]
            rows.append((str(row), *labels, score, level, near))
        counts = [f"{count(int((self.level_numbers == number).sum()), 'sample')} {name}" for number, name in enumerate(LEVELS)]
        notes = [f"correspondence: {', '.join(reversed(counts))}"]
        return Display(count(len(self), "explanation"), header, rows, notes, n_rows=len(self))
