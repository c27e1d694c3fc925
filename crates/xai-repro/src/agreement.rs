//! Chance-corrected agreement of all runs at once.
//!
//! Each coefficient is `(p_o − p_e)/(1 − p_e)` with the same observed agreement `p_o`, the chance
//! that two runs drawn for a sample agree, and a notion of its own of agreement by chance. 1 =
//! always the same prediction; 0 = as by chance; undefined where every prediction is the same class,
//! because then chance leaves no room.

use ndarray::ArrayView2;
use xai_core::{Error, Label, Result, parallel};

use crate::packed_runs::{RunTotals, Wanted};
use crate::pair_tiles::{Tile, TileBuffers, count_tile};
use crate::{InstructionSet, PackedRuns, PairMetric};

/// How often each class is predicted, and how often two runs agree.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Agreement {
    n_runs: usize,
    n_samples: usize,
    class_counts: Vec<u64>,
    /// Ordered pairs of runs that agree, over all samples.
    agreeing: u128,
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
        let agreeing = parallel::map(tiles.len(), |tile| {
            let mut equal = 0u128;
            count_tile(
                packed,
                &tiles[tile],
                wanted,
                InstructionSet::fastest(),
                &mut TileBuffers::default(),
                |pair| equal += u128::from(pair.equal),
            );
            2 * equal
        });
        Ok(Self::of_counts(&packed.totals, agreeing.into_iter().sum()))
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
        Self {
            n_runs: totals.n_wrong.len(),
            n_samples: usize::try_from(totals.n_samples).unwrap_or(usize::MAX),
            class_counts,
            agreeing,
        }
    }

    /// The chance that two different runs agree on a sample.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn observed(&self) -> f64 {
        let (k, n) = (self.n_runs as u128, self.n_samples as u128);
        self.agreeing as f64 / (n * k * (k - 1)) as f64
    }

    #[allow(clippy::cast_precision_loss)]
    fn shares(&self) -> impl Iterator<Item = f64> {
        let all = (self.n_runs * self.n_samples) as f64;
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
        self.corrected(self.observed(), self.shares().map(|p| p * p).sum())
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
        let all = (self.n_runs * self.n_samples) as f64;
        let observed = (1.0 - 1.0 / all) * self.observed() + 1.0 / all;
        self.corrected(observed, self.shares().map(|p| p * p).sum())
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
