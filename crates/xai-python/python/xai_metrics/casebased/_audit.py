"""Audit of the explanations of a whole test set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _native
from .._arguments import check_class, whole
from .._described import described
from .._display import Display, Estimate, Record, count
from .._report import Reported
from .._results import Result, axes
from ._fitting.choices import LEVELS
from ._fitting.classes import label_array
from ._fitting.parts import parts

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._explain_methods import ExplainMethods
    from ._explanations import Explanations
    from typing_extensions import Unpack

    from .._types import AuditParameters

__all__ = ["Audit", "AuditReport", "LevelAudit"]

#: Largest number of samples whose neighbours are in memory at once.
_AT_ONCE = 65_536

#: Number of least supported predictions in a report, as on the command line.
_LISTED = 6


@dataclass(frozen=True, repr=False)
class LevelAudit(Record, Result):
    """Predictions of one level of correspondence.

    Examples
    --------
    >>> from xai_metrics.casebased import LevelAudit
    >>> LevelAudit("high", 10, 8, 6, 0.75, (0.41, 0.93)).accuracy
    0.75
    """

    #: Level: ``"high"``, ``"medium"``, ``"low"`` or ``"undefined"``.
    level: str
    #: Number of predictions with the level.
    n: int
    #: Number of these with a known true class.
    n_judged: int
    #: Number of correct predictions among these.
    n_right: int
    #: Share of correct predictions among those with a known true class; ``None`` without any.
    accuracy: float | None
    #: Wilson interval of the accuracy, level 0.95.
    accuracy_interval: tuple[float, float] | None


@dataclass(frozen=True, repr=False)
class AuditReport(Reported, Result):
    """Result of an :class:`Audit`. Intervals have level 0.95 and assume independent samples.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0]], [0, 1], k=1, scale=False)
    >>> report = explainer.audit([[0.1], [0.8], [0.9]], y_test=[0, 1, 0], predictions=[0, 1, 1])
    >>> report.by_level["high"].n, round(report.by_level["high"].accuracy, 3)
    (3, 0.667)
    >>> round(report.expected_calibration_error, 3)
    0.333
    """

    #: Number of audited samples.
    n_samples: int
    #: Number of samples with undefined correspondence, which are excluded from means.
    n_undefined: int
    #: Number of samples whose last neighbour ties with excluded training cases, so that the order
    #: of the cases decides.
    n_tied: int
    #: Mean correspondence in [0, 1]; higher means more agreement with the training cases.
    mean_correspondence: float | None
    #: Interval of the preceding value.
    interval: tuple[float, float] | None
    #: Share of correct predictions among those with a known true class.
    accuracy: float | None
    #: Wilson interval of the accuracy.
    accuracy_interval: tuple[float, float] | None
    #: Counts and accuracy of each level.
    by_level: dict[str, LevelAudit]
    #: Results by predicted class: ``n``, ``mean_correspondence``, ``accuracy``.
    by_class: dict[Any, dict[str, Any]]
    #: Results for correct predictions: ``n``, ``mean_correspondence``, ``interval``, and ``counts``
    #: in bins of width 0.05.
    right: dict[str, Any]
    #: Results for wrong predictions, as for ``right``.
    wrong: dict[str, Any]
    #: Ten bins of correspondence: ``from``, ``to``, ``n``, ``mean_correspondence``, ``accuracy``,
    #: ``accuracy_interval``. If correspondence were a calibrated probability, accuracy would equal
    #: it.
    reliability: list[dict[str, Any]]
    #: Mean absolute difference between accuracy and correspondence over the bins, in [0, 1]; lower
    #: is better calibrated.
    expected_calibration_error: float | None
    #: Probability that a correct prediction has a higher correspondence than a wrong one, ties
    #: count half: 1 is best, 0.5 means no separation.
    auroc_of_right: float | None
    #: Interval of the preceding value.
    auroc_of_right_interval: tuple[float, float] | None
    #: Predictions with the lowest correspondence, lowest first: ``sample``, ``predicted``,
    #: ``true``, ``correspondence``.
    least_supported: list[dict[str, Any]]
    #: State of the audit, and the rows of the least supported predictions if available.
    _audited: tuple[Audit, npt.NDArray[Any] | None] | None = field(
        default=None, repr=False, compare=False
    )
    _section = "Audit"

    def _add_to(self, report: Any, name: str) -> None:
        if self._audited is None:
            raise ValueError("audit: take its report where the audit was made")
        audit, rows = self._audited
        report.add_casebased(name, audit._state, **audit._about(self, rows))

    def __getstate__(self) -> dict[str, Any]:
        # The explainer has the training rows, which are not the result.
        return {**vars(self), "_audited": None}

    def columns(self) -> dict[str, Any]:
        """Return counts, accuracy and its interval as columns, with one row per level.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        rows = list(self.by_level.values())
        ends = [level.accuracy_interval or (None, None) for level in rows]
        return {
            "level": [level.level for level in rows],
            "n": [level.n for level in rows],
            "n_judged": [level.n_judged for level in rows],
            "n_right": [level.n_right for level in rows],
            "accuracy": [level.accuracy for level in rows],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }

    def plot(self, ax: Any = None) -> Any:
        """Plot accuracy and its interval by bin of correspondence with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        ax = axes(ax)
        bins = [one for one in self.reliability if one["accuracy"] is not None]
        places = [one["mean_correspondence"] for one in bins]
        shares = [one["accuracy"] for one in bins]
        ends = [one["accuracy_interval"] for one in bins]
        below = [max(share - end[0], 0.0) for share, end in zip(shares, ends)]
        above = [max(end[1] - share, 0.0) for share, end in zip(shares, ends)]
        ax.plot([0, 1], [0, 1], color="0.7", linestyle="--", label="calibrated")
        ax.errorbar(places, shares, [below, above], fmt="o", capsize=3, label="accuracy, 95 %")
        ax.set_xlabel("correspondence")
        ax.set_ylabel("accuracy")
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.legend()
        return ax

    def _display(self) -> Display:
        rows = [
            (level.level, level.n, level.n_judged, level.n_right, Estimate(level.accuracy, level.accuracy_interval))
            for level in self.by_level.values()
        ]
        together = (
            ("mean correspondence", self.mean_correspondence, self.interval),
            ("accuracy", self.accuracy, self.accuracy_interval),
            ("AUROC of right predictions", self.auroc_of_right, self.auroc_of_right_interval),
            ("expected calibration error", self.expected_calibration_error, None),
        )
        notes = [f"{name}: {Estimate(value, interval)}" for name, value, interval in together]
        notes.append("intervals of 95 % assume independent samples")
        if self.n_undefined:
            notes.append(f"correspondence undefined: {count(self.n_undefined, 'sample')}")
        if self.n_tied:
            notes.append(f"last neighbour tied, the order of the training rows decides: {count(self.n_tied, 'sample')}")
        header = ("level", "samples", "with a true class", "right", "accuracy")
        return Display(f"Audit of {count(self.n_samples, 'sample')} by level of correspondence", header, rows, notes)


class Audit:
    """Accumulate explanations over batches: accuracy by level, calibration, least supported
    predictions.

    Audits of parts, in any order and on any number of machines, merge to bit-for-bit the same
    report. They can be pickled together with their explainer.

    Parameters
    ----------
    explainer : CaseExplainer
        Explainer of the samples.
    first_sample : int
        Index of the first sample, for a part of a larger test set.

    Examples
    --------
    >>> from xai_metrics.casebased import Audit, CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0]], [0, 1], k=1, scale=False)
    >>> first, second = Audit(explainer), Audit(explainer, first_sample=2)
    >>> first.update([[0.1], [0.9]], y_test=[0, 0], predictions=[0, 1])
    >>> second.update([[0.2], [0.8]], y_test=[0, 1], predictions=[1, 1])
    >>> first.merge(second)
    >>> report = first.finish()
    >>> report.mean_correspondence, report.wrong["mean_correspondence"]
    (0.75, 0.5)
    >>> report.least_supported[0]["sample"]
    2
    """

    @described("casebased.audit")
    def __init__(self, explainer: ExplainMethods, *, first_sample: int = 0, **parameters: Unpack[AuditParameters]) -> None:
        """Create an audit without samples.

        Parameters
        ----------
        {parameters}
        """
        self.explainer: ExplainMethods = explainer
        self._state = _native.CasebasedAudit(parameters, whole("first_sample", first_sample, 0))

    def update(
        self,
        X_test: Any,
        y_test: Any = None,
        predictions: Any = None,
        model: Any = None,
        *,
        progress: bool = False,
    ) -> None:
        """Explain the next samples and add them.

        Parameters
        ----------
        X_test, y_test, predictions, model, progress
            See :meth:`.CaseExplainer.explain_arrays`.

        Raises
        ------
        ValueError
            See :meth:`.CaseExplainer.explain_arrays`.
        """
        explainer = self.explainer
        X_test, y_test, predictions = explainer._aligned(X_test, y_test, predictions)
        samples = explainer._samples(X_test)
        labels = explainer._labels(X_test, samples, predictions, model)
        truth = None if y_test is None else explainer._truth(y_test)
        explainer._check_lengths(samples, labels, truth)
        # An error or Ctrl-C between two parts leaves the audit as it was.
        next_state = _native.CasebasedAudit.from_state(self._state.state())
        for part in parts(len(samples), progress, _AT_ONCE):
            known = None if truth is None else truth[part]
            _add(next_state, explainer._answer(samples[part], labels[part], known))
        self._state = next_state

    def add(self, explanations: Explanations) -> None:
        """Add existing explanations of the next samples.

        Parameters
        ----------
        explanations : Explanations
            Explanations by an explainer that was fitted in the same way.

        Examples
        --------
        >>> from xai_metrics.casebased import Audit, CaseExplainer
        >>> explainer = CaseExplainer([[0.0], [1.0]], [0, 1], k=1)
        >>> audit = Audit(explainer)
        >>> audit.add(explainer.explain_arrays([[0.1]], y_test=[0], predictions=[0], k=2))
        >>> audit.finish().n_samples
        1
        """
        _add(self._state, explanations)

    def merge(self, other: Audit) -> None:
        """Add the audit of other samples by an explainer that was fitted in the same way.

        Parameters
        ----------
        other : Audit
            Audit to add.

        Raises
        ------
        TypeError
            If ``other`` is not an audit.
        """
        check_class(other, self)
        self._state.merge(other._state)

    def finish(self) -> AuditReport:
        """Return the report on all samples so far.

        Returns
        -------
        AuditReport
            The report.
        """
        return self._finished()

    def _finished(self, samples: npt.NDArray[Any] | None = None) -> AuditReport:
        """Return the report; ``samples`` are the rows of a whole test set if they are available."""
        found, levels = self._state.finish()
        distribution = found["distribution"]
        label = self.explainer._classes.label
        by_level = {}
        for name, (n, judged, right, interval) in reversed(list(zip(LEVELS, levels))):
            accuracy = right / judged if judged else None
            by_level[name] = LevelAudit(name, n, judged, right, accuracy, _ends(interval))
        bins = []
        for one, interval in zip(found["reliability"], distribution["reliability_intervals"]):
            bins.append({**one, "accuracy_interval": _ends(interval)})
        least = []
        for one in found["least_supported"]:
            known = {
                name: None if one[name] is None else label(one[name])
                for name in ("predicted", "true")
            }
            least.append({**one, **known})
        groups = {}
        for name in ("right", "wrong"):
            group = distribution[name]
            groups[name] = {
                **found[name],
                "interval": _ends(group["interval"]),
                "counts": group["counts"],
            }
        return AuditReport(
            n_samples=found["n_samples"],
            n_undefined=found["n_undefined"],
            n_tied=found["n_tied"],
            mean_correspondence=found["mean_correspondence"],
            interval=_ends(distribution["interval"]),
            accuracy=distribution["accuracy"],
            accuracy_interval=_ends(distribution["accuracy_interval"]),
            by_level=by_level,
            by_class={label(int(number)): value for number, value in found["by_class"].items()},
            right=groups["right"],
            wrong=groups["wrong"],
            reliability=bins,
            expected_calibration_error=found["expected_calibration_error"],
            auroc_of_right=distribution["auroc_of_right"],
            auroc_of_right_interval=_ends(distribution["auroc_of_right_interval"]),
            least_supported=least,
            _audited=(_copy_of(self), None if samples is None else samples[_rows(least)]),
        )

    def _about(self, report: AuditReport, rows: npt.NDArray[Any] | None) -> dict[str, Any]:
        """Return the content of a report section in addition to the numbers."""
        explainer, classes = self.explainer, self.explainer._classes
        cases: list[dict[str, Any]] = []
        features: list[Any] = []
        if rows is not None and len(rows):
            least = report.least_supported[:_LISTED]
            predicted = label_array([one["predicted"] for one in least], "predictions")
            numbers, given = explainer._predicted_numbers(predicted), explainer._space.native_input(rows)
            features = explainer._native.compare_features(rows, numbers, given, explainer.n_jobs)
            found = explainer.explain_arrays(rows, predictions=predicted)
            for one, near, level in zip(least, found, found.levels.tolist()):
                case = {item: one[item] for item in ("sample", "correspondence")}
                for element in ("predicted", "true"):
                    case[element] = None if one[element] is None else classes.number(one[element])
                case["level"] = level
                case["neighbors"] = [
                    {"index": entry.index, "distance": entry.distance, "label": classes.number(entry.label)}
                    for entry in near.neighbors
                ]
                cases.append(case)
        names = explainer._class_name_of
        labels = [*classes.labels, *report.by_class]
        labels += [one["true"] for one in report.least_supported if one["true"] is not None]
        levels = [{"level": name, "n": value.n} for name, value in report.by_level.items()]
        return {
            "cases": {"levels": levels, "least_supported": cases},
            "features": features,
            "n_train": explainer.n_samples,
            "k": explainer.k,
            "class_names": {
                classes.number(label): str(names.get(label, label)) for label in labels
            },
            "columns_used": explainer.shown_feature_names,
        }

    def __getstate__(self) -> dict[str, Any]:
        return {"explainer": self.explainer, "state": self._state.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.explainer = state["explainer"]
        self._state = _native.CasebasedAudit.from_state(state["state"])


def _copy_of(audit: Audit) -> Audit:
    copy = Audit.__new__(Audit)
    copy.__setstate__(audit.__getstate__())
    return copy


def _rows(least: list[dict[str, Any]]) -> list[int]:
    return [one["sample"] for one in least[:_LISTED]]


def _add(state: _native.CasebasedAudit, found: Explanations) -> None:
    number = found.explainer._classes.numbers
    truth = None if found.truth is None else number(found.truth)
    state.update(number(found.predicted), truth, found.correspondence, found.level_numbers, found.ties_at_k)


def _ends(interval: dict[str, Any] | None) -> tuple[float, float] | None:
    return None if interval is None else (interval["low"], interval["high"])
