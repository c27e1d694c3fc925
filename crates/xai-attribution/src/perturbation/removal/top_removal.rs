//! Outputs of the model without the top features, or with only these.

use ndarray::Array2;
use xai_core::describe::{Parameter, Parameters};
use xai_core::{Error, Real, Result};

use crate::batch::{Dataset, ExplainedBatch, MapWork, Plan};
use crate::input;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::{Baseline, Features, OrderedFeatures, RankBy, RemovalOrder, RemovalTies};

/// Outputs of the model without the features of the largest attributions, or with only these: one row per sample,
/// before the activation.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct TopRemoval {
    /// Share of the features that counts as the top, those with the largest attributions. Default: 0.2.
    #[param(above = 0, at_most = 1)]
    pub top: f64,
    /// Whether the top is kept and the rest removed, which reverses the direction of a metric.
    pub keep: bool,
    /// Rounding of the share to a number of features.
    pub rounding: ShareRounding,
    /// Replacement for removed values.
    pub baseline: Baseline,
    /// Grouping of positions into features.
    pub features: Features,
    /// Order of removal among features with equal attributions.
    pub ties: RemovalTies,
}

/// Rounding of a share of features to a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "rounding")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ShareRounding {
    /// The number of top features is rounded to the nearest, at least 1.
    #[default]
    Nearest,
    /// The number of removed features is rounded down, possibly to 0, as in `time_interpret`.
    Down,
}

impl Default for TopRemoval {
    /// Removes a fifth of the positions.
    fn default() -> Self {
        Self {
            top: 0.2,
            keep: false,
            rounding: ShareRounding::default(),
            baseline: Baseline::default(),
            features: Features::default(),
            ties: RemovalTies::default(),
        }
    }
}

impl TopRemoval {
    /// Number of removed features out of `n_features`.
    fn n_removed(&self, n_features: usize) -> usize {
        let n = n_features as f64;
        let top = || ((self.top * n).round() as usize).max(1);
        match (self.rounding, self.keep) {
            (ShareRounding::Nearest, false) => top(),
            (ShareRounding::Nearest, true) => n_features - top(),
            (ShareRounding::Down, false) => (self.top * n).floor() as usize,
            (ShareRounding::Down, true) => ((1.0 - self.top) * n).floor() as usize,
        }
    }

    /// Checks the parameters. Called once per run, before the model.
    ///
    /// # Errors
    /// An invalid parameter about the share, the features or the baseline.
    pub fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.check_params()?;
        self.features.prepare(dataset)?;
        self.baseline.prepare(dataset)?;
        let counts = self.features.counts(dataset)?;
        if counts.iter().any(|&n| self.n_removed(n) == n) {
            self.baseline.prepare_whole(dataset)
        } else {
            Ok(())
        }
    }

    /// Adds the planned rows of this work.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        plan.maps();
        plan.per_explainer(self, plan.n_samples());
    }
}

impl<T: Real> MapWork<T> for TopRemoval {
    type Output = Array2<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Array2<f64>> {
        let batch = explained.batch();
        let (n, size) = (batch.n_samples(), batch.dataset().positions().size());
        let cells = batch.shared(&self.features)?;
        let orders = explained.shared(&OrderedFeatures {
            features: self.features,
            order: RemovalOrder::MostRelevantFirst,
            rank_by: RankBy::Sum,
            ties: self.ties,
        })?;
        let remover = Remover::new(batch, &self.baseline)?;
        let (scorer, inputs) = (batch.scorer(), batch.values());
        let make = |sample: usize, values: &mut [T]| {
            values.copy_from_slice(&inputs[sample * size..(sample + 1) * size]);
            let order = &orders[sample];
            let n_removed = self.n_removed(order.len());
            // The order descends, so the features outside of the top are at its end.
            let removed = if self.keep {
                &order[order.len() - n_removed..]
            } else {
                &order[..n_removed]
            };
            let positions = |&cell: &u32| cells.for_sample(sample).positions(cell as usize);
            remover.remove(sample, values, removed.iter().flat_map(positions).copied());
        };
        let step = if self.keep {
            ", with the top features only"
        } else {
            ", without the top features"
        };
        let rows = batch.call_with_rows(n, 1, make, |first, rows, model| {
            let outputs = scorer.outputs(model, rows, &|row| first + row, step)?;
            Ok(outputs.outer_iter().map(|row| row.to_vec()).collect())
        })?;
        remover.check()?;
        let n_outputs = rows.first().map_or(0, Vec::len);
        let expected = [n, n_outputs];
        Array2::from_shape_vec((n, n_outputs), rows.concat())
            .map_err(|_| Error::shape(input::OUTPUTS, &expected, &[rows.concat().len()]))
    }
}
