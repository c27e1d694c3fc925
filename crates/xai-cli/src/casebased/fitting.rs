//! Options for fitting or loading an explainer, and `xai casebased fit`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::ArrayView1;
use serde::Serialize;
use xai_files::classes::Classes;
use xai_files::left_out::{LeftOut, drop_column};
use xai_files::table::Table;
use xai_files::{Failure, Files, InFile, InFiles, left_out};
use xai_metrics::Error;
use xai_metrics::casebased::training::SPREADS;
use xai_metrics::casebased::{
    CaseExplainer, CaseExplainerBuilder, ClassWeights, SaveOptions, TrainingInfo, input,
};
use xai_metrics::common::Input;
use xai_metrics::common::distance::LEAVE_FEATURE_OUT;
use xai_metrics::common::input::COVARIANCE;

use crate::casebased::missing::MissingCells;
use crate::casebased::redaction;
use crate::casebased::training::{Roles, Training, has_file_rows, hide_file_rows, row_failure};
use crate::output::whole_file;
use crate::{Context, Described, examples};

/// Options for fitting an explainer.
#[derive(Debug, Args)]
pub(super) struct Fitting {
    #[command(flatten)]
    choices: Described<CaseExplainerBuilder>,
    #[command(flatten)]
    weights: ClassWeightOptions,
    /// A column of the training file that is shown with the neighbours but is not a feature. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    metadata: Vec<String>,
    /// A column of the training file to leave out. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    drop_column: Vec<String>,
    /// A column whose values are never shown: not in outputs, errors or remarks, and not in a stored explainer unless
    /// `fit --store-redacted` allows it. Its name is shown, and it still contributes to distances. May be repeated.
    #[arg(long, value_name = "COLUMN")]
    redact: Vec<String>,
}

/// Options of the explainer: a training file to fit it to, or a stored explainer.
#[derive(Debug, Args)]
pub(super) struct ExplainerSource {
    /// The training cases: numeric features and a label column.
    #[arg(long, value_name = "T.csv", required_unless_present = "explainer")]
    train: Option<PathBuf>,
    /// An explainer stored by `xai casebased fit`, instead of training cases.
    #[arg(long, value_name = "FILE", conflicts_with = "train")]
    explainer: Option<PathBuf>,
    #[command(flatten)]
    fitting: Fitting,
    #[command(flatten)]
    pub(super) missing: MissingCells,
}

/// A fitted explainer with the settings of the command that uses it.
pub(super) struct FittedExplainer {
    pub(super) explainer: CaseExplainer,
    pub(super) classes: Classes,
    /// All features, redacted ones included: what a test file must have.
    pub(super) features: Vec<String>,
    /// Columns whose values no message shows.
    pub(super) redacted: Vec<String>,
    pub(super) aggregate_only: bool,
    /// Share of the true neighbours that an approximate search finds.
    pub(super) recall: Option<f64>,
    /// Number of neighbours per sample.
    pub(super) k: usize,
    /// Is `true` if explanations contain features and metadata of training cases: if the output shows them, if training
    /// rows were left out (their numbers in the file are metadata), and for explainers loaded from a file.
    pub(super) provenance: bool,
    /// Columns of the training file. Partly `None` for explainers loaded from a file, which does not store them.
    pub(super) used: ColumnsUsed,
}

/// The part of the JSON about the columns and rows of the training file.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ColumnsUsed {
    pub(crate) columns_used: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) columns_left_out: Option<Vec<LeftOut>>,
    /// Number of training rows left out because of a missing cell; `None` without `--drop-rows-with-missing`, and for
    /// explainers loaded from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) train_rows_dropped: Option<usize>,
    /// Features that [look like row numbers](looks_like_row_numbers).
    #[serde(skip)]
    row_numbers: Vec<String>,
    /// Is `true` if the explainer comes from a file that contains the values of redacted columns.
    #[serde(skip)]
    file_holds_redacted: bool,
}

impl ColumnsUsed {
    /// Returns remarks on columns that were left out without an option, on features that may be row numbers, on stored
    /// values of redacted columns and on left-out rows.
    pub(super) fn remarks(&self) -> Vec<String> {
        let left_out = self.columns_left_out.as_deref().unwrap_or_default();
        let mut remarks = left_out::remarks(left_out);
        remarks.extend(self.row_numbers.iter().map(|column| {
            let drop = drop_column(column);
            format!(
                "`{column}` is used as a feature, but looks like the number of each row; if it is one, leave it out: {drop}"
            )
        }));
        if self.file_holds_redacted {
            let remark = "the file of the explainer contains the values of the redacted columns";
            remarks.push(remark.to_owned());
        }
        if let Some(n @ 1..) = self.train_rows_dropped {
            remarks.push(format!("{n} training rows with a missing cell left out"));
        }
        remarks
    }

    /// Prints the [remarks](Self::remarks). Called at the end, so that a command that fails prints only its error.
    pub(super) fn remark(&self, context: &Context) {
        for remark in self.remarks() {
            context.remark(remark);
        }
    }
}

impl FittedExplainer {
    fn new(explainer: CaseExplainer, provenance: bool) -> Self {
        let info = explainer.training_info();
        Self {
            provenance: provenance || has_file_rows(&info.metadata_names),
            classes: Classes::from_names(&info.class_names),
            used: ColumnsUsed {
                columns_used: info.feature_names.clone(),
                columns_left_out: None,
                train_rows_dropped: None,
                row_numbers: Vec::new(),
                file_holds_redacted: info.file_holds_redacted,
            },
            explainer,
            features: info.feature_names,
            redacted: info.redacted,
            recall: info.recall,
            aggregate_only: info.aggregate_minimum.is_some(),
            k: info.k.min(info.n_rows),
        }
    }

    /// Returns the number of test rows that are explained at a time, 64 to 4096. Between these limits the explanations
    /// of a batch take about 32 MiB; 64 large explanations may take more.
    pub(super) fn batch(&self) -> usize {
        const BYTES: usize = 32 << 20;
        let n_features = if self.provenance {
            self.features.len()
        } else {
            0
        };
        // Estimates: 8 bytes per feature and 160 bytes per neighbour, 400 bytes per explanation.
        let bytes_per_neighbor = 8 * n_features + 160;
        (BYTES / (bytes_per_neighbor.saturating_mul(self.k) + 400)).clamp(64, 4096)
    }
}

impl ExplainerSource {
    /// Fits or loads the explainer. `provenance` is `true` if the output shows the rows of training cases.
    pub(super) fn explainer(
        &self,
        label: Option<&str>,
        predicted: Option<&str>,
        provenance: bool,
    ) -> Result<FittedExplainer, Failure> {
        if let Some(file) = &self.explainer {
            if self.fitting.is_any_given() {
                return Err(Failure::for_option(
                    "--explainer",
                    "options for fitting do not apply to a stored explainer",
                )
                .help("leave out the options for fitting, or fit again with --train"));
            }
            let opened = std::fs::File::open(file)
                .map_err(Failure::cannot_be_opened)
                .in_file(file)?;
            let explainer = CaseExplainer::load(std::io::BufReader::new(opened))
                .in_files(&Files::with_main_file(file))?;
            let fitted = FittedExplainer::new(explainer, true);
            redaction::check(&fitted.redacted, label, predicted)?;
            return Ok(fitted);
        }
        let (Some(train), Some(label)) = (&self.train, label) else {
            let failure = Failure::usage("--label COLUMN is needed to fit an explainer")
                .about_option("--label");
            return Err(failure.help("name the column of the true class"));
        };
        let missing = self.missing;
        self.fitting
            .fit(train, (label, predicted), missing, provenance)
    }
}

impl Fitting {
    fn is_any_given(&self) -> bool {
        self.choices.any_given()
            || self.weights.is_any_given()
            || !self.metadata.is_empty()
            || !self.drop_column.is_empty()
            || !self.redact.is_empty()
    }

    /// Fits an explainer to a training file with a column of true classes and possibly one of predicted classes.
    pub(super) fn fit(
        &self,
        train: &Path,
        (label, predicted): (&str, Option<&str>),
        missing: MissingCells,
        provenance: bool,
    ) -> Result<FittedExplainer, Failure> {
        self.weights.check()?;
        let choices = self.choices.read()?;
        let mut training = self.read(train, (label, predicted), missing)?;
        // If rows were left out, the numbers of the others in the file are kept as metadata, which needs provenance.
        let provenance = provenance || training.n_dropped > 0;
        let mut builder = choices.provenance(provenance);
        for (label, weight) in self.weights.resolve(&training.classes)? {
            builder = builder.class_weight(label, weight);
        }
        builder = redaction::apply(builder, &self.redact, &training);
        let features = training.features.clone();
        let row_numbers = features
            .iter()
            .zip(training.rows.columns())
            .filter(|(_, column)| looks_like_row_numbers(column.view()))
            .map(|(name, _)| name.clone())
            .collect();
        let largest = lines_of_largest(&training);
        let lines = std::mem::take(&mut training.lines);
        let explainer = training
            .describe(builder)
            .fit_owned(training.rows, &training.labels)
            .map_err(|error| {
                if let Some(failure) = too_large(&error, &features, &largest) {
                    return failure.in_file(train);
                }
                let line = |row: usize| lines.get(row).copied();
                row_failure(&error, &TRAINING_ROWS, line, train)
                    .unwrap_or_else(|| self.files(train).failure(&name_feature(error, &features)))
            })?;
        let mut fitted = FittedExplainer::new(explainer, provenance);
        fitted.redacted.clone_from(&self.redact);
        fitted.classes = training.classes;
        fitted.used.columns_left_out = Some(training.left_out);
        fitted.used.row_numbers = row_numbers;
        fitted.used.train_rows_dropped = missing.drop_rows.then_some(training.n_dropped);
        Ok(fitted)
    }

    /// Reads the training file.
    fn read(
        &self,
        train: &Path,
        (label, predicted): (&str, Option<&str>),
        missing: MissingCells,
    ) -> Result<Training, Failure> {
        redaction::check(&self.redact, Some(label), predicted)?;
        for column in &self.drop_column {
            if column == label || self.metadata.contains(column) {
                return Err(Failure::for_option(
                    "--drop-column",
                    "the column of labels or metadata is not a feature",
                )
                .with_value(column)
                .help("leave out this --drop-column"));
            }
        }
        let table = Table::read(train)?.conceal(&self.redact);
        for column in &self.redact {
            table.column(column)?;
        }
        Training::read(
            table,
            &Roles {
                label,
                metadata: &self.metadata,
                predicted,
                dropped: &self.drop_column,
                missing,
            },
        )
    }

    fn files<'a>(&self, train: &'a Path) -> Files<'a> {
        Files::with_main_file(train)
            .options(&[
                (input::REDACTED, "--redact"),
                (input::METADATA, "--metadata"),
            ])
            .hints(&[(LEAVE_FEATURE_OUT, "leave the column out: --drop-column")])
            .and(Described::<CaseExplainerBuilder>::options())
            .and(ClassWeightOptions::options())
    }
}

/// Inputs with a row per training row.
const TRAINING_ROWS: [Input; 3] = [input::TRAIN, input::TRAIN_SCALED, input::TRAIN_WHITENED];

/// Returns `true` if a column looks like row numbers, of a whole table or of a random half of one: distinct whole
/// numbers in a range that is less than twice the number of rows. Ten or more counts or measurements are hardly ever
/// like this.
fn looks_like_row_numbers(column: ArrayView1<'_, f64>) -> bool {
    const FEWEST: usize = 10;
    // `all` stops early in most other columns, which repeat a value or have a fraction in the first rows.
    let mut seen = HashSet::new();
    let mut is_new = |x: &f64| x.fract() == 0.0 && seen.insert(x.to_bits());
    if column.len() < FEWEST || !column.iter().all(&mut is_new) {
        return false;
    }
    let smallest = column.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest - smallest < 2.0 * column.len() as f64
}

/// Returns for each feature the line of the training file with the number farthest from 0.
fn lines_of_largest(training: &Training) -> Vec<u64> {
    let mut largest = vec![(0, 0.0f64); training.rows.ncols()];
    for (line, row) in training.lines.iter().zip(training.rows.rows()) {
        for (largest, x) in largest.iter_mut().zip(row) {
            if x.abs() > largest.1 {
                *largest = (*line, x.abs());
            }
        }
    }
    largest.into_iter().map(|(line, _)| line).collect()
}

/// Returns a failure that names the cell which makes the deviation of a feature infinite, if the error is about this.
fn too_large(error: &Error, features: &[String], largest: &[u64]) -> Option<Failure> {
    let (&[feature], Some(SPREADS)) = (error.index(), error.part_name()) else {
        return None;
    };
    let (name, line) = (features.get(feature)?, largest.get(feature)?);
    if error.input() != input::TRAIN {
        return None;
    }
    let what = "the number is so large that the standard deviation of the column is infinite";
    let drop = drop_column(name);
    let failure = Failure::new(format_args!("line {line}, column `{name}`: {what}"));
    Some(failure.help(format_args!(
        "correct the cell, scale the column down, or leave it out: {drop}"
    )))
}

/// Adds to an error about a singular covariance the name of the feature that causes it.
fn name_feature(error: Error, features: &[String]) -> Error {
    match error.index().first().and_then(|&i| features.get(i)) {
        Some(feature) if error.input() == COVARIANCE => {
            let part = format!("column `{feature}`");
            error.part(part)
        }
        _ => error,
    }
}

/// `xai casebased fit`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai casebased fit --train train.csv --label class -k 7 --out fitted.xai"]))]
pub(crate) struct Fit {
    /// The training cases: numeric features and a label column.
    #[arg(long, value_name = "T.csv")]
    train: PathBuf,
    /// The column of the true class: whole numbers, words, or True and False.
    #[arg(long, value_name = "COLUMN")]
    label: String,
    /// A column of predicted classes in the training file, which is not a feature.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    #[command(flatten)]
    fitting: Fitting,
    #[command(flatten)]
    missing: MissingCells,
    /// The file to store the explainer in. It contains the features of all training rows, which distances need.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Allow the stored file to contain the values of redacted features, and record this in the file. Without this
    /// option an explainer with redacted features is not stored.
    #[arg(long)]
    store_redacted: bool,
}

#[derive(Serialize)]
struct FitResult<'a> {
    #[serde(flatten)]
    info: &'a TrainingInfo,
    #[serde(flatten)]
    used: ColumnsUsed,
}

impl Fit {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and fitting training cases");
        let fitted = self.fitting.fit(
            &self.train,
            (&self.label, self.predicted.as_deref()),
            self.missing,
            true,
        )?;
        let options = SaveOptions::new().store_redacted(self.store_redacted);
        whole_file::write(&self.out, |file| {
            fitted
                .explainer
                .save_with(file, options)
                .in_files(&Files::with_main_file(&self.out))
        })?;
        drop(working);
        let mut info = fitted.explainer.training_info();
        let is_feature = |column: &String| info.feature_names.contains(column);
        info.file_holds_redacted = info.redacted.iter().any(is_feature);
        hide_file_rows(&mut info.metadata_names);
        let used = fitted.used;
        used.remark(context);
        context.present(&FitResult { info: &info, used }, || {
            let out = whole_file::display_name(&self.out);
            format!("{info}\nstored in {}", out.display())
        })
    }
}

/// The option `--class-weight`.
#[derive(Debug, Args)]
pub(super) struct ClassWeightOptions {
    /// Weight of the neighbours of a class, CLASS=WEIGHT; classes without this option have weight 1. May be repeated.
    #[arg(
        long = "class-weight",
        value_name = "L=W",
        value_parser = class_weight,
        allow_hyphen_values = true
    )]
    class_weights: Vec<(String, f64)>,
}

fn class_weight(text: &str) -> Result<(String, f64), &'static str> {
    let parse = || {
        let (label, weight) = text.rsplit_once('=')?;
        let label = label.trim();
        (!label.is_empty()).then_some((label.to_owned(), weight.trim().parse().ok()?))
    };
    parse().ok_or("expected CLASS=WEIGHT, for example 1=2.5 or benign=2.5")
}

impl ClassWeightOptions {
    /// Returns the weights by the number of their class. Fails for classes that are not in `classes`.
    pub(super) fn resolve(&self, classes: &Classes) -> Result<Vec<(i64, f64)>, Failure> {
        let numbered = |(label, weight): &(String, f64)| match classes.find(label) {
            Ok(label) => Ok((label, *weight)),
            Err(expected) => Err(Failure::for_option(
                "--class-weight",
                format_args!("expected {expected}"),
            )
            .with_value(format_args!("{label}={weight}"))),
        };
        self.class_weights.iter().map(numbered).collect()
    }

    /// Checks the weights before any file is read.
    pub(super) fn check(&self) -> Result<(), Failure> {
        for (label, weight) in &self.class_weights {
            let checked = ClassWeights::new([(label.parse().unwrap_or(0), *weight)]);
            checked.map_err(|error| {
                Failure::for_option("--class-weight", error.kind())
                    .with_value(format_args!("{label}={weight}"))
            })?;
        }
        Ok(())
    }

    pub(super) fn is_any_given(&self) -> bool {
        !self.class_weights.is_empty()
    }

    /// Returns the name of the option for errors about class weights.
    pub(super) fn options() -> Files<'static> {
        Files::new().options(&[(input::CLASS_WEIGHTS, "--class-weight")])
    }
}
