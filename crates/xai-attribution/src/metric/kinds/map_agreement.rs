//! How far two maps agree on what matters.

use xai_core::statistics::PairOrders;
use xai_core::statistics::ranks::spearman_finite;
use xai_core::{Error, Result};

use crate::input;
use crate::metric::kinds::ties::{Ties, TopFeatures};
use crate::metric::kinds::top_k::TopK;
use crate::metric::{Parameter, Parameters, area};

/// How two maps are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AgreementOptions {
    /// How many features are the top. Default: a tenth of them.
    pub k: TopK,
    /// Whether agreement on the top is its area over `k' = 1..=k` (the mean of the trapezoids) instead of
    /// that at `k`.
    pub over_top: bool,
    /// Which features are the top, and in which order, if some are tied.
    pub ties: Ties,
    /// What attributions of one size are to rankings.
    pub rank_ties: RankTies,
}

/// What attributions of one size are to rankings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RankTies {
    /// They share the mean of their ranks, and a tie agrees with a tie.
    #[default]
    Mid,
    /// They share a rank, and the next one is one more; a tie counts as the later feature being the larger.
    /// OpenXAI's.
    Dense,
}

/// How far two maps agree on what matters, by six measures.
///
/// "Top" are the `k` features of the largest attributions by size. If some are tied, shares of the top are means over all
/// orders of the tied features of either map, and `None` where the sizes of one map are all equal, unless
/// [`ties`](AgreementOptions::ties) says otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MapAgreement {
    /// The share of the top that both maps have.
    pub features: Option<f64>,
    /// The share of the top that both maps have at the same rank.
    pub ranks: Option<f64>,
    /// The share of the top that both maps have with the same sign.
    pub signs: Option<f64>,
    /// The share of the top that both maps have at the same rank and with the same sign.
    pub signed_ranks: Option<f64>,
    /// Pearson's correlation of the ranks of all features; `None` where the sizes of one map are all
    /// equal.
    pub rank_correlation: Option<f64>,
    /// The share of pairs of features that are in the same order; `None` for one feature.
    pub pairwise_ranks: Option<f64>,
}

/// How far two maps of one length agree on what matters.
///
/// ```
/// use xai_attribution::metric::{AgreementOptions, TopK, map_agreement};
/// let (a, b) = ([0.9, -0.5, 0.1, 0.0], [0.8, 0.3, 0.4, 0.0]);
/// let options = AgreementOptions { k: TopK::Count(2), ..AgreementOptions::default() };
/// let agreement = map_agreement(&a, &b, &options)?;
/// // The top are features 0 and 1, and features 0 and 2.
/// assert_eq!([agreement.features, agreement.ranks, agreement.signs], [Some(0.5); 3]);
/// assert_eq!(agreement.pairwise_ranks, Some(5.0 / 6.0));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Errors
/// A shape mismatch for other lengths, not finite, an invalid parameter for `k`.
///
/// # Source
/// Krishna et al., *The Disagreement Problem in Explainable Machine Learning*, 2022; Agarwal et al.,
/// *OpenXAI*, 2022.
pub fn map_agreement(a: &[f64], b: &[f64], options: &AgreementOptions) -> Result<MapAgreement> {
    if a.len() != b.len() {
        return Err(Error::shape(input::B, &[a.len()], &[b.len()]));
    }
    for (of, map) in [(input::A, a), (input::B, b)] {
        if let Some(i) = map.iter().position(|x| !x.is_finite()) {
            return Err(Error::non_finite(of, &[i]));
        }
    }
    let k = options.k.of(a.len())?;
    let top = |shared: Shared| shared.of(a, b, k, options);
    Ok(MapAgreement {
        features: top(Shared::Features),
        ranks: top(Shared::Ranks),
        signs: top(Shared::Signs),
        signed_ranks: top(Shared::SignedRanks),
        rank_correlation: rank_correlation(a, b, options.rank_ties),
        pairwise_ranks: pairwise_ranks(a, b, options.rank_ties),
    })
}

/// What the same features in the top of two maps have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shared {
    Features,
    Ranks,
    Signs,
    SignedRanks,
}

impl Shared {
    /// The agreement of finite maps at `k`, or its area over `1..=k`.
    pub(crate) fn of(
        self,
        a: &[f64],
        b: &[f64],
        k: usize,
        options: &AgreementOptions,
    ) -> Option<f64> {
        let has_one_size = |map: &[f64]| map.iter().all(|x| x.abs() == map[0].abs());
        if options.ties == Ties::Expected && (has_one_size(a) || has_one_size(b)) {
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
        let shares = common.iter().zip(1..).map(|(n, k)| n / f64::from(k));
        let shares: Vec<f64> = shares.collect();
        if options.over_top && k > 1 {
            Some(area(&shares))
        } else {
            shares.last().copied()
        }
    }
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

fn sizes(map: &[f64]) -> Vec<f64> {
    map.iter().map(|x| x.abs()).collect()
}

/// Pearson's correlation of the ranks of the sizes of finite attributions.
pub(crate) fn rank_correlation(a: &[f64], b: &[f64], ties: RankTies) -> Option<f64> {
    let (a, b) = (sizes(a), sizes(b));
    match ties {
        RankTies::Mid => spearman_finite(&a, &b),
        RankTies::Dense => {
            // Ranks are finite and of one length.
            let correlation = xai_core::statistics::pearson(&dense_ranks(&a), &dense_ranks(&b));
            correlation.ok().flatten()
        }
    }
}

/// Ranks from 0 of which none is left out, ascending.
fn dense_ranks(sizes: &[f64]) -> Vec<f64> {
    let mut distinct = sizes.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let rank = |size: &f64| distinct.partition_point(|other| other < size) as f64;
    sizes.iter().map(rank).collect()
}

/// The share of pairs of features that are in the same order, of finite attributions.
pub(crate) fn pairwise_ranks(a: &[f64], b: &[f64], ties: RankTies) -> Option<f64> {
    let (a, b) = (sizes(a), sizes(b));
    let orders = PairOrders::from_finite(&a, &b);
    let agree = match ties {
        RankTies::Mid => orders.concordant() + orders.tied_in_both,
        RankTies::Dense => {
            let earlier = |map: &[f64], i: usize, j: usize| map[i] > map[j];
            let pairs = (0..a.len()).flat_map(|i| (i + 1..a.len()).map(move |j| (i, j)));
            let agree = pairs.filter(|&(i, j)| earlier(&a, i, j) == earlier(&b, i, j));
            agree.count() as u64
        }
    };
    (orders.all > 0).then(|| agree as f64 / orders.all as f64)
}
