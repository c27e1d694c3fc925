//! From the command line to a fitted explainer.

use std::path::{Path, PathBuf};

use clap::Args;
use xai_metrics::casebased::{CaseExplainer, CaseExplainerBuilder, Distance, Engine, help, input};
use xai_metrics::core::input::P;

use super::cases::Training;
use super::redaction;
use super::weights::Weights;
use crate::choice::names;
use crate::context::Context;
use crate::failure::{Failure, Files, InFile, InFiles};
use crate::input::table::Table;

/// How an explainer is fitted.
#[derive(Debug, Args)]
pub(super) struct Fitting {
    /// Neighbours per case. Default: 5.
    #[arg(short, long)]
    k: Option<usize>,
    #[arg(
        long,
        value_name = "METRIC",
        help = format!("{}. Default: euclidean", names::<Distance>())
    )]
    metric: Option<Distance>,
    /// Take the features as they are, instead of in units of their spread.
    #[arg(long)]
    no_scale: bool,
    #[arg(
        long,
        value_name = "ENGINE",
        help = format!("How neighbours are searched: {}. The answer is the same", names::<Engine>())
    )]
    index: Option<Engine>,
    #[command(flatten)]
    weights: Weights,
    /// A column of the training file that accompanies the cases and is no feature. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    metadata: Vec<String>,
    /// A column whose values leave the program in no way: no output, error or remark shows one, and a
    /// stored explainer holds them only where distances need them. Its name, and the distances that it
    /// enters, remain. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    redact: Vec<String>,
    /// Release only shares of classes and ranges of distances, of at least M distinct training
    /// rows, and never a row.
    #[arg(long, value_name = "M")]
    aggregate_only: Option<usize>,
}

/// Where an explainer comes from.
#[derive(Debug, Args)]
pub(super) struct Source {
    /// The training cases: numeric features and a label column.
    #[arg(long, value_name = "T.csv", required_unless_present = "explainer")]
    train: Option<PathBuf>,
    /// An explainer stored by `xai casebased fit`, instead of training cases.
    #[arg(long, value_name = "FILE", conflicts_with = "train")]
    explainer: Option<PathBuf>,
    #[command(flatten)]
    fitting: Fitting,
}

/// An explainer, and what the commands ask it.
pub(super) struct Fitted {
    pub(super) explainer: CaseExplainer,
    /// All features, redacted ones included: what a test file must have.
    pub(super) features: Vec<String>,
    /// Columns whose values no message shows.
    pub(super) redacted: Vec<String>,
    pub(super) aggregate_only: bool,
    /// The share of true neighbours that an approximate search finds.
    pub(super) recall: Option<f64>,
}

impl From<CaseExplainer> for Fitted {
    fn from(explainer: CaseExplainer) -> Self {
        let info = explainer.training_info();
        Self {
            explainer,
            features: info.feature_names,
            redacted: info.redacted,
            recall: info.recall,
            aggregate_only: info.aggregate_minimum.is_some(),
        }
    }
}

impl Source {
    /// Fits or loads the explainer. `provenance` is whether rows will be shown.
    pub(super) fn explainer(
        &self,
        label: Option<&str>,
        predicted: Option<&str>,
        provenance: bool,
        context: &Context,
    ) -> Result<Fitted, Failure> {
        if let Some(file) = &self.explainer {
            if self.fitting.any_given() {
                return Err(Failure::usage(
                    "--explainer: a stored explainer has its choices already",
                )
                .help("leave out the options of fitting, or fit again"));
            }
            let opened = std::fs::File::open(file)
                .map_err(Failure::cannot_be_opened)
                .in_file(file)?;
            let explainer = CaseExplainer::load(std::io::BufReader::new(opened))
                .in_files(&Files::mainly(file))?;
            let fitted = Fitted::from(explainer);
            redaction::check(&fitted.redacted, label, predicted)?;
            return Ok(fitted);
        }
        let (Some(train), Some(label)) = (&self.train, label) else {
            return Err(Failure::usage("--label COLUMN: needed to fit an explainer"));
        };
        self.fitting
            .fit(train, label, predicted, provenance, context)
    }
}

impl Fitting {
    fn any_given(&self) -> bool {
        self.k.is_some()
            || self.metric.is_some()
            || self.no_scale
            || self.index.is_some()
            || self.weights.any_given()
            || !self.metadata.is_empty()
            || !self.redact.is_empty()
            || self.aggregate_only.is_some()
    }

    /// Fits an explainer to a training file.
    pub(super) fn fit(
        &self,
        train: &Path,
        label: &str,
        predicted: Option<&str>,
        provenance: bool,
        context: &Context,
    ) -> Result<Fitted, Failure> {
        let builder = self.builder()?.provenance(provenance);
        let training = self.read(train, label, predicted, context)?;
        let mut builder = redaction::apply(builder, &self.redact, &training);
        for (name, column) in training.metadata {
            builder = builder.metadata(name, column);
        }
        let explainer = builder
            .feature_names(training.features)
            .fit_owned(training.rows, &training.labels)
            .in_files(&self.files(train))?;
        let mut fitted = Fitted::from(explainer);
        fitted.redacted.clone_from(&self.redact);
        Ok(fitted)
    }

    fn builder(&self) -> Result<CaseExplainerBuilder, Failure> {
        let mut builder = CaseExplainer::builder()
            .distance(self.metric.clone().unwrap_or_default())
            .scale(!self.no_scale)
            .engine(self.index.unwrap_or_default())
            .weighting(self.weights.kernel())
            .thresholds(self.weights.thresholds()?);
        if let Some(k) = self.k {
            builder = builder.k(k);
        }
        if let Some(minimum) = self.aggregate_only {
            builder = builder.aggregate_only(minimum);
        }
        self.weights.class_weights()?;
        for (label, weight) in self.weights.weighted_classes() {
            builder = builder.class_weight(label, weight);
        }
        Ok(builder)
    }

    /// Reads the training file; says which columns are no features that a person may take for some.
    fn read(
        &self,
        train: &Path,
        label: &str,
        predicted: Option<&str>,
        context: &Context,
    ) -> Result<Training, Failure> {
        redaction::check(&self.redact, Some(label), predicted)?;
        let mut pieces = Table::pieces(train)?.concealing(&self.redact);
        for column in self.redact.iter().chain(&self.metadata) {
            pieces.column(column)?;
        }
        let excluded: Vec<&str> = predicted.into_iter().collect();
        let training = Training::read(&mut pieces, label, &self.metadata, &excluded)?;
        for (column, row) in &training.left_out {
            context.remark(format_args!(
                "{}: column `{column}` is no feature: row {row} is not a number",
                train.display()
            ));
        }
        Ok(training)
    }

    fn files<'a>(&self, train: &'a Path) -> Files<'a> {
        Files::mainly(train)
            .options(&[
                (input::K, "-k"),
                (input::DISTANCE, "--metric"),
                (P, "--metric"),
                (input::ENGINE, "--index"),
                (input::AGGREGATE_MINIMUM, "--aggregate-only"),
                (input::REDACTED, "--redact"),
                (input::METADATA, "--metadata"),
            ])
            .ways_out(&[
                (help::USE_BRUTE_FORCE, "pass --index brute"),
                (
                    help::DO_NOT_SCALE,
                    "leave the row out, pass --no-scale, or choose another --metric",
                ),
            ])
            .and(Weights::options())
    }
}
