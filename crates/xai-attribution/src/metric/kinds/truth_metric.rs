//! Metrics that compare a map with the ground truth of every position.

use std::borrow::Cow;
use std::fmt::Debug;
use xai_core::describe::Described;

use xai_core::evaluation::PooledValue;
use xai_core::{Error, Real, Result};

use crate::batch::{AllSamples, Dataset, ExplainedBatch};
use crate::map::ChannelPool;
use crate::metric::kinds::mask_metric::masked_maps;
use crate::metric::{
    CombinedValues, DatasetMetric, DatasetMetricDyn, MaskedMap, Measure, Parameters,
};
use crate::side::Masks;
use crate::{help, input};

/// The formula of a [`TruthMetric`], computed from a map and the ground truth of its positions.
pub trait TruthFormula:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Default of [`TruthMetric::normalize`]: `true` if maps are scaled to [0, 1].
    const NORMALIZED: bool = false;

    /// `true` if the formula is defined only for attributions in [0, 1].
    const REQUIRES_UNIT_RANGE: bool = false;

    /// Returns the value of one sample; `None` where it is undefined. The mask may be empty.
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64>;

    /// Returns the value of the positions of all samples together; by default [`value`](Self::value).
    fn pooled(&self, positions: &MaskedMap<'_>) -> Option<f64> {
        self.value(positions)
    }
}

/// A metric of maps and [`Masks`], which are booleans or [numbers](Masks::from_numbers).
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct TruthMetric<F> {
    #[param(flatten)]
    pub(crate) formula: F,
    /// Pooling of the channels of a position into one attribution.
    pool: ChannelPool,
    /// Scales maps to [0, 1] by their smallest and largest attribution; a constant map then has no value.
    normalize: bool,
    /// Evaluates the positions of all samples together, as `time_interpret` does. There is then one value,
    /// and none per sample, and maps are scaled with 1e-5 in the divisor.
    pooled: bool,
}

impl<F: TruthFormula> Default for TruthMetric<F> {
    fn default() -> Self {
        Self {
            formula: F::default(),
            pool: ChannelPool::default(),
            normalize: F::NORMALIZED,
            pooled: false,
        }
    }
}

/// Constant that `time_interpret` adds to divisors and to arguments of logarithms.
pub(crate) const TINT_EPSILON: f64 = 1e-5;

/// Scales a map to [0, 1]: `(a − min) / (max − min + epsilon)`; `None` if the divisor is 0.
fn scaled(attributions: &[f64], epsilon: f64) -> Option<Vec<f64>> {
    let (low, high) = (attributions.iter())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &a| {
            (l.min(a), h.max(a))
        });
    // `high - low` overflows if both are near the ends of the range of f64. Their halves do not, and halving is exact.
    let unit = if (high - low).is_finite() { 1.0 } else { 0.5 };
    let range = high * unit - low * unit + epsilon;
    let share = |&a: &f64| (a * unit - low * unit) / range;
    (range > 0.0).then(|| attributions.iter().map(share).collect())
}

impl<F: TruthFormula> TruthMetric<F> {
    /// Returns the attributions that the formula reads, scaled if [`normalize`](Self::normalize) is set; `None` for a
    /// constant map that cannot be scaled because `epsilon` is 0.
    ///
    /// # Errors
    /// An attribution outside [0, 1], if the formula requires that range and the map is not scaled.
    fn read<'m>(&self, map: &MaskedMap<'m>, epsilon: f64) -> Result<Option<Cow<'m, [f64]>>> {
        if self.normalize {
            return Ok(scaled(map.attributions, epsilon).map(Cow::Owned));
        }
        let mut attributions = map.attributions.iter();
        let outside = attributions.find(|a| F::REQUIRES_UNIT_RANGE && !(0.0..=1.0).contains(*a));
        match outside {
            None => Ok(Some(map.attributions.into())),
            Some(&a) => {
                let error = Error::out_of_domain(input::EXPLANATIONS, &[0], a, "in [0, 1]");
                Err(error.with_help(help::NORMALIZE_MAPS))
            }
        }
    }
}

impl<T: Real, F: TruthFormula> Measure<T> for TruthMetric<F> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        dataset.side::<Masks>().map(drop)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        masked_maps(explained, self.pool, &|map| {
            let attributions = self.read(map, 0.0)?;
            Ok(attributions.and_then(|attributions| {
                self.formula.value(&MaskedMap {
                    attributions: &attributions,
                    ..*map
                })
            }))
        })
    }

    fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
        self.pooled.then_some(self)
    }
}

/// Positions of a sample: attributions, booleans of the mask, and its degrees if masks are numbers.
type Positions = (Vec<f64>, Vec<bool>, Option<Vec<f64>>);

impl<T: Real, F: TruthFormula> DatasetMetric<T> for TruthMetric<F> {
    type Note = Positions;

    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Positions>> {
        masked_maps(explained, self.pool, &|map| {
            // With the epsilon in the divisor, a constant map is a map of zeros and not undefined.
            let attributions = self
                .read(map, TINT_EPSILON)?
                .unwrap_or_default()
                .into_owned();
            let degrees = map.degrees.map(<[f64]>::to_vec);
            Ok((attributions, map.inside.to_vec(), degrees))
        })
    }

    fn combine(&self, _: &AllSamples<'_, T>, notes: &[Positions]) -> Result<CombinedValues> {
        // `PooledValue` also computes the value without some of the samples, for the jackknife interval.
        let value = |is_used: &dyn Fn(usize) -> bool| {
            let used = || {
                (0..notes.len())
                    .filter(|&sample| is_used(sample))
                    .map(|sample| &notes[sample])
            };
            let attributions: Vec<f64> = used().flat_map(|(a, ..)| a).copied().collect();
            let inside: Vec<bool> = used().flat_map(|(_, i, _)| i).copied().collect();
            let degrees_by_sample: Option<Vec<&[f64]>> =
                used().map(|(.., d)| d.as_deref()).collect();
            let degrees = degrees_by_sample.map(|degrees| degrees.concat());
            let value = self.formula.pooled(&MaskedMap {
                attributions: &attributions,
                inside: &inside,
                degrees: degrees.as_deref(),
                n_inside: inside.iter().filter(|&&inside| inside).count(),
                n_columns: inside.len(),
            });
            Ok(value)
        };
        PooledValue::new(notes.len(), value).map(CombinedValues::Pooled)
    }
}

registered!(TruthMetric<F: TruthFormula>);
