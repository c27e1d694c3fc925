//! Drops of the score when a single feature is removed.

use std::ops::Range;
use std::sync::Arc;

use xai_core::{Error, Real, Result};

use crate::batch::{BatchWork, Dataset, ExplainedBatch, MapWork, Plan, SampleBatch};
use crate::input;
use crate::perturbation::features::Plane;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::{Baseline, Features, OrderedPositions, RemovalOrder, RemovalTies};

/// Drop of each sample's score when a single feature is set to the baseline, for every feature.
///
/// Does not depend on the map, so explainers share it. Calls the model with one row per feature and one per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleRemoval {
    /// Grouping of positions into features.
    pub features: Features,
    /// Replacement for removed values.
    pub baseline: Baseline,
}

/// Drops for the features of every sample of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureDrops {
    drops: Vec<f64>,
    /// Start of each sample in `drops`.
    starts: Vec<usize>,
}

impl FeatureDrops {
    /// Drops of a sample, in the order of its features.
    #[must_use]
    pub fn for_sample(&self, sample: usize) -> &[f64] {
        &self.drops[self.starts[sample]..self.starts[sample + 1]]
    }
}

impl SingleRemoval {
    /// Checks the parameters. Called once per run, before the model.
    ///
    /// # Errors
    /// Those of features and baseline.
    pub fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.features.prepare(dataset)?;
        self.baseline.prepare(dataset)
    }

    /// Adds the planned rows of this work.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let counts = self.features.counts(plan.dataset())?;
        plan.base_scores();
        plan.once(self, counts.iter().map(|&count| count as u64).sum());
        Ok(())
    }
}

impl<T: Real> BatchWork<T> for SingleRemoval {
    type Output = FeatureDrops;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<FeatureDrops> {
        let cells = batch.shared(&self.features)?;
        let n_features = (0..batch.n_samples()).map(|sample| cells.for_sample(sample).n_cells());
        drops_without(batch, &self.baseline, n_features, |sample, feature| {
            cells.for_sample(sample).positions(feature).iter().copied()
        })
    }
}

/// Like [`SingleRemoval`], for every square of 1 to `largest` positions per side, at every position where it fits. In
/// time series a square is an interval of one variable, in tables a single feature.
#[derive(Debug, Clone, PartialEq)]
pub struct SquareRemoval {
    /// Side length of the largest squares, at least 1.
    pub largest: usize,
    /// Replacement for removed values.
    pub baseline: Baseline,
}

/// Squares of an input, numbered by size and then by position.
pub(crate) struct Squares {
    plane: Plane,
    /// Number of the first square of each side length, from 1 on, and the total number at the end.
    starts: Vec<usize>,
}

impl Squares {
    pub(crate) fn new<T: Real>(dataset: &Dataset<'_, T>, largest: usize) -> Self {
        let plane = Plane::new(dataset.shape(), dataset.layout());
        let mut starts = vec![0];
        for side in 1..=largest.min(plane.rows) {
            // Number of squares side by side. 0 if squares are wider than the input.
            let n_across = if plane.cuts_columns {
                (plane.columns + 1).saturating_sub(side)
            } else {
                plane.columns
            };
            starts.push(starts[side - 1] + (plane.rows + 1 - side) * n_across);
        }
        Self { plane, starts }
    }

    /// Number of squares.
    pub(crate) fn count(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Positions of a square.
    pub(crate) fn positions(&self, square: usize) -> impl Iterator<Item = u32> + Clone {
        // Side lengths without any square have the same start as the next one and are skipped by the search.
        let side = self.starts.partition_point(|&start| start <= square);
        let index = square - self.starts[side - 1];
        let columns = self.plane.columns;
        let (width, n_across) = if self.plane.cuts_columns {
            (side, columns + 1 - side)
        } else {
            (1, columns)
        };
        // Squares of a size are numbered in row-major order of their first position.
        let first = index / n_across * columns + index % n_across;
        (0..side * width).map(move |i| (first + i / width * columns + i % width) as u32)
    }
}

impl SquareRemoval {
    /// Checks the parameters. Called once per run, before the model.
    ///
    /// # Errors
    /// An invalid parameter for squares without positions; errors of the baseline.
    pub fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        if self.largest == 0 {
            return Err(Error::parameter(input::LARGEST, 0, "at least 1"));
        }
        self.baseline.prepare(dataset)
    }

    /// Adds the planned rows of this work.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        let n_squares = Squares::new(plan.dataset(), self.largest).count();
        plan.base_scores();
        plan.once(self, plan.n_samples() * n_squares as u64);
    }
}

impl<T: Real> BatchWork<T> for SquareRemoval {
    type Output = FeatureDrops;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<FeatureDrops> {
        let squares = Squares::new(batch.dataset(), self.largest);
        let counts = (0..batch.n_samples()).map(|_| squares.count());
        drops_without(batch, &self.baseline, counts, |_, square| {
            squares.positions(square)
        })
    }
}

/// Like [`SingleRemoval`], for groups of `group_size` consecutive positions in descending order of attribution. The
/// last group may be smaller.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedRemoval {
    /// Number of positions per group, at least 1.
    pub group_size: usize,
    /// Replacement for removed values.
    pub baseline: Baseline,
}

/// Drops for groups of positions, and the sums of their attributions.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedDrops {
    /// Drop per group.
    pub drops: FeatureDrops,
    /// Sum of the attributions per group, by sample.
    pub sums: Vec<Vec<f64>>,
}

impl RankedRemoval {
    /// Adds the planned rows of this work.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        let n_groups = n_groups(self.group_size, plan.dataset());
        plan.base_scores();
        plan.maps();
        plan.per_explainer(self, plan.n_samples() * n_groups as u64);
    }
}

impl<T: Real> MapWork<T> for RankedRemoval {
    type Output = RankedDrops;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<RankedDrops> {
        let batch = explained.batch();
        let order = RemovalOrder::MostRelevantFirst;
        let groups = RankedGroups::new(explained, order, self.group_size)?;
        let n_groups = n_groups(self.group_size, batch.dataset());
        let counts = (0..batch.n_samples()).map(|_| n_groups);
        let positions = groups.positions();
        let drops = drops_without(batch, &self.baseline, counts, |sample, group| {
            positions(sample, group).iter().copied()
        })?;
        Ok(RankedDrops {
            drops,
            sums: groups.sums(explained.attributions()?, |a| a),
        })
    }
}

/// Drops of the score without each of some sets of positions, for every sample.
fn drops_without<T: Real, P: Iterator<Item = u32>>(
    batch: &SampleBatch<'_, T>,
    baseline: &Baseline,
    n_sets: impl Iterator<Item = usize>,
    positions: impl Fn(usize, usize) -> P + Send + Sync,
) -> Result<FeatureDrops> {
    let remover = Remover::new(batch, baseline)?;
    let mut starts = vec![0];
    for n in n_sets {
        starts.push(starts[starts.len() - 1] + n);
    }
    // Searched rather than listed: if every position is a set, a list would be as large as the batch.
    let sample_of = |row: usize| starts.partition_point(|&start| start <= row) - 1;
    let scores = batch.score_changed(
        starts[starts.len() - 1],
        sample_of,
        |row, values| {
            let sample = sample_of(row);
            remover.remove(sample, values, positions(sample, row - starts[sample]));
        },
        ", without one feature",
    )?;
    remover.check()?;
    let base = batch.base_scores()?;
    let rows = |sample: usize| -> Range<usize> { starts[sample]..starts[sample + 1] };
    let drops = (0..batch.n_samples()).flat_map(|sample| {
        scores[rows(sample)]
            .iter()
            .map(move |score| base[sample] - score)
    });
    Ok(FeatureDrops {
        drops: drops.collect(),
        starts,
    })
}

/// Groups of consecutive positions in an order. The last one may be smaller.
pub(crate) struct RankedGroups {
    orders: Arc<Vec<Vec<u32>>>,
    group_size: usize,
    n_positions: usize,
}

/// Checks a group size. With a size of 1 (or 0), `features` determine the groups instead.
pub(crate) fn check_group_size<T: Real>(
    group_size: usize,
    features: Features,
    dataset: &Dataset<'_, T>,
) -> Result<()> {
    let expected = match group_size {
        0 | 1 => return Ok(()),
        _ if features != Features::Positions => "1, or single positions as features",
        _ if group_size >= dataset.n_positions() => {
            "less than all positions, so that there are two groups"
        }
        _ => return Ok(()),
    };
    Err(Error::parameter(input::GROUP_SIZE, group_size, expected))
}

/// Number of groups of `group_size` positions.
pub(crate) fn n_groups<T: Real>(group_size: usize, dataset: &Dataset<'_, T>) -> usize {
    dataset.n_positions().div_ceil(group_size.max(1))
}

impl RankedGroups {
    pub(crate) fn new<T: Real>(
        explained: &ExplainedBatch<'_, T>,
        order: RemovalOrder,
        group_size: usize,
    ) -> Result<Self> {
        let n_positions = explained.batch().dataset().n_positions();
        Ok(Self {
            orders: explained.shared(&OrderedPositions {
                order,
                n: n_positions,
                ties: RemovalTies::LowestIndex,
            })?,
            group_size,
            n_positions,
        })
    }

    /// Returns a function from a sample and a group to the positions of the group, callable from any thread.
    pub(crate) fn positions<'a>(&'a self) -> impl Fn(usize, usize) -> &'a [u32] + Send + Sync {
        let (orders, size): (&[Vec<u32>], _) = (&self.orders, self.group_size);
        move |sample, group| {
            let order = &orders[sample];
            &order[group * size..((group + 1) * size).min(order.len())]
        }
    }

    /// Sums of `transform(attribution)` over the positions of every group, by sample.
    pub(crate) fn sums<T: Real>(
        &self,
        attributions: &[T],
        transform: impl Fn(f64) -> f64,
    ) -> Vec<Vec<f64>> {
        let maps = attributions.chunks_exact(self.n_positions);
        let sums = self.orders.iter().zip(maps).map(|(order, map)| {
            let sum = |group: &[u32]| {
                let terms = group.iter().map(|&p| map[p as usize].to_f64_exact());
                terms.map(&transform).sum()
            };
            order.chunks(self.group_size).map(sum).collect()
        });
        sums.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EvaluationData;

    #[test]
    fn squares_have_at_least_one_position() {
        let x = ndarray::array![[1.0, 2.0]];
        let dataset = EvaluationData::new(x.view(), &[0])
            .check(false)
            .unwrap()
            .dataset;
        let baseline = Baseline::default();
        let work = SquareRemoval {
            largest: 0,
            baseline,
        };
        assert_eq!(work.prepare(&dataset).unwrap_err().input(), input::LARGEST);
    }
}
