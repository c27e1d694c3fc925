//! Focus: relevance on the cells of a mosaic that show the target class.

use xai_core::describe::{Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Relevance};

/// Share of the positive relevance that lies on the mosaic cells of the target class.
///
/// ```text
/// Σ_{p in the cells of the class} max(0, a_p) / Σ_p max(0, a_p)
/// ```
///
/// In [0, 1], **higher is better**; a random map has the share of the cells. The cells of the target class are
/// a mask from [`Masks::mosaic`](crate::side::Masks::mosaic): with 2 × 2 cells this is Focus, with 3 × 3 cells
/// the grid pointing game (GridPG, or DiFull if the model sees each cell separately). It is undefined
/// for a map without a positive attribution.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::Focus};
/// let maps = array![[[3.0, 0.0], [1.0, -2.0]]];
/// let cells = array![[[true, false], [false, true]]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::mosaic(&cells, 2, 2)?);
/// assert_eq!(Focus::new().evaluate_on(data)?.value, 0.75);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: all positive relevance is on other cells. The share of the cells: as by chance. 1: all of it is on the cells of
/// the class.
///
/// # Limits
/// A mosaic is unlike the training data. For a model that separates the classes badly, a faithful map has a low value.
///
/// # Source
/// Arias-Duart et al., *Focus! Rating XAI Methods and Finding Biases*, 2022; Rao et al., *Towards Better Understanding
/// Attribution Methods*, 2022.
///
/// Quantus adds 1e-9 to the divisor.
///
/// # Elsewhere
/// `quantus.Focus`
#[metric(
    name = "focus",
    describes = CellShare,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.7172,
)]
pub type Focus = MaskMetric<CellShare>;

/// The formula of [`Focus`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct CellShare;

impl MaskFormula for CellShare {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        Relevance::Positive.share_inside(map)
    }
}
