"""Progress bars."""

from __future__ import annotations

from typing import Any


class _NoBar:
    """Progress bar that shows nothing."""

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, n: int = 1) -> None:
        """Do nothing."""


def bar(total: int | None, what: str, wanted: bool = True) -> Any:
    """Return a tqdm progress bar, or one that shows nothing if tqdm is missing or no bar is wanted.
    """
    if not wanted:
        return _NoBar()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _NoBar()
    return tqdm(total=total, unit=what)
