"""Base classes and helpers of results: plain values, tables, optional libraries."""

from __future__ import annotations

import csv
import dataclasses
import enum
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._display import Display, Shown, fields_of, is_undefined, title_of

if TYPE_CHECKING:
    import types

    import pandas
    import polars


class Table(Shown):
    """Base class of results with columns of one length: pandas and polars tables, CSV, LaTeX."""

    def columns(self) -> dict[str, Any]:
        """Return the columns by name, all of one length.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """Return :meth:`columns` as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            The table.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return pandas_library().DataFrame(self.columns())

    def to_polars(self) -> polars.DataFrame:
        """Return :meth:`columns` as a polars data frame.

        Returns
        -------
        polars.DataFrame
            The table.

        Raises
        ------
        ImportError
            If polars is not installed.
        """
        table: polars.DataFrame = polars_library().DataFrame(self.columns(), strict=False)
        return table

    def to_csv(self, path: Any = None) -> str | None:
        """Return :meth:`columns` as CSV text, or write it to a file.

        Numbers round-trip exactly; undefined values are empty.

        Parameters
        ----------
        path : path-like, optional
            File to write to.

        Returns
        -------
        str or None
            CSV text; ``None`` if it was written to ``path``.
        """
        columns = self.columns()
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values()):
            writer.writerow(["" if is_undefined(value) else plain(value) for value in row])
        return text_or_file(text.getvalue(), path)

    def to_latex(self, path: Any = None) -> str | None:
        """Return :meth:`columns` as a LaTeX ``tabular`` with the rules of ``booktabs``, or write it
        to a file.

        Numbers have four significant digits; undefined values are dashes.

        Parameters
        ----------
        path : path-like, optional
            File to write to.

        Returns
        -------
        str or None
            LaTeX code; ``None`` if it was written to ``path``.
        """
        columns = self.columns()
        rows = [[latex(value) for value in row] for row in zip(*columns.values())]
        header = [latex(name) for name in columns]
        return text_or_file(latex_tabular(header, rows), path)


class Result(Table):
    """Base class of result dataclasses: as a dictionary and as a table."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values, with arrays as lists and nested results as
        dictionaries.

        Returns
        -------
        dict
            Fields by name.
        """
        return {name: plain(value) for name, value in fields_of(self)}

    def columns(self) -> dict[str, Any]:
        """Return the fields as columns with one row.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        return {name: [value] for name, value in self.to_dict().items()}

    def _display(self) -> Display:
        return Display(title_of(self), rows=fields_of(self))


def plain(value: Any) -> Any:
    """Convert a value to types that ``json`` supports."""
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


def text_or_file(text: str, path: Any) -> str | None:
    """Return a text, or write it to a file and return ``None``."""
    if path is None:
        return text
    Path(path).write_text(text, encoding="utf-8", newline="")
    return None


def latex(value: Any) -> str:
    """Format a value as a LaTeX table cell.

    Examples
    --------
    >>> latex("a_b & 5 %"), latex(0.123456), latex(1e-9), latex(None)
    ('a\\\\_b \\\\& 5 \\\\%', '0.1235', '$1 \\\\times 10^{-9}$', '--')
    """
    if is_undefined(value):
        return "--"
    if isinstance(value, (float, np.floating)):
        digits, _, power = f"{float(value):.4g}".partition("e")
        if power:
            return rf"${digits} \times 10^{{{int(power)}}}$"
        return f"${digits}$" if digits.startswith("-") else digits
    return "".join(_LATEX.get(character, character) for character in str(plain(value)))


_LATEX = {character: "\\" + character for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"↑": r"$\uparrow$", "↓": r"$\downarrow$"}


def latex_tabular(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format cells as a ``tabular`` with the first column left-aligned and the others
    right-aligned.
    """
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule"]
    lines += [" & ".join(header) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def polars_library() -> types.ModuleType:
    """Import polars, or raise ``ImportError`` with installation advice."""
    try:
        import polars
    except ImportError:
        raise ImportError(
            "to_polars needs polars: install it by `pip install polars`, or use columns"
        ) from None
    library: types.ModuleType = polars
    return library


def pandas_library() -> types.ModuleType:
    """Import pandas, or raise ``ImportError`` with installation advice."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "to_pandas needs pandas: install it by `pip install pandas`, or use to_dict"
        ) from None
    library: types.ModuleType = pandas
    return library


def pyplot() -> types.ModuleType:
    """Import ``matplotlib.pyplot``, or raise ``ImportError`` with installation advice."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: install it by `pip install matplotlib`") from None
    library: types.ModuleType = matplotlib.pyplot
    return library


#: Line colours that are distinguishable with every kind of colour vision (Okabe and Ito).
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")

#: Colours of positive and negative numbers, red and blue in plots, texts and reports, and the colour
#: map of matplotlib between them.
POSITIVE, NEGATIVE, DIVERGING = "#b2182b", "#2166ac", "RdBu_r"


def axes(ax: Any = None) -> Any:
    """Return the given matplotlib axes, or create new ones."""
    if ax is not None:
        return ax
    # Long names are not cut.
    return pyplot().subplots(layout="constrained")[1]
