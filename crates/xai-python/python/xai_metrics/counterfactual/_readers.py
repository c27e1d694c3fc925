"""Counterfactuals as other packages return them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._results import pandas_library

#: The column of a table with the row number of the query.
QUERY = "query"


def from_dice(result: Any, columns: Any = None) -> Any:
    """Return the counterfactuals of DiCE as a table with a column ``query``.

    Parameters
    ----------
    result : dice_ml.counterfactual_explanations.CounterfactualExplanations
        Result of ``generate_counterfactuals``. A query without counterfactuals has no row.
    columns : sequence of column names, optional
        Columns to keep, usually the features; by default all but the outcome. The outcome becomes the column ``predicted``.

    Returns
    -------
    pandas.DataFrame
        Counterfactuals of all queries.

    Raises
    ------
    TypeError
        For an object that has no list ``cf_examples_list``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import pandas
    >>> one = SimpleNamespace(
    ...     test_pred=0, new_outcome=1, desired_class=1, final_cfs_df=pandas.DataFrame({"age": [45], "income": [1]}),
    ...     data_interface=SimpleNamespace(outcome_name="income"),
    ... )
    >>> from_dice(SimpleNamespace(cf_examples_list=[one])).to_dict("list")
    {'age': [45], 'predicted': [1], 'query': [0]}
    """
    pandas = pandas_library()
    explained = getattr(result, "cf_examples_list", None)
    if explained is None:
        raise TypeError(f"result: expected the result of DiCE's generate_counterfactuals, got {type(result).__name__}")
    tables = []
    for query, one in enumerate(explained):
        found = one.final_cfs_df
        if found is None or not len(found):
            continue
        outcome = getattr(getattr(one, "data_interface", None), "outcome_name", None)
        table = found.drop(columns=[outcome]) if outcome in found.columns else found
        if columns is not None:
            table = table[list(columns)]
        if outcome in found.columns:
            table = table.assign(predicted=found[outcome])
        tables.append(table.assign(**{QUERY: query}))
    if tables:
        return pandas.concat(tables, ignore_index=True)
    names = list(columns) if columns is not None else []
    return pandas.DataFrame({name: [] for name in [*names, QUERY]})


def from_alibi(explanations: Any, columns: Any = None) -> Any:
    """Return the counterfactuals of alibi as a table with a column ``query``.

    Parameters
    ----------
    explanations : alibi.api.interfaces.Explanation or sequence of them
        Explanations of the queries, in their order: of ``Counterfactual``, ``CounterfactualProto`` and ``CEM`` one per query, of
        ``CounterfactualRL`` one for all. An explanation without a counterfactual has no row.
    columns : sequence of column names, optional
        Names of the columns; by default numbers.

    Returns
    -------
    pandas.DataFrame
        Counterfactuals of all queries, with their classes as the column ``predicted`` where alibi says them.

    Raises
    ------
    TypeError
        For objects that are no explanations.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(cf={"X": np.array([[45.0]]), "class": 1})
    >>> from_alibi([one, SimpleNamespace(cf=None)], ["age"]).to_dict("list")
    {'age': [45.0], 'predicted': [1], 'query': [0]}
    """
    pandas = pandas_library()
    single = hasattr(explanations, "cf") or hasattr(explanations, "PN") or hasattr(explanations, "data")
    rows: list[Any] = []
    predicted: list[Any] = []
    queries: list[int] = []
    for position, one in enumerate([explanations] if single else explanations):
        found, labels = _of_alibi(one, position)
        if found is None:
            continue
        found = np.asarray(found)
        found = found.reshape(len(found) if found.ndim > 1 else 1, -1)
        rows += list(found)
        predicted += labels if len(labels) == len(found) else [None] * len(found)
        # One explanation of all queries has a counterfactual for each.
        queries += list(range(len(found))) if single and len(found) > 1 else [position] * len(found)
    width = len(rows[0]) if rows else len(columns or ())
    names = list(columns) if columns is not None else list(range(width))
    table = pandas.DataFrame(rows, columns=names)
    if predicted and all(label is not None for label in predicted):
        table["predicted"] = predicted
    table[QUERY] = np.asarray(queries, np.int64)
    return table


def _of_alibi(one: Any, position: int) -> tuple[Any, list[Any]]:
    """Return the rows of an explanation, ``None`` if there are none, and their classes."""
    cf = getattr(one, "cf", None)
    if cf is None and getattr(one, "PN", None) is not None:
        # Pertinent negatives of CEM.
        cf = {"X": one.PN, "class": getattr(one, "PN_pred", None)}
    if cf is None:
        if not (hasattr(one, "cf") or hasattr(one, "PN") or hasattr(one, "data")):
            raise TypeError(f"explanations[{position}]: expected an explanation of alibi, got {type(one).__name__}")
        return None, []
    label = cf.get("class")
    return cf.get("X"), [] if label is None else np.asarray(label).reshape(-1).tolist()


def from_carla(counterfactuals: Any, columns: Any = None) -> Any:
    """Return the counterfactuals of CARLA as a table with a column ``query``.

    Parameters
    ----------
    counterfactuals : pandas.DataFrame
        Result of ``get_counterfactuals``: a row for each query, with NaN in every column where there is none.
    columns : sequence of column names, optional
        Columns to keep, usually the features; by default all.

    Returns
    -------
    pandas.DataFrame
        Counterfactuals that exist.

    Raises
    ------
    TypeError
        For an object that is no data frame.

    Examples
    --------
    >>> import pandas
    >>> from_carla(pandas.DataFrame({"age": [45.0, None]})).to_dict("list")
    {'age': [45.0], 'query': [0]}
    """
    if not hasattr(counterfactuals, "iloc") or getattr(counterfactuals, "ndim", 0) != 2:
        raise TypeError(f"counterfactuals: expected a pandas data frame, got {type(counterfactuals).__name__}")
    table = counterfactuals if columns is None else counterfactuals[list(columns)]
    table = table.assign(**{QUERY: np.arange(len(table))}).reset_index(drop=True)
    return table[~table.drop(columns=[QUERY]).isna().all(axis=1)].reset_index(drop=True)
