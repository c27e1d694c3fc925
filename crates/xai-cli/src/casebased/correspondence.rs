//! `xai casebased correspondence`

use std::path::PathBuf;

use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;
use xai_metrics::casebased::{Correspondence, CorrespondenceMetric, Level};

use super::weights::Weights;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::input::table::Table;
use crate::output::text;

/// `xai casebased correspondence`
#[derive(Debug, Args)]
pub(crate) struct CorrespondenceOfTable {
    /// The neighbours: a table with the columns `distance` and `label`.
    #[arg(long, value_name = "N.csv")]
    neighbors: PathBuf,
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
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let metric = CorrespondenceMetric::default()
            .weighting(self.weights.kernel())
            .class_weights(self.weights.class_weights()?)
            .thresholds(self.weights.thresholds()?);
        let table = Table::read(&self.neighbors)?;
        let distances = table.numbers("distance")?.to_vec();
        let labels = table.labels("label")?;
        let result: CorrespondenceResult = metric
            .evaluate(&distances, &labels, self.predicted)
            .in_files(&Files::mainly(&self.neighbors).and(Weights::options()))?
            .into();
        context.present(&result, || result.table())
    }
}

impl CorrespondenceResult {
    fn table(&self) -> String {
        let mut rows = vec![
            [
                "correspondence".to_owned(),
                text::decimals(self.correspondence),
            ],
            ["level".to_owned(), self.level.to_string()],
            ["neighbours".to_owned(), self.n_neighbors.to_string()],
        ];
        for (label, weight) in &self.class_weights_sum {
            rows.push([format!("weight of class {label}"), format!("{weight:.4}")]);
        }
        text::table(&["", "value"], rows)
    }
}
