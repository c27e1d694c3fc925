//! Correlations of rankings of samples, between explainers and between metrics.

use crate::describe::{Direction, Score, Scores, metric};
use crate::error::{Error, Result};
use crate::reliability::table::{Table, check_compared, mean_of_defined, sign};
use crate::statistics::ranks::{CentredRanks, spearman_finite};
use crate::{input, parallel};

/// Values of a metric with one row per explainer and one value per sample, and their direction. The
/// samples of each row are ranked once for all comparisons.
#[derive(Debug, Clone)]
pub struct RankedValues<'a> {
    rows: Vec<RankedRow<'a>>,
    n_samples: usize,
    direction: Direction,
}

/// Values of one explainer, with their ranks.
#[derive(Debug, Clone)]
struct RankedRow<'a> {
    values: &'a [Option<f64>],
    /// Ranks of the samples; `None` if a value is undefined, because then the samples to rank
    /// depend on the other row.
    ranks: Option<CentredRanks>,
}

impl RankedRow<'_> {
    /// Spearman's correlation over the samples for which both rows have a value.
    fn spearman(&self, other: &Self) -> Option<f64> {
        if let (Some(a), Some(b)) = (&self.ranks, &other.ranks) {
            return a.correlation(b);
        }
        let pairs = self.values.iter().zip(other.values);
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.filter_map(|(a, b)| (*a).zip(*b)).unzip();
        spearman_finite(&a, &b)
    }
}

impl<'a> RankedValues<'a> {
    /// Ranks the samples of each explainer.
    ///
    /// # Errors
    /// `Empty` without explainers, `ShapeMismatch` for rows of different lengths, `NonFinite` for a
    /// value.
    pub fn new<R: AsRef<[Option<f64>]>>(values: &'a [R], direction: Direction) -> Result<Self> {
        let table = Table::new(input::VALUES, values)?;
        let rows = parallel::map(table.rows.len(), |e| {
            let values = table.rows[e];
            let defined: Option<Vec<f64>> = values.iter().copied().collect();
            RankedRow {
                values,
                ranks: defined.map(|values| CentredRanks::new(&values)),
            }
        });
        Ok(Self {
            rows,
            n_samples: table.n_samples,
            direction,
        })
    }
}

/// Result of [`inter_method_reliability`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InterMethodReliability {
    /// Mean of the defined correlations; `None` if none is defined.
    pub value: Option<f64>,
    /// Spearman's correlation of each pair of explainers `a < b`, in the order (0, 1), (0, 2), …;
    /// `None` if either is constant.
    pub pairs: Vec<Option<f64>>,
    /// Number of pairs without correlation.
    pub n_undefined: usize,
}

/// Inter-method reliability: rank correlation of the values of two explainers over samples,
/// averaged over pairs of explainers.
///
/// ```text
/// mean over pairs a < b of Spearman_i(q_ai, q_bi)
/// ```
///
/// In [−1, 1], and neither end is better: 1 = the same samples have high values for all explainers,
/// so the metric measures the sample as much as the explainer; 0 = uncorrelated. Each pair uses the
/// samples for which both have a value. `None` for fewer than two explainers, and if each pair has
/// a constant side.
///
/// # Errors
/// `InvalidParameter` for more than 8192 explainers.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::reliability::{RankedValues, inter_method_reliability};
/// let values = [[1.0, 2.0, 3.0], [0.1, 0.3, 0.2], [5.0, 5.0, 5.0]].map(|row| row.map(Some));
/// let reliability = inter_method_reliability(&RankedValues::new(&values, Direction::Higher)?)?;
/// assert_eq!(reliability.pairs, [Some(0.5), None, None]); // the last explainer is constant
/// assert_eq!((reliability.value, reliability.n_undefined), (Some(0.5), 2));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Tomsett et al., *Sanity Checks for Saliency Metrics*, 2020.
pub fn inter_method_reliability(values: &RankedValues<'_>) -> Result<InterMethodReliability> {
    let rows = &values.rows;
    check_compared(rows.len())?;
    let by_row = parallel::map(rows.len(), |a| {
        let others = rows[a + 1..].iter();
        others
            .map(|other| rows[a].spearman(other))
            .collect::<Vec<_>>()
    });
    let pairs = by_row.concat();
    let (value, n_undefined) = mean_of_defined(&pairs);
    Ok(InterMethodReliability {
        value,
        pairs,
        n_undefined,
    })
}

/// Result of [`internal_consistency_reliability`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InternalConsistencyReliability {
    /// Mean of the defined correlations; `None` if none is defined.
    pub value: Option<f64>,
    /// Spearman's correlation for each explainer; `None` if a metric is constant.
    pub per_explainer: Vec<Option<f64>>,
    /// Number of explainers without correlation.
    pub n_undefined: usize,
}

/// Internal-consistency reliability: rank correlation of two metrics over samples, averaged over
/// explainers.
///
/// ```text
/// mean over explainers e of Spearman_i(± q_ei, ± q'_ei)      − where lower values are better
/// ```
///
/// In [−1, 1], higher is better: 1 = the samples on which an explainer is good by one metric are
/// those on which it is good by the other; 0 = uncorrelated, so the metrics do not measure the same
/// property; −1 = they contradict each other. Each correlation uses the samples for which both
/// metrics have a value.
///
/// # Errors
/// `ShapeMismatch` for different numbers of explainers or samples, `InvalidParameter` for a metric
/// without a better end.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::reliability::{RankedValues, internal_consistency_reliability};
/// let drops = [[0.1, 0.2, 0.3]].map(|row| row.map(Some));
/// let gains = [[0.9, 0.5, 0.7]].map(|row| row.map(Some));
/// let (drops, gains) = (
///     RankedValues::new(&drops, Direction::Lower)?,
///     RankedValues::new(&gains, Direction::Higher)?,
/// );
/// let reliability = internal_consistency_reliability(&drops, &gains)?;
/// assert_eq!(reliability.per_explainer, [Some(0.5)]);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Tomsett et al., *Sanity Checks for Saliency Metrics*, 2020.
pub fn internal_consistency_reliability(
    a: &RankedValues<'_>,
    b: &RankedValues<'_>,
) -> Result<InternalConsistencyReliability> {
    let shape = |values: &RankedValues<'_>| [values.rows.len(), values.n_samples];
    if shape(a) != shape(b) {
        return Err(Error::shape(input::VALUES, &shape(a), &shape(b)));
    }
    let sign = sign(a.direction)? * sign(b.direction)?;
    let per_explainer = parallel::map(a.rows.len(), |e| {
        let rho = a.rows[e].spearman(&b.rows[e]);
        // Adding to 0 turns −0 into 0.
        rho.map(|rho| 0.0 + sign * rho)
    });
    let (value, n_undefined) = mean_of_defined(&per_explainer);
    Ok(InternalConsistencyReliability {
        value,
        per_explainer,
        n_undefined,
    })
}

impl InterMethodReliability {
    /// Rank correlation of the per-sample values of two explainers under one metric.
    ///
    /// ```text
    /// mean over pairs of explainers a < b of Spearman_i(q_ai, q_bi)
    /// ```
    ///
    /// # Extremes
    /// 1: the same samples have high values whatever the explainer. 0: unrelated.
    ///
    /// # Limits
    /// Neither end is better: a high value says that the metric measures the sample as much as the explainer.
    ///
    /// # Source
    /// Tomsett et al. 2020.
    #[metric(
        name = "inter-method-reliability",
        title = "Inter-method reliability",
        direction = Direction::None,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::VALUES],
    )]
    pub const INTER_METHOD_RELIABILITY: Score<Self> =
        Score::new(INFO, |result: &Self| result.value);
}

impl Scores for InterMethodReliability {
    const SCORES: &'static [Score<Self>] = &[Self::INTER_METHOD_RELIABILITY];
}

impl InternalConsistencyReliability {
    /// Rank correlation of two metrics over the same samples.
    ///
    /// ```text
    /// mean over explainers e of Spearman_i(± q_ei, ± q'_ei), − where lower values are better
    /// ```
    ///
    /// # Extremes
    /// 1: both metrics rank the samples of an explainer alike. 0: unrelated. −1: they contradict.
    ///
    /// # Limits
    /// Two metrics may agree because both measure an unintended property, for example the score.
    ///
    /// # Source
    /// Tomsett et al. 2020.
    #[metric(
        name = "internal-consistency-reliability",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::VALUES, input::DIRECTION],
    )]
    pub const INTERNAL_CONSISTENCY_RELIABILITY: Score<Self> =
        Score::new(INFO, |result: &Self| result.value);
}

impl Scores for InternalConsistencyReliability {
    const SCORES: &'static [Score<Self>] = &[Self::INTERNAL_CONSISTENCY_RELIABILITY];
}
