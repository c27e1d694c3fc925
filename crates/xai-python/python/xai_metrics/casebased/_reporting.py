"""Summaries of a fitted explainer and of whole test sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._results import Result
from ._explain_methods import ExplainMethods
from ._audit import Audit, AuditReport
from ._fitting.classes import Classes


@dataclass(frozen=True, repr=False)
class AggregateExplanation(Result):
    """Summary of the neighbours of a sample that does not reveal single training rows.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0], [2.0]], [0, 0, 1], k=3, aggregate_only=2)
    >>> explainer.aggregate([[0.5]], predictions=[0])[0].n_distinct
    3
    """

    #: Index of the sample in its batch.
    sample: int
    #: Predicted class.
    predicted: Any
    #: Agreement of the neighbours with the prediction, in [0, 1]; ``None`` where undefined.
    correspondence: float | None
    #: Level of correspondence.
    level: str
    #: Number of neighbours.
    n_neighbors: int
    #: Share of the neighbours in each class, by count.
    class_shares: dict[Any, float]
    #: Smallest and largest distance of a neighbour.
    distance_range: tuple[float, float] | None
    #: Number of distinct training rows among the neighbours.
    n_distinct: int
    #: Number of training rows that tie with the last neighbour; 0 if none of them is excluded.
    ties_at_k: int


def _aggregate_from_native(released: dict[str, Any] | None, classes: Classes) -> AggregateExplanation | None:
    """Convert a native aggregate; ``None`` if it was withheld."""
    if released is None:
        return None
    shares = released["class_shares"].items()
    reach = released["distance_range"]
    return AggregateExplanation(
        sample=released["sample"],
        predicted=classes.label(released["predicted"]),
        correspondence=released["correspondence"],
        level=released["level"],
        n_neighbors=released["n_neighbors"],
        class_shares={classes.label(int(number)): share for number, share in shares},
        distance_range=None if reach is None else (reach[0], reach[1]),
        n_distinct=released["n_distinct"],
        ties_at_k=released["ties_at_k"],
    )


class Reporting(ExplainMethods):
    """Methods of :class:`.CaseExplainer` that summarize."""

    def aggregate(
        self, X_test: Any, predictions: Any = None, model: Any = None
    ) -> list[AggregateExplanation | None]:
        """Summarize the neighbours of each sample without revealing single training rows.

        ``None`` for a sample whose neighbours are fewer distinct training rows than
        ``aggregate_only`` asks for.

        Parameters
        ----------
        X_test : array of shape (m, n_features)
            The samples.
        predictions, model
            See :meth:`explain_arrays`.

        Returns
        -------
        list of AggregateExplanation or None
            One summary per sample; ``None`` if the neighbours are fewer distinct training rows than
            ``aggregate_only`` requires.

        Raises
        ------
        ValueError
            See :meth:`explain_arrays`; also if the weighting is a function.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> X = [[1.0], [1.0], [2.0], [3.0], [9.0]]
        >>> explainer = CaseExplainer(X, [0, 0, 0, 1, 1], k=3, aggregate_only=3)
        >>> refused, released = explainer.aggregate([[1.0], [3.0]], predictions=[0, 1])
        >>> refused is None
        True
        >>> {label: round(share, 3) for label, share in released.class_shares.items()}
        {0: 0.667, 1: 0.333}
        """
        if callable(self._chosen.get("weighting")):
            raise ValueError("weighting: aggregates are made with kernels, not with functions")
        X_test, _, predictions = self._aligned(X_test, None, predictions)
        samples = self._samples(X_test)
        labels = self._labels(X_test, samples, predictions, model)
        numbers = self._predicted_numbers(labels)
        released = self._native.aggregate(samples, numbers, self._space.native_input(samples), self.n_jobs)
        return [_aggregate_from_native(one, self._classes) for one in released]

    def compare_features(
        self, X_test: Any, predictions: Any = None, model: Any = None
    ) -> list[list[dict[str, Any]]]:
        """Compare the features of each sample with those of its nearest training cases.

        Parameters
        ----------
        X_test : array of shape (m, n_features)
            The samples.
        predictions, model
            See :meth:`explain_arrays`.

        Returns
        -------
        list of list of dict
            For each sample its features, most different first: ``feature`` (name), ``value`` (of
            the sample), ``neighbors`` (values of the neighbours, nearest first) and
            ``difference``: the value minus the mean of the neighbours, in standard deviations of
            the training rows (``None`` for a feature that is constant in these).

        Raises
        ------
        ValueError
            See :meth:`explain_arrays`.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> explainer = CaseExplainer([[0.0, 7.0], [2.0, 7.0]], [0, 1], k=2)
        >>> first, second = explainer.compare_features([[4.0, 9.0]], predictions=[1])[0]
        >>> first["feature"], first["neighbors"], first["difference"]
        ('feature_0', [2.0, 0.0], 3.0)
        """
        X_test, _, predictions = self._aligned(X_test, None, predictions)
        samples = self._samples(X_test)
        labels = self._labels(X_test, samples, predictions, model)
        numbers = self._predicted_numbers(labels)
        compared: list[list[dict[str, Any]]] = self._native.compare_features(
            samples, numbers, self._space.native_input(samples), self.n_jobs
        )
        return compared

    def audit(
        self,
        X_test: Any,
        y_test: Any = None,
        predictions: Any = None,
        model: Any = None,
        *,
        n_least_supported: int = 20,
        progress: bool = False,
    ) -> AuditReport:
        """Explain a whole test set and summarize it, see :class:`.Audit`.

        Parameters
        ----------
        X_test, y_test, predictions, model, progress
            See :meth:`explain_arrays`.
        n_least_supported : int
            Number of predictions with the lowest correspondence to list.

        Returns
        -------
        AuditReport
            The report.

        Raises
        ------
        ValueError
            See :meth:`explain_arrays`.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> explainer = CaseExplainer([[0.0], [1.0]], ["no", "yes"], k=1, scale=False)
        >>> report = explainer.audit([[0.1], [0.9]], y_test=["no", "no"], predictions=["no", "yes"])
        >>> report.accuracy, report.mean_correspondence
        (0.5, 1.0)
        """
        audit = Audit(self, n_least_supported=n_least_supported)
        X_test, y_test, predictions = self._aligned(X_test, y_test, predictions)
        samples = self._samples(X_test)
        labels = self._labels(X_test, samples, predictions, model)
        audit.update(samples, y_test, labels, progress=progress)
        return audit._finished(samples)

    def get_training_info(self) -> dict[str, Any]:
        """Describe the training data and the settings of the explainer.

        Returns
        -------
        dict
            Counts, names and settings.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> CaseExplainer([[0.0], [1.0]], ["no", "yes"], k=1).get_training_info()["class_counts"]
        {'no': 1, 'yes': 1}
        """
        info = self._native.info()
        counts = info["class_counts"].items()
        class_counts = {self._classes.label(int(number)): count for number, count in counts}
        return {
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "n_classes": len(class_counts),
            "classes": list(class_counts),
            "class_counts": class_counts,
            "feature_names": self.feature_names,
            "class_names": self.class_names,
            "engine": self.engine,
            "distance": self.distance,
            "scaled": self.scale,
            "has_metadata": bool(self.metadata),
            "default_k": self.k,
        }

    @property
    def engine(self) -> str:
        """Search engine in use, after resolving ``engine="auto"``."""
        return str(self._native.engine())

    @property
    def recall(self) -> float | None:
        """Share of true neighbours that ``"hnsw"`` finds; ``None`` for exact search."""
        found: float | None = self._native.info()["recall"]
        return found
