//! Non-sensitivity: features without attribution against features that the model ignores.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::{Measure, SCORE_NEEDS, Threshold};
use crate::perturbation::{Baseline, Features, SingleRemoval};

/// Number of features with an attribution that the model ignores, or without one that it uses.
///
/// ```text
/// |A₀ Δ X₀|, A₀ the features without attribution, X₀ those whose removal changes nothing
/// ```
///
/// A number of features from 0 to all, **lower is better**. A feature has no attribution if the magnitude at each of
/// its positions is 0 or below [`zero_threshold`](NonSensitivity::zero_threshold) (by default a share of the map's
/// largest magnitude, so that its scale does not matter). The model ignores a feature if the score changes by less than
/// [`change_threshold`](NonSensitivity::change_threshold) when it is set to the baseline, and to each of
/// [`more_baselines`](NonSensitivity::more_baselines): a feature that equals a baseline always seems to be ignored with
/// it. [`mismatch`](NonSensitivity::mismatch) can restrict the count to one of the two kinds of mismatch.
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
/// The model sees `n · (1 + features · baselines)` rows.
///
/// Defaults: single positions, baseline 0, attributions below 1e-5 of the largest, changes of the score below 1e-5.
///
/// # Extremes
/// 0: attributions are 0 exactly for the features that the model ignores. n_features: they disagree on every feature.
///
/// # Limits
/// Few explainers return exactly 0, so that the value depends on the threshold. A feature that equals the baseline
/// seems to be ignored.
///
/// # Source
/// Nguyen and Martínez, *On quantitative aspects of model interpretability*, 2020.
///
/// Quantus uses one baseline, and one absolute threshold for maps divided by their largest |attribution|.
///
/// # Elsewhere
/// `quantus.NonSensitivity`
#[metric(
    name = "non-sensitivity",
    title = "Non-sensitivity",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE.up_to_data("n_features"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.0,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct NonSensitivity {
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Further baselines: a feature is ignored if no baseline changes the score.
    #[param(none = "none", none_doc = "Only `baseline`.", no_setter)]
    more_baselines: Option<Vec<Baseline>>,
    /// Grouping of positions into features.
    features: Features,
    /// Magnitude below which an attribution counts as zero: a number, or a share of the map's largest.
    #[param(into, default = Threshold::OfLargest(1e-5))]
    zero_threshold: Threshold,
    /// Change of the score below which a feature counts as ignored.
    #[param(at_least = 0, default = 1e-5)]
    change_threshold: f64,
    /// Mismatches that count.
    mismatch: Mismatch,
}

/// Mismatches between attributions and the model that [`NonSensitivity`] counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Mismatch {
    /// Both kinds of mismatch.
    #[default]
    Both,
    /// Features with an attribution that the model ignores.
    Ignored,
    /// Features without an attribution that the model uses.
    Silent,
}

impl NonSensitivity {
    /// Sets further baselines: a feature is ignored if no baseline changes the score.
    #[must_use]
    pub fn more_baselines(mut self, baselines: Vec<Baseline>) -> Self {
        self.more_baselines = Some(baselines);
        self
    }

    fn removals(&self) -> impl Iterator<Item = SingleRemoval> + '_ {
        let more = self.more_baselines.iter().flatten();
        let removal = move |baseline: &Baseline| SingleRemoval {
            features: self.features,
            baseline: baseline.clone(),
        };
        std::iter::once(&self.baseline).chain(more).map(removal)
    }
}

impl<T: Real> Measure<T> for NonSensitivity {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.removals()
            .try_for_each(|removal| removal.prepare(dataset))
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        self.removals().try_for_each(|removal| removal.plan(plan))
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let drops = self
            .removals()
            .map(|removal| batch.shared(&removal))
            .collect::<Result<Vec<_>>>()?;
        let cells = batch.shared(&self.features)?;
        let attributions = explained.attributions()?;
        let n_positions = batch.dataset().n_positions();
        let value = |sample: usize| {
            let cells = cells.for_sample(sample);
            let attributions = &attributions[sample * n_positions..(sample + 1) * n_positions];
            let magnitude = |a: &T| a.to_f64_exact().abs();
            let largest = attributions.iter().map(magnitude).fold(0.0, f64::max);
            let threshold = self.zero_threshold.cutoff(largest);
            let counts = (0..cells.n_cells()).filter(|&feature| {
                let positions = cells.positions(feature).iter();
                let mut magnitudes = positions.map(|&p| magnitude(&attributions[p as usize]));
                // The second condition is for a threshold of 0, which also a map of zeros has.
                let is_silent = magnitudes.all(|m| m < threshold || m == 0.0);
                let is_unchanged = |drop: f64| drop.abs() < self.change_threshold;
                let is_ignored = drops
                    .iter()
                    .all(|drops| is_unchanged(drops.for_sample(sample)[feature]));
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

registered!(NonSensitivity);
