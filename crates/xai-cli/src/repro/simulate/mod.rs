//! `xai repro simulate`

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use xai_files::{Failure, InFiles};
use xai_metrics::repro::simulate::ClassSimulator;

use crate::output::{rows, text};
use crate::{Context, Described, examples};

pub(crate) mod study;

/// Commands of the group `repro simulate`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Draws class distributions of a given shape.
    Classes(Classes),
    /// Simulation study: how each metric behaves on runs whose accuracy and dependence are known.
    Study(study::StudyCommand),
}

/// Runs one command of the group.
pub(super) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Classes(command) => command.run(context),
        Command::Study(command) => command.run(context),
    }
}

/// Most probabilities of one call. All are kept in memory, 8 bytes each.
const MAX_PROBABILITIES: u64 = 100_000_000;

/// `xai repro simulate classes`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai repro simulate classes --kind exponential --n-classes 10 --draws 5 --seed 1"]))]
pub(crate) struct Classes {
    #[command(flatten)]
    classes: Described<ClassSimulator>,
    /// Number of distributions to draw.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::whole_number::in_range(1..=u32::MAX))]
    draws: u32,
    /// Write a row per draw with the probability of each class.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Classes {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let classes = self.classes.read_seeded(context)?;
        let n_classes = classes.n() as u64;
        if n_classes.saturating_mul(u64::from(self.draws)) > MAX_PROBABILITIES {
            let (option, value) = if n_classes > MAX_PROBABILITIES {
                ("--n-classes", n_classes)
            } else {
                ("--draws", u64::from(self.draws))
            };
            let what = format_args!("these are more than {MAX_PROBABILITIES} probabilities");
            return Err(Failure::for_option(option, what)
                .with_value(value)
                .help("draw fewer at a time, each with another --seed"));
        }
        let bar = context.progress(u64::from(self.draws), "distributions");
        let draw = |draw| {
            let p = classes.draw(draw)?;
            bar.inc(1);
            Ok(p)
        };
        let probabilities = (0..u64::from(self.draws))
            .map(draw)
            .collect::<xai_metrics::Result<Vec<_>>>()
            .in_files(&Described::<ClassSimulator>::options())?;
        rows::write(
            self.out.as_deref(),
            (0..n_classes).map(|class| format!("class_{class}")),
            probabilities.iter().map(|p| p.iter().map(f64::to_string)),
        )?;
        bar.finish_and_clear();
        let result = BTreeMap::from([("probabilities", &probabilities)]);
        context.present(&result, || {
            let rows = probabilities.iter().enumerate().map(|(draw, p)| {
                let p: Vec<String> = p.iter().map(|x| format!("{x:.4}")).collect();
                [draw.to_string(), p.join(" ")]
            });
            text::table(&["draw", "probabilities"], rows)
        })
    }
}
