//! Sufficiency: do samples with similar maps have the same prediction?

use xai_core::Distance;
use xai_core::describe::{Parameters, metric};
use xai_core::output::arg_max_rows;
use xai_core::{Real, Result};

use crate::batch::{AllSamples, ExplainedBatch, Plan};
use crate::input;
use crate::metric::comparison::pair_distances::PairDistances;
use crate::metric::{
    CombinedValues, DatasetMetric, DatasetMetricDyn, Measure, SCORE_NEEDS, Threshold,
};

/// Probability that two samples with similar maps have the same prediction.
///
/// ```text
/// |{j ≠ i : d(a_i, a_j) ≤ t, c_j = c_i}| / |{j ≠ i : d(a_i, a_j) ≤ t}|, c the predicted classes
/// ```
///
/// In [0, 1], **higher is better**: an explanation that holds for another sample goes with the same prediction there.
/// By default, the distance is Euclidean with every position divided by its standard deviation over the data set, and
/// `t` is 0.6 of the largest distance of two maps. A position with the same value in all maps adds nothing. A sample
/// without another map within `t` has no value. If all maps are equal, they are all within `t`, and the value is the
/// share of the class. A model with one output predicts a single class.
///
/// All pairs of the data set are compared, so values for a part of it differ. The model sees one row per sample. Maps
/// are read again in blocks: 96 MB of them are kept in memory while all later ones are read. The maps of an explainer
/// that computes them during the run are all kept.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{Sufficiency, Threshold};
/// use xai_attribution::Evaluate;
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[2.0, 1.0], [3.0, 1.0], [1.0, 3.0], [4.0, 9.0]];
/// let maps = array![[1.0, 0.0], [1.0, 0.5], [1.0, 1.0], [9.0, 9.0]];
/// let metric = Sufficiency::new().standardized(false).threshold(Threshold::Absolute(0.5));
/// let value = metric.evaluate(&model, x.view(), &[0, 0, 1, 1], maps.view())?;
/// assert_eq!(value.per_sample, [Some(1.0), Some(0.5), Some(0.0), None]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: standardized Euclidean distances up to 0.6 of the largest.
///
/// # Extremes
/// 0: similar maps never have the same prediction. 1: they always do.
///
/// # Limits
/// If all maps are alike, the value is the share of the class, which is high with few classes. It depends on the
/// threshold of the distance.
///
/// # Source
/// Dasgupta, Frost, Moshkovitz, *Framework for Evaluating Faithfulness of Local Explanations*, 2022.
///
/// Quantus compares within a batch and uses 0 for a sample without a similar map; a position with the same value in all
/// maps makes all of its values 0. Otherwise its number for one batch is that of absolute maps, with samples without a
/// value counted as 0.
///
/// # Elsewhere
/// `quantus.Sufficiency`
#[metric(
    name = "sufficiency",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.5,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Sufficiency {
    /// Distance of the maps of two samples, computed from the attributions of their positions.
    #[param(default = Distance::Euclidean)]
    distance: Distance,
    /// Divides every position by its standard deviation over the data set.
    #[param(default = true)]
    standardized: bool,
    /// Largest distance of two similar maps: a distance, or a share of the largest one.
    #[param(into, default = Threshold::OfLargest(0.6))]
    threshold: Threshold,
}

/// Largest number of pairs whose distances are kept in memory (16 bytes each). For more pairs, distances are computed
/// twice if the largest one has to be known first.
const MAX_CACHED_PAIRS: usize = 8 << 20;

impl Sufficiency {
    /// Counts the similar samples of each sample.
    fn count<T: Real>(&self, pairs: &PairDistances<'_, T>, near: &mut Near<'_>) -> Result<()> {
        let share = match self.threshold {
            Threshold::Absolute(limit) => {
                return pairs.for_each(|i, j, distance| near.add(i, j, distance, limit));
            }
            Threshold::OfLargest(share) => share,
        };
        // A relative threshold needs the largest distance before any pair can be compared with it.
        let n = near.classes.len();
        let mut largest = 0.0f64;
        if n * (n - 1) / 2 > MAX_CACHED_PAIRS {
            pairs.for_each(|_, _, distance| largest = largest.max(distance))?;
            return pairs.for_each(|i, j, distance| near.add(i, j, distance, share * largest));
        }
        let mut cached = Vec::with_capacity(n * (n - 1) / 2);
        pairs.for_each(|i, j, distance| {
            largest = largest.max(distance);
            // With at most `MAX_CACHED_PAIRS` pairs, the number of samples fits into `u32`.
            cached.push((i as u32, j as u32, distance));
        })?;
        for (i, j, distance) in cached {
            near.add(i as usize, j as usize, distance, share * largest);
        }
        Ok(())
    }
}

/// Numbers of samples with a similar map, and of those with the same class too, for each sample.
struct Near<'a> {
    classes: &'a [usize],
    near: Vec<u64>,
    alike: Vec<u64>,
}

impl Near<'_> {
    fn add(&mut self, i: usize, j: usize, distance: f64, limit: f64) {
        if distance > limit {
            return;
        }
        let alike = u64::from(self.classes[i] == self.classes[j]);
        for sample in [i, j] {
            self.near[sample] += 1;
            self.alike[sample] += alike;
        }
    }
}

impl<T: Real> DatasetMetric<T> for Sufficiency {
    /// Predicted class of a sample.
    type Note = usize;

    fn reads_maps(&self) -> bool {
        true
    }

    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<usize>> {
        predictions(explained)
    }

    fn combine(&self, all: &AllSamples<'_, T>, classes: &[usize]) -> Result<CombinedValues> {
        let n = classes.len();
        let mut near = Near {
            classes,
            near: vec![0; n],
            alike: vec![0; n],
        };
        // A single sample has no pairs, and no standard deviation to divide by.
        if n > 1 {
            let mut pairs = PairDistances::new(all, &self.distance);
            if self.standardized {
                pairs = pairs.standardized()?;
            }
            self.count(&pairs, &mut near)?;
        }
        let counts = near.near.iter().zip(&near.alike);
        let share = |(&near, &alike): (&u64, &u64)| (near > 0).then(|| alike as f64 / near as f64);
        Ok(CombinedValues::PerSample(counts.map(share).collect()))
    }
}

/// Returns the predicted class of every sample of a batch.
pub(crate) fn predictions<T: Real>(explained: &ExplainedBatch<'_, T>) -> Result<Vec<usize>> {
    let batch = explained.batch();
    arg_max_rows(input::OUTPUTS, batch.base_outputs()?.view())
        .map_err(|error| error.shifted(0, batch.samples().start))
}

impl<T: Real> Measure<T> for Sufficiency {
    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        plan.base_scores();
        Ok(())
    }

    fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
        Some(self)
    }
}

registered!(Sufficiency);
