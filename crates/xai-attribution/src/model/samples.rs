//! Where samples come from: memory, a memory-mapped file, or a reader of the caller's own.

use std::ops::Range;

use ndarray::{
    Array2, ArrayBase, ArrayViewD, Axis, CowArray, Data, Dimension, Ix1, Ix2, IxDyn, Slice,
};
use xai_core::number::{check_finite, class_index, labels_to_i64};
use xai_core::output::arg_max;
use xai_core::text::numbered_range;
use xai_core::{Error, Input, Label, Real, Result};

use crate::model::BoxError;
use crate::{help, input};

/// An array of samples (inputs or maps) that is asked for one batch at a time.
///
/// Arrays and views of any number of axes are samples, also views of memory-mapped files: a metric holds one batch, or
/// one per thread, and never a copy of the whole. Implement it to read from anywhere else. The
/// numbers are the same to the last bit, wherever the samples come from.
///
/// ```
/// use ndarray::{Array2, ArrayD, ArrayViewD, CowArray, IxDyn, array};
/// use std::ops::Range;
/// use xai_attribution::model::{BoxError, Samples};
/// use xai_attribution::{AverageDrop, Evaluate};
/// /// A million samples that no memory holds: sample `i` is made when it is asked for.
/// struct Made;
/// impl Samples<f64> for Made {
///     fn shape(&self) -> &[usize] {
///         &[1_000, 2]
///     }
///     fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f64, IxDyn>, BoxError> {
///         let first = samples.start;
///         let rows = Array2::from_shape_fn((samples.len(), 2), |(i, j)| (first + i + j + 1) as f64);
///         Ok(rows.into_dyn().into())
///     }
/// }
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let drop = AverageDrop::new().evaluate(&model, Made, &vec![1; 1_000], Made)?;
/// assert!(drop.value < 1e-6); // the larger of two maps' values keeps its input whole
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait Samples<T: Real>: Sync {
    /// The shape of the whole; the first axis is the sample.
    fn shape(&self) -> &[usize];

    /// Some samples, all other axes whole.
    ///
    /// # Errors
    /// The reader's own.
    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError>;

    /// The whole, where it costs nothing: it is then checked before the model is called at all.
    fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
        None
    }
}

impl<T, S, D> Samples<T> for ArrayBase<S, D>
where
    T: Real,
    S: Data<Elem = T> + Sync,
    D: Dimension,
{
    fn shape(&self) -> &[usize] {
        ArrayBase::shape(self)
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        let mut batch = self.view().into_dyn();
        batch.slice_axis_inplace(Axis(0), Slice::from(samples));
        Ok(batch.into())
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
        Some(self.view().into_dyn())
    }
}

impl<T: Real, S: Samples<T> + ?Sized> Samples<T> for &S {
    fn shape(&self) -> &[usize] {
        (**self).shape()
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        (**self).batch(samples)
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
        (**self).in_memory()
    }
}

/// Checks what is in memory, all of it.
pub(crate) fn check_in_memory<T: Real>(input: Input, samples: &dyn Samples<T>) -> Result<()> {
    match samples.in_memory() {
        Some(whole) => check_finite(input, whole),
        None => Ok(()),
    }
}

/// Some samples, of the shape that was promised, finite, and in row-major order.
pub(crate) fn checked_batch<'a, T: Real>(
    input: Input,
    samples: &'a dyn Samples<T>,
    range: Range<usize>,
) -> Result<CowArray<'a, T, IxDyn>> {
    let batch = samples.batch(range.clone()).map_err(|source| {
        Error::io(input, std::io::Error::other(source)).part(numbered_range("sample", &range))
    })?;
    let promised = [&[range.len()], &samples.shape()[1..]].concat();
    if batch.shape() != promised {
        return Err(Error::shape(input, &promised, batch.shape()));
    }
    if samples.in_memory().is_none() {
        check_finite(input, batch.view()).map_err(|error| error.shifted(0, range.start))?;
    }
    Ok(if batch.is_standard_layout() {
        batch
    } else {
        batch.as_standard_layout().into_owned().into()
    })
}

/// The target of every sample.
///
/// The score of a sample is `Σ_c output_c · target_c`: for a class index that is the output of the
/// class, for a one-hot row the same, for a real-valued row (regression targets ±1) the signed sum.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// One class index per sample, below the number of outputs.
    Classes(Vec<i64>),
    /// One row of weights per sample, `(n, n_outputs)`.
    Rows(Array2<f64>),
}

impl Targets {
    /// How many samples have a target.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Rows(rows) => rows.nrows(),
        }
    }

    /// The targets of some samples.
    #[must_use]
    pub fn select(&self, samples: std::ops::Range<usize>) -> Self {
        self.gather(&samples.collect::<Vec<_>>())
    }

    /// The targets of samples in any order, any number of times.
    #[must_use]
    pub fn gather(&self, samples: &[usize]) -> Self {
        match self {
            Self::Classes(classes) => Self::Classes(samples.iter().map(|&i| classes[i]).collect()),
            Self::Rows(rows) => Self::Rows(rows.select(Axis(0), samples)),
        }
    }

    /// The class of one sample; of a row of weights, the one that weighs most.
    pub(crate) fn class(&self, sample: usize) -> Option<usize> {
        match self {
            Self::Classes(classes) => usize::try_from(classes[sample]).ok(),
            Self::Rows(rows) => arg_max(&rows.row(sample).to_vec()),
        }
    }

    /// Whether the target of each sample is class 1 of two: class indices 0 and 1, one-hot rows of two columns, or rows of
    /// one column, 1 for class 1 and −1 for class 0. `None` for other targets.
    pub(crate) fn binary(&self) -> Option<Vec<bool>> {
        match self {
            Self::Classes(classes) => {
                let is_one = |class: &i64| (0..=1).contains(class).then_some(*class == 1);
                classes.iter().map(is_one).collect()
            }
            Self::Rows(rows) => {
                let is_one = |row: ndarray::ArrayView1<'_, f64>| match row.as_slice().unwrap_or(&[])
                {
                    [sign] if sign.abs() == 1.0 => Some(*sign > 0.0),
                    [1.0, 0.0] => Some(false),
                    [0.0, 1.0] => Some(true),
                    _ => None,
                };
                rows.as_standard_layout().outer_iter().map(is_one).collect()
            }
        }
    }

    /// The score of one sample from its activated outputs.
    pub(crate) fn score(&self, sample: usize, outputs: &[f64]) -> Result<f64> {
        match self {
            Self::Classes(classes) => Ok(outputs[output_of(classes, sample, outputs.len())?]),
            Self::Rows(rows) if rows.ncols() != outputs.len() => Err(Error::shape(
                input::TARGETS,
                &[rows.nrows(), outputs.len()],
                &[rows.nrows(), rows.ncols()],
            )),
            Self::Rows(rows) => Ok(outputs
                .iter()
                .zip(rows.row(sample))
                .map(|(o, t)| o * t)
                .sum()),
        }
    }
}

/// The output of the class of a sample among so many.
pub(crate) fn output_of(classes: &[i64], sample: usize, n_outputs: usize) -> Result<usize> {
    let output = class_index(input::TARGETS, sample, classes[sample], n_outputs);
    output.map_err(|error| match n_outputs {
        1 => error.with_help(help::ONE_OUTPUT),
        _ => error,
    })
}

/// What may stand for [`Targets`]: class indices of any integer type, or rows of numbers.
pub trait IntoTargets {
    /// The targets.
    ///
    /// # Errors
    /// Out of domain for a class above `i64::MAX`, not finite for a row.
    fn to_targets(&self) -> Result<Targets>;
}

impl IntoTargets for Targets {
    fn to_targets(&self) -> Result<Targets> {
        if let Targets::Rows(rows) = self {
            check_finite(input::TARGETS, rows.view())?;
        }
        Ok(self.clone())
    }
}

impl<L: Label> IntoTargets for [L] {
    fn to_targets(&self) -> Result<Targets> {
        let classes = labels_to_i64(input::TARGETS, self.iter().copied())?;
        Ok(Targets::Classes(classes))
    }
}

impl<L: Label, const N: usize> IntoTargets for [L; N] {
    fn to_targets(&self) -> Result<Targets> {
        self.as_slice().to_targets()
    }
}

impl<L: Label> IntoTargets for Vec<L> {
    fn to_targets(&self) -> Result<Targets> {
        self.as_slice().to_targets()
    }
}

impl<L: Label, S: Data<Elem = L>> IntoTargets for ArrayBase<S, Ix1> {
    fn to_targets(&self) -> Result<Targets> {
        self.to_vec().to_targets()
    }
}

impl<T: Real, S: Data<Elem = T>> IntoTargets for ArrayBase<S, Ix2> {
    fn to_targets(&self) -> Result<Targets> {
        check_finite(input::TARGETS, self.view())?;
        Ok(Targets::Rows(self.mapv(Real::to_f64_exact)))
    }
}
