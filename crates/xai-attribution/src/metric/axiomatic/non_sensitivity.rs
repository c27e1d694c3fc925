//! Non-sensitivity.

use std::str::FromStr;

use xai_core::{Direction, Error, MetricInfo, Real, Result};

use crate::batch::explained::ExplainedBatch;
use crate::batch::plan::Plan;
use crate::batch::run_data::RunData;
use crate::input;
use crate::metric::kinds::score_metric::SCORE_NEEDS;
use crate::metric::options::{BASELINE_OPTION, MetricOption, OptionInfo, Registered, parse};
use crate::metric::parameters::takes_features;
use crate::metric::protocol::{Measure, Metric};
use crate::perturbation::absence::baseline::Baseline;
use crate::perturbation::features::Features;
use crate::perturbation::removal::single_removal::SingleRemoval;

/// How many features have an attribution though the model ignores them, or none though it does not?
///
/// ```text
/// NS_i = |A₀ Δ X₀|     A₀: features without attribution, X₀: features whose removal changes nothing
/// ```
///
/// A number of features of 0 to all, **lower is better**. A feature has no attribution where that of
/// each of its positions is smaller than [`zero_threshold`](NonSensitivity::zero_threshold), and is
/// ignored where the score changes by less than
/// [`change_threshold`](NonSensitivity::change_threshold), with each of the baselines: a feature that
/// is at one baseline already seems ignored. [`Mismatch`] counts one of the two errors only.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::NonSensitivity};
/// // A model that ignores its last feature.
/// let first = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let rows = batch.outer_iter().map(|x| x[0] + x[1]);
///     Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0]].into_dyn();
/// let map = array![[1.0, 0.0, 1.0]].into_dyn();
/// assert_eq!(NonSensitivity::new().evaluate(&first, x.view(), &[0], map.view())?.value, 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + features)` rows per baseline.
///
/// # Source
/// Nguyen and Martínez, *On quantitative aspects of model interpretability*, 2020. Quantus has one
/// threshold and one baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct NonSensitivity {
    baselines: Vec<Baseline>,
    features: Features,
    zero_threshold: f64,
    change_threshold: f64,
    mismatch: Mismatch,
}

/// Which features count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Mismatch {
    /// Both kinds.
    #[default]
    Both,
    /// Those that have an attribution though the model ignores them.
    Ignored,
    /// Those that have none though the model does not.
    Silent,
}

impl FromStr for Mismatch {
    type Err = Error;

    /// `both`, `ignored` or `silent`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "both" => Ok(Self::Both),
            "ignored" => Ok(Self::Ignored),
            "silent" => Ok(Self::Silent),
            _ => Err(Error::parameter(
                input::MISMATCH,
                text,
                "both, ignored or silent",
            )),
        }
    }
}

impl Default for NonSensitivity {
    fn default() -> Self {
        Self {
            baselines: vec![Baseline::default()],
            features: Features::default(),
            zero_threshold: 1e-5,
            change_threshold: 1e-5,
            mismatch: Mismatch::default(),
        }
    }
}

impl NonSensitivity {
    /// Single positions, baseline 0, thresholds of 1e-5.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What stands for absence: a number, a `Vec` of one number per channel, or any [`Baseline`].
    #[must_use]
    pub fn baseline(self, baseline: impl Into<Baseline>) -> Self {
        self.baselines(vec![baseline.into()])
    }

    /// Several baselines, at least one: a feature is ignored if none of them changes the score.
    #[must_use]
    pub fn baselines(mut self, baselines: Vec<Baseline>) -> Self {
        self.baselines = baselines;
        self
    }

    /// Below which size an attribution counts as none, at least 0.
    #[must_use]
    pub fn zero_threshold(mut self, threshold: f64) -> Self {
        self.zero_threshold = threshold;
        self
    }

    /// Below which change of the score a feature counts as ignored, at least 0.
    #[must_use]
    pub fn change_threshold(mut self, threshold: f64) -> Self {
        self.change_threshold = threshold;
        self
    }

    /// Which features count.
    #[must_use]
    pub fn mismatch(mut self, mismatch: Mismatch) -> Self {
        self.mismatch = mismatch;
        self
    }

    fn removal(&self, baseline: &Baseline) -> SingleRemoval {
        SingleRemoval {
            features: self.features,
            baseline: baseline.clone(),
        }
    }
}

takes_features!(NonSensitivity, features);

impl Metric for NonSensitivity {
    fn info(&self) -> &'static MetricInfo {
        <Self as Registered>::INFO
    }
}

impl<T: Real> Measure<T> for NonSensitivity {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        for (input, threshold) in [
            (input::ZERO_THRESHOLD, self.zero_threshold),
            (input::CHANGE_THRESHOLD, self.change_threshold),
        ] {
            if !(threshold >= 0.0 && threshold.is_finite()) {
                return Err(Error::parameter(
                    input,
                    threshold,
                    "a finite number, at least 0",
                ));
            }
        }
        if self.baselines.is_empty() {
            return Err(Error::empty(input::BASELINE));
        }
        let mut baselines = self.baselines.iter();
        baselines.try_for_each(|baseline| self.removal(baseline).prepare(run))
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        let mut baselines = self.baselines.iter();
        baselines.try_for_each(|baseline| self.removal(baseline).plan(plan))
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let drops = self
            .baselines
            .iter()
            .map(|b| batch.shared(&self.removal(b)));
        let drops = drops.collect::<Result<Vec<_>>>()?;
        let cells = batch.shared(&self.features)?;
        let attributions = explained.attributions()?;
        let n_positions = batch.run().n_positions();
        let value = |sample: usize| {
            let cells = cells.of(sample);
            let attributions = &attributions[sample * n_positions..(sample + 1) * n_positions];
            let counts = (0..cells.n_cells()).filter(|&feature| {
                let size = |&p: &u32| attributions[p as usize].to_f64_exact().abs();
                let mut sizes = cells.positions_of(feature).iter().map(size);
                let is_silent = sizes.all(|size| size < self.zero_threshold);
                let change = |d: f64| d.abs() < self.change_threshold;
                let is_ignored = drops.iter().all(|drops| change(drops.of(sample)[feature]));
                match self.mismatch {
                    Mismatch::Both => is_silent != is_ignored,
                    Mismatch::Ignored => is_ignored && !is_silent,
                    Mismatch::Silent => is_silent && !is_ignored,
                }
            });
            Some(counts.count() as f64)
        };
        Ok((0..batch.n_samples()).map(value).collect())
    }
}

impl Registered for NonSensitivity {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "non-sensitivity",
        title: "Non-sensitivity",
        question: "How many features have an attribution though the model ignores them, or none though it does not?",
        direction: Direction::Lower,
        range: "[0, n_features]",
        needs: SCORE_NEEDS,
        source: "Nguyen and Martínez, On quantitative aspects of model interpretability, 2020",
    };
    const OPTIONS: &'static [MetricOption<Self>] = &[
        MetricOption {
            info: BASELINE_OPTION,
            set: |metric, text| Ok(metric.baseline(text.parse::<Baseline>()?)),
        },
        Self::FEATURES,
        MetricOption {
            info: OptionInfo {
                name: "zero-threshold",
                value_name: "SIZE",
                default: "0.00001",
                help: "Up to which size an attribution counts as zero",
            },
            set: |metric, text| {
                let threshold = parse(input::ZERO_THRESHOLD, text, "a number, at least 0")?;
                Ok(metric.zero_threshold(threshold))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "change-threshold",
                value_name: "SCORE",
                default: "0.00001",
                help: "Below which change of the score a feature counts as ignored",
            },
            set: |metric, text| {
                let threshold = parse(input::CHANGE_THRESHOLD, text, "a number, at least 0")?;
                Ok(metric.change_threshold(threshold))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "mismatch",
                value_name: "both|ignored|silent",
                default: "both",
                help: "Which features count: with an attribution though ignored, or silent though not",
            },
            set: |metric, text| Ok(metric.mismatch(text.parse()?)),
        },
    ];

    fn with_defaults() -> Self {
        Self::new()
    }
}
