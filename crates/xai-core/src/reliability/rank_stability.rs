//! Stability of the ranking of explainers under resampling of the samples.

use std::ops;

use crate::describe::{Direction, Score, Scores, metric};
use crate::error::{Error, Result};
use crate::reliability::table::{
    Table, check_compared, mean_of_defined, ranks_of_means, same_top, sign,
};
use crate::statistics::Correlation;
use crate::statistics::resampling::visit_draws;
use crate::sum::{ExactMean, dot};
use crate::{input, parallel};

/// Samples of each resampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draws<'a> {
    /// Random draws with replacement from the samples for which every explainer has a value, as many
    /// as there are of these, from the stream of `(seed, draw)`.
    Seeded {
        /// Number of resamplings.
        n_draws: usize,
        /// Seed of the random streams.
        seed: u64,
    },
    /// Sample indices of each resampling, any number of them. Samples without a value of every
    /// explainer are left out.
    Indices(&'a [Vec<usize>]),
}

impl Default for Draws<'_> {
    fn default() -> Self {
        Self::Seeded {
            n_draws: 1000,
            seed: 1,
        }
    }
}

/// Result of [`rank_stability`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RankStability {
    /// Mean of Kendall's τ-b between the ranking of a draw and that of all samples; `None` if one
    /// of them always ties all explainers, or if no draw is used.
    pub mean_tau: Option<f64>,
    /// Share of the draws with the same set of best explainers as all samples; `None` if no draw is
    /// used.
    pub top_share: Option<f64>,
    /// Ranks of the explainers over all samples, 1 = best.
    pub ranks: Vec<f64>,
    /// Mean rank of each explainer over the draws.
    pub rank_mean: Vec<f64>,
    /// Population standard deviation of the rank of each explainer over the draws.
    pub rank_std: Vec<f64>,
    /// `wins[a][b]` is the share of the draws in which `a` ranks before `b`, ties counting half.
    pub wins: Vec<Vec<f64>>,
    /// Number of draws that are used: those with a sample for which every explainer has a value.
    pub n_draws: usize,
    /// Number of used draws without τ, because their ranking or that of all samples ties all
    /// explainers. They are left out of the mean.
    pub n_undefined_tau: usize,
    /// Number of samples for which every explainer has a value.
    pub n_samples: usize,
    /// Number of other samples, which are left out.
    pub n_undefined: usize,
}

/// Stability of the ranking of explainers by their mean values under resampling of the samples.
///
/// ```text
/// r = ranks of the means over all samples, r_b over draw b      mean_tau = mean_b τ_b(r, r_b)
/// top_share = share of draws whose best explainers are those of all samples
/// ```
///
/// `values` has one row per explainer with one value per sample. The best explainer has rank 1;
/// means that are equal to 12 decimals relative to the largest mean share their mid-rank. τ is in
/// [−1, 1], shares are in [0, 1]; higher is better. 1 = every draw has the ranking of all samples;
/// τ = 0 means that the rankings of the draws are unrelated to it.
///
/// If no sample has a value of every explainer, all results are empty or `None`.
///
/// # Errors
/// `Empty` without explainers, `ShapeMismatch` for rows of different lengths, `NonFinite` for a
/// value, `InvalidParameter` for a metric without a better end, for more than 8192 explainers, and
/// for no draws or more than a million, `OutOfDomain` for an index of a draw that is not a sample.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::reliability::{Draws, rank_stability};
/// let values = [[Some(0.1), Some(0.9)], [Some(0.3), Some(0.5)]]; // means 0.5 and 0.4
/// let draws = [vec![0, 1], vec![0, 0], vec![1, 1], vec![1, 0]];
/// let stability = rank_stability(&values, Direction::Higher, Draws::Indices(&draws))?;
/// assert_eq!(stability.ranks, [1.0, 2.0]);
/// assert_eq!(stability.mean_tau, Some(0.5)); // 1, −1, 1, 1
/// assert_eq!(stability.top_share, Some(0.75));
/// assert_eq!(stability.rank_mean, [1.25, 1.75]);
/// assert_eq!(stability.wins, [[0.5, 0.75], [0.25, 0.5]]);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// The bootstrap of rankings: Hall and Miller, *Using the bootstrap to quantify the authority of an
/// empirical ranking*, 2009.
pub fn rank_stability<R: AsRef<[Option<f64>]>>(
    values: &[R],
    direction: Direction,
    draws: Draws<'_>,
) -> Result<RankStability> {
    let sign = sign(direction)?;
    let table = Table::new(input::VALUES, values)?;
    check_compared(table.rows.len())?;
    check(draws, table.n_samples)?;
    let samples = table.complete();
    let columns = table.select(&samples);
    let n = samples.len();
    let means = columns
        .iter()
        .filter_map(|column| column.iter().copied().collect::<ExactMean>().value());
    let ranks = ranks_of_means(means, sign);
    let n_draws = match draws {
        _ if n == 0 => 0,
        Draws::Seeded { n_draws, .. } => n_draws,
        Draws::Indices(draws) => draws.len(),
    };
    // Position of each sample among the complete ones, which are the elements of the columns.
    let positions = table.positions(&samples);
    let draw_results = parallel::map(n_draws, |b| {
        let (mut sums, mut n_drawn) = (vec![0.0; columns.len()], 0.0);
        let add = |samples: ops::Range<usize>, times: &[f64]| {
            n_drawn += times.iter().sum::<f64>();
            for (sum, column) in sums.iter_mut().zip(&columns) {
                *sum += dot(&column[samples.clone()], times);
            }
        };
        match draws {
            Draws::Seeded { seed, .. } => visit_draws(seed, b as u64, n, add),
            Draws::Indices(draws) => visit_indices(&draws[b], &positions, n, add),
        }
        (n_drawn > 0.0).then(|| {
            let drawn = ranks_of_means(sums.into_iter().map(|sum| sum / n_drawn), sign);
            let tau = Correlation::Kendall.correlate_finite(&ranks, &drawn);
            (drawn, tau)
        })
    });
    let (drawn_ranks, taus): (Vec<Vec<f64>>, Vec<Option<f64>>) =
        draw_results.into_iter().flatten().unzip();
    let (mean_tau, n_undefined_tau) = mean_of_defined(&taus);
    let explainers = if drawn_ranks.is_empty() {
        0
    } else {
        ranks.len()
    };
    // Ranks are multiples of ½, so their sums are exact.
    let count = drawn_ranks.len() as f64;
    let by_explainer: Vec<Vec<f64>> = (0..explainers)
        .map(|e| drawn_ranks.iter().map(|ranks| ranks[e]).collect())
        .collect();
    let mean = |sum: f64| sum / count;
    let rank_mean: Vec<f64> = by_explainer
        .iter()
        .map(|ranks| mean(ranks.iter().sum()))
        .collect();
    let variance = |(ranks, rank_mean): (&Vec<f64>, &f64)| {
        mean(ranks.iter().map(|rank| (rank - rank_mean).powi(2)).sum())
    };
    let n_same_top = drawn_ranks
        .iter()
        .filter(|drawn| same_top(&ranks, drawn))
        .count();
    Ok(RankStability {
        mean_tau,
        top_share: (count > 0.0).then(|| mean(n_same_top as f64)),
        rank_std: by_explainer
            .iter()
            .zip(&rank_mean)
            .map(|ranks_and_mean| variance(ranks_and_mean).sqrt())
            .collect(),
        wins: wins(&by_explainer, count),
        rank_mean,
        ranks,
        n_draws: drawn_ranks.len(),
        n_undefined_tau,
        n_samples: n,
        n_undefined: table.n_samples - n,
    })
}

/// Like [`visit_draws`] for a draw with given indices. Samples that are not complete are left out.
fn visit_indices(
    draw: &[usize],
    positions: &[Option<usize>],
    n: usize,
    mut visit: impl FnMut(ops::Range<usize>, &[f64]),
) {
    let mut times = vec![0.0; n];
    for position in draw.iter().filter_map(|&sample| positions[sample]) {
        times[position] += 1.0;
    }
    visit(0..n, &times);
}

/// Share of the draws in which explainer `a` ranks before `b`, as `[a][b]`, ties counting half.
/// Ranks are stored by explainer, so that those of two explainers are contiguous.
fn wins(by_explainer: &[Vec<f64>], n_draws: f64) -> Vec<Vec<f64>> {
    parallel::map(by_explainer.len(), |a| {
        let shares = by_explainer.iter().map(|other| {
            let pairs = by_explainer[a].iter().zip(other);
            // Twice the count, so that ties count half; without branches, so that the loop vectorises.
            let twice = pairs.map(|(a, b)| i64::from(a < b) + i64::from(a <= b));
            twice.sum::<i64>() as f64 / 2.0 / n_draws
        });
        shares.collect()
    })
}

/// Checks the number of draws and their indices.
fn check(draws: Draws<'_>, n_samples: usize) -> Result<()> {
    let n_draws = match draws {
        Draws::Seeded { n_draws, .. } => n_draws,
        Draws::Indices(draws) => draws.len(),
    };
    if !(1..=1_000_000).contains(&n_draws) {
        let expected = "at least 1 and at most 1 000 000";
        return Err(Error::parameter(input::N_DRAWS, n_draws, expected));
    }
    if let Draws::Indices(draws) = draws {
        for (b, draw) in draws.iter().enumerate() {
            if let Some(k) = draw.iter().position(|&i| i >= n_samples) {
                let expected = format!("the index of one of {n_samples} samples");
                return Err(Error::out_of_domain(
                    input::DRAWS,
                    &[b, k],
                    draw[k] as f64,
                    expected,
                ));
            }
        }
    }
    Ok(())
}

impl RankStability {
    /// Mean rank correlation of the ranking of explainers with its rankings on resampled samples
    /// (Kendall's τ_b).
    ///
    /// ```text
    /// mean over bootstrap draws b of τ_b(ranks of all samples, ranks of draw b)
    /// ```
    ///
    /// # Extremes
    /// 1: every draw has the ranking of all samples. 0: the ranking is due to chance.
    ///
    /// # Limits
    /// It measures sampling error only: other data may give another ranking. Similar explainers
    /// change places easily.
    ///
    /// # Source
    /// Hall and Miller 2009.
    #[metric(
        name = "rank-stability",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::VALUES, input::DIRECTION],
    )]
    pub const RANK_STABILITY: Score<Self> = Score::new(INFO, |result: &Self| result.mean_tau);
}

impl Scores for RankStability {
    const SCORES: &'static [Score<Self>] = &[Self::RANK_STABILITY];
}
