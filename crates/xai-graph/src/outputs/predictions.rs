//! The predicted classes that fidelity compares: labels, or the arg-max of output rows.

use std::ops::Range;

use ndarray::{ArrayBase, Axis, Data, Ix1, Ix2};
use xai_core::{Error, Input, Label, Real, Result};

use crate::outputs::arg_maxima::write_arg_maxima;

/// One predicted class per sample.
///
/// Implemented by labels (`Vec`, slices and arrays of any integer, one-dimensional `ndarray`s) and
/// by model outputs: a two-dimensional `ndarray` of `f32` or `f64`, `(n_samples, n_classes)`, whose
/// prediction is the arg-max of the row, ties to the lower class. The two may be mixed.
pub trait Predictions: Sync {
    /// The number of samples.
    fn n_samples(&self) -> usize;

    /// The number of classes, where the predictions tell: outputs do, labels do not.
    fn n_classes(&self) -> Option<usize> {
        None
    }

    /// Writes the classes of `rows`, a range within `0..n_samples`, to `classes`, of its length.
    ///
    /// # Errors
    /// [`NonFinite`](xai_core::ErrorKind::NonFinite) for the first NaN among outputs,
    /// [`ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) for outputs of fewer than two columns,
    /// [`OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a label above `i64::MAX`; all about
    /// `input`.
    fn classes(&self, input: Input, rows: Range<usize>, classes: &mut [i64]) -> Result<()>;
}

impl<P: Predictions + ?Sized> Predictions for &P {
    fn n_samples(&self) -> usize {
        (**self).n_samples()
    }

    fn n_classes(&self) -> Option<usize> {
        (**self).n_classes()
    }

    fn classes(&self, input: Input, rows: Range<usize>, classes: &mut [i64]) -> Result<()> {
        (**self).classes(input, rows, classes)
    }
}

impl<L: Label> Predictions for [L] {
    fn n_samples(&self) -> usize {
        self.len()
    }

    fn classes(&self, input: Input, rows: Range<usize>, classes: &mut [i64]) -> Result<()> {
        let start = rows.start;
        write_labels(input, start, self[rows].iter().copied(), classes)
    }
}

impl<L: Label, const N: usize> Predictions for [L; N] {
    fn n_samples(&self) -> usize {
        N
    }

    fn classes(&self, input: Input, rows: Range<usize>, classes: &mut [i64]) -> Result<()> {
        self.as_slice().classes(input, rows, classes)
    }
}

impl<L: Label> Predictions for Vec<L> {
    fn n_samples(&self) -> usize {
        self.len()
    }

    fn classes(&self, input: Input, rows: Range<usize>, classes: &mut [i64]) -> Result<()> {
        self.as_slice().classes(input, rows, classes)
    }
}

impl<L: Label, S: Data<Elem = L> + Sync> Predictions for ArrayBase<S, Ix1> {
    fn n_samples(&self) -> usize {
        self.len()
    }

    fn classes(&self, input: Input, rows: Range<usize>, classes: &mut [i64]) -> Result<()> {
        let start = rows.start;
        let labels = self.slice_axis(Axis(0), rows.into());
        write_labels(input, start, labels.iter().copied(), classes)
    }
}

impl<T: Real, S: Data<Elem = T> + Sync> Predictions for ArrayBase<S, Ix2> {
    fn n_samples(&self) -> usize {
        self.nrows()
    }

    fn n_classes(&self) -> Option<usize> {
        Some(self.ncols())
    }

    fn classes(&self, input: Input, rows: Range<usize>, classes: &mut [i64]) -> Result<()> {
        write_arg_maxima(input, self.view(), rows, classes)
    }
}

fn write_labels<L: Label>(
    input: Input,
    start: usize,
    labels: impl Iterator<Item = L>,
    classes: &mut [i64],
) -> Result<()> {
    for (i, (label, class)) in labels.zip(classes).enumerate() {
        *class = label.to_i64().ok_or_else(|| {
            Error::out_of_domain(
                input,
                &[start + i],
                f64::INFINITY,
                "a label of at most 2^63 - 1",
            )
        })?;
    }
    Ok(())
}
