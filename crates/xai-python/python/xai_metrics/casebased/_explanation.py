"""Explanation of one prediction by its nearest cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .._display import Display, Record
from .._results import Table, plain
from . import _plots

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Explanation", "Neighbor"]


class Neighbor(Record):
    """Training case near an explained sample.

    Attributes
    ----------
    index : int
        The training row.
    distance : float
        Its distance to the sample, at least 0: in scaled features where scaling is on, in the space
        of the similarity where one was chosen.
    label : label
        Its class.
    features : array of shape (n_features,)
        Its features as they were handed in, unscaled.
    metadata : dict
        Further data of the training case.

    Examples
    --------
    >>> from xai_metrics.casebased import Neighbor
    >>> Neighbor(3, 0.25, "late", features=None, metadata={"station": "Ulm"})
    Neighbor(index=3, distance=0.25, label='late', metadata=station: Ulm)
    """

    __slots__ = ("distance", "features", "index", "label", "metadata")

    def __init__(
        self,
        index: int,
        distance: float,
        label: Any,
        features: npt.NDArray[Any] | Any,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        self.index: int = index
        self.distance: float = distance
        self.label: Any = label
        self.features: Any = features
        self.metadata: dict[str, Any] = metadata or {}

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes as plain values.

        Returns
        -------
        dict
            Attributes by name.
        """
        return {
            name: plain(getattr(self, name))
            for name in ("index", "distance", "label", "features", "metadata")
        }

    def _display(self) -> Display:
        rows: list[tuple[str, Any]] = [("index", self.index), ("distance", self.distance), ("label", self.label)]
        if self.features is not None:
            rows.append(("features", self.features))
        if self.metadata:
            rows.append(("metadata", self.metadata))
        return Display("Neighbor", rows=rows)


class Batch(Protocol):
    """Source of the attributes of explanations."""

    def attribute(self, name: str, row: int) -> Any:
        """Return an attribute of the explanation of a row."""


class Explanation(Table):
    """Prediction, its nearest training cases, and their agreement with it.

    Attributes
    ----------
    test_sample : array of shape (n_features,)
        The sample that is explained.
    test_index : int or None
        Its place in the batch.
    neighbors : list of Neighbor
        The nearest training cases, nearest first.
    predicted_class : label
        The predicted class.
    true_class : label or None
        The true class, where it is known.
    correspondence : float
        The share of the neighbours' weight that has the predicted class, in [0, 1]; 0.0 where it is
        undefined.
    correspondence_interpretation : str
        ``"high"``, ``"medium"``, ``"low"``, or ``"undefined"`` where there is no neighbour of any
        weight.
    feature_names : list of str
        The names of the features.
    class_names : dict from label to str
        The names of the classes, where they were given.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer
    >>> explainer = CaseExplainer([[0.0], [1.0], [5.0]], ["no", "no", "yes"], k=2, scale=False)
    >>> explanation = explainer.explain_instance([0.25], predicted_class="no", true_class="no")
    >>> explanation
    Sample: predicted no, correspondence 100.00% (high), true class no
            row  class  distance  feature_0
    sample                             0.25
    1.      0    no         0.25          0
    2.      1    no         0.75          1
    >>> [neighbor.index for neighbor in explanation.neighbors]
    [0, 1]
    >>> explanation.is_correct()
    True
    """

    test_sample: npt.NDArray[Any]
    test_index: int | None
    neighbors: list[Neighbor]
    predicted_class: Any
    true_class: Any
    correspondence: float
    correspondence_interpretation: str
    feature_names: list[str]
    class_names: dict[Any, str]

    # Where an explanation of a batch finds its attributes, until they are asked for.
    _batch: Batch
    _row: int

    def __init__(
        self,
        test_sample: npt.NDArray[Any],
        test_index: int | None,
        neighbors: list[Neighbor],
        predicted_class: Any,
        true_class: Any,
        correspondence: float,
        correspondence_interpretation: str,
        feature_names: list[str] | None = None,
        class_names: Mapping[Any, str] | list[str] | None = None,
    ) -> None:
        self.test_sample = test_sample
        self.test_index = test_index
        self.neighbors = neighbors
        self.predicted_class = predicted_class
        self.true_class = true_class
        self.correspondence = correspondence
        self.correspondence_interpretation = correspondence_interpretation
        names = [f"feature_{i}" for i in range(len(test_sample))]
        self.feature_names = feature_names or names
        if isinstance(class_names, list):
            class_names = dict(enumerate(class_names))
        self.class_names = dict(class_names or {})

    def __getattr__(self, name: str) -> Any:
        # Reached for what is not set: an attribute that the batch knows, and which is kept now.
        batch = self.__dict__.get("_batch")
        if batch is None or name not in Explanation.__annotations__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = batch.attribute(name, self._row)
        setattr(self, name, value)
        return value

    def __getstate__(self) -> dict[str, Any]:
        # One explanation does not take its whole batch with it.
        names = [name for name in Explanation.__annotations__ if not name.startswith("_")]
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def get_predicted_class_name(self) -> str:
        """Return the name of the predicted class, or the class as text if it has no name.

        Returns
        -------
        str
            Name.
        """
        return self._name_of(self.predicted_class)

    def get_true_class_name(self) -> str | None:
        """Return the name of the true class, or ``None`` if it is unknown.

        Returns
        -------
        str or None
            Name.
        """
        return None if self.true_class is None else self._name_of(self.true_class)

    def _name_of(self, label: Any) -> str:
        return self.class_names.get(label, str(label))

    def is_correct(self) -> bool | None:
        """Return whether the prediction is correct, or ``None`` if the true class is unknown.

        Returns
        -------
        bool or None
            Whether predicted and true class are equal.
        """
        if self.true_class is None:
            return None
        return bool(self.predicted_class == self.true_class)

    def summary(self) -> str:
        """Return the explanation as text.

        Returns
        -------
        str
            Several lines.

        Examples
        --------
        >>> from xai_metrics.casebased import CaseExplainer
        >>> explainer = CaseExplainer([[0.0], [1.0]], [0, 1], k=1, scale=False)
        >>> print(explainer.explain_instance([0.25], predicted_class=0).summary())
        CASE-BASED EXPLANATION
        Predicted class: 0
        Correspondence: 100.00% (high)
        Nearest training cases (* has the predicted class):
           1. * row 0, class 0, distance 0.2500
        """
        lines = ["CASE-BASED EXPLANATION"]
        if self.test_index is not None:
            lines.append(f"Test sample index: {self.test_index}")
        lines.append(f"Predicted class: {self.get_predicted_class_name()}")
        if self.true_class is not None:
            mark = "[OK]" if self.is_correct() else "[X]"
            lines.append(f"True class: {self.get_true_class_name()} {mark}")
        level = self.correspondence_interpretation
        lines.append(f"Correspondence: {self.correspondence:.2%} ({level})")
        lines.append("Nearest training cases (* has the predicted class):")
        for rank, neighbor in enumerate(self.neighbors, 1):
            mark = "*" if neighbor.label == self.predicted_class else " "
            lines.append(
                f"{rank:>4}. {mark} row {neighbor.index}, class {self._name_of(neighbor.label)}, "
                f"distance {neighbor.distance:.4f}"
            )
            lines += [f"        {name}: {value}" for name, value in neighbor.metadata.items()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation in types that ``json`` supports.

        Returns
        -------
        dict
            Attributes by name, with the names of the classes.
        """
        neighbors = []
        for neighbor in self.neighbors:
            described = neighbor.to_dict()
            described["label_name"] = self._name_of(neighbor.label)
            neighbors.append(described)
        return {
            "test_index": self.test_index,
            "test_sample": plain(self.test_sample),
            "predicted_class": plain(self.predicted_class),
            "predicted_class_name": self.get_predicted_class_name(),
            "true_class": plain(self.true_class),
            "true_class_name": self.get_true_class_name(),
            "is_correct": self.is_correct(),
            "correspondence": float(self.correspondence),
            "correspondence_interpretation": self.correspondence_interpretation,
            "neighbors": neighbors,
            "feature_names": list(self.feature_names),
        }

    def columns(self) -> dict[str, Any]:
        """Return the neighbours as columns: index, distance, label, features and metadata.

        Returns
        -------
        dict of str to list
            Columns by name.
        """
        near = self.neighbors
        columns: dict[str, Any] = {
            "index": [neighbor.index for neighbor in near],
            "distance": [neighbor.distance for neighbor in near],
            "label": [neighbor.label for neighbor in near],
        }
        for position, name in enumerate(self.feature_names):
            columns[name] = [neighbor.features[position] for neighbor in near]
        for name in dict.fromkeys(name for neighbor in near for name in neighbor.metadata):
            columns[name] = [neighbor.metadata.get(name) for neighbor in near]
        return columns

    def plot(
        self,
        plot_type: Literal["radar", "parallel", "bar"] = "radar",
        highlight_differences: bool = True,
        show_distances: bool = True,
        save_path: Any = None,
        figsize: tuple[float, float] = (12, 8),
        *,
        ax: Any = None,
    ) -> Any:
        """Plot the sample and its nearest training cases with matplotlib.

        Parameters
        ----------
        plot_type : str
            ``"radar"``, one axis per feature around a circle; ``"parallel"``, one upright axis per
            feature; ``"bar"``, one group of bars per feature. Radar and parallel axes run from the
            least to the largest value shown; bars show values as they are.
        highlight_differences : bool
            Whether features in which the sample lies outside all its neighbours are drawn bold.
        show_distances : bool
            Whether the legend says the distances.
        save_path : path, optional
            Where to save the figure, instead of showing it.
        figsize : (width, height)
            The size of a new figure in inches.
        ax : matplotlib axes, optional
            Where to draw instead of a new figure; for a radar plot these must be polar.

        Returns
        -------
        matplotlib axes
            Where it was drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            For another type of plot.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> from xai_metrics.casebased import CaseExplainer
        >>> explainer = CaseExplainer([[0.0, 1.0, 2.0], [1.0, 0.0, 4.0]], [0, 1], k=2)
        >>> explanation = explainer.explain_instance([0.5, 0.5, 0.5], predicted_class=0)
        >>> explanation.plot("parallel").get_title()
        'Correspondence 79.14% (medium)'
        """
        rows = [self.test_sample, *(near.features for near in self.neighbors)]
        names = ["sample"]
        for near in self.neighbors:
            mark = "*" if near.label == self.predicted_class else ""
            distance = f", distance {near.distance:.3g}" if show_distances else ""
            names.append(f"row {near.index}, class {self._name_of(near.label)}{mark}{distance}")
        score, level = self.correspondence, self.correspondence_interpretation
        picture = _plots.Picture(
            rows, names, self.feature_names, f"Correspondence {score:.2%} ({level})"
        )
        return picture.draw(plot_type, highlight_differences, save_path, figsize, ax)

    def _display(self) -> Display:
        level = self.correspondence_interpretation
        share = "undefined" if level == "undefined" else f"{self.correspondence:.2%} ({level})"
        sample = "Sample" if self.test_index is None else f"Sample {self.test_index}"
        title = f"{sample}: predicted {self.get_predicted_class_name()}, correspondence {share}"
        if self.true_class is not None:
            title += f", true class {self.get_true_class_name()}"
        header = ["", "row", "class", "distance", *self.feature_names]
        rows: list[list[Any]] = [["sample", "", "", "", *self.test_sample]]
        for rank, neighbor in enumerate(self.neighbors, 1):
            name = self._name_of(neighbor.label)
            rows.append([f"{rank}.", str(neighbor.index), name, neighbor.distance, *neighbor.features])
        return Display(title, header, rows)
