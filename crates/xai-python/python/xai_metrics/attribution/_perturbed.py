"""Meta-evaluation of metrics by perturbing the inputs or the model."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._arguments import looked_up, mapping, number, seed_of, whole
from .._arrays import reals
from .._display import Display, percent
from .._report import Reported
from .._results import Table
from ..reliability import MetaConsistency
from ._data import Run, explained
from ._evaluate import evaluate
from ._keywords import split
from ._layers import is_torch_module, multiplied
from ._table import EvaluationTable

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._own import Metrics

Kind = Literal["minor", "disruptive"]
_KINDS: tuple[Kind, Kind] = ("minor", "disruptive")

#: Default sizes of minor and disruptive perturbations.
_SIZES = {"inputs": (0.001, 1.0), "model": (0.001, 2.0)}


@dataclass(frozen=True, eq=False, repr=False)
class PerturbedEvaluation(Reported, Table):
    """Meta-consistency of each metric, computed by :func:`meta_consistency`.

    ``result["deletion"]`` is the :class:`.MetaConsistency` of one metric.

    Attributes
    ----------
    table : EvaluationTable
        The explainers by the metrics without a perturbation. Its :meth:`~.EvaluationTable.report`, which is also that
        of this result, shows the metrics between two axes, resilience to noise and reactivity to disruption.
    metrics : dict of str to MetaConsistency
        By the metrics that have a better end.
    kept_minor, kept_disruptive : float or None
        The share of samples whose prediction stayed under noise, and changed under disruption: the others are not
        counted. ``None`` without a perturbation.
    """

    table: EvaluationTable
    metrics: dict[str, MetaConsistency]
    kept_minor: float | None
    kept_disruptive: float | None
    _section = "Evaluation"

    def _add_to(self, report: Any, name: str) -> None:
        self.table._add_to(report, name)

    def __getitem__(self, metric: str) -> MetaConsistency:
        return looked_up(self.metrics, metric, "metric")

    def columns(self) -> dict[str, Any]:
        """Return meta-consistency and its parts as columns, with one row per metric and NaN for
        undefined values.

        Returns
        -------
        dict of str to list
            Columns by name.
        """

        def numbers(values: Any) -> list[float]:
            return [float("nan") if value is None else value for value in values]

        found = list(self.metrics.values())
        return {
            "metric": list(self.metrics),
            "meta_consistency": numbers(item.value for item in found),
            "std": numbers(entry.std for entry in found),
            "noise_resilience": numbers(element.noise_resilience for element in found),
            "reactivity": numbers(of.reactivity for of in found),
        }

    def _display(self) -> Display:
        columns = self.columns()
        notes = [
            f"{name} perturbations: {percent(share)} of the predictions {changed} and are counted"
            for name, share, changed in (
                ("minor", self.kept_minor, "stayed"),
                ("disruptive", self.kept_disruptive, "changed"),
            )
            if share is not None
        ]
        header = [name.replace("_", " ") for name in columns]
        return Display("Metrics under perturbations; 1 is best", header, list(zip(*columns.values())), notes)


def meta_consistency(
    model: Any,
    inputs: Any,
    explainers: Mapping[str, Any],
    metrics: Metrics = "standard",
    *,
    perturb: Literal["inputs", "model"] | Callable[[Kind, np.random.Generator], Mapping[str, Any]] = "inputs",
    minor: float | None = None,
    disruptive: float | None = None,
    n_iterations: int = 3,
    n_perturbations: int = 5,
    seed: int = 1,
    **how: Any,
) -> PerturbedEvaluation:
    """Compute whether metrics keep their values where the prediction stays and react where it
    changes.

    All metrics are computed for all explainers on the inputs, then again under perturbations of
    two kinds. A minor perturbation should not change anything; only samples whose prediction
    stays are counted. A disruptive perturbation should make explanations worse; only samples
    whose prediction changes are counted. Perturbed inputs are explained again, so both maps and
    scores are those of the perturbed inputs or model. Targets are the original predictions. In
    total there are ``1 + 2 n_iterations n_perturbations`` evaluations; within each, metrics and
    explainers share model calls.

    Parameters
    ----------
    model, inputs
        See :func:`evaluate`; inputs are numbers.
    explainers : mapping of str to explainer
        See :func:`evaluate`, but functions, objects and words alone: maps are of inputs that are not perturbed.
    metrics
        See :func:`evaluate`.
    perturb : {"inputs", "model"} or callable
        ``"inputs"``: ``x + r U(-1, 1)``, ``r`` times the range of the inputs (of tables, of each column), within
        that range. ``"model"``: every weight of a torch module times ``N(1, s)``; the module itself is changed for the
        while, so that explainers that refer to it explain the changed one. A function is given the kind and a
        generator, and answers a mapping that has ``model``, ``inputs`` or ``explainers`` in the place of those given.
    minor, disruptive : float, optional
        The sizes ``r`` or ``s``. By default 0.001 and, of inputs, 1, of the model 2.
    n_iterations, n_perturbations : int
        Number of iterations, and number of perturbations of each kind per iteration.
    seed : int
        Seed of the perturbations, and of the metrics, see :func:`evaluate`.
    **how
        Further arguments of :func:`evaluate`.

    Returns
    -------
    PerturbedEvaluation
        Meta-consistency of each metric.

    Raises
    ------
    ValueError
        For maps in the place of explainers, and as :func:`evaluate`.
    TypeError
        For the perturbation of a model that is no torch module.

    References
    ----------
    Hedström et al., The Meta-Evaluation Problem in Explainable AI: Identifying Reliable Estimators with
    MetaQuantus, 2023. There the maps of perturbed inputs are those of the inputs before, and where higher values
    are better, those that rose count as worse.

    Examples
    --------
    >>> import numpy as np
    >>> from xai_metrics.attribution import meta_consistency
    >>> rng = np.random.default_rng(1)
    >>> x, weights = rng.random((30, 6)), rng.normal(size=(6, 2))
    >>> gradient = lambda x, y: x * weights[:, y].T
    >>> judged = meta_consistency(
    ...     lambda x: x @ weights, x, {"gradient": gradient, "random": "random"}, ["deletion", "sparseness"],
    ...     n_iterations=1, n_perturbations=2,
    ... )
    >>> judged["deletion"].noise_resilience > 0.7, sorted(judged.metrics)
    (True, ['deletion', 'sparseness'])
    """
    named = mapping("explainers", explainers, "an explainer for each name")
    for name, given in named.items():
        if explained(given, f"explainers[{name!r}]")[1] is None:
            raise ValueError(f"explainers[{name!r}]: expected an explainer, got maps, which are of other inputs")
    n_iterations = whole("n_iterations", n_iterations, 0)
    n_perturbations = whole("n_perturbations", n_perturbations, 0)
    base = {"model": model, "inputs": inputs, "explainers": named}
    perturbed = _perturbation(perturb, (minor, disruptive), model, inputs)
    _, scoring, _ = split(how)

    def predicted(of: Mapping[str, Any]) -> npt.NDArray[Any]:
        run = Run(model=of["model"], inputs=of["inputs"], scoring=scoring)
        classes = run.columns(len(run.array))
        if classes is None:
            raise ValueError("model, inputs: needed by perturbations")
        return classes

    first = predicted(base)
    # Intervals are of the first table alone.
    table = evaluate(targets=first, metrics=metrics, seed=seed, **base, **how)
    few = {**how, "replicates": 0}
    tables: dict[Kind, list[list[EvaluationTable]]] = {"minor": [], "disruptive": []}
    keep: dict[Kind, list[list[Any]]] = {"minor": [], "disruptive": []}
    for kind_index, kind in enumerate(_KINDS):
        for iteration in range(n_iterations):
            tables[kind].append([])
            keep[kind].append([])
            for number_of in range(n_perturbations):
                stream = np.random.default_rng([seed_of(seed), kind_index, iteration, number_of])
                with perturbed(kind, stream) as changed:
                    of = {**base, **changed}
                    stayed = predicted(of) == first
                    again = evaluate(targets=first, metrics=metrics, seed=seed, **of, **few)
                tables[kind][-1].append(again)
                keep[kind][-1].append(stayed if kind == "minor" else ~stayed)
    counted = {kind: np.array(value) if n_iterations * n_perturbations else None for kind, value in keep.items()}
    found = table.meta_consistency(tables["minor"], tables["disruptive"], counted["minor"], counted["disruptive"])
    shares = [None if item is None else float(item.mean()) for item in counted.values()]
    return PerturbedEvaluation(table.judged_by(found), found, *shares)


def _perturbation(
    perturb: Any, sizes: tuple[float | None, float | None], model: Any, inputs: Any
) -> Callable[[Kind, np.random.Generator], contextlib.AbstractContextManager[Mapping[str, Any]]]:
    """Return a function that creates a context manager for one perturbation."""
    if callable(perturb):
        return lambda kind, stream: contextlib.nullcontext(perturb(kind, stream))
    if perturb not in _SIZES:
        raise ValueError(f"perturb: got {perturb!r}, expected 'inputs', 'model' or a function")
    default = _SIZES[perturb]
    given = {
        kind: number(kind, usual if size is None else size) for kind, size, usual in zip(_KINDS, sizes, default)
    }
    for kind, size in given.items():
        if not size >= 0:
            raise ValueError(f"{kind}: expected a size of at least 0, got {size}")
    if perturb == "model":
        if not is_torch_module(model):
            raise TypeError("model: only the weights of a torch module are known; give perturb=function(kind, rng)")

        @contextlib.contextmanager
        def of_model(kind: Kind, stream: np.random.Generator) -> Iterator[Mapping[str, Any]]:
            with multiplied(model, given[kind], int(stream.integers(2**63))):
                yield {}

        return of_model
    array = reals(inputs, "inputs")
    axes = 0 if array.ndim == 2 else None
    low, high = array.min(axis=axes), array.max(axis=axes)

    def of_inputs(kind: Kind, stream: np.random.Generator) -> Any:
        noise = stream.uniform(-1.0, 1.0, array.shape) * (given[kind] * (high - low))
        noisy = np.clip(array + noise, low, high).astype(array.dtype)
        return contextlib.nullcontext({"inputs": noisy})

    return of_inputs
