//! What each class counts.

use clap::Args;
use xai_files::classes::Classes;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::casebased::{ClassWeights, input};

/// What each class counts.
#[derive(Debug, Args)]
pub(super) struct WeightsOfClasses {
    /// What a class counts; one without a weight counts 1. May be repeated.
    #[arg(
        long = "class-weight",
        value_name = "L=W",
        value_parser = class_weight,
        allow_hyphen_values = true
    )]
    class_weights: Vec<(String, f64)>,
}

fn class_weight(text: &str) -> Result<(String, f64), &'static str> {
    let parse = || {
        let (label, weight) = text.rsplit_once('=')?;
        let label = label.trim();
        (!label.is_empty()).then_some((label.to_owned(), weight.trim().parse().ok()?))
    };
    parse().ok_or("expected LABEL=WEIGHT, for instance 1=2.5 or benign=2.5")
}

impl WeightsOfClasses {
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
        !self.class_weights.is_empty()
    }

    /// The option.
    pub(super) fn options() -> Files<'static> {
        Files::new().options(&[(input::CLASS_WEIGHTS, "--class-weight")])
    }
}
