"""Bars of progress."""

from __future__ import annotations

from typing import Any


class _NoBar:
    """Shows nothing."""

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, n: int = 1) -> None:
        """Nothing is shown."""


def bar(total: int | None, what: str, wanted: bool = True) -> Any:
    """A bar of tqdm; none where that is not installed, or not wanted."""
    if not wanted:
        return _NoBar()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _NoBar()
    return tqdm(total=total, unit=what)
