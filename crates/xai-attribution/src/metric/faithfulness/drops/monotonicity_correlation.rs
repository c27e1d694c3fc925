//! Monotonicity by correlation.

use std::ops::Range;
use std::str::FromStr;

use ndarray::Array3;
use xai_core::statistics::Correlation;
use xai_core::{Direction, Error, Input, Layout, MetricInfo, Real, Result};

use crate::batch::explained::{ExplainedBatch, MapWork};
use crate::batch::plan::Plan;
use crate::batch::run_data::RunData;
use crate::batch::samples::{BatchWork, SampleBatch};
use crate::batch::side::SideInput;
use crate::input;
use crate::metric::kinds::score_metric::SCORE_NEEDS;
use crate::metric::options::{
    GROUP_SIZE_OPTION, GivenDraws, MetricOption, OptionInfo, Registered, parse,
};
use crate::metric::parameters::takes_features;
use crate::metric::protocol::{Measure, Metric};
use crate::perturbation::features::{FeatureCells, Features};
use crate::perturbation::removal_order::{OrderedPositions, RemovalOrder};

/// Does the score depend most on the features with the largest attributions?
///
/// ```text
/// MC_i = Spearman's correlation over features of ( Σ |attribution| ,  mean over u of (g(f, x_i with the feature at u) − g(f, x_i))² )
/// ```
///
/// In [−1, 1], **higher is better**. `u` goes over the middles of `m` equal parts of a range of values
/// ([`ValueRange`]), all elements of a feature at the same one. A sample whose attributions are all of one size, or
/// whose score depends on all features alike, has no value.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::MonotonicityCorrelation};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let rows = batch.outer_iter().map(|x| 3.0 * x[0] - 2.0 * x[1] + x[2]);
///     Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
/// };
/// let x = array![[1.0, 1.0, 0.0]].into_dyn();
/// let map = array![[3.0, -2.0, 1.0]].into_dyn();
/// let value = MonotonicityCorrelation::new().evaluate(&model, x.view(), &[0], map.view())?;
/// assert_eq!(value.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + features · m)` rows, the same for all explainers.
///
/// # Source
/// Nguyen and Martínez, *On quantitative aspects of model interpretability*, 2020, who divide by the
/// squared score, which changes no ranks. Quantus draws `u` in [0, 1]: its numbers come with
/// [`ValueRange::Given`] and [`group_size`](MonotonicityCorrelation::group_size).
#[derive(Debug, Clone, PartialEq)]
pub struct MonotonicityCorrelation {
    features: Features,
    group_size: usize,
    values: Values,
}

/// The values that stand for all that a feature may be.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Values {
    range: ValueRange,
    n: usize,
}

/// Which values stand for all that a feature may be.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub enum ValueRange {
    /// From the smallest to the largest element of the input itself.
    #[default]
    Sample,
    /// From one number to another.
    Between(f64, f64),
    /// Those of [`GivenValues`], which also say their number: to repeat another tool's run.
    Given,
}

impl FromStr for ValueRange {
    type Err = Error;

    /// `sample`, or two numbers: `0:1`.
    fn from_str(text: &str) -> Result<Self> {
        if text == "sample" {
            return Ok(Self::Sample);
        }
        let expected = "sample, or two numbers LOW:HIGH";
        let (low, high) = text
            .split_once(':')
            .ok_or_else(|| Error::parameter(input::VALUE_RANGE, text, expected))?;
        let number = |text| parse(input::VALUE_RANGE, text, expected);
        Ok(Self::Between(number(low)?, number(high)?))
    }
}

/// Values that were drawn elsewhere, `(draws, n, features)`. Where groups of positions are features they are
/// in ascending order of the size of their attributions.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenValues(pub Array3<f64>);

impl SideInput for GivenValues {
    const INPUT: Input = input::GIVEN_VALUES;

    fn check(&self, shape: &[usize], _layout: Layout) -> Result<()> {
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

impl Default for MonotonicityCorrelation {
    fn default() -> Self {
        Self {
            features: Features::default(),
            group_size: 1,
            values: Values {
                range: ValueRange::default(),
                n: 10,
            },
        }
    }
}

impl MonotonicityCorrelation {
    /// Single positions, 10 values in the range of each sample.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Groups of so many positions that follow each other in ascending order of the size of their attributions,
    /// instead of [`features`](Self::features). 1 is the default. Such groups depend on the map, so that explainers
    /// do not share the scores.
    #[must_use]
    pub fn group_size(mut self, positions: usize) -> Self {
        self.group_size = positions;
        self
    }

    /// Which values a feature is set to.
    #[must_use]
    pub fn range(mut self, range: ValueRange) -> Self {
        self.values.range = range;
        self
    }

    /// How many values, at least 1.
    #[must_use]
    pub fn n_values(mut self, n: usize) -> Self {
        self.values.n = n;
        self
    }

    fn groups(&self) -> GroupChanges {
        GroupChanges {
            group_size: self.group_size,
            values: self.values,
        }
    }

    fn changes(&self) -> FeatureChanges {
        FeatureChanges {
            features: self.features,
            values: self.values,
        }
    }
}

takes_features!(MonotonicityCorrelation, features);

impl Values {
    fn prepare<T: Real>(&self, run: &RunData<'_, T>, n_features: usize) -> Result<()> {
        let range = |expected| {
            let actual = format!("{:?}", self.range);
            Err(Error::parameter(input::VALUE_RANGE, actual, expected))
        };
        match self.range {
            ValueRange::Given => {
                let given = &run.side::<GivenValues>()?.0;
                let (draws, n, features) = given.dim();
                return match features == n_features {
                    true => Ok(()),
                    false => {
                        let expected = [draws, n, n_features];
                        Err(Error::shape(input::GIVEN_VALUES, &expected, given.shape()))
                    }
                };
            }
            ValueRange::Between(low, high) => {
                let fits = |x: f64| x.is_finite() && T::from_f64_nearest(x).is_finite();
                if !(low < high && fits(low) && fits(high)) {
                    return range("two finite numbers that the inputs can hold, the lower first");
                }
            }
            ValueRange::Sample => {}
        }
        match (1..=1 << 20).contains(&self.n) {
            true => Ok(()),
            false => {
                let expected = "at least 1 and at most 1 048 576";
                Err(Error::parameter(input::N_VALUES, self.n, expected))
            }
        }
    }

    /// How many there are.
    fn count<T: Real>(&self, run: &RunData<'_, T>) -> Result<usize> {
        match self.range {
            ValueRange::Given => Ok(run.side::<GivenValues>()?.0.dim().0),
            _ => Ok(self.n),
        }
    }

    /// What makes the values of a batch.
    fn source<'a, T: Real>(&self, batch: &SampleBatch<'a, T>) -> Result<ValueSource<'a>> {
        let size = batch.run().positions().size();
        let range = |sample: &[T]| match self.range {
            ValueRange::Between(low, high) => low..high,
            _ => {
                let low = sample.iter().copied().fold(T::infinity(), T::min);
                let high = sample.iter().copied().fold(T::neg_infinity(), T::max);
                low.to_f64_exact()..high.to_f64_exact()
            }
        };
        let given = match self.range {
            ValueRange::Given => Some(&batch.run().side::<GivenValues>()?.0),
            _ => None,
        };
        Ok(ValueSource {
            n: self.count(batch.run())?,
            given,
            first_sample: batch.samples().start,
            ranges: batch.values().chunks_exact(size).map(range).collect(),
        })
    }
}

/// The values of a batch.
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
        let share = (draw as f64 + 0.5) / self.n as f64;
        // Neither end can overflow, unlike their difference.
        start * (1.0 - share) + end * share
    }
}

/// Scores that are held before their means are taken.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The mean squared changes of the score with each set of positions at each value, set by set.
fn squared_changes<'p, T: Real>(
    batch: &SampleBatch<'_, T>,
    values: &Values,
    n_sets: impl Fn(usize) -> usize,
    positions: impl Fn(usize, usize) -> &'p [u32] + Send + Sync,
) -> Result<Vec<Vec<f64>>> {
    let source = values.source(batch)?;
    let sets = |sample: usize| (0..n_sets(sample)).map(move |set| (sample as u32, set as u32));
    let sets: Vec<(u32, u32)> = (0..batch.n_samples()).flat_map(sets).collect();
    let places = batch.run().positions();
    let base = batch.base_scores()?;
    let mut means = vec![Vec::new(); batch.n_samples()];
    for sets in sets.chunks(ROWS_AT_ONCE.div_ceil(source.n)) {
        let of_row = |row: usize| {
            let (sample, set) = sets[row / source.n];
            (sample as usize, set as usize)
        };
        let scores = batch.score_changed(
            sets.len() * source.n,
            |row| of_row(row).0,
            |row, elements| {
                let (sample, set) = of_row(row);
                let value = T::from_f64_nearest(source.value(sample, set, row % source.n));
                for &position in positions(sample, set) {
                    let changed = places.elements(position as usize);
                    changed.for_each(|element| elements[element] = value);
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

/// Of features, whatever the map says.
#[derive(Debug, Clone, PartialEq)]
struct FeatureChanges {
    features: Features,
    values: Values,
}

impl<T: Real> BatchWork<T> for FeatureChanges {
    type Output = Vec<Vec<f64>>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Vec<f64>>> {
        let cells = batch.shared(&self.features)?;
        let cells: &FeatureCells = &cells;
        let n_cells = |sample| cells.of(sample).n_cells();
        squared_changes(batch, &self.values, n_cells, |sample, cell| {
            cells.of(sample).positions_of(cell)
        })
    }
}

/// Of groups of positions by ascending size of their attributions; the sizes of groups, and the changes.
#[derive(Debug, Clone, PartialEq)]
struct GroupChanges {
    group_size: usize,
    values: Values,
}

impl<T: Real> MapWork<T> for GroupChanges {
    type Output = (Vec<Vec<f64>>, Vec<Vec<f64>>);

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Self::Output> {
        let batch = explained.batch();
        let n_positions = batch.run().n_positions();
        let orders = explained.shared(&OrderedPositions {
            order: RemovalOrder::SmallestFirst,
            n: n_positions,
        })?;
        let orders: &[Vec<u32>] = &orders;
        let group = |sample: usize, group: usize| {
            let first = group * self.group_size;
            &orders[sample][first..(first + self.group_size).min(n_positions)]
        };
        let n_groups = n_positions.div_ceil(self.group_size);
        let changes = squared_changes(batch, &self.values, |_| n_groups, group)?;
        let attributions = explained.attributions()?;
        let size = |sample: usize, g: usize| {
            let of_position = |&p: &u32| attributions[sample * n_positions + p as usize];
            let sizes = group(sample, g).iter().map(of_position);
            sizes.map(|a| a.to_f64_exact().abs()).sum()
        };
        let sizes = |sample| (0..n_groups).map(|g| size(sample, g)).collect();
        Ok(((0..batch.n_samples()).map(sizes).collect(), changes))
    }
}

impl Metric for MonotonicityCorrelation {
    fn info(&self) -> &'static MetricInfo {
        <Self as Registered>::INFO
    }
}

impl<T: Real> Measure<T> for MonotonicityCorrelation {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        let group_size = self.group_size;
        if group_size == 0 || (group_size > 1 && self.features != Features::Positions) {
            let expected = "at least 1, and more than 1 of single positions only";
            return Err(Error::parameter(input::GROUP_SIZE, group_size, expected));
        }
        self.features.prepare(run)?;
        let n_features = self.features.most(run)?.div_ceil(group_size);
        self.values.prepare(run, n_features)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let run = plan.run();
        let n_values = self.values.count(run)? as u64;
        plan.base_scores();
        plan.maps();
        if self.group_size > 1 {
            let n_groups = run.n_positions().div_ceil(self.group_size) as u64;
            plan.per_explainer(&self.groups(), plan.n_samples() * n_groups * n_values);
        } else {
            let counts = self.features.counts(run)?;
            let n_features: u64 = counts.iter().map(|&count| count as u64).sum();
            plan.once(&self.changes(), n_features * n_values);
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let correlation = |(sizes, changes): (&Vec<f64>, &Vec<f64>)| {
            Correlation::Spearman.of_finite(sizes, changes)
        };
        if self.group_size > 1 {
            let groups = explained.shared(&self.groups())?;
            return Ok(groups.0.iter().zip(&groups.1).map(correlation).collect());
        }
        let changes = batch.shared(&self.changes())?;
        let cells = batch.shared(&self.features)?;
        let attributions = explained.attributions()?;
        let of_samples = attributions.chunks_exact(batch.run().n_positions());
        let value = |(sample, attributions): (usize, &[T])| {
            let sizes: Vec<T> = attributions.iter().map(|a| a.abs()).collect();
            correlation((&cells.of(sample).sums(&sizes), &changes[sample]))
        };
        Ok(of_samples.enumerate().map(value).collect())
    }
}

impl Registered for MonotonicityCorrelation {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "monotonicity-correlation",
        title: "Monotonicity correlation",
        question: "Does the score depend most on the features with the largest attributions?",
        direction: Direction::Higher,
        range: "[-1, 1]",
        needs: SCORE_NEEDS,
        source: "Nguyen and Martínez, On quantitative aspects of model interpretability, 2020",
    };
    const OPTIONS: &'static [MetricOption<Self>] = &[
        Self::FEATURES,
        MetricOption {
            info: GROUP_SIZE_OPTION,
            set: |metric, text| {
                let expected = "a number of positions, at least 1";
                Ok(metric.group_size(parse(input::GROUP_SIZE, text, expected)?))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "value-range",
                value_name: "RANGE",
                default: "sample",
                help: "The range of values that a feature is set to: that of the `sample`, or LOW:HIGH",
            },
            set: |metric, text| Ok(metric.range(text.parse()?)),
        },
        MetricOption {
            info: OptionInfo {
                name: "n-values",
                value_name: "N",
                default: "10",
                help: "Values that a feature is set to",
            },
            set: |metric, text| {
                let n = parse(input::N_VALUES, text, "a number of values, at least 1")?;
                Ok(metric.n_values(n))
            },
        },
    ];

    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(GivenDraws {
        input: input::GIVEN_VALUES,
        take: |metric| metric.range(ValueRange::Given),
    });

    fn with_defaults() -> Self {
        Self::new()
    }
}
