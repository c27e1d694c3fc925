"""Results as the page that the command line's ``xai report`` makes."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _native
from ._files import write_whole
from ._results import Table, html_table

#: The files of a report, and what shows that a report wrote them.
_MARKS = {"index.html": b"xai report", "report.json": b'"schema_version"'}


class Reported:
    """Base of the results that a report has a section for."""

    #: What their section is called where nobody names it.
    _section = "Results"

    def _add_to(self, report: Any, name: str) -> None:
        """Adds the section of this result to a native report."""
        raise NotImplementedError

    @classmethod
    def _add_all(cls, results: Mapping[str, Any], report: Any, name: str) -> None:
        """Adds one section of several results."""
        raise TypeError(f"results[{name!r}]: each {cls.__name__} has a section of its own")

    def report(
        self, folder: Any = None, *, title: str = "Quality of explanations", force: bool = False
    ) -> Report:
        """The page that the command line's ``xai report`` makes, of this result alone.

        In a notebook the answer shows itself. Several results on one page: :class:`xai_metrics.Report`.

        Parameters
        ----------
        folder : path, optional
            Where ``index.html`` and ``report.json`` are written.
        title : str
            What stands on top of the page.
        force : bool
            Whether to replace files of these names that no report wrote.
        """
        report = Report({self._section: self}, title=title)
        if folder is not None:
            report.write(folder, force=force)
        return report

    def compare_with(self, other: Any) -> ReportDiff:
        """What changed from another result to this one, and whether by more than chance.

        Parameters
        ----------
        other : result, Report or path
            What stands: a result of the same kind, a report, or the ``report.json`` or the folder of one.
            A report's section of this kind must have the name that :meth:`report` gives it.
        """
        return Report({self._section: self}).compare_with(other)


class Report:
    """Results of any families on one page, and as JSON: what ``xai report`` makes of files.

    Parameters
    ----------
    results : mapping of str to result
        By the name of the section: what :func:`.evaluate`, :meth:`.CaseExplainer.audit` and
        :func:`.pairwise` return, a :class:`.SimulationStudy`, a :class:`.SweepCurve`, or a mapping of
        the names of several explainers to curves.
    title : str
        What stands on top of the page.

    Raises
    ------
    TypeError
        For what a report has no section for.

    Examples
    --------
    >>> from xai_metrics import Report
    >>> from xai_metrics.repro import pairwise
    >>> runs = pairwise([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0])
    >>> report = Report({"Three seeds": runs}, title="Digits")
    >>> report.to_dict()["repro"][0]["n_runs"]
    3
    >>> report.compare_with(report).n_worse
    0
    """

    def __init__(
        self, results: Mapping[str, Any], *, title: str = "Quality of explanations"
    ) -> None:
        if not isinstance(results, Mapping):
            raise TypeError(
                f"results: expected a mapping by name, got {type(results).__name__}; one result alone has report()"
            )
        self._native = _native.Report(str(title))
        for name, result in results.items():
            several = isinstance(result, Mapping)
            first = next(iter(result.values()), None) if several else result
            if not isinstance(first, Reported):
                kind = type(first).__name__
                raise TypeError(f"results[{name!r}]: a report has no section for {kind}")
            if several:
                first._add_all(result, self._native, str(name))
            else:
                first._add_to(self._native, str(name))
        self._native.find()

    @classmethod
    def read(cls, path: Any) -> Report:
        """The report of a ``report.json``, or of the folder that it is in.

        Raises ``ValueError`` for what is no report, or one of a later version.
        """
        path = Path(path)
        file = path / "report.json" if path.is_dir() else path
        report = cls({})
        try:
            report._native = _native.Report.read(file.read_bytes())
        except ValueError as error:
            raise ValueError(f"path: {str(file)!r}: {error}") from None
        return report

    @property
    def html(self) -> str:
        """The page: one file that asks nothing of any other place."""
        return str(self._native.page())

    def to_dict(self) -> dict[str, Any]:
        """What ``report.json`` holds."""
        held: dict[str, Any] = json.loads(self._native.json())
        return held

    def write(self, folder: Any, *, force: bool = False) -> Path:
        """Writes ``index.html`` and ``report.json`` into a folder, both or neither; returns the page's path.

        Raises ``FileExistsError`` for files of these names that no report wrote, unless ``force``.
        """
        place = Path(folder)
        for name, mark in _MARKS.items():
            file = place / name
            if not force and file.is_file():
                with file.open("rb") as opened:
                    head = opened.read(4096)
                if head and mark not in head:
                    raise FileExistsError(
                        f"folder: {str(file)!r} is there already, and no report wrote it; name another folder, or "
                        "replace it by force=True"
                    )
        place.mkdir(parents=True, exist_ok=True)
        page, numbers = place / "index.html", place / "report.json"
        write_whole({page: self.html.encode(), numbers: self._native.json().encode()})
        return page

    def compare_with(self, other: Any) -> ReportDiff:
        """What changed from another report to this one: see :meth:`.Reported.compare_with`."""
        if isinstance(other, Reported):
            other = Report({other._section: other})
        elif not isinstance(other, Report):
            other = Report.read(other)
        return ReportDiff(**other._native.diff(self._native))

    def _repr_html_(self) -> str:
        # In a frame: neither the page nor the notebook gets the other's style.
        return (
            '<iframe style="width: 100%; height: 45em; border: 1px solid #ccc" '
            f'title="report" srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        held = self.to_dict()
        families = ("casebased", "attribution", "texts", "data_attribution", "graph", "repro", "simulation")
        names = [section["name"] for family in families for section in held.get(family, [])]
        lines = [f"{held['title']}: {', '.join(names)}"]
        return "\n".join([*lines, *(f"- {finding['text']}" for finding in held["findings"])])


@dataclass(frozen=True)
class ReportDiff(Table):
    """What changed between two reports, figure by figure: ``xai report diff``.

    Examples
    --------
    >>> from xai_metrics.repro import pairwise
    >>> labels = [0, 1, 1, 0] * 10
    >>> alike = pairwise([labels, labels, [*labels[:-1], 1]], labels)
    >>> apart = pairwise([labels, [0] * 40, [1] * 40], labels)
    >>> changed = apart.compare_with(alike)
    >>> changed.n_better, [of["figure"] for of in changed.figures if of["outcome"] == "worse"]
    (0, ['pa_kappa', 'pa_nmi'])
    """

    #: How many figures got worse and better, each beyond the intervals of both.
    n_worse: int
    n_better: int
    #: Number of figures that were computed with other settings, which are not compared.
    n_other_settings: int
    #: ``section``, ``figure``, ``better``, ``old``, ``new``, ``change``, and the ``outcome``: ``same``,
    #: ``within`` the intervals, ``better``, ``worse``, ``changed``, ``unjudged`` without an interval,
    #: ``other_settings``, …; ``settings`` are those that differ.
    figures: list[dict[str, Any]]
    #: Input files that are not the same, of reports that were made from files.
    files: list[dict[str, Any]]
    #: The versions that made the reports, old and new.
    xai_versions: list[str]
    #: The seeds of the reports, old and new.
    seeds: list[int]

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return dict(vars(self))

    def columns(self) -> dict[str, Any]:
        """A row a figure: its value and interval in both, the change and the outcome."""

        def of(side: str, end: int | None) -> list[Any]:
            found = [figure[side] or {"value": None, "interval": None} for figure in self.figures]
            if end is None:
                return [one["value"] for one in found]
            return [one["interval"] and one["interval"][end] for one in found]

        columns = {
            name: [figure[name] for figure in self.figures]
            for name in ("section", "figure", "better")
        }
        for side in ("old", "new"):
            columns[side] = of(side, None)
            columns |= {f"{side}_low": of(side, 0), f"{side}_high": of(side, 1)}
        for name in ("change", "outcome"):
            columns[name] = [figure[name] for figure in self.figures]
        return columns

    def _repr_html_(self) -> str:
        columns = self.columns()
        title = f"{self.n_better} better and {self.n_worse} worse beyond their intervals"
        return html_table([list(columns), *zip(*columns.values())], title)
