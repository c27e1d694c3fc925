//! Krippendorff's α: agreement of any number of raters, each of whom rates some of the units.

use std::cmp::Ordering;
use std::fmt;

use crate::describe::{Parameter, Score, Scores, metric, word_of};
use crate::error::{Error, Help, Result};
use crate::reliability::table::Table;
use crate::statistics::Centred;
use crate::statistics::ranks::for_each_tie;
use crate::sum::ExactSum;
use crate::{input, parallel};

/// Level of measurement of ratings, which determines the distance of two ratings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RatingLevel {
    /// Names of classes: ratings are equal or different.
    Nominal,
    /// Ranks and grades: the number of ratings in between counts.
    #[default]
    Ordinal,
    /// Measurements: the difference counts.
    Interval,
}

impl fmt::Display for RatingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word_of(self))
    }
}

/// Advice for ranks of units with one row per unit.
pub const RATERS_IN_ROWS: Help = Help::new(
    "put the raters (samples that rank explainers) into rows and the units (explainers) into columns: transpose the ranks",
);

/// Result of [`krippendorff_alpha`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct KrippendorffAlpha {
    /// Coefficient; `None` if no unit has two ratings, or if all ratings are equal.
    pub value: Option<f64>,
    /// Level of the ratings.
    pub level: RatingLevel,
    /// Number of units with at least two ratings.
    pub n_units: usize,
    /// Number of their ratings.
    pub n_ratings: usize,
}

/// Krippendorff's α: agreement of raters beyond chance.
///
/// ```text
/// α = 1 − D_o/D_e      D_o = 1/N Σ_units 1/(m_u − 1) Σ_{i≠j} δ(r_i, r_j)      D_e = 1/(N (N − 1)) Σ_{i≠j} δ
/// δ: nominal [a ≠ b]      interval (a − b)²      ordinal (Σ_{a≤g≤b} n_g − (n_a + n_b)/2)²
/// ```
///
/// `ratings_by_rater` has the shape `(raters, units)`: one row per rater with one rating per unit,
/// or `None`. Unit `u` has `m_u` ratings. `N` is the number of ratings of units with at least two;
/// `D_e` is over all pairs of these ratings, and `n_g` is the number of them that equal `g`. At
/// most 1, higher is better: 1 = no disagreement, 0 = chance level, below 0 = systematic
/// disagreement.
///
/// If samples rank explainers, the samples are the raters and the explainers the units: one row per
/// sample. [`krippendorff_alpha_of_ranks`] computes these ranks from values with one row per
/// explainer, the shape that [`kendall_w`](super::kendall_w) takes.
///
/// # Errors
/// `Empty` without raters, `ShapeMismatch` for rows of different lengths and for ordinal ratings in
/// which every column ranks the raters and no row ranks the units, `NonFinite` for a rating.
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
/// Krippendorff, *Computing Krippendorff's Alpha-Reliability*, 2011. Where this is `None`, the
/// package `krippendorff` raises an error.
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
        count_equal(table.rows.iter().filter_map(|row| row[u]))
    });
    Ok(alpha(units, level))
}

/// Ordinal [`krippendorff_alpha`] of the mid-ranks of explainers, where each sample is a rater.
///
/// `values_by_explainer` has the shape `(explainers, samples)`; samples on which an explainer has
/// no value are left out. The direction of the metric does not matter. Without ties α is `1 − (1 −
/// ρ̄)(mk − 1)/(mk)`, where ρ̄ is the mean Spearman correlation of pairs of the `m` samples over
/// `k` explainers.
///
/// # Errors
/// `Empty` without explainers, `ShapeMismatch` for rows of different lengths, `NonFinite` for a
/// value.
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

/// Largest number of explainers whose ranks are counted in tables with an entry for every rank. For
/// more explainers, the tables would be larger than the ranks.
const FEW_EXPLAINERS: usize = 64;

/// Distinct ranks of each explainer over the samples with their frequencies, by counting.
fn counted_ranks(table: &Table<'_>) -> Vec<Ratings> {
    let k = table.rows.len();
    // Centred ranks are integers between −k and k.
    let none = || vec![vec![0; 2 * k]; k];
    let blocks = table.fold_ranks(none, |counts, ranks| {
        for (unit_counts, rank) in counts.iter_mut().zip(ranks) {
            unit_counts[(rank + k as f64) as usize] += 1;
        }
    });
    let mut counts: Vec<Vec<usize>> = none();
    for block in blocks {
        for (all, some) in counts.iter_mut().flatten().zip(block.iter().flatten()) {
            *all += some;
        }
    }
    let nonzero = |counts: &Vec<usize>| -> Ratings {
        let ranks = counts.iter().enumerate().filter(|(_, n)| **n > 0);
        ranks.map(|(rank, n)| (rank as f64, *n)).collect()
    };
    counts.iter().map(nonzero).collect()
}

/// The same as [`counted_ranks`], by sorting the ranks of each explainer.
fn sorted_ranks(table: &Table<'_>) -> Vec<Ratings> {
    let k = table.rows.len();
    let blocks = table.fold_ranks(Vec::new, |all: &mut Vec<Vec<f64>>, ranks| {
        all.push(ranks.iter().map(|rank| rank + k as f64).collect());
    });
    let samples: Vec<Vec<f64>> = blocks.concat();
    parallel::map(k, |e| count_equal(samples.iter().map(|ranks| ranks[e])))
}

/// Distinct ratings in ascending order, with their frequencies.
type Ratings = Vec<(f64, usize)>;

/// Computes α from the ratings of each unit.
///
/// Each rating is mapped to a coordinate, so that δ is the squared distance of two coordinates: the
/// rating itself for interval data, and its mid-rank among all ratings for ordinal data, because
/// the distance of two mid-ranks is half the number of ratings equal to either of them plus the
/// number in between. Nominal ratings are only counted. So no pairs have to be formed, and equal
/// ratings are processed once.
fn alpha(mut units: Vec<Ratings>, level: RatingLevel) -> KrippendorffAlpha {
    let count = |ratings: &[(f64, usize)]| ratings.iter().map(|(_, n)| n).sum::<usize>();
    units.retain(|unit| count(unit) > 1);
    let unit_ratings: Ratings = units.concat();
    let ratings: Vec<f64> = unit_ratings.iter().map(|(rating, _)| *rating).collect();
    // Index of each rating of a unit among the distinct ratings, recorded while sorting instead of
    // looked up later.
    let (mut distinct, mut distinct_index) = (Ratings::new(), vec![0; unit_ratings.len()]);
    for_each_tie(&ratings, |_, ties| {
        for &tie in ties {
            distinct_index[tie] = distinct.len();
        }
        let n = ties.iter().map(|&tie| unit_ratings[tie].1).sum();
        distinct.push((ratings[ties[0]], n));
    });
    let n_ratings = count(&distinct);
    let coordinates = match level {
        RatingLevel::Interval => {
            // Centred, so that large values lose no digits when they are squared.
            Centred::new(
                &distinct
                    .iter()
                    .map(|(rating, _)| *rating)
                    .collect::<Vec<_>>(),
            )
            .into_deviations()
        }
        RatingLevel::Nominal | RatingLevel::Ordinal => {
            let mut below = 0;
            let centred_rank = |(_, n): &(f64, usize)| {
                below += n;
                // Twice the mean rank of n equal ratings, minus twice the mean of all ranks. The
                // factor cancels in α.
                (2 * below - n) as f64 - n_ratings as f64
            };
            distinct.iter().map(centred_rank).collect()
        }
    };
    let disagreement = match level {
        RatingLevel::Nominal => different_pairs,
        RatingLevel::Ordinal | RatingLevel::Interval => squared_distances,
    };
    let mut unit_coordinates = distinct_index.into_iter().map(|i| coordinates[i]);
    let observed: ExactSum = units
        .iter_mut()
        .map(|unit| {
            for ((rating, _), coordinate) in unit.iter_mut().zip(&mut unit_coordinates) {
                *rating = coordinate;
            }
            disagreement(unit) / (count(unit) - 1) as f64
        })
        .collect();
    let all: Ratings = coordinates
        .iter()
        .zip(&distinct)
        .map(|(coordinate, (_, n))| (*coordinate, *n))
        .collect();
    let expected = disagreement(&all);
    let others = n_ratings.saturating_sub(1) as f64;
    KrippendorffAlpha {
        value: (expected > 0.0).then(|| 1.0 - observed.value() * others / expected),
        level,
        n_units: units.len(),
        n_ratings,
    }
}

/// Distinct values of finite ratings with their frequencies; −0.0 equals 0.0.
fn count_equal(ratings: impl Iterator<Item = f64>) -> Ratings {
    let mut sorted: Vec<f64> = ratings.collect();
    sorted.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let equal = sorted.chunk_by(|a, b| a == b);
    equal.map(|run| (run[0], run.len())).collect()
}

/// Number of ordered pairs of different ratings, `Σ_{i≠j} [a_i ≠ a_j]`.
fn different_pairs(ratings: &[(f64, usize)]) -> f64 {
    let square = |n: usize| (n as f64) * (n as f64);
    let n = ratings.iter().map(|(_, n)| n).sum();
    square(n) - ratings.iter().map(|(_, n)| square(*n)).sum::<f64>()
}

/// Sum of squared distances over ordered pairs, `Σ_{i≠j} (a_i − a_j)² = 2 n Σ (a_i − ā)²`.
fn squared_distances(ratings: &[(f64, usize)]) -> f64 {
    // The rounded mean of equal values may differ from them.
    if ratings.len() < 2 {
        return 0.0;
    }
    let n = ratings.iter().map(|(_, n)| n).sum::<usize>() as f64;
    let sum: ExactSum = ratings
        .iter()
        .map(|(coordinate, n)| coordinate * *n as f64)
        .collect();
    let mean = sum.value() / n;
    let squares = ratings
        .iter()
        .map(|(coordinate, n)| (coordinate - mean) * (coordinate - mean) * *n as f64);
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
    /// Also low if the explainers are equally good, because then no metric can rank them alike on
    /// every sample.
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
