//! The values of a metric after something was perturbed.

use std::fmt;

use crate::describe::{Parameter, word_of};
use crate::error::{Error, Result};
use crate::input;

/// How much a perturbation of the inputs or of the model changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PerturbationKind {
    /// So little that the prediction stays: a metric should say the same.
    #[default]
    Minor,
    /// So much that the prediction changes: a metric should say something else.
    Disruptive,
}

impl fmt::Display for PerturbationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word_of(self))
    }
}

/// Values of a metric after a perturbation: of one explainer `[Option<f64>]`, of several a row each.
///
/// ```
/// use xai_core::reliability::PerturbedValues;
/// let values = [Some(0.5), None];
/// let perturbed = PerturbedValues::minor(&values[..]).keep(&[true, false]); // one prediction has changed
/// assert_eq!(perturbed.kind.to_string(), "minor");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PerturbedValues<'a, V: ?Sized> {
    /// How much was perturbed.
    pub kind: PerturbationKind,
    /// The values after it.
    pub values: &'a V,
    /// Which samples count: those whose prediction stayed (minor) or changed (disruptive). `None`: all.
    pub keep: Option<&'a [bool]>,
}

impl<'a, V: ?Sized> PerturbedValues<'a, V> {
    /// After a minor perturbation.
    #[must_use]
    pub const fn minor(values: &'a V) -> Self {
        Self::new(PerturbationKind::Minor, values)
    }

    /// After a disruptive perturbation.
    #[must_use]
    pub const fn disruptive(values: &'a V) -> Self {
        Self::new(PerturbationKind::Disruptive, values)
    }

    /// After a perturbation of either kind.
    #[must_use]
    pub const fn new(kind: PerturbationKind, values: &'a V) -> Self {
        Self {
            kind,
            values,
            keep: None,
        }
    }

    /// Which samples count. Default: all.
    #[must_use]
    pub const fn keep(mut self, keep: &'a [bool]) -> Self {
        self.keep = Some(keep);
        self
    }

    /// The samples that count of so many.
    pub(super) fn kept(
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
