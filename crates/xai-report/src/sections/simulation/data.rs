//! The section of the simulation study.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_repro::study::{AccuracyProfile, MetricBehavior, StudySummary};
use xai_repro::{FAMILY, study};

use crate::origin::Origin;

/// Section about the simulation study: how do the reproducibility metrics behave where the truth is known?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Simulation {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Number of simulated studies.
    pub n_draws: u64,
    /// Behaviour of each metric.
    pub metrics: Vec<SimulatedMetric>,
}

/// Behaviour of one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SimulatedMetric {
    /// Name of the metric.
    pub metric: String,
    /// Title.
    pub title: String,
    /// Mean over the draws.
    pub mean: Option<f64>,
    /// Standard deviation over the draws.
    pub std: Option<f64>,
    /// Spearman's rank correlation with accuracy.
    pub spearman_with_accuracy: Option<f64>,
    /// Spearman's rank correlation with the number of classes.
    pub spearman_with_n_classes: Option<f64>,
    /// Share of the variance that is explained by the distribution of the labels.
    pub variance_by_label_distribution: Option<f64>,
    /// Share of the variance that is explained by the distribution of the errors.
    pub variance_by_error_distribution: Option<f64>,
    /// AUROC of dependent against independent errors: 0.5 = does not distinguish them.
    pub auroc_of_dependence: Option<f64>,
    /// Draws with independent errors, in groups of ascending accuracy.
    pub independent: Vec<ProfilePoint>,
    /// Draws with dependent errors, in groups of ascending accuracy.
    pub dependent: Vec<ProfilePoint>,
}

/// Draws of similar accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ProfilePoint {
    /// Mean accuracy of the draws.
    pub accuracy: f64,
    /// Mean of the metric.
    pub mean: f64,
    /// 10 % quantile of the metric.
    pub low: f64,
    /// 90 % quantile of the metric.
    pub high: f64,
    /// Number of draws for which the metric is defined.
    pub n_defined: usize,
}

impl Simulation {
    /// Creates the section from the summary of a study and the profiles over accuracy, with the metrics in the same
    /// order.
    ///
    /// ```
    /// use xai_repro::SimulationStudy;
    /// use xai_repro::study::{AccuracyProfile, StudySettings, StudySummary};
    /// use xai_report::sections::simulation::Simulation;
    /// use xai_report::Origin;
    ///
    /// let settings = StudySettings::default().n_samples(50);
    /// let draws = SimulationStudy::new(settings)?.simulate(0..40)?;
    /// let (summary, profiles) = (StudySummary::new(&draws)?, AccuracyProfile::per_metric(&draws, 10)?);
    /// let origin = Origin::new(&Simulation::KIND, 1, "Forty draws");
    /// assert_eq!(Simulation::new(origin, &summary, &profiles).n_draws, 40);
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    #[must_use]
    pub fn new(origin: Origin, summary: &StudySummary, profiles: &[AccuracyProfile]) -> Self {
        let metrics = summary.metrics.iter().zip(profiles);
        Self {
            origin,
            n_draws: summary.n_draws as u64,
            metrics: metrics
                .map(|(behavior, profile)| SimulatedMetric::new(behavior, profile))
                .collect(),
        }
    }
}

impl SimulatedMetric {
    fn new(behavior: &MetricBehavior, profile: &AccuracyProfile) -> Self {
        let name = behavior.metric.as_str();
        let info = FAMILY.infos().find(|info| info.name == name);
        Self {
            metric: name.to_owned(),
            title: info.map_or(name, |info| info.title).to_owned(),
            mean: behavior.values.mean,
            std: behavior.values.std,
            spearman_with_accuracy: behavior.spearman_with_accuracy,
            spearman_with_n_classes: behavior.spearman_with_n_classes,
            variance_by_label_distribution: behavior.variance_by_label_distribution,
            variance_by_error_distribution: behavior.variance_by_error_distribution,
            auroc_of_dependence: behavior.auroc_of_dependence,
            independent: profile.independent.iter().map(ProfilePoint::new).collect(),
            dependent: profile.dependent.iter().map(ProfilePoint::new).collect(),
        }
    }
}

impl ProfilePoint {
    fn new(point: &study::ProfilePoint) -> Self {
        Self {
            accuracy: point.accuracy,
            mean: point.mean,
            low: point.low,
            high: point.high,
            n_defined: point.n_defined,
        }
    }
}
