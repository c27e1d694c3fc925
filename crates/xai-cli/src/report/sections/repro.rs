//! Reproducibility over runs.

use crate::failure::{Failure, Files, input};
use crate::report::source::Source;
use crate::report::study_file::ReproStudy;
use crate::repro::pairwise::{PairwiseResult, pairwise};

pub(crate) fn evaluate(study: &ReproStudy, source: &Source) -> Result<PairwiseResult, Failure> {
    let predictions = source.array(&study.predictions)?.into_labels()?;
    let labels = source.array(&study.labels)?.into_labels()?;
    let (of_predictions, of_labels) = (source.path(&study.predictions), source.path(&study.labels));
    let files = Files::only(&of_predictions).file(&[input::LABELS], &of_labels);
    pairwise(predictions.view(), labels.view(), &files)
}
