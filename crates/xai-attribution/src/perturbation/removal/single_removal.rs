//! What the model says without one feature at a time.

use std::ops::Range;
use std::sync::Arc;

use xai_core::{Error, Real, Result};

use crate::batch::{BatchWork, ExplainedBatch, MapWork, Plan, RunData, SampleBatch};
use crate::input;
use crate::perturbation::features::Plane;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::{Baseline, Features, OrderedPositions, RemovalOrder, RemovalTies};

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
    pub fn for_sample(&self, sample: usize) -> &[f64] {
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
        let n_features = (0..batch.n_samples()).map(|sample| cells.for_sample(sample).n_cells());
        drops_without(batch, &self.baseline, n_features, |sample, feature| {
            cells.for_sample(sample).positions(feature).iter().copied()
        })
    }
}

/// As [`SingleRemoval`], of every square of 1 to so many positions along a side, wherever it fits into the
/// input. Of time series stretches of time of one feature are squares, of tables single features.
#[derive(Debug, Clone, PartialEq)]
pub struct SquareRemoval {
    /// The positions along a side of the largest squares, at least 1.
    pub largest: usize,
    /// What stands for absence.
    pub baseline: Baseline,
}

/// The squares of an input, by number.
pub(crate) struct Squares {
    plane: Plane,
    /// Where those of each size begin, from one position along a side on.
    starts: Vec<usize>,
}

impl Squares {
    pub(crate) fn new<T: Real>(run: &RunData<'_, T>, largest: usize) -> Self {
        let plane = Plane::new(run.shape(), run.layout());
        let mut starts = vec![0];
        for side in 1..=largest.min(plane.rows) {
            let across = match plane.cuts_columns {
                true => (plane.columns + 1).saturating_sub(side),
                false => plane.columns,
            };
            starts.push(starts[side - 1] + (plane.rows + 1 - side) * across);
        }
        Self { plane, starts }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The positions of a square.
    pub(crate) fn positions(&self, square: usize) -> impl Iterator<Item = u32> + Clone {
        let side = self.starts.partition_point(|&start| start <= square);
        let place = square - self.starts[side - 1];
        let columns = self.plane.columns;
        let (width, across) = match self.plane.cuts_columns {
            true => (side, columns + 1 - side),
            false => (1, columns),
        };
        let first = place / across * columns + place % across;
        (0..side * width).map(move |i| (first + i / width * columns + i % width) as u32)
    }
}

impl SquareRemoval {
    /// Checks the parameters: what a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// An invalid parameter about the size of squares; those of the baseline.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        self.baseline.prepare(run)
    }

    /// Adds the rows that the model sees for it.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        let n_squares = Squares::new(plan.run(), self.largest).count();
        plan.base_scores();
        plan.once(self, plan.n_samples() * n_squares as u64);
    }
}

impl<T: Real> BatchWork<T> for SquareRemoval {
    type Output = FeatureDrops;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<FeatureDrops> {
        let squares = Squares::new(batch.run(), self.largest);
        let counts = (0..batch.n_samples()).map(|_| squares.count());
        drops_without(batch, &self.baseline, counts, |_, square| {
            squares.positions(square)
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
        let n_groups = n_groups(self.group_size, plan.run());
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
        let n_groups = n_groups(self.group_size, batch.run());
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

/// The drops without each of some sets of positions of every sample.
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
    // A list of them would be as large as the batch where every position is a set.
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

/// Groups of so many positions that follow each other in an order; the last one may be smaller.
pub(crate) struct RankedGroups {
    orders: Arc<Vec<Vec<u32>>>,
    group_size: usize,
    n_positions: usize,
}

/// Checks a size of groups, of which 1 stands for features instead.
pub(crate) fn check_group_size<T: Real>(
    group_size: usize,
    features: Features,
    run: &RunData<'_, T>,
) -> Result<()> {
    let expected = match group_size {
        0 | 1 => return Ok(()),
        _ if features != Features::Positions => "1, or single positions as features",
        _ if group_size >= run.n_positions() => {
            "less than all positions, so that there are two groups"
        }
        _ => return Ok(()),
    };
    Err(Error::parameter(input::GROUP_SIZE, group_size, expected))
}

/// The number of groups of so many positions.
pub(crate) fn n_groups<T: Real>(group_size: usize, run: &RunData<'_, T>) -> usize {
    run.n_positions().div_ceil(group_size.max(1))
}

impl RankedGroups {
    pub(crate) fn new<T: Real>(
        explained: &ExplainedBatch<'_, T>,
        order: RemovalOrder,
        group_size: usize,
    ) -> Result<Self> {
        let n_positions = explained.batch().run().n_positions();
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

    /// What gives the positions of a group of a sample, on any thread.
    pub(crate) fn positions<'a>(&'a self) -> impl Fn(usize, usize) -> &'a [u32] + Send + Sync {
        let (orders, size): (&[Vec<u32>], _) = (&self.orders, self.group_size);
        move |sample, group| {
            let of_sample = &orders[sample];
            &of_sample[group * size..((group + 1) * size).min(of_sample.len())]
        }
    }

    /// The sums over the groups of every sample of a function of its attributions.
    pub(crate) fn sums<T: Real>(
        &self,
        attributions: &[T],
        of: impl Fn(f64) -> f64,
    ) -> Vec<Vec<f64>> {
        let of_samples = self
            .orders
            .iter()
            .zip(attributions.chunks_exact(self.n_positions));
        let sums = of_samples.map(|(order, attributions)| {
            let sum = |group: &[u32]| {
                let of_group = group.iter().map(|&p| attributions[p as usize]);
                of_group.map(|a| of(a.to_f64_exact())).sum()
            };
            order.chunks(self.group_size).map(sum).collect()
        });
        sums.collect()
    }
}
