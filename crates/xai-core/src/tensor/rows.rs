//! Matrices in row-major order.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, ArrayViewD};

/// Matrix in row-major order, whose rows are slices.
///
/// It is created from a view of any memory order. A row-major view is borrowed, any other is copied
/// once.
///
/// ```
/// use ndarray::array;
/// use xai_core::tensor::Rows;
/// let columns = array![[1, 2], [3, 4], [5, 6]];
/// let rows = Rows::new(columns.t());
/// assert_eq!((rows.n_rows(), rows.n_columns()), (2, 3));
/// assert_eq!(rows.row(1), [2, 4, 6]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<'a, T: Clone> {
    values: Cow<'a, [T]>,
    n_rows: usize,
    n_columns: usize,
}

impl<'a, T: Clone> Rows<'a, T> {
    /// Creates rows from a matrix.
    #[must_use]
    pub fn new(matrix: ArrayView2<'a, T>) -> Self {
        let (n_rows, n_columns) = matrix.dim();
        let values = match matrix.to_slice() {
            Some(values) => Cow::Borrowed(values),
            None => Cow::Owned(matrix.iter().cloned().collect()),
        };
        Self {
            values,
            n_rows,
            n_columns,
        }
    }

    /// Creates one row per sample from an array whose first axis is the sample; all other axes are
    /// flattened. An array without axes becomes one row with one value.
    ///
    /// ```
    /// use ndarray::Array3;
    /// use xai_core::tensor::Rows;
    /// let images = Array3::from_shape_fn((2, 2, 2), |(i, j, k)| 4 * i + 2 * j + k).into_dyn();
    /// assert_eq!(Rows::from_samples(images.view()).row(1), [4, 5, 6, 7]);
    /// ```
    #[must_use]
    pub fn from_samples(array: ArrayViewD<'a, T>) -> Self {
        let (n_rows, n_columns) = match array.shape() {
            [] => (1, 1),
            [n, rest @ ..] => (*n, rest.iter().product()),
        };
        let values = match array.to_slice() {
            Some(values) => Cow::Borrowed(values),
            None => Cow::Owned(array.iter().cloned().collect()),
        };
        Self {
            values,
            n_rows,
            n_columns,
        }
    }

    /// Creates rows from `n_rows · n_columns` values in row-major order.
    ///
    /// # Panics
    /// If the number of values is not `n_rows · n_columns`.
    #[must_use]
    pub fn from_vec(values: Vec<T>, n_rows: usize, n_columns: usize) -> Self {
        let expected = n_rows.checked_mul(n_columns);
        assert_eq!(Some(values.len()), expected, "whole rows");
        Self {
            values: Cow::Owned(values),
            n_rows,
            n_columns,
        }
    }

    /// Creates rows from an owned array, without a copy if it is row-major.
    #[must_use]
    pub fn from_array(array: Array2<T>) -> Self {
        let (n_rows, n_columns) = array.dim();
        let values = if array.is_standard_layout() {
            let (mut values, offset) = array.into_raw_vec_and_offset();
            // A sliced array may keep elements before and after its own.
            values.drain(..offset.unwrap_or(0));
            values.truncate(n_rows * n_columns);
            values
        } else {
            array.iter().cloned().collect()
        };
        Self::from_vec(values, n_rows, n_columns)
    }

    /// Returns the rows as a view.
    #[must_use]
    pub fn view(&self) -> ArrayView2<'_, T> {
        ArrayView2::from_shape((self.n_rows, self.n_columns), &self.values)
            .expect("as many values as rows times columns")
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Returns one row.
    ///
    /// # Panics
    /// If the index is out of bounds.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.n_columns..(row + 1) * self.n_columns]
    }

    /// Returns consecutive rows as one slice.
    ///
    /// # Panics
    /// If the range is out of bounds.
    #[inline]
    #[must_use]
    pub fn rows(&self, rows: std::ops::Range<usize>) -> &[T] {
        &self.values[rows.start * self.n_columns..rows.end * self.n_columns]
    }

    /// Iterates over the rows in order. Rows without columns are empty slices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        (0..self.n_rows).map(|row| self.row(row))
    }

    /// Returns all values in row-major order.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// Returns all values in row-major order, without a copy if they are owned.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.values.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Array3, arr0, s};

    #[test]
    fn a_row_major_view_is_borrowed_and_others_are_copied() {
        let matrix = Array2::from_shape_fn((3, 4), |(i, j)| 4 * i + j);
        let rows = Rows::new(matrix.view());
        assert!(std::ptr::eq(rows.as_slice().as_ptr(), matrix.as_ptr()));
        for view in [matrix.slice(s![.., ..;-1]), matrix.slice(s![.., 1..3])] {
            let rows = Rows::new(view);
            assert_eq!((rows.n_rows(), rows.n_columns()), view.dim());
            for (row, expected) in rows.iter().zip(view.rows()) {
                assert_eq!(row, expected.to_vec());
            }
        }
        let transposed = Rows::new(matrix.t());
        assert_eq!(transposed.rows(1..3), [1, 5, 9, 2, 6, 10]);
    }

    #[test]
    fn samples_of_any_shape_are_rows() {
        let array = Array3::from_shape_fn((2, 2, 3), |(i, j, k)| 6 * i + 3 * j + k).into_dyn();
        let swapped = array.view().permuted_axes(vec![0, 2, 1]);
        assert_eq!(Rows::from_samples(swapped).row(1), [6, 9, 7, 10, 8, 11]);
        assert_eq!(Rows::from_samples(arr0(5).into_dyn().view()).row(0), [5]);
        let empty = Array2::<f32>::zeros((3, 0)).into_dyn();
        assert_eq!(Rows::from_samples(empty.view()).iter().count(), 3);
    }
}
