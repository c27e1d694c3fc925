//! Where runs of numbers come from: an array, or a table with a column per run.

use std::path::Path;

use ndarray::{Array1, Array2, Ix1};
use xai_files::arrays;
use xai_files::failure::Failure;
use xai_files::left_out::LeftOut;
use xai_files::table::Table;

use super::table_runs::{NumberTable, RunColumns, is_table, only_column};

/// Predicted and true numbers.
pub(super) struct NumberRuns {
    pub(super) predictions: Array2<f64>,
    pub(super) targets: Array1<f64>,
    /// Columns of the table that are no runs.
    pub(super) left_out: Vec<LeftOut>,
}

impl NumberRuns {
    /// Reads runs, and targets that are a file or a column of the runs' table.
    pub(super) fn read(
        predictions: &Path,
        targets: &Path,
        dropped: &[String],
    ) -> Result<Self, Failure> {
        if !is_table(predictions) {
            return Ok(Self {
                predictions: arrays::read_f64(predictions)?,
                targets: read_targets(targets)?,
                left_out: Vec::new(),
            });
        }
        let table = Table::read(predictions)?;
        let truth = targets.display().to_string();
        if targets.extension().is_none() {
            table.column(&truth)?;
        }
        let columns = RunColumns::of(&table, &truth, dropped)?;
        let NumberTable { truth, runs } = NumberTable::read(table, &columns)?;
        let shape = (runs.len(), runs.first().map_or(0, Vec::len));
        Ok(Self {
            predictions: Array2::from_shape_vec(shape, runs.concat()).map_err(Failure::new)?,
            targets: match truth {
                Some(truth) => truth.into(),
                None => read_targets(targets)?,
            },
            left_out: columns.left_out,
        })
    }
}

fn read_targets(targets: &Path) -> Result<Array1<f64>, Failure> {
    if !is_table(targets) {
        return arrays::read_f64::<Ix1>(targets);
    }
    let table = Table::read(targets)?;
    let columns = RunColumns::only(only_column(&table)?);
    let NumberTable { runs, .. } = NumberTable::read(table, &columns)?;
    Ok(runs.concat().into())
}
