//! How far two maps agree on what matters.

use xai_core::statistics::PairOrders;
use xai_core::statistics::ranks::spearman_of_finite;
use xai_core::{Error, Result};

use crate::input;
use crate::map::positions::largest;
use crate::metric::localization::top_k_intersection::TopK;
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
/// "Top" are the `k` features of the largest attributions by size, ties to the lower feature.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MapAgreement {
    /// The share of the top that both maps have.
    pub features: f64,
    /// The share of the top that both maps have at the same rank.
    pub ranks: f64,
    /// The share of the top that both maps have with the same sign.
    pub signs: f64,
    /// The share of the top that both maps have at the same rank and with the same sign.
    pub signed_ranks: f64,
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
/// assert_eq!((agreement.features, agreement.ranks, agreement.signs), (0.5, 0.5, 0.5));
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
    let top = |shared: Shared| shared.of(a, b, k, options.over_top);
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
    pub(crate) fn of(self, a: &[f64], b: &[f64], k: usize, over_top: bool) -> f64 {
        let (top_a, top_b) = (largest(a, k), largest(b, k));
        let mut rank_in_b = vec![usize::MAX; a.len()];
        for (rank, &feature) in top_b.iter().enumerate() {
            rank_in_b[feature] = rank;
        }
        let mut found = vec![0usize; k];
        for (rank, &feature) in top_a.iter().enumerate() {
            let other = rank_in_b[feature];
            let same_rank = rank == other;
            let same_sign = sign(a[feature]) == sign(b[feature]);
            let counts = match self {
                Self::Features => true,
                Self::Ranks => same_rank,
                Self::Signs => same_sign,
                Self::SignedRanks => same_rank && same_sign,
            };
            if other < k && counts {
                // In both tops from the larger of its ranks on.
                found[rank.max(other)] += 1;
            }
        }
        let shares = found.iter().zip(1..).scan(0, |sum, (n, k)| {
            *sum += n;
            Some(*sum as f64 / f64::from(k))
        });
        let shares: Vec<f64> = shares.collect();
        match over_top && k > 1 {
            true => area(&shares),
            false => shares[k - 1],
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
        RankTies::Mid => spearman_of_finite(&a, &b),
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
    let orders = PairOrders::of_finite(&a, &b);
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
