//! Comparison with the attributions for a model with random weights.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_core::statistics::Correlation;

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::rows::{check_row, read_rows};
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// Similarity of the attributions of the trained model and of a randomized model.
///
/// ```text
/// Spearman_i( τ_ti , τ'_ti ), τ' by the model with random weights
/// ```
///
/// In [−1, 1], **lower is better**: 1 = attributions do not depend on the trained weights, about 0 = they do.
/// Undefined if either is constant.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, AttributionRandomization};
/// let (trained, random) = (array![[0.1, 0.5, 0.9]], array![[0.2, 0.1, 0.3]]);
/// let data = AttributionData::new(trained.view()).random_attributions(random.view());
/// assert_eq!(AttributionRandomization::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: attributions do not depend on the trained weights. About 0: they do. −1: the reverse order.
///
/// # Limits
/// A low value does not show that attributions are right: random attributions have it, too. One random model is a
/// single sample: use several.
///
/// # Source
/// Hanawa et al., *Evaluation of Similarity-based Explanations*, 2021; Adebayo et al., *Sanity Checks for Saliency
/// Maps*, 2018.
///
/// quanda returns 0 where this is undefined.
///
/// # Elsewhere
/// `quanda.ModelRandomizationMetric`
#[metric(
    name = "attribution-randomization",
    direction = Direction::Lower,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::RANDOM_ATTRIBUTIONS],
    example = -0.0601,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct AttributionRandomization {
    /// Correlation of the two attributions.
    correlation: Correlation,
}

impl AttributionMetric for AttributionRandomization {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        const RANDOM: xai_core::Input = input::RANDOM_ATTRIBUTIONS;
        let source = data.random_rows()?;
        let correlation = self.correlation;
        Ok(RowFunction::per_block(move |rows| {
            let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
                return Ok(Vec::new());
            };
            // Reads the whole range at once. Rows in it that are not kept are ignored.
            let start = first.index();
            let random_rows = read_rows(RANDOM, source, start..last.index() + 1)?;
            let correlations = rows.iter().map(|row| {
                let random = random_rows
                    .row(row.index() - start)
                    .to_slice()
                    .unwrap_or_default();
                check_row(RANDOM, row.index(), random)?;
                Ok(correlation.correlate_finite(row.values(), random))
            });
            correlations.collect()
        }))
    }
}
