"""The switch for the numbers of Quantus, and warnings of different ones."""

from __future__ import annotations

import warnings
from typing import ClassVar

from xai_metrics._frameworks import outside


class QuantusDifferenceWarning(UserWarning):
    """A metric returned another number than Quantus, on purpose.

    It is raised once per metric, also with the option ``disable_warnings``, which notebooks for Quantus often set.
    ``warnings.filterwarnings("ignore", category=QuantusDifferenceWarning)`` hides it, ``"error"`` makes an exception
    of it.
    """


class compat:  # noqa: N801
    """Switch the numbers of Quantus on or off.

    It applies to all metrics that were created without the option ``compat``, in all threads, from
    now on or, as a context manager, in its block. It is off at first.

    Parameters
    ----------
    on : bool
        Whether metrics return the numbers of Quantus where the default differs.

    Examples
    --------
    >>> from xai_metrics.compat import quantus
    >>> metric = quantus.PointingGame()
    >>> with quantus.compat(True):
    ...     metric.compat
    True
    >>> metric.compat
    False
    """

    is_on: ClassVar[bool] = False

    def __init__(self, on: bool = True) -> None:
        self._before = compat.is_on
        compat.is_on = bool(on)

    def __enter__(self) -> compat:
        return self

    def __exit__(self, *_: object) -> None:
        compat.is_on = self._before


#: Metrics of which a warning was given.
_warned: set[str] = set()


def warn_once(metric: str, difference: str) -> None:
    """Warn that a metric returned another number than Quantus, unless it did so before."""
    if metric in _warned:
        return
    _warned.add(metric)
    text = difference.replace("``", "`")
    warnings.warn(
        f"{metric}: the number is not that of Quantus. {text} (quantus.compat(True) returns the numbers of Quantus where possible; "
        "this is said once per metric)",
        QuantusDifferenceWarning,
        stacklevel=outside(),
    )
