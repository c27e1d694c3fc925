//! Sensitivity of the ranking of explainers to a parameter of the metric.

use crate::describe::{Direction, Score, Scores, metric};
use crate::error::{Error, Result};
use crate::input;
use crate::reliability::table::{Table, mean_of_defined, ranks_of_means, same_top, sign};
use crate::statistics::Correlation;
use crate::sum::ExactMean;

/// Result of [`parameter_sensitivity`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ParameterSensitivity {
    /// Mean of Kendall's τ-b between the rankings of two settings, over all pairs of settings.
    /// `None` for one setting, without samples to rank by, or if each pair has a setting that ties
    /// all explainers.
    pub mean_tau: Option<f64>,
    /// Share of the pairs with the same set of best explainers; `None` for one setting, or
    /// without samples to rank by.
    pub same_top: Option<f64>,
    /// Largest range of the rank of an explainer over the settings; `None` if nothing is ranked.
    pub max_rank_change: Option<f64>,
    /// Ranks of the explainers under each setting, 1 = best.
    pub ranks: Vec<Vec<f64>>,
    /// Number of pairs of settings without τ, because a setting ties all explainers. They are left
    /// out of the mean.
    pub n_undefined_tau: usize,
    /// Number of samples for which every explainer has a value under every setting.
    pub n_samples: usize,
    /// Number of other samples, which are left out.
    pub n_undefined: usize,
}

/// Sensitivity of the ranking of explainers to a parameter of the metric, such as a baseline, a
/// number of steps or a seed.
///
/// ```text
/// r_s = ranks of the mean values under setting s      mean_tau = mean over pairs s < t of τ_b(r_s, r_t)
/// ```
///
/// `settings` has one table per setting, with one row per explainer and one value per sample. The
/// best explainer has rank 1; means that are equal to 12 decimals relative to the largest mean
/// share their mid-rank. τ is in [−1, 1] and the share in [0, 1], higher is better: 1 = the setting
/// does not affect the ranking.
///
/// # Errors
/// `Empty` without settings or explainers, `ShapeMismatch` for settings of different shapes
/// or with rows of different lengths,
/// `NonFinite` for a value (the first number of the index is the setting), `InvalidParameter` for a
/// metric without a better end.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::reliability::parameter_sensitivity;
/// let settings = [[[0.1], [0.2], [0.3]], [[0.1], [0.3], [0.2]]].map(|s| s.map(|row| row.map(Some)));
/// let sensitivity = parameter_sensitivity(&settings, Direction::Lower)?;
/// assert_eq!(sensitivity.ranks, [[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]);
/// assert_eq!(sensitivity.mean_tau, Some(1.0 / 3.0)); // 2 pairs of explainers alike, 1 reversed
/// assert_eq!((sensitivity.same_top, sensitivity.max_rank_change), (Some(1.0), Some(1.0)));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Tomsett et al., *Sanity Checks for Saliency Metrics*, 2020, and Brunke et al., *Evaluating Input
/// Perturbation Methods for Interpreting CNNs and Saliency Map Comparison*, 2020, who found that
/// baselines change rankings.
pub fn parameter_sensitivity<S: AsRef<[R]>, R: AsRef<[Option<f64>]>>(
    settings: &[S],
    direction: Direction,
) -> Result<ParameterSensitivity> {
    let sign = sign(direction)?;
    let mut tables: Vec<Table<'_>> = Vec::new();
    for (s, setting) in settings.iter().enumerate() {
        let table = Table::new(input::SETTINGS, setting.as_ref()).map_err(|error| {
            let index: Vec<usize> = [&[s], error.index()].concat();
            error.at(&index)
        })?;
        if let Some(first) = tables
            .first()
            .filter(|first| first.shape() != table.shape())
        {
            return Err(Error::shape(input::SETTINGS, &first.shape(), &table.shape()).at(&[s]));
        }
        tables.push(table);
    }
    let Some(first) = tables.first() else {
        return Err(Error::empty(input::SETTINGS));
    };
    // One table with the rows of all settings, so that the same samples are left out of each.
    let all = Table {
        rows: tables
            .iter()
            .flat_map(|table| table.rows.iter().copied())
            .collect(),
        n_samples: first.n_samples,
    };
    let samples = all.complete();
    let columns = all.select(&samples);
    let ranked = columns
        .chunks(first.rows.len())
        .filter(|_| !samples.is_empty());
    let ranks: Vec<Vec<f64>> = ranked
        .map(|setting| {
            let mean = |column: &Vec<f64>| column.iter().copied().collect::<ExactMean>().value();
            ranks_of_means(setting.iter().filter_map(mean), sign)
        })
        .collect();
    let pairs = || (0..ranks.len()).flat_map(|s| (s + 1..ranks.len()).map(move |t| (s, t)));
    let taus: Vec<Option<f64>> = pairs()
        .map(|(s, t)| Correlation::Kendall.correlate_finite(&ranks[s], &ranks[t]))
        .collect();
    let (mean_tau, n_undefined_tau) = mean_of_defined(&taus);
    let same = pairs()
        .filter(|&(s, t)| same_top(&ranks[s], &ranks[t]))
        .count();
    let changes = (0..first.rows.len()).map(|e| {
        let ranks_of_e = || ranks.iter().map(|ranks| ranks[e]);
        ranks_of_e().fold(f64::NEG_INFINITY, f64::max) - ranks_of_e().fold(f64::INFINITY, f64::min)
    });
    Ok(ParameterSensitivity {
        mean_tau,
        same_top: (!taus.is_empty()).then(|| same as f64 / taus.len() as f64),
        max_rank_change: changes.filter(|_| !ranks.is_empty()).reduce(f64::max),
        n_undefined_tau,
        n_samples: samples.len(),
        n_undefined: first.n_samples - samples.len(),
        ranks,
    })
}

impl ParameterSensitivity {
    /// Agreement of the rankings of explainers under different settings of the metric's parameters.
    ///
    /// ```text
    /// mean over pairs of settings s < t of τ_b(ranks under s, ranks under t)
    /// ```
    ///
    /// # Extremes
    /// 1: the setting does not matter to the comparison. 0: rankings under two settings are unrelated.
    ///
    /// # Limits
    /// It covers only the settings that were tried. Similar explainers change places easily.
    ///
    /// # Source
    /// Tomsett et al. 2020; Brunke et al. 2020.
    #[metric(
        name = "parameter-sensitivity",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::SETTINGS, input::DIRECTION],
    )]
    pub const PARAMETER_SENSITIVITY: Score<Self> =
        Score::new(INFO, |result: &Self| result.mean_tau);
}

impl Scores for ParameterSensitivity {
    const SCORES: &'static [Score<Self>] = &[Self::PARAMETER_SENSITIVITY];
}
