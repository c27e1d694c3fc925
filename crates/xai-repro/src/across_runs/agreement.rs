//! Chance-corrected agreement of all runs at once.

use ndarray::ArrayView2;
use xai_core::{Label, Result};

use crate::across_runs::equal_pairs::equal_by_tile;
use crate::packed::packed_runs::PackedRuns;
use crate::packed::totals::RunTotals;
use crate::pair_metric::definition::PairMetric;

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
    /// [`TooFew`](xai_core::ErrorKind::TooFew) below two runs, [`Empty`](xai_core::ErrorKind::Empty)
    /// without samples.
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
    /// [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) when the runs were packed for error metrics alone.
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
