//! `xai repro simulate classes`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_files::failure::{Failure, Files, InFiles};
use xai_metrics::repro::{ClassDistribution, input};

use crate::choice::{Choices, choice};
use crate::context::Context;
use crate::output::{rows, text};
use crate::usage::examples;

const KINDS: &Choices<ClassDistribution> = &[
    (
        "flat",
        ClassDistribution::Flat,
        "Every class equally likely",
    ),
    ("balanced", ClassDistribution::Balanced, "Nearly so"),
    (
        "uniform",
        ClassDistribution::Uniform,
        "Independent uniform heights",
    ),
    (
        "exponential",
        ClassDistribution::EXPONENTIAL,
        "From nearly flat to very skewed",
    ),
    (
        "multimodal",
        ClassDistribution::MultiModal,
        "A few frequent classes",
    ),
    ("step", ClassDistribution::Step, "A staircase"),
];

/// The distributions are in memory: more classes than anybody has, and a gigabyte of them.
const MOST_CLASSES: i64 = 1_000_000;
const MOST_NUMBERS: u64 = 100_000_000;

/// `xai repro simulate classes`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&["xai repro simulate classes --kind exponential --n-classes 10 --draws 5 --seed 1"]))]
pub(crate) struct Classes {
    /// The shape.
    #[arg(long, value_parser = choice(KINDS))]
    kind: ClassDistribution,
    /// The number of classes.
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..=MOST_CLASSES))]
    n_classes: u32,
    /// How many distributions to draw.
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u32,
    /// The rarest class first.
    #[arg(long)]
    reversed: bool,
    /// Write a row per draw.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct ClassesResult {
    probabilities: Vec<Vec<f64>>,
}

impl Classes {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        if u64::from(self.n_classes) * u64::from(self.draws) > MOST_NUMBERS {
            return Err(Failure::of_option(
                "--draws",
                format_args!("more than {MOST_NUMBERS} probabilities at once"),
            )
            .with_value(self.draws)
            .help("draw fewer at a time, with another --seed each"));
        }
        let bar = context.progress(u64::from(self.draws), "distributions");
        let draw = |draw| {
            let mut p = self
                .kind
                .draw(self.n_classes as usize, context.seed(), draw)?;
            if self.reversed {
                p.reverse();
            }
            bar.inc(1);
            Ok(p)
        };
        let probabilities = (0..u64::from(self.draws))
            .map(draw)
            .collect::<xai_metrics::Result<Vec<_>>>()
            .in_files(&Files::new().options(&[(input::N_CLASSES, "--n-classes")]))?;
        rows::write(
            self.out.as_deref(),
            (0..self.n_classes).map(|class| format!("class_{class}")),
            probabilities.iter().map(|p| p.iter().map(f64::to_string)),
        )?;
        bar.finish_and_clear();
        let result = ClassesResult { probabilities };
        context.present(&result, || {
            let rows = result.probabilities.iter().enumerate().map(|(draw, p)| {
                let p: Vec<String> = p.iter().map(|x| format!("{x:.4}")).collect();
                [draw.to_string(), p.join(" ")]
            });
            text::table(&["draw", "probabilities"], rows)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_option_are_those_of_the_library() {
        for (word, kind, _) in KINDS {
            assert_eq!(word.parse::<ClassDistribution>().unwrap(), *kind);
        }
    }
}
