//! How neighbours are weighted.

use clap::Args;
use xai_files::classes::Classes;
use xai_files::failure::{Failure, Files, InFiles};
use xai_files::options::Weighting;
use xai_metrics::casebased::{ClassWeights, Kernel, Thresholds, help, input};
use xai_metrics::core::input::{BANDWIDTH, EXPONENT, OFFSET};

/// How neighbours are weighted.
#[derive(Debug, Args)]
pub(super) struct Weights {
    #[command(flatten)]
    weighting: Weighting,
    /// What a class counts; one without a weight counts 1. May be repeated.
    #[arg(
        long = "class-weight",
        value_name = "L=W",
        value_parser = class_weight,
        allow_hyphen_values = true
    )]
    class_weights: Vec<(String, f64)>,
    /// Correspondence from which the level is high. Default: 0.85.
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    high: Option<f64>,
    /// Correspondence from which the level is medium. Default: 0.70.
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    medium: Option<f64>,
}

fn class_weight(text: &str) -> Result<(String, f64), &'static str> {
    let parse = || {
        let (label, weight) = text.rsplit_once('=')?;
        let label = label.trim();
        (!label.is_empty()).then_some((label.to_owned(), weight.trim().parse().ok()?))
    };
    parse().ok_or("expected LABEL=WEIGHT, for instance 1=2.5 or benign=2.5")
}

impl Weights {
    pub(super) fn kernel(&self) -> Kernel {
        self.weighting.kernel()
    }

    pub(super) fn thresholds(&self) -> Result<Thresholds, Failure> {
        let default = Thresholds::default();
        Thresholds::new(
            self.high.unwrap_or(default.high()),
            self.medium.unwrap_or(default.medium()),
        )
        .in_files(&Self::options())
    }

    /// The classes with a weight of their own.
    pub(super) fn of_classes(&self, classes: &Classes) -> Result<Vec<(i64, f64)>, Failure> {
        let of_class = |(label, weight): &(String, f64)| match classes.known(label) {
            Ok(label) => Ok((label, *weight)),
            Err(expected) => Err(Failure::of_option(
                "--class-weight",
                format_args!("expected {expected}"),
            )
            .with_value(format_args!("{label}={weight}"))),
        };
        self.class_weights.iter().map(of_class).collect()
    }

    /// Checks the weights before anything is read.
    pub(super) fn check(&self) -> Result<(), Failure> {
        for (label, weight) in &self.class_weights {
            let checked = ClassWeights::new([(label.parse().unwrap_or(0), *weight)]);
            checked.in_files(&Self::options())?;
        }
        Ok(())
    }

    pub(super) fn any_given(&self) -> bool {
        self.weighting.kernel.is_some()
            || self.high.is_some()
            || self.medium.is_some()
            || !self.class_weights.is_empty()
    }

    /// The options of the parameters, and advice in terms of options.
    pub(super) fn options() -> Files<'static> {
        Files::new()
            .options(&[
                (input::HIGH, "--high"),
                (input::MEDIUM, "--medium"),
                (input::CLASS_WEIGHTS, "--class-weight"),
                (input::WEIGHTING, "--weighting"),
                (EXPONENT, "--weighting"),
                (OFFSET, "--weighting"),
                (BANDWIDTH, "--weighting"),
            ])
            .ways_out(&[(
                help::SCALE_WEIGHTS_DOWN,
                "scale the class weights down, or choose another --weighting",
            )])
    }
}
