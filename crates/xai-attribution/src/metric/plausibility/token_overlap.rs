//! Overlap of the top tokens with a rationale: F1 and intersection over union.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::metric::{Hits, MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Ties, TopK};

/// Returns the number of tokens that a map marks, and the hits of the rationale among them. `None` if all attributions
/// are equal, because then no token is among the largest, unless ties are broken by index or no token is marked because
/// none is positive.
fn marked(map: &MaskedMap<'_>, k: TopK, positive_only: bool, ties: Ties) -> Option<(usize, Hits)> {
    let n = map.attributions.len();
    let largest = match k {
        // In a short text all tokens are the top.
        TopK::Count(k) => k.min(n),
        TopK::Share(_) => k.resolve(n).ok()?,
    };
    // Positive attributions are the largest ones, so the restriction only makes the top smaller.
    let n_marked = if positive_only {
        let n_positive = map.attributions.iter().filter(|a| **a > 0.0).count();
        largest.min(n_positive)
    } else {
        largest
    };
    let is_ranked = n_marked == 0 || ties == Ties::LowestIndex || !map.is_constant();
    is_ranked.then(|| (n_marked, map.hits(n_marked, ties)))
}

fn check(k: TopK, n_tokens: usize) -> Result<()> {
    match k {
        // A count may exceed the number of tokens of a short text.
        TopK::Count(_) => Ok(()),
        TopK::Share(_) => k.resolve(n_tokens).map(drop),
    }
}

/// F1 score of the top tokens against the rationale.
///
/// ```text
/// 2 |top ∩ rationale| / (|top| + |rationale|), top: of the k largest attributions those above 0
/// ```
///
/// In [0, 1], **higher is better**. If attributions are tied at the cut, the value is the mean over all orders of the
/// tied tokens, unless [`ties`](MaskMetric::ties) says otherwise. A map without a positive attribution marks nothing
/// and has the value 0. It is undefined for an empty rationale and, with [`Ties::Expected`], for a map whose
/// attributions are all equal and positive.
///
/// ```
/// use xai_attribution::metric::{TokenF1, TopK};
/// let (maps, rationales) = ([[0.5, 0.1, 0.9, -0.2]], [[true, false, false, false]]);
/// // Two tokens are marked; one of them is the rationale.
/// let value = TokenF1::new().k(TopK::Count(2)).evaluate_ragged(&maps, &rationales)?;
/// assert_eq!(value.value, 2.0 / (2.0 + 1.0));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// `k` should be about the length of the rationales, or a share of the tokens. Texts of different lengths:
/// [`evaluate_ragged`](MaskMetric::evaluate_ragged).
///
/// # Extremes
/// 0: no top token is in the rationale. 1: the top is the rationale.
///
/// # Limits
/// It is below 1 if the rationale has more or fewer tokens than the top. It measures whether people find the map
/// plausible, not whether the model uses the marked tokens.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// The top tokens are those of ferret, which gives an empty rationale the value 0 and breaks ties by the lowest index
/// ([`Ties::LowestIndex`]).
///
/// # Elsewhere
/// `ferret.Tokenf1_PlausibilityEvaluation`
#[metric(
    name = "token-f1",
    title = "Token F1",
    describes = F1OfTop,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.7179,
)]
pub type TokenF1 = MaskMetric<F1OfTop>;

/// The formula of [`TokenF1`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[params(of = TokenF1, at = formula)]
pub struct F1OfTop {
    /// Number of tokens in the top (all of a shorter text), or a share such as 0.1.
    #[param(default = TopK::Count(5))]
    k: TopK,
    /// Restricts the top to positive attributions.
    #[param(default = true)]
    positive_only: bool,
    /// Treatment of tokens that are tied at the cut.
    #[param(default = Ties::Expected)]
    ties: Ties,
}

impl MaskFormula for F1OfTop {
    fn check(&self, n_positions: usize) -> Result<()> {
        check(self.k, n_positions)
    }

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let (n_marked, n_common) = marked(map, self.k, self.positive_only, self.ties)?;
        Some(2.0 * n_common.mean() / (n_marked + map.n_inside) as f64)
    }
}

/// Intersection over union of the top tokens and the rationale.
///
/// ```text
/// |top ∩ rationale| / |top ∪ rationale|, top: of the k largest attributions those above 0
/// ```
///
/// In [0, 1], **higher is better**. The top tokens and the undefined cases are those of
/// [`TokenF1`](crate::metric::TokenF1). Without ties at the cut `IoU = F1 / (2 − F1)`, so that both rank the maps of a
/// sample alike.
///
/// ```
/// use xai_attribution::metric::{TokenIou, TopK};
/// let (maps, rationales) = ([[0.5, 0.1, 0.9, -0.2]], [[true, false, false, false]]);
/// let value = TokenIou::new().k(TopK::Count(2)).evaluate_ragged(&maps, &rationales)?;
/// assert_eq!(value.value, 1.0 / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no top token is in the rationale. 1: the top is the rationale.
///
/// # Limits
/// It is below 1 if the rationale has more or fewer tokens than the top. It measures whether people find the map
/// plausible, not whether the model uses the marked tokens.
///
/// # Source
/// DeYoung et al., ERASER, 2020.
///
/// # Elsewhere
/// `ferret.TokenIOU_PlausibilityEvaluation`
#[metric(
    name = "token-iou",
    title = "Token IoU",
    describes = IouOfTop,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.5625,
)]
pub type TokenIou = MaskMetric<IouOfTop>;

/// The formula of [`TokenIou`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[params(of = TokenIou, at = formula)]
pub struct IouOfTop {
    /// Number of tokens in the top (all of a shorter text), or a share such as 0.1.
    #[param(default = TopK::Count(5))]
    k: TopK,
    /// Restricts the top to positive attributions.
    #[param(default = true)]
    positive_only: bool,
    /// Treatment of tokens that are tied at the cut.
    #[param(default = Ties::Expected)]
    ties: Ties,
}

impl MaskFormula for IouOfTop {
    fn check(&self, n_positions: usize) -> Result<()> {
        check(self.k, n_positions)
    }

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let (n_marked, n_common) = marked(map, self.k, self.positive_only, self.ties)?;
        // IoU is not linear in the hits: its mean over the orders of tied tokens is not the IoU of the mean hits.
        let iou = |n_common| n_common as f64 / (n_marked + map.n_inside - n_common) as f64;
        Some(n_common.mean_of(iou))
    }
}
