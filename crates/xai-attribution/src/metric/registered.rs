//! Metrics that the registry can make.

use std::fmt::Debug;

use xai_core::describe::MetricInfo;
use xai_core::{Input, Layout};

use crate::metric::Metric;

/// The layouts of metrics for images only.
pub const IMAGES_ONLY: &[Layout] = &[Layout::ChannelsLast, Layout::ChannelsFirst];

/// What a metric draws, as an input that was drawn elsewhere: to repeat another tool's run.
pub struct GivenDraws<M> {
    /// The side input: [`GivenSubsets`](crate::perturbation::GivenSubsets) and its like.
    pub input: Input,
    /// The metric that takes it.
    pub take: fn(M) -> M,
}

/// A metric that the registry can make: with the defaults of its parameters, some of which are then set.
pub trait Registered: Metric + Default + Debug + 'static {
    /// Name, question, direction, range, needs and source.
    const INFO: &'static MetricInfo;

    /// The layouts of inputs that it has values for.
    const TAKES: &'static [Layout] = &[
        Layout::Tabular,
        Layout::TimeSeries,
        Layout::ChannelsLast,
        Layout::ChannelsFirst,
    ];

    /// Draws that were made elsewhere, which it can take instead of its own.
    const GIVEN_DRAWS: Option<GivenDraws<Self>> = None;
}
