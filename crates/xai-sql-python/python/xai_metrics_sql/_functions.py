"""SQL functions of the package."""

from __future__ import annotations

import re
from typing import Any

from . import _native


def functions() -> list[_native.Function]:
    """Return all functions: aggregate functions, then scalar functions.

    Returns
    -------
    list of Function
        Functions.

    Examples
    --------
    >>> from xai_metrics_sql import functions
    >>> functions()[0]
    average_drop(base, masked[, base_score_policy])
    >>> functions()[0].arguments[0]
    ('base', 'a number')
    """
    return _native.functions()


def register(ctx: Any) -> None:
    """Add the functions to a ``datafusion.SessionContext``, for queries and data frames.

    The package ``datafusion`` and the functions must use the same release of DataFusion.

    Parameters
    ----------
    ctx : datafusion.SessionContext
        The session.

    Raises
    ------
    ImportError
        If the package ``datafusion`` is of another release.

    Examples
    --------
    >>> from datafusion import SessionContext
    >>> from xai_metrics_sql import register
    >>> ctx = SessionContext()
    >>> register(ctx)
    >>> frame = ctx.from_pydict({"base": [0.5, 0.8], "masked": [0.25, 0.9]}, name="scores")
    >>> ctx.sql("SELECT average_increase(base, masked) AS increase FROM scores").to_pydict()
    {'increase': [0.5]}
    """
    import datafusion

    expected = _native.DATAFUSION
    if not re.match(rf"{expected}\.", datafusion.__version__):
        raise ImportError(
            f"the functions are built for DataFusion {expected}, the package datafusion is "
            f"{datafusion.__version__}: pip install 'datafusion=={expected}.*', or use query()"
        )
    for function in functions():
        if function.is_aggregate:
            ctx.register_udaf(datafusion.udaf(function))
        else:
            ctx.register_udf(datafusion.udf(function))
