"""Whatever holds numbers becomes a NumPy array: without a copy where the memory allows it."""

from __future__ import annotations

import array
import contextlib
import datetime
import decimal
import fractions
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from xai_metrics import _arrays
from xai_metrics.attribution import base_scores

KINDS = st.sampled_from(["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])


def shares_memory(a: object, b: np.ndarray) -> bool:
    return np.shares_memory(np.asarray(a), b)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_floats_are_not_copied_whatever_their_order(dtype: str) -> None:
    values = np.arange(24, dtype=dtype).reshape(2, 3, 4)
    for view in (values, values.T, values[:, ::-2], np.asfortranarray(values), values[0, :, 1]):
        taken = _arrays.reals(view, "x")
        assert taken.dtype == np.dtype(dtype)
        assert shares_memory(taken, view)
        np.testing.assert_array_equal(taken, view)


def test_read_only_arrays_are_taken_as_they_are() -> None:
    values = np.arange(5.0)
    values.flags.writeable = False
    assert _arrays.reals(values, "x") is values


@given(hnp.arrays(KINDS, hnp.array_shapes(min_side=0), elements=st.just(1)))
def test_every_type_of_numbers_keeps_its_values(values: np.ndarray) -> None:
    taken = _arrays.reals(values, "x")
    assert taken.dtype in (np.float32, np.float64)
    np.testing.assert_array_equal(taken, values.astype(np.float64))
    np.testing.assert_array_equal(_arrays.integers(values, "x"), values.astype(np.int64))


@given(st.integers(-(2**53), 2**53), st.sampled_from(["<", ">"]))
def test_the_other_byte_order_is_read(number: int, order: str) -> None:
    for dtype in ("f8", "i8"):
        values = np.array([number, 1], dtype=order + dtype)
        assert _arrays.reals(values, "x").tolist() == [number, 1]
        assert _arrays.integers(values, "x").tolist() == [number, 1]
        assert _arrays.integers(values, "x").dtype.isnative


def test_columns_of_records_are_copied_where_they_are_not_aligned() -> None:
    records = np.zeros(3, dtype=[("a", "i1"), ("b", "f8")])
    records["b"] = [1.0, 2.0, 3.0]
    taken = _arrays.reals(records["b"], "x")
    assert taken.flags.aligned and taken.tolist() == [1.0, 2.0, 3.0]


def test_arrays_of_objects_say_which_element_is_no_number() -> None:
    values = np.array([1, 2.5, np.float32(3)], dtype=object)
    assert _arrays.reals(values, "x").tolist() == [1, 2.5, 3]
    with pytest.raises(TypeError, match=r"inputs\[1, 0\]: expected a number, got 'a' of type str"):
        _arrays.reals(np.array([[1, 2], ["a", 3]], dtype=object), "inputs")


def test_booleans_among_the_numbers_of_a_column_of_objects_are_named() -> None:
    for take in (_arrays.reals, _arrays.integers, _arrays.classes):
        with pytest.raises(TypeError, match=r"y\[1\]: True among numbers"):
            take(objects(1, True, 0), "y")
        assert take(objects(True, False), "y").tolist() == [1, 0]
        assert take(objects(), "y").shape == (0,)
    columns = np.array([[1, True], [0, False]], dtype=object)
    np.testing.assert_array_equal(_arrays.reals(columns, "x"), [[1, 1], [0, 0]])
    with pytest.raises(TypeError, match=r"x\[1, 0\]: False among numbers"):
        _arrays.reals(np.array([[1, True], [False, False]], dtype=object), "x")
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"y\[2\]: True among numbers"):
        _arrays.classes(pandas.Series([1, 0, True], dtype=object), "y")


@pytest.mark.parametrize(
    "values",
    [
        np.array(["a"]),
        np.array([1j]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        object(),
        {"a": 1},
        None,
    ],
)
def test_what_holds_no_numbers_is_a_type_error_that_names_it(values: object) -> None:
    with pytest.raises(TypeError, match="inputs: expected"):
        _arrays.reals(values, "inputs")


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="inputs: "):
        _arrays.reals([[1, 2], [3]], "inputs")


def test_the_number_of_axes_is_checked() -> None:
    with pytest.raises(ValueError, match=r"x: expected 2 axes, got shape \(3,\)"):
        _arrays.reals([1, 2, 3], "x", ndim=2)
    with pytest.raises(ValueError, match=r"x: expected 1 or 2 axes, got shape \(\)"):
        _arrays.reals(1.0, "x", ndim=(1, 2))


def test_masked_values_are_refused_and_others_taken() -> None:
    values = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    with pytest.raises(ValueError, match="x: some values are masked"):
        _arrays.reals(values, "x")
    assert _arrays.reals(values[:1], "x").tolist() == [1.0]


def test_whole_numbers_are_taken_however_they_are_stored() -> None:
    bytes_ = np.array([1, 2], dtype="u1")
    for values in ([1.0, 2.0], [True, False], bytes_, np.array([1, 2], dtype=object)):
        assert _arrays.integers(values, "y").dtype == np.int64
    with pytest.raises(ValueError, match=r"y: expected whole numbers, got 1.5 at \[1\]"):
        _arrays.integers([1.0, 1.5], "y")
    with pytest.raises(ValueError, match=r"y: expected whole numbers, got nan at \[0\]"):
        _arrays.integers([np.nan], "y")
    with pytest.raises(ValueError, match="above the largest 64-bit integer"):
        _arrays.integers(np.array([2**63], dtype="u8"), "y")


def test_booleans_are_zeros_and_ones_too() -> None:
    for values in ([True, False], [1, 0], [1.0, 0.0]):
        assert _arrays.booleans(values, "m").tolist() == [True, False]
    with pytest.raises(ValueError, match="m: expected booleans"):
        _arrays.booleans([0.5], "m")


def test_labels_are_numbers_or_words() -> None:
    assert _arrays.classes([1.0, 2.0], "y").tolist() == [1, 2]
    assert _arrays.classes(["a", "b"], "y").tolist() == ["a", "b"]
    assert _arrays.classes(np.array(["a", "b"], dtype=object), "y").tolist() == ["a", "b"]
    assert _arrays.classes(np.array([[1], [2]]), "y").tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"y\[1\]: the label is missing"):
        _arrays.classes(np.array(["a", None], dtype=object), "y")


def objects(*labels: object) -> np.ndarray:
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def test_labels_that_are_objects_keep_their_values() -> None:
    for labels in ([1, np.int8(2)], [1.0, 1], [np.float32(3), 2**53]):
        taken = _arrays.classes(objects(*labels), "y")
        assert taken.dtype == np.int64 and taken.tolist() == labels
    assert _arrays.classes(objects(True, False), "y").dtype == bool
    two = np.array([["a", "b"], ["c", "d"]], dtype=object)
    assert _arrays.classes(two, "y", 2).tolist() == two.tolist()


@pytest.mark.parametrize(
    ("label", "error", "said"),
    [
        (0.5, ValueError, r"y: expected whole numbers, got 0.5 at \[1\]"),
        (np.inf, ValueError, r"y\[1\]: expected a 64-bit integer, got inf"),
        (1e300, ValueError, r"y\[1\]: expected a 64-bit integer"),
        (2**63, ValueError, r"y\[1\]: expected a 64-bit integer"),
        (2**64, ValueError, r"y\[1\]: expected a 64-bit integer"),
        (np.nan, ValueError, r"y\[1\]: the label is missing"),
        ("1", TypeError, r"y\[1\]: expected labels that are all .* got '1' of type str"),
        (1j, TypeError, r"y\[1\]: expected labels"),
        (decimal.Decimal("0.5"), TypeError, r"y\[1\]: expected labels.*decimal.Decimal"),
        (fractions.Fraction(1, 2), TypeError, r"y\[1\]: expected labels"),
        (datetime.date(2020, 1, 1), TypeError, r"y\[1\]: expected labels"),
        (frozenset([1]), TypeError, r"y\[1\]: expected labels"),
    ],
)
def test_objects_that_are_no_labels_are_named(label: object, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        _arrays.classes(objects(0, label, 2), "y")


def test_words_beside_numbers_are_named() -> None:
    with pytest.raises(TypeError, match=r"y\[1\]: expected labels .* got '1' of type str"):
        _arrays.classes([1, "1"], "y")
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"y\[1\]: the label is missing"):
        _arrays.classes(objects(0, pandas.NA), "y")


def test_an_empty_slice_has_no_steps_out_of_its_memory() -> None:
    for dtype in ("f4", "f8", ">f8", "i8"):
        taken = _arrays.reals(np.ones((5, 7), dtype)[:0], "x")
        assert taken.shape == (0, 7) and taken.strides == (0, 0) and taken.dtype.isnative


def test_columns_are_ordered_by_name_and_faults_are_named() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([[1.0, 2.0, 3.0]], columns=["a", "b", "c"])
    names = ["c", "b", "a"]
    assert np.asarray(_arrays.in_order_of(names, table, "x")).tolist() == [[3.0, 2.0, 1.0]]
    assert np.asarray(_arrays.in_order_of(names, table.iloc[0], "x")).tolist() == [3.0, 2.0, 1.0]
    for numbered in (["0", "1", "2"], [0, 1, 2], ["feature_0", "feature_1", "feature_2"]):
        assert _arrays.in_order_of(numbered, table, "x") is table
    twice = table.set_axis(["a", "b", "a"], axis=1)
    with pytest.raises(ValueError, match="'c' is missing, 'a' is there more than once"):
        _arrays.in_order_of(names, twice, "x")
    with pytest.raises(ValueError, match="x: .* of y; 'd', 'e' are missing, 'b', 'c' are unknown"):
        _arrays.in_order_of(["a", "d", "e"], table, "x", "y")


def test_numbers_of_pandas_are_not_copied() -> None:
    pandas = pytest.importorskip("pandas")
    values = np.arange(6.0).reshape(3, 2)
    table = pandas.DataFrame(values, columns=["a", "b"], copy=False)
    assert shares_memory(_arrays.reals(table, "x"), values)
    column = pandas.Series([1, 2, None], dtype="Int64")
    with pytest.raises(ValueError, match=r"x\[2\]: the value is missing"):
        _arrays.reals(column, "x")
    assert _arrays.reals(column.iloc[:2], "x").tolist() == [1.0, 2.0]
    mixed = pandas.DataFrame({"a": [1, 2], "b": [True, False], "c": [0.5, 1.5]})
    assert _arrays.reals(mixed, "x").tolist() == [[1.0, 1.0, 0.5], [2.0, 0.0, 1.5]]
    with pytest.raises(TypeError, match="x: the column 'b' has text; give numbers"):
        _arrays.reals(pandas.DataFrame({"a": [1], "b": ["u"]}), "x")
    assert _arrays.classes(pandas.Series(["a", "b"], dtype="category"), "y").tolist() == ["a", "b"]
    assert _arrays.classes(pandas.Series(["a", "b"], dtype="string"), "y").tolist() == ["a", "b"]


def test_columns_of_polars_are_not_copied() -> None:
    polars = pytest.importorskip("polars")
    column = polars.Series("a", [1.0, 2.0, 3.0])
    taken = _arrays.reals(column, "x")
    assert shares_memory(taken, column.to_numpy(allow_copy=False)) and not taken.flags.writeable
    table = polars.DataFrame({"a": [1.0, 2.0], "b": [3, 4]})
    assert _arrays.reals(table, "x").tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert _arrays.classes(polars.Series(["u", "v"]), "y").tolist() == ["u", "v"]
    for kind in (polars.Categorical, polars.Enum(["u", "v", "w"])):
        categories = polars.Series(["v", "u", "v"], dtype=kind)
        assert _arrays.classes(categories, "y").tolist() == ["v", "u", "v"]
        assert _arrays.classes(categories[:0], "y").tolist() == []
    assert _arrays.classes(polars.Series([], dtype=polars.Categorical), "y").tolist() == []
    with pytest.raises(ValueError, match="y: the value of row 1 is missing"):
        _arrays.classes(polars.Series(["v", None], dtype=polars.Categorical), "y")
    with pytest.raises(ValueError, match="x: the value of row 1 is missing"):
        _arrays.reals(polars.Series([1.0, None]), "x")


def test_columns_of_pyarrow_are_not_copied() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    values = np.arange(4.0)
    column = pyarrow.array(values)
    assert shares_memory(_arrays.reals(column, "x"), values)
    categories = pyarrow.DictionaryArray.from_arrays([2, 0, 2], ["u", None, "w"])
    assert _arrays.classes(categories, "y").tolist() == ["w", "u", "w"]
    with pytest.raises(ValueError, match="y: the value of row 1 is missing"):
        _arrays.classes(categories.from_arrays([0, 1], ["u", None]), "y")
    in_pieces = pyarrow.chunked_array([[1.0, 2.0], [3.0]])
    assert _arrays.reals(in_pieces, "x").tolist() == [1.0, 2.0, 3.0]
    for kind in ("int8", "uint16", "int32", "uint64", "float32", "bool_"):
        column = pyarrow.array([1, 0, 1]).cast(getattr(pyarrow, kind)())
        assert _arrays.reals(column, "x").tolist() == [1.0, 0.0, 1.0]
        assert _arrays.integers(column.slice(1), "x").tolist() == [0, 1]
    halves = pyarrow.array(np.array([0.5, 2.0], dtype="f2"))
    assert _arrays.reals(halves, "x").tolist() == [0.5, 2.0]
    table = pyarrow.table({"a": [1, 2], "b": [0.5, 1.5]})
    assert _arrays.reals(table, "x").tolist() == [[1.0, 0.5], [2.0, 1.5]]
    with pytest.raises(ValueError, match="x: the value of row 2 is missing"):
        _arrays.reals(pyarrow.chunked_array([[1.0, 2.0], [None]]), "x")
    with pytest.raises(TypeError, match="x: expected numbers, booleans or text"):
        _arrays.reals(pyarrow.array([[1], [2]]), "x")
    assert _arrays.reals(pyarrow.array([], type=pyarrow.float64()), "x").shape == (0,)


ITEMS = {
    "float64": st.sampled_from([0.0, -1.5, float("nan"), float("inf")]),
    "float32": st.sampled_from([0.0, -1.5]),
    "float16": st.sampled_from([0.0, 0.5]),
    **{kind: st.integers(0, 100) for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    "bool_": st.booleans(),
    **{kind: st.text(st.characters(exclude_characters="\0"), max_size=20) for kind in ("string", "large_string", "string_view")},
    "binary": st.binary(max_size=20),
    "date32": st.just(1),
    "null": st.none(),
}


@st.composite
def columns_of_arrow(draw: st.DrawFn, is_flat: bool = False) -> Any:
    """Arrays of all types: with and without missing values, as categories, by runs, of structures, and parts of arrays."""
    pyarrow, compute = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.compute")
    kind = draw(st.sampled_from(sorted(ITEMS)))
    items = draw(st.sampled_from([ITEMS[kind], st.none() | ITEMS[kind]]))
    array = pyarrow.array(draw(st.lists(items, max_size=9)), getattr(pyarrow, kind)())
    form = draw(st.sampled_from(["plain", "categories", "runs", "structures"]))
    if form == "structures" and not is_flat:
        other = draw(columns_of_arrow(is_flat=True))
        n = min(len(array), len(other))
        is_missing = draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n))
        mask = None if is_missing is None else pyarrow.array(is_missing, pyarrow.bool_())
        array = pyarrow.StructArray.from_arrays([array[:n], other[:n]], ["a", "b"], mask=mask)
    elif form in ("categories", "runs"):
        encode = compute.dictionary_encode if form == "categories" else compute.run_end_encode
        with contextlib.suppress(pyarrow.ArrowNotImplementedError):
            array = encode(array)
    return array[draw(st.integers(0, len(array))) :][: draw(st.integers(0, 9))]


@settings(deadline=None)
@given(columns_of_arrow(), st.sampled_from(["array", "pieces", "table"]))
def test_any_columns_of_arrow_are_their_values_or_errors(array: Any, form: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    if form == "pieces":
        array = pyarrow.chunked_array([array, array[1:], array[:0]], array.type)
    elif form == "table":
        array = pyarrow.table({"a": array, "b": pyarrow.chunked_array([array[:1], array[1:]], array.type)})
    try:
        taken = _arrays.to_numpy(array, "x")
    except (TypeError, ValueError) as error:
        assert str(error).startswith("x: ")
        return
    is_table = form == "table" or pyarrow.types.is_struct(array.type)
    values = array.to_pylist()
    expected = [list(row.values()) for row in values] if is_table else values
    if taken.dtype.kind != "U":
        np.testing.assert_array_equal(taken, np.reshape(expected, (-1, 2) if is_table else -1))
    elif not is_table:
        assert taken.tolist() == expected


def test_a_table_that_only_has_the_interface_keeps_all_columns() -> None:
    pyarrow = pytest.importorskip("pyarrow")

    class Exporter:
        def __init__(self, table: object) -> None:
            self.table = table

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.table.__arrow_c_stream__(requested_schema)  # type: ignore[attr-defined]

    table = pyarrow.table({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert _arrays.reals(Exporter(table), "x").tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert _arrays.reals(Exporter(table.select(["b"])), "x").tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="x: the table has no columns"):
        _arrays.reals(table.select([]), "x")


def test_memory_of_another_library_lives_as_long_as_the_array() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    taken = _arrays.reals(pyarrow.array(np.arange(100_000.0)), "x")
    # What might reuse the memory if it were free.
    others = [np.full(100_000, float(i)) for i in range(20)]
    assert taken.sum() == 100_000 * 99_999 / 2
    assert sys.getsizeof(others) > 0


def test_tensors_of_torch_are_not_copied() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(6.0).reshape(2, 3)
    assert _arrays.reals(tensor, "x").__array_interface__["data"][0] == tensor.data_ptr()
    with_gradient = tensor.clone().requires_grad_()
    assert _arrays.reals(with_gradient.T, "x").tolist() == tensor.T.tolist()
    assert _arrays.reals(tensor.to(torch.bfloat16), "x").dtype == np.float32
    with pytest.raises(TypeError, match="x: the tensor is sparse"):
        _arrays.reals(tensor.to_sparse(), "x")
    with pytest.raises(TypeError, match="x: the tensor is on meta"):
        _arrays.reals(torch.empty(2, device="meta"), "x")


def test_arrays_of_jax_are_taken() -> None:
    jax = pytest.importorskip("jax")
    assert _arrays.reals(jax.numpy.arange(3.0), "x").tolist() == [0.0, 1.0, 2.0]
    assert _arrays.reals(jax.numpy.ones(2, dtype="bfloat16"), "x").tolist() == [1.0, 1.0]


class OnAnotherDevice:
    """What a tensor on a graphics card says of itself."""

    device = "cuda:0"

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, **_: object) -> object:
        raise BufferError("memory that the host cannot read")


def test_a_tensor_on_another_device_is_refused_with_what_to_do() -> None:
    message = r"x: the tensor is on cuda:0; copy it to the host, for torch by `.cpu\(\)`"
    with pytest.raises(TypeError, match=message):
        _arrays.reals(OnAnotherDevice(), "x")


def test_dictionaries_of_pyarrow_are_what_they_stand_for():
    pyarrow = pytest.importorskip("pyarrow")
    words = pyarrow.array(["b", "a", "b"]).dictionary_encode()
    numbers = pyarrow.array([5, 7, 5]).dictionary_encode()
    for values in (words, pyarrow.chunked_array([words[:1], words[1:]])):
        assert _arrays.classes(values, "labels").tolist() == ["b", "a", "b"]
    assert _arrays.integers(numbers, "labels", 1).tolist() == [5, 7, 5]
    table = pyarrow.table({"x": [1.0, 2.0, 3.0], "y": numbers})
    assert _arrays.reals(table, "table", 2).tolist() == [[1, 5], [2, 7], [3, 5]]


def test_buffers_and_single_columns_are_arrays():
    assert _arrays.reals(memoryview(np.eye(2)), "x", 2).tolist() == [[1, 0], [0, 1]]
    assert _arrays.reals(array.array("d", [1.0, 2.0]), "x", 1).tolist() == [1, 2]
    column = np.array([[0], [1]])
    for read in (_arrays.reals, _arrays.integers, _arrays.booleans):
        assert read(column, "x", 1).tolist() == [0, 1]
        with pytest.raises(ValueError, match=r"x: expected 1 axis, got shape \(1, 2\)"):
            read(column.T, "x", 1)
    scores = base_scores(lambda x: x, np.eye(2), column)
    assert scores.tolist() == [1, 1] == base_scores(lambda x: x, np.eye(2), column[:, 0]).tolist()


def test_a_missing_object_is_said_to_be_missing():
    with pytest.raises(TypeError, match=r"x\[1\]: the value is missing, it is None"):
        _arrays.reals(np.array([1.0, None], dtype=object), "x")
