//! Entries of the list of metrics.

use std::fmt;

use xai_core::describe::{Described, MetricEntry, Parameters, Value, with};
use xai_core::{Input, Result};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::outcome::Outcome;
use crate::data_attribution::values::TestCaseValues;
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// A metric of training-data attribution: its description, its parameters, and how it is computed.
pub type Entry = MetricEntry<Computation>;

/// Starts the computation of a metric with some of its parameters set.
#[derive(Clone, Copy)]
pub struct Computation(pub(super) Start);

type Start = for<'d> fn(&[(String, Value)], &'d AttributionData<'_>) -> Result<Started<'d>>;

/// A computation that has read everything but the attributions.
pub(super) enum Started<'d> {
    /// Reads the rows of attributions, together with other metrics, and makes an outcome of the values.
    Rows(RowFunction<'d>, MakeOutcome<'d>),
    /// Needs no attributions.
    Done(Outcome),
}

pub(super) type MakeOutcome<'d> = Box<dyn FnOnce(Vec<Option<f64>>) -> Outcome + 'd>;

/// A metric that the list can hold. Every [`AttributionMetric`] is one.
pub(super) trait ListedMetric: Described + Parameters + Default + 'static {
    /// Inputs that the metric uses if they are given.
    const OPTIONAL: &'static [Input] = &[];

    /// Checks the data, and computes what needs no attributions.
    fn start<'d>(&self, data: &'d AttributionData<'_>) -> Result<Started<'d>>;
}

impl<M: AttributionMetric + Default + 'static> ListedMetric for M {
    const OPTIONAL: &'static [Input] = &[input::KEEP];

    fn start<'d>(&self, data: &'d AttributionData<'_>) -> Result<Started<'d>> {
        let outcome = |values| TestCaseValues::new(values).into();
        Ok(Started::Rows(self.row_function(data)?, Box::new(outcome)))
    }
}

/// The entry of a metric.
pub(super) const fn entry<M: ListedMetric>() -> Entry {
    let start =
        Computation(|settings, data| with(M::default(), settings.iter().cloned())?.start(data));
    MetricEntry::new(M::INFO, start)
        .kind("data attribution")
        .optional(M::OPTIONAL)
        .with_parameters::<M>()
}

impl fmt::Debug for Computation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Computation")
    }
}
