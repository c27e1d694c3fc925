//! The section of a table of predictions and its training cases.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_casebased::result::{AuditDistribution, AuditGroup, GroupDistribution};
use xai_casebased::{AuditReport, result};
use xai_core::describe::{MetricInfo, Scores};

use crate::estimate::{Estimate, Histogram};
use crate::origin::Origin;

/// Section about case-based explanations: do predictions agree with their nearest training cases?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Casebased {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Number of training cases.
    pub n_train: usize,
    /// Number of predictions.
    pub n_test: usize,
    /// Number of nearest cases per prediction.
    pub k: usize,
    /// The mean correspondence of all predictions, in [0, 1], higher is better.
    pub mean_correspondence: Estimate,
    /// The correct predictions; `None` if no true class is known.
    pub right: Option<Group>,
    /// The wrong predictions; `None` if no true class is known.
    pub wrong: Option<Group>,
    /// Share of correct predictions; `None` if no true class is known.
    pub accuracy: Option<Estimate>,
    /// Probability that a correct prediction has a higher correspondence than a wrong one, counting ties as
    /// one half: 0.5 = correspondence does not separate them. `None` if one of the two groups is empty.
    pub auroc_of_right: Option<Estimate>,
    /// Results by predicted class.
    pub by_class: Vec<PredictedClass>,
    /// Numbers of predictions by the level of their correspondence.
    pub levels: Vec<Level>,
    /// Accuracy by correspondence, in ten bins; empty if no true class is known.
    pub reliability: Vec<ReliabilityBin>,
    /// Mean absolute difference between accuracy and mean correspondence over these bins, weighted by their
    /// numbers of predictions: 0 = calibrated.
    pub expected_calibration_error: Option<f64>,
    /// The predictions with the lowest correspondence, lowest first, with their nearest cases.
    pub least_supported: Vec<LeastSupported>,
    /// Columns that are used as features.
    pub columns_used: Vec<String>,
    /// Columns that were left out, each with the reason.
    pub columns_left_out: Vec<String>,
    /// Names of the classes by label, if they have names.
    pub class_names: BTreeMap<i64, String>,
}

/// The correct or the wrong predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Group {
    /// Number of predictions.
    pub n: u64,
    /// Mean correspondence of the predictions.
    pub mean_correspondence: Estimate,
    /// Histogram of their correspondence with twenty bins over [0, 1].
    pub histogram: Histogram,
}

/// Predictions of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PredictedClass {
    /// The class.
    pub class: String,
    /// Number of predictions.
    pub n: u64,
    /// Mean correspondence of the predictions.
    pub mean_correspondence: Option<f64>,
    /// Share of correct predictions.
    pub accuracy: Option<f64>,
}

/// Number of predictions with a level of correspondence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Level {
    /// `high`, `medium`, `low` or `undefined`.
    pub level: String,
    /// Number of predictions.
    pub n: u64,
}

/// Predictions of similar correspondence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ReliabilityBin {
    /// Lower end of the bin.
    pub from: f64,
    /// Upper end of the bin.
    pub to: f64,
    /// Mean correspondence of the predictions.
    pub mean_correspondence: Option<f64>,
    /// Share of correct predictions, with Wilson's interval.
    pub accuracy: Estimate,
}

/// A prediction with little support.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct LeastSupported {
    /// Row of the prediction in the test file, from 0.
    pub sample: usize,
    /// The predicted class; `None` if it is the vote of the nearest cases and all of them have weight 0.
    pub predicted: Option<String>,
    /// The true class, if it is known.
    #[serde(rename = "true")]
    pub truth: Option<String>,
    /// Correspondence; `None` if undefined.
    pub correspondence: Option<f64>,
    /// Level of the correspondence: `high`, `medium`, `low` or `undefined`.
    pub level: String,
    /// The nearest training cases, nearest first.
    #[serde(rename = "neighbors")]
    pub cases: Vec<NearestCase>,
    /// Features of the prediction and of its nearest cases, in the units of the data, without redacted
    /// features. The feature with the largest [`FeatureComparison::difference`] comes first.
    pub features: Vec<FeatureComparison>,
}

/// A training case near a prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NearestCase {
    /// Row of the case in the training file, from 0.
    pub index: usize,
    /// Distance to the prediction.
    pub distance: f64,
    /// Class of the case.
    pub label: String,
}

/// One feature of a prediction and of its nearest cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FeatureComparison {
    /// Name of the feature.
    pub feature: String,
    /// Value of the prediction.
    pub value: f64,
    /// The values of the nearest cases, nearest first.
    #[serde(rename = "neighbors")]
    pub cases: Vec<f64>,
    /// Value minus the mean of the nearest cases, in standard deviations of the training rows; `None` if all
    /// training rows have the same value.
    pub difference: Option<f64>,
    /// True if the difference is more than one standard deviation.
    pub differs: bool,
}

/// Data of an audit in addition to its numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditedData {
    /// Number of training cases.
    pub n_train: usize,
    /// Number of nearest cases per prediction.
    pub k: usize,
    /// The least supported predictions beside their nearest cases, by sample.
    pub features: BTreeMap<usize, Vec<result::FeatureComparison>>,
    /// Names of the classes by label, if they have names.
    pub class_names: BTreeMap<i64, String>,
    /// Columns that are used as features.
    pub columns_used: Vec<String>,
    /// Columns that were left out, each with the reason.
    pub columns_left_out: Vec<String>,
}

impl AuditedData {
    /// The name of a class, or its label if it has no name.
    fn class(&self, label: i64) -> String {
        let name = self.class_names.get(&label);
        name.map_or_else(|| label.to_string(), String::clone)
    }
}

impl Casebased {
    /// Creates the section from an audit.
    ///
    /// The section lists the least supported predictions and the levels for an audit
    /// [with cases](xai_casebased::Audit::with_cases). It has accuracy, AUROC, intervals, reliability bins, and groups
    /// of right and wrong predictions for an audit [with a distribution](xai_casebased::Audit::with_distribution).
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{Accumulator, Audit, CaseExplainer};
    /// use xai_report::sections::casebased::{AuditedData, Casebased};
    /// use xai_report::Origin;
    ///
    /// let train = array![[0.0], [1.0], [10.0], [11.0]];
    /// let explainer = CaseExplainer::builder().k(2).fit(train.view(), &[0, 0, 1, 1])?;
    /// let test = array![[0.5], [9.0]];
    /// let explanations = explainer.explain_batch(test.view(), &[0, 0])?;
    /// let explanations = explainer.with_truth(explanations, &[0, 1])?;
    /// let mut audit = Audit::listing(1).with_cases().with_distribution();
    /// audit.update(&explanations)?;
    ///
    /// let data = AuditedData { n_train: 4, k: 2, ..AuditedData::default() };
    /// let origin = Origin::new(&Casebased::KIND, 1, "Points on a line");
    /// let section = Casebased::new(origin, &audit.finish()?, data);
    /// assert_eq!(section.mean_correspondence.value, Some(0.5));
    /// assert_eq!(section.wrong.unwrap().n, 1);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    #[must_use]
    pub fn new(origin: Origin, report: &AuditReport, data: AuditedData) -> Self {
        // Audits for a report have a distribution.
        let found = report.distribution.as_ref();
        let n_judged = (report.right.n + report.wrong.n) as u64;
        let judged = found.filter(|_| n_judged > 0);
        let n_defined = (report.n_samples - report.n_undefined) as u64;
        let interval = found.and_then(|of| of.interval);
        let mean = Estimate::new(report.mean_correspondence, interval, n_defined);
        let auroc = |of: &AuditDistribution| {
            let n = of.right.counts.iter().chain(&of.wrong.counts).sum();
            let auroc = Estimate::new(of.auroc_of_right, of.auroc_of_right_interval, n);
            of.auroc_of_right
                .map(|_| auroc.with_undefined(n_judged - n))
        };
        let accuracy = |of: &AuditDistribution| {
            let accuracy = Estimate::new(of.accuracy, of.accuracy_interval, n_judged);
            of.accuracy.map(|_| accuracy)
        };
        Self {
            origin,
            n_train: data.n_train,
            n_test: report.n_samples,
            k: data.k,
            mean_correspondence: mean.with_undefined(report.n_undefined as u64),
            right: judged.map(|of| Group::new(&report.right, &of.right)),
            wrong: judged.map(|of| Group::new(&report.wrong, &of.wrong)),
            accuracy: found.and_then(accuracy),
            auroc_of_right: found.and_then(auroc),
            by_class: by_class(report, &data),
            levels: levels(report),
            reliability: judged.map_or_else(Vec::new, |of| reliability(report, of)),
            expected_calibration_error: report.expected_calibration_error,
            least_supported: least_supported(report, &data),
            columns_used: data.columns_used,
            columns_left_out: data.columns_left_out,
            class_names: data.class_names,
        }
    }
}

impl Group {
    fn new(group: &AuditGroup, distribution: &GroupDistribution) -> Self {
        let n_defined: u64 = distribution.counts.iter().sum();
        let mean = Estimate::new(group.mean_correspondence, distribution.interval, n_defined);
        Self {
            n: group.n as u64,
            mean_correspondence: mean.with_undefined(group.n as u64 - n_defined),
            histogram: Histogram {
                from: 0.0,
                to: 1.0,
                counts: distribution.counts.clone(),
            },
        }
    }
}

impl Casebased {
    /// The scores of the audit; `None` for one that is not known, or undefined.
    pub fn scores(&self) -> impl Iterator<Item = (&'static MetricInfo, Option<Estimate>)> {
        let infos = AuditReport::infos().chain(AuditDistribution::infos());
        infos.map(|info| (info, self.score(info.name)))
    }

    /// Right and wrong predictions, as far as they are known.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&'static str, &Group)> {
        let groups = [("right", &self.right), ("wrong", &self.wrong)];
        let known = groups.into_iter();
        known.filter_map(|(name, group)| Some((name, group.as_ref()?)))
    }

    fn score(&self, name: &str) -> Option<Estimate> {
        match name {
            "mean_correspondence" => Some(self.mean_correspondence),
            "expected_calibration_error" => self
                .expected_calibration_error
                .map(Some)
                .map(Estimate::from),
            "accuracy" => self.accuracy,
            "auroc_of_right" => self.auroc_of_right,
            _ => None,
        }
    }
}

fn reliability(report: &AuditReport, distribution: &AuditDistribution) -> Vec<ReliabilityBin> {
    let bins = report
        .reliability
        .iter()
        .zip(&distribution.reliability_intervals);
    bins.map(|(bin, interval)| ReliabilityBin {
        from: bin.from,
        to: bin.to,
        mean_correspondence: bin.mean_correspondence,
        accuracy: Estimate::new(bin.accuracy, *interval, bin.n as u64),
    })
    .collect()
}

fn by_class(report: &AuditReport, data: &AuditedData) -> Vec<PredictedClass> {
    let classes = report.by_class.iter();
    classes
        .map(|(label, class)| PredictedClass {
            class: data.class(*label),
            n: class.n as u64,
            mean_correspondence: class.mean_correspondence,
            accuracy: class.accuracy,
        })
        .collect()
}

fn levels(report: &AuditReport) -> Vec<Level> {
    let levels = report.cases.iter().flat_map(|cases| &cases.levels);
    levels
        .map(|level| Level {
            level: level.level.to_string(),
            n: level.n as u64,
        })
        .collect()
}

fn least_supported(report: &AuditReport, data: &AuditedData) -> Vec<LeastSupported> {
    let cases = report.cases.iter();
    let least = cases.flat_map(|cases| &cases.least_supported);
    let class = |label: Option<i64>| label.map(|label| data.class(label));
    let least = least.map(|of| LeastSupported {
        sample: of.sample,
        predicted: class(of.predicted),
        truth: class(of.truth),
        correspondence: of.correspondence,
        level: of.level.to_string(),
        cases: (of.cases.iter())
            .map(|case| NearestCase {
                index: case.index,
                distance: case.distance,
                label: data.class(case.label),
            })
            .collect(),
        features: (data.features.get(&of.sample).into_iter().flatten())
            .map(|of| FeatureComparison {
                feature: of.feature.clone(),
                value: of.value,
                cases: of.cases.clone(),
                difference: of.difference,
                differs: of.difference.is_some_and(|of| of.abs() > 1.0),
            })
            .collect(),
    });
    least.collect()
}
