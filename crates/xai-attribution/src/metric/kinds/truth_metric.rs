//! Metrics that compare a map with the truth about every position.

use std::borrow::Cow;
use std::fmt::Debug;
use xai_core::describe::Described;

use xai_core::evaluation::PooledValue;
use xai_core::{Error, Real, Result};

use crate::batch::{AllSamples, ExplainedBatch, Masks, RunData};
use crate::map::ChannelPool;
use crate::metric::kinds::mask_metric::masked_maps;
use crate::metric::{MaskedMap, Measure, Parameters, Registered, Related, Whole, WholeMetric};
use crate::{help, input};

/// A formula over a map and the truth about its positions: what makes a [`TruthMetric`].
pub trait TruthFormula:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Whether maps are scaled to [0, 1], unless [`TruthMetric::normalize`] says otherwise.
    const NORMALIZED: bool = false;

    /// Whether it is defined for attributions in [0, 1] alone.
    const OF_SHARES: bool = false;

    /// The formula; `None` where it is undefined. It is asked of empty masks, too.
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64>;

    /// The formula of all positions of all samples.
    fn pooled(&self, positions: &MaskedMap<'_>) -> Option<f64> {
        self.value(positions)
    }
}

/// A metric over maps and [`Masks`], which are booleans or [numbers](Masks::from_numbers).
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct TruthMetric<F> {
    #[param(flatten)]
    pub(crate) formula: F,
    /// How the channels of a position become one attribution.
    pool: ChannelPool,
    /// Whether a map is scaled to [0, 1] by its smallest and its largest attribution; a constant map then has no value.
    normalize: bool,
    /// Whether the positions of all samples are judged together, as `time_interpret` does. There is then one value, and none
    /// per sample, and maps are scaled with 1e-5 in the divisor.
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

/// What `time_interpret` adds to divisors and under logarithms.
pub(crate) const PEER_EPSILON: f64 = 1e-5;

/// A map scaled to [0, 1], with a number added to the divisor; `None` where the divisor is 0.
fn scaled(attributions: &[f64], epsilon: f64) -> Option<Vec<f64>> {
    let (low, high) = (attributions.iter())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &a| {
            (l.min(a), h.max(a))
        });
    // In halves where the range leaves that of f64.
    let unit = if (high - low).is_finite() { 1.0 } else { 0.5 };
    let range = high * unit - low * unit + epsilon;
    let share = |&a: &f64| (a * unit - low * unit) / range;
    (range > 0.0).then(|| attributions.iter().map(share).collect())
}

impl<F: TruthFormula> TruthMetric<F> {
    /// The attributions that the formula reads; `None` for a constant map that is to be scaled.
    fn read<'m>(&self, map: &MaskedMap<'m>, epsilon: f64) -> Result<Option<Cow<'m, [f64]>>> {
        if self.normalize {
            return Ok(scaled(map.attributions, epsilon).map(Cow::Owned));
        }
        let mut attributions = map.attributions.iter();
        let wrong = attributions.find(|a| F::OF_SHARES && !(0.0..=1.0).contains(*a));
        match wrong {
            None => Ok(Some(map.attributions.into())),
            Some(&a) => {
                let error = Error::out_of_domain(input::EXPLANATIONS, &[0], a, "in [0, 1]");
                Err(error.with_help(help::NORMALIZE_MAPS))
            }
        }
    }
}

impl<T: Real, F: TruthFormula> Measure<T> for TruthMetric<F> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        run.side::<Masks>().map(drop)
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

    fn whole(&self) -> Option<&dyn Whole<T>> {
        self.pooled.then_some(self)
    }
}

/// The positions of a sample: their attributions, whether they are true, and how far.
type Positions = (Vec<f64>, Vec<bool>, Option<Vec<f64>>);

impl<T: Real, F: TruthFormula> WholeMetric<T> for TruthMetric<F> {
    type Note = Positions;

    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Positions>> {
        masked_maps(explained, self.pool, &|map| {
            let attributions = self
                .read(map, PEER_EPSILON)?
                .unwrap_or_default()
                .into_owned();
            let degrees = map.degrees.map(<[f64]>::to_vec);
            Ok((attributions, map.inside.to_vec(), degrees))
        })
    }

    fn relate(&self, _: &AllSamples<'_, T>, notes: &[Positions]) -> Result<Related> {
        let value = |is_used: &dyn Fn(usize) -> bool| {
            let used = || {
                (0..notes.len())
                    .filter(|&sample| is_used(sample))
                    .map(|sample| &notes[sample])
            };
            let attributions: Vec<f64> = used().flat_map(|(a, ..)| a).copied().collect();
            let inside: Vec<bool> = used().flat_map(|(_, i, _)| i).copied().collect();
            let degrees: Option<Vec<&[f64]>> = used().map(|(.., d)| d.as_deref()).collect();
            let degrees = degrees.map(|degrees| degrees.concat());
            let value = self.formula.pooled(&MaskedMap {
                attributions: &attributions,
                inside: &inside,
                degrees: degrees.as_deref(),
                n_inside: inside.iter().filter(|&&inside| inside).count(),
                n_columns: inside.len(),
            });
            Ok(value)
        };
        PooledValue::new(notes.len(), value).map(Related::Pooled)
    }
}

registered!(TruthMetric<F: TruthFormula>);

impl<F: TruthFormula> Registered for TruthMetric<F> {}
