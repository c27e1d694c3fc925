//! Consistency of the predictions of all runs per sample.

use ndarray::ArrayView2;
use xai_core::{Error, ExactMean, Label, Result, parallel};

use crate::input;
use crate::pair_metric::count_logs::x_ln_x;

/// Consistency of the predictions of all runs, per sample.
///
/// ```
/// use ndarray::array;
/// use xai_repro::SampleConsistency;
/// let runs = array![[0, 5, 7, 1], [0, 5, 8, 2], [0, 6, 9, 1]];
/// let samples = SampleConsistency::new(runs.view())?;
/// assert_eq!(samples.ever_changing(), [1, 2, 3]);
/// assert_eq!(samples.most_inconsistent(2), [2, 1]); // three classes; then the first of two ties
/// assert_eq!(samples.modal_share[1], 2.0 / 3.0);
/// assert!((samples.entropy[2] - 3f64.ln()).abs() < 1e-15);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SampleConsistency {
    /// Number of runs.
    pub n_runs: usize,
    /// Entropy of the predictions by sample, `−Σ p_c ln p_c` in nats, in [0, ln k]: 0 = all runs agree, ln k = each run
    /// predicts a different class.
    pub entropy: Vec<f64>,
    /// Share of runs that predict the most frequent class, by sample, in [1/k, 1].
    pub modal_share: Vec<f64>,
    /// Number of different predicted classes by sample, at least 1.
    pub n_classes: Vec<usize>,
}

/// Number of samples on which runs disagree, and the samples with the most disagreement.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InconsistentSamples {
    /// Number of samples whose prediction is not the same in all runs.
    pub ever_changing: usize,
    /// Mean entropy over all samples, in nats.
    pub mean_entropy: f64,
    /// Samples with the largest entropy, in descending order of entropy and ascending order of index among ties.
    pub most_inconsistent: Vec<InconsistentSample>,
}

/// A sample on which runs disagree.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InconsistentSample {
    /// Index of the sample.
    pub sample: usize,
    /// Entropy of its predictions, in nats.
    pub entropy: f64,
    /// Share of runs that predict its most frequent class.
    pub modal_share: f64,
    /// Number of different predicted classes.
    pub n_classes: usize,
}

/// Number of runs that predict each class of a sample, as `(class, n_runs)`.
///
/// The class with the most votes comes first, and the smaller class among ties. Empty if `(k, n)` predictions do not
/// have this sample.
///
/// ```
/// use ndarray::array;
/// use xai_repro::across_runs::votes;
/// let runs = array![[3, 0], [5, 0], [5, 1]];
/// assert_eq!(votes(runs.view(), 0), [(5, 2), (3, 1)]);
/// assert_eq!(votes(runs.view(), 2), []);
/// ```
#[must_use]
pub fn votes<L: Label>(predictions: ArrayView2<'_, L>, sample: usize) -> Vec<(L, usize)> {
    if sample >= predictions.ncols() {
        return Vec::new();
    }
    let mut column: Vec<L> = predictions.column(sample).to_vec();
    column.sort_unstable();
    let classes = column.chunk_by(|a, b| a == b);
    let mut votes: Vec<(L, usize)> = classes.map(|class| (class[0], class.len())).collect();
    // Stable, so that classes with the same number of votes stay in ascending order.
    votes.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    votes
}

impl SampleConsistency {
    /// Computes the consistency of `(k, n)` predictions.
    ///
    /// # Errors
    /// `TooFew` for fewer than two runs, `Empty` without samples.
    pub fn new<L: Label>(predictions: ArrayView2<'_, L>) -> Result<Self> {
        /// Number of consecutive samples per block, so that the memory read from each row is contiguous.
        const BLOCK: usize = 256;
        let (k, n) = predictions.dim();
        if k < 2 {
            return Err(Error::too_few(input::RUNS, 2, k));
        }
        if n == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        let blocks = parallel::map_blocks(n, BLOCK, |range| {
            let mut columns: Vec<L> = Vec::with_capacity(range.len() * k);
            for sample in range.clone() {
                columns.extend(predictions.column(sample));
            }
            let samples = columns.chunks_exact_mut(k);
            samples.map(consistency).collect::<Vec<_>>()
        });
        let mut consistency = Self {
            n_runs: k,
            entropy: Vec::with_capacity(n),
            modal_share: Vec::with_capacity(n),
            n_classes: Vec::with_capacity(n),
        };
        for (entropy, modal_share, n_classes) in blocks.into_iter().flatten() {
            consistency.entropy.push(entropy);
            consistency.modal_share.push(modal_share);
            consistency.n_classes.push(n_classes);
        }
        Ok(consistency)
    }

    /// Indices of the samples whose prediction is not the same in all runs, in ascending order.
    #[must_use]
    pub fn ever_changing(&self) -> Vec<usize> {
        let is_changing = |&sample: &usize| self.n_classes[sample] > 1;
        (0..self.n_classes.len()).filter(is_changing).collect()
    }

    /// Indices of at most `limit` samples with the largest entropy, in descending order of entropy and ascending order
    /// of index among ties. Samples on which all runs agree are left out.
    #[must_use]
    pub fn most_inconsistent(&self, limit: usize) -> Vec<usize> {
        let mut samples = self.ever_changing();
        // The fields are public and may have different lengths. A sample without an entropy comes last.
        let entropy = |sample: usize| {
            self.entropy
                .get(sample)
                .copied()
                .unwrap_or(f64::NEG_INFINITY)
        };
        samples.sort_by(|&a, &b| entropy(b).total_cmp(&entropy(a)));
        samples.truncate(limit);
        samples
    }

    /// Number of samples on which runs disagree, and the [most inconsistent](Self::most_inconsistent) ones.
    #[must_use]
    pub fn inconsistent(&self, limit: usize) -> InconsistentSamples {
        let samples = self.most_inconsistent(limit).into_iter();
        // The fields are public and may have different lengths. A sample that is missing in one of them is left out.
        let describe = |sample: usize| {
            Some(InconsistentSample {
                sample,
                entropy: *self.entropy.get(sample)?,
                modal_share: *self.modal_share.get(sample)?,
                n_classes: *self.n_classes.get(sample)?,
            })
        };
        InconsistentSamples {
            ever_changing: self.ever_changing().len(),
            mean_entropy: self.mean_entropy(),
            most_inconsistent: samples.filter_map(describe).collect(),
        }
    }

    /// Mean entropy over the samples, in nats.
    #[must_use]
    pub fn mean_entropy(&self) -> f64 {
        let mean: ExactMean = self.entropy.iter().copied().collect();
        mean.value().unwrap_or_default()
    }
}

/// Entropy, modal share and number of classes of one sample's predictions.
fn consistency<L: Label>(predictions: &mut [L]) -> (f64, f64, usize) {
    predictions.sort_unstable();
    let k = predictions.len();
    let mut counts: Vec<usize> = predictions
        .chunk_by(|a, b| a == b)
        .map(<[L]>::len)
        .collect();
    // Sorted counts make the rounding of the sum independent of the class labels.
    counts.sort_unstable();
    let modal_count = counts.last().copied().unwrap_or_default();
    // −Σ p ln p = (k ln k − Σ count ln count) / k.
    let entropy = if counts.len() == 1 {
        0.0
    } else {
        let sum: f64 = counts.iter().map(|&count| x_ln_x(count as u64)).sum();
        (x_ln_x(k as u64) - sum) / k as f64
    };
    (entropy, modal_count as f64 / k as f64, counts.len())
}
