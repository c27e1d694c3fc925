//! Simulation study: every metric on simulated runs whose errors have a known distribution and dependence.

use std::ops::Range;

use xai_core::describe::Parameters;
use xai_core::random::{RandomStream, random_stream, uniform, uniform_index};
use xai_core::{Error, Result, parallel};

use crate::packed::builder::PackedRunsBuilder;
use crate::pair_metric::formulas::METRICS;
use crate::simulate::alias_table::AliasTable;
use crate::simulate::class_distribution::ClassDistribution;
use crate::simulate::labels::sample;
use crate::simulate::predictions::{ErrorSet, PredictionBuffers, PredictionSimulator, RunErrors};
use crate::study::mean_metrics::MeanMetrics;
use crate::{help, input};

/// Simulation study of reproducibility metrics.
///
/// Each draw chooses a random setting, simulates labels and runs, and evaluates every metric. The settings are:
///
/// | setting | distribution |
/// |---|---|
/// | number of classes | uniform on `2..=50` (see [`StudySettings::max_classes`]) |
/// | label and error distribution | each one of the six shapes of [`ClassDistribution`](crate::simulate::ClassDistribution) |
/// | order of the error distribution | reversed in half of the draws |
/// | maximum error share `s` | uniform on [0, 1) |
/// | errors | independent or dependent, with probability 1/2 each; copied share `r` uniform on [0, 1) |
/// | error set | fixed or variable, with probability 1/2 each |
///
/// A draw depends only on the seed and its index. Draws can therefore be computed in any order and on any number of
/// threads, and an interrupted study continues with the same draws.
///
/// ```
/// use xai_repro::SimulationStudy;
/// use xai_repro::study::{StudySettings, StudySummary};
/// let study = SimulationStudy::new(StudySettings::default().n_samples(200))?;
/// let draws = study.simulate(0..50)?;
/// assert_eq!(study.simulate(20..50)?, draws[20..]);
/// let summary = StudySummary::new(&draws)?;
/// // Accurate runs have few errors in common, so the plain share of common errors falls with accuracy.
/// assert!(summary.metric("ec_global").unwrap().spearman_with_accuracy.unwrap() < -0.5);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationStudy {
    settings: StudySettings,
}

/// Size and seed of a [`SimulationStudy`].
#[derive(Debug, Clone, PartialEq, Eq, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StudySettings {
    /// Seed of the draws.
    #[param(default = 1)]
    pub seed: u64,
    /// Number of samples per draw.
    #[param(at_least = 1, default = 1000)]
    pub n_samples: usize,
    /// Number of runs per draw.
    #[param(at_least = 2, default = 5)]
    pub n_runs: usize,
    /// Largest number of classes of a draw.
    #[param(at_least = 2, at_most = 4_294_967_295.0, default = 50)]
    pub max_classes: usize,
}

impl StudySettings {
    fn check(&self) -> Result<()> {
        self.check_params()?;
        let all = self.n_samples.saturating_mul(self.n_runs);
        if u32::try_from(all).is_err() {
            let expected = "fewer than 2^32 in all runs";
            return Err(Error::parameter(input::N_SAMPLES, all, expected));
        }
        Ok(())
    }
}

/// Number of consecutive draws that share their buffers on one thread.
const DRAWS_PER_BLOCK: usize = 16;

/// Buffers that are reused from draw to draw.
#[derive(Debug, Default)]
struct Buffers {
    labels: Vec<u32>,
    runs: Vec<u32>,
    predictions: PredictionBuffers,
}

impl SimulationStudy {
    /// Creates a study with these settings.
    ///
    /// # Errors
    /// `InvalidParameter` for no samples, fewer than two runs or classes, 2³² classes or more, or 2³² samples or more
    /// in all runs of a draw together.
    pub fn new(settings: StudySettings) -> Result<Self> {
        settings.check()?;
        Ok(Self { settings })
    }

    /// Settings of the study.
    #[must_use]
    pub fn settings(&self) -> &StudySettings {
        &self.settings
    }

    /// Computes the draw with this index.
    ///
    /// # Errors
    /// None in practice: the settings are checked, and the `Result` comes from the simulators and metrics.
    pub fn draw(&self, draw: u64) -> Result<StudyDraw> {
        self.draw_with(draw, &mut Buffers::default())
    }

    /// Computes the draws with these indices in parallel and returns them in order.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    pub fn simulate(&self, draws: Range<u64>) -> Result<Vec<StudyDraw>> {
        let n = usize::try_from(draws.end.saturating_sub(draws.start)).unwrap_or(usize::MAX);
        let blocks = parallel::map_blocks(n, DRAWS_PER_BLOCK, |block| {
            let mut buffers = Buffers::default();
            block
                .map(|i| self.draw_with(draws.start + i as u64, &mut buffers))
                .collect::<Result<Vec<_>>>()
        });
        let draws_by_block: Vec<Vec<StudyDraw>> = blocks.into_iter().collect::<Result<_>>()?;
        Ok(draws_by_block.into_iter().flatten().collect())
    }

    /// Checks that `draws` are the first draws of this study of `n_draws` draws, so that it can continue after them.
    ///
    /// Only the last draw is computed again for comparison, and its index must be the number of the draws before it.
    ///
    /// # Errors
    /// `Corrupt` for more than `n_draws` draws, for draws of a study with other settings, or if the last draw has
    /// another index.
    pub fn check_continues(&self, draws: &[StudyDraw], n_draws: u64) -> Result<()> {
        let Some(last) = draws.last() else {
            return Ok(());
        };
        let n_stored = draws.len() as u64;
        if n_stored > n_draws || last.draw != n_stored - 1 || self.draw(last.draw)? != *last {
            let why = "rows of a study with another number of draws, samples, runs or another seed";
            return Err(Error::corrupt(input::DRAWS, why).with_help(help::START_ANEW));
        }
        Ok(())
    }

    fn draw_with(&self, draw: u64, buffers: &mut Buffers) -> Result<StudyDraw> {
        let StudySettings {
            seed,
            n_samples,
            n_runs,
            max_classes,
        } = self.settings;
        let mut stream = random_stream(seed, draw);
        let setting = Setting::draw(max_classes, &mut stream);
        let c = setting.n_classes;
        let labels = setting.label_distribution.draw_from(c, &mut stream)?;
        let label_table = AliasTable::new(&labels)?;
        sample(&label_table, n_samples, &mut stream, &mut buffers.labels);
        let mut errors = setting.error_distribution.draw_from(c, &mut stream)?;
        if setting.error_reversed {
            errors.reverse();
        }
        let simulator = PredictionSimulator::new(&errors, setting.errors)?;
        buffers.runs.resize(n_runs * n_samples, 0);
        let Buffers {
            labels,
            runs,
            predictions,
        } = buffers;
        simulator.simulate_into(labels, &mut stream, predictions, runs);
        // Packs the rows where they are; `PackedRuns::new` would need them as an array.
        let mut builder = PackedRunsBuilder::new(METRICS, labels)?;
        builder.push_all(&runs.chunks_exact(n_samples).collect::<Vec<_>>())?;
        let means = MeanMetrics::from_packed(&builder.build()?)?;
        Ok(StudyDraw::new(draw, &setting, means))
    }
}

/// Random setting of one draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub(super) n_classes: usize,
    pub(super) label_distribution: ClassDistribution,
    pub(super) error_distribution: ClassDistribution,
    pub(super) error_reversed: bool,
    pub(super) errors: RunErrors,
}

impl Setting {
    /// Draws a setting with 2 to `max_classes` classes.
    pub(super) fn draw(max_classes: usize, stream: &mut RandomStream) -> Self {
        // The order of the random numbers must not change, otherwise stored studies are no longer reproducible. This is
        // why `copied` is also drawn if it is not used.
        let n_classes = 2 + uniform_index(stream, max_classes - 1);
        let mut distribution =
            || ClassDistribution::ALL[uniform_index(stream, ClassDistribution::ALL.len())];
        let (label_distribution, error_distribution) = (distribution(), distribution());
        let mut coin = || uniform_index(stream, 2) == 1;
        let (error_reversed, dependent, variable) = (coin(), coin(), coin());
        let max_error_share = uniform(stream);
        let copied = uniform(stream);
        Self {
            n_classes,
            label_distribution,
            error_distribution,
            error_reversed,
            errors: RunErrors {
                max_error_share,
                error_set: if variable {
                    ErrorSet::Variable
                } else {
                    ErrorSet::Fixed
                },
                copied: dependent.then_some(copied),
            },
        }
    }
}

/// One draw of the study: its setting, the mean of each pair metric over the pairs of runs, and the coefficients of
/// agreement of all runs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StudyDraw {
    /// Index of the draw, which together with the settings of the study determines the other fields.
    pub draw: u64,
    /// Number of classes.
    pub n_classes: usize,
    /// Shape of the distribution of the true labels.
    pub label_distribution: ClassDistribution,
    /// Shape of the distribution of the labels that runs draw on their error sets.
    pub error_distribution: ClassDistribution,
    /// True if the error distribution favours the classes that are rare among the true labels.
    pub error_reversed: bool,
    /// Samples on which runs may be wrong.
    pub error_set: ErrorSet,
    /// Largest share `s` of samples that a run predicts wrongly.
    pub max_error_share: f64,
    /// Share `r` of its error set that each run copies from a common base prediction; `None` for independent runs.
    pub copied: Option<f64>,
    /// Mean accuracy of the runs.
    pub accuracy: f64,
    /// Mean of each pair metric over the pairs, then the coefficients of all runs, in the order of
    /// [`MeanMetrics::names`]. `None` if a pair metric is undefined for all pairs, or a coefficient is undefined.
    pub metrics: Vec<Option<f64>>,
}

impl StudyDraw {
    pub(super) fn new(draw: u64, setting: &Setting, means: MeanMetrics) -> Self {
        Self {
            draw,
            n_classes: setting.n_classes,
            label_distribution: setting.label_distribution,
            error_distribution: setting.error_distribution,
            error_reversed: setting.error_reversed,
            error_set: setting.errors.error_set,
            max_error_share: setting.errors.max_error_share,
            copied: setting.errors.copied,
            accuracy: means.accuracy,
            metrics: means.metrics,
        }
    }
}

/// Checks that there is at least one draw and that each has a value for every metric.
///
/// # Errors
/// `Empty` without draws, `Corrupt` for a draw with another number of metrics.
pub(super) fn check_draws(draws: &[StudyDraw]) -> Result<()> {
    if draws.is_empty() {
        return Err(Error::empty(input::DRAWS));
    }
    let n_metrics = MeanMetrics::names().len();
    let other = draws
        .iter()
        .position(|draw| draw.metrics.len() != n_metrics);
    other.map_or(Ok(()), |at| {
        let why = format!("{} metrics, expected {n_metrics}", draws[at].metrics.len());
        Err(Error::corrupt(input::DRAWS, why).at(&[at]))
    })
}
