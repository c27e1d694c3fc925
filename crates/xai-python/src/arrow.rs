//! Columns of other libraries, passed by the Arrow C interface, as NumPy arrays.
//!
//! A column of numbers in one piece is not copied: the NumPy array is a read-only view of the other library's memory,
//! and keeps it alive. Booleans, text and numbers of half precision (which become single precision) are copied, and so
//! are columns in several pieces. Missing values are an error.
#![allow(unsafe_code)]

use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayReader, ArrayRef, make_array, new_empty_array};
use arrow_schema::DataType;
use ndarray::ArrayView1;
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

/// Returns the columns of a table. A single column counts as a table of one column.
///
/// # Errors
/// `ValueError` for missing values, `TypeError` for columns of other types than numbers, booleans and
/// text.
#[pyfunction]
fn arrow_columns<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyList>> {
    let columns = PyList::empty(py);
    let pieces = pieces(values, name)?;
    // Also for tables, which are arrays of structures: a row that is missing as a whole may still have values.
    check_that_none_is_missing(&pieces, name)?;
    for column in columns_of(&pieces) {
        check_that_none_is_missing(&column, name)?;
        columns.append(numpy_column(py, &column, name)?)?;
    }
    Ok(columns)
}

/// The pieces of a table or a column. If there are none, one empty piece, which has the type.
fn pieces(values: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<ArrayRef>> {
    let broken = |error| PyValueError::new_err(format!("{name}: {error}"));
    if values.hasattr("__arrow_c_stream__")? {
        let capsule = values.call_method0("__arrow_c_stream__")?;
        let stream = pointer::<FFI_ArrowArrayStream>(&capsule, c"arrow_array_stream")?;
        // SAFETY: a capsule of this name holds a stream. It is moved out, and what is left in the
        // capsule is a released one, which its destructor passes over.
        let reader = unsafe { ArrayStreamReader::from_raw(stream) }.map_err(broken)?;
        let none = new_empty_array(reader.field().data_type());
        let pieces: PyResult<Vec<_>> = reader.map(|piece| piece.map_err(broken)).collect();
        return pieces.map(|pieces| {
            if pieces.is_empty() {
                vec![none]
            } else {
                pieces
            }
        });
    }
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        values.call_method0("__arrow_c_array__")?.extract()?;
    let schema = pointer::<FFI_ArrowSchema>(&schema, c"arrow_schema")?;
    let array = pointer::<FFI_ArrowArray>(&array, c"arrow_array")?;
    // SAFETY: capsules of these names hold these structures, and live until the end of this function;
    // the array is moved out and leaves a released one, and belongs to the schema beside it.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array), &*schema) };
    Ok(vec![make_array(data.map_err(broken)?)])
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr().cast())
}

/// The pieces of each column: a table is an array of structures.
fn columns_of(pieces: &[ArrayRef]) -> Vec<Vec<ArrayRef>> {
    let Some(table) = pieces[0].as_struct_opt() else {
        return vec![pieces.to_vec()];
    };
    let column = |i: usize| {
        pieces
            .iter()
            .map(move |piece| piece.as_struct().column(i).clone())
    };
    (0..table.num_columns())
        .map(|i| column(i).collect())
        .collect()
}

fn check_that_none_is_missing(pieces: &[ArrayRef], name: &str) -> PyResult<()> {
    let mut row = 0;
    for piece in pieces {
        if let Some(nulls) = piece.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
            let first = nulls.iter().position(|is_there| !is_there).unwrap_or(0);
            return Err(PyValueError::new_err(format!(
                "{name}: the value of row {} is missing; fill such values, or leave their rows out",
                row + first
            )));
        }
        row += piece.len();
    }
    Ok(())
}

/// Converts one column to a NumPy array.
fn numpy_column<'py>(
    py: Python<'py>,
    pieces: &[ArrayRef],
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    match pieces[0].data_type() {
        DataType::Float64 => numbers::<Float64Type>(py, pieces),
        DataType::Float32 => numbers::<Float32Type>(py, pieces),
        DataType::Int64 => numbers::<Int64Type>(py, pieces),
        DataType::Int32 => numbers::<Int32Type>(py, pieces),
        DataType::Int16 => numbers::<Int16Type>(py, pieces),
        DataType::Int8 => numbers::<Int8Type>(py, pieces),
        DataType::UInt64 => numbers::<UInt64Type>(py, pieces),
        DataType::UInt32 => numbers::<UInt32Type>(py, pieces),
        DataType::UInt16 => numbers::<UInt16Type>(py, pieces),
        DataType::UInt8 => numbers::<UInt8Type>(py, pieces),
        DataType::Float16 => {
            let values = pieces.iter().flat_map(|piece| {
                let halves = piece.as_primitive::<Float16Type>().values().iter();
                halves.map(|half| half.to_f32()).collect::<Vec<f32>>()
            });
            Ok(values.collect::<Vec<_>>().into_pyarray(py).into_any())
        }
        DataType::Boolean => {
            let values = pieces.iter().flat_map(|piece| {
                let flags = piece.as_boolean().values().iter();
                flags.collect::<Vec<bool>>()
            });
            Ok(values.collect::<Vec<_>>().into_pyarray(py).into_any())
        }
        other => {
            let texts: Option<Vec<_>> = pieces.iter().map(texts).collect();
            let texts = texts.ok_or_else(|| {
                let expected = "expected numbers, booleans or text";
                PyTypeError::new_err(format!("{name}: {expected}, got a column of {other}"))
            })?;
            words(py, texts.concat())
        }
    }
}

/// The texts of a column without missing values, which are stored as strings or as categories (a dictionary). A
/// category that no row uses may be missing. `None` for other types.
fn texts(piece: &ArrayRef) -> Option<Vec<&str>> {
    Some(match piece.data_type() {
        DataType::Utf8 => piece
            .as_string::<i32>()
            .iter()
            .map(Option::unwrap_or_default)
            .collect(),
        DataType::LargeUtf8 => piece
            .as_string::<i64>()
            .iter()
            .map(Option::unwrap_or_default)
            .collect(),
        DataType::Utf8View => piece
            .as_string_view()
            .iter()
            .map(Option::unwrap_or_default)
            .collect(),
        // Without rows there may be no category at all, which `normalized_keys` treats as an error.
        DataType::Dictionary(..) if piece.is_empty() => Vec::new(),
        DataType::Dictionary(..) => {
            let categories = piece.as_any_dictionary();
            let texts = texts(categories.values())?;
            let of_rows = categories.normalized_keys();
            of_rows
                .into_iter()
                .map(|category| texts[category])
                .collect()
        }
        _ => return None,
    })
}

/// Converts a column of numbers. A single piece becomes a view without a copy.
fn numbers<'py, T>(py: Python<'py>, pieces: &[ArrayRef]) -> PyResult<Bound<'py, PyAny>>
where
    T: ArrowPrimitiveType,
    T::Native: Element,
{
    let [piece] = pieces else {
        let all = pieces
            .iter()
            .flat_map(|piece| piece.as_primitive::<T>().values().iter().copied());
        return Ok(all.collect::<Vec<_>>().into_pyarray(py).into_any());
    };
    let owner = Bound::new(py, Owner(piece.clone()))?.into_any();
    let view = ArrayView1::from(&**piece.as_primitive::<T>().values());
    // SAFETY: the numbers lie in the memory of `piece`, which `owner` keeps alive as long as NumPy's
    // array does. Nobody changes it: Arrow's memory is immutable, and NumPy is told so.
    let array = unsafe { PyArray1::borrow_from_array(&view, owner) };
    array.readwrite().make_nonwriteable();
    Ok(array.into_any())
}

/// Converts texts to a NumPy array of strings of fixed width.
fn words<'py>(py: Python<'py>, words: Vec<&str>) -> PyResult<Bound<'py, PyAny>> {
    let list = PyList::new(py, words)?;
    let kind = py.import("builtins")?.getattr("str")?;
    py.import("numpy")?.call_method1("asarray", (list, kind))
}

/// Owner of memory from another library; keeps it alive.
#[pyclass(frozen)]
struct Owner(#[allow(dead_code)] ArrayRef);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(arrow_columns, module)?)
}
