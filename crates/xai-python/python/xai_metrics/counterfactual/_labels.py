"""Numbers for labels of classes, the same for all inputs of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import classes, in_place
from .._labels import check_types, kind_of

if TYPE_CHECKING:
    import numpy.typing as npt


class LabelCodes:
    """Numbers of labels of any type, equal for equal labels.

    Examples
    --------
    >>> codes = LabelCodes()
    >>> codes.take(["yes", "no"], "class").tolist(), codes.take(["no"], "target").tolist(), codes.label(0)
    ([0, 1], [1], 'yes')
    """

    def __init__(self) -> None:
        #: The first labels: all others have their type.
        self._first: dict[str, npt.NDArray[Any]] = {}
        self._codes: dict[Any, int] = {}

    def take(self, values: Any, name: str, ndim: int = 1) -> npt.NDArray[np.int64]:
        """Return the numbers of labels."""
        labels = classes(values, name, ndim)
        check_types({**self._first, name: labels})
        if labels.size and not self._first:
            self._first = {name: labels}
        if kind_of(labels) == "numbers" or not labels.size:
            # A copy of the type that the native part takes.
            return np.asarray(in_place(labels, name), np.int64) if labels.size else np.empty(labels.shape, np.int64)
        flat = labels.reshape(-1).tolist()
        numbers = [self._codes.setdefault(label, len(self._codes)) for label in flat]
        return np.array(numbers, np.int64).reshape(labels.shape)

    def label(self, number: int) -> Any:
        """Return the label of a number."""
        return list(self._codes)[number] if self._codes else number
