//! One draw of the study.

use xai_core::{Error, Result};

use crate::input;
use crate::simulate::class_distribution::ClassDistribution;
use crate::simulate::predictions::ErrorSet;
use crate::study::mean_metrics::MeanMetrics;
use crate::study::setting::Setting;

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
/// [`Empty`](xai_core::ErrorKind::Empty) without draws, [`Corrupt`](xai_core::ErrorKind::Corrupt) for a
/// draw with another number of metrics.
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
