//! `xai casebased correspondence`

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use xai_files::classes::{Classes, ClassesBuilder, LabelError};
use xai_files::table::{Columns, Table};
use xai_files::{Failure, Files, InFiles};
use xai_metrics::casebased::correspondence::ClassWeightsSum;
use xai_metrics::casebased::{ClassWeights, Correspondence, CorrespondenceMetric, Level};

use crate::casebased::fitting::ClassWeightOptions;
use crate::output::text;
use crate::{Context, Described, examples};

/// `xai casebased correspondence`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai casebased correspondence --neighbors neighbors.csv --predicted 1",
    "xai casebased correspondence --neighbors neighbors.csv --predicted benign --class-weight benign=2",
]))]
pub(crate) struct CorrespondenceCommand {
    /// The neighbours: a table with the columns `distance` and `label`.
    #[arg(long, value_name = "N.csv")]
    neighbors: PathBuf,
    /// The predicted class, by its name in the table.
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    predicted: String,
    #[command(flatten)]
    metric: Described<CorrespondenceMetric>,
    #[command(flatten)]
    weights: ClassWeightOptions,
}

#[derive(Serialize)]
struct CorrespondenceResult {
    correspondence: Option<f64>,
    level: Level,
    n_neighbors: usize,
    /// Sum of the weights of the neighbours of each class, relative to the largest weight of a neighbour.
    class_weights_sum: ClassWeightsSum,
    class_weights_relative_to: &'static str,
    /// Names of the classes, if they are words.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    class_names: BTreeMap<i64, Arc<str>>,
}

impl CorrespondenceCommand {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        self.weights.check()?;
        let unweighted = self.metric.read()?;
        let working = context.working("reading neighbours");
        let (distances, labels, mut classes) = self.read()?;
        drop(working);
        let weights = ClassWeights::new(self.weights.resolve(&classes)?);
        let metric = unweighted.class_weights(weights.in_files(&ClassWeightOptions::options())?);
        let predicted = classes.number(self.predicted.trim()).map_err(|reason| {
            let expected = reason.expected();
            let failure = Failure::for_option("--predicted", format_args!("expected {expected}"));
            reason.help(failure.with_value(&self.predicted))
        })?;
        let c: Correspondence = metric.evaluate(&distances, &labels, predicted).in_files(
            &Files::with_main_file(&self.neighbors)
                .and(Described::<CorrespondenceMetric>::options()),
        )?;
        let result = CorrespondenceResult {
            correspondence: c.score,
            level: c.level,
            n_neighbors: c.n_neighbors,
            class_weights_sum: c.class_weights_sum,
            class_weights_relative_to: "the largest weight of a neighbour",
            class_names: classes.names().clone(),
        };
        context.present(&result, || result.table(&classes))
    }

    /// Reads the distances and the classes of the neighbours.
    fn read(&self) -> Result<(Vec<f64>, Vec<i64>, Classes), Failure> {
        let table = Table::read(&self.neighbors)?;
        let (distance, label) = (table.column("distance")?, table.column("label")?);
        let piece = table.whole(&Columns {
            numbers: vec![distance],
            texts: vec![label],
        })?;
        let wrong_cells = piece
            .first_invalid()
            .into_iter()
            .chain(piece.first_missing());
        if let Some((column, cell)) = wrong_cells.min_by_key(|(_, cell)| cell.row) {
            return Err(piece.cell(cell.row, column, &cell.text, "a finite number"));
        }
        let mut builder = ClassesBuilder::default();
        let mut labels = Vec::with_capacity(piece.n_rows());
        for (row, text) in piece.text(label)?.iter().enumerate() {
            let class = builder.number(text);
            let failure =
                |reason: LabelError| reason.help(piece.cell(row, label, text, reason.expected()));
            labels.push(class.map_err(failure)?);
        }
        if labels.is_empty() {
            return Err(Failure::new("the table has no rows below its header")
                .help("write a row per neighbour, with its distance and label")
                .in_file(&self.neighbors));
        }
        let (renumbering, classes) = builder.finish();
        renumbering.apply(&mut labels);
        Ok((piece.into_numbers().0, labels, classes))
    }
}

impl CorrespondenceResult {
    fn table(&self, classes: &Classes) -> String {
        let mut rows = vec![
            [
                "correspondence".to_owned(),
                text::decimals(self.correspondence),
            ],
            ["level".to_owned(), self.level.to_string()],
            ["neighbours".to_owned(), self.n_neighbors.to_string()],
        ];
        for (label, weight) in self.class_weights_sum.iter() {
            let class = classes.display_name(label);
            rows.push([format!("weight of class {class}"), format!("{weight:.4}")]);
        }
        let table = text::table(&["", "value"], rows);
        format!(
            "{table}\n\nweights are relative to {}",
            self.class_weights_relative_to
        )
    }
}
