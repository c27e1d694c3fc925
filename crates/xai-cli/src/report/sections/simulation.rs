//! How the reproducibility metrics behave where the truth is known.

use serde::Serialize;
use xai_metrics::repro::SimulationStudy;
use xai_metrics::repro::study::{
    AccuracyProfile, StudyDraw, StudySettings, StudySummary, read_draws,
};

use crate::context::Context;
use crate::failure::{Failure, Files, InFile, InFiles};
use crate::report::source::Source;
use crate::report::study_file::SimulationInputs;

/// Bins of accuracy in a panel.
const BINS: usize = 10;

/// Draws that are made unless the study says how many.
const ITERATIONS: u64 = 2000;

/// The summary of a simulation study, and each metric over accuracy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SimulationSection {
    pub(crate) summary: StudySummary,
    pub(crate) profiles: Vec<AccuracyProfile>,
}

pub(crate) fn evaluate(
    study: &SimulationInputs,
    source: &Source,
    context: &Context,
) -> Result<SimulationSection, Failure> {
    let file = match &study.draws {
        Some(file) => source.path(file),
        None => source.study(),
    };
    let files = Files::mainly(&file);
    let draws = match &study.draws {
        Some(name) => stored(&source.bytes(name)?, study.iterations, &files).in_file(&file)?,
        None => SimulationStudy::new(StudySettings {
            seed: context.seed_or(study.seed),
            ..StudySettings::default()
        })
        .and_then(|simulation| simulation.simulate(0..study.iterations.unwrap_or(ITERATIONS)))
        .in_files(&files)?,
    };
    Ok(SimulationSection {
        summary: StudySummary::new(&draws).in_files(&files)?,
        profiles: AccuracyProfile::per_metric(&draws, BINS).in_files(&files)?,
    })
}

/// The draws of a file that a study wrote to its end: what an interrupted one left is no study.
fn stored(
    bytes: &[u8],
    iterations: Option<u64>,
    files: &Files<'_>,
) -> Result<Vec<StudyDraw>, Failure> {
    let way_out =
        "run `xai repro simulate study --out` again, which goes on where it was interrupted";
    let (draws, whole) = read_draws(bytes).in_files(files)?;
    if whole < bytes.len() as u64 {
        let failure = Failure::new("cut short: the last line is no whole draw");
        return Err(failure.help(way_out));
    }
    let n = draws.len() as u64;
    if n == 0 {
        return Err(Failure::new("no draws").help(way_out));
    }
    match iterations {
        Some(expected) if expected != n => {
            let failure = Failure::new(format!("{n} draws, but the study expects {expected}"));
            Err(failure.help(format!("{way_out}, or correct `iterations`")))
        }
        _ => Ok(draws),
    }
}
