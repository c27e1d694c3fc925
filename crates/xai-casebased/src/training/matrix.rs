//! A matrix that is row-major by type.

use ndarray::{Array2, ArrayView2};
use xai_core::tensor::Rows;

/// `(n, d)` values, row after row.
#[derive(Debug, Clone)]
pub(crate) struct Matrix {
    values: Vec<f64>,
    n_rows: usize,
    n_columns: usize,
}

impl Matrix {
    /// Takes an array; one that is row-major already gives its values away uncopied.
    pub(crate) fn new(array: Array2<f64>) -> Self {
        let (n_rows, n_columns) = array.dim();
        let values = if array.is_standard_layout() {
            let (mut values, offset) = array.into_raw_vec_and_offset();
            values.drain(..offset.unwrap_or(0));
            values.truncate(n_rows * n_columns);
            values
        } else {
            Rows::new(array.view()).into_vec()
        };
        Self::from_values(values, n_rows, n_columns)
    }

    /// Of `n_rows · n_columns` values.
    pub(crate) fn from_values(values: Vec<f64>, n_rows: usize, n_columns: usize) -> Self {
        assert_eq!(
            Some(values.len()),
            n_rows.checked_mul(n_columns),
            "whole rows"
        );
        Self {
            values,
            n_rows,
            n_columns,
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.n_columns
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_columns..(row + 1) * self.n_columns]
    }

    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn view(&self) -> ArrayView2<'_, f64> {
        ArrayView2::from_shape((self.n_rows, self.n_columns), &self.values)
            .expect("as many values as rows times columns")
    }
}
