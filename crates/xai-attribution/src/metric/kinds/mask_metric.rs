//! Metrics that compare a map with the mask of an object.

use std::fmt::Debug;
use xai_core::describe::Described;

use ndarray::Axis;
use xai_core::number::check_finite_slice;
use xai_core::{Error, Input, InputLayout, Real, Result, parallel};

use crate::batch::{Dataset, ExplainedBatch, MapWork};
use crate::map::ChannelPool;
use crate::metric::{Hits, Measure, MetricValue, Parameter, Parameters, Ties};
use crate::side::Masks;
use crate::{help, input};

/// Inputs of metrics that compare maps with masks.
pub const MASK_NEEDS: &[Input] = &[input::EXPLANATIONS, input::MASKS];

/// A map and the mask of its object, the arguments of a [`MaskFormula`].
#[derive(Debug, Clone, Copy)]
pub struct MaskedMap<'a> {
    /// Attribution of every position, row by row.
    pub attributions: &'a [f64],
    /// `true` for every position of the object.
    pub inside: &'a [bool],
    /// Degree in [0, 1] to which every position belongs to the object, if masks are numbers.
    pub degrees: Option<&'a [f64]>,
    /// Number of positions of the object; at least 1 in a [`MaskFormula`].
    pub n_inside: usize,
    /// Number of positions per row.
    pub n_columns: usize,
}

impl MaskedMap<'_> {
    /// Returns the degree to which a position belongs to the object: 0 or 1 if masks are booleans.
    #[must_use]
    pub fn truth(&self, position: usize) -> f64 {
        let boolean = || f64::from(u8::from(self.inside[position]));
        self.degrees
            .map_or_else(boolean, |degrees| degrees[position])
    }

    /// Returns the sums of `term(attribution / largest magnitude)` over the object and over all positions.
    ///
    /// Because of the division, only the ratio of the sums is meaningful, and only for homogeneous terms such as `|x|`
    /// or `x²`.
    #[must_use]
    pub fn sums(&self, term: impl Fn(f64) -> f64) -> (f64, f64) {
        // In units of the largest magnitude, no sum leaves the range of f64.
        let largest = self.attributions.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let pairs = self.attributions.iter().zip(self.inside);
        pairs.fold((0.0, 0.0), |(inside, all), (&x, &is_inside)| {
            let x = term(x / unit);
            (if is_inside { inside + x } else { inside }, all + x)
        })
    }

    /// Returns `true` if all attributions are equal, so that the map has no largest positions.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.attributions.iter().all(|a| *a == self.attributions[0])
    }

    /// Counts the positions of the object among the `k` positions with the largest attributions.
    #[must_use]
    pub fn hits(&self, k: usize, ties: Ties) -> Hits {
        Hits::new(self.attributions, self.inside, k, ties)
    }
}

/// The formula of a [`MaskMetric`], computed from a map and the mask of its object.
pub trait MaskFormula:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Checks the parameters for maps of `n_positions` positions.
    ///
    /// # Errors
    /// An invalid parameter.
    fn check(&self, _n_positions: usize) -> Result<()> {
        Ok(())
    }

    /// Returns the value of one sample; `None` where it is undefined. The mask is never empty.
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64>;
}

/// Pools the channels of all maps of a batch: `n_positions` attributions per sample.
impl<T: Real> MapWork<T> for ChannelPool {
    type Output = Vec<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let (n, maps) = (explained.batch().n_samples(), explained.maps()?);
        let n_positions = explained.batch().dataset().n_positions();
        let owned;
        let maps = match maps.as_slice() {
            Some(values) => values,
            // Views with other strides, such as transposed maps, are copied into row-major order.
            None => {
                owned = maps.iter().copied().collect::<Vec<T>>();
                &owned
            }
        };
        let size = maps.len() / n;
        let first = explained.batch().layout() == InputLayout::ChannelsFirst;
        let by_sample = parallel::map(n, |sample| {
            let map = &maps[sample * size..(sample + 1) * size];
            self.pool_map(map, n_positions, first)
        });
        let pooled = by_sample.concat();
        match pooled.iter().position(|x| !x.is_finite()) {
            None => Ok(pooled),
            // Maps are finite, so only the sum over channels can overflow.
            Some(index) => {
                let sample = explained.batch().samples().start + index / n_positions;
                let expected = "channels whose sum is within the range of f64";
                let value = pooled[index];
                Err(
                    Error::out_of_domain(input::EXPLANATIONS, &[sample], value, expected)
                        .with_help(help::SCALE_MAPS_DOWN),
                )
            }
        }
    }
}

/// A metric of maps and [`Masks`]. Samples with an empty mask have no value.
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct MaskMetric<F> {
    #[param(flatten)]
    pub(crate) formula: F,
    /// Pooling of the channels of a position into one attribution.
    pool: ChannelPool,
}

impl<T: Real, F: MaskFormula> Measure<T> for MaskMetric<F> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        dataset.side::<Masks>()?;
        self.formula.check(dataset.n_positions())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        masked_maps(explained, self.pool, &|map| {
            let value = (map.n_inside > 0).then(|| self.formula.value(map));
            Ok(value.flatten())
        })
    }
}

impl<F: MaskFormula> MaskMetric<F> {
    /// Evaluates maps of different sizes, such as those of texts with different numbers of tokens, each with a mask of
    /// its size.
    ///
    /// For maps of equal size, the values are those of [`evaluate_on`](crate::Evaluate::evaluate_on).
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
    /// An empty-input error if there are no samples, a map has no positions, or no sample has a value; a shape mismatch
    /// if there are more or fewer masks than maps, or the size of a mask differs from that of its map; a non-finite
    /// attribution; and an invalid parameter of the formula. Errors about a sample name it.
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
            let value = self.evaluate_sample(maps[sample].as_ref(), masks[sample].as_ref());
            value.map_err(|error| error.owner(format!("sample {sample}")))
        });
        MetricValue::new(values.into_iter().collect::<Result<_>>()?)
    }

    fn evaluate_sample<T: Real>(&self, map: &[T], inside: &[bool]) -> Result<Option<f64>> {
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
        if map.n_inside == 0 {
            return Ok(None);
        }
        Ok(self.formula.value(&map))
    }
}

/// Calls `evaluate` for every map of a batch with its mask, in parallel, and returns the results in the order of the
/// samples.
///
/// # Errors
/// Missing masks, unreadable maps, and errors of `evaluate`, which have the index 0 and get that of the sample here.
pub(crate) fn masked_maps<T: Real, R: Send>(
    explained: &ExplainedBatch<'_, T>,
    pool: ChannelPool,
    evaluate: &(dyn Fn(&MaskedMap<'_>) -> Result<R> + Sync),
) -> Result<Vec<R>> {
    let batch = explained.batch();
    let side = batch.dataset().side::<Masks>()?;
    let (masks, numbers) = (
        side.read(batch.samples())?,
        side.read_numbers(batch.samples())?,
    );
    let attributions = explained.shared(&pool)?;
    let (attributions, n_positions): (&[f64], _) = (&attributions, batch.dataset().n_positions());
    let (n_columns, first) = (masks.dim().2, batch.samples().start);
    let evaluate_sample = |sample: usize| {
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
        evaluate(&map).map_err(|error| error.shifted(0, first + sample))
    };
    parallel::map(batch.n_samples(), evaluate_sample)
        .into_iter()
        .collect()
}

registered!(MaskMetric<F: MaskFormula>);

/// Function of an attribution that counts as relevance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Relevance {
    /// Evidence for the target: `max(0, a)`.
    #[default]
    Positive,
    /// Magnitude: `|a|`.
    Absolute,
    /// The attribution itself. Shares of the relevance can then be outside [0, 1].
    Signed,
}

impl Relevance {
    /// Returns the relevance of an attribution.
    #[must_use]
    pub fn apply(self, attribution: f64) -> f64 {
        match self {
            Self::Positive => attribution.max(0.0),
            Self::Absolute => attribution.abs(),
            Self::Signed => attribution,
        }
    }

    /// Returns the share of the relevance that is on the object; `None` if the total relevance is 0.
    #[must_use]
    pub fn share_inside(self, map: &MaskedMap<'_>) -> Option<f64> {
        let (inside, all) = map.sums(|a| self.apply(a));
        (all != 0.0).then(|| inside / all)
    }
}
