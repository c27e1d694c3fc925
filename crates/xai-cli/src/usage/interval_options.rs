//! Options of confidence intervals over samples.

use clap::Args;
use xai_metrics::attribution::input;
use xai_metrics::common::Input;
use xai_metrics::common::evaluation::Statistics;

use crate::Context;

/// Options of confidence intervals over samples.
#[derive(Debug, Args)]
pub(crate) struct IntervalOptions {
    /// Coverage of the confidence intervals, between 0 and 1.
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.95,
        allow_hyphen_values = true
    )]
    pub(crate) level: f64,
    /// Bootstrap replicates per confidence interval; 0 computes no intervals.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) n_replicates: usize,
}

impl IntervalOptions {
    /// Names of the options in errors about the library's inputs.
    pub(crate) const NAMES: [(Input, &'static str); 2] = [
        (input::LEVEL, "--level"),
        (input::N_REPLICATES, "--n-replicates"),
    ];

    pub(crate) fn statistics(&self, context: &Context) -> Statistics {
        Statistics {
            level: self.level,
            replicates: self.n_replicates,
            seed: context.seed(),
        }
    }
}
