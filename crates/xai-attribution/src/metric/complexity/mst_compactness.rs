//! Compactness of the marked positions, from their minimum spanning tree.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::{InputLayout, Real, Result};

use crate::batch::{Dataset, ExplainedBatch};
use crate::input;
use crate::metric::kinds::magnitudes::values_of_batch;
use crate::metric::kinds::spanning_tree::{Point, hull_area, tree_length};
use crate::metric::{IMAGES_ONLY, Measure, Registered};

/// Compactness of the positions that the map marks, from their minimum spanning tree.
///
/// ```text
/// 100 √(H² + W²) · |P| / length of the spanning tree of P / √(area of the hull of P), P the positions from the
/// 80th percentile of |a| on
/// ```
///
/// In (0, ∞), **higher is more compact**. The percentile is interpolated linearly; the spanning tree is the minimum
/// spanning tree by Euclidean distance, the hull the convex hull. If more than 80 % of a map are zeros, the percentile
/// is 0 and every position is marked; the same holds for a constant map other than zero. It is undefined for a map of
/// zeros, for less than two positions, and for positions on one line, whose hull has no area: [`Collinear::Diagonal`]
/// divides by the diagonal of the map instead. Tables are an error, because all their positions are on one line.
/// Without [`scaled`](Self::scaled), the value lacks the factor `100 √(H² + W²)`.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::EvaluationData;
/// use xai_attribution::{Evaluate, InputLayout, metric::MstCompactness};
/// let maps = array![[[[1.0], [1.0], [0.0]], [[1.0], [1.0], [0.0]], [[0.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]]];
/// // Four positions at the corners of a unit square, with a tree of three edges of length 1, on a map with a diagonal of 5.
/// let metric = MstCompactness::new().percentile(70.0).layout(InputLayout::ChannelsLast);
/// let value = metric.evaluate_on(EvaluationData::from_maps(maps.view()))?;
/// assert!((value.value - 100.0 * 5.0 * 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: the positions from the 80th percentile on.
///
/// # Extremes
/// Near 0: marked positions are scattered over the map. High: they are one dense patch. There is no upper end.
///
/// # Limits
/// It measures how close marked positions are to each other, not where they are. For scattered objects, a faithful map
/// has a low value.
///
/// # Source
/// Mesgari et al., arXiv:2603.29491, 2026.
///
/// Quantus computes the tree of a graph of nearest neighbours, whose ties are broken arbitrarily and whose missing
/// edges shorten it, uses the diagonal for positions on one line, and 0 for a map of zeros. If its graph contains the
/// minimum spanning tree, its number is that of [`Collinear::Diagonal`].
#[metric(
    name = "mst-compactness",
    title = "MST compactness",
    direction = Direction::Higher,
    range = Range::above(0.0),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLANATIONS],
    example = 255.389,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct MstCompactness {
    /// Percentile of a map from which positions are marked.
    #[param(at_least = 0, at_most = 100, default = 80.0)]
    percentile: f64,
    /// Multiplies the value by 100 times the diagonal of a map, so that it does not depend on the resolution.
    #[param(default = true)]
    scaled: bool,
    /// Treatment of positions on one line, whose hull has no area.
    #[param(default = Collinear::Undefined)]
    collinear: Collinear,
}

/// Treatment of positions on one line, whose hull has no area.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Collinear {
    /// The map has no value.
    #[default]
    Undefined,
    /// The diagonal of the map replaces the root of the area.
    Diagonal,
}

impl MstCompactness {
    /// Returns the value of a map with `n_columns` columns.
    fn value(&self, magnitudes: &[f64], n_columns: usize) -> Option<f64> {
        if magnitudes.iter().all(|&m| m == 0.0) {
            return None;
        }
        let least = percentile(magnitudes, self.percentile);
        let marked = magnitudes.iter().enumerate().filter(|(_, m)| **m >= least);
        let to_point = |(position, _)| Point {
            row: (position / n_columns) as i32,
            column: (position % n_columns) as i32,
        };
        let points: Vec<Point> = marked.map(to_point).collect();
        if points.len() < 2 {
            return None;
        }
        let diagonal = ((magnitudes.len() / n_columns) as f64).hypot(n_columns as f64);
        let side = match (hull_area(&points), self.collinear) {
            (area, _) if area > 0.0 => area.sqrt(),
            (_, Collinear::Undefined) => return None,
            (_, Collinear::Diagonal) => diagonal,
        };
        let compactness = points.len() as f64 / tree_length(&points) / side;
        Some(if self.scaled {
            compactness * diagonal * 100.0
        } else {
            compactness
        })
    }
}

/// Percentile of values with linear interpolation, as NumPy's default.
fn percentile(values: &[f64], percentile: f64) -> f64 {
    let rank = percentile * (values.len() - 1) as f64 / 100.0;
    let below = (rank.floor() as usize).min(values.len() - 1);
    // Selection in linear time instead of a sort: the value above is the least of the upper part.
    let mut selected = values.to_vec();
    let (_, low, above) = selected.select_nth_unstable_by(below, f64::total_cmp);
    let (low, weight) = (*low, rank - below as f64);
    let high = above.iter().copied().fold(f64::INFINITY, f64::min);
    if weight > 0.0 && high.is_finite() {
        // In this form, interpolation between two equal values is exact, and `>=` still marks them.
        low + (high - low) * weight
    } else {
        low
    }
}

impl<T: Real> Measure<T> for MstCompactness {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        // Images without a channel axis that are evaluated without inputs have the layout of time series.
        let planes = [
            InputLayout::TimeSeries,
            InputLayout::ChannelsLast,
            InputLayout::ChannelsFirst,
        ];
        dataset.require_layout(&planes, "maps of images, whose positions have places")
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let (shape, layout) = (explained.batch().shape(), explained.batch().layout());
        values_of_batch(explained, |magnitudes| {
            let n_rows = match layout {
                InputLayout::ChannelsLast | InputLayout::TimeSeries => shape[1],
                InputLayout::ChannelsFirst => shape[2],
                InputLayout::Tabular => 1,
            };
            self.value(magnitudes, magnitudes.len() / n_rows)
        })
    }
}

registered!(MstCompactness, options);

impl Registered for MstCompactness {
    const TAKES: &'static [InputLayout] = IMAGES_ONLY;
}
