//! Agreement of two maps on the important features.

use xai_core::statistics::PairOrders;
use xai_core::statistics::spearman_finite;
use xai_core::{Error, Result};

use crate::input;
use crate::metric::kinds::ties::{Ties, TopFeatures};
use crate::metric::kinds::top_k::TopK;
use crate::metric::{Parameter, Parameters, area};

/// Options for comparing two maps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AgreementOptions {
    /// Number of features in the top. Default: a tenth of them.
    pub k: TopK,
    /// Averages the agreement on the top over `k' = 1..=k` (the mean of the trapezoids) instead of using that at `k`.
    pub over_top: bool,
    /// Treatment of features that are tied, at the cut or in the order of the top.
    pub ties: Ties,
    /// Treatment of attributions of equal magnitude in rankings.
    pub rank_ties: RankTies,
}

/// Treatment of attributions of equal magnitude in rankings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RankTies {
    /// Tied attributions share the mean of their ranks, and a tie agrees with a tie.
    #[default]
    Mid,
    /// As OpenXAI: tied attributions share a rank, and the next rank is one more. In pairs, a tie counts as if the
    /// later feature were the larger one.
    Dense,
}

/// Agreement of two maps on the important features, by six measures.
///
/// The top of a map are the `k` features of largest magnitude. If some are tied, shares of the top are means over all
/// orders of the tied features of both maps, and `None` if all magnitudes of one map are equal, unless
/// [`ties`](AgreementOptions::ties) says otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MapAgreement {
    /// Share of the `k` top features that are in the top of both maps.
    pub features: Option<f64>,
    /// Share of the `k` top features that have the same rank in both maps.
    pub ranks: Option<f64>,
    /// Share of the `k` top features that are in the top of both maps with the same sign.
    pub signs: Option<f64>,
    /// Share of the `k` top features that have the same rank and the same sign in both maps.
    pub signed_ranks: Option<f64>,
    /// Pearson correlation of the ranks of the magnitudes of all features; `None` if all magnitudes of one map are
    /// equal.
    pub rank_correlation: Option<f64>,
    /// Share of the pairs of features that both maps order alike; `None` if there is one feature only.
    pub pairwise_ranks: Option<f64>,
}

/// Computes the agreement of two maps of equal length on the important features.
///
/// ```
/// use xai_attribution::metric::{AgreementOptions, TopK, map_agreement};
/// let (a, b) = ([0.9, -0.5, 0.1, 0.0], [0.8, 0.3, 0.4, 0.0]);
/// let options = AgreementOptions { k: TopK::Count(2), ..AgreementOptions::default() };
/// let agreement = map_agreement(&a, &b, &options)?;
/// // The tops are features 0 and 1 of `a`, and features 0 and 2 of `b`.
/// assert_eq!([agreement.features, agreement.ranks, agreement.signs], [Some(0.5); 3]);
/// assert_eq!(agreement.pairwise_ranks, Some(5.0 / 6.0));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Errors
/// A shape mismatch if the lengths differ, an empty input, a non-finite attribution, and an invalid `k`.
///
/// # Source
/// Krishna et al., *The Disagreement Problem in Explainable Machine Learning*, 2022; Agarwal et al.,
/// *OpenXAI*, 2022.
pub fn map_agreement(a: &[f64], b: &[f64], options: &AgreementOptions) -> Result<MapAgreement> {
    if a.len() != b.len() {
        return Err(Error::shape(input::B, &[a.len()], &[b.len()]));
    }
    if a.is_empty() {
        return Err(Error::empty(input::A));
    }
    for (input, map) in [(input::A, a), (input::B, b)] {
        if let Some(i) = map.iter().position(|x| !x.is_finite()) {
            return Err(Error::non_finite(input, &[i]));
        }
    }
    let k = options.k.resolve(a.len())?;
    let top = |kind: AgreementKind| kind.agreement(a, b, k, options);
    Ok(MapAgreement {
        features: top(AgreementKind::Features),
        ranks: top(AgreementKind::Ranks),
        signs: top(AgreementKind::Signs),
        signed_ranks: top(AgreementKind::SignedRanks),
        rank_correlation: rank_correlation(a, b, options.rank_ties),
        pairwise_ranks: pairwise_ranks(a, b, options.rank_ties),
    })
}

/// Condition under which a feature in the top of two maps counts as an agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgreementKind {
    Features,
    Ranks,
    Signs,
    SignedRanks,
}

impl AgreementKind {
    /// Returns the agreement of two finite maps at `k`, or its mean over `1..=k` (see [`AgreementOptions::over_top`]).
    /// `None` for [`Ties::Expected`] if all magnitudes of one map are equal.
    pub(crate) fn agreement(
        self,
        a: &[f64],
        b: &[f64],
        k: usize,
        options: &AgreementOptions,
    ) -> Option<f64> {
        // A map of one magnitude has no top; the mean over its orders would only measure chance.
        let has_one_magnitude = |map: &[f64]| map.iter().all(|x| x.abs() == map[0].abs());
        if options.ties == Ties::Expected && (has_one_magnitude(a) || has_one_magnitude(b)) {
            return None;
        }
        let counts: Vec<bool> = match self {
            Self::Features | Self::Ranks => vec![true; a.len()],
            Self::Signs | Self::SignedRanks => {
                a.iter().zip(b).map(|(a, b)| sign(*a) == sign(*b)).collect()
            }
        };
        let [a, b] = [a, b].map(|map| TopFeatures::new(map, k, options.ties));
        let common = match self {
            Self::Features | Self::Signs => a.common(&b, &counts),
            Self::Ranks | Self::SignedRanks => a.at_same_rank(&b, &counts),
        };
        let share = |(n, k): (&f64, u32)| n / f64::from(k);
        let shares: Vec<f64> = common.iter().zip(1..).map(share).collect();
        // A single point has no area.
        if options.over_top && k > 1 {
            Some(area(&shares))
        } else {
            // `common` has the numbers for every `k'` up to `k`; the last one is that at `k`.
            shares.last().copied()
        }
    }
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

fn magnitudes(map: &[f64]) -> Vec<f64> {
    map.iter().map(|x| x.abs()).collect()
}

/// Pearson correlation of the ranks of two finite maps by magnitude; `None` if all magnitudes of one map are equal.
pub(crate) fn rank_correlation(a: &[f64], b: &[f64], ties: RankTies) -> Option<f64> {
    let (a, b) = (magnitudes(a), magnitudes(b));
    match ties {
        RankTies::Mid => spearman_finite(&a, &b),
        RankTies::Dense => {
            // `pearson` fails only for values that are not finite and for different lengths; ranks are neither.
            let correlation = xai_core::statistics::pearson(&dense_ranks(&a), &dense_ranks(&b));
            correlation.ok().flatten()
        }
    }
}

/// Ranks by ascending magnitude, from 0 and without gaps: equal magnitudes share a rank, and the next one is one more.
fn dense_ranks(magnitudes: &[f64]) -> Vec<f64> {
    let mut distinct = magnitudes.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let rank = |magnitude: &f64| distinct.partition_point(|other| other < magnitude) as f64;
    magnitudes.iter().map(rank).collect()
}

/// Share of the pairs of features that two finite maps order alike by magnitude; `None` without pairs.
pub(crate) fn pairwise_ranks(a: &[f64], b: &[f64], ties: RankTies) -> Option<f64> {
    let (a, b) = (magnitudes(a), magnitudes(b));
    let orders = PairOrders::from_finite(&a, &b);
    let agree = match ties {
        RankTies::Mid => orders.concordant() + orders.tied_in_both,
        // OpenXAI compares `a[i] > a[j]` with `b[i] > b[j]` for i < j: a tie in one map agrees with the order of the
        // other unless the earlier feature is the larger one there.
        RankTies::Dense => {
            let is_earlier_larger = |map: &[f64], i: usize, j: usize| map[i] > map[j];
            let pairs = (0..a.len()).flat_map(|i| (i + 1..a.len()).map(move |j| (i, j)));
            let alike =
                pairs.filter(|&(i, j)| is_earlier_larger(&a, i, j) == is_earlier_larger(&b, i, j));
            alike.count() as u64
        }
    };
    (orders.all > 0).then(|| agree as f64 / orders.all as f64)
}
