//! Agreement of any number of raters, each of whom rates some of the units.

use std::cmp::Ordering;
use std::fmt;

use crate::describe::{Parameter, Score, Scores, metric, word_of};
use crate::error::{Error, Help, Result};
use crate::reliability::table::Table;
use crate::statistics::Centred;
use crate::statistics::ranks::for_each_tie;
use crate::sum::ExactSum;
use crate::{input, parallel};

/// What of the ratings says how far two of them are apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RatingLevel {
    /// Whether they differ: names of classes.
    Nominal,
    /// How many ratings lie between them: ranks and grades.
    #[default]
    Ordinal,
    /// Their difference: measurements.
    Interval,
}

impl fmt::Display for RatingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word_of(self))
    }
}

/// For ranks of units with a row for each unit.
pub const RATERS_IN_ROWS: Help = Help::new(
    "put the raters (samples that rank explainers) into rows and the units (explainers) into columns: transpose the ranks",
);

/// The result of [`krippendorff_alpha`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KrippendorffAlpha {
    /// The coefficient; `None` where no unit has two ratings, and where all ratings are one value.
    pub value: Option<f64>,
    /// The level of the ratings.
    pub level: RatingLevel,
    /// Units with at least two ratings.
    pub n_units: usize,
    /// Their ratings.
    pub n_ratings: usize,
}

/// Krippendorff's α: how much less than by chance do raters disagree?
///
/// ```text
/// α = 1 − D_o/D_e      D_o = 1/N Σ_units 1/(m_u − 1) Σ_{i≠j} δ(r_i, r_j)      D_e = 1/(N (N − 1)) Σ_{i≠j} δ
/// δ: nominal [a ≠ b]      interval (a − b)²      ordinal (Σ_{a≤g≤b} n_g − (n_a + n_b)/2)²
/// ```
///
/// `ratings_by_rater` is `(raters, units)`: a row for each rater, one rating a unit, `None` where there is none; `m_u`
/// raters rate unit `u`. The
/// `N` ratings of units with at least two are counted, `D_e` is over all pairs of them, `n_g` of them are `g`.
/// At most 1, higher is better: 1 = no disagreement, 0 = as by chance, below 0 = systematic disagreement.
///
/// Where samples rank explainers, samples are the raters and explainers the units: a row for each sample.
/// [`krippendorff_alpha_of_ranks`] makes such ranks of values with a row for each explainer, as
/// [`kendall_w`](super::kendall_w) takes them.
///
/// # Errors
/// `Empty` without raters, `ShapeMismatch` for rows of different lengths and for ordinal ratings that are ranks of the
/// raters in every column, `NonFinite` for a rating.
///
/// ```
/// use xai_core::reliability::{RatingLevel, krippendorff_alpha};
/// let ratings = [[Some(1.0), Some(2.0)], [Some(1.0), Some(4.0)]];
/// // D_o = (0 + 2 · 2²)/4; D_e = 2 (1² + 3² + 1² + 3² + 2²)/12
/// let alpha = krippendorff_alpha(&ratings, RatingLevel::Interval)?;
/// assert!((alpha.value.unwrap() - (1.0 - 2.0 / 4.0)).abs() < 1e-15);
/// // Of four ratings two are 1: 2 − 4/2 between 1 and 1, 3 − 3/2 between 1 and 2, 4 − 3/2 and 2 − 2/2.
/// let alpha = krippendorff_alpha(&ratings, RatingLevel::Ordinal)?;
/// let (observed, expected) = (2.0 * 1.0 / 4.0, 2.0 * (2.0 * 2.25 + 2.0 * 6.25 + 1.0) / 12.0);
/// assert!((alpha.value.unwrap() - (1.0 - observed / expected)).abs() < 1e-15);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Krippendorff, *Computing Krippendorff's Alpha-Reliability*, 2011. Where this is `None` the package `krippendorff`
/// raises an error.
pub fn krippendorff_alpha<R: AsRef<[Option<f64>]>>(
    ratings_by_rater: &[R],
    level: RatingLevel,
) -> Result<KrippendorffAlpha> {
    let table = Table::new(input::RATINGS, ratings_by_rater)?;
    if level == RatingLevel::Ordinal && table.ranks_its_rows() {
        let expected = "(raters, units), and each column ranks the raters";
        let error = Error::shape_described(input::RATINGS, expected, &table.shape());
        return Err(error.with_help(RATERS_IN_ROWS));
    }
    let units = parallel::map(table.n_samples, |u| {
        ratings_of(table.rows.iter().filter_map(|row| row[u]))
    });
    Ok(alpha(units, level))
}

/// [`krippendorff_alpha`] where each sample is a rater who ranks the explainers: its ordinal α of mid-ranks.
///
/// `values_by_explainer` is `(explainers, samples)`; samples on which an explainer has none are left out.
/// The direction of the metric does not matter. Without ties it is `1 − (1 − ρ̄)(mk − 1)/(mk)`, with the mean
/// Spearman correlation ρ̄ of pairs of the `m` samples and `k` explainers.
///
/// # Errors
/// `Empty` without explainers, `ShapeMismatch` for rows of different lengths, `NonFinite` for a value.
///
/// ```
/// use xai_core::reliability::krippendorff_alpha_of_ranks;
/// let all_alike = [[Some(0.1), Some(0.2)], [Some(0.3), Some(0.9)]];
/// assert_eq!(krippendorff_alpha_of_ranks(&all_alike)?.value, Some(1.0));
/// let reversed = [[Some(0.1), Some(0.2)], [Some(0.3), Some(0.0)]]; // ρ̄ = −1: 1 − 2 · 3/4
/// assert_eq!(krippendorff_alpha_of_ranks(&reversed)?.value, Some(-0.5));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Tomsett et al., *Sanity Checks for Saliency Metrics*, 2020, inter-rater reliability.
pub fn krippendorff_alpha_of_ranks<R: AsRef<[Option<f64>]>>(
    values_by_explainer: &[R],
) -> Result<KrippendorffAlpha> {
    let table = Table::new(input::VALUES, values_by_explainer)?;
    let units = if table.rows.len() <= FEW_EXPLAINERS {
        counted_ranks(&table)
    } else {
        sorted_ranks(&table)
    };
    Ok(alpha(units, RatingLevel::Ordinal))
}

/// Up to so many explainers the ranks of each are counted in a table, which has a place for every rank. Of more explainers
/// the tables would be larger than the ranks.
const FEW_EXPLAINERS: usize = 64;

/// Ranks that each explainer has on the samples, with how often it has them, by counting.
fn counted_ranks(table: &Table<'_>) -> Vec<Ratings> {
    let k = table.rows.len();
    // Centred ranks are integers between −k and k.
    let none = || vec![vec![0; 2 * k]; k];
    let blocks = table.fold_ranks(none, |counts, ranks| {
        for (of_unit, rank) in counts.iter_mut().zip(ranks) {
            of_unit[(rank + k as f64) as usize] += 1;
        }
    });
    let mut counts: Vec<Vec<usize>> = none();
    for block in blocks {
        for (all, some) in counts.iter_mut().flatten().zip(block.iter().flatten()) {
            *all += some;
        }
    }
    let of_unit = |counts: &Vec<usize>| -> Ratings {
        let ranks = counts.iter().enumerate().filter(|(_, n)| **n > 0);
        ranks.map(|(rank, n)| (rank as f64, *n)).collect()
    };
    counts.iter().map(of_unit).collect()
}

/// The same by sorting the ranks of each explainer.
fn sorted_ranks(table: &Table<'_>) -> Vec<Ratings> {
    let k = table.rows.len();
    let blocks = table.fold_ranks(Vec::new, |all: &mut Vec<Vec<f64>>, ranks| {
        all.push(ranks.iter().map(|rank| rank + k as f64).collect());
    });
    let samples: Vec<Vec<f64>> = blocks.concat();
    parallel::map(k, |e| ratings_of(samples.iter().map(|ranks| ranks[e])))
}

/// Different ratings, ascending, with how often each was given.
type Ratings = Vec<(f64, usize)>;

/// α of the ratings of each unit. A rating has a place on a line such that δ is the squared distance of two places: its
/// value where differences count, and else its mid-rank among all ratings, for half of those equal to either of two
/// and all between them is how far the mid-ranks are apart. So no pairs are formed, and equal ratings count as one.
fn alpha(mut units: Vec<Ratings>, level: RatingLevel) -> KrippendorffAlpha {
    let count = |ratings: &[(f64, usize)]| ratings.iter().map(|(_, n)| n).sum::<usize>();
    units.retain(|unit| count(unit) > 1);
    let given: Ratings = units.concat();
    let ratings: Vec<f64> = given.iter().map(|(rating, _)| *rating).collect();
    // Of each given rating its place among the different ones: found while they are sorted, not looked up.
    let (mut all, mut place_of) = (Ratings::new(), vec![0; given.len()]);
    for_each_tie(&ratings, |_, ties| {
        for &tie in ties {
            place_of[tie] = all.len();
        }
        let n = ties.iter().map(|&tie| given[tie].1).sum();
        all.push((ratings[ties[0]], n));
    });
    let n_ratings = count(&all);
    let places = match level {
        RatingLevel::Interval => {
            Centred::new(&all.iter().map(|(rating, _)| *rating).collect::<Vec<_>>())
                .into_deviations()
        }
        RatingLevel::Nominal | RatingLevel::Ordinal => {
            let mut below = 0;
            let place = |(_, n): &(f64, usize)| {
                below += n;
                // Twice the mean of the ranks of n equal ratings, less the mean of all.
                (2 * below - n) as f64 - n_ratings as f64
            };
            all.iter().map(place).collect()
        }
    };
    let disagreement = match level {
        RatingLevel::Nominal => different_pairs,
        RatingLevel::Ordinal | RatingLevel::Interval => squared_distances,
    };
    let mut of_given = place_of.into_iter().map(|place| places[place]);
    let observed: ExactSum = units
        .iter_mut()
        .map(|unit| {
            for ((rating, _), place) in unit.iter_mut().zip(&mut of_given) {
                *rating = place;
            }
            disagreement(unit) / (count(unit) - 1) as f64
        })
        .collect();
    let placed = places.iter().zip(&all).map(|(place, (_, n))| (*place, *n));
    let expected = disagreement(&placed.collect::<Ratings>());
    let others = n_ratings.saturating_sub(1) as f64;
    KrippendorffAlpha {
        value: (expected > 0.0).then(|| 1.0 - observed.value() * others / expected),
        level,
        n_units: units.len(),
        n_ratings,
    }
}

/// Counts equal ratings, which are finite; −0.0 and 0.0 are equal.
fn ratings_of(ratings: impl Iterator<Item = f64>) -> Ratings {
    let mut sorted: Vec<f64> = ratings.collect();
    sorted.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let equal = sorted.chunk_by(|a, b| a == b);
    equal.map(|run| (run[0], run.len())).collect()
}

/// `Σ_{i≠j} [a_i ≠ a_j]`.
fn different_pairs(placed: &[(f64, usize)]) -> f64 {
    let square = |n: usize| (n as f64) * (n as f64);
    let n = placed.iter().map(|(_, n)| n).sum();
    square(n) - placed.iter().map(|(_, n)| square(*n)).sum::<f64>()
}

/// `Σ_{i≠j} (a_i − a_j)² = 2 n Σ (a_i − ā)²`.
fn squared_distances(placed: &[(f64, usize)]) -> f64 {
    // The mean of equal places may round away from them.
    if placed.len() < 2 {
        return 0.0;
    }
    let n = placed.iter().map(|(_, n)| n).sum::<usize>() as f64;
    let sum: ExactSum = placed.iter().map(|(place, n)| place * *n as f64).collect();
    let mean = sum.value() / n;
    let squares = placed
        .iter()
        .map(|(place, n)| (place - mean) * (place - mean) * *n as f64);
    2.0 * n * squares.collect::<ExactSum>().value()
}

impl KrippendorffAlpha {
    /// Agreement of raters beyond chance (Krippendorff's α), for example of samples that rank explainers.
    ///
    /// ```text
    /// 1 − D_o/D_e; δ: nominal [a ≠ b], interval (a − b)², ordinal (Σ_{a≤g≤b} n_g − (n_a + n_b)/2)²
    /// ```
    ///
    /// # Extremes
    /// 1: every sample ranks alike. 0: as by chance. Below 0: samples contradict each other.
    ///
    /// # Limits
    /// Low where explainers are alike, too: then no metric could rank them the same on every sample.
    ///
    /// # Source
    /// Krippendorff 2011; Tomsett et al. 2020.
    ///
    /// # Elsewhere
    /// `krippendorff.alpha`
    #[metric(
        name = "krippendorff-alpha",
        title = "Krippendorff's alpha",
        direction = Direction::Higher,
        range = Range::new(End::Unbounded, End::Included(1.0)),
        invariance = Invariance::SCALE,
        needs = &[input::RATINGS],
    )]
    pub const KRIPPENDORFF_ALPHA: Score<Self> = Score::new(INFO, |result: &Self| result.value);
}

impl Scores for KrippendorffAlpha {
    const SCORES: &'static [Score<Self>] = &[Self::KRIPPENDORFF_ALPHA];
}
