//! Consistency: do samples with one explanation have one prediction?

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Error, Real, Result, parallel};

use crate::batch::{AllSamples, ExplainedBatch, Plan, RunData};
use crate::input;
use crate::map::positions::largest;
use crate::metric::comparison::sufficiency::predictions;
use crate::metric::kinds::ties::TopFeatures;
use crate::metric::{CombinedValues, DatasetMetric, DatasetMetricDyn, Measure, SCORE_NEEDS, Ties};
use crate::model::Function;

/// Probability that two samples with the same explanation have the same prediction.
///
/// ```text
/// |{j ≠ i : key(a_j) = key(a_i), c_j = c_i}| / |{j ≠ i : key(a_j) = key(a_i)}|, c the predicted classes
/// ```
///
/// In [0, 1], **higher is better**. The key of a map is what a [`Discretizer`] makes of it: by default the five
/// positions of the largest attributions, with their signs. A sample whose key nobody shares has no value.
/// If attributions are tied where a key cuts them, those of the lower index go first, and the result says how many there are.
/// A key that all maps share makes the value the share of the class, whatever the maps say: choose one that
/// tells maps apart. A model of one output predicts one class.
///
/// The whole data set is compared: the values of a part are others. The model sees 1 row per sample, and maps
/// are read once. Keys are compared by digests of 128 bits.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{Consistency, Discretizer};
/// use xai_attribution::Evaluate;
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[2.0, 1.0], [3.0, 1.0], [1.0, 3.0], [1.0, 2.0]];
/// let maps = array![[0.9, 0.0], [-0.7, 0.5], [0.8, 0.2], [0.1, 0.6]];
/// let metric = Consistency::new().discretizer(Discretizer::TopK(1));
/// let value = metric.evaluate(&model, x.view(), &[0, 0, 1, 1], maps.view())?;
/// // The first three point to the first feature; their predictions are 0, 0 and 1.
/// assert_eq!(value.per_sample, [Some(0.5), Some(0.5), Some(0.0), None]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: the five largest attributions with their signs.
///
/// # Extremes
/// 0: equal explanations never have the same prediction. 1: they always have.
///
/// # Limits
/// It depends on what counts as an equal explanation: a fine key leaves most samples without a value, a coarse one
/// measures the share of the class.
///
/// # Source
/// Dasgupta, Frost, Moshkovitz, *Framework for Evaluating Faithfulness of Local Explanations*, 2022.
///
/// Quantus takes the batch for the data set, the signs of the *first* five elements for a key, and 0 for a sample that
/// shares it with nobody: its number is ours with a [`Discretizer::function`] and samples without a value counted as 0.
///
/// # Elsewhere
/// `quantus.Consistency`
#[metric(
    name = "consistency",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 1.0,
)]
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct Consistency {
    /// What has to be the same in two maps that count as one explanation. Default: the positions of the
    /// five largest attributions, with their signs.
    discretizer: Discretizer,
}

/// What is the same in two maps that count as the same explanation.
#[derive(Debug, Clone, PartialEq, Parameter)]
#[non_exhaustive]
pub enum Discretizer {
    /// The set of positions of the `K` largest attributions by size.
    #[param(name = "top", value_name = "K", at_least = 1)]
    TopK(usize),
    /// The set of positions of the `K` largest attributions by size, with their signs.
    #[param(name = "top-signed", value_name = "K", at_least = 1)]
    TopKSigned(usize),
    /// The positions of the `K` largest attributions by size, in their order.
    #[param(value_name = "K", at_least = 1)]
    Rank(usize),
    /// All attributions, rounded to so many decimals, halves to even.
    #[param(value_name = "DECIMALS", at_most = MOST_DECIMALS)]
    Rounded(u32),
    /// A key of the caller's own, see [`Discretizer::function`].
    #[param(skip)]
    Function(KeyFunction),
}

/// A function from the attributions of a map, one per position, to its key.
pub type KeyFunction = Function<dyn Fn(&[f64]) -> Vec<i64> + Send + Sync>;

impl Default for Discretizer {
    fn default() -> Self {
        Self::TopKSigned(5)
    }
}

impl Discretizer {
    /// A key of the caller's own from the attributions of a map, one per position.
    pub fn function(key: impl Fn(&[f64]) -> Vec<i64> + Send + Sync + 'static) -> Self {
        Self::Function(Function(Arc::new(key)))
    }

    /// Checks the key for maps of so many positions. Signs and ranks of fewer positions than `K` are those of
    /// all; a set of all would be the same for every map.
    fn check(&self, n_positions: usize) -> Result<()> {
        match *self {
            Self::TopK(k) if k >= n_positions => {
                let most = n_positions - 1;
                let expected = format!("1 to {most} positions, less than all of a map");
                Err(Error::parameter(
                    input::DISCRETIZER,
                    self.to_value(),
                    expected,
                ))
            }
            _ => Ok(()),
        }
    }

    /// The number of attributions of a map whose index decides about its key; `None` for keys that rank nothing.
    fn tied(&self, attributions: &[f64]) -> Option<usize> {
        let top =
            |k: usize| TopFeatures::new(attributions, k.min(attributions.len()), Ties::Expected);
        match self {
            Self::TopK(k) | Self::TopKSigned(k) => Some(top(*k).tied_at_cut()),
            Self::Rank(k) => Some(top(*k).tied()),
            Self::Rounded(_) | Self::Function(_) => None,
        }
    }

    /// The key of a map.
    fn key(&self, attributions: &[f64]) -> Vec<i64> {
        match self {
            Self::TopK(k) => {
                let mut top = largest(attributions, *k);
                top.sort_unstable();
                top.into_iter().map(|position| position as i64).collect()
            }
            Self::TopKSigned(k) => {
                let mut top = largest(attributions, *k);
                top.sort_unstable();
                let sign = |a: f64| i64::from(a > 0.0) - i64::from(a < 0.0);
                let signed = top.into_iter().map(|p| (p as i64, sign(attributions[p])));
                signed
                    .flat_map(|(position, sign)| [position, sign])
                    .collect()
            }
            Self::Rank(k) => {
                let top = largest(attributions, *k).into_iter();
                top.map(|position| position as i64).collect()
            }
            Self::Rounded(decimals) => {
                let scale = 10f64.powi(*decimals as i32);
                let rounded = |a: &f64| {
                    let rounded = (a * scale).round_ties_even();
                    // Numbers of that size have no decimals to round; + 0.0 makes −0.0 zero.
                    let rounded = if rounded.is_finite() { rounded } else { *a };
                    (rounded + 0.0).to_bits().cast_signed()
                };
                attributions.iter().map(rounded).collect()
            }
            Self::Function(key) => key(attributions),
        }
    }
}

const MOST_DECIMALS: u32 = 15;

/// What is taken down of a sample.
#[derive(Debug, Clone, Copy)]
pub struct KeyAndClass {
    key: [u64; 2],
    class: usize,
}

/// 128 bits of a key. Ten million keys that differ have two of one digest with a chance of 10⁻²⁵.
fn digest(key: &[i64]) -> [u64; 2] {
    [0u64, 1].map(|half| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(half);
        hasher.write_usize(key.len());
        for word in key {
            hasher.write_i64(*word);
        }
        hasher.finish()
    })
}

/// What a function makes of the map of every sample of a batch.
fn for_each_map<T: Real, R: Send>(
    explained: &ExplainedBatch<'_, T>,
    of_map: impl Fn(&[f64]) -> R + Send + Sync,
) -> Result<Vec<R>> {
    let attributions = explained.attributions()?;
    let positions = explained.batch().run().n_positions();
    Ok(parallel::map(attributions.len() / positions, |sample| {
        let own = &attributions[sample * positions..(sample + 1) * positions];
        let own: Vec<f64> = own.iter().map(|a| a.to_f64_exact()).collect();
        of_map(&own)
    }))
}

impl<T: Real> DatasetMetric<T> for Consistency {
    type Note = KeyAndClass;

    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<KeyAndClass>> {
        let keys = for_each_map(explained, |map| digest(&self.discretizer.key(map)))?;
        let classes = predictions(explained)?;
        let notes = keys.into_iter().zip(classes);
        Ok(notes
            .map(|(key, class)| KeyAndClass { key, class })
            .collect())
    }

    fn combine(&self, _: &AllSamples<'_, T>, notes: &[KeyAndClass]) -> Result<CombinedValues> {
        let mut of_key: HashMap<[u64; 2], u64> = HashMap::new();
        let mut of_both: HashMap<([u64; 2], usize), u64> = HashMap::new();
        for note in notes {
            *of_key.entry(note.key).or_default() += 1;
            *of_both.entry((note.key, note.class)).or_default() += 1;
        }
        let value = |note: &KeyAndClass| {
            let others = of_key[&note.key] - 1;
            let alike = of_both[&(note.key, note.class)] - 1;
            (others > 0).then(|| alike as f64 / others as f64)
        };
        Ok(CombinedValues::PerSample(notes.iter().map(value).collect()))
    }
}

impl<T: Real> Measure<T> for Consistency {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.discretizer.check(run.n_positions())
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        plan.base_scores();
        Ok(())
    }

    fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
        Some(self)
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        let tied = for_each_map(explained, |map| self.discretizer.tied(map))?;
        let total = explained.batch().run().n_positions() as u64;
        let of_map = |tied| TiedFeatures {
            tied: tied as u64,
            total,
        };
        Ok(tied.into_iter().map(|tied| tied.map(of_map)).sum())
    }
}

registered!(Consistency);
