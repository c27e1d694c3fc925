//! `xai casebased`

mod audit;
mod cases;
mod correspondence;
mod explain;
mod fit;
mod fitting;

use clap::Args;
use xai_metrics::casebased::{ClassWeights, Kernel, Thresholds};

use crate::context::Context;
use crate::failure::Failure;

pub(crate) use cases::{Samples, Training};
pub(crate) use explain::{ExplanationResult, mean_correspondence};

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Correspondence of one prediction with neighbours given as a table.
    Correspondence(correspondence::CorrespondenceOfTable),
    /// The nearest training cases of every test row, and how far they agree with its prediction.
    Explain(explain::Explain),
    /// A whole test file in one report, read piece by piece: correspondence by class and by right
    /// or wrong, its calibration, and the least supported predictions.
    Audit(audit::AuditOfTable),
    /// Fits an explainer and stores it, for `explain --explainer` and `audit --explainer`.
    Fit(fit::Fit),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Correspondence(command) => command.run(context),
        Command::Explain(command) => command.run(context),
        Command::Audit(command) => command.run(context),
        Command::Fit(command) => command.run(context),
    }
}

/// How neighbours are weighted.
#[derive(Debug, Args)]
struct Weights {
    /// inverse-cube, uniform, inverse-power:P, gaussian:H or exponential:H. Default: inverse-cube.
    #[arg(long, value_name = "KERNEL")]
    weighting: Option<Kernel>,
    /// What a class counts; one without a weight counts 1. May be repeated.
    #[arg(long = "class-weight", value_name = "L=W", value_parser = class_weight)]
    class_weights: Vec<(i64, f64)>,
    /// Correspondence from which the level is high. Default: 0.85.
    #[arg(long, value_name = "SHARE")]
    high: Option<f64>,
    /// Correspondence from which the level is medium. Default: 0.70.
    #[arg(long, value_name = "SHARE")]
    medium: Option<f64>,
}

fn class_weight(text: &str) -> Result<(i64, f64), String> {
    let parse = || {
        let (label, weight) = text.split_once('=')?;
        Some((label.trim().parse().ok()?, weight.trim().parse().ok()?))
    };
    parse().ok_or_else(|| "expected LABEL=WEIGHT, for instance 1=2.5".to_owned())
}

impl Weights {
    fn kernel(&self) -> Kernel {
        self.weighting.unwrap_or_default()
    }

    /// Parameters outside their domain are wrong usage.
    fn thresholds(&self) -> Result<Thresholds, Failure> {
        let default = Thresholds::default();
        Thresholds::new(
            self.high.unwrap_or(default.high()),
            self.medium.unwrap_or(default.medium()),
        )
        .map_err(Failure::usage)
    }

    fn class_weights(&self) -> Result<ClassWeights, Failure> {
        ClassWeights::new(self.class_weights.iter().copied()).map_err(Failure::usage)
    }

    fn any_given(&self) -> bool {
        self.weighting.is_some()
            || self.high.is_some()
            || self.medium.is_some()
            || !self.class_weights.is_empty()
    }
}
