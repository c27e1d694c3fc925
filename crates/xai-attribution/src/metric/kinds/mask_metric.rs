//! Metrics that compare a map with where the object is.

use std::fmt::Debug;
use xai_core::describe::Described;

use ndarray::Axis;
use xai_core::number::check_finite_slice;
use xai_core::{Error, Input, Layout, Real, Result, parallel};

use crate::batch::{ExplainedBatch, MapWork, Masks, RunData};
use crate::map::ChannelPool;
use crate::metric::{Hits, Measure, MetricValue, Parameter, Parameters, Registered, Ties};
use crate::{help, input};

/// What metrics of maps and masks need.
pub const MASK_NEEDS: &[Input] = &[input::EXPLANATIONS, input::MASKS];

/// One map and the mask of the object: what a [`MaskFormula`] sees.
#[derive(Debug, Clone, Copy)]
pub struct MaskedMap<'a> {
    /// The attribution of every position, row by row.
    pub attributions: &'a [f64],
    /// Whether the position belongs to the object.
    pub inside: &'a [bool],
    /// How far the position belongs to the object, in [0, 1], where masks are numbers.
    pub degrees: Option<&'a [f64]>,
    /// The positions of the object: at least 1 where a [`MaskFormula`] is asked.
    pub n_inside: usize,
    /// The positions of a row.
    pub n_columns: usize,
}

impl MaskedMap<'_> {
    /// How far a position belongs to the object: 0 or 1 where masks are booleans.
    #[must_use]
    pub fn truth(&self, position: usize) -> f64 {
        let boolean = || f64::from(u8::from(self.inside[position]));
        self.degrees
            .map_or_else(boolean, |degrees| degrees[position])
    }

    /// The sum of a function of the attributions: over the object, and over all positions.
    #[must_use]
    pub fn sums(&self, of: impl Fn(f64) -> f64) -> (f64, f64) {
        // In units of the largest, so that no sum leaves the range of f64.
        let largest = self.attributions.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let pairs = self.attributions.iter().zip(self.inside);
        pairs.fold((0.0, 0.0), |(inside, all), (&x, &is_inside)| {
            let x = of(x / unit);
            (if is_inside { inside + x } else { inside }, all + x)
        })
    }

    /// Whether all attributions are equal, so that none of them is among the largest.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.attributions.iter().all(|a| *a == self.attributions[0])
    }

    /// How many of the `k` positions of the largest attributions belong to the object.
    #[must_use]
    pub fn hits(&self, k: usize, ties: Ties) -> Hits {
        Hits::new(self.attributions, self.inside, k, ties)
    }
}

/// A formula over a map and the mask of the object: what makes a [`MaskMetric`].
pub trait MaskFormula:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Checks the parameters for maps of so many positions.
    ///
    /// # Errors
    /// An invalid parameter.
    fn check(&self, _n_positions: usize) -> Result<()> {
        Ok(())
    }

    /// The formula; `None` where it is undefined. Of an empty mask it is not asked.
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64>;
}

/// The attribution of every position of every sample of a batch, `n_positions` per sample.
impl<T: Real> MapWork<T> for ChannelPool {
    type Output = Vec<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let (n, maps) = (explained.batch().n_samples(), explained.maps()?);
        let n_positions = explained.batch().run().n_positions();
        let owned;
        let maps = match maps.as_slice() {
            Some(values) => values,
            None => {
                owned = maps.iter().copied().collect::<Vec<T>>();
                &owned
            }
        };
        let size = maps.len() / n;
        let first = explained.batch().layout() == Layout::ChannelsFirst;
        let pooled = parallel::map(n, |sample| {
            let map = &maps[sample * size..(sample + 1) * size];
            self.pool_map(map, n_positions, first)
        });
        let pooled = pooled.concat();
        match pooled.iter().position(|x| !x.is_finite()) {
            None => Ok(pooled),
            Some(place) => {
                let sample = explained.batch().samples().start + place / n_positions;
                let expected = "channels whose sum is within the range of f64";
                let value = pooled[place];
                Err(
                    Error::out_of_domain(input::EXPLANATIONS, &[sample], value, expected)
                        .with_help(help::SCALE_MAPS_DOWN),
                )
            }
        }
    }
}

/// A metric over maps and [`Masks`]. An empty mask has no value.
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct MaskMetric<F> {
    #[param(flatten)]
    pub(crate) formula: F,
    /// How the channels of a position become one attribution.
    pool: ChannelPool,
}

impl<T: Real, F: MaskFormula> Measure<T> for MaskMetric<F> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        run.side::<Masks>()?;
        self.formula.check(run.n_positions())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        masked_maps(explained, self.pool, &|map| {
            let value = (map.n_inside > 0).then(|| self.formula.value(map));
            Ok(value.flatten())
        })
    }
}

impl<F: MaskFormula> MaskMetric<F> {
    /// The metric of maps of different sizes, each with a mask of its size: of texts, each of so many tokens as it has.
    /// Maps of one size have the values of [`evaluate_on`](crate::Evaluate::evaluate_on).
    ///
    /// ```
    /// use xai_attribution::metric::{TokenF1, TopK};
    /// let maps = [vec![0.5, 0.1, 0.9], vec![0.2, 0.4]];
    /// let rationales = [vec![true, false, false], vec![false, true]];
    /// let value = TokenF1::new().k(TopK::Count(1)).evaluate_ragged(&maps, &rationales)?;
    /// assert_eq!(value.per_sample, [Some(0.0), Some(1.0)]);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    ///
    /// # Errors
    /// Empty without samples, of a map without positions, and where no sample has a value; a shape mismatch for a mask
    /// of another size than its map, not finite, and those of the formula. They name the sample.
    pub fn evaluate_ragged<T: Real>(
        &self,
        maps: &[impl AsRef<[T]> + Sync],
        masks: &[impl AsRef<[bool]> + Sync],
    ) -> Result<MetricValue> {
        if maps.is_empty() {
            return Err(Error::empty(input::EXPLANATIONS));
        }
        if maps.len() != masks.len() {
            return Err(Error::shape(input::MASKS, &[maps.len()], &[masks.len()]));
        }
        let values = parallel::map(maps.len(), |sample| {
            let value = self.of_sample(maps[sample].as_ref(), masks[sample].as_ref());
            value.map_err(|error| error.owner(format!("sample {sample}")))
        });
        MetricValue::new(values.into_iter().collect::<Result<_>>()?)
    }

    fn of_sample<T: Real>(&self, map: &[T], inside: &[bool]) -> Result<Option<f64>> {
        if map.is_empty() {
            return Err(Error::empty(input::EXPLANATIONS));
        }
        if map.len() != inside.len() {
            return Err(Error::shape(input::MASKS, &[map.len()], &[inside.len()]));
        }
        check_finite_slice(input::EXPLANATIONS, map)?;
        self.formula.check(map.len())?;
        let attributions: Vec<f64> = map.iter().map(|a| a.to_f64_exact()).collect();
        let map = MaskedMap {
            attributions: &self.pool.pool_map(&attributions, map.len(), false),
            inside,
            degrees: None,
            n_inside: inside.iter().filter(|&&inside| inside).count(),
            n_columns: map.len(),
        };
        Ok((map.n_inside > 0)
            .then(|| self.formula.value(&map))
            .flatten())
    }
}

/// Something of every map of a batch and its mask. Errors are about sample 0.
pub(crate) fn masked_maps<T: Real, R: Send>(
    explained: &ExplainedBatch<'_, T>,
    pool: ChannelPool,
    of: &(dyn Fn(&MaskedMap<'_>) -> Result<R> + Sync),
) -> Result<Vec<R>> {
    let batch = explained.batch();
    let side = batch.run().side::<Masks>()?;
    let (masks, numbers) = (
        side.read(batch.samples())?,
        side.read_numbers(batch.samples())?,
    );
    let attributions = explained.shared(&pool)?;
    let (attributions, n_positions): (&[f64], _) = (&attributions, batch.run().n_positions());
    let (n_columns, first) = (masks.dim().2, batch.samples().start);
    let of_sample = |sample: usize| {
        let inside: Vec<bool> = masks.index_axis(Axis(0), sample).iter().copied().collect();
        let degrees: Option<Vec<f64>> = (numbers.as_ref()).map(|numbers| {
            numbers
                .index_axis(Axis(0), sample)
                .iter()
                .copied()
                .collect()
        });
        let map = MaskedMap {
            attributions: &attributions[sample * n_positions..(sample + 1) * n_positions],
            inside: &inside,
            degrees: degrees.as_deref(),
            n_inside: inside.iter().filter(|&&inside| inside).count(),
            n_columns,
        };
        of(&map).map_err(|error| error.shifted(0, first + sample))
    };
    parallel::map(batch.n_samples(), of_sample)
        .into_iter()
        .collect()
}

registered!(MaskMetric<F: MaskFormula>);

impl<F: MaskFormula> Registered for MaskMetric<F> {}

/// Which part of an attribution counts as relevance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Relevance {
    /// What speaks for the target: `max(0, a)`.
    #[default]
    Positive,
    /// `|a|`.
    Absolute,
    /// The attribution as it is: shares may then leave [0, 1].
    Signed,
}

impl Relevance {
    /// The relevance of an attribution.
    #[must_use]
    pub fn of(self, attribution: f64) -> f64 {
        match self {
            Self::Positive => attribution.max(0.0),
            Self::Absolute => attribution.abs(),
            Self::Signed => attribution,
        }
    }

    /// The share of the relevance that lies in the object; `None` without any.
    #[must_use]
    pub fn share_inside(self, map: &MaskedMap<'_>) -> Option<f64> {
        let (inside, all) = map.sums(|a| self.of(a));
        (all != 0.0).then(|| inside / all)
    }
}
