"""What may be said of neighbours without showing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._results import Result
from ._fitting.classes import Classes

__all__ = ["AggregateExplanation"]


@dataclass(frozen=True)
class AggregateExplanation(Result):
    """The neighbours of a sample in numbers that point to no single training row.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0], [2.0]], [0, 0, 1], k=3, aggregate_only=2)
    >>> explainer.aggregate([[0.5]], predictions=[0])[0].n_distinct
    3
    """

    #: The place of the sample in its batch.
    sample: int
    #: The predicted class.
    predicted: Any
    #: Agreement of the neighbours with the prediction, in [0, 1]; ``None`` where undefined.
    correspondence: float | None
    #: The correspondence in words.
    level: str
    #: How many neighbours were asked.
    n_neighbors: int
    #: The share of the neighbours that has each class, by count.
    class_shares: dict[Any, float]
    #: The least and the largest distance of a neighbour.
    distance_range: tuple[float, float] | None
    #: How many of the neighbours are distinct training rows.
    n_distinct: int


def of_native(released: dict[str, Any] | None, classes: Classes) -> AggregateExplanation | None:
    """An aggregate; ``None`` for a refusal."""
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
    )
