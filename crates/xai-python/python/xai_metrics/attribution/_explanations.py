"""Conversion of explanations of other packages to arrays of maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import are_numbered, column_names, integers, reals, to_numpy
from .._frameworks import is_from_package
from ._layout import channels_axis
from ._packages import first_order_values

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]


def note(notes: dict[str, str], about: str, text: str) -> None:
    """Append a note to those on the same subject, without repeating it.

    Examples
    --------
    >>> notes = {"maps of mine": "upsampled"}
    >>> note(notes, "maps of mine", "negated")
    >>> notes
    {'maps of mine': 'upsampled; negated'}
    """
    known = notes.get(about, "")
    if text not in known.split("; "):
        notes[about] = f"{known}; {text}" if known else text


@dataclass
class MapReader:
    """Settings for converting explanations of the samples of a run to maps."""

    #: Shape and layout of the inputs; ``None`` if there are only maps.
    shape: tuple[int, ...] | None = None
    layout: str | None = None
    #: Function that reorders the columns of a table to those of the run.
    in_order: Callable[[Any, str], Any] = lambda values, name: values
    #: Number of outputs of the model; ``None`` without a model.
    n_outputs: Callable[[], int | None] = lambda: None
    #: Labels of the outputs, for estimators that have them.
    classes: list[Any] | None = None
    #: Segment of each position, ``(n, height, width)`` or ``(height, width)``.
    segments: Any = None
    #: Conversions of maps, by the name of their explainer.
    notes: dict[str, str] = field(default_factory=dict)
    #: Column names of the run, if there are any.
    columns: list[Any] | None = None
    #: Output index of the class that maps without a class axis explain; ``None`` for the target of
    #: each sample.
    explained_class: int | None = None
    #: Explainers whose maps are plain arrays, so that their class is unknown.
    plain: set[str] = field(default_factory=set)
    #: Function that converts lists of maps of different lengths to arrays.
    spread: Callable[[Any, str], Any] = lambda values, name: values

    def maps(self, given: Any, name: str, of: str, targets: Callable[[int], Any]) -> Array:
        """Convert an explanation to maps, one per sample.

        ``given`` is the answer of an explainer, ``name`` its name in error messages, and ``of``
        the name of the explainer. ``targets(n)`` returns the target classes or weight rows of
        ``n`` samples.
        """
        if is_from_package(given, "shap"):
            return self._from_shap(given, name, of, targets)
        if isinstance(given, (list, tuple)) and len(given) and is_from_package(given[0], "lime"):
            return self._from_lime(given, name, of, targets)
        if is_from_package(given, "shapiq"):
            raise ValueError(f"{name}: expected a list of InteractionValues, one per sample, got a single one")
        if isinstance(given, (list, tuple)) and len(given) and is_from_package(given[0], "shapiq"):
            # They are of the class that the explainer was made for, whatever the targets.
            given, name = first_order_values(given, name), f"the values of {of}"
        if isinstance(given, Mapping):
            # Several inputs by name: the first is explained.
            given = next(iter(given.values()))
        segments = self.segments
        if isinstance(given, tuple) and len(given) == 2 and self._are_superpixels(*given):
            given, segments = given
        elif isinstance(given, tuple) and given and getattr(given[0], "ndim", 0) > 1:
            # As captum answers, one array per input.
            given = given[0]
        if isinstance(given, list) and self.shape is not None and self._are_by_class(given):
            given = np.stack([to_numpy(per_class, name) for per_class in given], axis=-1)
        given = self.spread(given, name)
        array = reals(self.in_order(self._sum_by_column(given, name, of), name), name)
        if self.shape is None or len(self.shape) < 2:
            return array
        if array.shape == self.shape[1:] and len(array) != self.shape[0]:
            n = self.shape[0]
            raise ValueError(
                f"{name}: expected a map for each of {n} samples, got one of shape {array.shape}; if all samples have this "
                f"one, repeat it: np.repeat([map], {n}, axis=0)"
            )
        if array.ndim == len(self.shape) + 1 and array.shape[1:-1] == self.shape[1:]:
            if self.explained_class is not None and name != "explainer":
                raise ValueError(
                    f"explained_class: {name} has an axis of classes, of which those of the targets are taken; leave "
                    "explained_class out, or give the maps of one class alone"
                )
            return self._select_targets(array, name, targets)
        if len(self.shape) == 4:
            if segments is not None and array.ndim == 2:
                return self._orient(self._expand_segments(array, segments, name), name, of, targets)
            return self._orient(self._resize(array, of), name, of, targets)
        _check_features(array, self.shape, name)
        return self._orient(array, name, of, targets)

    def _orient(self, array: Array, name: str, of: str, targets: Callable[[int], Any]) -> Array:
        """Negate precomputed maps of ``explained_class`` where the target is the other of two
        classes.
        """
        if name == "explainer" or name.endswith("_maps"):
            # It was told the targets; and maps are compared with others as they are.
            return array
        if self.explained_class is None:
            self.plain.add(of)
            return array
        columns, n_outputs = targets(len(array)), self.n_outputs()
        if columns is None or columns.ndim != 1 or n_outputs is None or n_outputs < 2:
            raise ValueError("explained_class: needs a model of several outputs, and classes as targets")
        if not 0 <= self.explained_class < n_outputs:
            raise ValueError(f"explained_class: expected a class of the model, 0 to {n_outputs - 1}, got {self.explained_class}")
        others = columns != self.explained_class
        called = self.explained_class if self.classes is None else self.classes[self.explained_class]
        if not others.any():
            note(self.notes, f"maps of {of}", f"of class {called!r}")
        elif n_outputs > 2:
            raise ValueError(
                f"explained_class: {name} has maps of class {called!r} alone, and there are targets of others; give the maps of "
                "all classes, (n, …, classes)"
            )
        else:
            note(self.notes, f"maps of {of}", f"of class {called!r}, negated where the target is the other")
        signs = np.where(others, -1.0, 1.0).reshape(-1, *[1] * (array.ndim - 1))
        return np.asarray(array * signs.astype(array.dtype))

    def _sum_by_column(self, given: Any, name: str, of: str) -> Any:
        """Add up values of the columns made by a pipeline per column of the inputs.

        A scaled column has one value, an encoded text column one per word. Attributions are
        additive, so their sum is the attribution of the column. Other values are returned
        unchanged.
        """
        made = column_names(given)
        if self.columns is None or made is None or len(self.shape or ()) != 2:
            return given
        names, expected = [str(column) for column in made], [str(column) for column in self.columns]
        sources = encoded_from(names, expected)
        if sources is None:
            if not set(names) & set(expected) and not are_numbered(names) and not are_numbered(expected):
                raise ValueError(
                    f"{name}: has values of {len(names)} columns, {names[0]!r} for instance, that are not those of the "
                    "inputs; explain the model with all its steps, or evaluate its last step alone: on the table that "
                    "this step is given, with these values"
                )
            return given
        values = reals(given, name)
        if values.ndim < 2:
            return given
        sums = np.zeros((len(values), len(self.columns), *values.shape[2:]), values.dtype)
        for index, source in enumerate(sources):
            sums[:, source] += values[:, index]
        left_out = ", ".join(column for index, column in enumerate(expected) if index not in sources)
        note(self.notes, f"maps of {of}", "of encoded columns, added up per column of the inputs")
        if left_out:
            note(self.notes, f"maps of {of}", f"0 of {left_out}, of which the model makes none")
        return _Named(sums, self.columns)

    def _select_targets(self, array: Array, name: str, targets: Callable[[int], Any]) -> Array:
        """Select the maps of the targets from maps for each class, ``(n, …, classes)``."""
        n_outputs, n_maps = self.n_outputs(), array.shape[-1]
        columns = targets(len(array))
        if columns is None:
            raise ValueError(f"targets: needed to choose among the maps of {n_maps} classes")
        if n_outputs not in (None, n_maps):
            raise ValueError(
                f"{name}: shape {array.shape} has an axis more than the inputs, and it is not the {n_outputs} outputs "
                "of the model; add up the maps of the elements of an embedding, by `.sum(-1)`"
            )
        if columns.ndim == 2:
            # Explanations add up as the scores do.
            weights = columns.reshape(len(columns), *[1] * (array.ndim - 2), -1)
            return np.asarray((array * weights).sum(axis=-1))
        if columns.size and not 0 <= columns.min() <= columns.max() < n_maps:
            raise ValueError(
                f"{name}: has maps of {n_maps} classes, and a target is {columns.max()}"
            )
        places = columns.reshape(-1, *[1] * (array.ndim - 1))
        return np.asarray(np.take_along_axis(array, places, axis=-1)[..., 0])

    def _from_shap(self, given: Any, name: str, of: str, targets: Callable[[int], Any]) -> Array:
        """Convert a ``shap.Explanation``."""
        values = reals(self.spread(given.values, name), name)
        # Of texts it has the tokens of each sample.
        are_columns = given.feature_names is not None and not any(np.ndim(name) for name in given.feature_names)
        if are_columns and len(given.feature_names) == values.shape[1]:
            named = self._sum_by_column(_Named(values, list(given.feature_names)), name, of)
            values = reals(self.in_order(named, name), name)
        ndim = np.ndim(given.data) if self.shape is None else len(self.shape)
        if values.ndim == ndim + 1:
            return self._select_targets(values, name, targets)
        n_outputs = self.n_outputs() or 1
        columns = targets(len(values)) if n_outputs > 1 else None
        if columns is None or columns.ndim != 1:
            return values
        if n_outputs > 2:
            self._check_class(given.output_names, columns, n_outputs, name)
            return values
        was_by_class = any(len(step.prev_shape) > ndim for step in given.op_history or ())
        if not was_by_class and (columns == 0).any():
            note(self.notes, f"maps of {of}", "of the second class, negated where the target is the first")
            values = values * np.where(columns == 0, -1.0, 1.0).reshape(-1, *[1] * (ndim - 1))
        return values

    def _check_class(self, named: Any, columns: Array, n_outputs: int, name: str) -> None:
        """Raise ``ValueError`` if values of one class are given for targets of other classes."""
        labels = [str(label) for label in self.classes or range(n_outputs)]
        # Outputs that nobody named have names of shap.
        names = [(label, f"Output {index}") for index, label in enumerate(labels)]
        of = next((index for index, known in enumerate(names) if isinstance(named, str) and named in known), None)
        if (columns != (columns[:1] if of is None else of)).any():
            message = "one class" if of is None else f"the class {named!r}"
            raise ValueError(
                f"{name}: has values of {message}, and there are targets of others; give the values of all classes, "
                "(n, …, classes), or, if each row is of its own target, the array `.values`"
            )

    def _from_lime(self, given: Any, name: str, of: str, targets: Callable[[int], Any]) -> Array:
        """Convert LIME explanations, one per sample, of features or of image segments."""
        columns = targets(len(given))
        names = self._names_of_lime(given[0])
        maps = []
        for sample, one in enumerate(given):
            by_label = one.local_exp
            if getattr(one, "mode", "") == "regression":
                label = 1
            elif columns is None or columns.ndim != 1:
                raise ValueError("targets: expected classes, to choose among the labels of lime")
            else:
                label = int(columns[sample])
            sign = 1.0
            if label not in by_label and list(by_label) == [1 - label] and self.n_outputs() == 2:
                # Of two probabilities that add up to 1.
                label, sign = 1 - label, -1.0
                note(self.notes, f"maps of {of}", "of the other class, negated, where that alone was explained")
            if label not in by_label:
                labels = ", ".join(map(str, by_label))
                raise ValueError(
                    f"{name}[{sample}]: lime has explained the labels {labels}, the target is {label}; ask "
                    f"`explain_instance(…, labels=[{label}])`"
                )
            weight_of = dict(by_label[label])
            segments = getattr(one, "segments", None)
            if segments is not None:
                weights = np.array([weight_of.get(i, 0.0) for i in range(int(segments.max()) + 1)])
                maps.append(sign * weights[segments])
                continue
            size = self.shape[1] if self.shape is not None else 1 + max(weight_of, default=0)
            size = size if names is None else len(names)
            if max(weight_of, default=0) >= size:
                raise ValueError(
                    f"{name}[{sample}]: has a weight of feature {max(weight_of)}, the inputs have {size}; if lime was given "
                    "encoded columns, name them: `LimeTabularExplainer(…, feature_names=encoder.get_feature_names_out())`"
                )
            row = np.zeros(size)
            row[list(weight_of)] = list(weight_of.values())
            maps.append(sign * row)
        array = np.stack(maps)
        if names is None or segments is not None:
            return array
        return reals(self.in_order(self._sum_by_column(_Named(array, names), name, of), name), name)

    def _names_of_lime(self, one: Any) -> list[str] | None:
        """Return the feature names of a table explained by LIME; ``None`` if they were not set."""
        names = getattr(getattr(one, "domain_mapper", None), "feature_names", None)
        if self.columns is None or names is None or are_numbered([str(name) for name in names]):
            return None
        return [str(name) for name in names]

    def _are_by_class(self, given: list[Any]) -> bool:
        """Return whether a list contains the maps of all samples class by class, as returned by
        older versions of SHAP.
        """
        shape = self.shape or ()
        return all(tuple(getattr(item, "shape", ()))[1:] == shape[1:] != () for item in given)

    def _are_superpixels(self, values: Any, segments: Any) -> bool:
        """Return whether the arguments are a value per segment and the segments of images."""
        plane = self._plane
        return plane is not None and np.ndim(values) == 2 and np.shape(segments)[-2:] == plane

    def _expand_segments(self, values: Array, segments: Any, name: str) -> Array:
        """Expand a value per segment to a value per position."""
        places = integers(segments, "segments")
        places = np.broadcast_to(places, (len(values), *places.shape[-2:]))
        if places.min() < 0 or places.max() >= values.shape[1]:
            raise ValueError(
                f"{name}: has values of {values.shape[1]} segments, which are numbered from 0; segments are numbered "
                f"{places.min()} to {places.max()}"
            )
        maps = np.take_along_axis(values, places.reshape(len(values), -1), axis=1)
        return np.asarray(maps.reshape(places.shape))

    @property
    def _plane(self) -> tuple[int, int] | None:
        """Height and width of images."""
        if self.shape is None or len(self.shape) != 4:
            return None
        height, width = self.shape[2:] if channels_axis(self.layout) == 1 else self.shape[1:3]
        return height, width

    def _resize(self, maps: Array, of: str) -> Array:
        """Upsample image maps of a lower resolution, for example of a late layer, to the size of
        the inputs.
        """
        plane, channels = self._plane, channels_axis(self.layout)
        is_whole = self.shape is None or maps.shape[1:] == self.shape[1:]
        if plane is None or is_whole or maps.ndim not in (3, 4):
            return maps
        if maps.ndim == 4 and maps.shape[channels] == 1:
            maps = maps.squeeze(channels)
        given = maps.shape[1:]
        if maps.ndim != 3 or given == plane or any(own > whole for own, whole in zip(given, plane)):
            return maps
        note(self.notes, f"maps of {of}", f"upsampled bilinearly from {given[0]} × {given[1]}")
        return upsampled(maps, plane)


def _check_features(array: Array, shape: tuple[int, ...], name: str) -> None:
    """Raise ``ValueError`` for tabular maps that are transposed or have one extra column."""
    if array.ndim != 2 or len(shape) != 2 or array.shape == shape:
        return
    message = f"{name}: expected maps of shape {tuple(shape)}, as the inputs, got {array.shape}"
    if array.shape == shape[::-1]:
        raise ValueError(f"{message}; they are transposed: give their `.T`")
    if array.shape == (shape[0], shape[1] + 1):
        raise ValueError(
            f"{message}; contributions of boosters end with a column of the expected value, which is no feature: leave it out by "
            "`[:, :-1]`"
        )


@dataclass
class _Named:
    """Values with column names."""

    values: Array
    column_names: list[Any]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.values


def encoded_from(made: list[str], columns: list[str]) -> list[int] | None:
    """Return the index of the input column that each pipeline column was made from, by its
    scikit-learn name.

    The name is ``column``, ``column_word``, ``step__column`` or ``step__column_word``. Returns
    ``None`` if all names are input columns, or if the source of a column is unknown or
    ambiguous.

    >>> encoded_from(["num__age", "cat__job_clerk", "cat__job_farmer"], ["age", "job"])
    [0, 1, 1]
    >>> encoded_from(["age", "job"], ["job", "age"]), encoded_from(["age", "town_x"], ["age", "job"])
    (None, None)
    """
    sources = []
    for name in made:
        bare = name.partition("__")[2] or name
        exact = [index for index, column in enumerate(columns) if column in (name, bare)]
        found = exact or [index for index, column in enumerate(columns) if bare.startswith(f"{column}_")]
        if len(found) != 1:
            return None
        sources.append(found[0])
    return None if set(made) <= set(columns) else sources


def upsampled(maps: Array, size: tuple[int, int]) -> Array:
    """Resize maps ``(n, height, width)`` bilinearly, aligned by pixel edges; values are constant
    beyond the outer pixel centres.

    Examples
    --------
    >>> import numpy as np
    >>> upsampled(np.array([[[0.0, 1.0]]]), (1, 4)).tolist()
    [[[0.0, 0.25, 0.75, 1.0]]]
    """
    rows, columns = (_interpolation(given, value) for given, value in zip(maps.shape[1:], size))
    return np.asarray(rows @ maps @ columns.T, dtype=maps.dtype)


def _interpolation(n: int, size: int) -> Array:
    """Return weights ``(size, n)`` for the linear interpolation of ``n`` values."""
    places = ((np.arange(size) + 0.5) * n / size - 0.5).clip(0, n - 1)
    return np.asarray(np.maximum(0.0, 1.0 - np.abs(places[:, None] - np.arange(n))))
