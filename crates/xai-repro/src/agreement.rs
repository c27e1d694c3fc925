//! Chance-corrected agreement of all runs at once.
//!
//! Each coefficient is `(p_o − p_e)/(1 − p_e)` with the same observed agreement `p_o`, the chance
//! that two runs drawn for a sample agree, and a notion of its own of agreement by chance. 1 =
//! always the same prediction; 0 = as by chance; undefined where every prediction is the same class,
//! because then chance leaves no room.

use ndarray::ArrayView2;
use xai_core::{Error, Interval, Label, Result, parallel};

pub use crate::agreement_weights::{AgreementWeights, gwet_ac2};
use crate::packed_runs::{RunTotals, Wanted};
use crate::pair_tiles::{Tile, TileBuffers, count_tile};
use crate::pairwise::pair_index;
use crate::run_interval::interval_over_runs;
use crate::{InstructionSet, PackedRuns, PairMetric, RunInterval};

/// A coefficient of [`Agreement`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AgreementCoefficient {
    /// [`Agreement::fleiss_kappa`]
    FleissKappa,
    /// [`Agreement::krippendorff_alpha`]
    KrippendorffAlpha,
    /// [`Agreement::gwet_ac1`]
    GwetAc1,
}

/// An interval over *runs* for a coefficient: runs are left out, or drawn again, with all their
/// predictions. `None` below three runs, and where the coefficient is undefined for all runs or without
/// one of them.
///
/// # Errors
/// As [`Agreement::of_packed`]; [`Error::InvalidParameter`] for a level outside (0, 1) or no
/// replicates.
///
/// ```
/// use ndarray::array;
/// use xai_repro::agreement::{Agreement, AgreementCoefficient, interval};
/// use xai_repro::{PackedRuns, RunInterval};
/// let runs = array![[0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 1], [1, 0, 1, 1, 1]];
/// let packed = PackedRuns::new(runs.view(), &[0, 0, 1, 1, 1])?;
/// let kappa = Agreement::of_packed(&packed)?.fleiss_kappa().unwrap();
/// let coefficient = AgreementCoefficient::FleissKappa;
/// let around = interval(&packed, coefficient, RunInterval::Jackknife, 0.95)?.unwrap();
/// assert!((0.5 * (around.low + around.high) - kappa).abs() < 1e-12);
/// # Ok::<(), xai_repro::Error>(())
/// ```
pub fn interval(
    packed: &PackedRuns,
    coefficient: AgreementCoefficient,
    method: RunInterval,
    level: f64,
) -> Result<Option<Interval>> {
    let equal = equal_of_pairs(packed)?;
    let k = packed.n_runs();
    let n_classes = packed.classes().len();
    interval_over_runs(k, method, level, |times| {
        // A run and its copy are no pair, so those are taken from the ordered pairs of all runs drawn.
        let drawn: u64 = times.iter().copied().map(u64::from).sum();
        let with_copies: u64 = times.iter().map(|&t| u64::from(t) * u64::from(t)).sum();
        let n_pairs = drawn * drawn - with_copies;
        let mut agreeing = 0u128;
        let mut pair = equal.iter();
        for i in 0..k {
            for j in i + 1..k {
                let equal = u128::from(pair.next().copied().unwrap_or_default());
                agreeing += 2 * u128::from(times[i]) * u128::from(times[j]) * equal;
            }
        }
        let mut class_counts: Vec<u64> = (0..n_classes)
            .map(|class| {
                let runs = packed.totals.class_counts.iter().zip(times);
                runs.map(|(counts, &t)| counts[class] * u64::from(t)).sum()
            })
            .filter(|&count| count > 0)
            .collect();
        // So that the names of the classes do not show in the last bit.
        class_counts.sort_unstable();
        let agreement = Agreement {
            n_predictions: drawn * packed.totals.n_samples,
            n_pairs: u128::from(n_pairs) * u128::from(packed.totals.n_samples),
            class_counts,
            agreeing,
        };
        (n_pairs > 0).then(|| agreement.coefficient(coefficient))?
    })
}

/// On how many samples each pair agrees, pairs in order.
fn equal_of_pairs(packed: &PackedRuns) -> Result<Vec<u64>> {
    let k = packed.n_runs();
    let of_tiles = equal_by_tile(packed, Vec::new, |pairs, pair, equal| {
        pairs.push((pair, equal))
    })?;
    let mut equal = vec![0; k * (k - 1) / 2];
    for ((first, second), count) in of_tiles.into_iter().flatten() {
        equal[pair_index(k, first, second)] = count;
    }
    Ok(equal)
}

/// Folds the samples on which each pair agrees, tile of pairs by tile, in parallel.
fn equal_by_tile<S: Send>(
    packed: &PackedRuns,
    state: impl Fn() -> S + Sync + Send,
    fold: impl Fn(&mut S, (usize, usize), u64) + Sync + Send,
) -> Result<Vec<S>> {
    if !packed.wanted.equal {
        return Err(Error::parameter(
            "packed runs",
            "errors alone",
            "runs packed for a metric of agreement too, pa_acc for instance",
        ));
    }
    let wanted = Wanted {
        equal: true,
        ..Wanted::default()
    };
    let tiles = Tile::cover(packed.n_runs(), parallel::threads());
    Ok(parallel::map(tiles.len(), |tile| {
        let mut state = state();
        count_tile(
            packed,
            &tiles[tile],
            wanted,
            InstructionSet::fastest(),
            &mut TileBuffers::default(),
            |pair| fold(&mut state, (pair.first, pair.second), pair.equal),
        );
        state
    }))
}

/// How often each class is predicted, and how often two runs agree.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct Agreement {
    /// Runs times samples.
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
struct Stored {
    n_predictions: u64,
    n_pairs: u128,
    class_counts: Vec<u64>,
    agreeing: u128,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Agreement {
    type Error = &'static str;

    fn try_from(stored: Stored) -> std::result::Result<Self, Self::Error> {
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
            return Err("not the counts of an agreement");
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
    /// [`Error::TooFew`] below two runs, [`Error::Empty`] without samples.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_repro::agreement::Agreement;
    /// let a = Agreement::of(array![[0, 0, 1, 1], [0, 1, 1, 1]].view())?;
    /// // p_o = 3/4; classes 3/8 and 5/8, so p_e = 34/64 and kappa = (48 − 34)/(64 − 34)
    /// assert!((a.fleiss_kappa().unwrap() - 14.0 / 30.0).abs() < 1e-15);
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    pub fn of<L: Label>(predictions: ArrayView2<'_, L>) -> Result<Self> {
        let (n_runs, n_samples) = predictions.dim();
        if n_runs < 2 {
            return Err(Error::too_few("runs", 2, n_runs));
        }
        if n_samples == 0 {
            return Err(Error::empty("samples"));
        }
        // The labels play no part; any will do.
        let labels = vec![0u8; n_samples];
        let packed = PackedRuns::for_metrics(&[PairMetric::PaAcc], predictions, &labels)?;
        Self::of_packed(&packed)
    }

    /// The same over packed runs.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when the runs were packed for error metrics alone.
    pub fn of_packed(packed: &PackedRuns) -> Result<Self> {
        let of_tiles = equal_by_tile(packed, || 0u128, |sum, _, equal| *sum += u128::from(equal))?;
        let agreeing = 2 * of_tiles.into_iter().sum::<u128>();
        Ok(Self::of_counts(&packed.totals, agreeing))
    }

    /// From what is counted of each run, and the ordered pairs of runs that agree over all samples.
    pub(crate) fn of_counts(totals: &RunTotals, agreeing: u128) -> Self {
        let n_classes = totals.class_counts.iter().map(Vec::len).max().unwrap_or(0);
        let mut class_counts: Vec<u64> = (0..n_classes)
            .map(|class| {
                let of_run = totals.class_counts.iter().filter_map(|run| run.get(class));
                of_run.sum()
            })
            .filter(|&count| count > 0)
            .collect();
        class_counts.sort_unstable();
        let (k, n) = (totals.n_wrong.len() as u64, totals.n_samples);
        Self {
            n_predictions: k * n,
            n_pairs: u128::from(k * (k - 1)) * u128::from(n),
            class_counts,
            agreeing,
        }
    }

    /// The chance that two different runs agree on a sample.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn observed(&self) -> f64 {
        self.agreeing as f64 / self.n_pairs as f64
    }

    #[allow(clippy::cast_precision_loss)]
    fn shares(&self) -> impl Iterator<Item = f64> {
        let all = self.n_predictions as f64;
        self.class_counts
            .iter()
            .map(move |&count| count as f64 / all)
    }

    /// A coefficient by name.
    #[must_use]
    pub fn coefficient(&self, coefficient: AgreementCoefficient) -> Option<f64> {
        match coefficient {
            AgreementCoefficient::FleissKappa => self.fleiss_kappa(),
            AgreementCoefficient::KrippendorffAlpha => self.krippendorff_alpha(),
            AgreementCoefficient::GwetAc1 => self.gwet_ac1(),
        }
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
    #[allow(clippy::cast_precision_loss)]
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
    #[allow(clippy::cast_precision_loss)]
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
    #[allow(clippy::cast_precision_loss)]
    pub fn gwet_ac1(&self) -> Option<f64> {
        let others = self.class_counts.len().saturating_sub(1) as f64;
        self.corrected(
            self.observed(),
            self.shares().map(|p| p * (1.0 - p)).sum::<f64>() / others,
        )
    }
}
