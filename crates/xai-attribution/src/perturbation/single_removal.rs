//! What the model says without one feature at a time.

use std::ops::Range;

use xai_core::{Real, Result};

use crate::batch::explained::{ExplainedBatch, MapWork};
use crate::batch::plan::Plan;
use crate::batch::run_data::RunData;
use crate::batch::samples::{BatchWork, SampleBatch};
use crate::perturbation::baseline::{Baseline, BlankInputs};
use crate::perturbation::features::{FeatureCells, Features};
use crate::perturbation::removal_order::{OrderedPositions, RemovalOrder};

/// How far each sample's score drops when one feature is set to the baseline, each by itself. It does
/// not depend on the map: explainers share it. The model sees one row per feature, and one per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleRemoval {
    /// Which positions go together.
    pub features: Features,
    /// What stands for absence.
    pub baseline: Baseline,
}

/// Drops of the features of every sample of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureDrops {
    drops: Vec<f64>,
    /// Where those of each sample begin.
    starts: Vec<usize>,
}

impl FeatureDrops {
    /// The drops of a sample, in the order of its features.
    #[must_use]
    pub fn of(&self, sample: usize) -> &[f64] {
        &self.drops[self.starts[sample]..self.starts[sample + 1]]
    }
}

impl SingleRemoval {
    /// Checks the parameters: what a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// Those of features and baseline.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        self.features.prepare(run)?;
        self.baseline.prepare(run)
    }

    /// Adds the rows that the model sees for it.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let counts = self.features.counts(plan.run())?;
        plan.base_scores();
        plan.once(self, counts.iter().map(|&count| count as u64).sum());
        Ok(())
    }
}

impl<T: Real> BatchWork<T> for SingleRemoval {
    type Output = FeatureDrops;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<FeatureDrops> {
        let cells = batch.shared(&self.features)?;
        let cells: &FeatureCells = &cells;
        let n_features = (0..batch.n_samples()).map(|sample| cells.of(sample).n_cells());
        drops_without(batch, &self.baseline, n_features, |sample, feature| {
            cells.of(sample).positions_of(feature)
        })
    }
}

/// As [`SingleRemoval`], of groups of so many positions that follow each other in descending order of
/// attribution; the last one may be smaller.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedRemoval {
    /// The positions of a group, at least 1.
    pub group_size: usize,
    /// What stands for absence.
    pub baseline: Baseline,
}

/// Drops of groups of positions, and the sums of their attributions.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedDrops {
    /// The drops.
    pub drops: FeatureDrops,
    /// The sums, as many per sample.
    pub sums: Vec<Vec<f64>>,
}

impl RankedRemoval {
    /// Adds the rows that the model sees for it.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        let n_groups = plan.run().n_positions().div_ceil(self.group_size.max(1));
        plan.base_scores();
        plan.maps();
        plan.per_explainer(self, plan.n_samples() * n_groups as u64);
    }
}

impl<T: Real> MapWork<T> for RankedRemoval {
    type Output = RankedDrops;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<RankedDrops> {
        let batch = explained.batch();
        let n_positions = batch.run().n_positions();
        let orders = explained.shared(&OrderedPositions {
            order: RemovalOrder::MostRelevantFirst,
            n: n_positions,
        })?;
        let orders: &[Vec<u32>] = &orders;
        let group = |sample: usize, group: usize| {
            let first = group * self.group_size;
            &orders[sample][first..(first + self.group_size).min(n_positions)]
        };
        let n_groups = n_positions.div_ceil(self.group_size);
        let counts = (0..batch.n_samples()).map(|_| n_groups);
        let drops = drops_without(batch, &self.baseline, counts, group)?;
        let attributions = explained.attributions()?;
        let sum = |sample: usize, g: usize| {
            let of_sample = &attributions[sample * n_positions..];
            let positions = group(sample, g).iter();
            positions
                .map(|&p| of_sample[p as usize].to_f64_exact())
                .sum()
        };
        let sums =
            (0..batch.n_samples()).map(|sample| (0..n_groups).map(|g| sum(sample, g)).collect());
        Ok(RankedDrops {
            drops,
            sums: sums.collect(),
        })
    }
}

/// The drops without each of some sets of positions of every sample.
fn drops_without<'p, T: Real>(
    batch: &SampleBatch<'_, T>,
    baseline: &Baseline,
    n_sets: impl Iterator<Item = usize>,
    positions: impl Fn(usize, usize) -> &'p [u32] + Send + Sync,
) -> Result<FeatureDrops> {
    let blank = batch.shared(&BlankInputs(baseline.clone()))?;
    let blank: &[T] = &blank;
    let (places, mut starts) = (batch.run().positions(), vec![0]);
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for (sample, n) in n_sets.enumerate() {
        rows.extend((0..n).map(|set| (sample as u32, set as u32)));
        starts.push(rows.len());
    }
    let size = places.size();
    let scores = batch.score_changed(
        rows.len(),
        |row| rows[row].0 as usize,
        |row, values| {
            let (sample, set) = (rows[row].0 as usize, rows[row].1 as usize);
            let blank = &blank[sample * size..(sample + 1) * size];
            for &position in positions(sample, set) {
                places.copy(values, blank, position as usize);
            }
        },
        ", without one feature",
    )?;
    let base = batch.base_scores()?;
    let of_sample = |sample: usize| -> Range<usize> { starts[sample]..starts[sample + 1] };
    let drops = (0..batch.n_samples()).flat_map(|sample| {
        scores[of_sample(sample)]
            .iter()
            .map(move |score| base[sample] - score)
    });
    Ok(FeatureDrops {
        drops: drops.collect(),
        starts,
    })
}
