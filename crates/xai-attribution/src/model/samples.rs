//! Samples from memory, a memory-mapped file, or a custom reader, and their targets.

use std::ops::Range;

use ndarray::{
    Array2, ArrayBase, ArrayViewD, Axis, CowArray, Data, Dimension, Ix1, Ix2, IxDyn, Slice,
};
use xai_core::number::{check_finite, class_index, labels_to_i64};
use xai_core::output::arg_max;
use xai_core::text::numbered_range;
use xai_core::{Error, Input, InputLayout, Label, Real, Result};

use crate::model::BoxError;
use crate::{help, input};

/// An array of samples (inputs or maps) that is read one batch at a time.
///
/// Implemented by arrays and views with any number of axes, including views of memory-mapped files. A metric only
/// keeps one batch in memory, or one per thread. Implement this trait to read samples from anywhere else; results are
/// bit-identical for any source.
///
/// ```
/// use ndarray::{Array2, ArrayD, ArrayViewD, CowArray, IxDyn, array};
/// use std::ops::Range;
/// use xai_attribution::model::{BoxError, Samples};
/// use xai_attribution::{Evaluate, metric::AverageDrop};
/// /// A thousand samples that are generated when they are read.
/// struct Generated;
/// impl Samples<f64> for Generated {
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
/// let drop = AverageDrop::new().evaluate(&model, Generated, &vec![1; 1_000], Generated)?;
/// assert!(drop.value < 1e-6); // the larger value of each map leaves its input unchanged
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait Samples<T: Real>: Send + Sync {
    /// Shape of all samples; the first axis is the sample.
    fn shape(&self) -> &[usize];

    /// Reads some samples with all their elements.
    ///
    /// # Errors
    /// Errors of the reader.
    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError>;

    /// All samples, if they are in memory. They are then checked before the first call of the model.
    fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
        None
    }

    /// Order of the axes, if it is known. Otherwise the scoring settings decide.
    fn layout(&self) -> Option<InputLayout> {
        None
    }
}

/// Images whose order of axes is known, so that the evaluation needs no [`layout`](crate::Evaluate::layout).
///
/// ```
/// use ndarray::{Array2, Array4, ArrayViewD, Axis};
/// use xai_attribution::model::Images;
/// use xai_attribution::{Evaluate, metric::Deletion};
/// // The score is the sum of all elements.
/// let model = |batch: ArrayViewD<'_, f32>| -> Result<Array2<f32>, std::fmt::Error> {
///     let sums = batch.outer_iter().map(|image| image.sum()).collect();
///     Ok(Array2::from_shape_vec((batch.len_of(Axis(0)), 1), sums).unwrap())
/// };
/// let images = Array4::<f32>::ones((2, 3, 4, 4)); // (n, channels, height, width)
/// let maps = images.map(|x| x / 2.0);
/// let deletion = Deletion::new().steps(Some(2));
/// let value = deletion.evaluate(&model, Images::channels_first(images.view()), &[0, 0], maps.view())?;
/// assert_eq!(value.value, 24.0); // the score falls from 48 to 0
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Images<S> {
    samples: S,
    layout: InputLayout,
}

impl<S> Images<S> {
    /// Images of shape `(n, channels, height, width)`, the order of PyTorch.
    #[must_use]
    pub fn channels_first(samples: S) -> Self {
        let layout = InputLayout::ChannelsFirst;
        Self { samples, layout }
    }

    /// Images of shape `(n, height, width, channels)`, the order of TensorFlow.
    #[must_use]
    pub fn channels_last(samples: S) -> Self {
        let layout = InputLayout::ChannelsLast;
        Self { samples, layout }
    }
}

impl<T: Real, S: Samples<T>> Samples<T> for Images<S> {
    fn shape(&self) -> &[usize] {
        self.samples.shape()
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        self.samples.batch(samples)
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
        self.samples.in_memory()
    }

    fn layout(&self) -> Option<InputLayout> {
        Some(self.layout)
    }
}

impl<T, S, D> Samples<T> for ArrayBase<S, D>
where
    T: Real,
    S: Data<Elem = T> + Send + Sync,
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

/// Implements [`Samples`] for pointers to samples.
macro_rules! pointers_to_samples {
    ($($pointer:ty),+) => {$(
        impl<T: Real, S: Samples<T> + ?Sized> Samples<T> for $pointer {
            fn shape(&self) -> &[usize] {
                (**self).shape()
            }

            fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
                (**self).batch(samples)
            }

            fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
                (**self).in_memory()
            }

            fn layout(&self) -> Option<InputLayout> {
                (**self).layout()
            }
        }
    )+};
}

pointers_to_samples!(&S, Box<S>);

/// Checks that samples in memory are finite. Others are checked when they are read.
pub(crate) fn check_in_memory<T: Real>(input: Input, samples: &dyn Samples<T>) -> Result<()> {
    match samples.in_memory() {
        Some(whole) => check_finite(input, whole),
        None => Ok(()),
    }
}

/// Reads some samples and checks their shape and values. The result is in row-major order.
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
    // Samples in memory were checked as a whole before the run.
    if samples.in_memory().is_none() {
        check_finite(input, batch.view()).map_err(|error| error.shifted(0, range.start))?;
    }
    Ok(if batch.is_standard_layout() {
        batch
    } else {
        batch.as_standard_layout().into_owned().into()
    })
}

/// Target of every sample.
///
/// The score of a sample is `Σ_c output_c · target_c`: the output of the class for a class index or a one-hot row,
/// the signed sum for real-valued rows (regression targets ±1).
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// One class index per sample, below the number of outputs.
    Classes(Vec<i64>),
    /// One row of weights per sample, `(n, n_outputs)`.
    Rows(Array2<f64>),
}

impl Targets {
    /// Number of targets.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Rows(rows) => rows.nrows(),
        }
    }

    /// Class of each sample, for explainers that need classes.
    ///
    /// # Errors
    /// An invalid parameter for rows of weights.
    ///
    /// ```
    /// use xai_attribution::model::Targets;
    /// assert_eq!(Targets::Classes(vec![2, 0]).classes()?, [2, 0]);
    /// assert!(Targets::Rows(ndarray::array![[0.5, -0.5]]).classes().is_err());
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    pub fn classes(&self) -> Result<&[i64]> {
        match self {
            Self::Classes(classes) => Ok(classes),
            Self::Rows(_) => {
                let expected = "one class per sample, which this explainer needs";
                Err(Error::parameter(
                    input::TARGETS,
                    "rows of weights",
                    expected,
                ))
            }
        }
    }

    /// Targets of a range of samples.
    #[must_use]
    pub fn select(&self, samples: std::ops::Range<usize>) -> Self {
        self.gather(&samples.collect::<Vec<_>>())
    }

    /// Targets of samples in any order, possibly repeated.
    #[must_use]
    pub fn gather(&self, samples: &[usize]) -> Self {
        match self {
            Self::Classes(classes) => Self::Classes(samples.iter().map(|&i| classes[i]).collect()),
            Self::Rows(rows) => Self::Rows(rows.select(Axis(0), samples)),
        }
    }

    /// Class of one sample: that of the largest weight for a row of weights. `None` for a negative class index.
    pub(crate) fn class(&self, sample: usize) -> Option<usize> {
        match self {
            Self::Classes(classes) => usize::try_from(classes[sample]).ok(),
            Self::Rows(rows) => arg_max(&rows.row(sample).to_vec()),
        }
    }

    /// Returns whether the target of each sample is class 1, for two-class targets: class indices 0 and 1, one-hot
    /// rows with two columns, or rows with one column, 1 for class 1 and −1 for class 0. `None` for all other targets.
    pub(crate) fn binary(&self) -> Option<Vec<bool>> {
        match self {
            Self::Classes(classes) => {
                let is_one = |class: &i64| (0..=1).contains(class).then_some(*class == 1);
                classes.iter().map(is_one).collect()
            }
            Self::Rows(rows) => {
                let is_one = |row: ndarray::ArrayView1<'_, f64>| match row.as_slice().unwrap_or(&[])
                {
                    // One output whose sign is the class.
                    [sign] if sign.abs() == 1.0 => Some(*sign > 0.0),
                    [1.0, 0.0] => Some(false),
                    [0.0, 1.0] => Some(true),
                    _ => None,
                };
                rows.as_standard_layout().outer_iter().map(is_one).collect()
            }
        }
    }

    /// Score of one sample from its outputs after the activation.
    pub(crate) fn score(&self, sample: usize, outputs: &[f64]) -> Result<f64> {
        match self {
            Self::Classes(classes) => Ok(outputs[class_output(classes, sample, outputs.len())?]),
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

/// Index of the output for the class of a sample.
pub(crate) fn class_output(classes: &[i64], sample: usize, n_outputs: usize) -> Result<usize> {
    let output = class_index(input::TARGETS, sample, classes[sample], n_outputs);
    output.map_err(|error| match n_outputs {
        1 => error.with_help(help::ONE_OUTPUT),
        _ => error,
    })
}

/// Types that convert to [`Targets`]: class indices of any integer type, or rows of numbers.
pub trait IntoTargets {
    /// Converts to targets.
    ///
    /// # Errors
    /// Out of domain for a class above `i64::MAX`; NaN or infinity in a row.
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
