//! Consistency: do samples with the same explanation have the same prediction?

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Error, Real, Result, parallel};

use crate::batch::{AllSamples, Dataset, ExplainedBatch, Plan};
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
/// In [0, 1], **higher is better**. A [`Discretizer`] turns a map into a key: by default the positions of the five
/// attributions of largest magnitude, with their signs. A sample whose key no other sample has is without a value.
/// If attributions are tied at the cut of a key, those of lower index come first, and the result has their number.
/// If all maps share a key, the value is the share of the class for any explainer: choose a key that
/// distinguishes maps. A model with one output predicts a single class.
///
/// Every sample is compared with the whole data set, so values for a part of it differ. The model sees one row per
/// sample, and maps are read once. Keys are compared by digests of 128 bits.
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
/// // The first three maps have the same top feature; their predictions are 0, 0 and 1.
/// assert_eq!(value.per_sample, [Some(0.5), Some(0.5), Some(0.0), None]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: the five largest attributions with their signs.
///
/// # Extremes
/// 0: equal explanations never have the same prediction. 1: they always do.
///
/// # Limits
/// It depends on the definition of equal explanations: a fine key leaves most samples without a value, a coarse one
/// measures the share of the class.
///
/// # Source
/// Dasgupta, Frost, Moshkovitz, *Framework for Evaluating Faithfulness of Local Explanations*, 2022.
///
/// Quantus compares within a batch, uses the signs of the *first* five elements as key, and 0 for a sample whose key no
/// other sample has. For its number, use a [`Discretizer::function`] and count samples without a value as 0.
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
    /// Key that must be equal for two maps to count as the same explanation. Default: the positions of the
    /// five largest attributions, with their signs.
    discretizer: Discretizer,
}

/// Key of a map. Two maps with equal keys count as the same explanation.
#[derive(Debug, Clone, PartialEq, Parameter)]
#[non_exhaustive]
pub enum Discretizer {
    /// Set of positions of the `K` attributions of largest magnitude.
    #[param(name = "top", value_name = "K", at_least = 1)]
    TopK(usize),
    /// Set of positions of the `K` attributions of largest magnitude, with their signs.
    #[param(name = "top-signed", value_name = "K", at_least = 1)]
    TopKSigned(usize),
    /// Positions of the `K` attributions of largest magnitude, in descending order.
    #[param(value_name = "K", at_least = 1)]
    Rank(usize),
    /// All attributions, rounded to this number of decimals, halves to even.
    #[param(value_name = "DECIMALS", at_most = MOST_DECIMALS)]
    Rounded(u32),
    /// A custom key, see [`Discretizer::function`].
    #[param(skip)]
    Function(KeyFunction),
}

/// Function that computes a key from the attributions of a map, one per position.
pub type KeyFunction = Function<dyn Fn(&[f64]) -> Vec<i64> + Send + Sync>;

impl Default for Discretizer {
    fn default() -> Self {
        Self::TopKSigned(5)
    }
}

impl Discretizer {
    /// Creates a custom key from a function of the attributions of a map, one per position.
    pub fn function(key: impl Fn(&[f64]) -> Vec<i64> + Send + Sync + 'static) -> Self {
        Self::Function(Function(Arc::new(key)))
    }

    /// Checks the key for maps of `n_positions` positions.
    ///
    /// Only a set without signs is restricted: the set of all positions is the same for every map. Signs and ranks of
    /// all positions still distinguish maps.
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

    /// Number of attributions for which only the index decides about the key; `None` for keys without a ranking.
    fn tied(&self, attributions: &[f64]) -> Option<usize> {
        let top =
            |k: usize| TopFeatures::new(attributions, k.min(attributions.len()), Ties::Expected);
        match self {
            // In a set, only ties at the cut matter; in a ranking, all of them.
            Self::TopK(k) | Self::TopKSigned(k) => Some(top(*k).tied_at_cut()),
            Self::Rank(k) => Some(top(*k).tied()),
            Self::Rounded(_) | Self::Function(_) => None,
        }
    }

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
                let rounded_bits = |a: &f64| {
                    let scaled = (a * scale).round_ties_even();
                    // If the product overflows, the number is so large that it has no decimals to round.
                    let rounded = if scaled.is_finite() { scaled } else { *a };
                    // Adding 0.0 turns −0.0 into 0.0, so that both have the same bits.
                    (rounded + 0.0).to_bits().cast_signed()
                };
                attributions.iter().map(rounded_bits).collect()
            }
            Self::Function(key) => key(attributions),
        }
    }
}

const MOST_DECIMALS: u32 = 15;

/// Note about a sample: the digest of its key, and its predicted class.
#[derive(Debug, Clone, Copy)]
pub struct KeyAndClass {
    key: [u64; 2],
    class: usize,
}

/// Digest of a key, of 128 bits. Two of ten million different keys have the same digest with a probability of about
/// 10⁻²⁵.
///
/// Notes of a fixed size keep the memory small for keys of all attributions ([`Discretizer::Rounded`]).
fn digest(key: &[i64]) -> [u64; 2] {
    // Two 64-bit hashes with different prefixes.
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

/// Calls a function with the attributions of every map of a batch, in parallel, and returns the results in order.
fn map_each<T: Real, R: Send>(
    explained: &ExplainedBatch<'_, T>,
    function: impl Fn(&[f64]) -> R + Send + Sync,
) -> Result<Vec<R>> {
    let attributions = explained.attributions()?;
    let positions = explained.batch().dataset().n_positions();
    Ok(parallel::map(attributions.len() / positions, |sample| {
        let map = attributions[sample * positions..(sample + 1) * positions]
            .iter()
            .map(|a| a.to_f64_exact())
            .collect::<Vec<f64>>();
        function(&map)
    }))
}

impl<T: Real> DatasetMetric<T> for Consistency {
    type Note = KeyAndClass;

    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<KeyAndClass>> {
        let keys = map_each(explained, |map| digest(&self.discretizer.key(map)))?;
        let classes = predictions(explained)?;
        let notes = keys.into_iter().zip(classes);
        Ok(notes
            .map(|(key, class)| KeyAndClass { key, class })
            .collect())
    }

    fn combine(&self, _: &AllSamples<'_, T>, notes: &[KeyAndClass]) -> Result<CombinedValues> {
        // Counts per key and per key and class replace the comparison of all pairs. A sample is not one of its own
        // others, hence the −1.
        let mut by_key: HashMap<[u64; 2], u64> = HashMap::new();
        let mut by_key_and_class: HashMap<([u64; 2], usize), u64> = HashMap::new();
        for note in notes {
            *by_key.entry(note.key).or_default() += 1;
            *by_key_and_class.entry((note.key, note.class)).or_default() += 1;
        }
        let value = |note: &KeyAndClass| {
            let others = by_key[&note.key] - 1;
            let alike = by_key_and_class[&(note.key, note.class)] - 1;
            (others > 0).then(|| alike as f64 / others as f64)
        };
        Ok(CombinedValues::PerSample(notes.iter().map(value).collect()))
    }
}

impl<T: Real> Measure<T> for Consistency {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.discretizer.check(dataset.n_positions())
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        // Predictions are read off the outputs from which base scores are computed: the same rows of the model.
        plan.base_scores();
        Ok(())
    }

    fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
        Some(self)
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        let tied = map_each(explained, |map| self.discretizer.tied(map))?;
        let total = explained.batch().dataset().n_positions() as u64;
        let to_features = |tied| TiedFeatures {
            tied: tied as u64,
            total,
        };
        Ok(tied.into_iter().map(|tied| tied.map(to_features)).sum())
    }
}

registered!(Consistency);
