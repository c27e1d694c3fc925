//! The simulation study: how the metrics behave where the truth is known.

use std::ops::Range;

use xai_core::describe::Parameters;
use xai_core::random::{Xoshiro256PlusPlus, random_stream, uniform, uniform_index};
use xai_core::{Error, Result, parallel};

use crate::packed::PackedRunsBuilder;
use crate::pair_metric::formulas::METRICS;
use crate::simulate::alias_table::AliasTable;
use crate::simulate::class_distribution::ClassDistribution;
use crate::simulate::labels::sample;
use crate::simulate::predictions::{ErrorSet, PredictionBuffers, PredictionSimulator, RunErrors};
use crate::study::mean_metrics::MeanMetrics;
use crate::{help, input};

/// The simulation study of reproducibility metrics.
///
/// Each draw takes a setting at random, simulates labels and runs, and takes every metric:
///
/// | | law |
/// |---|---|
/// | classes | uniform on `2..=50` |
/// | distribution of labels, and of errors | each one of the six [`ClassDistribution`](crate::ClassDistribution)s; that of errors reversed in half of the draws |
/// | maximum error share `s` | uniform on [0, 1) |
/// | errors | independent or dependent, one half each; copied share `r` uniform on [0, 1) |
/// | error set | fixed or variable, one half each |
///
/// A draw depends on the seed and its number alone: draws can be made in any order, on any number of
/// threads, and an interrupted study goes on where it stopped with the same draws.
///
/// ```
/// use xai_repro::SimulationStudy;
/// use xai_repro::study::{StudySettings, StudySummary};
/// let study = SimulationStudy::new(StudySettings { n_samples: 200, ..Default::default() })?;
/// let draws = study.simulate(0..50)?;
/// assert_eq!(study.simulate(20..50)?, draws[20..]);
/// let summary = StudySummary::new(&draws)?;
/// // More accurate runs share fewer errors: plain counts follow accuracy, which is what the study shows.
/// assert!(summary.metric("ec_global").unwrap().spearman_with_accuracy.unwrap() < -0.5);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationStudy {
    settings: StudySettings,
}

/// The size of a [`SimulationStudy`], and its seed.
#[derive(Debug, Clone, PartialEq, Eq, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StudySettings {
    /// What the draws depend on.
    #[param(default = 1)]
    pub seed: u64,
    /// Samples per draw.
    #[param(at_least = 1, default = 1000)]
    pub n_samples: usize,
    /// Runs per draw.
    #[param(at_least = 2, default = 5)]
    pub n_runs: usize,
    /// The largest number of classes of a draw.
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

/// Draws that share their buffers.
const DRAWS_PER_BLOCK: usize = 16;

/// Buffers that are used again from draw to draw.
#[derive(Debug, Default)]
struct Buffers {
    labels: Vec<u32>,
    runs: Vec<u32>,
    predictions: PredictionBuffers,
}

impl SimulationStudy {
    /// The study of a size.
    ///
    /// # Errors
    /// `InvalidParameter` without samples, below two runs or classes, for 2³² classes, or samples in all runs
    /// of a draw, and more.
    pub fn new(settings: StudySettings) -> Result<Self> {
        settings.check()?;
        Ok(Self { settings })
    }

    /// Its size and seed.
    #[must_use]
    pub fn settings(&self) -> &StudySettings {
        &self.settings
    }

    /// One draw.
    ///
    /// # Errors
    /// None; the type is that of the simulators and metrics that it calls.
    pub fn draw(&self, draw: u64) -> Result<StudyDraw> {
        self.draw_with(draw, &mut Buffers::default())
    }

    /// Draws in parallel, in order.
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
        let blocks: Vec<Vec<StudyDraw>> = blocks.into_iter().collect::<Result<_>>()?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// Checks that draws are the first of this study's, at most `n_draws` of them: that it can go on
    /// after them. Only the last is drawn again.
    ///
    /// # Errors
    /// `Corrupt` for draws of a study with another size or seed.
    pub fn check_continues(&self, draws: &[StudyDraw], n_draws: u64) -> Result<()> {
        let Some(last) = draws.last() else {
            return Ok(());
        };
        if draws.len() as u64 > n_draws || self.draw(last.draw)? != *last {
            let why = "rows of another study: other draws, samples, runs or seed";
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
        let label_law = AliasTable::new(&labels)?;
        sample(&label_law, n_samples, &mut stream, &mut buffers.labels);
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
        let mut packing = PackedRunsBuilder::new(METRICS, labels)?;
        packing.push_all(&runs.chunks_exact(n_samples).collect::<Vec<_>>())?;
        let means = MeanMetrics::from_packed(&packing.build()?)?;
        Ok(StudyDraw::new(draw, &setting, means))
    }
}

/// The setting of one draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub(super) n_classes: usize,
    pub(super) label_distribution: ClassDistribution,
    pub(super) error_distribution: ClassDistribution,
    pub(super) error_reversed: bool,
    pub(super) errors: RunErrors,
}

impl Setting {
    /// Draws a setting of at most so many classes, at least two.
    pub(super) fn draw(max_classes: usize, stream: &mut Xoshiro256PlusPlus) -> Self {
        // What is drawn, and in which order, is what draws are reproducible by.
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
                error_set: match variable {
                    true => ErrorSet::Variable,
                    false => ErrorSet::Fixed,
                },
                copied: dependent.then_some(copied),
            },
        }
    }
}

/// One draw of the study: the setting, and each metric's mean over the pairs of runs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StudyDraw {
    /// The number of the draw; with the seed it determines the rest.
    pub draw: u64,
    /// The number of classes.
    pub n_classes: usize,
    /// The law of the true labels.
    pub label_distribution: ClassDistribution,
    /// The law of the labels that runs draw where they may err.
    pub error_distribution: ClassDistribution,
    /// Whether the error law favours the classes that are rare among the true labels.
    pub error_reversed: bool,
    /// Where runs may err.
    pub error_set: ErrorSet,
    /// The largest share of samples that a run gets wrong, `s`.
    pub max_error_share: f64,
    /// The share of errors that runs copy from a common base, `r`; `None` where runs are independent.
    pub copied: Option<f64>,
    /// The mean accuracy of the runs.
    pub accuracy: f64,
    /// The mean of each metric over the pairs, in the order of [`MeanMetrics::names`]; `None` where no
    /// pair defines it.
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

/// Checks that there are draws, of all metrics each.
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
