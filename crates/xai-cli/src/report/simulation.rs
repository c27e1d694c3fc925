//! How the reproducibility metrics behave where the truth is known.

use xai_metrics::repro::{AccuracyProfile, Study, StudyDraw, StudySummary};

use super::results::Simulation;
use super::study::{self, Source};
use crate::failure::{Failure, InFile};

/// Bins of accuracy in a panel.
const BINS: usize = 10;

pub(super) fn evaluate(
    section: &study::Simulation,
    source: &Source,
) -> Result<Simulation, Failure> {
    let draws = match &section.draws {
        Some(file) => {
            let (draws, _) = StudyDraw::read_csv(&*source.bytes(file)?).in_file(file)?;
            draws
        }
        None => {
            let study = Study::builder().seed(section.seed).build()?;
            study.draws(0..section.iterations)?
        }
    };
    let name = section.draws.as_deref().unwrap_or("[simulation]");
    Ok(Simulation {
        summary: StudySummary::of(&draws).in_file(name)?,
        profiles: AccuracyProfile::all(&draws, BINS).in_file(name)?,
    })
}
