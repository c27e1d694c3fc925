//! On which samples do runs disagree?

use ndarray::ArrayView2;
use xai_core::{Error, ExactMean, Label, Result, parallel};

use crate::input;
use crate::pair_metric::count_logs::x_ln_x;

/// How consistent the runs' predictions are, per sample.
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
pub struct SampleConsistency {
    /// The number of runs.
    pub n_runs: usize,
    /// For each sample the entropy of the runs' predictions, `−Σ p_c ln p_c` in nats, in [0, ln k]: 0 =
    /// all runs agree, ln k = each predicts another class.
    pub entropy: Vec<f64>,
    /// For each sample the share of runs that predict its most frequent class, in [1/k, 1].
    pub modal_share: Vec<f64>,
    /// For each sample the number of classes that are predicted, 1 and more.
    pub n_classes: Vec<usize>,
}

/// On how many samples runs disagree, and on which most.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InconsistentSamples {
    /// The number of samples whose prediction is not the same in all runs.
    pub ever_changing: usize,
    /// The mean entropy over all samples, in nats.
    pub mean_entropy: f64,
    /// The samples with the largest entropy, the largest first and equal ones ascending.
    pub most_inconsistent: Vec<InconsistentSample>,
}

/// A sample on which runs disagree.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InconsistentSample {
    /// Its position.
    pub sample: usize,
    /// The entropy of its predictions, in nats.
    pub entropy: f64,
    /// The share of runs that predict its most frequent class.
    pub modal_share: f64,
    /// The number of classes that are predicted.
    pub n_classes: usize,
}

/// How many runs predict each class of a sample, most first and equal ones by ascending class; empty for a
/// sample that `(k, n)` predictions do not have.
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
    votes.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    votes
}

impl SampleConsistency {
    /// Over `(k, n)` predictions.
    ///
    /// # Errors
    /// `TooFew` below two runs, `Empty` without samples.
    pub fn new<L: Label>(predictions: ArrayView2<'_, L>) -> Result<Self> {
        /// Samples whose columns are gathered at once, so that rows are read along.
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

    /// The samples whose prediction is not the same in all runs, ascending.
    #[must_use]
    pub fn ever_changing(&self) -> Vec<usize> {
        let changing = |&sample: &usize| self.n_classes[sample] > 1;
        (0..self.n_classes.len()).filter(changing).collect()
    }

    /// The samples with the largest entropy, at most `limit`, the largest first and equal ones
    /// ascending; samples on which all runs agree are left out.
    #[must_use]
    pub fn most_inconsistent(&self, limit: usize) -> Vec<usize> {
        let mut samples = self.ever_changing();
        // The fields are public: a sample without an entropy comes last.
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

    /// On how many samples runs disagree, and the [most inconsistent](Self::most_inconsistent) ones.
    #[must_use]
    pub fn inconsistent(&self, limit: usize) -> InconsistentSamples {
        let most = self.most_inconsistent(limit).into_iter();
        // The fields are public: a sample without all of them is left out.
        let of_sample = |sample: usize| {
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
            most_inconsistent: most.filter_map(of_sample).collect(),
        }
    }

    /// The mean entropy over the samples, in nats.
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
    // In an order that renaming classes does not change.
    counts.sort_unstable();
    let within: f64 = counts.iter().map(|&count| x_ln_x(count as u64)).sum();
    let entropy = (x_ln_x(k as u64) - within) / k as f64;
    let modal = counts.last().copied().unwrap_or_default();
    let entropy = if counts.len() == 1 { 0.0 } else { entropy };
    (entropy, modal as f64 / k as f64, counts.len())
}
