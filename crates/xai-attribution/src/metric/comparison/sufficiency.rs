//! Sufficiency: do samples with near maps have one prediction?

use xai_core::describe::{Parameters, metric};
use xai_core::distance::Distance;
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
/// In [0, 1], **higher is better**: what explains one prediction explains it wherever it holds. The
/// distance is Euclidean with every position in units of its standard deviation over the data set, and `t`
/// is 0.6 of the largest distance of two maps, unless said otherwise. A position that has one value
/// in all maps adds nothing. A sample that no other map is near to has no value; maps that are all equal are
/// all near, and the value is the share of the class. A model of one output predicts one class.
///
/// The whole data set is compared, pair by pair: the values of a part are others. The model sees 1 row per
/// sample. Maps are read again in blocks, the first ones more rarely than the last: 96 MB of them are held while
/// all later ones are read. Those of an explainer without stored maps are all held.
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
/// Defaults: standardised Euclidean distances up to 0.6 of the largest.
///
/// # Extremes
/// 0: near maps never have the same prediction. 1: they always have.
///
/// # Limits
/// Maps that are all alike have the share of the class, and few classes make that high. It depends on the distance that
/// counts as near.
///
/// # Source
/// Dasgupta, Frost, Moshkovitz, *Framework for Evaluating Faithfulness of Local Explanations*, 2022.
///
/// Quantus takes the batch for the data set, and 0 for a sample that no map is near to; a position with one value in all
/// maps makes all of its values 0. Its number is ours of absolute maps with samples without a value counted as 0, in one
/// batch.
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
    /// The distance of the maps of two samples, by the attributions of their positions.
    #[param(default = Distance::Euclidean)]
    distance: Distance,
    /// Divides every position by its standard deviation over the data set.
    #[param(default = true)]
    standardized: bool,
    /// Up to which distance two maps are near: a distance, or a share of the largest one.
    #[param(into, default = Threshold::OfLargest(0.6))]
    threshold: Threshold,
}

/// Distances of all pairs are remembered up to so many of them; of more they are computed twice where
/// the largest has to be known first.
const REMEMBERED: usize = 8 << 20;

impl Sufficiency {
    /// Counts who is near whom.
    fn count<T: Real>(&self, pairs: &PairDistances<'_, T>, near: &mut Near<'_>) -> Result<()> {
        let share = match self.threshold {
            Threshold::Absolute(limit) => {
                return pairs.for_each(|i, j, distance| near.add(i, j, distance, limit));
            }
            Threshold::OfLargest(share) => share,
        };
        let n = near.classes.len();
        let mut largest = 0.0f64;
        if n * (n - 1) / 2 > REMEMBERED {
            pairs.for_each(|_, _, distance| largest = largest.max(distance))?;
            return pairs.for_each(|i, j, distance| near.add(i, j, distance, share * largest));
        }
        let mut remembered = Vec::with_capacity(n * (n - 1) / 2);
        pairs.for_each(|i, j, distance| {
            largest = largest.max(distance);
            remembered.push((i as u32, j as u32, distance));
        })?;
        for (i, j, distance) in remembered {
            near.add(i as usize, j as usize, distance, share * largest);
        }
        Ok(())
    }
}

/// How many samples are near each sample, and how many of them have its class.
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
    /// The predicted class.
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
        if n > 1 {
            let pairs = PairDistances::new(all, &self.distance);
            let pairs = match self.standardized {
                true => pairs.standardized()?,
                false => pairs,
            };
            self.count(&pairs, &mut near)?;
        }
        let counts = near.near.iter().zip(&near.alike);
        let share = |(&near, &alike): (&u64, &u64)| (near > 0).then(|| alike as f64 / near as f64);
        Ok(CombinedValues::PerSample(counts.map(share).collect()))
    }
}

/// The class that the model predicts for every sample.
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
