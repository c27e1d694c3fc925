//! Chance-corrected agreement of all runs at once.

use ndarray::ArrayView2;
use xai_core::describe::{MetricInfo, Parameter, Score, Scores, metric};
use xai_core::simd::InstructionSet;
use xai_core::{Error, Interval, Label, Result, parallel};

use crate::counting::pair_tiles::{Tile, TileBuffers, count_tile, n_pairs, pair_index, pairs};
use crate::interval::run_interval::{RunInterval, interval_over_runs};
use crate::named::impl_display_by_word;
use crate::packed::packed_runs::{PackedRuns, RunTotals};
use crate::pair_metric::definition::{PairMetric, PairNeeds};
use crate::{help, input};

/// Chance-corrected agreement of all runs, from class counts and the number of agreeing pairs of runs.
///
/// Each coefficient is `(p_o − p_e)/(1 − p_e)`. The observed agreement `p_o` is the probability that two different runs
/// agree on a sample; the coefficients differ in the agreement by chance `p_e`. 1 = always the same prediction, 0 = as
/// by chance. They are undefined if all predictions are the same class: `p_e` is then 1, or 0/0 for Gwet's AC1.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredAgreement"))]
pub struct Agreement {
    n_predictions: u64,
    /// Number of ordered pairs of different runs, summed over all samples.
    n_pairs: u128,
    /// Number of predictions of each class that occurs.
    class_counts: Vec<u64>,
    /// Number of ordered pairs of different runs that agree, summed over all samples.
    agreeing: u128,
}

/// Deserialised counts, which are not yet checked for consistency.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredAgreement {
    n_predictions: u64,
    n_pairs: u128,
    class_counts: Vec<u64>,
    agreeing: u128,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredAgreement> for Agreement {
    type Error = xai_core::Error;

    fn try_from(stored: StoredAgreement) -> Result<Self> {
        let counted: u128 = stored
            .class_counts
            .iter()
            .map(|&count| u128::from(count))
            .sum();
        let is_consistent = stored.n_pairs > 0
            && stored.agreeing <= stored.n_pairs
            && counted == u128::from(stored.n_predictions)
            && stored.class_counts.iter().all(|&count| count > 0);
        if !is_consistent {
            let why = "counts contradict each other";
            return Err(xai_core::Error::corrupt(crate::input::AGREEMENT, why));
        }
        Ok(Self {
            n_predictions: stored.n_predictions,
            n_pairs: stored.n_pairs,
            class_counts: stored.class_counts,
            agreeing: stored.agreeing,
        })
    }
}

impl Agreement {
    /// Counts the agreement of `(k, n)` predictions.
    ///
    /// # Errors
    /// `TooFew` for fewer than two runs, `Empty` without samples, `InvalidParameter` for a label above `i64::MAX`.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_repro::Agreement;
    /// let a = Agreement::new(array![[0, 0, 1, 1], [0, 1, 1, 1]].view())?;
    /// // p_o = 3/4; classes 3/8 and 5/8, so p_e = 34/64 and kappa = (48 − 34)/(64 − 34)
    /// assert!((a.fleiss_kappa().unwrap() - 14.0 / 30.0).abs() < 1e-15);
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    pub fn new<L: Label>(predictions: ArrayView2<'_, L>) -> Result<Self> {
        // Agreement does not depend on the true labels, so any will do.
        let labels = vec![0u8; predictions.ncols()];
        let packed = PackedRuns::new(&[PairMetric::PA_ACC], predictions, &labels)?;
        Self::from_packed(&packed)
    }

    /// Counts the agreement of packed runs.
    ///
    /// # Errors
    /// `InvalidParameter` if the runs were packed only for metrics without equal predictions, such as error metrics.
    pub fn from_packed(packed: &PackedRuns) -> Result<Self> {
        let sums = fold_equal(packed, || 0u128, |sum, _, equal| *sum += u128::from(equal))?;
        let agreeing = 2 * sums.into_iter().sum::<u128>();
        Ok(Self::from_counts(&packed.totals, agreeing))
    }

    /// Creates the agreement from the totals of each run and the number of ordered pairs of runs that agree, summed
    /// over all samples.
    pub(crate) fn from_counts(totals: &RunTotals, agreeing: u128) -> Self {
        let times = vec![1; totals.n_runs()];
        Self::from_resample(totals, &times, agreeing)
    }

    /// Creates the agreement of a resample that includes run `i` `times[i]` times. A run and its copy are not a pair,
    /// because they would always agree.
    pub(crate) fn from_resample(totals: &RunTotals, times: &[u32], agreeing: u128) -> Self {
        let n_drawn: u64 = times.iter().copied().map(u64::from).sum();
        let n_pairs_of_copies: u64 = times.iter().map(|&t| u64::from(t) * u64::from(t)).sum();
        let n_classes = totals.class_counts.iter().map(Vec::len).max().unwrap_or(0);
        let mut class_counts: Vec<u64> = (0..n_classes)
            .map(|class| {
                let runs = totals.class_counts.iter().zip(times);
                let count_in_run = |(counts, &t): (&Vec<u64>, &u32)| {
                    counts.get(class).copied().unwrap_or_default() * u64::from(t)
                };
                runs.map(count_in_run).sum()
            })
            .filter(|&count| count > 0)
            .collect();
        // Sorted counts make the rounding of later sums independent of the class labels.
        class_counts.sort_unstable();
        let n_pairs_per_sample = n_drawn * n_drawn - n_pairs_of_copies;
        Self {
            n_predictions: n_drawn * totals.n_samples,
            n_pairs: u128::from(n_pairs_per_sample) * u128::from(totals.n_samples),
            class_counts,
            agreeing,
        }
    }

    /// Observed agreement `p_o`: probability that two different runs agree on a sample.
    #[must_use]
    pub fn observed(&self) -> f64 {
        self.agreeing as f64 / self.n_pairs as f64
    }

    /// Share of each class among all predictions.
    fn shares(&self) -> impl Iterator<Item = f64> {
        let all = self.n_predictions as f64;
        self.class_counts
            .iter()
            .map(move |&count| count as f64 / all)
    }

    /// Corrects the observed agreement for chance; `None` with a single class.
    fn corrected(&self, observed: f64, by_chance: f64) -> Option<f64> {
        (self.class_counts.len() > 1).then(|| (observed - by_chance) / (1.0 - by_chance))
    }

    /// Fleiss' κ, with agreement by chance `p_e = Σ p_c²` over the overall class shares.
    ///
    /// # Source
    /// Fleiss, *Measuring nominal scale agreement among many raters*, 1971.
    #[must_use]
    pub fn fleiss_kappa(&self) -> Option<f64> {
        self.disagreement_ratio().map(|ratio| 1.0 - ratio)
    }

    /// Observed divided by expected disagreement, `(1 − p_o) / (1 − p_e)`; `None` with a single class.
    ///
    /// Both disagreements come from integers. If one class dominates, `p_o` and `p_e` are close to 1, and `1 − p_o`
    /// computed from rounded shares would lose most digits.
    fn disagreement_ratio(&self) -> Option<f64> {
        let all = u128::from(self.n_predictions);
        let counts = self.class_counts.iter().map(|&count| u128::from(count));
        let disagreeing: u128 = counts.map(|count| count * (all - count)).sum();
        let observed = (self.n_pairs - self.agreeing) as f64 / self.n_pairs as f64;
        let expected = disagreeing as f64 / (all as f64 * all as f64);
        (self.class_counts.len() > 1).then(|| observed / expected)
    }

    /// Krippendorff's α for nominal data without missing values: Fleiss' κ corrected for the finite number `N = k n` of
    /// predictions.
    ///
    /// ```text
    /// α = 1 − (1 − p_o) (N − 1) / (N (1 − Σ p_c²))
    /// ```
    ///
    /// # Source
    /// Krippendorff, *Content Analysis*, 2004, chapter 11.
    #[must_use]
    pub fn krippendorff_alpha(&self) -> Option<f64> {
        let all = self.n_predictions as f64;
        let ratio = self.disagreement_ratio()?;
        Some(1.0 - ratio * ((all - 1.0) / all))
    }

    /// Gwet's AC1, with agreement by chance `p_e = Σ p_c (1 − p_c)/(q − 1)` over the `q` classes that occur. It stays
    /// small if one class dominates.
    ///
    /// # Source
    /// Gwet, *Computing inter-rater reliability in the presence of high agreement*, 2008.
    #[must_use]
    pub fn gwet_ac1(&self) -> Option<f64> {
        let q_minus_1 = self.class_counts.len().saturating_sub(1) as f64;
        let by_chance = self.shares().map(|p| p * (1.0 - p)).sum::<f64>() / q_minus_1;
        self.corrected(self.observed(), by_chance)
    }
}

/// Serialises the coefficients by name.
#[cfg(feature = "serde")]
pub(crate) fn scores<S: serde::Serializer>(
    agreement: &Agreement,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(xai_core::describe::Scores::values(agreement))
}

/// A coefficient of [`Agreement`], one of its [scores](Scores::SCORES).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[param(name = "coefficient")]
#[non_exhaustive]
pub enum AgreementCoefficient {
    /// Fleiss' kappa: agreement by chance from the overall class shares.
    #[default]
    #[param(name = "fleiss_kappa")]
    FleissKappa,
    /// Krippendorff's alpha: Fleiss' kappa corrected for the finite number of predictions.
    #[param(name = "krippendorff_alpha")]
    KrippendorffAlpha,
    /// Gwet's AC1: agreement by chance that stays small if one class dominates.
    #[param(name = "gwet_ac1")]
    GwetAc1,
}

impl_display_by_word!(AgreementCoefficient);

/// Descriptions of the coefficients, in the order of [`AgreementCoefficient`].
impl Agreement {
    /// Agreement of all runs beyond chance, with chance from the overall class shares (Fleiss' κ).
    ///
    /// ```text
    /// (p_o − p_e) / (1 − p_e), p_e = Σ_c p_c² over the overall class shares
    /// ```
    ///
    /// # Extremes
    /// 1: all runs predict alike. 0: as by chance. Below 0: less than by chance.
    ///
    /// # Source
    /// Fleiss, *Measuring nominal scale agreement among many raters*, 1971.
    ///
    /// # Elsewhere
    /// `statsmodels.stats.inter_rater.fleiss_kappa`
    #[metric(
        name = "fleiss_kappa",
        title = "Fleiss' kappa",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const FLEISS_KAPPA: Score<Self> = Score::new(INFO, Self::fleiss_kappa);

    /// Agreement of all runs beyond chance, corrected for the number of predictions (Krippendorff's α).
    ///
    /// ```text
    /// 1 − (1 − p_o) (N − 1) / (N (1 − Σ_c p_c²)), N the number of predictions
    /// ```
    ///
    /// # Extremes
    /// 1: all runs predict alike. 0: as by chance. Below 0: less than by chance.
    ///
    /// # Source
    /// Krippendorff, *Content Analysis*, 2004, chapter 11.
    ///
    /// # Elsewhere
    /// `krippendorff.alpha`
    #[metric(
        name = "krippendorff_alpha",
        title = "Krippendorff's alpha",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const KRIPPENDORFF_ALPHA: Score<Self> = Score::new(INFO, Self::krippendorff_alpha);

    /// Agreement of all runs beyond a chance that stays small where one class dominates (Gwet's AC1).
    ///
    /// ```text
    /// (p_o − p_e) / (1 − p_e), p_e = Σ_c p_c (1 − p_c) / (q − 1) over the q classes that occur
    /// ```
    ///
    /// # Extremes
    /// 1: all runs predict alike. 0: as by chance. Below 0: less than by chance.
    ///
    /// # Source
    /// Gwet, *Computing inter-rater reliability in the presence of high agreement*, 2008.
    ///
    /// # Elsewhere
    /// `irrCAC.raw.CAC.gwet`
    #[metric(
        name = "gwet_ac1",
        title = "Gwet's AC1",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const GWET_AC1: Score<Self> = Score::new(INFO, Self::gwet_ac1);
}

impl Scores for Agreement {
    const SCORES: &'static [Score<Self>] =
        &[Self::FLEISS_KAPPA, Self::KRIPPENDORFF_ALPHA, Self::GWET_AC1];
}

impl AgreementCoefficient {
    /// Description and formula of the coefficient.
    #[must_use]
    pub const fn score(self) -> &'static Score<Agreement> {
        // `SCORES` is in the order of the variants.
        &Agreement::SCORES[self as usize]
    }

    /// Description of the coefficient.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        self.score().info
    }
}

/// Confidence interval over *runs* for a coefficient. Runs are left out or resampled with all their predictions.
///
/// `None` for fewer than three runs, if the coefficient is undefined for all runs or without one of them, and if it is
/// defined in fewer than two bootstrap replicates.
///
/// # Errors
/// As [`Agreement::from_packed`]; `InvalidParameter` for a level outside (0, 1), or for fewer than two or more
/// than 10 000 000 replicates.
///
/// ```
/// use ndarray::array;
/// use xai_repro::across_runs::{AgreementCoefficient, agreement_interval};
/// use xai_repro::{Agreement, PackedRuns, RunInterval, metrics::PAIR_METRICS};
/// let runs = array![[0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 1], [1, 0, 1, 1, 1]];
/// let packed = PackedRuns::new(PAIR_METRICS, runs.view(), &[0, 0, 1, 1, 1])?;
/// let kappa = Agreement::from_packed(&packed)?.fleiss_kappa().unwrap();
/// let coefficient = AgreementCoefficient::FleissKappa;
/// let around = agreement_interval(&packed, coefficient, RunInterval::jackknife())?.unwrap();
/// assert!((0.5 * (around.low + around.high) - kappa).abs() < 1e-12);
/// # Ok::<(), xai_repro::Error>(())
/// ```
pub fn agreement_interval(
    packed: &PackedRuns,
    coefficient: AgreementCoefficient,
    interval: RunInterval,
) -> Result<Option<Interval>> {
    let equal = equal_by_pair(packed)?;
    let k = packed.n_runs();
    interval_over_runs(k, interval, |times| {
        let agreeing = pairs(k).zip(&equal).map(|((i, j), &equal)| {
            2 * u128::from(times[i]) * u128::from(times[j]) * u128::from(equal)
        });
        // A resample of copies of a single run has no pairs.
        let n_different = times.iter().filter(|&&t| t > 0).count();
        if n_different < 2 {
            return None;
        }
        let agreement = Agreement::from_resample(&packed.totals, times, agreeing.sum());
        coefficient.score().value(&agreement)
    })
}

/// Number of equal predictions by pair.
pub(super) fn equal_by_pair(packed: &PackedRuns) -> Result<Vec<u64>> {
    let k = packed.n_runs();
    let counts_by_tile = fold_equal(packed, Vec::new, |counts, pair, equal| {
        counts.push((pair, equal))
    })?;
    let mut equal = vec![0; n_pairs(k)];
    for ((first, second), count) in counts_by_tile.into_iter().flatten() {
        equal[pair_index(k, first, second)] = count;
    }
    Ok(equal)
}

/// Folds the number of equal predictions of each pair, with one state per tile of pairs, in parallel.
pub(super) fn fold_equal<S: Send>(
    packed: &PackedRuns,
    state: impl Fn() -> S + Sync + Send,
    fold: impl Fn(&mut S, (usize, usize), u64) + Sync + Send,
) -> Result<Vec<S>> {
    if !packed.needs.equal {
        let expected = "runs packed for a metric of agreement";
        let error = Error::parameter(input::PACKED_RUNS, "only errors", expected);
        return Err(error.with_help(help::PACK_FOR_AGREEMENT));
    }
    let tiles = Tile::cover(packed.n_runs(), parallel::threads());
    Ok(parallel::map(tiles.len(), |tile| {
        let mut state = state();
        count_tile(
            packed,
            &tiles[tile],
            PairNeeds::EQUAL,
            InstructionSet::fastest(),
            &mut TileBuffers::default(),
            |pair| fold(&mut state, (pair.first, pair.second), pair.equal),
        );
        state
    }))
}
