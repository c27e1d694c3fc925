//! `xai casebased`

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ndarray::{Array2, Axis};
use serde::Serialize;
use xai_metrics::casebased::{
    CaseExplainer, ClassWeights, Correspondence, CorrespondenceMetric, Explanation, Kernel, Level,
    Metric, Thresholds,
};
use xai_metrics::{Accumulator, core::ExactMean};

use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;
use crate::table::Table;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Correspondence of one prediction with neighbours given as a table.
    Correspondence(CorrespondenceOfTable),
    /// The nearest training cases of every test row, and how far they agree with its prediction.
    Explain(Explain),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Correspondence(command) => command.run(context),
        Command::Explain(command) => command.run(context),
    }
}

/// How neighbours are weighted.
#[derive(Debug, Args)]
struct Weights {
    /// inverse-cube, uniform, inverse-power:P, gaussian:H or exponential:H.
    #[arg(long, value_name = "KERNEL", default_value = "inverse-cube")]
    weighting: Kernel,
    /// What a class counts; one without a weight counts 1. May be repeated.
    #[arg(long = "class-weight", value_name = "L=W", value_parser = class_weight)]
    class_weights: Vec<(i64, f64)>,
    /// Correspondence from which the level is high.
    #[arg(long, value_name = "SHARE", default_value_t = 0.85)]
    high: f64,
    /// Correspondence from which the level is medium.
    #[arg(long, value_name = "SHARE", default_value_t = 0.70)]
    medium: f64,
}

fn class_weight(text: &str) -> Result<(i64, f64), String> {
    let parse = || {
        let (label, weight) = text.split_once('=')?;
        Some((label.trim().parse().ok()?, weight.trim().parse().ok()?))
    };
    parse().ok_or_else(|| "expected LABEL=WEIGHT, for instance 1=2.5".to_owned())
}

impl Weights {
    /// Parameters outside their domain are wrong usage.
    fn thresholds(&self) -> Result<Thresholds, Failure> {
        Thresholds::new(self.high, self.medium).map_err(Failure::usage)
    }

    fn class_weights(&self) -> Result<ClassWeights, Failure> {
        ClassWeights::new(self.class_weights.iter().copied()).map_err(Failure::usage)
    }
}

/// `xai casebased correspondence`
#[derive(Debug, Args)]
pub(crate) struct CorrespondenceOfTable {
    /// The neighbours: a table with the columns `distance` and `label`.
    #[arg(long, value_name = "N.csv")]
    neighbors: String,
    /// The predicted class.
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    predicted: i64,
    #[command(flatten)]
    weights: Weights,
}

#[derive(Serialize)]
struct CorrespondenceResult {
    correspondence: Option<f64>,
    level: Level,
    n_neighbors: usize,
    class_weights_sum: BTreeMap<i64, f64>,
}

impl From<Correspondence> for CorrespondenceResult {
    fn from(c: Correspondence) -> Self {
        Self {
            correspondence: c.score,
            level: c.level,
            n_neighbors: c.n_neighbors,
            class_weights_sum: c.class_weights_sum,
        }
    }
}

impl CorrespondenceOfTable {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let metric = CorrespondenceMetric::default()
            .weighting(self.weights.weighting)
            .map_err(Failure::usage)?
            .class_weights(self.weights.class_weights()?)
            .thresholds(self.weights.thresholds()?);
        let table = Table::read(&self.neighbors)?;
        let distances = table.numbers("distance")?.to_vec();
        let labels = table.labels("label")?;
        let result: CorrespondenceResult = metric
            .evaluate(&distances, &labels, self.predicted)
            .in_file(&self.neighbors)?
            .into();
        context.present(&result, || {
            let mut rows = vec![
                [
                    "correspondence".to_owned(),
                    output::decimals(result.correspondence),
                ],
                ["level".to_owned(), result.level.to_string()],
                ["neighbours".to_owned(), result.n_neighbors.to_string()],
            ];
            for (label, weight) in &result.class_weights_sum {
                rows.push([format!("weight of class {label}"), format!("{weight:.4}")]);
            }
            output::table(&["", "value"], rows)
        })
    }
}

/// `--index`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Index {
    /// The fastest exact search.
    Auto,
    /// A scan over all training rows.
    Brute,
}

/// `xai casebased explain`
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The training cases: numeric features and a label column.
    #[arg(long, value_name = "T.csv")]
    train: String,
    /// The cases to explain, with the same features by name.
    #[arg(long, value_name = "Q.csv")]
    test: String,
    /// The column of the true class.
    #[arg(long, value_name = "COLUMN")]
    label: String,
    /// The column of the predicted class in the test file; without it the neighbours vote.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    /// Neighbours a case.
    #[arg(short, long, default_value_t = 5)]
    k: usize,
    /// euclidean, squared-euclidean, manhattan, chebyshev, minkowski:P, cosine, canberra,
    /// braycurtis or hamming.
    #[arg(long, value_name = "METRIC", default_value = "euclidean")]
    metric: Metric,
    /// Take the features as they are, instead of in units of their spread.
    #[arg(long)]
    no_scale: bool,
    /// How neighbours are searched; the answer is the same.
    #[arg(long, value_enum, default_value_t = Index::Auto)]
    index: Index,
    #[command(flatten)]
    weights: Weights,
    /// A column whose values must not leave the program. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    redact: Vec<String>,
    /// Explain only the first N test rows.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Write a row a neighbour: sample, predicted, true, correspondence, level, rank, index,
    /// distance, label, and the features of the neighbour.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// One explained case, as in the JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ExplanationResult {
    pub(crate) sample: usize,
    pub(crate) predicted: i64,
    #[serde(rename = "true")]
    pub(crate) truth: Option<i64>,
    pub(crate) correspondence: Option<f64>,
    pub(crate) level: Level,
    pub(crate) neighbors: Vec<NeighborResult>,
}

/// One neighbour, as in the JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NeighborResult {
    pub(crate) index: usize,
    pub(crate) distance: f64,
    pub(crate) label: i64,
}

impl From<&Explanation> for ExplanationResult {
    fn from(e: &Explanation) -> Self {
        let neighbors = e.neighbors.iter().map(|case| NeighborResult {
            index: case.index,
            distance: case.distance,
            label: case.label,
        });
        Self {
            sample: e.sample,
            predicted: e.predicted,
            truth: e.truth,
            correspondence: e.correspondence.score,
            level: e.correspondence.level,
            neighbors: neighbors.collect(),
        }
    }
}

#[derive(Serialize)]
struct ExplainResult {
    mean_correspondence: Option<f64>,
    n_undefined: usize,
    explanations: Vec<ExplanationResult>,
}

/// The features and labels of a training and a test table that belong together.
pub(crate) struct Cases {
    pub(crate) features: Vec<String>,
    pub(crate) train: Array2<f64>,
    pub(crate) labels: Vec<i64>,
    pub(crate) test: Array2<f64>,
    pub(crate) predicted: Option<Vec<i64>>,
    pub(crate) truth: Option<Vec<i64>>,
}

impl Cases {
    /// All numeric columns of the training table but the label are features; the test table has
    /// the same by name, and the true class where it has the label column.
    pub(crate) fn read(
        train: &Table,
        test: &Table,
        label: &str,
        predicted: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Self, Failure> {
        let labels = train.labels(label)?;
        let features: Vec<String> = train
            .header()
            .iter()
            .enumerate()
            .filter(|(column, name)| {
                *name != label && Some(name.as_str()) != predicted && train.is_numeric(*column)
            })
            .map(|(_, name)| name.clone())
            .collect();
        if features.is_empty() {
            return Err(Failure::new("no numeric column beside the label").in_file(train.file()));
        }
        let rows = limit.unwrap_or(usize::MAX).min(test.n_rows());
        let first = |mut labels: Vec<i64>| {
            labels.truncate(rows);
            labels
        };
        let predicted = predicted
            .map(|name| test.labels(name))
            .transpose()?
            .map(first);
        let truth = match test.column(label) {
            Ok(_) => Some(first(test.labels(label)?)),
            Err(_) => None,
        };
        let samples = test.matrix(&features)?;
        Ok(Self {
            train: train.matrix(&features)?,
            test: samples.slice_axis(Axis(0), (..rows).into()).to_owned(),
            features,
            labels,
            predicted,
            truth,
        })
    }

    /// Explains the test rows.
    pub(crate) fn explain(
        &self,
        explainer: &CaseExplainer,
        test_file: &str,
    ) -> Result<Vec<Explanation>, Failure> {
        let explanations = match &self.predicted {
            Some(predicted) => explainer.explain_batch(self.test.view(), predicted),
            None => explainer.explain_votes(self.test.view()),
        };
        let explanations = explanations.in_file(test_file)?;
        match &self.truth {
            Some(truth) => Explanation::with_truth(explanations, truth).in_file(test_file),
            None => Ok(explanations),
        }
    }
}

/// The mean over the correspondences that are defined.
pub(crate) fn mean_correspondence<'a>(
    explanations: impl IntoIterator<Item = &'a Explanation>,
) -> Option<f64> {
    let scores = explanations
        .into_iter()
        .filter_map(|e| e.correspondence.score);
    scores.collect::<ExactMean>().finish().ok()
}

impl Explain {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        if self.k == 0 {
            return Err(Failure::usage("-k 0: expected at least 1 neighbour"));
        }
        let train = Table::read(&self.train)?;
        let test = Table::read(&self.test)?;
        for column in &self.redact {
            train.column(column)?;
        }
        let cases = Cases::read(
            &train,
            &test,
            &self.label,
            self.predicted.as_deref(),
            self.limit,
        )?;
        // The scan is the one exact search there is; `auto` picks it.
        match self.index {
            Index::Auto | Index::Brute => {}
        }
        let mut builder = CaseExplainer::builder()
            .k(self.k)
            .metric(self.metric.clone())
            .scale(!self.no_scale)
            .weighting(self.weights.weighting)
            .thresholds(self.weights.thresholds()?)
            .provenance(self.out.is_some());
        self.weights.class_weights()?;
        for &(label, weight) in &self.weights.class_weights {
            builder = builder.class_weight(label, weight);
        }
        let explainer = builder
            .fit(cases.train.view(), &cases.labels)
            .in_file(&self.train)?;
        let explanations = cases.explain(&explainer, &self.test)?;
        if let Some(out) = &self.out {
            self.write_rows(out, &cases, &explanations)?;
        }
        let result = ExplainResult {
            mean_correspondence: mean_correspondence(&explanations),
            n_undefined: explanations
                .iter()
                .filter(|e| e.correspondence.score.is_none())
                .count(),
            explanations: explanations.iter().map(Into::into).collect(),
        };
        context.present(&result, || result.table())
    }

    fn write_rows(
        &self,
        out: &std::path::Path,
        cases: &Cases,
        explanations: &[Explanation],
    ) -> Result<(), Failure> {
        let shown: Vec<usize> = (0..cases.features.len())
            .filter(|&feature| !self.redact.contains(&cases.features[feature]))
            .collect();
        let mut header = vec![
            "sample",
            "predicted",
            "true",
            "correspondence",
            "level",
            "rank",
            "index",
            "distance",
            "label",
        ];
        header.extend(
            shown
                .iter()
                .map(|&feature| cases.features[feature].as_str()),
        );
        let label_redacted = self.redact.contains(&self.label);
        let label = |class: i64| {
            if label_redacted {
                String::new()
            } else {
                class.to_string()
            }
        };
        let rows = explanations.iter().flat_map(|e| {
            let shown = &shown;
            e.neighbors.iter().enumerate().map(move |(rank, case)| {
                let mut row = vec![
                    e.sample.to_string(),
                    e.predicted.to_string(),
                    e.truth.map(label).unwrap_or_default(),
                    output::cell(e.correspondence.score),
                    e.correspondence.level.to_string(),
                    (rank + 1).to_string(),
                    case.index.to_string(),
                    case.distance.to_string(),
                    label(case.label),
                ];
                row.extend(
                    shown
                        .iter()
                        .map(|&feature| case.features[feature].to_string()),
                );
                row
            })
        });
        output::write_csv(out, &header, rows)
    }
}

impl ExplainResult {
    /// The least supported first, at most twenty.
    fn table(&self) -> String {
        let mut order: Vec<&ExplanationResult> = self.explanations.iter().collect();
        let key = |e: &ExplanationResult| e.correspondence.unwrap_or(-1.0);
        order.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let rows = order.iter().take(20).map(|e| {
            let neighbors: Vec<String> = e
                .neighbors
                .iter()
                .take(5)
                .map(|n| format!("{} ({}, {:.2})", n.index, n.label, n.distance))
                .collect();
            [
                e.sample.to_string(),
                e.predicted.to_string(),
                e.truth
                    .map_or_else(|| "–".to_owned(), |truth| truth.to_string()),
                output::decimals(e.correspondence),
                e.level.to_string(),
                neighbors.join(", "),
            ]
        });
        let header = [
            "sample",
            "predicted",
            "true",
            "correspondence",
            "level",
            "neighbours: row (class, distance)",
        ];
        let shown = self.explanations.len().min(20);
        format!(
            "{}\n\n{shown} of {} samples, least supported first; mean correspondence {}",
            output::table(&header, rows),
            self.explanations.len(),
            output::decimals(self.mean_correspondence),
        )
    }
}
