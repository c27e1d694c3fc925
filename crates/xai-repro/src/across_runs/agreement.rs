//! Chance-corrected agreement of all runs at once.

use ndarray::ArrayView2;
use xai_core::describe::{MetricInfo, Parameter, Score, Scores, metric};
use xai_core::simd::InstructionSet;
use xai_core::{Error, Interval, Label, Result, parallel};

use crate::counting::pair_tiles::{Tile, TileBuffers, count_tile, n_pairs, pair_index, pairs};
use crate::interval::run_interval::{RunInterval, interval_over_runs};
use crate::named::shown_by_word;
use crate::packed::packed_runs::{PackedRuns, RunTotals};
use crate::pair_metric::definition::{PairMetric, PairNeeds};
use crate::{help, input};

/// How often each class is predicted, and how often two runs agree.
///
/// Each coefficient is `(p_o − p_e)/(1 − p_e)` with the same observed agreement `p_o`, the chance
/// that two runs drawn for a sample agree, and a notion of its own of agreement by chance. 1 =
/// always the same prediction; 0 = as by chance; undefined where every prediction is the same class,
/// because then chance leaves no room.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredAgreement"))]
pub struct Agreement {
    n_predictions: u64,
    /// Ordered pairs of different runs, over all samples.
    n_pairs: u128,
    /// How often each class that occurs is predicted.
    class_counts: Vec<u64>,
    /// Ordered pairs of different runs that agree, over all samples.
    agreeing: u128,
}

/// What stored counts say of themselves, unchecked.
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
        let whole = stored.n_pairs > 0
            && stored.agreeing <= stored.n_pairs
            && counted == u128::from(stored.n_predictions)
            && stored.class_counts.iter().all(|&count| count > 0);
        if !whole {
            let why = "counts that do not belong together";
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
    /// Counts over `(k, n)` predictions of `k` runs.
    ///
    /// # Errors
    /// `TooFew` below two runs, `Empty` without samples.
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
        // The labels play no part; any will do.
        let labels = vec![0u8; predictions.ncols()];
        let packed = PackedRuns::new(&[PairMetric::PA_ACC], predictions, &labels)?;
        Self::from_packed(&packed)
    }

    /// The same over packed runs.
    ///
    /// # Errors
    /// `InvalidParameter` when the runs were packed for error metrics alone.
    pub fn from_packed(packed: &PackedRuns) -> Result<Self> {
        let of_tiles = equal_by_tile(packed, || 0u128, |sum, _, equal| *sum += u128::from(equal))?;
        let agreeing = 2 * of_tiles.into_iter().sum::<u128>();
        Ok(Self::from_counts(&packed.totals, agreeing))
    }

    /// From what is counted of each run, and the ordered pairs of runs that agree over all samples.
    pub(crate) fn from_counts(totals: &RunTotals, agreeing: u128) -> Self {
        let times = vec![1; totals.n_runs()];
        Self::from_repeated(totals, &times, agreeing)
    }

    /// The same where each run is taken so many times; a run and its copy are no pair.
    pub(crate) fn from_repeated(totals: &RunTotals, times: &[u32], agreeing: u128) -> Self {
        let drawn: u64 = times.iter().copied().map(u64::from).sum();
        let with_copies: u64 = times.iter().map(|&t| u64::from(t) * u64::from(t)).sum();
        let n_classes = totals.class_counts.iter().map(Vec::len).max().unwrap_or(0);
        let mut class_counts: Vec<u64> = (0..n_classes)
            .map(|class| {
                let runs = totals.class_counts.iter().zip(times);
                let of_run = |(counts, &t): (&Vec<u64>, &u32)| {
                    counts.get(class).copied().unwrap_or_default() * u64::from(t)
                };
                runs.map(of_run).sum()
            })
            .filter(|&count| count > 0)
            .collect();
        // So that the names of the classes do not show in the last bit.
        class_counts.sort_unstable();
        Self {
            n_predictions: drawn * totals.n_samples,
            n_pairs: u128::from(drawn * drawn - with_copies) * u128::from(totals.n_samples),
            class_counts,
            agreeing,
        }
    }

    /// The chance that two different runs agree on a sample.
    #[must_use]
    pub fn observed(&self) -> f64 {
        self.agreeing as f64 / self.n_pairs as f64
    }

    fn shares(&self) -> impl Iterator<Item = f64> {
        let all = self.n_predictions as f64;
        self.class_counts
            .iter()
            .map(move |&count| count as f64 / all)
    }

    fn corrected(&self, observed: f64, by_chance: f64) -> Option<f64> {
        (self.class_counts.len() > 1).then(|| (observed - by_chance) / (1.0 - by_chance))
    }

    /// Fleiss' κ: chance is `Σ p_c²` over the overall class shares.
    ///
    /// # Source
    /// Fleiss, *Measuring nominal scale agreement among many raters*, 1971.
    #[must_use]
    pub fn fleiss_kappa(&self) -> Option<f64> {
        self.disagreement_ratio().map(|ratio| 1.0 - ratio)
    }

    /// Observed over expected disagreement, each from whole numbers: where one class dominates, the
    /// agreements would cancel to nothing.
    fn disagreement_ratio(&self) -> Option<f64> {
        let all = u128::from(self.n_predictions);
        let counts = self.class_counts.iter().map(|&count| u128::from(count));
        let apart: u128 = counts.map(|count| count * (all - count)).sum();
        let observed = (self.n_pairs - self.agreeing) as f64 / self.n_pairs as f64;
        let expected = apart as f64 / (all as f64 * all as f64);
        (self.class_counts.len() > 1).then(|| observed / expected)
    }

    /// Krippendorff's α for nominal data without gaps: as Fleiss' κ, corrected for the finite
    /// number `N = k n` of predictions.
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

    /// Gwet's AC1: chance is `Σ p_c (1 − p_c)/(q − 1)` over the `q` classes that occur, which stays
    /// small when one class dominates.
    ///
    /// # Source
    /// Gwet, *Computing inter-rater reliability in the presence of high agreement*, 2008.
    #[must_use]
    pub fn gwet_ac1(&self) -> Option<f64> {
        let others = self.class_counts.len().saturating_sub(1) as f64;
        self.corrected(
            self.observed(),
            self.shares().map(|p| p * (1.0 - p)).sum::<f64>() / others,
        )
    }
}

/// Serialises the scores, by name.
///
/// # Errors
/// Those of the serialiser.
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
    /// Fleiss' kappa: beyond chance by the overall class shares.
    #[default]
    #[param(name = "fleiss_kappa")]
    FleissKappa,
    /// Krippendorff's alpha: the same for a finite number of predictions.
    #[param(name = "krippendorff_alpha")]
    KrippendorffAlpha,
    /// Gwet's AC1: beyond a chance that stays small where one class dominates.
    #[param(name = "gwet_ac1")]
    GwetAc1,
}

shown_by_word!(AgreementCoefficient);

/// In the order of [`AgreementCoefficient`].
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
    /// What it says of itself, and how it is computed.
    #[must_use]
    pub const fn score(self) -> &'static Score<Agreement> {
        &Agreement::SCORES[self as usize]
    }

    /// What it says of itself.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        self.score().info
    }
}

/// An interval over *runs* for a coefficient: runs are left out, or drawn again, with all their
/// predictions. `None` below three runs, and where the coefficient is undefined for all runs or without
/// one of them.
///
/// # Errors
/// As [`Agreement::from_packed`](crate::Agreement::from_packed); `InvalidParameter` for a level outside (0,
/// 1) or no replicates.
///
/// ```
/// use ndarray::array;
/// use xai_repro::across_runs::{AgreementCoefficient, agreement_interval};
/// use xai_repro::{Agreement, PackedRuns, RunInterval, registry::PAIR_METRICS};
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
    let equal = equal_of_pairs(packed)?;
    let k = packed.n_runs();
    interval_over_runs(k, interval, |times| {
        let agreeing = pairs(k).zip(&equal).map(|((i, j), &equal)| {
            2 * u128::from(times[i]) * u128::from(times[j]) * u128::from(equal)
        });
        // A run drawn alone has no pairs, copies of itself included.
        let n_drawn = times.iter().filter(|&&t| t > 0).count();
        let agreement = Agreement::from_repeated(&packed.totals, times, agreeing.sum());
        (n_drawn > 1).then(|| (coefficient.score().value)(&agreement))?
    })
}

/// On how many samples each pair agrees, pairs in order.
pub(super) fn equal_of_pairs(packed: &PackedRuns) -> Result<Vec<u64>> {
    let k = packed.n_runs();
    let of_tiles = equal_by_tile(packed, Vec::new, |pairs, pair, equal| {
        pairs.push((pair, equal))
    })?;
    let mut equal = vec![0; n_pairs(k)];
    for ((first, second), count) in of_tiles.into_iter().flatten() {
        equal[pair_index(k, first, second)] = count;
    }
    Ok(equal)
}

/// Folds the samples on which each pair agrees, tile of pairs by tile, in parallel.
pub(super) fn equal_by_tile<S: Send>(
    packed: &PackedRuns,
    state: impl Fn() -> S + Sync + Send,
    fold: impl Fn(&mut S, (usize, usize), u64) + Sync + Send,
) -> Result<Vec<S>> {
    if !packed.needs.equal {
        let expected = "runs packed for a metric of agreement";
        let error = Error::parameter(input::PACKED_RUNS, "errors alone", expected);
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
