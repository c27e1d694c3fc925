"""How results are shown: one short table, as text and as HTML with the same rows."""

from __future__ import annotations

import dataclasses
import enum
import html
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

#: Largest number of characters in a line, and of lines.
WIDTH = 100
MAX_LINES = 25

#: Alignment of names in HTML.
_LEFT = 'style="text-align: left; white-space: nowrap"'

#: Number of rows in tables of samples.
N_SAMPLES = 10

#: Largest number of lines of the title, and number of lines that notes may take from the rows.
_MAX_TITLE = 2
_MAX_NOTES = 10

#: Largest number of characters in a cell of a table, and of elements of a sequence in a cell.
_MAX_CELL = 40
_MAX_ELEMENTS = 12

#: Number of rows that each block of columns has at least; otherwise blocks are left out.
_MIN_ROWS = 3


class Shown:
    """Base class of results, which are printed as a short table and displayed as HTML in notebooks."""

    __slots__ = ()

    def _display(self) -> Display:
        """Return what is shown of the result."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._display().text()

    def _repr_html_(self) -> str:
        return self._display().html()

    def _in_cell(self) -> str:
        """Return the text of the result in a cell of another one."""
        return repr(self)


class Record(Shown):
    """Base class of small values and of rows of other results, which are printed as one line."""

    __slots__ = ()

    def _display(self) -> Display:
        return Display(title_of(self), rows=fields_of(self))

    def __repr__(self) -> str:
        pairs = (f"{name}={_cut(_argument(value), _MAX_CELL)}" for name, value in self._display().rows)
        return paragraphs([f"{type(self).__name__}({', '.join(pairs)})"])


@dataclass(frozen=True)
class Estimate:
    """Cell with a number and its interval."""

    value: float | None
    #: Two ends, or ``None``.
    interval: Iterable[float] | None = None
    #: Text after the number.
    mark: str = ""
    #: Whether HTML emphasizes the number.
    is_best: bool = False

    def __str__(self) -> str:
        return _cell(self.value) + ("" if is_undefined(self.value) else interval_text(self.interval) + self.mark)


@dataclass(frozen=True)
class Display:
    """Table with a title above and notes below.

    Examples
    --------
    >>> print(Display("2 runs", ("metric", "mean"), [("pa_acc", 0.5), ("ec_local", None)], ["1 pair"]).text())
    2 runs
    metric         mean
    pa_acc          0.5
    ec_local  undefined
    1 pair
    """

    title: str = ""
    #: Names of the columns; empty for a list of names and values.
    header: Sequence[str] = ()
    #: Cells. The first of each row is its name.
    rows: Sequence[Sequence[Any]] = ()
    #: Context of the numbers: what was undefined, assumed or left out.
    notes: Sequence[str] = ()
    #: Number of rows, if ``rows`` has only the first ones.
    n_rows: int | None = None

    def text(self) -> str:
        """Return the table as text of at most :data:`MAX_LINES` lines of :data:`WIDTH` characters.

        A table that is too wide is divided into blocks of columns, each with the names of the rows.
        """
        n_shown, blocks, table = self._layout()
        lines: list[str] = []
        for block in blocks:
            shown = table[: n_shown + bool(self.header)]
            lines += ["  ".join(row[column] for column in (0, *block)).rstrip() for row in shown]
            lines.append("")
        n_columns = len(table[0]) - 1 - sum(map(len, blocks)) if blocks else 0
        left_out = _left_out(self._n_rows - n_shown, n_columns)
        notes = self._note_lines(len(blocks))
        return "\n".join([*self._title_lines(), *lines[:-1], *left_out, *notes])

    def html(self) -> str:
        """Return the table as HTML with the rows of :meth:`text` and all columns. Texts are escaped."""
        rows = self.rows[: self._layout()[0]]
        caption = f'<caption {_LEFT}>{_escaped(self.title)}</caption>' if self.title else ""
        names = "".join(f"<th>{_escaped(name)}</th>" for name in self.header)
        head = f"<thead><tr>{names}</tr></thead>" if names else ""
        body = "".join(
            f"<tr><th {_LEFT}>{_html_cell(name)}</th>{''.join(f'<td>{_html_cell(value)}</td>' for value in values)}</tr>"
            for name, *values in rows
        )
        notes = [*_left_out(self._n_rows - len(rows), 0), *self.notes]
        below = f"<small>{'<br>'.join(map(_escaped, notes))}</small>" if notes else ""
        return f"<table>{caption}{head}<tbody>{body}</tbody></table>{below}"

    def n_blocks(self) -> int | None:
        """Return the number of blocks of columns, or ``None`` if rows or columns are left out."""
        n_shown, blocks, table = self._layout()
        n_columns = len(table[0]) - 1 if table else 0
        return len(blocks) if n_shown == self._n_rows and sum(map(len, blocks)) == n_columns else None

    @property
    def _n_rows(self) -> int:
        return len(self.rows) if self.n_rows is None else self.n_rows

    def _title_lines(self) -> list[str]:
        return _wrapped([self.title], _MAX_TITLE)

    def _note_lines(self, n_blocks: int) -> list[str]:
        rows = n_blocks * (self._n_rows + bool(self.header) + 1) - 1
        return _wrapped(self.notes, max(_MAX_NOTES, MAX_LINES - len(self._title_lines()) - rows))

    def _layout(self) -> tuple[int, list[list[int]], list[list[str]]]:
        """Return the number of rows that fit, the columns of each block, and the aligned cells."""
        table = self._aligned_cells()
        blocks = _blocks([len(column) for column in table[0]]) if table else []
        free = MAX_LINES - len(self._title_lines()) - len(self._note_lines(len(blocks)))
        for n_blocks in range(len(blocks), 0, -1):
            # Lines between blocks, and one that says what is left out.
            lines = free - (n_blocks - 1)
            if n_blocks == len(blocks) and lines // n_blocks - bool(self.header) >= self._n_rows:
                return self._n_rows, blocks, table
            n_shown = min((lines - 1) // n_blocks - bool(self.header), len(self.rows))
            if n_blocks == 1 or n_shown >= min(_MIN_ROWS, len(self.rows)):
                return max(n_shown, 0), blocks[:n_blocks], table
        return 0, [], table

    def _aligned_cells(self) -> list[list[str]]:
        """Return the header and the rows that can be shown at most, with columns of one width."""
        rows = self.rows[:MAX_LINES]
        widest_name = max((len(_cell(row[0])) for row in rows), default=0)
        limit = _MAX_CELL if self.header else WIDTH - 2 - min(widest_name, _MAX_CELL)
        aligned = []
        for index, column in enumerate(zip(*rows, strict=True) if rows else [()] * len(self.header)):
            cells = [_cut(_cell(name), _MAX_CELL) for name in self.header[index : index + 1]]
            cells += [_cut(_cell(value), limit if index else _MAX_CELL) for value in column]
            width = max(map(len, cells))
            is_text = index == 0 or not self.header or any(isinstance(value, str) and value for value in column)
            aligned.append([text.ljust(width) if is_text else text.rjust(width) for text in cells])
        return [list(row) for row in zip(*aligned)]


def grid(
    rows: Sequence[str], columns: Sequence[str], cells: Mapping[tuple[str, str], Estimate], notes: Sequence[str]
) -> Display:
    """Return a table of numbers by two names: ``rows`` by ``columns``, or the other way round if that needs
    fewer blocks of columns. Intervals are left out if they do not fit either way.

    Examples
    --------
    >>> cells = {("mine", "deletion"): Estimate(0.25, (0.125, 0.5))}
    >>> print(grid(["mine"], ["deletion"], cells, ["8 samples"]).text())
                   deletion
    mine  0.25 [0.125, 0.5]
    8 samples
    """
    bare = {at: dataclasses.replace(cell, interval=None) for at, cell in cells.items()}
    has_intervals = any(cell.interval is not None for cell in cells.values())
    hint = ["the intervals are in columns()"] if has_intervals else []
    shown: list[Display] = []
    for part, below in ((cells, []), (bare, hint)):
        across = [(row, *(part[row, column] for column in columns)) for row in rows]
        down = [(column, *(part[row, column] for row in rows)) for column in columns]
        tables = [Display("", ("", *columns), across, [*notes, *below]), Display("", ("", *rows), down, [*notes, *below])]
        n_blocks = [table.n_blocks() for table in tables]
        shown = tables
        for wanted in (1, None):
            for table, n in zip(tables, n_blocks):
                if n is not None and wanted in (n, None):
                    return table
    return shown[-1]


def title_of(result: Any) -> str:
    """Return the name of the class of a result as words.

    Examples
    --------
    >>> from xai_metrics.graph import Fidelity
    >>> title_of(Fidelity(1.0, 0.0, 4))
    'Fidelity'
    """
    return re.sub("(?<=[a-z])(?=[A-Z])", " ", type(result).__name__).capitalize()


def fields_of(result: Any) -> list[tuple[str, Any]]:
    """Return the public fields of a dataclass with their values."""
    names = [field.name for field in dataclasses.fields(result) if not field.name.startswith("_")]
    return [(name, getattr(result, name)) for name in names]


def interval_text(interval: Iterable[float] | None) -> str:
    """Return an interval as it follows a number.

    Examples
    --------
    >>> interval_text((0.12345, 2.0)), interval_text(None)
    (' [0.123, 2]', '')
    """
    if interval is None:
        return ""
    low, high = interval
    return f" [{low:.3g}, {high:.3g}]"


def percent(share: float) -> str:
    """Return a share as a percentage.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.4g} %"


def count(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "sample"), count(3, "sample")
    ('1 sample', '3 samples')
    """
    return f"{n} {noun}{'s' * (n != 1)}"


def is_undefined(value: Any) -> bool:
    """Return whether a value is ``None`` or NaN."""
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def _cell(value: Any) -> str:
    """Format a value for a cell; arrays and long sequences are described."""
    if is_undefined(value):
        return "undefined"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.4g}"
    if isinstance(value, Shown):
        value = value._in_cell()
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, np.ndarray):
        return _array_text(value)
    if isinstance(value, Mapping):
        return _listed([f"{_cell(key)}: {_cell(item)}" for key, item in islice(value.items(), _MAX_ELEMENTS)], len(value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return _listed([_cell(item) for item in islice(value, _MAX_ELEMENTS)], len(value))
    # A line break in a name would break the table.
    return "".join(character if character.isprintable() else " " for character in str(value))


def _listed(cells: list[str], n: int) -> str:
    more = f", … {n - len(cells)} more" if n > len(cells) else ""
    return ", ".join(cells) + more


def _array_text(array: np.ndarray[Any, Any]) -> str:
    size = count(array.size, "value") if array.ndim == 1 else f"{' × '.join(map(str, array.shape))} values"
    finite = array[np.isfinite(array)] if array.dtype.kind in "iuf" else array[:0]
    return f"{size}, {_cell(finite.min())} to {_cell(finite.max())}" if finite.size else size


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def paragraphs(texts: Iterable[str]) -> str:
    """Return texts as at most :data:`MAX_LINES` lines of :data:`WIDTH` characters."""
    return "\n".join(_wrapped(texts, MAX_LINES))


def _wrapped(texts: Iterable[str], max_lines: int) -> list[str]:
    """Return texts as lines; the last line ends with an ellipsis if there are too many."""
    lines = [line for text in texts for line in textwrap.wrap(_cell(text), WIDTH)]
    if len(lines) > max_lines:
        lines[max_lines - 1 :] = [_cut(lines[max_lines - 1] + " …", WIDTH)]
    return lines


def _blocks(widths: list[int]) -> list[list[int]]:
    """Divide all columns but the first into blocks that fit beside the first one."""
    blocks: list[list[int]] = [[]]
    free = WIDTH - widths[0]
    for column, width in enumerate(widths[1:], 1):
        if blocks[-1] and width + 2 > free:
            blocks.append([])
            free = WIDTH - widths[0]
        blocks[-1].append(column)
        free -= width + 2
    return blocks


def _argument(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, (str, bool)) else _cell(value)


def _left_out(n_rows: int, n_columns: int) -> list[str]:
    counts = [f"{count(n, f'more {noun}')}" for n, noun in ((n_rows, "row"), (n_columns, "column")) if n > 0]
    return [f"… {' and '.join(counts)}"] if counts else []


def _escaped(text: str) -> str:
    return html.escape(_cell(text))


def _html_cell(value: Any) -> str:
    if not isinstance(value, Estimate) or is_undefined(value.value):
        return _escaped(_cut(_cell(value), 2 * WIDTH))
    number = _cell(value.value) + _escaped(value.mark)
    interval = f" <small>{interval_text(value.interval).strip()}</small>" if value.interval is not None else ""
    return (f"<strong>{number}</strong>" if value.is_best else number) + interval
