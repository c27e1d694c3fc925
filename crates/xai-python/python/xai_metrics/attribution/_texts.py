"""Metrics for samples of different lengths: texts, spans and context ablations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._arguments import number, threads, whole
from .._arrays import BOOLEAN, DOUBLE, booleans, is_read_in_place, reals
from .._display import Display, Record, count
from .._registry import metric_of
from .._results import Result
from ._value import MetricValue, undefined_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


def is_ragged(values: Any) -> bool:
    """Return whether ``values`` is a list of arrays of different lengths.

    Examples
    --------
    >>> is_ragged([[0.1, 0.2], [0.3]]), is_ragged([[0.1], [0.3]]), is_ragged(np.zeros((2, 2)))
    (True, False, False)
    """
    if not isinstance(values, (list, tuple)) or not all(hasattr(item, "__len__") for item in values):
        return False
    return not any(isinstance(entry, str) for entry in values) and len({len(element) for element in values}) > 1


def ragged_reals(values: Any, name: str) -> list[npt.NDArray[np.float64]]:
    """Convert values to one array of numbers per sample."""
    return [
        value
        if is_read_in_place(value, DOUBLE)
        else np.ascontiguousarray(reals(value, f"{name}[{i}]", 1), dtype=np.float64)
        for i, value in enumerate(values)
    ]


def ragged_booleans(values: Any, name: str) -> list[npt.NDArray[np.bool_]]:
    """Convert values to one array of booleans per sample."""
    return [
        value if is_read_in_place(value, BOOLEAN) else np.ascontiguousarray(booleans(value, f"{name}[{i}]", 1))
        for i, value in enumerate(values)
    ]


def value_of(name: str, value: dict[str, Any]) -> MetricValue:
    """Convert a native result without a curve to a :class:`MetricValue`."""
    fields = value["value"], value["per_sample"], value["n_undefined"]
    return MetricValue(name, metric_of("attribution", name).direction, *fields)


#: Metrics of maps and masks that :func:`measure_ragged` computes.
FAST_METRICS = frozenset(_native.attribution_ragged_metrics())


def measure_ragged(
    name: str, parameters: dict[str, Any], explanations: Any, masks: Any, n_jobs: int | None
) -> MetricValue:
    """Compute a metric of maps and masks of different sizes, without the overhead of an evaluation."""
    inside, maps = ragged_booleans(masks, "masks"), ragged_reals(explanations, "explanations")
    try:
        value = _native.attribution_ragged(name, list(parameters.items()), maps, inside, n_jobs)
    except _native.UndefinedError:
        return undefined_value(name, metric_of("attribution", name).direction, len(maps), maps)
    return value_of(name, value)


@dataclass(frozen=True, repr=False)
class SpanScore(Record, Result):
    """Precision, recall and F1 of predicted spans.

    >>> SpanScore(0.5, 1.0, 2 / 3).precision
    0.5
    """

    #: Share of the predictions that are right; ``None`` without predictions.
    precision: float | None
    #: Share of the gold spans or tokens that are found; ``None`` without gold.
    recall: float | None
    #: Harmonic mean of both, 0 if nothing is right; ``None`` without predictions and gold.
    f1: float | None


@dataclass(frozen=True, repr=False)
class SpanScores(Result):
    """Scores of the predicted spans of all samples.

    Examples
    --------
    >>> score = SpanScore(0.5, 1.0, 2 / 3)
    >>> SpanScores(score, score, 0).micro.recall
    1.0
    """

    #: Score of the total counts over all samples, in which long rationales count more.
    micro: SpanScore
    #: Means over samples that have a span; undefined values count as 0.
    macro: SpanScore
    #: Number of samples with neither gold nor predicted spans.
    n_undefined: int

    def _display(self) -> Display:
        both = (("all spans together", self.micro), ("mean over samples", self.macro))
        rows = [(name, of.precision, of.recall, of.f1) for name, of in both]
        notes = [f"{count(self.n_undefined, 'sample')} without spans, left out"] if self.n_undefined else []
        return Display("Span scores", ("", "precision", "recall", "F1"), rows, notes)


def _spans(samples: Any, name: str) -> list[list[tuple[int, int]]]:
    """Convert the spans of all samples to pairs of integers."""
    read = []
    for i, spans in enumerate(samples):
        try:
            pairs = [(start, end) for start, end in spans]
        except (TypeError, ValueError):
            raise ValueError(f"{name}[{i}]: expected pairs (start, end), got {spans!r}") from None
        read.append([(whole(f"{name}[{i}]", a, 0), whole(f"{name}[{i}]", b, 0)) for a, b in pairs])
    return read


def _scores(gold: Any, predicted: Any, threshold: float | None) -> SpanScores:
    both = _spans(gold, "gold"), _spans(predicted, "predicted")
    found = _native.attribution_spans(*both, threshold)
    micro, macro = SpanScore(**found["micro"]), SpanScore(**found["macro_mean"])
    return SpanScores(micro, macro, found["n_undefined"])


def rationale_iou_f1(gold: Any, predicted: Any, threshold: float = 0.5) -> SpanScores:
    """Compute span-level precision, recall and F1 of predicted rationales (IoU F1).

    Higher is better. A predicted span matches a gold span if the intersection over union of
    their tokens is at least ``threshold``. Matching is one-to-one with as many matches as
    possible.

    Parameters
    ----------
    gold : sequence of sequences of pairs
        The spans ``(start, end)`` of every sample, from the first token up to the one behind the last.
    predicted : sequence of sequences of pairs
        The spans of an explainer.
    threshold : float
        In (0, 1].

    Returns
    -------
    SpanScores
        Over all samples together, and as means over samples.

    Raises
    ------
    ValueError
        Without samples, for as many predictions as there is no gold for, and for spans without a token.

    References
    ----------
    DeYoung et al., ERASER, 2020. Its code counts every prediction that matches any gold span, for recall too.

    Examples
    --------
    >>> scores = rationale_iou_f1([[(0, 4)]], [[(0, 2), (2, 4)]]) # half of the gold span each
    >>> scores.micro.precision, scores.micro.recall
    (0.5, 1.0)
    """
    return _scores(gold, predicted, number("threshold", threshold))


def rationale_token_f1(gold: Any, predicted: Any) -> SpanScores:
    """Compute token-level precision, recall and F1 of predicted rationales.

    Higher is better. A token that is in two spans counts once.

    Parameters
    ----------
    gold, predicted : sequence of sequences of pairs
        See :func:`rationale_iou_f1`.

    Returns
    -------
    SpanScores
        Over all samples together, and as means over samples.

    Raises
    ------
    ValueError
        See :func:`rationale_iou_f1`.

    References
    ----------
    DeYoung et al., ERASER, 2020. Its means of precision and of recall are over two sets of samples.

    Examples
    --------
    >>> rationale_token_f1([[(0, 4)]], [[(2, 8)]]).micro.recall
    0.5
    """
    return _scores(gold, predicted, None)


def context_lds(
    explanations: Sequence[Any],
    kept: Sequence[Any],
    outputs: Sequence[Any],
    *,
    correlation: Literal["spearman", "pearson", "kendall"] = "spearman",
    n_jobs: int | None = None,
) -> MetricValue:
    """Compute the correlation of summed attributions and model outputs over context ablations
    (linear datamodeling score).

    Higher is better; range [-1, 1]. The sum is over the attributions of the sources that an
    ablation kept. The model is not called: its outputs for the ablations are given.

    Parameters
    ----------
    explanations : sequence of array-like
        The map of every sample, one number per source of its context; samples may have different numbers of them.
    kept : sequence of array-like
        Sources kept by the ablations of every sample, booleans ``(ablations, sources)``.
    outputs : sequence of array-like
        Model outputs for the ablations, ``(ablations,)``; preferably :func:`sequence_score`.
    correlation : {"spearman", "pearson", "kendall"}
        Correlation of sums and outputs.
    n_jobs : int or None
        Number of threads; ``None`` for one per core.

    Returns
    -------
    MetricValue
        The mean, and one value per sample; NaN where sums or outputs are all equal.

    Raises
    ------
    ValueError
        For arrays of inconsistent shapes, and numbers that are not finite.

    References
    ----------
    Cohen-Wang et al., ContextCite: Attributing Model Generation to Context, 2024.

    Examples
    --------
    >>> kept = [[True, False, True], [True, True, False], [False, False, True]]
    >>> context_lds([[2.0, 2.0, 1.0]], [kept], [[0.5, 0.9, 0.2]]).value # the sums are 3, 4 and 1
    1.0
    """
    maps = ragged_reals(explanations, "explanations")
    try:
        found = _native.attribution_context_lds(
            maps,
            [booleans(value, f"kept[{i}]", 2) for i, value in enumerate(kept)],
            ragged_reals(outputs, "outputs"),
            str(correlation),
            threads(n_jobs),
        )
    except _native.UndefinedError:
        return undefined_value("context_lds", metric_of("attribution", "context_lds").direction, len(maps), maps)
    return value_of("context_lds", found)


def sequence_score(
    token_logits: Sequence[Any], output: Literal["logit-prob", "log-prob"] = "logit-prob"
) -> npt.NDArray[np.float64]:
    """Compute scores of generated sequences from the logits of their token probabilities.

    Parameters
    ----------
    token_logits : sequence of array-like
        For each answer, ``log(p / (1 - p))`` of each token given the tokens before it.
    output : {"logit-prob", "log-prob"}
        Log odds or log probability of the answer.

    Returns
    -------
    numpy.ndarray
        One number per answer, ``(n,)``, finite however sure the model is.

    Raises
    ------
    ValueError
        For an answer without tokens, and numbers that are not finite.

    References
    ----------
    Cohen-Wang et al., ContextCite: Attributing Model Generation to Context, 2024.

    Examples
    --------
    >>> sequence_score([[0.0, 0.0], [3.0]], "log-prob").round(4).tolist() # two tokens of probability 1/2
    [-1.3863, -0.0486]
    >>> sequence_score([[800.0]]).tolist()
    [800.0]
    """
    word = str(output).replace("_", "-")
    scores: npt.NDArray[np.float64] = _native.attribution_sequence_scores(
        ragged_reals(token_logits, "token_logits"), word
    )
    return scores
