//! How alike the maps of two explanations are.

use ndarray::{ArrayView3, ArrayViewD, Axis, Ix3};
use xai_core::{Error, Layout, Real, Result, parallel};

use crate::map::positions::attributions_of_maps;
use crate::map::structural_similarity::structural_similarity;
use crate::{help, input};
use xai_core::statistics::ranks::spearman_of_finite;

/// How alike two maps are: what [`RandomLogit`](crate::metric::RandomLogit) and
/// [`ModelRandomization`](crate::metric::ModelRandomization) compare by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MapSimilarity {
    /// [`structural_similarity`], for maps of images (time series count as images of one channel).
    Ssim,
    /// [`spearman`](xai_core::statistics::spearman) of the attributions by position; undefined for a constant
    /// map.
    Spearman,
}

impl MapSimilarity {
    /// One similarity per sample of two sets of maps, in any layout of their inputs.
    ///
    /// # Errors
    /// A shape mismatch between the two, and for SSIM where maps are no images.
    pub fn per_sample<T: Real>(
        self,
        a: ArrayViewD<'_, T>,
        b: ArrayViewD<'_, T>,
        layout: Layout,
    ) -> Result<Vec<Option<f64>>> {
        if a.shape() != b.shape() {
            return Err(Error::shape(input::EXPLANATIONS, a.shape(), b.shape()));
        }
        let n = a.shape()[0];
        match self {
            Self::Spearman => {
                let (a, b) = (
                    attributions_of_maps(a, layout)?,
                    attributions_of_maps(b, layout)?,
                );
                let positions = a.len() / n;
                Ok(parallel::map(n, |i| {
                    let sample = i * positions..(i + 1) * positions;
                    spearman_of_finite(&a[sample.clone()], &b[sample])
                }))
            }
            Self::Ssim => parallel::try_map(n, |i| {
                let a = image(a.index_axis(Axis(0), i), layout)?;
                structural_similarity(a, image(b.index_axis(Axis(0), i), layout)?).map(Some)
            }),
        }
    }
}

/// A map as `(height, width, channels)`.
fn image<T>(map: ArrayViewD<'_, T>, layout: Layout) -> Result<ArrayView3<'_, T>> {
    let shape = map.shape().to_vec();
    let image = match (map.ndim(), layout) {
        (2, _) => map.insert_axis(Axis(2)),
        (3, Layout::ChannelsFirst) => map.permuted_axes(vec![1, 2, 0]),
        _ => map,
    };
    image.into_dimensionality::<Ix3>().map_err(|_| {
        Error::shape_described(input::EXPLANATIONS, "maps of images, for SSIM", &shape)
            .with_help(help::CHOOSE_SPEARMAN)
    })
}

impl std::str::FromStr for MapSimilarity {
    type Err = Error;

    /// `ssim` or `spearman`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "ssim" => Ok(Self::Ssim),
            "spearman" => Ok(Self::Spearman),
            _ => Err(Error::parameter(
                input::SIMILARITY,
                text,
                "ssim or spearman",
            )),
        }
    }
}
