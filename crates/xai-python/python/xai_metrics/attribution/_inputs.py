"""Conversion of inputs to one array of numbers, and of its rows back to model inputs.

The native part reads and changes one array of real numbers. Models expect the original form: a
table with typed columns, integers, or several inputs by name. :class:`Inputs` converts in both
directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arrays
from .._alignment import Alignment
from .._arrays import booleans, column_names, in_order_of, reals, to_numpy
from .._frameworks import Tensors, is_from_package
from ._columns import Table

if TYPE_CHECKING:
    import numpy.typing as npt


class Inputs:
    """Inputs of a run.

    Examples
    --------
    >>> several = Inputs({"ids": [[5, 3], [8, 1]], "mask": [[1, 1], [1, 0]]})
    >>> several.array.tolist(), list(several.others)
    ([[5.0, 3.0], [8.0, 1.0]], ['mask'])
    """

    #: Numbers that are explained and changed, one row per sample.
    array: npt.NDArray[Any]
    #: Other inputs, row by row, by name or index.
    others: dict[Any, npt.NDArray[Any]]

    def __init__(self, given: Any) -> None:
        self.table: Table | None = None
        self.others = {}
        #: Positions of special tokens, which the model is not given.
        self.special: npt.NDArray[np.bool_] | None = None
        #: True if several inputs are given by name.
        self.is_named = isinstance(given, Mapping)
        name, first = "inputs", given
        if self.is_named or is_several(given):
            parts = given if self.is_named else dict(enumerate(given))
            if not parts:
                raise ValueError("inputs: expected at least one array, got an empty mapping")
            arrays = dict(parts.items())
            for key, rows in arrays.items():
                uneven = _arrays.uneven(rows, f"inputs[{key!r}]") if isinstance(rows, (list, tuple)) else None
                if uneven is not None:
                    raise ValueError(f"{uneven}; give tokens of one length, padded by tokenizer(texts, padding=True)")
            self.first = next(iter(arrays))
            first, name = arrays.pop(self.first), f"inputs[{self.first!r}]"
            special = arrays.pop("special_tokens_mask", None)
            if special is not None:
                self.special = booleans(special, "inputs['special_tokens_mask']", 2)
            alignment = Alignment()
            alignment.take(first, name, "samples")
            self.others = {
                key: to_numpy(alignment.take(value, f"inputs[{key!r}]", "samples"), f"inputs[{key!r}]")
                for key, value in arrays.items()
            }
        elif is_from_package(first, "pandas", "polars") and column_names(first) and hasattr(first, "columns"):
            self.table = Table(first)
        if self.is_coded and self.table is not None:
            self.array = self.table.numbers(first, name)
            kind = "f"
        else:
            if isinstance(first, list) and first and is_several(first[0]):
                raise TypeError(
                    "inputs: expected one array, got a list of batches (inputs, targets); give it to evaluate_stream"
                )
            numbers = to_numpy(first, name)
            kind = numbers.dtype.kind
            # A table names its columns in errors.
            self.array = reals(numbers if self.table is None or kind in "iufb" else first, name)
        #: Type of integer inputs; ``None`` for others.
        self.integer_dtype = None if kind not in "iu" else numbers.dtype
        if self.special is not None and self.special.shape != self.array.shape:
            raise ValueError(f"inputs['special_tokens_mask']: expected shape {self.array.shape}, got {self.special.shape}")
        for key, other in self.others.items():
            if other.ndim == 0 or len(other) != len(self.array):
                expected = f"one row per sample, {len(self.array)}"
                raise ValueError(f"inputs[{key!r}]: expected {expected}, got shape {other.shape}")

    @property
    def has_codes(self) -> bool:
        """True if the inputs are a table with columns that are not numbers."""
        return self.table is not None and self.table.has_codes

    @property
    def needs_samples(self) -> bool:
        """True if the model needs the sample index of each row, because it has several inputs or columns
        that numbers cannot stand for.
        """
        return bool(self.others) or (self.table is not None and self.table.needs_samples)

    @property
    def has_named_tokens(self) -> bool:
        """True if the inputs are token ids, which tokenizers return by name."""
        return self.is_named and self.integer_dtype is not None and self.array.ndim == 2

    @property
    def has_missing(self) -> bool:
        """True if the inputs are a table with missing values in numeric columns."""
        return self.table is not None and bool(self.table.missing)

    @property
    def is_coded(self) -> bool:
        """True if other values than numbers, or missing values, are encoded as numbers."""
        return self.has_codes or self.has_missing or (self.table is not None and bool(self.table.decimals))

    def numbers(self, values: Any, name: str) -> Any:
        """Encode another table with the columns of the inputs, or one row of it; other values are
        returned unchanged.
        """
        if self.table is None or not self.is_coded or column_names(values) is None:
            return values
        return self.table.numbers(in_order_of(self.table.names, values, name), name)

    def rows(self, samples: npt.NDArray[Any]) -> Any:
        """Return some samples in the form of the inputs; a table becomes an array."""
        first = self.array[samples] if self.integer_dtype is None else self.array[samples].astype(self.integer_dtype)
        others = {key: value[samples] for key, value in self.others.items()}
        if self.is_named:
            return {self.first: first, **others}
        return (first, *others.values()) if others else first

    def typical(self, rows: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Return one row ``(1, …)`` with the mean of some rows, by default of all inputs, and typical
        values of columns that are not numbers.
        """
        rows = self.array if rows is None else rows
        if self.table is not None:
            return self.table.typical(rows)
        return np.asarray(rows.mean(axis=0, dtype=np.float64).astype(rows.dtype)[None])

    def model_arguments(
        self,
        batch: npt.NDArray[Any],
        samples: Any,
        tensors: Tensors,
        columns: list[Any] | None = None,
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the positional and keyword arguments of the model for a batch made from these
        samples.

        If ``columns`` is given, the model receives a table with the columns in this order.
        """
        if self.has_missing and self.table is not None:
            batch = self.table.with_missing(batch)
        if self.table is not None and columns is not None:
            table = self.table.rows(batch, samples)
            return (table if columns == self.table.names else table[columns],), {}
        if self.integer_dtype is not None and tensors.keeps_integers:
            batch = whole_numbers(batch, self.integer_dtype)
        first = tensors.tensor(batch)
        rest = {
            key: tensors.tensor(np.ascontiguousarray(value[samples]))
            for key, value in self.others.items()
        }
        return ((), {self.first: first, **rest}) if self.is_named else ((first, *rest.values()), {})


def first_of(given: Any) -> Any:
    """Return the first of several inputs, which is the explained one, or a single input itself."""
    if isinstance(given, Mapping):
        return next(iter(given.values()), None)
    return given[0] if is_several(given) else given


def is_several(given: Any) -> bool:
    """Return whether ``given`` is a tuple of arrays, one per model input."""
    return (
        isinstance(given, tuple)
        and len(given) > 0
        and all(getattr(item, "ndim", 0) > 0 for item in given)
        and given[0].ndim > 1
    )


def whole_numbers(batch: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
    """Convert inputs to an integer type, for example token ids; raises ``ValueError`` for
    fractions.
    """
    whole = batch.astype(dtype)
    if not np.array_equal(whole, batch):
        fraction = batch[whole != batch][0]
        raise ValueError(
            f"inputs: the model takes whole numbers, and {fraction} is to stand in the place of one; take metrics that "
            "put a baseline in the place of features (deletion, insertion, mu_fidelity, …) with a baseline of whole "
            "numbers, or give inputs of floating-point numbers"
        )
    return whole
