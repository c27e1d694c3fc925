"""Metrics that call a model on parts of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _arrays, _native
from .._arguments import threads
from .._described import described, parameters_of
from .._frameworks import Tensors
from .._progress import bar
from .._report import Reported
from .._display import Display, Estimate, Record, Shown, count
from .._results import COLORS, Result, axes, plain
from .._statistics import Interval, interval_of
from ._inputs import aligned, answers, graph, on_host, positions, same_precision

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._types import Removal, ReturnType, RobustFidelityParameters, SweepParameters, UnfaithfulnessParameters

Floats = npt.NDArray[np.float64]

#: ``model(features, edge_index, edge_weight)``, with ``batch`` where the graph has one.
Model = Callable[..., Any]


def _called(
    model: Model, has_batch: bool, shown: Any = None, index: Any = None, at: Any = None
) -> Callable[[Any, Any, Any, Any], Any]:
    """Adapt the model for the kernels: arrays in, rows of real numbers out."""
    tensors = Tensors.for_model(model, None, None)

    def call(features: Any, edge_index: Any, edge_weight: Any, batch: Any) -> Any:
        if edge_weight is None:
            edge_weight = np.ones(edge_index.shape[1], dtype=features.dtype)
        given = (features, edge_index, edge_weight, *((batch,) if has_batch else ()))
        with tensors.calling():
            outputs = model(*map(tensors.tensor, given))
        if shown is not None:
            shown.update()
        rows = _arrays.reals(on_host(outputs), "outputs of the model", ndim=2)
        found = positions(index, len(rows))
        if at is not None and found is not None and not np.array_equal(found, at):
            raise ValueError(
                f"index: as many zeros and ones as the model answers rows, {len(rows)}, are booleans; give booleans, "
                "`astype(bool)`, or positions"
            )
        return rows

    return call


def _align_rows(features: Any, batch: Any, target: Any, index: Any) -> tuple[Any, Any, Any]:
    """Return targets and index of the output rows (one per graph or node), and the positions of the
    index.
    """
    if batch is None:
        _, target, index = aligned(index, features=features, target=target)
        n_rows = len(features)
    else:
        n_rows = int(np.max(_arrays.integers(on_host(batch), "batch", ndim=1), initial=-1)) + 1
    return target, index, positions(index, n_rows)


def with_tensors(model: Model, *, device: Any = "cpu") -> Model:
    """Wrap a function of torch tensors so that it accepts NumPy arrays, without gradients.

    Not needed for a ``torch.nn.Module``, which receives tensors on the device and in the
    precision of its parameters, and is in evaluation mode during the call.

    Parameters
    ----------
    model : callable
        ``model(x, edge_index, edge_weight)``, with ``batch`` where the graph has one. Modules that it
        calls should be in their evaluation mode.
    device : torch.device or str
        Where the tensors go.

    Returns
    -------
    callable
        For :func:`sweep`, :func:`robust_fidelity` and :func:`explained_outputs`.

    Raises
    ------
    ImportError
        Where torch is not installed, when the model is called.

    Examples
    --------
    >>> from xai_metrics.graph import with_tensors
    >>> model = with_tensors(lambda x, edge_index, edge_weight: x)   # torch is read when called
    """

    tensors = Tensors("torch", device)

    def called(*arrays: Any) -> Any:
        with tensors.calling():
            return model(*map(tensors.tensor, arrays))

    return called


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedOutputs(Shown):
    """Model outputs that all scores of one explanation are computed from, ``(n_rows, n_classes)``
    each.

    Attributes
    ----------
    full, kept, complement : numpy.ndarray
        On the whole graph, on the explanation alone, and on the rest.
    """

    full: npt.NDArray[Any]
    kept: npt.NDArray[Any]
    complement: npt.NDArray[Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the outputs by part of the graph.

        Returns
        -------
        dict of str to numpy.ndarray
            ``full``, ``kept`` and ``complement``.
        """
        return {"full": self.full, "kept": self.kept, "complement": self.complement}

    def _display(self) -> Display:
        return Display("Model outputs", rows=list(self.to_dict().items()))


def explained_outputs(
    model: Model,
    features: Any,
    edge_index: Any,
    *,
    edge_mask: Any = None,
    node_mask: Any = None,
    edge_weight: Any = None,
    batch: Any = None,
    removal: Removal = "weight",
    n_jobs: int | None = None,
) -> ExplainedOutputs:
    """Call a model on the whole graph, on the explanation alone and on the rest.

    Parameters
    ----------
    model : callable
        ``model(features, edge_index, edge_weight)`` (and ``batch``, where it is given) of NumPy
        arrays, returns ``(n_rows, n_classes)``. A ``torch.nn.Module`` is given tensors; see
        :func:`with_tensors` for functions of tensors. An edge weight scales what the edge carries. It
        is called on the thread that calls this function; what it raises arrives as it is.
    features : array_like
        ``(n_nodes, n_features)``.
    edge_index : array_like
        ``(2, n_edges)``.
    edge_mask : array_like, optional
        ``(n_edges,)`` in [0, 1].
    node_mask : array_like, optional
        ``(n_nodes, 1)``, ``(1, n_features)`` or ``(n_nodes, n_features)`` in [0, 1].
    edge_weight, batch : array_like, optional
        ``(n_edges,)`` and ``(n_nodes,)``.
    removal : str
        ``weight``: edge weights are multiplied by the mask; ``remove``: edges of mask 0 leave the
        edge index, which needs a mask of zeros and ones.
    n_jobs : int, optional
        Number of threads, except for the model.

    Returns
    -------
    ExplainedOutputs
        Outputs for the three graphs.

    Raises
    ------
    ValueError
        For arrays of inconsistent shapes, masks outside [0, 1], an edge to a node that
        there is not, outputs that are no ``(n_rows, n_classes)``, and a soft mask with
        ``removal="remove"``.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.graph import explained_outputs
    >>> def model(x, edge_index, edge_weight):
    ...     received = np.zeros_like(x)
    ...     np.add.at(received, edge_index[1], edge_weight[:, None] * x[edge_index[0]])
    ...     return received
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> outputs = explained_outputs(model, x, [[0, 1], [1, 0]], edge_mask=[1.0, 0.0])
    >>> outputs.kept
    array([[0., 0.],
           [1., 0.]])
    """
    whole, (of_edges, of_nodes) = graph(
        features, edge_index, edge_weight, batch, edge_mask=edge_mask, node_mask=node_mask
    )
    called = _called(model, batch is not None)
    parts = _native.graph_explained_outputs(
        called, whole, of_edges, of_nodes, str(removal), threads(n_jobs)
    )
    return ExplainedOutputs(*parts)


@dataclass(frozen=True, repr=False)
class SweepPoint(Record):
    """Scores of an explanation at one size.

    Attributes
    ----------
    level : float
        The size, as it was given.
    pos_fidelity, neg_fidelity, characterization, unfaithfulness : float
        In [0, 1]; better are higher, lower, higher and lower ones.
    pos_interval, neg_interval, characterization_interval : Interval or None
        Of 95 %, over samples.
    tied_share : float or None
        Share of the edges that tie at the cut, so that the first of them are kept.
    """

    level: float
    pos_fidelity: float
    pos_interval: Interval | None
    neg_fidelity: float
    neg_interval: Interval | None
    characterization: float
    characterization_interval: Interval | None
    unfaithfulness: float
    tied_share: float | None = None


@dataclass(frozen=True, repr=False)
class SweepCurve(Reported, Result):
    """Scores of an explanation by size, computed by :func:`sweep`.

    Attributes
    ----------
    points : tuple of SweepPoint
        One a level, in the order given.
    fidelity_auc : float or None
        The area under ``fid+ / (1 - fid-)``; ``None`` where fid- is 1 at some level, or with one
        level only.
    best : int
        The point of the highest characterization, the first of several.
    n_samples : int
        How many samples were compared at each level.
    """

    points: tuple[SweepPoint, ...]
    fidelity_auc: float | None
    best: int
    n_samples: int
    _section = "Sweep"

    def _add_to(self, report: Any, name: str) -> None:
        self._add_all({"explanation": self}, report, name)

    @classmethod
    def _add_all(cls, results: Mapping[str, Any], report: Any, name: str) -> None:
        report.add_graph(name, [(str(value), plain(curve)) for value, curve in results.items()])

    def columns(self) -> dict[str, Any]:
        """Return the scores as columns, with one row per level.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        names = ("level", "pos_fidelity", "neg_fidelity", "characterization", "unfaithfulness")
        return {name: [getattr(item, name) for item in self.points] for name in names}

    def _display(self) -> Display:
        rows = [
            (
                f"{item.level:g}",
                Estimate(item.pos_fidelity, item.pos_interval),
                Estimate(item.neg_fidelity, item.neg_interval),
                Estimate(item.characterization, item.characterization_interval),
                item.unfaithfulness,
            )
            for item in self.points
        ]
        notes = [
            f"{count(self.n_samples, 'sample')}; intervals of 95 %; "
            f"characterization is best at {self.points[self.best].level:g}"
        ]
        if self.fidelity_auc is not None:
            notes.append(f"area under fid+ / (1 - fid-): {self.fidelity_auc:.4g}")
        ties = [item for item in self.points if item.tied_share]
        if ties:
            notes.append(f"edges tie at the cut at {', '.join(f'{item.level:g}' for item in ties)}: the first ones are kept")
        header = ("size", "fid+ ↑", "fid- ↓", "characterization ↑", "unfaithfulness ↓")
        return Display("Scores by the size of the explanation", header, rows, notes)

    def plot(self, *, ax: Any = None) -> Any:
        """Plot the scores by size with their 95 % intervals, with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = axes(ax)
        levels = [item.level for item in self.points]
        names = ("pos_fidelity", "neg_fidelity", "characterization", "unfaithfulness")
        for name, color, marker in zip(names, COLORS, "os^D"):
            values = [getattr(entry, name) for entry in self.points]
            ax.plot(levels, values, marker=marker, markersize=4, color=color, label=name)
            around = [getattr(element, f"{name.partition('_')[0]}_interval", None) for element in self.points]
            ends = [(at, value.low, value.high) for at, value in zip(levels, around) if value is not None]
            if ends:
                ax.fill_between(*zip(*ends), color=color, alpha=0.15, linewidth=0)
        ax.set_xlabel("explanation size")
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
        return ax


def _curve_of(fields: Any) -> SweepCurve:
    intervals = ("pos_interval", "neg_interval", "characterization_interval")
    points = [
        SweepPoint(**{**point, **{name: interval_of(point[name]) for name in intervals}})
        for point in fields["points"]
    ]
    return SweepCurve(tuple(points), fields["fidelity_auc"], fields["best"], fields["n_samples"])


@described("graph.sweep")
def sweep(
    model: Model,
    features: Any,
    edge_index: Any,
    edge_mask: Any,
    *,
    fractions: Sequence[float] | None = None,
    top_k: Sequence[int] | None = None,
    thresholds: Sequence[float] | None = None,
    target: Any = None,
    index: Any = None,
    edge_weight: Any = None,
    batch: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    **parameters: Unpack[SweepParameters],
) -> SweepCurve:
    """Compute every score of an edge mask at every explanation size.

    The mask is made hard at each level, and the model is called on the kept graph and on the
    rest: once for the whole graph, and twice per level.

    Parameters
    ----------
    model, features, edge_index, edge_weight, batch
        See :func:`explained_outputs`.
    edge_mask : array_like
        ``(n_edges,)`` in [0, 1].
    fractions, top_k, thresholds : sequence of numbers
        One of them, ascending: the share of the edges that is kept, how many, or above what.
    target : array_like, optional
        The true classes, for explanations of a phenomenon.
    index : array_like, optional
        Only these rows.
    {parameters}
    n_jobs : int, optional
        Number of threads, except for the model.
    progress : bool
        Whether to show a progress bar, if tqdm is installed.

    Returns
    -------
    SweepCurve
        Scores by size.

    Raises
    ------
    ValueError
        See :func:`explained_outputs`; for none or several of ``fractions``, ``top_k`` and
        ``thresholds``, and for levels that do not ascend.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.graph import sweep
    >>> def model(x, edge_index, edge_weight):
    ...     received = x.copy()
    ...     np.add.at(received, edge_index[1], edge_weight[:, None] * x[edge_index[0]])
    ...     return received
    >>> x = np.array([[3.0, 0.0], [0.0, 1.0]])
    >>> curve = sweep(model, x, [[0, 1], [1, 0]], [0.9, 0.1], fractions=[0.0, 0.5, 1.0])
    >>> [point.neg_fidelity for point in curve.points], curve.best
    ([0.5, 0.0, 0.0], 1)
    """
    asked = {"fraction": fractions, "top_k": top_k, "threshold": thresholds}
    given = [(kind, levels) for kind, levels in asked.items() if levels is not None]
    if len(given) != 1:
        raise ValueError("expected one of fractions, top_k and thresholds")
    kind, levels = given[0]
    levels = _arrays.reals(levels, kind if kind == "top_k" else f"{kind}s", ndim=1).tolist()
    whole, (mask,) = graph(features, edge_index, edge_weight, batch, edge_mask=edge_mask)
    target, index, at = _align_rows(features, batch, target, index)
    with bar(1 + 2 * len(levels), "calls", progress) as shown:
        fields = _native.graph_sweep_model(
            _called(model, batch is not None, shown, index, at),
            whole,
            mask,
            kind,
            levels,
            parameters,
            None if target is None else answers(on_host(target), "target"),
            at,
            threads(n_jobs),
        )
    return _curve_of(fields)


@described("graph.unfaithfulness")
def sweep_from_outputs(
    full: Any,
    kept: Any,
    complement: Any,
    levels: Sequence[float],
    target: Any = None,
    *,
    index: Any = None,
    n_jobs: int | None = None,
    **parameters: Unpack[UnfaithfulnessParameters],
) -> SweepCurve:
    """Compute every score at every explanation size from existing outputs.

    Parameters
    ----------
    full : array_like
        ``(n_rows, n_classes)`` on the whole graph.
    kept, complement : array_like
        ``(n_levels, n_rows, n_classes)`` on the explanations and on the rest.
    levels : sequence of float
        The size at each level, ascending.
    target, index
        See :func:`sweep`.
    {parameters}
    n_jobs : int, optional
        Number of threads; one per core by default.

    Returns
    -------
    SweepCurve
        Scores by size.

    Raises
    ------
    ValueError
        For arrays of inconsistent shapes, levels that do not ascend, and outputs that are
        not what ``return_type`` says.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.graph import sweep_from_outputs
    >>> full, flat = np.array([[0.0, 2.0], [2.0, 0.0]]), np.zeros((2, 2))
    >>> curve = sweep_from_outputs(full, [flat, full], [full, flat], [0.1, 0.5])
    >>> curve.best, curve.points[1].pos_fidelity, curve.points[1].neg_fidelity
    (1, 0.5, 0.0)
    """
    full, target, index = aligned(index, full=full, target=target)
    full, kept, complement = same_precision(full=full, kept=kept, complement=complement)
    at = np.ascontiguousarray(_arrays.reals(levels, "levels", ndim=1), dtype=np.float64)
    fields = _native.graph_sweep(
        full,
        kept,
        complement,
        at,
        parameters,
        None if target is None else answers(target, "target"),
        positions(index, len(full)),
        threads(n_jobs),
    )
    return _curve_of(fields)


@dataclass(frozen=True, repr=False)
class RobustFidelityByProbability(Record):
    """Robust fidelity by the probability of one class instead of the predicted class.

    Attributes
    ----------
    pos, neg, delta : float
        See :class:`RobustFidelity`.
    pos_standard_error, neg_standard_error : float
        Over the draws.
    """

    pos: float
    neg: float
    delta: float
    pos_standard_error: float
    neg_standard_error: float


@dataclass(frozen=True, repr=False)
class RobustFidelity(Result):
    """Robust fidelity with standard errors, computed by :func:`robust_fidelity`.

    Attributes
    ----------
    pos : float
        In [-1, 1]: how much less often the prediction holds when a part of the explanation is taken
        away; higher is better.
    neg : float
        In [-1, 1]: the same when a part of all the rest is taken away; lower is better.
    delta : float
        ``pos - neg``, higher is better.
    pos_standard_error, neg_standard_error : float
        Over the draws.
    n_draws : int
    by_probability : RobustFidelityByProbability or None
        The same by probabilities, if asked for.
    """

    pos: float
    neg: float
    delta: float
    pos_standard_error: float
    neg_standard_error: float
    n_draws: int
    by_probability: RobustFidelityByProbability | None = None

    def columns(self) -> dict[str, Any]:
        """Return the fields as columns with one row.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        own = self.to_dict()
        by = own.pop("by_probability") or {}
        own.update({f"{name}_by_probability": value for name, value in by.items()})
        return {name: [value] for name, value in own.items()}

    def _display(self) -> Display:
        both = [("by prediction", self), ("by probability", self.by_probability)]
        rows = [
            (name, of.pos, of.pos_standard_error, of.neg, of.neg_standard_error, of.delta)
            for name, of in both
            if of is not None
        ]
        header = ("", "fid+ ↑", "std. error", "fid- ↓", "std. error", "delta ↑")
        return Display(f"Robust fidelity, {count(self.n_draws, 'draw')}", header, rows)


@described("graph.robust_fidelity")
def robust_fidelity(
    model: Model,
    features: Any,
    edge_index: Any,
    edge_mask: Any,
    *,
    target: Any = None,
    index: Any = None,
    edge_weight: Any = None,
    batch: Any = None,
    probabilities: ReturnType | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    **parameters: Unpack[RobustFidelityParameters],
) -> RobustFidelity:
    """Compute robust fidelity, which removes only small random parts, so that the model sees graphs
    similar to those in training.

    Parameters
    ----------
    model, features, edge_index, edge_weight, batch
        See :func:`explained_outputs`; the model is called once on the whole graph and twice a
        draw.
    edge_mask : array_like
        ``(n_edges,)`` of zeros and ones; :func:`sparsify` makes one.
    {parameters}
    target, index
        See :func:`sweep`.
    probabilities : str, optional
        Compares probabilities, too; says what outputs are: ``raw``, ``probs`` or ``log_probs``.
    n_jobs : int, optional
        Number of threads, except for the model.
    progress : bool
        Whether to show a progress bar, if tqdm is installed.

    Returns
    -------
    RobustFidelity
        Scores and standard errors.

    Raises
    ------
    ValueError
        See :func:`explained_outputs`, for an edge mask that is not of zeros and ones, and for a
        parameter outside its range.

    Notes
    -----
    Source: Zheng et al. 2024, arXiv 2310.01820.

    Examples
    --------
    The first edge makes class 1 probable, and does not decide the answer.

    >>> import numpy as np
    >>> from xai_metrics.graph import robust_fidelity
    >>> def model(x, edge_index, edge_weight):
    ...     p = 0.6 + 0.3 * edge_weight[0]
    ...     return np.array([[1 - p, p]])
    >>> of = robust_fidelity(model, np.zeros((2, 1)), [[0, 1], [1, 0]], [1.0, 0.0],
    ...                      alpha_pos=1.0, probabilities="probs")
    >>> of.pos, round(of.by_probability.pos, 6)
    (0.0, 0.3)
    """
    whole, (mask,) = graph(features, edge_index, edge_weight, batch, edge_mask=edge_mask)
    target, index, at = _align_rows(features, batch, target, index)
    usual = {one.name: one.default for one in parameters_of("graph.robust_fidelity")}
    n_draws = parameters.get("n_draws", usual["n_draws"])
    # What is no number of draws is refused below.
    total = 1 + 2 * n_draws if isinstance(n_draws, int) else None
    with bar(total, "calls", progress) as shown:
        fields = _native.graph_robust_fidelity(
            _called(model, batch is not None, shown, index, at),
            whole,
            mask,
            parameters,
            None if probabilities is None else str(probabilities),
            None if target is None else answers(on_host(target), "target"),
            at,
            threads(n_jobs),
        )
    by = fields["by_probability"]
    by = None if by is None else RobustFidelityByProbability(**by)
    return RobustFidelity(**{**fields, "by_probability": by})
