//! Entries of the registry of attribution metrics.

use std::ops::Deref;

use xai_core::Direction;
use xai_core::describe::{MetricEntry, MetricInfo, NamedMetric, Value, with};
use xai_core::{Error, Input, InputLayout, Real, Result};

use crate::metric::protocol::{Measure, Registered};
use crate::{help, input};

/// A metric of the registry: its [description and parameters](MetricEntry), and how it is built.
#[derive(Debug, Clone, Copy)]
pub struct Entry(MetricEntry<Option<Builder>>);

/// Builds a metric from settings of its parameters; `true` stands for draws from a side input.
type Build<T> = fn(&[(String, Value)], bool) -> Result<Box<dyn Measure<T>>>;

/// How a metric that is computed batch by batch is built.
#[derive(Debug, Clone, Copy)]
pub struct Builder {
    layouts: &'static [InputLayout],
    draws: Option<Input>,
    #[cfg(feature = "f32")]
    single: Build<f32>,
    double: Build<f64>,
}

fn build<M: Registered>(settings: &[(String, Value)], draws_are_given: bool) -> Result<M> {
    let metric = with(M::default(), settings.iter().cloned())?;
    match M::PRECOMPUTED_DRAWS {
        Some(given) if draws_are_given => Ok((given.take)(metric)),
        _ => Ok(metric),
    }
}

/// A type of numbers that metrics can be built for by name: `f64`, and `f32` with the feature `f32`.
#[diagnostic::on_unimplemented(
    message = "no metric is made by name for `{Self}`",
    note = "for `f32` turn on the feature `f32` of xai-attribution or xai-metrics"
)]
pub trait Precision: Real {
    #[doc(hidden)]
    fn build(builder: &Builder) -> Build<Self>;
}

#[cfg(feature = "f32")]
impl Precision for f32 {
    fn build(builder: &Builder) -> Build<Self> {
        builder.single
    }
}

impl Precision for f64 {
    fn build(builder: &Builder) -> Build<Self> {
        builder.double
    }
}

impl Entry {
    /// Creates the entry of a metric that is computed batch by batch.
    #[must_use]
    pub const fn new<M: Registered + Measure<f32> + Measure<f64>>() -> Self {
        let builder = Builder {
            layouts: M::TAKES,
            draws: match M::PRECOMPUTED_DRAWS {
                Some(given) => Some(given.input),
                None => None,
            },
            #[cfg(feature = "f32")]
            single: |settings, given| Ok(Box::new(build::<M>(settings, given)?)),
            double: |settings, given| Ok(Box::new(build::<M>(settings, given)?)),
        };
        Self(MetricEntry::new(M::INFO, Some(builder)).with_parameters::<M>())
    }

    /// Creates the entry of a metric that is not computed batch by batch, but by a function of its own.
    #[must_use]
    pub const fn with_own_function(info: &'static MetricInfo) -> Self {
        Self(MetricEntry::new(info, None))
    }

    /// Whether [`build`](Self::build) builds the metric; otherwise it has a function of its own.
    #[must_use]
    pub fn is_built(&self) -> bool {
        self.computation.is_some()
    }

    /// Whether the metric relates the samples of a data set to each other, so that values of parts of the data set
    /// cannot be joined.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let metric = self.build::<f64>(&[]);
        metric.is_ok_and(|metric| {
            metric
                .dataset_metric()
                .is_some_and(|whole| !whole.is_splittable())
        })
    }

    /// Which values are better with some parameters set by name and defaults for the others.
    ///
    /// ```
    /// use xai_attribution::metric::{Direction, registry::find};
    /// let log_odds = find("log-odds")?;
    /// assert_eq!(log_odds.info.direction, Direction::Lower);
    /// assert_eq!(log_odds.direction(&[("keep".into(), true.into())])?, Direction::Higher);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn direction(&self, settings: &[(String, Value)]) -> Result<Direction> {
        if self.is_built() {
            Ok(self.build::<f64>(settings)?.direction())
        } else {
            Ok(self.info.direction)
        }
    }

    /// Whether the metric, with its defaults, has values for inputs of a layout. `false` for one with a function of
    /// its own.
    #[must_use]
    pub fn takes(&self, layout: InputLayout) -> bool {
        self.computation
            .is_some_and(|builder| builder.layouts.contains(&layout))
    }

    /// The side input that can replace the random draws of the metric, see
    /// [`build_with_draws`](Self::build_with_draws).
    #[must_use]
    pub fn draws(&self) -> Option<Input> {
        self.computation?.draws
    }

    /// Builds the metric with some parameters set by name and defaults for the others.
    ///
    /// # Errors
    /// An invalid parameter for a name that the metric does not have, for a value that is not of the parameter's kind,
    /// and for a metric with a function of its own.
    pub fn build<T: Precision>(&self, settings: &[(String, Value)]) -> Result<Box<dyn Measure<T>>> {
        self.build_from(settings, false)
    }

    /// Builds the metric so that it takes its draws from the side input that [`draws`](Self::draws) names.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with_draws<T: Precision>(
        &self,
        settings: &[(String, Value)],
    ) -> Result<Box<dyn Measure<T>>> {
        self.build_from(settings, true)
    }

    fn build_from<T: Precision>(
        &self,
        settings: &[(String, Value)],
        draws_are_given: bool,
    ) -> Result<Box<dyn Measure<T>>> {
        match &self.computation {
            Some(builder) => T::build(builder)(settings, draws_are_given),
            None => {
                let expected = "a metric that is computed batch by batch";
                Err(Error::parameter(input::METRIC, self.info.name, expected)
                    .with_help(help::CALL_DIRECTLY))
            }
        }
    }
}

// All entries of a registry are read alike; those of this family can also be built.
impl Deref for Entry {
    type Target = MetricEntry<Option<Builder>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl NamedMetric for Entry {
    fn info(&self) -> &'static MetricInfo {
        self.0.info
    }
}
