"""Reports of results, as written by ``xai report``."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _native
from ._files import write_whole
from ._display import Display, Estimate, Shown, paragraphs
from ._results import Table

#: Files of a report, and the bytes that identify them as written by a report.
_MARKS = {"index.html": b"xai report", "report.json": b'"schema_version"'}

_TAKEN = (
    "it takes the results of evaluate (of attribution and counterfactual), data_attribution.compare, CaseExplainer.audit, "
    "repro.pairwise and repro.regression, a SimulationStudy, and a SweepCurve or a mapping of them"
)


class Reported:
    """Base class of results that have a section in reports."""

    #: Default name of the section.
    _section = "Results"

    def _add_to(self, report: Any, name: str) -> None:
        """Add the section of this result to a native report."""
        raise NotImplementedError

    @classmethod
    def _add_all(cls, results: Mapping[str, Any], report: Any, name: str) -> None:
        """Add one section with several results."""
        raise TypeError(f"results[{name!r}]: each {cls.__name__} has a section of its own")

    def report(
        self, folder: Any = None, *, title: str = "Quality of explanations", force: bool = False
    ) -> Report:
        """Create a report with this result only, as ``xai report`` does.

        Notebooks display it. Use :class:`xai_metrics.Report` for several results on one page.

        Parameters
        ----------
        folder : path, optional
            Where to write ``index.html`` and ``report.json``.
        title : str
            Title of the page.
        force : bool
            Whether to replace files of these names that were not written by a report.

        Returns
        -------
        Report
            The report.

        Raises
        ------
        FileExistsError
            See :meth:`.Report.write`.
        """
        report = Report({self._section: self}, title=title)
        if folder is not None:
            report.write(folder, force=force)
        return report

    def compare_with(self, other: Any) -> ReportDiff:
        """Compare this result with an earlier one, taking their intervals into account.

        Parameters
        ----------
        other : result, Report or path
            Earlier result: a result of the same kind, a report, or a ``report.json`` or its folder.
            In a report, the section must have the default name that :meth:`report` uses.

        Returns
        -------
        ReportDiff
            Changes from ``other`` to this result.
        """
        return Report({self._section: self}).compare_with(other)


class Report(Shown):
    """Results of any families on one page and as JSON.

    ``xai report`` creates the same reports from files.

    Parameters
    ----------
    results : mapping of str to result
        Results by section name: from ``evaluate`` of :mod:`.attribution` (also its reliability and
        ``meta_consistency``) and :mod:`.counterfactual`, ``compare`` of
        :mod:`.casebased.data_attribution`, :meth:`.CaseExplainer.audit`, :func:`.pairwise` and
        :func:`.regression`, a :class:`.SimulationStudy`, a :class:`.SweepCurve`, or a mapping from explainer names to
        curves.
    title : str
        Title of the page.

    Raises
    ------
    TypeError
        If reports have no section for a result.

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
                raise TypeError(f"results[{name!r}]: a report has no section for {kind}; {_TAKEN}")
            if several:
                first._add_all(result, self._native, str(name))
            else:
                first._add_to(self._native, str(name))
        self._native.find()

    @classmethod
    def read(cls, path: Any) -> Report:
        """Read a report from ``report.json`` or the folder that contains it.

        Parameters
        ----------
        path : path-like
            File or folder.

        Returns
        -------
        Report
            The report.

        Raises
        ------
        ValueError
            If the file is not a report, or was written by a later version.
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
        """The page as self-contained HTML."""
        return str(self._native.page())

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``report.json``.

        Returns
        -------
        dict
            Content as plain Python values.
        """
        held: dict[str, Any] = json.loads(self._native.json())
        return held

    def write(self, folder: Any, *, force: bool = False) -> Path:
        """Write ``index.html`` and ``report.json`` to a folder, either both or none.

        Parameters
        ----------
        folder : path-like
            Folder; created if it does not exist.
        force : bool
            Whether to replace files of these names that were not written by a report.

        Returns
        -------
        pathlib.Path
            Path of the page.

        Raises
        ------
        FileExistsError
            If a file of these names exists that was not written by a report, unless ``force``.
        """
        target = Path(folder)
        for name, mark in _MARKS.items():
            file = target / name
            if not force and file.is_file():
                with file.open("rb") as opened:
                    head = opened.read(4096)
                if head and mark not in head:
                    raise FileExistsError(
                        f"folder: {str(file)!r} is there already, and no report wrote it; name another folder, or "
                        "replace it by force=True"
                    )
        target.mkdir(parents=True, exist_ok=True)
        page, numbers = target / "index.html", target / "report.json"
        write_whole({page: self.html.encode(), numbers: self._native.json().encode()})
        return page

    def compare_with(self, other: Any) -> ReportDiff:
        """Compare this report with an earlier one, see :meth:`.Reported.compare_with`.

        Parameters
        ----------
        other : result, Report or path
            Earlier report or result.

        Returns
        -------
        ReportDiff
            Changes from ``other`` to this report.
        """
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
        sections = [held[kind] for kind in _native.section_kinds() if kind in held]
        names = [section["name"] for of_kind in sections for section in of_kind]
        lines = [f"{held['title']}: {', '.join(names)}"]
        return paragraphs([*lines, *(f"- {finding['text']}" for finding in held["findings"])])


@dataclass(frozen=True, repr=False)
class ReportDiff(Table):
    """Differences between two reports, figure by figure, as printed by ``xai report diff``.

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

    #: Number of figures that got worse, and better, beyond the intervals of both reports.
    n_worse: int
    n_better: int
    #: Number of figures that were computed with other settings, which are not compared.
    n_other_settings: int
    #: ``section``, ``figure``, ``better``, ``old``, ``new``, ``change``, and the ``outcome``: ``same``,
    #: ``within`` the intervals, ``better``, ``worse``, ``changed``, ``unjudged`` without an interval,
    #: ``other_settings``, …; ``settings`` are those that differ.
    figures: list[dict[str, Any]]
    #: Input files that differ, for reports that were made from files.
    files: list[dict[str, Any]]
    #: Versions that made the reports, old and new.
    xai_versions: list[str]
    #: The seeds of the reports, old and new.
    seeds: list[int]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name.

        Returns
        -------
        dict
            Fields by name.
        """
        return dict(vars(self))

    def columns(self) -> dict[str, Any]:
        """Return value and interval in both reports, change and outcome as columns, with one row
        per figure.

        Returns
        -------
        dict of str to list
            Columns by name.
        """

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

    def _display(self) -> Display:
        order = ("worse", "better", "changed", "unjudged")
        rank = {outcome: position for position, outcome in enumerate(order)}
        figures = sorted(self.figures, key=lambda figure: rank.get(figure["outcome"], len(order)))
        rows = [
            (figure["figure"], figure["section"], *map(_estimate, (figure["old"], figure["new"])), figure["outcome"])
            for figure in figures
        ]
        notes = [f"{self.n_better} better and {self.n_worse} worse beyond their intervals"]
        if self.n_other_settings:
            notes.append(f"{self.n_other_settings} computed with other settings, which are not compared")
        return Display("", ("figure", "section", "old", "new", "outcome"), rows, notes)


def _estimate(side: Mapping[str, Any] | None) -> Any:
    """Return the figure of a report as a cell; empty if the report does not have it."""
    return "" if side is None else Estimate(side["value"], side["interval"])
