//! Neighbours as arrays of Python.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use xai_casebased::{CaseArrays, Level};

/// `(indices, distances)`, both `(m, longest)`, where `longest` is the largest number of neighbours of a sample.
/// Samples with fewer are filled up with row -1 at distance NaN.
pub(super) type Neighbors<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// Explanations of some samples: indices, distances, predicted classes, correspondence (NaN if undefined), levels (0
/// to 3, from undefined to high), whether all samples have the same number of neighbours, and the number of rows that
/// tie at rank `k`. A sample without a predicted class has class 0.
pub(super) type Answer<'py> = (
    Bound<'py, PyArray2<i64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i8>>,
    bool,
    Bound<'py, PyArray1<i64>>,
);

pub(super) fn answer(py: Python<'_>, found: CaseArrays) -> Answer<'_> {
    let is_full = |starts: &[usize]| {
        starts.windows(2).all(|s| s[1] - s[0] == starts[1]) // starts[0] is 0
    };
    let full = is_full(&found.starts);
    let (indices, distances) = neighbors(py, &found.starts, found.indices, found.distances);
    let predicted = found.predicted.into_iter().map(Option::unwrap_or_default);
    let score = |score: Option<f64>| score.unwrap_or(f64::NAN);
    let correspondence = found.correspondence.into_iter().map(score);
    let levels = found.levels.into_iter().map(number);
    let ties = found.ties_at_k.into_iter().map(|n| n as i64);
    (
        indices,
        distances,
        predicted.collect::<Vec<_>>().into_pyarray(py),
        correspondence.collect::<Vec<_>>().into_pyarray(py),
        levels.collect::<Vec<_>>().into_pyarray(py),
        full,
        ties.collect::<Vec<_>>().into_pyarray(py),
    )
}

/// Converts lists that begin at `starts` to rows of equal length.
pub(super) fn neighbors<'py>(
    py: Python<'py>,
    starts: &[usize],
    indices: Vec<usize>,
    distances: Vec<f64>,
) -> Neighbors<'py> {
    let longest = starts.windows(2).map(|s| s[1] - s[0]).max().unwrap_or(0);
    let m = starts.len() - 1;
    let indices: Vec<i64> = indices.into_iter().map(|i| i as i64).collect();
    (
        rows(starts, longest, m, indices, -1).into_pyarray(py),
        rows(starts, longest, m, distances, f64::NAN).into_pyarray(py),
    )
}

fn rows<T: Copy>(starts: &[usize], longest: usize, m: usize, values: Vec<T>, fill: T) -> Array2<T> {
    if values.len() == m * longest {
        return Array2::from_shape_vec((m, longest), values).expect("one value per place");
    }
    let mut filled = Array2::from_elem((m, longest), fill);
    for (mut row, s) in filled.rows_mut().into_iter().zip(starts.windows(2)) {
        for (to, from) in row.iter_mut().zip(&values[s[0]..s[1]]) {
            *to = *from;
        }
    }
    filled
}

/// The number of a level.
pub(super) fn number(level: Level) -> i8 {
    match level {
        Level::Undefined => 0,
        Level::Low => 1,
        Level::Medium => 2,
        Level::High => 3,
    }
}

/// The level of a number.
pub(super) fn level(number: i8) -> Level {
    match number {
        3 => Level::High,
        2 => Level::Medium,
        1 => Level::Low,
        _ => Level::Undefined,
    }
}
