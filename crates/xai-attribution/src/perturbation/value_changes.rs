//! Changes of the score when features are set to other values of their range.

use std::ops::Range;

use ndarray::Array3;
use xai_core::describe::Parameter;
use xai_core::{Error, Input, InputLayout, Real, Result};

use crate::batch::{BatchWork, Dataset, ExplainedBatch, MapWork, Plan, SampleBatch};
use crate::input;
use crate::perturbation::removal::single_removal::{RankedGroups, n_groups};
use crate::perturbation::{FeatureCells, Features, RemovalOrder};
use crate::side::SideInput;

/// Values that represent the possible values of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Values {
    pub(crate) range: ValueRange,
    pub(crate) n: usize,
}

/// Range of the values that represent the possible values of a feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameter)]
#[non_exhaustive]
pub enum ValueRange {
    /// From the smallest to the largest element of the sample.
    #[default]
    Sample,
    /// From one number to another.
    #[param(plain)]
    Between((f64, f64)),
    /// The values of [`PrecomputedValues`], which also determine their number, for reproducing a run of another tool.
    #[param(skip)]
    Given,
}

/// Given values, `(draws, n, features)`. If groups of positions are features, they are ordered by ascending magnitude
/// of their attributions.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecomputedValues(pub Array3<f64>);

impl SideInput for PrecomputedValues {
    const INPUT: Input = input::GIVEN_VALUES;

    fn check(&self, shape: &[usize], _layout: InputLayout) -> Result<()> {
        let (draws, n, _) = self.0.dim();
        if draws == 0 || n != shape[0] {
            let expected = format!("(draws, {}, features)", shape[0]);
            return Err(Error::shape_described(
                Self::INPUT,
                expected,
                self.0.shape(),
            ));
        }
        xai_core::number::check_finite(Self::INPUT, self.0.view())
    }
}

impl Values {
    /// Checks the range and, for given values, the number of features.
    pub(crate) fn prepare<T: Real>(
        &self,
        dataset: &Dataset<'_, T>,
        n_features: usize,
    ) -> Result<()> {
        dataset.refuse_masked_model()?;
        match self.range {
            ValueRange::Given => {
                let given = &dataset.side::<PrecomputedValues>()?.0;
                let (draws, n, features) = given.dim();
                if features != n_features {
                    let expected = [draws, n, n_features];
                    return Err(Error::shape(input::GIVEN_VALUES, &expected, given.shape()));
                }
            }
            ValueRange::Between((low, high)) => {
                let fits = |x: f64| x.is_finite() && T::from_f64_nearest(x).is_finite();
                if !(low < high && fits(low) && fits(high)) {
                    let expected = "two finite numbers that the inputs can hold, the lower first";
                    let actual = self.range.to_value();
                    return Err(Error::parameter(input::VALUE_RANGE, actual, expected));
                }
            }
            ValueRange::Sample => {}
        }
        Ok(())
    }

    /// Number of values per feature.
    fn count<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<usize> {
        match self.range {
            ValueRange::Given => Ok(dataset.side::<PrecomputedValues>()?.0.dim().0),
            _ => Ok(self.n),
        }
    }

    /// Generator of the values of a batch.
    fn source<'a, T: Real>(&self, batch: &SampleBatch<'a, T>) -> Result<ValueSource<'a>> {
        let size = batch.dataset().positions().size();
        let range = |sample: &[T]| match self.range {
            ValueRange::Between((low, high)) => low..high,
            _ => {
                let low = sample.iter().copied().fold(T::INFINITY, T::min);
                let high = sample.iter().copied().fold(T::NEG_INFINITY, T::max);
                low.to_f64_exact()..high.to_f64_exact()
            }
        };
        let given = match self.range {
            ValueRange::Given => Some(&batch.dataset().side::<PrecomputedValues>()?.0),
            _ => None,
        };
        Ok(ValueSource {
            n: self.count(batch.dataset())?,
            given,
            first_sample: batch.samples().start,
            ranges: batch.values().chunks_exact(size).map(range).collect(),
        })
    }
}

/// Generator of the values of a batch.
struct ValueSource<'a> {
    n: usize,
    given: Option<&'a Array3<f64>>,
    first_sample: usize,
    ranges: Vec<Range<f64>>,
}

impl ValueSource<'_> {
    fn value(&self, sample: usize, feature: usize, draw: usize) -> f64 {
        if let Some(given) = self.given {
            return given[[draw, self.first_sample + sample, feature]];
        }
        let Range { start, end } = self.ranges[sample];
        // Midpoints of n equal intervals.
        let share = (draw as f64 + 0.5) / self.n as f64;
        // Unlike `start + share * (end - start)`, no intermediate result can overflow.
        start * (1.0 - share) + end * share
    }
}

/// Number of scores that are kept at once before they are averaged.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Mean squared change of the score for each set of positions over its values, set by set.
fn squared_changes<'p, T: Real>(
    batch: &SampleBatch<'_, T>,
    values: &Values,
    n_sets: impl Fn(usize) -> usize,
    positions: impl Fn(usize, usize) -> &'p [u32] + Send + Sync,
) -> Result<Vec<Vec<f64>>> {
    let source = values.source(batch)?;
    let sample_sets =
        |sample: usize| (0..n_sets(sample)).map(move |set| (sample as u32, set as u32));
    let sets: Vec<(u32, u32)> = (0..batch.n_samples()).flat_map(sample_sets).collect();
    let element_layout = batch.dataset().positions();
    let base = batch.base_scores()?;
    let mut means = vec![Vec::new(); batch.n_samples()];
    // Bounds the number of scores in memory; only one mean per set is kept.
    for sets in sets.chunks(ROWS_AT_ONCE.div_ceil(source.n)) {
        let sample_and_set = |row: usize| {
            let (sample, set) = sets[row / source.n];
            (sample as usize, set as usize)
        };
        let scores = batch.score_changed(
            sets.len() * source.n,
            |row| sample_and_set(row).0,
            |row, elements| {
                let (sample, set) = sample_and_set(row);
                let value = T::from_f64_nearest(source.value(sample, set, row % source.n));
                for &position in positions(sample, set) {
                    for element in element_layout.elements(position as usize) {
                        elements[element] = value;
                    }
                }
            },
            ", with one feature at other values",
        )?;
        for (&(sample, _), scores) in sets.iter().zip(scores.chunks_exact(source.n)) {
            let square = |score: &f64| (score - base[sample as usize]).powi(2);
            let mean = scores.iter().map(square).sum::<f64>() / source.n as f64;
            means[sample as usize].push(mean);
        }
    }
    Ok(means)
}

/// Changes for features, independent of the map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureChanges {
    pub(crate) features: Features,
    pub(crate) values: Values,
}

impl FeatureChanges {
    /// Adds the planned rows of this work.
    pub(crate) fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let counts = self.features.counts(plan.dataset())?;
        let n_features: u64 = counts.iter().map(|&count| count as u64).sum();
        let n_values = self.values.count(plan.dataset())? as u64;
        plan.base_scores();
        plan.once(self, n_features * n_values);
        Ok(())
    }
}

impl<T: Real> BatchWork<T> for FeatureChanges {
    type Output = Vec<Vec<f64>>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Vec<f64>>> {
        let shared_cells = batch.shared(&self.features)?;
        // A plain reference, because the positions below must outlive the closure that borrows them.
        let cells: &FeatureCells = &shared_cells;
        let n_cells = |sample| cells.for_sample(sample).n_cells();
        squared_changes(batch, &self.values, n_cells, |sample, cell| {
            cells.for_sample(sample).positions(cell)
        })
    }
}

/// Changes for groups of positions in ascending order of the magnitude of their attributions. The result is the sum
/// of the magnitudes and the change per group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupChanges {
    pub(crate) group_size: usize,
    pub(crate) values: Values,
}

impl GroupChanges {
    /// Adds the planned rows of this work.
    pub(crate) fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_groups = n_groups(self.group_size, plan.dataset()) as u64;
        let n_values = self.values.count(plan.dataset())? as u64;
        plan.base_scores();
        plan.maps();
        plan.per_explainer(self, plan.n_samples() * n_groups * n_values);
        Ok(())
    }
}

impl<T: Real> MapWork<T> for GroupChanges {
    type Output = (Vec<Vec<f64>>, Vec<Vec<f64>>);

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Self::Output> {
        let batch = explained.batch();
        let order = RemovalOrder::SmallestFirst;
        let groups = RankedGroups::new(explained, order, self.group_size)?;
        let n_groups = n_groups(self.group_size, batch.dataset());
        let changes = squared_changes(batch, &self.values, |_| n_groups, groups.positions())?;
        Ok((groups.sums(explained.attributions()?, f64::abs), changes))
    }
}
