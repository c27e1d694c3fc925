//! The section `[[simulation]]`: results of `xai repro simulate study`.

use std::path::{Path, PathBuf};

use xai_files::{Files, InFile, InFiles};
use xai_metrics::repro::study::{StudyDraw, read_draws};
use xai_report::sections::simulation::Simulation;

use crate::output::text::{decimals, table};
use crate::report::section::{
    Context, Failure, Origin, Prepared, Report, SectionCommand, SectionKeys, SectionKind,
    StudySection, into_report,
};
use crate::repro::simulate::study::{StudyCommand, StudyResult};

/// Keys that only studies have.
#[derive(Debug, clap::Args)]
struct Draws {
    /// Draws that `xai repro simulate study --out` wrote. Default: the draws are simulated.
    #[arg(long, value_name = "DRAWS.csv")]
    draws: Option<PathBuf>,
}

const COMMANDS: &[SectionCommand] = &[
    SectionCommand::new::<StudyCommand>(&["repro", "simulate", "study"], &["out"]),
    SectionCommand::study_keys::<Draws>(),
];

pub(super) struct SimulationSection;

impl StudySection for SimulationSection {
    fn kind(&self) -> &'static SectionKind {
        &Simulation::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        COMMANDS.to_vec()
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        let (line, arguments) = keys.command(0)?;
        let (draws_line, Draws { draws }) = keys.command(1)?;
        let section = move |origin, context: &Context| {
            evaluate(&arguments, draws.as_deref(), origin, context)
        };
        let evaluate = into_report(section, |report| &mut report.simulation);
        Ok(keys.prepared(evaluate, &[line, draws_line]))
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

/// Summarizes the draws of a file, or simulates them as `xai repro simulate study` does.
fn evaluate(
    arguments: &StudyCommand,
    draws: Option<&Path>,
    origin: Origin,
    context: &Context,
) -> Result<Simulation, Failure> {
    let result = match draws {
        None => arguments.evaluate(context)?,
        Some(file) => {
            let draws = read_complete(file, arguments.iterations())?;
            StudyResult::new(&draws, &Files::with_main_file(file))?
        }
    };
    Ok(Simulation::new(origin, &result.summary, &result.profiles))
}

/// Reads the draws of a file. Fails for an incomplete file, which an interrupted study may have left.
fn read_complete(file: &Path, iterations: Option<u64>) -> Result<Vec<StudyDraw>, Failure> {
    let help =
        "run `xai repro simulate study --out` again, which continues where it was interrupted";
    let bytes = std::fs::read(file)
        .map_err(Failure::cannot_be_opened)
        .in_file(file)?;
    let (draws, n_bytes) = read_draws(bytes.as_slice()).in_files(&Files::with_main_file(file))?;
    if n_bytes < bytes.len() as u64 {
        let failure = Failure::new("cut short: the last line is incomplete").in_file(file);
        return Err(failure.help(help));
    }
    let n = draws.len() as u64;
    if n == 0 {
        return Err(Failure::new("no draws").in_file(file).help(help));
    }
    match iterations {
        Some(expected) if expected != n => {
            let failure = Failure::new(format!("{n} draws, but the study expects {expected}"));
            let help = format!("{help}, or correct `iterations`");
            Err(failure.in_file(file).help(help))
        }
        _ => Ok(draws),
    }
}

#[cfg(test)]
mod tests {
    use xai_metrics::repro::study::{StudySettings, write_draws, write_header};
    use xai_metrics::repro::{SimulationStudy, metrics};

    use super::*;
    use crate::report::sections::testing::{context, origin, parsed};

    fn command(line: &str) -> StudyCommand {
        parsed(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn stored_draws_give_the_results_of_simulated_ones() {
        let line = "--iterations 60 --n-samples 50 --n-runs 3";
        let simulated = evaluate(&command(line), None, origin(), &context()).unwrap();
        let n_metrics = metrics::PAIR_METRICS.len() + 3; // three coefficients are over all runs at once
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
        let settings = StudySettings::default().n_samples(50).n_runs(3);
        let study = SimulationStudy::new(settings.seed(context().seed()));
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
