//! Which score of the model is meant, for each sample.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use xai_core::number::{check_finite, class_index, labels_to_i64};
use xai_core::output::arg_max;
use xai_core::{Error, Label, Real, Result};

use crate::input;

/// The target of every sample.
///
/// The score of a sample is `Σ_c output_c · target_c`: for a class index that is the output of the
/// class, for a one-hot row the same, for a real-valued row (regression targets ±1) the signed sum.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// One class index per sample, in `0..n_outputs`.
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

    /// The score of one sample from its activated outputs.
    pub(crate) fn score(&self, sample: usize, outputs: &[f64]) -> Result<f64> {
        match self {
            Self::Classes(classes) => {
                let class = class_index(input::TARGETS, sample, classes[sample], outputs.len())?;
                Ok(outputs[class])
            }
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

impl<L: Label> IntoTargets for ArrayView1<'_, L> {
    fn to_targets(&self) -> Result<Targets> {
        self.to_vec().to_targets()
    }
}

impl<L: Label> IntoTargets for Array1<L> {
    fn to_targets(&self) -> Result<Targets> {
        self.view().to_targets()
    }
}

impl<T: Real> IntoTargets for ArrayView2<'_, T> {
    fn to_targets(&self) -> Result<Targets> {
        check_finite(input::TARGETS, *self)?;
        Ok(Targets::Rows(self.mapv(Real::to_f64_exact)))
    }
}

impl<T: Real> IntoTargets for Array2<T> {
    fn to_targets(&self) -> Result<Targets> {
        self.view().to_targets()
    }
}
