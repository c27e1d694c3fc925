//! Two runs' numeric predictions, and what several metrics take of them.

use std::cell::OnceCell;

use crate::regression::centred::{Centred, products};
use crate::regression::residual_ratios::ResidualRatios;

/// What is known of a run by itself, over the same samples for all runs.
pub(super) struct Run {
    pub(super) predictions: Vec<f64>,
    /// Targets less predictions.
    pub(super) residuals: Vec<f64>,
    pub(super) centred: Centred,
}

/// Two runs, and what is computed of them when the first metric asks for it.
pub(super) struct RunPair<'a> {
    pub(super) first: &'a Run,
    pub(super) second: &'a Run,
    residual_ratios: OnceCell<ResidualRatios>,
    covariance: OnceCell<f64>,
}

impl<'a> RunPair<'a> {
    pub(super) fn new(first: &'a Run, second: &'a Run) -> Self {
        Self {
            first,
            second,
            residual_ratios: OnceCell::new(),
            covariance: OnceCell::new(),
        }
    }

    pub(super) fn n_samples(&self) -> usize {
        self.first.predictions.len()
    }

    /// How alike the residuals are in size.
    pub(super) fn residual_ratios(&self) -> &ResidualRatios {
        let (first, second) = (&self.first.residuals, &self.second.residuals);
        self.residual_ratios
            .get_or_init(|| ResidualRatios::new(first, second))
    }

    /// The sum of the products of the predictions' deviations, in the units of both.
    pub(super) fn covariance(&self) -> f64 {
        let (first, second) = (&self.first.centred, &self.second.centred);
        *self
            .covariance
            .get_or_init(|| products(&first.deviations, &second.deviations))
    }
}
