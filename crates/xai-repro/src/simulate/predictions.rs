//! Predictions of runs whose errors are drawn from a given distribution.

use ndarray::Array2;
use xai_core::describe::{Parameter, Parameters};
use xai_core::random::{Xoshiro256PlusPlus, random_stream, uniform_index};
use xai_core::{Error, Result};

use crate::input;
use crate::named::shown_by_word;
use crate::simulate::alias_table::AliasTable;

/// Where runs may err.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum ErrorSet {
    /// On the same samples in every run.
    #[default]
    Fixed,
    /// On other samples in each run, equally many.
    Variable,
}

shown_by_word!(ErrorSet);

/// How much simulated runs err, where, and what they share.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct RunErrors {
    /// The largest share of samples that a run gets wrong.
    #[param(at_least = 0, at_most = 1)]
    pub max_error_share: f64,
    /// Where runs may err.
    pub error_set: ErrorSet,
    /// The share of the samples where it may err on which each run copies one base prediction.
    ///
    /// `r` in [0, 1]: 1 = all runs are the base prediction; 0 = independent.
    #[param(
        none = "independent",
        none_doc = "Each run draws its own labels.",
        at_least = 0,
        at_most = 1
    )]
    pub copied: Option<f64>,
}

impl Default for RunErrors {
    /// Independent errors on the same samples in every run, at most a fifth of all samples.
    fn default() -> Self {
        Self {
            max_error_share: 0.2,
            error_set: ErrorSet::Fixed,
            copied: None,
        }
    }
}

/// Draws the predictions of `k` runs for given true labels `y`.
///
/// With `n` samples and a maximum error share `s`, let `m = ⌈s n⌉`. A run has an *error set* of `m`
/// samples, drawn uniformly without replacement; outside its set it predicts `y`, on its set what it draws
/// from the error distribution (which may be right, so at least `n − m` samples are right in any run).
///
/// - [`ErrorSet::Fixed`]: all runs have one set. [`ErrorSet::Variable`]: each has its own.
/// - Nothing is [copied](RunErrors::copied): each run draws its own labels.
/// - A share `r` is copied: a base prediction is drawn first, like a run, with a set of its own.
///   Each run copies it on `⌈r m⌉` samples of that set, drawn uniformly for the run; on the rest of its
///   own set (fixed: of that set; variable: `m − ⌈r m⌉` other samples) it draws its own labels. So
///   `r = 1` makes all runs equal, and `r = 0` makes them independent.
///
/// ```
/// use xai_repro::simulate::{ErrorSet, PredictionSimulator, RunErrors};
/// let errors = RunErrors { max_error_share: 0.1, error_set: ErrorSet::Variable, copied: Some(1.0) };
/// let simulator = PredictionSimulator::new(&[0.5, 0.5], errors)?;
/// let runs = simulator.simulate(&[0; 100], 3, 1, 0)?; // draw 0 under seed 1
/// assert_eq!(runs.row(0), runs.row(2));
/// assert!(runs.row(0).iter().filter(|&&label| label != 0).count() <= 10);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionSimulator {
    error_law: AliasTable,
    errors: RunErrors,
}

/// Buffers that are used again from draw to draw.
#[derive(Debug, Default)]
pub(crate) struct PredictionBuffers {
    /// A permutation of the samples; what is drawn without replacement is moved to its front.
    samples: Vec<u32>,
    base_set: Vec<u32>,
    base: Vec<u32>,
    /// The samples that are not copied.
    others: Vec<u32>,
}

impl PredictionSimulator {
    /// Runs that draw class `i` with probability `error_probabilities[i]` where they err.
    ///
    /// # Errors
    /// As [`AliasTable::new`]; `InvalidParameter` for a share outside [0, 1].
    pub fn new(error_probabilities: &[f64], errors: RunErrors) -> Result<Self> {
        errors.check_params()?;
        Ok(Self {
            error_law: AliasTable::new(error_probabilities)?,
            errors,
        })
    }

    /// The `(n_runs, n)` predictions of a draw: those of the stream of `(seed, item)`. The first rows do not depend on
    /// `n_runs`.
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

    /// Fills `runs`, rows of predictions one after the other, for fewer than 2³² labels.
    pub(crate) fn simulate_into(
        &self,
        labels: &[u32],
        stream: &mut Xoshiro256PlusPlus,
        buffers: &mut PredictionBuffers,
        runs: &mut [u32],
    ) {
        let n = labels.len();
        let m = share_of(self.errors.max_error_share, n);
        // The error set of the base prediction; with `ErrorSet::Fixed` it is that of every run, too.
        ascending(n, &mut buffers.samples);
        draw_to_front(&mut buffers.samples, m, stream);
        buffers.base_set.clear();
        buffers.base_set.extend_from_slice(&buffers.samples[..m]);
        let n_copied = match self.errors.copied {
            None => 0,
            Some(copied) => {
                self.predict_base(labels, stream, buffers);
                share_of(copied, m)
            }
        };
        for run in runs.chunks_exact_mut(n) {
            run.copy_from_slice(labels);
            self.simulate_run(run, (n_copied, m), stream, buffers);
        }
    }

    /// Draws the base prediction, which runs copy from.
    fn predict_base(
        &self,
        labels: &[u32],
        stream: &mut Xoshiro256PlusPlus,
        PredictionBuffers { base_set, base, .. }: &mut PredictionBuffers,
    ) {
        base.clear();
        base.extend_from_slice(labels);
        for &sample in base_set.iter() {
            base[sample as usize] = self.error_law.sample(stream);
        }
    }

    /// Overwrites the true labels in `run` on an error set of `m` samples: `n_copied` are copied from the base
    /// prediction, the others drawn.
    fn simulate_run(
        &self,
        run: &mut [u32],
        (n_copied, m): (usize, usize),
        stream: &mut Xoshiro256PlusPlus,
        buffers: &mut PredictionBuffers,
    ) {
        let PredictionBuffers {
            samples,
            base_set,
            base,
            others,
        } = buffers;
        // Copied samples come first, drawn from the base's set.
        samples.clear();
        samples.extend_from_slice(base_set);
        if n_copied < m {
            draw_to_front(samples, n_copied, stream);
        }
        for &sample in &samples[..n_copied] {
            run[sample as usize] = base[sample as usize];
        }
        if self.errors.error_set == ErrorSet::Variable && n_copied < m {
            // The rest of the set from all samples that are not copied.
            samples.truncate(n_copied);
            all_but(run.len(), samples, others);
            draw_to_front(others, m - n_copied, stream);
            samples.extend_from_slice(&others[..m - n_copied]);
        }
        for &sample in &samples[n_copied..m] {
            run[sample as usize] = self.error_law.sample(stream);
        }
    }
}

/// `⌈share n⌉`, at most `n`.
fn share_of(share: f64, n: usize) -> usize {
    ((share * n as f64).ceil() as usize).min(n)
}

/// Fills `samples` with `0..n`, below 2³².
fn ascending(n: usize, samples: &mut Vec<u32>) {
    samples.clear();
    samples.extend(0..n as u32);
}

/// Fills `samples` with those of `0..n` that are not excluded, ascending.
fn all_but(n: usize, excluded: &[u32], samples: &mut Vec<u32>) {
    if excluded.is_empty() {
        return ascending(n, samples);
    }
    let mut is_excluded = vec![false; n];
    for &sample in excluded {
        is_excluded[sample as usize] = true;
    }
    let others = (0..n as u32).zip(is_excluded);
    samples.clear();
    samples.extend(
        others
            .filter(|(_, excluded)| !excluded)
            .map(|(sample, _)| sample),
    );
}

/// Moves `m` uniformly drawn samples to the front (the first `m` steps of a Fisher–Yates shuffle).
fn draw_to_front(samples: &mut [u32], m: usize, stream: &mut Xoshiro256PlusPlus) {
    let n = samples.len();
    if m >= n {
        return; // all are drawn, and nothing depends on their order
    }
    for at in 0..m {
        let drawn = at + uniform_index(stream, n - at);
        samples.swap(at, drawn);
    }
}
