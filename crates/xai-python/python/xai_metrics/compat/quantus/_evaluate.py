"""Evaluation of several explainers by several metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xai_metrics._results import pandas_library

from ._metric import Metric


def evaluate(
    metrics: Mapping[str, Metric],
    xai_methods: Mapping[str, Any],
    model: Any,
    x_batch: Any,
    y_batch: Any,
    s_batch: Any = None,
    agg_func: Callable[[Any], Any] = lambda scores: scores,
    explain_func_kwargs: dict[str, Any] | None = None,
    call_kwargs: Mapping[str, dict[str, Any]] | None = None,
    return_as_df: bool = False,
    verbose: bool = False,
    **arguments: Any,
) -> Any:
    """Compute the scores of explainers by several metrics.

    :func:`xai_metrics.attribution.evaluate` shares model calls between metrics, and adds
    intervals and tests of differences. Errors are raised here; Quantus prints them and
    continues.

    Parameters
    ----------
    metrics : mapping of str to Metric
        Metrics by name.
    xai_methods : mapping of str to array-like or callable
        Maps, or functions such as ``explain_func`` of :class:`Metric`, by name. Functions receive
        their name as ``method``.
    model, x_batch, y_batch, s_batch
        See the call of :class:`Metric`.
    agg_func : callable
        Function of the scores of a metric.
    explain_func_kwargs : dict, optional
        Keyword arguments of the functions.
    call_kwargs : mapping of str to dict, optional
        Keyword arguments of calls, by name: each metric is called once per name.
    return_as_df : bool
        Whether to return a pandas data frame with a row per metric.
    verbose : bool
        Whether to print each metric before it is computed.
    **arguments
        Keyword arguments of all calls.

    Returns
    -------
    dict or pandas.DataFrame
        Scores by explainer, metric and, if there are several, name of ``call_kwargs``.

    Raises
    ------
    TypeError
        If an explainer is a mapping, which Quantus passes to its ``explain``.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.compat.quantus import Complexity, Sparseness, evaluate
    >>> x = np.array([[4.0, 2.0, 0.0, 1.0]])
    >>> metrics = {"Sparseness": Sparseness(), "Complexity": Complexity()}
    >>> scores = evaluate(metrics, {"values": x, "one": np.eye(4)[[0]]}, None, x, [0])
    >>> {name: round(of["Sparseness"][0], 6) for name, of in scores.items()}
    {'values': 0.464286, 'one': 0.75}
    """
    calls = {"": {}} if call_kwargs is None else call_kwargs
    results: dict[str, Any] = {}
    for method, explainer in xai_methods.items():
        how: dict[str, Any] = {"a_batch": explainer}
        if isinstance(explainer, Mapping):
            raise TypeError(
                f"xai_methods: expected maps or a function for {method!r}; there is no `explain` "
                "here, give a function that explains by captum, for instance"
            )
        if callable(explainer):
            kwargs = {**(explain_func_kwargs or {}), "method": method}
            how = {"explain_func": explainer, "explain_func_kwargs": kwargs}
        results[method] = {}
        for name, metric in metrics.items():
            scores = {}
            for value, further in calls.items():
                if verbose:
                    print(f"{method}: {name} {value}".rstrip())
                asked = {"s_batch": s_batch, **how, **arguments, **further}
                scores[value] = agg_func(metric(model, x_batch, y_batch, **asked))
            results[method][name] = scores if len(scores) > 1 else next(iter(scores.values()))
    if return_as_df:
        return pandas_library().DataFrame.from_dict(results)
    return results
