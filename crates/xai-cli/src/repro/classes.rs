//! `xai repro simulate classes`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use xai_metrics::repro::ClassDistribution;

use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// `--kind`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Every class equally likely.
    Flat,
    /// Nearly so.
    Balanced,
    /// Independent uniform heights.
    Uniform,
    /// From nearly flat to very skewed.
    Exponential,
    /// A few frequent classes.
    Multimodal,
    /// A staircase.
    Step,
}

impl From<Kind> for ClassDistribution {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Flat => Self::Flat,
            Kind::Balanced => Self::Balanced,
            Kind::Uniform => Self::Uniform,
            Kind::Exponential => Self::EXPONENTIAL,
            Kind::Multimodal => Self::MultiModal,
            Kind::Step => Self::Step,
        }
    }
}

/// `xai repro simulate classes`
#[derive(Debug, Args)]
pub(crate) struct Classes {
    /// The shape.
    #[arg(long, value_enum)]
    kind: Kind,
    /// The number of classes.
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..))]
    n_classes: u32,
    /// How many distributions to draw.
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u32,
    /// The rarest class first.
    #[arg(long)]
    reversed: bool,
    /// Write a row a draw.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct ClassesResult {
    probabilities: Vec<Vec<f64>>,
}

impl Classes {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let law = ClassDistribution::from(self.kind);
        let probabilities = (0..u64::from(self.draws))
            .map(|draw| {
                let mut p = law.draw(self.n_classes as usize, context.seed, draw)?;
                if self.reversed {
                    p.reverse();
                }
                Ok(p)
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        if let Some(out) = &self.out {
            let header: Vec<String> = (0..self.n_classes).map(|c| format!("class_{c}")).collect();
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            let rows = probabilities
                .iter()
                .map(|p| p.iter().map(f64::to_string).collect::<Vec<_>>());
            output::write_csv(out, &header, rows)?;
        }
        let result = ClassesResult { probabilities };
        context.present(&result, || {
            let rows = result.probabilities.iter().enumerate().map(|(draw, p)| {
                let p: Vec<String> = p.iter().map(|x| format!("{x:.4}")).collect();
                [draw.to_string(), p.join(" ")]
            });
            output::table(&["draw", "probabilities"], rows)
        })
    }
}
