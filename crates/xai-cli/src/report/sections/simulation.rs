//! How the reproducibility metrics behave where the truth is known.

use serde::Serialize;
use xai_metrics::repro::SimulationStudy;
use xai_metrics::repro::study::{AccuracyProfile, StudySettings, StudySummary, read_draws};

use crate::failure::{Failure, Files, InFiles};
use crate::report::source::Source;
use crate::report::study_file::SimulationInputs;

/// Bins of accuracy in a panel.
const BINS: usize = 10;

/// The summary of a simulation study, and each metric over accuracy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SimulationSection {
    pub(crate) summary: StudySummary,
    pub(crate) profiles: Vec<AccuracyProfile>,
}

pub(crate) fn evaluate(
    study: &SimulationInputs,
    source: &Source,
) -> Result<SimulationSection, Failure> {
    let file = match &study.draws {
        Some(file) => source.path(file),
        None => source.study(),
    };
    let files = Files::mainly(&file);
    let draws = match &study.draws {
        Some(file) => read_draws(&*source.bytes(file)?).map(|(draws, _)| draws),
        None => SimulationStudy::new(StudySettings {
            seed: study.seed,
            ..StudySettings::default()
        })
        .and_then(|simulation| simulation.simulate(0..study.iterations)),
    };
    let draws = draws.in_files(&files)?;
    Ok(SimulationSection {
        summary: StudySummary::new(&draws).in_files(&files)?,
        profiles: AccuracyProfile::per_metric(&draws, BINS).in_files(&files)?,
    })
}
