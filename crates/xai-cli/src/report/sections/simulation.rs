//! How the reproducibility metrics behave where the truth is known.

use serde::Serialize;
use xai_metrics::repro::{AccuracyProfile, Study, StudyDraw, StudySummary};

use crate::failure::{Failure, Files, InFiles};
use crate::report::source::Source;
use crate::report::study_file::SimulationStudy;

/// Bins of accuracy in a panel.
const BINS: usize = 10;

/// The summary of a simulation study, and each metric over accuracy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SimulationSection {
    pub(crate) summary: StudySummary,
    pub(crate) profiles: Vec<AccuracyProfile>,
}

pub(crate) fn evaluate(
    study: &SimulationStudy,
    source: &Source,
) -> Result<SimulationSection, Failure> {
    let file = match &study.draws {
        Some(file) => source.path(file),
        None => source.study(),
    };
    let files = Files::only(&file);
    let draws = match &study.draws {
        Some(file) => StudyDraw::read_csv(&*source.bytes(file)?).map(|(draws, _)| draws),
        None => Study::builder()
            .seed(study.seed)
            .build()
            .and_then(|simulation| simulation.draws(0..study.iterations)),
    };
    let draws = draws.in_files(&files)?;
    Ok(SimulationSection {
        summary: StudySummary::of(&draws).in_files(&files)?,
        profiles: AccuracyProfile::all(&draws, BINS).in_files(&files)?,
    })
}
