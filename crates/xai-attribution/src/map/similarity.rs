//! Similarities and distances of two maps.

use std::sync::Arc;

use ndarray::{ArrayView3, ArrayViewD, Axis, Ix3};
use xai_core::describe::Parameter;
use xai_core::number::power_of_two;
use xai_core::statistics::Correlation;
use xai_core::statistics::spearman_finite;
use xai_core::tensor::Rows;
use xai_core::{Error, InputLayout, Real, Result, parallel};

use crate::map::positions::{attributions_of_maps, largest};
use crate::map::structural_similarity;
use crate::model::Function;
use crate::{help, input};

/// Similarity of two maps, used by [`RandomLogit`](crate::metric::RandomLogit),
/// [`ModelRandomization`](crate::metric::ModelRandomization) and
/// [`AttributionStability`](crate::metric::AttributionStability).
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{InputLayout, map::MapSimilarity};
/// let (a, b) = (array![[4.0, 3.0, 2.0, 1.0]].into_dyn(), array![[4.0, 1.0, 2.0, 3.0]].into_dyn());
/// let of = |similarity: MapSimilarity| similarity.per_sample(a.view(), b.view(), InputLayout::Tabular);
/// assert_eq!(of(MapSimilarity::Pearson)?, [Some(0.2)]);
/// // Of the two largest of each, one is the same: one of three.
/// assert_eq!(of(MapSimilarity::Jaccard { percent: 50 })?, [Some(1.0 / 3.0)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[param(name = "similarity")]
#[non_exhaustive]
pub enum MapSimilarity {
    /// Structural similarity, for maps of images. (Time series are treated as images with one channel.)
    Ssim,
    /// Spearman correlation of the attributions by position. Undefined for a constant map.
    Spearman,
    /// Pearson correlation of the attributions by position. Undefined for a constant map.
    Pearson,
    /// Jaccard index `|A ∩ B| / |A ∪ B|` of the top positions of both maps by absolute attribution. Ties go to the
    /// lower index. Undefined for a map whose attributions all have the same absolute value.
    #[param(default = 10, value_name = "PERCENT", at_least = 1, at_most = 100)]
    Jaccard {
        /// Number of top positions in percent of all, 1 to 100, rounded up.
        percent: u8,
    },
}

impl MapSimilarity {
    /// Similarity per sample of two sets of maps, in any layout of their inputs.
    ///
    /// # Errors
    /// A shape mismatch between the two sets, and for SSIM if maps are neither images nor time series; an empty-input
    /// error for maps without elements; NaN or infinity; out of domain if a sum over channels, or for SSIM the range of
    /// the values, is too large; an invalid parameter for a percentage outside 1 to 100.
    pub fn per_sample<T: Real>(
        self,
        a: ArrayViewD<'_, T>,
        b: ArrayViewD<'_, T>,
        layout: InputLayout,
    ) -> Result<Vec<Option<f64>>> {
        if a.shape() != b.shape() {
            return Err(Error::shape(input::EXPLANATIONS, a.shape(), b.shape()));
        }
        match self {
            Self::Spearman => by_position(a, b, layout, spearman_finite),
            Self::Pearson => by_position(a, b, layout, |a, b| {
                Correlation::Pearson.correlate_finite(&double(a), &double(b))
            }),
            Self::Jaccard { percent } => {
                input::check_kind(input::SIMILARITY, &self)?;
                by_position(a, b, layout, |a, b| jaccard(a, b, usize::from(percent)))
            }
            Self::Ssim => parallel::try_map(a.shape()[0], |i| {
                let a = image(a.index_axis(Axis(0), i), layout)?;
                structural_similarity(a, image(b.index_axis(Axis(0), i), layout)?).map(Some)
            }),
        }
    }
}

/// Applies a similarity to the attributions by position of each sample.
fn by_position<T: Real>(
    a: ArrayViewD<'_, T>,
    b: ArrayViewD<'_, T>,
    layout: InputLayout,
    similarity: impl Fn(&[T], &[T]) -> Option<f64> + Sync + Send,
) -> Result<Vec<Option<f64>>> {
    let n = a.shape()[0];
    let (a, b) = (
        attributions_of_maps(a, layout)?,
        attributions_of_maps(b, layout)?,
    );
    let positions = a.len() / n;
    Ok(parallel::map(n, |i| {
        let sample = i * positions..(i + 1) * positions;
        similarity(&a[sample.clone()], &b[sample])
    }))
}

fn double<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|x| x.to_f64_exact()).collect()
}

/// Jaccard index of the top `percent` % positions of two maps by magnitude: `|A ∩ B| / |A ∪ B|`.
///
/// `None` if all values of a map have the same magnitude, because then it has no top positions.
fn jaccard<T: Real>(a: &[T], b: &[T], percent: usize) -> Option<f64> {
    // Rounding up keeps at least one position for small maps.
    let k = (a.len() * percent).div_ceil(100);
    let has_one_magnitude = |map: &[T]| map.iter().all(|x| x.abs() == map[0].abs());
    if has_one_magnitude(a) || has_one_magnitude(b) {
        return None;
    }
    let mut in_top_of_a = vec![false; a.len()];
    for i in largest(a, k) {
        in_top_of_a[i] = true;
    }
    let common = largest(b, k)
        .into_iter()
        .filter(|&i| in_top_of_a[i])
        .count();
    // |A ∪ B| = |A| + |B| − |A ∩ B|.
    Some(common as f64 / (2 * k - common) as f64)
}

/// Views a map as `(height, width, channels)`.
fn image<T>(map: ArrayViewD<'_, T>, layout: InputLayout) -> Result<ArrayView3<'_, T>> {
    let shape = map.shape().to_vec();
    // Two axes: an image without channels, or a time series as an image with one channel.
    let image = match (map.ndim(), layout) {
        (2, _) => map.insert_axis(Axis(2)),
        (3, InputLayout::ChannelsFirst) => map.permuted_axes(vec![1, 2, 0]),
        _ => map,
    };
    image.into_dimensionality::<Ix3>().map_err(|_| {
        Error::shape_described(input::EXPLANATIONS, "maps of images, for SSIM", &shape)
            .with_help(help::CHOOSE_SPEARMAN)
    })
}

/// Distance of two maps, used by [`Stability`](crate::metric::Stability) and related metrics. Both maps are flattened
/// in row-major order; the first one is that of the sample.
#[derive(Debug, Clone, PartialEq, Default, Parameter)]
#[param(name = "distance")]
#[non_exhaustive]
pub enum MapDistance {
    /// `Σ |a − b|`.
    L1,
    /// `√Σ (a − b)²`.
    #[default]
    L2,
    /// `√Σ (a − b)² / √Σ a²`. Undefined if `a` is all zeros.
    Relative,
    /// `√Σ ((a − b) / a)²`, where an `a` of 0 is replaced by this number, as in Quantus.
    #[param(value_name = "ZERO")]
    Elementwise(f64),
    /// Custom function.
    #[param(skip)]
    Function(MapDistanceFunction),
}

/// Distance of two flattened maps.
pub type MapDistanceFunction = Function<dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync>;

impl MapDistance {
    /// Creates a distance from a function.
    pub fn from_fn(distance: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::Function(Function(Arc::new(distance)))
    }

    /// Distance of `a`, the map of the sample, and `b`; NaN if undefined.
    pub(crate) fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = a.iter().zip(b);
        match self {
            Self::L1 => pairs.map(|(a, b)| (a - b).abs()).sum(),
            Self::L2 => euclidean_norm(pairs.map(|(a, b)| a - b)),
            Self::Relative => {
                let size = euclidean_norm(a.iter().copied());
                if size > 0.0 {
                    Self::L2.between(a, b) / size
                } else {
                    f64::NAN
                }
            }
            Self::Elementwise(zero) => {
                let quotient = |(a, b): (&f64, &f64)| {
                    let by = if *a == 0.0 { *zero } else { *a };
                    ((a - b) / by) * ((a - b) / by)
                };
                pairs.map(quotient).sum::<f64>().sqrt()
            }
            Self::Function(distance) => distance(a, b),
        }
    }
}

/// `√Σ x²`, computed in units of a power of two near the largest value, so that squares neither overflow nor
/// underflow.
fn euclidean_norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values
        .clone()
        .fold(0.0f64, |largest, x| largest.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let unit = power_of_two(largest);
    let squares = values.map(|x| (x / unit) * (x / unit));
    squares.sum::<f64>().sqrt() * unit
}

/// Returns whether every element of the first map is within `absolute + relative · |b|` of that of the second one, for
/// each sample of two sets of maps.
///
/// # Errors
/// A shape mismatch between the two sets.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::map::maps_within;
/// let (a, b) = (array![[1.0, 2.0], [1.0, 2.0]].into_dyn(), array![[1.0, 2.1], [1.0, 4.0]].into_dyn());
/// assert_eq!(maps_within(a.view(), b.view(), 0.0, 0.1)?, [true, false]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn maps_within<T: Real>(
    a: ArrayViewD<'_, T>,
    b: ArrayViewD<'_, T>,
    absolute: f64,
    relative: f64,
) -> Result<Vec<bool>> {
    if a.shape() != b.shape() {
        return Err(Error::shape(input::EXPLANATIONS, a.shape(), b.shape()));
    }
    let (a, b) = (Rows::from_samples(a), Rows::from_samples(b));
    Ok(parallel::map(a.n_rows(), |sample| {
        let mut pairs = a.row(sample).iter().zip(b.row(sample));
        pairs.all(|(a, b)| {
            let (a, b) = (a.to_f64_exact(), b.to_f64_exact());
            (a - b).abs() <= absolute + relative * b.abs()
        })
    }))
}
