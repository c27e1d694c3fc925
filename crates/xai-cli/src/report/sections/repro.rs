//! Reproducibility over runs.

use ndarray::Ix1;
use xai_metrics::repro::pairwise::PairwiseReport;
use xai_metrics::repro::registry::PAIR_METRICS;
use xai_metrics::repro::{PackedRuns, Pairwise, RunInterval, input};

use crate::failure::{Failure, Files, InFiles};
use crate::report::source::Source;
use crate::report::study_file::ReproInputs;
use crate::repro::options::LEVEL;

pub(crate) fn evaluate(study: &ReproInputs, source: &Source) -> Result<PairwiseReport, Failure> {
    let predictions = source.array(&study.predictions)?.into_labels()?;
    let labels = source.array(&study.labels)?.into_labels::<Ix1>()?;
    let (of_predictions, of_labels) = (source.path(&study.predictions), source.path(&study.labels));
    let files = Files::mainly(&of_predictions).file(&[input::LABELS], &of_labels);
    let labels: Vec<i64> = labels.to_vec();
    PackedRuns::new(PAIR_METRICS, predictions.view(), &labels)
        .and_then(|packed| Pairwise::new().report(&packed, RunInterval::Jackknife, LEVEL))
        .in_files(&files)
}
