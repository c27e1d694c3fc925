"""Drop-in replacement for ``ceval`` 1.1: :class:`CEval` with its arguments and its table.

Numbers are not rounded. Where CEval differs from the definition of the metric, ours follows the definition:

========================  ==========================================================================
column                    difference
========================  ==========================================================================
``validity``              a counterfactual counts if the model gives it another class than the label
                          of its sample; CEval also requires the label of the explanation
``proximity``             without ``distance``, Gower's; CEval adds the norm of the numbers and the
                          number of changed categories
``proximity_gower``       scales are ranges of ``data`` (or of the samples); CEval adds the pair
``diversity``             determinant of ``1 / (1 + d)``; CEval's is that of the distances
``diversity_lcc``         ``diversity`` times the share of the classes among the explanations
``relative_dist``         undefined for a sample on an unlike row, CEval: 1
``redundancy``            number of changed features that can go back alone
========================  ==========================================================================

A metric whose inputs are missing is ``"-"``, as in CEval; undefined values are NaN.
:func:`xai_metrics.counterfactual.evaluate` has means over samples, intervals and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xai_metrics import counterfactual
from xai_metrics._results import pandas_library

__all__ = ["CEval"]

#: Distances of SciPy by their names here.
_DISTANCES = {
    None: "gower",
    "euclidean": "euclidean",
    "minkowski": "euclidean",
    "cityblock": "manhattan",
    "sqeuclidean": "squared-euclidean",
    "chebyshev": "chebyshev",
}

_TYPES = ("existed-cf", "existed-factual", "generated-cf", "generated-factual")

#: Columns of the table, and those of them that CEval computes for factual explanations, existing rows and one row per sample.
_METRICS = (
    "validity", "proximity", "proximity_gower", "sparsity", "count", "diversity", "diversity_lcc",
    "yNN", "feasibility", "kNLN_dist", "relative_dist", "redundancy", "plausibility", "constraint_violation",
)  # fmt: skip
_NOT_FACTUAL = {"validity", "sparsity", "diversity_lcc", "relative_dist", "redundancy"}
_NOT_EXISTED = {"kNLN_dist", "relative_dist", "plausibility"}
_NOT_1TO1 = {"count", "diversity", "diversity_lcc"}


class CEval:
    """Compare explainers of counterfactuals by the metrics of CEval.

    Parameters
    ----------
    samples : pandas.DataFrame
        Explained rows with the column ``label``.
    label : str
        Column of the classes.
    data : pandas.DataFrame, optional
        Training rows with the column ``label``.
    model : estimator or callable, optional
        Model with ``predict``; it gets data frames like the samples.
    k_nn : int
        Number of neighbours.
    explainer_name, explanations, explanation_type, explanation_mode
        Arguments of :meth:`add_explainer` for a first explainer.
    encoder : str, optional
        Not used: categories are compared as they are.
    distance : str, optional
        ``"euclidean"``, ``"minkowski"``, ``"cityblock"``, ``"sqeuclidean"`` or ``"chebyshev"``; Gower's by default.
    constraints : list of str, optional
        Features that must not change.

    Attributes
    ----------
    comparison_table : pandas.DataFrame
        A row per explainer, a column per metric.

    Examples
    --------
    >>> import pandas
    >>> data = pandas.DataFrame({"age": [20, 30, 50, 60], "y": [0, 0, 1, 1]})
    >>> ceval = CEval(data.iloc[:1], "y", data, model=lambda rows: (rows["age"] > 40).astype(int))
    >>> ceval.add_explainer("mine", pandas.DataFrame({"age": [45], "y": [1]}), "generated-cf")
    >>> ceval.comparison_table.loc["mine", ["validity", "proximity_gower"]].tolist()
    [1.0, 0.625]
    """

    def __init__(
        self,
        samples: Any,
        label: str,
        data: Any = None,
        model: Any = None,
        k_nn: int = 5,
        explainer_name: str | None = None,
        explanations: Any = None,
        explanation_type: str | None = None,
        explanation_mode: str = "1to1",
        encoder: str | None = None,
        distance: str | None = None,
        constraints: Sequence[str] | None = None,
    ) -> None:
        for name, table in (("samples", samples), ("data", data)):
            if table is not None and (not hasattr(table, "iloc") or label not in table.columns):
                raise ValueError(f"{name}: expected a pandas data frame with a column {label!r}")
        if not len(samples):
            raise ValueError("samples: expected at least one row")
        if distance not in _DISTANCES:
            raise ValueError(f"distance: expected one of {', '.join(map(str, _DISTANCES))}, got {distance!r}")
        self.samples: Any = samples
        self.label: str = label
        self.data: Any = data
        self.model: Any = model
        self.knn: int = k_nn
        self._distance = _DISTANCES[distance]
        self.constraints: list[str] = list(constraints or ())
        self.metrics: list[str] = list(_METRICS)
        self.explainer_names: list[str] = []
        self.comparison_table: Any = pandas_library().DataFrame(columns=self.metrics)
        if explainer_name is not None and explanations is not None and explanation_type is not None:
            self.add_explainer(explainer_name, explanations, explanation_type, explanation_mode)

    def add_explainer(self, name: str, explanations: Any, exp_type: str, mode: str = "1to1") -> None:
        """Add the row of an explainer to ``comparison_table``.

        Parameters
        ----------
        name : str
            Name of the explainer.
        explanations : pandas.DataFrame
            Explanations with the column ``label``; with ``mode="1toN"`` also with ``instance``, the row number of the sample.
        exp_type : {"generated-cf", "generated-factual", "existed-cf", "existed-factual"}
            Kind of the explanations.
        mode : {"1to1", "1toN"}
            One explanation per sample, in their order, or any number.

        Raises
        ------
        ValueError
            For another kind or mode, missing columns, and another number of explanations than samples with ``"1to1"``.
        """
        if exp_type not in _TYPES:
            raise ValueError(f"exp_type: expected one of {', '.join(_TYPES)}, got {exp_type!r}")
        if mode not in ("1to1", "1toN"):
            raise ValueError(f"mode: expected 1to1 or 1toN, got {mode!r}")
        needed = [self.label] + ["instance"] * (mode == "1toN")
        missing = [column for column in needed if column not in explanations.columns]
        if missing:
            raise ValueError(f"explanations: expected a column {missing[0]!r}")
        if mode == "1to1" and len(explanations) != len(self.samples):
            raise ValueError(f"explanations: expected {len(self.samples)} rows, one per sample, got {len(explanations)}")
        left_out = set(_NOT_FACTUAL if "factual" in exp_type else ())
        left_out |= _NOT_EXISTED if "existed" in exp_type else set()
        left_out |= _NOT_1TO1 if mode == "1to1" else set()
        query = explanations["instance"] if mode == "1toN" else np.arange(len(explanations))
        values = self._values(explanations.drop(columns=needed), np.asarray(query), np.asarray(explanations[self.label]))
        row = ["-" if metric in left_out else values.get(metric, lambda: "-")() for metric in self.metrics]
        self.explainer_names.append(name)
        pandas = pandas_library()
        added = pandas.DataFrame([row], columns=self.metrics, index=[name], dtype=object)
        table = self.comparison_table
        self.comparison_table = pandas.concat([table, added]) if len(table) else added

    def _values(self, rows: Any, query: Any, labels: Any) -> dict[str, Callable[[], Any]]:
        """Return functions that compute the columns whose inputs are given."""
        samples, own = self.samples.drop(columns=[self.label]).reset_index(drop=True), np.asarray(self.samples[self.label])
        rows = rows.reset_index(drop=True)[list(samples.columns)]
        train = samples if self.data is None else self.data[list(samples.columns)].reset_index(drop=True)
        tables = pandas_library().concat([train, samples, rows], ignore_index=True)
        schema = counterfactual.Schema.from_frame(
            tables, immutable=self.constraints, numeric=list(samples.select_dtypes(include=np.number).columns)
        )
        # Ranges of the training rows alone.
        plain = [_without_range(feature) for feature in schema.features]
        shared = {"schema": counterfactual.Schema(tuple(plain), schema.columns), "train": train, "rows": "all"}

        def pooled(metric: str, **settings: Any) -> Callable[[], float]:
            function = getattr(counterfactual, metric)

            def value() -> float:
                found = function(samples, rows, query, **{**shared, **settings})
                mean = found.pooled if found.per_counterfactual is not None else found.value
                return float("nan") if mean is None else mean

            return value

        def per_sample(metric: str, **settings: Any) -> Callable[[], float]:
            """CEval counts a sample without a value as 0."""
            function = getattr(counterfactual, metric)
            return lambda: float(np.nan_to_num(function(samples, rows, query, **shared, **settings).per_query).mean())

        by = {"distance": self._distance}
        values: dict[str, Callable[[], Any]] = {
            "proximity": pooled("proximity", **by),
            "proximity_gower": pooled("proximity"),
            "sparsity": pooled("sparsity"),
            "count": lambda: len(rows) / len(samples),
            "diversity": per_sample("dpp_diversity"),
        }
        if self.constraints:
            values["constraint_violation"] = pooled("constraint_violation")
        if self.data is not None:
            classes = np.asarray(self.data[self.label])
            known = {**by, "train_labels": classes, "row_class": labels}
            diversity = values["diversity"]
            values |= {
                "diversity_lcc": lambda: len(np.unique(labels)) / len(np.unique(classes)) * diversity(),
                "feasibility": pooled("nearest_distance", **known, among="all", k=self.knn),
                "kNLN_dist": pooled("nearest_distance", **known, k=self.knn),
                "relative_dist": pooled("relative_distance", **known, class_=own),
            }
            if self.model is not None:
                values["yNN"] = pooled("ynn", **known, k=self.knn)
                values["plausibility"] = pooled("neighbor_ratio", **known)
        if self.model is not None:
            values["redundancy"] = pooled("redundancy", model=self.model, score="count")
            values["validity"] = lambda: counterfactual.evaluate(
                samples, {"": rows}, "validity", query={"": query}, class_=own, model=self.model, replicates=0, reference=False
            )[""]["validity"].pooled
        return values


def _without_range(feature: counterfactual.Feature) -> counterfactual.Feature:
    return counterfactual.Feature(
        feature.name, feature.kind, feature.columns, feature.change, categories=feature.categories, cost=feature.cost
    )
