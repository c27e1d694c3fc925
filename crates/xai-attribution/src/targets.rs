//! Which score of the model is meant, for each sample.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use xai_core::{Error, Label, Real, Result};

/// The target of every sample.
///
/// The score of a sample is `Σ_c output_c · target_c`: for a class index that is the output of the
/// class, for a one-hot row the same, for a real-valued row (regression targets ±1) the signed sum.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// A class index a sample, in `0..n_outputs`.
    Classes(Vec<i64>),
    /// A row of weights a sample, `(n, n_outputs)`.
    Rows(Array2<f64>),
}

impl Targets {
    pub(crate) fn n_samples(&self) -> usize {
        match self {
            Self::Classes(classes) => classes.len(),
            Self::Rows(rows) => rows.nrows(),
        }
    }

    /// The targets of some samples.
    pub(crate) fn select(&self, samples: std::ops::Range<usize>) -> Self {
        self.gather(&samples.collect::<Vec<_>>())
    }

    /// The targets of samples in any order, any number of times.
    pub(crate) fn gather(&self, samples: &[usize]) -> Self {
        match self {
            Self::Classes(classes) => Self::Classes(samples.iter().map(|&i| classes[i]).collect()),
            Self::Rows(rows) => Self::Rows(rows.select(Axis(0), samples)),
        }
    }

    /// The score of one sample from its activated outputs.
    pub(crate) fn score(&self, sample: usize, outputs: &[f64]) -> Result<f64> {
        match self {
            Self::Classes(classes) => {
                let class = xai_core::class_index(sample, classes[sample], outputs.len())?;
                Ok(outputs[class])
            }
            Self::Rows(rows) if rows.ncols() != outputs.len() => Err(Error::shape(
                "targets",
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
    /// [`Error::OutOfDomain`] for a class above `i64::MAX`, [`Error::NonFinite`] for a row.
    fn to_targets(&self) -> Result<Targets>;
}

impl IntoTargets for Targets {
    fn to_targets(&self) -> Result<Targets> {
        if let Targets::Rows(rows) = self {
            xai_core::check_finite("targets", rows.view())?;
        }
        Ok(self.clone())
    }
}

impl<L: Label> IntoTargets for [L] {
    fn to_targets(&self) -> Result<Targets> {
        let classes = xai_core::labels_to_i64("targets", self.iter().copied())?;
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
        xai_core::check_finite("targets", *self)?;
        Ok(Targets::Rows(self.mapv(Real::to_f64_exact)))
    }
}

impl<T: Real> IntoTargets for Array2<T> {
    fn to_targets(&self) -> Result<Targets> {
        self.view().to_targets()
    }
}
