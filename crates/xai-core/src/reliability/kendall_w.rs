//! Kendall's W: agreement of samples on the ranking of explainers.

use crate::describe::{Score, Scores, metric};
use crate::error::{Error, Help, Result};
use crate::input;
use crate::reliability::table::Table;

/// Advice for a table of ranks that has one row per sample instead of one per explainer.
pub const EXPLAINERS_IN_ROWS: Help =
    Help::new("put the explainers into rows and the samples into columns: transpose the ranks");

/// Result of [`kendall_w`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct KendallW {
    /// Coefficient; `None` if all explainers are tied on every sample, for example if there is only
    /// one explainer, and if no sample has values of all explainers.
    pub value: Option<f64>,
    /// Mean correlation of samples, `(m W − 1)/(m − 1)`, which does not depend on the number of
    /// samples. If no sample has ties, it is the mean Spearman correlation of pairs of samples.
    /// `None` for fewer than two samples, and if the coefficient is `None`.
    pub mean_correlation: Option<f64>,
    /// Number of samples that rank the explainers.
    pub n_samples: usize,
    /// Number of samples that are left out because an explainer has no value.
    pub n_undefined: usize,
}

/// Kendall's W: agreement of samples on the ranking of explainers.
///
/// ```text
/// W = 12 Σ_e (R_e − R̄)² / (m² (k³ − k) − m Σ_j T_j)      R_e = sum of the ranks of e over m samples
/// ```
///
/// `values_by_explainer` has the shape `(explainers, samples)`: one row for each of the `k`
/// explainers, with one value per sample. ([`krippendorff_alpha`](super::krippendorff_alpha) takes
/// the transposed table: one row per sample.) Ranks are mid-ranks, and `T_j = Σ (t³ − t)` over the
/// ties of sample `j`. In [0, 1], higher is better: 1 = all samples have the same ranking, 0 = all
/// explainers have the same rank sum; `m` random rankings give about `1/m`. A sample on which all
/// explainers are tied lowers W: it counts in `m` but has no ranking. The direction of the metric does
/// not matter. All sums are of integers, so the result does not depend on the order of the samples.
///
/// # Errors
/// `Empty` without explainers, `ShapeMismatch` for rows of different lengths and for a table of ranks
/// with one row per sample (transposed), `NonFinite` for a value that is NaN or infinite.
///
/// ```
/// use xai_core::reliability::kendall_w;
/// let values = [[Some(0.1), Some(0.2)], [Some(0.3), Some(0.9)], [Some(0.5), Some(0.4)]];
/// // Ranks 1 2 3 and 1 3 2: sums 2 5 5, 12 (4 + 1 + 1)/(4 · 24)
/// let w = kendall_w(&values)?;
/// assert_eq!((w.value, w.mean_correlation), (Some(0.75), Some(0.5)));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Kendall and Babington Smith, *The problem of m rankings*, 1939. It is `χ² / (m (k − 1))` of
/// Friedman's test.
pub fn kendall_w<R: AsRef<[Option<f64>]>>(values_by_explainer: &[R]) -> Result<KendallW> {
    let table = Table::new(input::VALUES, values_by_explainer)?;
    if table.ranks_its_columns() {
        let expected = "(explainers, samples), and each row ranks its columns";
        let error = Error::shape_described(input::VALUES, expected, &table.shape());
        return Err(error.with_help(EXPLAINERS_IN_ROWS));
    }
    // With the integers c = 2 (rank − mean rank), (k³ − k) − T_j is 3 Σ c² and the formula becomes
    // Σ_e (Σ_j c)² / (m Σ c²). Sums of integers are exact, so blocks of samples can be added in any
    // order.
    let none = || (0, 0.0, vec![0.0; table.rows.len()]);
    let add = |to: &mut [f64], ranks: &[f64]| to.iter_mut().zip(ranks).for_each(|(s, r)| *s += r);
    let blocks = table.fold_ranks(none, |(n, squares, sums), ranks| {
        *n += 1;
        *squares += ranks.iter().map(|rank| rank * rank).sum::<f64>();
        add(sums, ranks);
    });
    let all = blocks.into_iter().reduce(|mut all, block| {
        add(&mut all.2, &block.2);
        (all.0 + block.0, all.1 + block.1, all.2)
    });
    let (n_samples, squares, sums) = all.unwrap_or_else(none);
    let between: f64 = sums.iter().map(|sum| sum * sum).sum();
    let m = n_samples as f64;
    let value = (squares > 0.0).then(|| between / (m * squares));
    Ok(KendallW {
        value,
        mean_correlation: value
            .filter(|_| n_samples > 1)
            .map(|w| (m * w - 1.0) / (m - 1.0)),
        n_samples,
        n_undefined: table.n_samples - n_samples,
    })
}

impl KendallW {
    /// Agreement of samples on the ranking of explainers (Kendall's W).
    ///
    /// ```text
    /// 12 Σ_e (R_e − R̄)² / (m² (k³ − k) − m Σ_j T_j), R_e = sum of ranks over m samples
    /// ```
    ///
    /// # Extremes
    /// 1: every sample ranks alike. 0: all explainers have the same rank sum. 1/m: about the chance level for m
    /// samples.
    ///
    /// # Limits
    /// Also low if the explainers are equally good, because then no metric can rank them alike on
    /// every sample.
    ///
    /// # Source
    /// Kendall and Babington Smith 1939.
    ///
    /// # Elsewhere
    /// `scipy.stats.friedmanchisquare`
    #[metric(
        name = "kendall-w",
        title = "Kendall's W",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::VALUES],
    )]
    pub const KENDALL_W: Score<Self> = Score::new(INFO, |result: &Self| result.value);
}

impl Scores for KendallW {
    const SCORES: &'static [Score<Self>] = &[Self::KENDALL_W];
}
