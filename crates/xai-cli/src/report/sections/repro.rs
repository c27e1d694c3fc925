//! Reproducibility over runs.

use std::path::{Path, PathBuf};

use ndarray::{Array2, Ix1};
use xai_metrics::repro::pairwise::PairwiseReport;
use xai_metrics::repro::registry::PAIR_METRICS;
use xai_metrics::repro::{PackedRuns, Pairwise, RunInterval};

use crate::context::Context;
use crate::failure::{Failure, InFiles};
use crate::input::left_out::{self, DROP_KEY};
use crate::input::table::Table;
use crate::report::source::Source;
use crate::report::study_file::ReproInputs;
use crate::repro::options::LEVEL;
use crate::repro::runs::{self, RunFiles};
use crate::repro::table_runs::is_table;

pub(crate) fn evaluate(
    study: &ReproInputs,
    source: &Source,
    context: &Context,
) -> Result<PairwiseReport, Failure> {
    let predictions = source.path(&study.predictions);
    let labels = labels(study, source, &predictions);
    let (runs, labels_of_runs) = load(study, source, &predictions, &labels, context)?;
    let files = runs::files(&predictions, &labels);
    PackedRuns::new(PAIR_METRICS, runs.view(), &labels_of_runs)
        .and_then(|packed| Pairwise::new().report(&packed, RunInterval::Jackknife, LEVEL))
        .in_files(&files)
}

/// The labels as the commands name them: a column of the table of runs, else a file of the study.
fn labels(study: &ReproInputs, source: &Source, predictions: &Path) -> PathBuf {
    let is_column = is_table(predictions)
        && (!runs::names_a_file(study.labels.as_ref())
            || Table::read(predictions).is_ok_and(|table| table.column(&study.labels).is_ok()));
    match is_column {
        true => PathBuf::from(&study.labels),
        false => source.path(&study.labels),
    }
}

fn load(
    study: &ReproInputs,
    source: &Source,
    predictions: &Path,
    labels: &Path,
    context: &Context,
) -> Result<(Array2<i64>, Vec<i64>), Failure> {
    if let Source::Folder { .. } = source {
        let loaded = runs::load(RunFiles {
            predictions: &[predictions.to_owned()],
            labels,
            dropped: &study.drop_columns,
            drop_column: DROP_KEY,
        })?;
        left_out::remark(&loaded.left_out, context);
        return Ok((loaded.predictions, loaded.labels));
    }
    let labels = source.array(&study.labels)?.into_labels::<Ix1>()?;
    let predictions = source.array(&study.predictions)?.into_labels()?;
    Ok((predictions, labels.to_vec()))
}
