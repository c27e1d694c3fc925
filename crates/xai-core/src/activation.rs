//! Activations of model outputs, and predicted classes.

use std::fmt;

use ndarray::{Array2, ArrayView2};

use crate::describe::{Parameter, word_of};
use crate::error::{Error, Input, Result};
use crate::input;
use crate::number::{Real, check_finite, elementary};
use crate::parallel;
use crate::simd::{InstructionSet, Simd, SimdKernel};

/// Activation applied to a model's output rows to get the scores that a metric uses.
///
/// Each row is one sample. All activations compute in `f64`. Softmax and log-softmax subtract the
/// largest score of the row first, and the sigmoid is computed from `e^{−|x|}`, so scores of ±1000
/// (or ±1e300) neither overflow nor lose precision.
///
/// ```
/// use ndarray::array;
/// use xai_core::Activation;
/// let p = Activation::Softmax.apply(array![[0.0f32, 0.0], [1000.0, -1000.0]].view())?;
/// assert_eq!(p, array![[0.5, 0.5], [1.0, 0.0]]);
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Activation {
    /// The scores as they are: the model has its own activation, or raw scores are used.
    #[default]
    None,
    /// `e^{x_c} / Σ_j e^{x_j}`: one class of several. In [0, 1], a row sums to 1.
    Softmax,
    /// `1 / (1 + e^{−x})` for each score separately: binary and multi-label. In [0, 1].
    Sigmoid,
    /// `x_c − ln Σ_j e^{x_j}`: log-probabilities in nats. At most 0.
    LogSoftmax,
}

impl Activation {
    /// Applies the activation to every row of `(n_samples, n_classes)` scores.
    ///
    /// # Errors
    /// `NonFinite` for the first NaN or infinity, about [`input::SCORES`].
    pub fn apply<T: Real>(self, scores: ArrayView2<'_, T>) -> Result<Array2<f64>> {
        check_finite(input::SCORES, scores)?;
        // A fresh array is in row-major order, whatever the order of the view.
        let mut activated = Array2::zeros(scores.dim());
        activated.zip_mut_with(&scores, |to, from: &T| *to = from.to_f64_exact());
        let n_columns = activated.ncols();
        let rows = activated.as_slice_mut().unwrap_or_default();
        // About 4096 values (32 KiB) per chunk, in whole rows: they stay in the first-level cache
        // between the passes.
        let chunk = n_columns * (4096 / n_columns.max(1)).max(1);
        parallel::for_each_chunk(rows, chunk, |_, rows| self.apply_rows(rows, n_columns));
        Ok(activated)
    }

    /// Applies the activation to one row of finite scores, in place. An empty row stays empty.
    ///
    /// ```
    /// use xai_core::Activation;
    /// let mut row = [0.0, 3f64.ln()];
    /// Activation::Softmax.apply_row(&mut row);
    /// assert!((row[0] - 0.25).abs() < 1e-15 && (row[1] - 0.75).abs() < 1e-15);
    /// ```
    #[inline]
    pub fn apply_row(self, row: &mut [f64]) {
        let n_columns = row.len();
        self.apply_rows(row, n_columns);
    }

    /// Applies the activation to consecutive rows of finite scores, in place. The result is that of
    /// [`apply_row`](Self::apply_row) for each row, in less time if rows are short.
    ///
    /// # Panics
    /// If the number of scores is not a multiple of `n_columns`.
    ///
    /// ```
    /// use xai_core::Activation;
    /// let mut rows = [0.0, 3f64.ln(), 5.0, 5.0];
    /// Activation::Softmax.apply_rows(&mut rows, 2);
    /// assert!((rows[0] - 0.25).abs() < 1e-15 && rows[3] == 0.5);
    /// ```
    pub fn apply_rows(self, rows: &mut [f64], n_columns: usize) {
        assert!(
            rows.is_empty() || rows.len().is_multiple_of(n_columns),
            "whole rows"
        );
        let (activation, n_columns) = (self, n_columns.max(1));
        InstructionSet::fastest().run(ActivatedRows {
            activation,
            rows,
            n_columns,
        });
    }
}

/// Kernel that applies an activation to consecutive rows in place.
struct ActivatedRows<'a> {
    activation: Activation,
    rows: &'a mut [f64],
    n_columns: usize,
}

impl SimdKernel for ActivatedRows<'_> {
    type Output = ();

    // Exponentials of all rows are computed in a loop of their own, before they are added: a sum in
    // the same loop has a fixed order and would keep it from vectorising, and a loop over one row
    // of ten classes would leave registers half empty.
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self {
            activation,
            rows,
            n_columns,
        } = self;
        let subtract_largest = |rows: &mut [f64]| {
            for row in rows.chunks_exact_mut(n_columns) {
                let largest = largest(row);
                row.iter_mut().for_each(|x| *x -= largest);
            }
        };
        match activation {
            Activation::None => {}
            Activation::Softmax => {
                subtract_largest(rows);
                for x in rows.iter_mut() {
                    *x = elementary::exp(*x);
                }
                for row in rows.chunks_exact_mut(n_columns) {
                    let total: f64 = row.iter().sum();
                    row.iter_mut().for_each(|x| *x /= total);
                }
            }
            Activation::Sigmoid => {
                for x in rows {
                    *x = elementary::sigmoid(*x);
                }
            }
            Activation::LogSoftmax => {
                subtract_largest(rows);
                let (mut exponentials, mut totals) = ([0.0; PIECE], [0.0; PIECE]);
                let n_rows = (PIECE / n_columns).max(1);
                for rows in rows.chunks_mut(n_rows * n_columns) {
                    totals.fill(0.0);
                    // Several rows, or a part of a long one: the exponentials fit into a buffer on the stack.
                    for part in rows.chunks((n_rows * n_columns).min(PIECE)) {
                        let exponentials = &mut exponentials[..part.len()];
                        exponentials.copy_from_slice(part);
                        for x in exponentials.iter_mut() {
                            *x = elementary::exp(*x);
                        }
                        for (row, total) in exponentials.chunks(n_columns).zip(&mut totals) {
                            // The order of the sum is part of the result: it must not depend on how
                            // many rows or parts are processed together, so chunks of 16 start at
                            // the beginning of each row.
                            for part in row.chunks(16) {
                                *total += part.iter().sum::<f64>();
                            }
                        }
                    }
                    for total in &mut totals[..rows.len() / n_columns] {
                        *total = elementary::ln(*total);
                    }
                    for (row, log_total) in rows.chunks_exact_mut(n_columns).zip(&totals) {
                        row.iter_mut().for_each(|x| *x -= log_total);
                    }
                }
            }
        }
    }
}

/// Number of exponentials computed at a time: a multiple of the 16 that are added first.
const PIECE: usize = 512;

impl fmt::Display for Activation {
    /// Writes the name that [`FromStr`](std::str::FromStr) parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word_of(self))
    }
}

/// Largest score; −∞ for an empty row.
#[inline(always)]
fn largest(row: &[f64]) -> f64 {
    row.iter()
        .fold(f64::NEG_INFINITY, |a, &x| if x > a { x } else { a })
}

/// Index of the largest element, the lowest index in case of ties; `None` for an empty row or one
/// with a NaN. Infinities are compared like numbers, because a log-probability may be −∞.
///
/// ```
/// use xai_core::output::arg_max;
/// assert_eq!(arg_max(&[0.1, 0.7, 0.7]), Some(1));
/// assert_eq!(arg_max(&[0.1, f64::NAN]), None);
/// ```
#[must_use]
pub fn arg_max<T: Real>(row: &[T]) -> Option<usize> {
    let mut best = 0;
    for (class, &score) in row.iter().enumerate() {
        if score.is_nan() {
            return None;
        }
        if score > row[best] {
            best = class;
        }
    }
    (!row.is_empty()).then_some(best)
}

/// Index of the largest element of each row of `(n_samples, n_classes)` outputs; the lower class in
/// case of ties.
///
/// # Errors
/// `NonFinite` for the first NaN, `Empty` if rows have no elements.
///
/// ```
/// use ndarray::array;
/// use xai_core::{input, output::arg_max_rows};
/// let classes = arg_max_rows(input::OUTPUTS, array![[0.2f32, 0.8], [0.5, 0.5]].view())?;
/// assert_eq!(classes, vec![1, 0]);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn arg_max_rows<T: Real>(input: Input, outputs: ArrayView2<'_, T>) -> Result<Vec<usize>> {
    if outputs.ncols() == 0 && outputs.nrows() > 0 {
        return Err(Error::empty(input).part("columns"));
    }
    let mut contiguous = Vec::new();
    outputs
        .rows()
        .into_iter()
        .enumerate()
        .map(|(sample, row)| {
            // Rows of a transposed view are copied into one reused buffer.
            let row = match row.to_slice() {
                Some(row) => row,
                None => {
                    contiguous.clear();
                    contiguous.extend(row);
                    &contiguous
                }
            };
            arg_max(row).ok_or_else(|| {
                let column = row.iter().position(|x| x.is_nan()).unwrap_or_default();
                Error::non_finite(input, &[sample, column])
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::input;
    use approx::assert_relative_eq;
    use ndarray::{Array2, array};

    #[test]
    fn log_softmax_is_the_logarithm_of_softmax() {
        let scores = array![[0.3, -1.7, 2.4, 0.0], [5.0, 5.0, 5.0, 5.0]];
        let p = Activation::Softmax.apply(scores.view()).unwrap();
        let log_p = Activation::LogSoftmax.apply(scores.view()).unwrap();
        for (p, log_p) in p.iter().zip(&log_p) {
            assert_relative_eq!(p.ln(), *log_p, max_relative = 1e-14);
        }
    }

    #[test]
    fn scores_of_a_thousand_do_not_overflow() {
        let scores = array![[1000.0f32, -1000.0, 0.0]];
        let apply = |a: Activation| a.apply(scores.view()).unwrap();
        assert_eq!(apply(Activation::None), array![[1000.0, -1000.0, 0.0]]);
        assert_eq!(apply(Activation::Softmax), array![[1.0, 0.0, 0.0]]);
        assert_eq!(apply(Activation::Sigmoid), array![[1.0, 0.0, 0.5]]);
        assert_eq!(
            apply(Activation::LogSoftmax),
            array![[0.0, -2000.0, -1000.0]]
        );
        let small = Activation::Sigmoid.apply(array![[-700.0]].view()).unwrap();
        assert_relative_eq!(small[[0, 0]], (-700f64).exp(), max_relative = 1e-15);
    }

    #[test]
    fn softmax_is_invariant_to_a_constant_shift() {
        let p = Activation::Softmax
            .apply(array![[0.5, 1.5]].view())
            .unwrap();
        let q = Activation::Softmax
            .apply(array![[64.5, 65.5]].view())
            .unwrap();
        assert_eq!(p, q);
    }

    #[test]
    fn a_transposed_view_gives_the_result_of_its_copy() {
        let scores = array![[0.0f32, 1.0], [2.0, 4.0], [1.0, 1.0]];
        let p = Activation::Softmax.apply(scores.t()).unwrap();
        let q = Activation::Softmax
            .apply(scores.t().to_owned().view())
            .unwrap();
        assert_eq!(p, q);
    }

    #[test]
    fn the_error_has_the_index_of_a_non_finite_score() {
        let error = Activation::Softmax
            .apply(array![[0.0, 1.0], [f64::INFINITY, 0.0]].view())
            .unwrap_err();
        assert_eq!((error.input(), error.index()), (input::SCORES, &[1, 0][..]));
    }

    /// Many rows in one loop, and parts of long ones, have the bits of the formulas for one row.
    #[test]
    fn batched_rows_have_the_bits_of_single_rows() {
        for (n_columns, n_rows) in [
            (1, 700),
            (2, 3),
            (10, 200),
            (16, 33),
            (17, 40),
            (511, 5),
            (512, 2),
            (513, 2),
            (1100, 3),
        ] {
            let scores = Array2::from_shape_fn((n_rows, n_columns), |(row, column)| {
                f64::from((7 * row + 13 * column) as u32 % 101) / 8.0 - 6.0
            });
            let apply = |activation: Activation| activation.apply(scores.view()).unwrap();
            let (softmax, sigmoid, log_softmax) = (
                apply(Activation::Softmax),
                apply(Activation::Sigmoid),
                apply(Activation::LogSoftmax),
            );
            for (index, row) in scores.rows().into_iter().enumerate() {
                let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let exponentials: Vec<f64> =
                    row.iter().map(|x| elementary::exp(x - largest)).collect();
                let total: f64 = exponentials.iter().sum();
                let in_parts = exponentials
                    .chunks(16)
                    .fold(0.0, |sum, part| sum + part.iter().sum::<f64>());
                for (column, &x) in row.iter().enumerate() {
                    let at = [index, column];
                    assert_eq!(softmax[at], exponentials[column] / total, "{n_columns}");
                    assert_eq!(sigmoid[at], elementary::sigmoid(x));
                    assert_eq!(
                        log_softmax[at],
                        x - largest - elementary::ln(in_parts),
                        "{n_columns}"
                    );
                }
                let mut alone = row.to_vec();
                Activation::LogSoftmax.apply_row(&mut alone);
                assert_eq!(alone, log_softmax.row(index).to_vec());
            }
        }
    }

    #[test]
    fn empty_rows_stay_empty() {
        let p = Activation::Softmax
            .apply(Array2::<f32>::zeros((3, 0)).view())
            .unwrap();
        assert_eq!(p.dim(), (3, 0));
    }

    #[test]
    fn ties_go_to_the_lower_class() {
        assert_eq!(arg_max(&[1.0f32, 1.0, 1.0]), Some(0));
        assert_eq!(arg_max(&[0.0, -0.0]), Some(0));
        assert_eq!(arg_max(&[f64::NEG_INFINITY; 3]), Some(0));
        assert_eq!(arg_max(&[f64::NEG_INFINITY, -1e300]), Some(1));
        assert_eq!(arg_max::<f64>(&[]), None);
    }

    #[test]
    fn the_error_has_the_index_of_a_nan() {
        for column in 0..3 {
            let mut outputs = array![[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]];
            outputs[[1, column]] = f64::NAN;
            let error = arg_max_rows(input::OUTPUTS, outputs.view()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::NonFinite));
            assert_eq!(error.index(), [1, column]);
        }
    }

    #[test]
    fn columns_of_a_transposed_view_are_rows() {
        let outputs = array![[0.0, 5.0], [1.0, 4.0], [2.0, 3.0]];
        assert_eq!(
            arg_max_rows(input::OUTPUTS, outputs.t()).unwrap(),
            vec![2, 0]
        );
    }

    #[test]
    fn rows_without_columns_have_no_class() {
        let error = arg_max_rows(input::OUTPUTS, Array2::<f32>::zeros((2, 0)).view()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Empty));
        assert!(
            arg_max_rows(input::OUTPUTS, Array2::<f32>::zeros((0, 3)).view())
                .unwrap()
                .is_empty()
        );
    }
}
