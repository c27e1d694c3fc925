"""Behaviour of the metrics in simulations with known truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._arguments import check_class, threads, whole
from .._described import described
from .._progress import bar
from .._report import Reported
from .._display import Display, Record, count
from .._results import Result, Table, axes, text_or_file
from .._statistics import Summary
from ._inputs import coded, stacked

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import PairMetricName, StudyParameters

#: Values of a point of a profile.
_PROFILE = ("accuracy", "mean", "low", "high")


@dataclass(frozen=True, repr=False)
class MetricBehavior(Record):
    """Behaviour of a metric over the draws of a study for which it is defined.

    Attributes
    ----------
    metric : str
        Name of the metric.
    values : Summary
        Distribution over draws of its mean over pairs.
    pearson_with_accuracy, spearman_with_accuracy : float or None
        Correlation with the mean accuracy of the runs, in [-1, 1].
    pearson_with_n_classes, spearman_with_n_classes : float or None
        Correlation with the number of classes.
    variance_by_label_distribution, variance_by_error_distribution : float or None
        Share of its variance that the kind of distribution explains, in [0, 1].
    auroc_of_dependence : float or None
        AUROC for separating dependent from independent runs, in [0, 1]; 0.5 for no separation.
    """

    metric: str
    values: Summary
    pearson_with_accuracy: float | None
    spearman_with_accuracy: float | None
    pearson_with_n_classes: float | None
    spearman_with_n_classes: float | None
    variance_by_label_distribution: float | None
    variance_by_error_distribution: float | None
    auroc_of_dependence: float | None


@dataclass(frozen=True, repr=False)
class StudySummary(Result):
    """Behaviour of each metric in a study, computed by :meth:`SimulationStudy.summary`.

    Attributes
    ----------
    n_draws : int
        Number of draws.
    accuracy : Summary
        Distribution over draws of the mean accuracy of the runs.
    metrics : tuple of MetricBehavior
        Behaviour of each metric.
    """

    n_draws: int
    accuracy: Summary
    metrics: tuple[MetricBehavior, ...]

    def metric(self, name: PairMetricName | str) -> MetricBehavior:
        """Return the behaviour of a metric.

        Parameters
        ----------
        name : str
            Name of the metric.

        Returns
        -------
        MetricBehavior
            Behaviour.

        Raises
        ------
        ValueError
            If there is no such metric.
        """
        for behavior in self.metrics:
            if behavior.metric == name:
                return behavior
        raise ValueError(f"metric: there is none named {name!r}")

    def columns(self) -> dict[str, Any]:
        """Return the behaviour of the metrics as columns, with one row per metric.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        rows = [{**asdict(item), "values": item.values.mean} for item in self.metrics]
        columns = {key: [row[key] for row in rows] for key in rows[0]}
        columns["mean"] = columns.pop("values")
        return columns

    def _display(self) -> Display:
        rows = [
            (
                item.metric,
                item.values.mean,
                item.values.std,
                item.spearman_with_accuracy,
                item.spearman_with_n_classes,
                item.auroc_of_dependence,
                item.values.n_undefined,
            )
            for item in self.metrics
        ]
        header = ("metric", "mean", "std", "r accuracy", "r classes", "AUROC dependence", "undefined")
        accuracy = self.accuracy.mean
        notes = [
            "r: Spearman's correlation over draws with the mean accuracy of the runs and with the number of classes",
            "AUROC dependence: how well the metric separates dependent from independent runs",
        ]
        title = f"Simulation of {count(self.n_draws, 'draw')}"
        title += "" if accuracy is None else f", mean accuracy {accuracy:.4g}"
        return Display(title, header, rows, notes)


@described("repro.study")
class SimulationStudy(Reported, Table):
    """Draws of the simulation study: random settings, simulated runs, and all metrics of these.

    A draw depends only on the seed and its number, so that a study can be continued with the
    same draws and divided among processes.

    Parameters
    ----------
    n_draws : int
        Number of draws; the published study has 25 000.
    first : int
        Number of the first draw.
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.
    progress : bool
        Whether to show a progress bar, if tqdm is installed.

    Examples
    --------
    >>> from xai_metrics.repro import SimulationStudy
    >>> study = SimulationStudy(50, n_samples=200)
    >>> len(study), bool(study.columns()["n_classes"].max() <= 50)
    (50, True)

    More accurate runs share fewer errors: plain counts follow accuracy.

    >>> study.summary().metric("ec_global").spearman_with_accuracy < -0.5
    True
    """

    def __init__(
        self,
        n_draws: int = 25_000,
        *,
        first: int = 0,
        n_jobs: int | None = None,
        progress: bool = False,
        **parameters: Unpack[StudyParameters],
    ) -> None:
        n_draws, first = whole("n_draws", n_draws, 0), whole("first", first, 0)
        n_jobs = threads(n_jobs)

        def draws(start: int, end: int) -> Any:
            return _native.ReproStudy.simulate(start, end, parameters, n_jobs)

        if not progress:
            self._native: Any = draws(first, first + n_draws)
            return
        self._native = draws(first, first)
        with bar(n_draws, "draws") as shown:
            for start in range(first, first + n_draws, 1000):
                end = min(start + 1000, first + n_draws)
                self._native = self._native.followed_by(draws(start, end))
                shown.update(end - start)

    @classmethod
    def _from_native(cls, native: Any) -> SimulationStudy:
        study = cls.__new__(cls)
        study._native = native
        return study

    _section = "Draws"

    def _add_to(self, report: Any, name: str) -> None:
        report.add_simulation(name, self._native)

    def __len__(self) -> int:
        return len(self._native)

    def merge(self, other: SimulationStudy) -> SimulationStudy:
        """Append the draws of another study.

        Parameters
        ----------
        other : SimulationStudy
            Draws that follow.

        Returns
        -------
        SimulationStudy
            A new study.

        Raises
        ------
        TypeError
            If ``other`` is not a study.
        """
        check_class(other, self)
        return self._from_native(self._native.followed_by(other._native))

    def summary(self, *, n_jobs: int | None = None) -> StudySummary:
        """Summarize the behaviour of each metric.

        Parameters
        ----------
        n_jobs : int, optional
            Number of threads; one per core by default.

        Returns
        -------
        StudySummary
            Behaviour of each metric.
        """
        fields = self._native.summary(threads(n_jobs))
        behaviors = tuple(
            MetricBehavior(**{**item, "values": Summary(**item["values"])}) for item in fields["metrics"]
        )
        return StudySummary(fields["n_draws"], Summary(**fields["accuracy"]), behaviors)

    def profiles(self, n_bins: int = 20) -> list[dict[str, Any]]:
        """Summarize each metric over bins of accuracy, separately for independent and dependent
        errors.

        Bins without defined values have ``n_defined`` 0.

        Parameters
        ----------
        n_bins : int
            Number of bins.

        Returns
        -------
        list of dict
            One dictionary per metric: ``metric``, and under ``independent`` and ``dependent`` a
            list of points with ``accuracy``, ``mean``, ``low``, ``high`` and ``n_defined``.
        """
        profiles: list[dict[str, Any]] = self._native.profiles(whole("n_bins", n_bins, 1))
        return profiles

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the draws as columns: the setting, the mean accuracy, and the mean of each metric.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name, one row per draw.
        """
        rows = self._native.draws()
        columns: dict[str, npt.NDArray[Any]] = {}
        for name in ("draw", "n_classes", "error_reversed", "max_error_share", "accuracy"):
            columns[name] = np.array([row[name] for row in rows])
        for name in ("label_distribution", "error_distribution", "error_set"):
            columns[name] = np.array([_name(row[name]) for row in rows])
        columns["copied"] = _or_nan([row["copied"] for row in rows])
        for i, name in enumerate(_native.repro_study_metrics()):
            columns[name] = _or_nan([row["metrics"][i] for row in rows])
        return columns

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Return the draws as columns, see :meth:`columns`.

        Returns
        -------
        dict of str to numpy.ndarray
            Columns by name.
        """
        return self.columns()

    def to_csv(self, path: Any = None) -> str | None:
        """Return the draws as CSV text, or write it to a file.

        :meth:`from_csv` and the command line can read it.

        Parameters
        ----------
        path : path-like, optional
            File to write to.

        Returns
        -------
        str or None
            CSV text; ``None`` if it was written to ``path``.
        """
        return text_or_file(self._native.to_csv().decode(), path)

    @classmethod
    def from_csv(cls, path: str | Path) -> SimulationStudy:
        """Read the draws of a file. A truncated last line is ignored.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        SimulationStudy
            The draws.

        Raises
        ------
        ValueError
            If the file does not contain draws.
        """
        return cls._from_native(_native.ReproStudy.from_csv(Path(path).read_bytes()))

    def plot(self, metric: PairMetricName | str = "ec_local", *, n_bins: int = 20, ax: Any = None) -> Any:
        """Plot a metric over accuracy, for independent and dependent errors, with matplotlib.

        Lines are means over draws of similar accuracy, bands their spread.

        Parameters
        ----------
        metric : str
            Name of the metric.
        n_bins : int
            Number of bins of accuracy.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ValueError
            If there is no such metric.
        """
        found = [profile for profile in self.profiles(n_bins) if profile["metric"] == metric]
        if not found:
            raise ValueError(f"metric: there is none named {metric!r}")
        ax = axes(ax)
        for kind in ("independent", "dependent"):
            points = [point for point in found[0][kind] if point["n_defined"]]
            columns = {key: [point[key] for point in points] for key in _PROFILE}
            ax.plot(columns["accuracy"], columns["mean"], label=kind)
            ax.fill_between(columns["accuracy"], columns["low"], columns["high"], alpha=0.2)
        ax.set_xlabel("mean accuracy")
        ax.set_ylabel(metric)
        ax.legend()
        return ax

    def __getstate__(self) -> bytes:
        return bytes(self._native.to_bytes())

    def __setstate__(self, state: bytes) -> None:
        self._native = _native.ReproStudy.from_bytes(state)

    def _display(self) -> Display:
        return self.summary()._display()


def mean_metrics(predictions: Any, labels: Any, *, n_jobs: int | None = None) -> dict[str, float]:
    """Compute the mean accuracy of runs and the mean of each metric over the pairs, as in the
    study.

    Parameters
    ----------
    predictions : array_like or table or sequence of arrays
        Labels ``(n_runs, n_samples)``.
    labels : array_like
        The true labels, ``(n_samples,)``.
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    dict of str to float
        ``accuracy``, then the metrics; NaN where no pair defines one.

    Raises
    ------
    ValueError
        For fewer than two runs, no samples, and runs and labels of different lengths.

    Examples
    --------
    >>> from xai_metrics.repro import mean_metrics
    >>> means = mean_metrics([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]], [0, 1, 1, 0])
    >>> round(means["accuracy"], 4), means["pa_acc"]
    (0.5833, 0.5)
    """
    _arrays.classes(labels, "labels")
    runs, truth, _ = coded(predictions, labels)
    means = _native.repro_mean_metrics(stacked(runs), truth, threads(n_jobs))
    names = _native.repro_study_metrics()
    values = [float("nan") if value is None else value for value in means["metrics"]]
    return {"accuracy": means["accuracy"], **dict(zip(names, values))}


def _name(law: str | Mapping[str, Any]) -> str:
    return law if isinstance(law, str) else next(iter(law))


def _or_nan(values: list[float | None]) -> npt.NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
