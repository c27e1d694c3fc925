//! A metric of the list.

use std::fmt;

use xai_core::describe::{MetricInfo, Param, Parameters, Value, with};
use xai_core::evaluation::parameter_settings;
use xai_core::{Input, Result};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::outcome::Outcome;
use crate::data_attribution::values::TestCaseValues;
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// A metric that reads attributions, ready to walk over them, and what is made of its values.
pub(super) struct Reading<'d> {
    pub(super) row_function: RowFunction<'d>,
    pub(super) outcome: Box<dyn FnOnce(Vec<Option<f64>>) -> Outcome + 'd>,
}

pub(super) type Settings<'s> = &'s [(String, Value)];

/// How a metric of the list is made and computed.
#[derive(Clone, Copy)]
pub(super) enum Compute {
    /// Over the attributions, in one walk with others.
    Rows(for<'d> fn(Settings<'_>, &'d AttributionData<'_>) -> Result<Reading<'d>>),
    /// From other arrays.
    Whole(fn(Settings<'_>, &AttributionData<'_>) -> Result<Outcome>),
}

/// A metric of the list: what it says of itself, its parameters, and how it is made.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name, question, direction, range, needs and source.
    pub info: &'static MetricInfo,
    /// What it takes beside what it needs, or in place of it.
    pub also: &'static [Input],
    params: fn() -> Vec<Param>,
    /// The parameters with some of them set.
    set: fn(Settings<'_>) -> Result<Vec<Param>>,
    pub(super) compute: Compute,
}

impl Entry {
    /// A metric with one value per test case.
    pub(super) const fn of<M: AttributionMetric + Default>() -> Self {
        Self {
            info: M::INFO,
            also: &[input::KEEP],
            params: || M::default().params(),
            set: |settings| made::<M>(settings).map(|metric| metric.params()),
            compute: Compute::Rows(|settings, data| {
                Ok(Reading {
                    row_function: made::<M>(settings)?.row_function(data)?,
                    outcome: Box::new(|values| TestCaseValues::new(values).into()),
                })
            }),
        }
    }

    /// A metric that makes something else of the attributions.
    pub(super) const fn of_all<M: Parameters + Default>(
        info: &'static MetricInfo,
        read: for<'d> fn(Settings<'_>, &'d AttributionData<'_>) -> Result<Reading<'d>>,
    ) -> Self {
        Self {
            info,
            also: &[input::KEEP],
            params: || M::default().params(),
            set: |settings| made::<M>(settings).map(|metric| metric.params()),
            compute: Compute::Rows(read),
        }
    }

    /// A metric that reads no attributions.
    pub(super) const fn of_arrays<M: Parameters + Default>(
        info: &'static MetricInfo,
        evaluate: fn(Settings<'_>, &AttributionData<'_>) -> Result<Outcome>,
    ) -> Self {
        Self {
            info,
            also: &[],
            params: || M::default().params(),
            set: |settings| made::<M>(settings).map(|metric| metric.params()),
            compute: Compute::Whole(evaluate),
        }
    }

    pub(super) const fn taking(mut self, also: &'static [Input]) -> Self {
        self.also = also;
        self
    }

    /// The name as tables and JSON have it: `class_detection`.
    #[must_use]
    pub fn key(&self) -> String {
        self.info.name.replace('-', "_")
    }

    /// Whether it takes these settings of its parameters.
    ///
    /// # Errors
    /// `InvalidParameter` for a parameter that it has not, or a value outside its domain.
    pub fn check(&self, settings: &[(String, Value)]) -> Result<()> {
        (self.set)(settings).map(drop)
    }

    /// The values of all its parameters as text, some of them set.
    pub(super) fn settings(&self, settings: &[(String, Value)]) -> Result<Vec<(String, String)>> {
        (self.set)(settings).map(|params| parameter_settings(&params))
    }

    /// Its parameters, with their defaults as values.
    #[must_use]
    pub fn params(&self) -> Vec<Param> {
        (self.params)()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.info.name).finish()
    }
}

/// A metric with some parameters set by name.
pub(super) fn made<M: Parameters + Default>(settings: Settings<'_>) -> Result<M> {
    with(M::default(), settings.iter().cloned())
}
