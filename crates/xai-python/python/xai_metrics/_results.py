"""What the results of all families have in common: plain values, tables, optional libraries."""

from __future__ import annotations

import dataclasses
import enum
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import types

    import pandas


class Result:
    """Base of the result dataclasses: as a dictionary, as a table, and as HTML in a notebook."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values: arrays as lists, results within as dictionaries."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: plain(getattr(self, field.name)) for field in fields}

    def to_pandas(self) -> Any:
        """The fields as a ``pandas.DataFrame`` of one row.

        Raises
        ------
        ImportError
            Where pandas is not installed.
        """
        return pandas_frame({name: [value] for name, value in self.to_dict().items()})

    def _repr_html_(self) -> str:
        title = re.sub("(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).capitalize()
        return html_table([("", "value"), *self.to_dict().items()], title)


def plain(value: Any) -> Any:
    """A value in types that ``json`` knows: no NumPy, no dataclasses, no enumerations."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, enum.Enum):
        return value.value
    if hasattr(value, "to_dict") and not isinstance(value, type):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def pandas_frame(columns: Mapping[str, Any]) -> pandas.DataFrame:
    """Columns of one length as a table; ``ImportError`` where pandas is not installed."""
    return pandas_library().DataFrame(dict(columns))


def pandas_library() -> types.ModuleType:
    """Pandas, or an ``ImportError`` that says what to install."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "to_pandas needs pandas: install it by `pip install pandas`, or use to_dict"
        ) from None
    library: types.ModuleType = pandas
    return library


def pyplot() -> types.ModuleType:
    """``matplotlib.pyplot``, or an ``ImportError`` that says what to install."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: install it by `pip install matplotlib`") from None
    library: types.ModuleType = matplotlib.pyplot
    return library


def axes(ax: Any = None) -> Any:
    """The given axes of matplotlib, or new ones; ``ImportError`` where it is not installed."""
    if ax is not None:
        return ax
    # Long names are not cut.
    return pyplot().subplots(layout="constrained")[1]


def html_table(rows: Iterable[Sequence[Any]], title: str) -> str:
    """Rows of cells as an HTML table; the first row is the header, and every text is escaped."""
    header, *body = [[_cell(value) for value in row] for row in rows]
    head = "".join(f"<th>{cell}</th>" for cell in header)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
    return (
        f"<table><caption>{html.escape(title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _cell(value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, (float, np.floating)):
        return "undefined" if value != value else f"{float(value):.4f}"
    text = str(value)
    return html.escape(text if len(text) <= 80 else text[:79] + "…")
