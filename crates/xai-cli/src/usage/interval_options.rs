//! The options of intervals over samples.

use clap::Args;
use xai_metrics::attribution::input;
use xai_metrics::core::Input;
use xai_metrics::core::evaluation::Statistics;

use crate::Context;

/// How intervals over samples are made.
#[derive(Debug, Args)]
pub(crate) struct IntervalOptions {
    /// The coverage of the intervals.
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.95,
        allow_hyphen_values = true
    )]
    pub(crate) level: f64,
    /// Bootstrap replicates behind each interval; 0 makes none.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) n_replicates: usize,
}

impl IntervalOptions {
    /// What errors call them.
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
