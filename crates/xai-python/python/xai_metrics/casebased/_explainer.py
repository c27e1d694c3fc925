"""Explanation of predictions by the nearest training cases."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _native
from .._alignment import Alignment
from .._arguments import mapping, threads
from .._arrays import column_names, reals
from .._described import described, parameters_of
from ._fitting.choices import (
    check_covariance,
    checked_k,
    columns_of,
    native_choices,
    split_covariance,
    split_weighting,
)
from ._fitting.classes import Classes, label_array, objects_of
from ._fitting.encoding import Encoding
from ._fitting.similarity import Space, space_of, strategy_of
from ._fitting.storage import attributes_from_file
from ._reporting import Reporting

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from .._types import Bool, ExplainerParameters

__all__ = ["CaseExplainer", "Scaler"]

_DEFAULTS = {one.name: one.default for one in parameters_of("casebased.explainer")}


class Scaler:
    """Standardization of features: ``(x - mean_) / scale_``.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer
    >>> CaseExplainer([[1.0], [3.0]], [0, 1]).scaler.transform([[5.0]])
    array([[3.]])
    """

    def __init__(self, mean: npt.NDArray[np.float64], scale: npt.NDArray[np.float64]) -> None:
        #: Mean of each feature.
        self.mean_ = mean
        #: Population standard deviation of each feature; 1 for constant features.
        self.scale_ = scale

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        """Standardize rows.

        Parameters
        ----------
        X : array of shape (m, n_features)
            Rows in original units.

        Returns
        -------
        numpy.ndarray
            Standardized rows.

        Raises
        ------
        ValueError
            For another number of features.
        """
        return np.asarray((self._rows(X) - self.mean_) / self.scale_)

    def inverse_transform(self, X: Any) -> npt.NDArray[np.float64]:
        """Undo the standardization of rows.

        Parameters
        ----------
        X : array of shape (m, n_features)
            Standardized rows.

        Returns
        -------
        numpy.ndarray
            Rows in original units.

        Raises
        ------
        ValueError
            For another number of features.
        """
        return np.asarray(self._rows(X) * self.scale_ + self.mean_)

    def _rows(self, X: Any) -> npt.NDArray[Any]:
        rows = reals(X, "X", 2)
        if rows.shape[1] != len(self.mean_):
            raise ValueError(f"X has {rows.shape[1]} features, expected {len(self.mean_)}")
        return rows


class CaseExplainer(Reporting):
    """Explain predictions by the nearest training cases: scaling, exact search, correspondence.

    Parameters
    ----------
    X_train : array of shape (n_samples, n_features)
        Training rows, finite. Column names of a table become ``feature_names``.
    y_train : array of shape (n_samples,)
        Their classes: integers, booleans, words, or any labels that can be hashed.
    feature_names : list of str, optional
        Names of the features, all different.
    class_names : mapping from label to str, or list, optional
        Names of the classes.
    class_weights : mapping from label to float, optional
        Weight of each class, at least 0; 1 for classes that are not listed.
    metadata : mapping from str to sequence, or table, optional
        Further data of the training rows: columns of one value per row. The labels of a pandas
        index other than 0, 1, 2, … are added under the name of the index, or as ``"index label"``.
    n_jobs : int or None
        Threads; -1 and ``None`` mean one per core.
    similarity : str or strategy, optional
        Similarity of rows: :class:`.Features` (the default), :class:`.HiddenActivations`,
        :class:`.CustomActivations`, :class:`.TreeLeaf`, :class:`.ForestProximity`, :class:`.Blend`,
        or ``"activations"`` of ``model``.
    model : object, optional
        Model that predicts the classes if ``explain_instance`` and ``explain_batch`` receive none.
    redact : sequence of str
        Features and metadata columns whose values are hidden in all results. Distances still depend
        on redacted features.
    covariance : array of shape (n_features, n_features), optional
        Covariance for ``distance="mahalanobis"``; by default that of the training rows.
    encode : {"one-hot", "ordinal"}, optional
        Encoding of text columns of a table: a column ``name=category`` for each category of the
        training rows, or the index of the category among them, sorted or in the order of ordered
        categories. By default such columns raise an error.
    parameters
        How neighbours are searched and weighted, as ``__init__`` lists. ``weighting`` may also be
        ``{"inverse-power": {"exponent": P, "offset": C}}``, or a function, which is given the
        distances of all neighbours of all samples at once, in one array.

    Raises
    ------
    ValueError
        For values that are not finite, lengths that do not match, parameters outside their domain,
        and rows for which the distance is undefined (cosine of a row of zeros).

    Notes
    -----
    Equal distances come by the lower training row. Models are asked once for a whole batch.

    Examples
    --------
    >>> from xai_metrics.casebased import CaseExplainer
    >>> X = [[0.0, 1.0], [0.2, 0.9], [4.0, 5.0], [4.2, 5.1]]
    >>> explainer = CaseExplainer(X, ["early", "early", "late", "late"], k=2)
    >>> explanation = explainer.explain_instance([4.1, 5.0], predicted_class="late")
    >>> explanation.correspondence, explanation.correspondence_interpretation
    (1.0, 'high')
    >>> explanation.neighbors[0].index
    2
    """

    @described("casebased.explainer")
    def __init__(
        self,
        X_train: Any,
        y_train: Any,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: Mapping[Any, str] | Sequence[str] | None = None,
        class_weights: Mapping[Any, float] | None = None,
        metadata: Mapping[str, Any] | None = None,
        n_jobs: int | None = -1,
        similarity: Any = None,
        model: Any = None,
        redact: Sequence[str] = (),
        covariance: Any = None,
        encode: Literal["one-hot", "ordinal"] | None = None,
        **parameters: Unpack[ExplainerParameters],
    ) -> None:
        """Fit the explainer.

        Parameters
        ----------
        {parameters}
        """
        strategy = strategy_of(similarity, model)
        self._columns = column_names(X_train)
        self._encoding = None if encode is None else Encoding(X_train, encode)
        if self._encoding is not None:
            feature_names = self._encoding.names
        elif feature_names is None:
            feature_names = self._columns
        alignment = Alignment()
        X_train = alignment.take(X_train, "X_train", "training rows", "features")
        rows = self._numbers(X_train, "X_train")
        labels = label_array(alignment.take(y_train, "y_train", "training rows"), "y_train")
        if len(rows) != len(labels):
            raise ValueError(
                f"X_train and y_train must have same length (got {len(rows)} and {len(labels)})"
            )
        self.n_samples: int = rows.shape[0]
        self.n_features: int = rows.shape[1]
        self._chosen = dict(parameters)
        self.k: int = checked_k(parameters.get("k", _DEFAULTS["k"]))
        names = [f"feature_{i}" for i in range(self.n_features)]
        self.feature_names: list[str] = list(feature_names) if feature_names is not None else names
        self.class_names: Mapping[Any, str] | Sequence[str] = class_names if class_names is not None else {}
        self.distance: str = parameters.get("distance", _DEFAULTS["distance"])
        self.scale: Bool = parameters.get("scale", _DEFAULTS["scale"])
        self.class_weights: dict[Any, float] = mapping("class_weights", class_weights, "a weight for each label")
        self.metadata: dict[str, Any] = columns_of(metadata, alignment)
        for key, column in self.metadata.items():
            if len(column) != self.n_samples:
                raise ValueError(
                    f"Metadata {key!r} has {len(column)} items, expected {self.n_samples}"
                )
        self.n_jobs: int | None = threads(n_jobs)
        self.y_train: npt.NDArray[Any] = labels.copy()
        self._redact = [redact] if isinstance(redact, str) else list(redact)
        if self._encoding is not None:
            # A column is redacted with all that it has become.
            names_of = {column: self._encoding.names_of(column) for column in self._encoding.columns}
            self._redact = [name for redacted in self._redact for name in names_of.get(redacted, [redacted])]
        self._covariance = alignment.take(covariance, "covariance", "features", "features")
        self._strategy = strategy
        self._classes = Classes(self.y_train)
        for name, keys in (("class_weights", self.class_weights), ("class_names", class_names)):
            if isinstance(keys, Mapping) and keys:
                self._classes.check(objects_of(list(keys)), name, any_is_enough=True)
        self._model = model
        self._fit(rows)

    def _fit(self, rows: npt.NDArray[Any]) -> None:
        """Fit to validated rows; labels and parameters are attributes already."""
        self._space = space_of(self._strategy, rows, self._classes)
        if self._space.model is not None:
            self._model = self._space.model
        chosen, covariance = split_covariance(self._chosen, self._covariance)
        check_covariance(covariance, self.n_features)
        chosen, kernel = split_weighting(chosen)
        choices = native_choices(
            feature_names=[str(name) for name in self.feature_names],
            class_names=self._class_name_of,
            class_weights=self.class_weights,
            metadata=self.metadata,
            redact=self._redact,
            kernel=kernel,
            similarity=self._space.choice,
            classes=self._classes,
        )
        # What is redacted is forgotten.
        hidden = set(choices["redact"])
        self._native = _native.CasebasedExplainer.fit(
            rows,
            self._classes.numbers(self.y_train),
            chosen,
            choices,
            covariance,
            self._space.native_input(rows),
            self.n_jobs,
        )
        self.metadata = {k: v for k, v in self.metadata.items() if k not in hidden}

    @property
    def X_train_original(self) -> npt.NDArray[np.float64]:
        """Training rows in original units; not available if features are redacted."""
        rows: npt.NDArray[np.float64] = self._native.rows()
        return rows

    @property
    def X_train_scaled(self) -> npt.NDArray[np.float64]:
        """Training rows as used for distances."""
        rows = self._native.rows()
        return rows if self.scaler is None else self.scaler.transform(rows)

    @property
    def scaler(self) -> Scaler | None:
        """Standardization of the features; ``None`` without standardization."""
        scaling = self._native.scaling()
        return None if scaling is None else Scaler(*scaling)

    @property
    def file_holds_redacted(self) -> bool:
        """True if the explainer was loaded from a file with the values of redacted features."""
        return bool(self._native.info()["file_holds_redacted"])

    def save(self, path: str | os.PathLike[str], *, store_redacted: bool = False) -> None:
        """Write the explainer to a file that :meth:`load`, the Rust library and ``xai`` can read.

        The file contains all features of all training rows. Labels that are not integers are
        stored as numbered classes whose names are the labels as text. Only explainers with
        feature similarity can be stored; pickle supports the other similarities and labels of
        all types.

        Parameters
        ----------
        path : path
            The file.
        store_redacted : bool
            Allow the file to contain the values of redacted features, readable for everybody who
            has the file. The file records this, see :attr:`file_holds_redacted`.

        Raises
        ------
        ValueError
            For an explainer with another similarity, and for redacted features without ``store_redacted=True``;
            pickle refuses them too.
        OSError
            Where the file cannot be written.

        Examples
        --------
        >>> import os, tempfile
        >>> from xai_metrics.casebased import CaseExplainer
        >>> path = os.path.join(tempfile.mkdtemp(), "cases.xai")
        >>> CaseExplainer([[0.0], [1.0]], ["no", "yes"], k=1).save(path)
        >>> again = CaseExplainer.load(path, labels="names")
        >>> again.explain_instance([0.2], predicted_class="no").correspondence
        1.0
        """
        if callable(self._chosen.get("weighting")):
            raise ValueError("weighting: a function cannot be stored; choose one by its name")
        stored = self._native.save(store_redacted)
        with open(path, "wb") as file:
            file.write(stored)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, labels: Literal["numbers", "names"] = "numbers", n_jobs: int | None = -1
    ) -> CaseExplainer:
        """Read a file written by :meth:`save`, the Rust library or ``xai``.

        Parameters
        ----------
        path : path
            The file.
        labels : str
            ``"numbers"``: classes are the integers of the file, which may have names. ``"names"``:
            classes are these names, as in a file of an explainer whose labels were words.
        n_jobs : int or None
            Threads; -1 and ``None`` mean one per core.

        Returns
        -------
        CaseExplainer
            The explainer.

        Raises
        ------
        ValueError
            For a file that is foreign, damaged, or of a newer version.
        OSError
            Where the file cannot be read.
        """
        with open(path, "rb") as file:
            stored = file.read()
        loaded = cls.__new__(cls)
        loaded.__dict__.update(attributes_from_file(stored, labels, n_jobs))
        return loaded

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_native", "_space")}
        if self._space.choice is None:
            state["_stored"] = self._native.save()
        else:
            state["_rows"] = self._native.rows()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        stored, rows = state.pop("_stored", None), state.pop("_rows", None)
        self.__dict__.update(state)
        if stored is not None:
            self._space = Space()
            self._native = _native.CasebasedExplainer.load(stored, self.n_jobs)
        else:
            self._fit(rows)

    def __repr__(self) -> str:
        return (
            f"CaseExplainer(n_samples={self.n_samples}, n_features={self.n_features}, k={self.k}, "
            f"mode={self._space.mode!r}, engine={self.engine!r})"
        )
