//! Predictions of runs whose errors are drawn from a given distribution.

use ndarray::Array2;
use xai_core::describe::{Parameter, Parameters};
use xai_core::random::{RandomStream, random_stream, uniform_index};
use xai_core::{Error, Result};

use crate::input;
use crate::named::impl_display_by_word;
use crate::simulate::alias_table::AliasTable;

/// Samples on which simulated runs may be wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum ErrorSet {
    /// The same samples in every run.
    #[default]
    Fixed,
    /// Different samples in each run, of the same number.
    Variable,
}

impl_display_by_word!(ErrorSet);

/// Errors of simulated runs: how many, on which samples, and how much runs have in common.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[non_exhaustive]
pub struct RunErrors {
    /// Largest share of samples that a run predicts wrongly.
    #[param(at_least = 0, at_most = 1)]
    pub max_error_share: f64,
    /// Samples on which runs may be wrong.
    pub error_set: ErrorSet,
    /// Share of its error set on which each run copies a common base prediction.
    ///
    /// `r` in [0, 1]: 1 = all runs equal the base prediction, 0 = independent runs.
    #[param(
        none = "independent",
        none_doc = "Each run draws its own labels.",
        at_least = 0,
        at_most = 1
    )]
    pub copied: Option<f64>,
}

impl Default for RunErrors {
    /// Independent errors on the same samples in every run, at most 20 % of all samples.
    fn default() -> Self {
        Self {
            max_error_share: 0.2,
            error_set: ErrorSet::Fixed,
            copied: None,
        }
    }
}

/// Simulates the predictions of `k` runs for given true labels `y`.
///
/// With `n` samples and a maximum error share `s`, let `m = ⌈s n⌉`. Each run has an *error set* of `m` samples, drawn
/// uniformly without replacement. Outside this set it predicts `y`; on the set it draws labels from the error
/// distribution. A drawn label may be the true one, so a run has at most `m` errors.
///
/// - [`ErrorSet::Fixed`]: all runs have the same error set. [`ErrorSet::Variable`]: each run has its own.
/// - Without [copied](RunErrors::copied) predictions, each run draws its own labels.
/// - With a copied share `r`, a base prediction is drawn first, as for a run, with its own error set. Each run copies
///   it on `⌈r m⌉` samples of that set, chosen uniformly for the run, and draws its own labels on the other `m − ⌈r m⌉`
///   samples: the rest of the same set (fixed), or any other samples (variable). `r = 1` makes all runs equal, and `r =
///   0` makes them independent.
///
/// ```
/// use xai_repro::simulate::{ErrorSet, PredictionSimulator, RunErrors};
/// let errors = RunErrors::default().max_error_share(0.1).error_set(ErrorSet::Variable).copied(Some(1.0));
/// let simulator = PredictionSimulator::new(&[0.5, 0.5], errors)?;
/// let runs = simulator.simulate(&[0; 100], 3, 1, 0)?; // draw 0 under seed 1
/// assert_eq!(runs.row(0), runs.row(2));
/// assert!(runs.row(0).iter().filter(|&&label| label != 0).count() <= 10);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionSimulator {
    error_distribution: AliasTable,
    errors: RunErrors,
}

/// Buffers that are reused from draw to draw.
#[derive(Debug, Default)]
pub(crate) struct PredictionBuffers {
    /// Sample indices. Those drawn without replacement are moved to the front.
    samples: Vec<u32>,
    /// Error set of the base prediction.
    base_set: Vec<u32>,
    /// Base prediction of all samples.
    base: Vec<u32>,
    /// Samples that the current run does not copy.
    others: Vec<u32>,
}

impl PredictionSimulator {
    /// Creates a simulator whose runs draw class `i` with probability `error_probabilities[i]` on their error sets.
    ///
    /// # Errors
    /// As [`AliasTable::new`], and `InvalidParameter` for a share outside [0, 1].
    pub fn new(error_probabilities: &[f64], errors: RunErrors) -> Result<Self> {
        errors.check_params()?;
        Ok(Self {
            error_distribution: AliasTable::new(error_probabilities)?,
            errors,
        })
    }

    /// Draws `(n_runs, n)` predictions from the random stream of `(seed, item)`. Row `i` does not depend on `n_runs`.
    ///
    /// # Errors
    /// `Empty` without labels or runs, `InvalidParameter` for 2³² labels or more.
    pub fn simulate(
        &self,
        labels: &[u32],
        n_runs: usize,
        seed: u64,
        item: u64,
    ) -> Result<Array2<u32>> {
        let n = labels.len();
        if labels.is_empty() {
            return Err(Error::empty(input::LABELS));
        }
        if n_runs == 0 {
            return Err(Error::empty(input::N_RUNS));
        }
        if u32::try_from(n).is_err() {
            return Err(Error::parameter(input::LABELS, n, "fewer than 2^32"));
        }
        let mut runs = vec![0; n_runs * n];
        let (mut stream, mut buffers) = (random_stream(seed, item), PredictionBuffers::default());
        self.simulate_into(labels, &mut stream, &mut buffers, &mut runs);
        Ok(Array2::from_shape_fn((n_runs, n), |(run, sample)| {
            runs[run * n + sample]
        }))
    }

    /// Fills `runs` with rows of predictions, one after the other. There must be fewer than 2³² labels.
    pub(crate) fn simulate_into(
        &self,
        labels: &[u32],
        stream: &mut RandomStream,
        buffers: &mut PredictionBuffers,
        runs: &mut [u32],
    ) {
        let n = labels.len();
        let m = share_of(self.errors.max_error_share, n);
        // The error set of the base prediction. With `ErrorSet::Fixed` it is the error set of every run, too.
        ascending(n, &mut buffers.samples);
        draw_to_front(&mut buffers.samples, m, stream);
        buffers.base_set.clear();
        buffers.base_set.extend_from_slice(&buffers.samples[..m]);
        let n_copied = match self.errors.copied {
            None => 0,
            Some(copied) => {
                self.draw_base(labels, stream, buffers);
                share_of(copied, m)
            }
        };
        for run in runs.chunks_exact_mut(n) {
            run.copy_from_slice(labels);
            self.simulate_run(run, (n_copied, m), stream, buffers);
        }
    }

    /// Draws the base prediction, from which runs copy.
    fn draw_base(
        &self,
        labels: &[u32],
        stream: &mut RandomStream,
        PredictionBuffers { base_set, base, .. }: &mut PredictionBuffers,
    ) {
        base.clear();
        base.extend_from_slice(labels);
        for &sample in base_set.iter() {
            base[sample as usize] = self.error_distribution.sample(stream);
        }
    }

    /// Overwrites the true labels in `run` on an error set of `m` samples: copies `n_copied` of them from the base
    /// prediction and draws the others.
    fn simulate_run(
        &self,
        run: &mut [u32],
        (n_copied, m): (usize, usize),
        stream: &mut RandomStream,
        buffers: &mut PredictionBuffers,
    ) {
        let PredictionBuffers {
            samples,
            base_set,
            base,
            others,
        } = buffers;
        // After this, `samples` is the error set of the run with the copied samples first.
        samples.clear();
        samples.extend_from_slice(base_set);
        if n_copied < m {
            draw_to_front(samples, n_copied, stream);
        }
        for &sample in &samples[..n_copied] {
            run[sample as usize] = base[sample as usize];
        }
        if self.errors.error_set == ErrorSet::Variable && n_copied < m {
            // The rest of a variable error set comes from all samples that are not copied, not only from the base's
            // set.
            samples.truncate(n_copied);
            all_but(run.len(), samples, others);
            draw_to_front(others, m - n_copied, stream);
            samples.extend_from_slice(&others[..m - n_copied]);
        }
        for &sample in &samples[n_copied..m] {
            run[sample as usize] = self.error_distribution.sample(stream);
        }
    }
}

/// `⌈share · n⌉`, at most `n` even if the product was rounded up.
fn share_of(share: f64, n: usize) -> usize {
    ((share * n as f64).ceil() as usize).min(n)
}

/// Fills `samples` with `0..n`, for `n` below 2³².
fn ascending(n: usize, samples: &mut Vec<u32>) {
    samples.clear();
    samples.extend(0..n as u32);
}

/// Fills `samples` with `0..n` except the excluded samples, in ascending order.
fn all_but(n: usize, excluded: &[u32], samples: &mut Vec<u32>) {
    if excluded.is_empty() {
        return ascending(n, samples);
    }
    let mut is_excluded = vec![false; n];
    for &sample in excluded {
        is_excluded[sample as usize] = true;
    }
    samples.clear();
    samples.extend((0..n as u32).filter(|&sample| !is_excluded[sample as usize]));
}

/// Draws `m` samples uniformly without replacement and moves them to the front (the first `m` steps of a Fisher–Yates
/// shuffle).
fn draw_to_front(samples: &mut [u32], m: usize, stream: &mut RandomStream) {
    let n = samples.len();
    if m >= n {
        return; // All samples are drawn, and nothing depends on their order.
    }
    for at in 0..m {
        let drawn = at + uniform_index(stream, n - at);
        samples.swap(at, drawn);
    }
}
