//! F-Fidelity.

use std::fmt::Debug;
use std::marker::PhantomData;

use xai_core::random::{random_stream, uniform_index};
use xai_core::{Direction, Error, MetricInfo, Real, Result};

use crate::batch::explained::{ExplainedBatch, MapWork};
use crate::batch::plan::Plan;
use crate::batch::run_data::RunData;
use crate::input;
use crate::metric::kinds::score_metric::SCORE_NEEDS;
use crate::metric::options::{
    DRAWS_OPTION, MetricOption, OptionInfo, Registered, STEPS_OPTION, parse,
};
use crate::metric::parameters::{takes_baseline, takes_features, takes_seed};
use crate::metric::protocol::{Measure, Metric};
use crate::perturbation::absence::baseline::Baseline;
use crate::perturbation::features::{FeatureCells, Features};
use crate::perturbation::removal::removal_order::{OrderedFeatures, RankBy, RemovalOrder};
use crate::perturbation::removal::removed::Absence;
use crate::perturbation::removal::steps::{Counts, StepCount, Steps};

/// Which end of the ranking an [`FFidelityMetric`] removes from.
pub trait RankedPart: Debug + Copy + Default + PartialEq + Send + Sync + 'static {
    /// Name, question, direction, range, needs and source.
    const INFO: &'static MetricInfo;

    /// The orders whose first features are the part, and what the mean drop of each counts for.
    const ORDERS: &'static [(RemovalOrder, f64)];
}

/// How much further does the score fall without random parts of the most relevant features than of the
/// least?
///
/// ```text
/// FF±_i = mean over steps k and draws of ( g(f, x_i) − g(f, x_i without a random share β of its k first features) )
/// ```
///
/// [`FFidelityPositive`] of the most relevant features, **higher is better**; [`FFidelityNegative`] of the
/// least relevant, **lower is better**; [`FFidelity`] is their difference, **higher is better**. In units of
/// the score. Removing all of the first features, as [`Deletion`](crate::Deletion) does, shows the model
/// inputs unlike any it was trained on; a random share β of them, rounded and at least one, lacks no more than a
/// model has seen that was fine-tuned on inputs without random shares up to β of their features. The
/// fine-tuned model is the one to hand in. Sample `i` draws from streams of its own under the seed, the same
/// ranks for all explainers.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::FFidelity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0]].into_dyn();
/// // All of the part: 4 and then 6 of the most relevant, 2 and then 6 of the least.
/// let metric = FFidelity::new().removed_share(1.0);
/// let value = metric.evaluate(&sum, x.view(), &[0], x.view())?.value;
/// assert_eq!(value, (4.0 + 6.0) / 2.0 - (2.0 + 6.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + steps · draws)` rows for each end.
///
/// # Source
/// Zheng et al., *F-Fidelity: A Robust Framework for Faithfulness Evaluation of Explainable AI*, 2025, who
/// draw a share α of the part and cap it at β of all features, and report accuracies; with scores it
/// also moves where no prediction changes. The sibling for graphs is robust fidelity.
#[derive(Debug, Clone, PartialEq)]
pub struct FFidelityMetric<K> {
    sampling: Sampling,
    baseline: Baseline,
    part: PhantomData<K>,
}

/// [`FFidelityMetric`] of both ends.
pub type FFidelity = FFidelityMetric<BothEnds>;

/// [`FFidelityMetric`] of the most relevant features.
pub type FFidelityPositive = FFidelityMetric<MostRelevant>;

/// [`FFidelityMetric`] of the least relevant features.
pub type FFidelityNegative = FFidelityMetric<LeastRelevant>;

/// The parts of [`FFidelity`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BothEnds;

/// The part of [`FFidelityPositive`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MostRelevant;

/// The part of [`FFidelityNegative`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeastRelevant;

const SOURCE: &str = "Zheng et al., F-Fidelity, 2025";

impl RankedPart for BothEnds {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "f-fidelity",
        title: "F-Fidelity",
        question: "How much further does the score fall without random parts of the most than of the least relevant features?",
        direction: Direction::Higher,
        range: "(-inf, inf)",
        needs: SCORE_NEEDS,
        source: SOURCE,
    };
    const ORDERS: &'static [(RemovalOrder, f64)] = &[
        (RemovalOrder::MostRelevantFirst, 1.0),
        (RemovalOrder::LeastRelevantFirst, -1.0),
    ];
}

impl RankedPart for MostRelevant {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "f-fidelity-positive",
        title: "F-Fidelity, positive",
        question: "How far does the score fall without random parts of the most relevant features?",
        direction: Direction::Higher,
        range: "(-inf, inf)",
        needs: SCORE_NEEDS,
        source: SOURCE,
    };
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::MostRelevantFirst, 1.0)];
}

impl RankedPart for LeastRelevant {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "f-fidelity-negative",
        title: "F-Fidelity, negative",
        question: "How far does the score fall without random parts of the least relevant features?",
        direction: Direction::Lower,
        range: "(-inf, inf)",
        needs: SCORE_NEEDS,
        source: SOURCE,
    };
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::LeastRelevantFirst, 1.0)];
}

/// What is removed.
#[derive(Debug, Clone, PartialEq)]
struct Sampling {
    steps: Steps,
    features: Features,
    share: f64,
    draws: usize,
    seed: u64,
}

impl<K> Default for FFidelityMetric<K> {
    fn default() -> Self {
        Self {
            sampling: Sampling {
                steps: Steps::default(),
                features: Features::default(),
                share: 0.1,
                draws: 20,
                seed: 1,
            },
            baseline: Baseline::default(),
            part: PhantomData,
        }
    }
}

impl<K: RankedPart> FFidelityMetric<K> {
    /// 10 steps over all positions, 20 draws of a tenth of the part, baseline 0, seed 1.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of steps, at least 1; `None` is one step per feature.
    #[must_use]
    pub fn steps(mut self, steps: Option<usize>) -> Self {
        self.sampling.steps.count = steps.map_or(StepCount::Size(1), StepCount::Number);
        self
    }

    /// The share β of the part that is removed at a time, in (0, 1].
    #[must_use]
    pub fn removed_share(mut self, share: f64) -> Self {
        self.sampling.share = share;
        self
    }

    /// How often it is drawn at each step, at least 1.
    #[must_use]
    pub fn draws(mut self, draws: usize) -> Self {
        self.sampling.draws = draws;
        self
    }

    fn work(&self, order: RemovalOrder) -> PartlyRemoved {
        PartlyRemoved {
            order,
            sampling: self.sampling.clone(),
            baseline: self.baseline.clone(),
        }
    }
}

takes_baseline!(FFidelityMetric<K: RankedPart>, baseline);
takes_features!(FFidelityMetric<K: RankedPart>, sampling.features);
takes_seed!(FFidelityMetric<K: RankedPart>, sampling.seed);

impl Sampling {
    fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        self.features.prepare(run)?;
        run.shared(&self.counts())?;
        if !(self.share > 0.0 && self.share <= 1.0) {
            let expected = "a share in (0, 1]";
            return Err(Error::parameter(input::REMOVED_SHARE, self.share, expected));
        }
        match (1..=1 << 20).contains(&self.draws) {
            true => Ok(()),
            false => {
                let expected = "at least 1 and at most 1 048 576";
                Err(Error::parameter(input::DRAWS, self.draws, expected))
            }
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            steps: self.steps.clone(),
            features: self.features,
        }
    }

    /// Draws ranks below the size of a part.
    fn draw(&self, part: usize, item: u64) -> Vec<u32> {
        let n = ((part as f64 * self.share).round() as usize).clamp(1, part);
        let mut stream = random_stream(self.seed, item);
        let mut deck: Vec<u32> = (0..part as u32).collect();
        for place in 0..n {
            let other = place + uniform_index(&mut stream, part - place);
            deck.swap(place, other);
        }
        deck.truncate(n);
        deck
    }
}

/// The mean drop of every sample over all steps and draws, from one end of the ranking.
#[derive(Debug, Clone, PartialEq)]
struct PartlyRemoved {
    order: RemovalOrder,
    sampling: Sampling,
    baseline: Baseline,
}

impl<T: Real> MapWork<T> for PartlyRemoved {
    type Output = Vec<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let sampling = &self.sampling;
        let cells = batch.shared(&sampling.features)?;
        let orders = explained.shared(&OrderedFeatures {
            features: sampling.features,
            order: self.order,
            rank_by: RankBy::Sum,
        })?;
        let absence = Absence::new(batch, &self.baseline)?;
        let remover = absence.remover(batch);
        // What threads may share; the caches may not be.
        let (cells, orders): (&FeatureCells, &[Vec<u32>]) = (&cells, &orders);
        let counts = batch.run().shared(&sampling.counts())?;
        let parts = &counts[1..];
        let per_sample = parts.len() * sampling.draws;
        let first_item = batch.item(0).wrapping_mul(per_sample as u64);
        let scores = batch.score_changed(
            batch.n_samples() * per_sample,
            |row| row / per_sample,
            |row, values| {
                let sample = row / per_sample;
                let (cells, order) = (cells.of(sample), &orders[sample]);
                // Of a sample with fewer segments than another, all.
                let part = parts[row % per_sample / sampling.draws].min(order.len());
                let ranks = sampling.draw(part, first_item.wrapping_add(row as u64));
                let drawn = ranks.iter().map(|&rank| order[rank as usize] as usize);
                let positions = drawn.flat_map(|cell| cells.positions_of(cell).iter().copied());
                remover.remove(sample, values, positions);
            },
            ", without a part of some features",
        )?;
        remover.check()?;
        let drop = |(base, scores): (&f64, &[f64])| {
            let drops = scores.iter().map(|score| base - score);
            drops.sum::<f64>() / per_sample as f64
        };
        let base = batch.base_scores()?.iter();
        Ok(base
            .zip(scores.chunks_exact(per_sample))
            .map(drop)
            .collect())
    }
}

impl<K: RankedPart> Metric for FFidelityMetric<K> {
    fn info(&self) -> &'static MetricInfo {
        K::INFO
    }
}

impl<T: Real, K: RankedPart> Measure<T> for FFidelityMetric<K> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.sampling.prepare(run)?;
        self.baseline.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_parts = plan.run().shared(&self.sampling.counts())?.len() - 1;
        let rows = plan.n_samples() * (n_parts * self.sampling.draws) as u64;
        plan.base_scores();
        plan.maps();
        for &(order, _) in K::ORDERS {
            plan.per_explainer(&self.work(order), rows);
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let mut values = vec![0.0; explained.batch().n_samples()];
        for &(order, weight) in K::ORDERS {
            let drops = explained.shared(&self.work(order))?;
            for (value, drop) in values.iter_mut().zip(&**drops) {
                *value += weight * drop;
            }
        }
        Ok(values.into_iter().map(Some).collect())
    }
}

impl<K: RankedPart> Registered for FFidelityMetric<K> {
    const INFO: &'static MetricInfo = K::INFO;
    const OPTIONS: &'static [MetricOption<Self>] = &[
        MetricOption {
            info: STEPS_OPTION,
            set: |mut metric, text| {
                metric.sampling.steps.count = text.parse()?;
                Ok(metric)
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "removed-share",
                value_name: "SHARE",
                default: "0.1",
                help: "The random share of the ranked features that is removed at a time",
            },
            set: |metric, text| {
                Ok(metric.removed_share(parse(input::REMOVED_SHARE, text, "a share in (0, 1]")?))
            },
        },
        MetricOption {
            info: DRAWS_OPTION,
            set: |metric, text| {
                Ok(metric.draws(parse(input::DRAWS, text, "a number, at least 1")?))
            },
        },
        Self::BASELINE,
        Self::FEATURES,
        Self::SEED,
    ];

    fn with_defaults() -> Self {
        Self::new()
    }
}
