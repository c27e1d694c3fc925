//! Values of a metric after a perturbation.

use std::fmt;

use crate::describe::{Parameter, word_of};
use crate::error::{Error, Result};
use crate::input;

/// Strength of a perturbation of the inputs or of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PerturbationKind {
    /// So weak that the prediction does not change: the values of a metric should not change
    /// either.
    #[default]
    Minor,
    /// So strong that the prediction changes: the values of a metric should change, too.
    Disruptive,
}

impl fmt::Display for PerturbationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word_of(self))
    }
}

/// Values of a metric after a perturbation: `[Option<f64>]` for one explainer, a slice of rows for
/// several explainers.
///
/// ```
/// use xai_core::reliability::PerturbedValues;
/// let values = [Some(0.5), None];
/// let perturbed = PerturbedValues::minor(&values[..]).keep(&[true, false]); // one prediction has changed
/// assert_eq!(perturbed.kind.to_string(), "minor");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PerturbedValues<'a, V: ?Sized> {
    /// Strength of the perturbation.
    pub kind: PerturbationKind,
    /// Values after the perturbation.
    pub values: &'a V,
    /// Flags of the samples that are used: those whose prediction did not change (minor) or did
    /// (disruptive). `None`: all.
    pub keep: Option<&'a [bool]>,
}

impl<'a, V: ?Sized> PerturbedValues<'a, V> {
    /// Creates values after a minor perturbation.
    #[must_use]
    pub const fn minor(values: &'a V) -> Self {
        Self::new(PerturbationKind::Minor, values)
    }

    /// Creates values after a disruptive perturbation.
    #[must_use]
    pub const fn disruptive(values: &'a V) -> Self {
        Self::new(PerturbationKind::Disruptive, values)
    }

    /// Creates values after a perturbation of the given kind.
    #[must_use]
    pub const fn new(kind: PerturbationKind, values: &'a V) -> Self {
        Self {
            kind,
            values,
            keep: None,
        }
    }

    /// Sets the flags of the samples that are used. Default: all.
    #[must_use]
    pub const fn keep(mut self, keep: &'a [bool]) -> Self {
        self.keep = Some(keep);
        self
    }

    /// Indices of the samples that are used among `n_samples`.
    pub(super) fn used_samples(
        &self,
        n_samples: usize,
    ) -> Result<impl Iterator<Item = usize> + use<'a, V>> {
        let keep = self.keep;
        if let Some(keep) = keep.filter(|keep| keep.len() != n_samples) {
            return Err(Error::shape(input::KEEP, &[n_samples], &[keep.len()]));
        }
        Ok((0..n_samples).filter(move |&i| keep.is_none_or(|keep| keep[i])))
    }
}
