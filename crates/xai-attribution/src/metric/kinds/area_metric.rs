//! Metrics that are the area under a curve of scores.

use std::marker::PhantomData;
use std::rc::Rc;

use xai_core::{Real, Result};

use crate::batch::explained::ExplainedBatch;
use crate::batch::run_data::RunData;
use crate::input;
use crate::metric::options::{
    BASELINE_OPTION, FEATURES_OPTION, MetricOption, OptionInfo, Registered, STEPS_OPTION, parse,
};
use crate::metric::protocol::{Measure, Metric};
use crate::perturbation::baseline::Baseline;
use crate::perturbation::features::Features;
use crate::perturbation::removal_curve::{CurveScores, RemovalCurve, Start, StepCount, Steps};
use crate::perturbation::removal_order::{RankBy, RemovalOrder};
use xai_core::MetricInfo;

/// Which curve an [`AreaMetric`] is the area under.
pub trait CurveKind: Copy + Default + Send + Sync + 'static {
    /// Name, question, direction, range, needs and source.
    const INFO: &'static MetricInfo;
    /// Which end the curve starts from.
    const START: Start;
    /// Which positions go first.
    const ORDER: RemovalOrder = RemovalOrder::MostRelevantFirst;
}

/// The area under a curve of scores along the removal of positions:
/// [`Deletion`](crate::Deletion), [`Insertion`](crate::Insertion), or a [`CurveKind`] of your own.
///
/// The model sees `n` rows for every step that flips anything, and for the start. Where a batch has
/// room for several steps of all its samples they go in one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AreaMetric<K> {
    steps: Steps,
    baseline: Baseline,
    features: Features,
    kind: PhantomData<K>,
}

impl<K: CurveKind> AreaMetric<K> {
    /// 10 steps over all positions, baseline 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of steps, at least 1; `None` is one step per position.
    #[must_use]
    pub fn steps(mut self, steps: Option<usize>) -> Self {
        self.steps.count = steps.map_or(StepCount::Size(1), StepCount::Number);
        self
    }

    /// The number of features that each step flips, at least 1, instead of a number of steps.
    #[must_use]
    pub fn step_size(mut self, features: usize) -> Self {
        self.steps.count = StepCount::Size(features);
        self
    }

    /// Which positions are flipped together; they are ranked by the sum of their attributions.
    #[must_use]
    pub fn features(mut self, features: Features) -> Self {
        self.features = features;
        self
    }

    /// The share of positions that the last step has flipped, in (0, 1].
    #[must_use]
    pub fn max_fraction(mut self, max_fraction: f64) -> Self {
        self.steps.max_fraction = max_fraction;
        self
    }

    /// What stands for absence: a number, a `Vec` of one number per channel, or any [`Baseline`].
    #[must_use]
    pub fn baseline(mut self, baseline: impl Into<Baseline>) -> Self {
        self.baseline = baseline.into();
        self
    }

    fn work(&self) -> RemovalCurve {
        RemovalCurve {
            order: K::ORDER,
            start: K::START,
            steps: self.steps,
            baseline: self.baseline.clone(),
            features: self.features,
            rank_by: RankBy::Sum,
        }
    }
}

impl<K: CurveKind> Metric for AreaMetric<K> {
    fn info(&self) -> &'static MetricInfo {
        K::INFO
    }
}

impl<T: Real, K: CurveKind> Measure<T> for AreaMetric<K> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.work().prepare(run)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let curve = explained.shared(&self.work())?;
        Ok(curve.areas().map(Some).collect())
    }

    fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Rc<CurveScores>>> {
        explained.shared(&self.work()).map(Some)
    }
}

impl<K: CurveKind> Registered for AreaMetric<K> {
    const INFO: &'static MetricInfo = K::INFO;
    const OPTIONS: &'static [MetricOption<Self>] = &[
        MetricOption {
            info: STEPS_OPTION,
            set: |mut metric, text| {
                metric.steps.count = text.parse()?;
                Ok(metric)
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "max-fraction",
                value_name: "SHARE",
                default: "1",
                help: "The share of positions that the last step has flipped",
            },
            set: |metric, text| {
                let share = parse(input::MAX_FRACTION, text, "a share in (0, 1]")?;
                Ok(metric.max_fraction(share))
            },
        },
        MetricOption {
            info: BASELINE_OPTION,
            set: |metric, text| Ok(metric.baseline(text.parse::<Baseline>()?)),
        },
        MetricOption {
            info: FEATURES_OPTION,
            set: |metric, text| Ok(metric.features(text.parse()?)),
        },
    ];

    fn with_defaults() -> Self {
        Self::new()
    }
}
