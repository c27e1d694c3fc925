"""Processing of samples in parts, with a progress bar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._progress import bar

#: Smallest number of samples of a part; smaller ones would leave threads idle.
_LEAST = 1024


def parts(m: int, progress: bool, at_once: int | None = None) -> Iterator[slice]:
    """Split ``m`` samples into parts of at most ``at_once``, smaller ones if progress is shown."""
    if not progress:
        size = at_once or max(m, 1)
        for start in range(0, max(m, 1), size):
            yield slice(start, min(start + size, m))
        return
    size = max(_LEAST, m // 100)
    with bar(m, "samples") as shown:
        for start in range(0, m, size):
            end = min(start + size, m)
            yield slice(start, end)
            shown.update(end - start)


def joined(answers: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Concatenate the native answers for all parts."""
    if len(answers) == 1:
        return answers[0]
    width = max(answer[0].shape[1] for answer in answers)

    def rows(index: int, fill: float) -> Any:
        padded = []
        for answer in answers:
            array = answer[index]
            missing = ((0, 0), (0, width - array.shape[1]))
            padded.append(np.pad(array, missing, constant_values=fill))
        return np.concatenate(padded)

    full = all(answer[5] and answer[0].shape[1] == width for answer in answers)
    *others, ties = (np.concatenate([answer[index] for answer in answers]) for index in (2, 3, 4, 6))
    return (rows(0, -1), rows(1, np.nan), *others, full, ties)
