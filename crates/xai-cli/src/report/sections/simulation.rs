//! The simulation study: what `xai repro simulate study` finds.

use std::path::{Path, PathBuf};

use xai_files::{Files, InFile, InFiles};
use xai_metrics::repro::study::{StudyDraw, read_draws};
use xai_report::sections::simulation::Simulation;

use crate::output::text::{decimals, table};
use crate::report::section::{
    CommandOfSection, Context, Failure, Origin, Prepared, Report, SectionKeys, SectionKind,
    StudySection, into_report,
};
use crate::repro::simulate::study::{StudyCommand, StudyResult};

/// Keys that only studies have.
#[derive(Debug, clap::Args)]
struct Draws {
    /// The draws of a study that was made before. Without it they are simulated.
    #[arg(long, value_name = "DRAWS.csv")]
    draws: Option<PathBuf>,
}

const COMMANDS: &[CommandOfSection] = &[
    CommandOfSection::new::<StudyCommand>(&["repro", "simulate", "study"], &["out"]),
    CommandOfSection::keys_alone::<Draws>(),
];

pub(super) struct SimulationSection;

impl StudySection for SimulationSection {
    fn kind(&self) -> &'static SectionKind {
        &Simulation::KIND
    }

    fn commands(&self) -> Vec<CommandOfSection> {
        COMMANDS.to_vec()
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        let (line, arguments) = keys.command(0)?;
        let (of_draws, Draws { draws }) = keys.command(1)?;
        let evaluate = move |origin, context: &Context| {
            evaluate(&arguments, draws.as_deref(), origin, context)
        };
        let evaluate = into_report(evaluate, |report| &mut report.simulation);
        Ok(keys.prepared(evaluate, &[line, of_draws]))
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.simulation.iter().map(|section| {
            let rows = section.metrics.iter().map(|metric| {
                [
                    metric.title.clone(),
                    decimals(metric.mean),
                    decimals(metric.spearman_with_accuracy),
                    decimals(metric.auroc_of_dependence),
                ]
            });
            let header = [
                &section.origin.name,
                "mean",
                "rank correlation with accuracy",
                "AUROC of dependence",
            ];
            table(&header, rows)
        });
        sections.collect()
    }
}

/// Takes the draws of a file, or makes them as `xai repro simulate study` does.
fn evaluate(
    arguments: &StudyCommand,
    draws: Option<&Path>,
    origin: Origin,
    context: &Context,
) -> Result<Simulation, Failure> {
    let result = match draws {
        None => arguments.evaluate(context)?,
        Some(file) => {
            let draws = stored(file, arguments.iterations())?;
            StudyResult::new(&draws, &Files::mainly(file))?
        }
    };
    Ok(Simulation::new(origin, &result.summary, &result.profiles))
}

/// The draws of a file that a study wrote to its end: what an interrupted one left is no study.
fn stored(file: &Path, iterations: Option<u64>) -> Result<Vec<StudyDraw>, Failure> {
    let way_out =
        "run `xai repro simulate study --out` again, which goes on where it was interrupted";
    let bytes = std::fs::read(file)
        .map_err(Failure::cannot_be_opened)
        .in_file(file)?;
    let (draws, whole) = read_draws(bytes.as_slice()).in_files(&Files::mainly(file))?;
    if whole < bytes.len() as u64 {
        let failure = Failure::new("cut short: the last line is no whole draw").in_file(file);
        return Err(failure.help(way_out));
    }
    let n = draws.len() as u64;
    if n == 0 {
        return Err(Failure::new("no draws").in_file(file).help(way_out));
    }
    match iterations {
        Some(expected) if expected != n => {
            let failure = Failure::new(format!("{n} draws, but the study expects {expected}"));
            let way_out = format!("{way_out}, or correct `iterations`");
            Err(failure.in_file(file).help(way_out))
        }
        _ => Ok(draws),
    }
}

#[cfg(test)]
mod tests {
    use xai_metrics::repro::study::{StudySettings, write_draws, write_header};
    use xai_metrics::repro::{SimulationStudy, registry};

    use super::*;
    use crate::report::sections::testing::{context, origin, parsed};

    fn command(line: &str) -> StudyCommand {
        parsed(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn stored_draws_give_what_simulated_ones_do() {
        let line = "--iterations 60 --n-samples 50 --n-runs 3";
        let simulated = evaluate(&command(line), None, origin(), &context()).unwrap();
        let n_metrics = registry::PAIR_METRICS.len() + 3; // and the coefficients of all runs at once
        assert_eq!(
            (simulated.n_draws, simulated.metrics.len()),
            (60, n_metrics)
        );
        for metric in &simulated.metrics {
            assert_ne!(metric.title, metric.metric);
            for point in metric.independent.iter().chain(&metric.dependent) {
                assert!(point.low <= point.high, "{metric:?}");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("draws.csv");
        let study = SimulationStudy::new(StudySettings {
            seed: context().seed(),
            n_samples: 50,
            n_runs: 3,
            ..StudySettings::default()
        });
        let draws = study.unwrap().simulate(0..60).unwrap();
        let mut out = std::fs::File::create(&file).unwrap();
        write_header(&mut out)
            .and_then(|()| write_draws(&draws, &mut out))
            .unwrap();
        let stored = |line| evaluate(&command(line), Some(&file), origin(), &context());
        assert_eq!(stored("").unwrap(), simulated);
        let failure = stored("--iterations 61").unwrap_err().to_string();
        assert!(
            failure.contains("60 draws, but the study expects 61"),
            "{failure}"
        );
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, &text[..text.len() - 3]).unwrap();
        let failure = stored("").unwrap_err().to_string();
        assert!(failure.contains("cut short"), "{failure}");
    }
}
