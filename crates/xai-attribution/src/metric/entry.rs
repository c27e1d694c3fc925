//! What the registry has of a metric.

use xai_core::describe::{Direction, MetricInfo, Param, Value, with};
use xai_core::{Error, Input, Layout, Real, Result};

use crate::metric::protocol::{Measure, Registered, key};
use crate::{help, input};

/// A metric of the registry: what it is, its parameters, and how it is made.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Name, question, direction, range, needs and source.
    pub info: &'static MetricInfo,
    build: Option<Build>,
}

/// Settings of parameters by name, and whether draws are given.
type Make<T> = fn(&[(String, Value)], bool) -> Result<Box<dyn Measure<T>>>;

#[derive(Debug, Clone, Copy)]
struct Build {
    params: fn() -> Vec<Param>,
    takes: &'static [Layout],
    draws: Option<Input>,
    #[cfg(feature = "f32")]
    single: Make<f32>,
    double: Make<f64>,
}

fn made<M: Registered>(settings: &[(String, Value)], draws_are_given: bool) -> Result<M> {
    let metric = with(M::default(), settings.iter().cloned())?;
    match M::GIVEN_DRAWS {
        Some(given) if draws_are_given => Ok((given.take)(metric)),
        _ => Ok(metric),
    }
}

/// `f32` (with the feature `f32`) or `f64`: which of the two a metric is made for.
#[diagnostic::on_unimplemented(
    message = "no metric is made by name for `{Self}`",
    note = "for `f32` turn on the feature `f32` of xai-attribution or xai-metrics"
)]
pub trait Precision: Real {
    #[doc(hidden)]
    fn make(entry: &Entry) -> Option<Make<Self>>;
}

#[cfg(feature = "f32")]
impl Precision for f32 {
    fn make(entry: &Entry) -> Option<Make<Self>> {
        Some(entry.build?.single)
    }
}

impl Precision for f64 {
    fn make(entry: &Entry) -> Option<Make<Self>> {
        Some(entry.build?.double)
    }
}

impl Entry {
    /// A metric that is computed batch by batch.
    #[must_use]
    pub const fn of<M: Registered + Measure<f32> + Measure<f64>>() -> Self {
        Self {
            info: M::INFO,
            build: Some(Build {
                params: || M::default().params(),
                takes: M::TAKES,
                draws: match M::GIVEN_DRAWS {
                    Some(given) => Some(given.input),
                    None => None,
                },
                #[cfg(feature = "f32")]
                single: |settings, given| Ok(Box::new(made::<M>(settings, given)?)),
                double: |settings, given| Ok(Box::new(made::<M>(settings, given)?)),
            }),
        }
    }

    /// A metric that is not computed batch by batch, and has a function of its own.
    #[must_use]
    pub const fn alone(info: &'static MetricInfo) -> Self {
        Self { info, build: None }
    }

    /// The name as tables and JSON have it: `average_drop`.
    #[must_use]
    pub fn key(&self) -> String {
        key(self.info)
    }

    /// Whether [`build`](Self::build) makes it.
    #[must_use]
    pub fn is_built(&self) -> bool {
        self.build.is_some()
    }

    /// Whether it relates the samples of a data set to each other, so that the values of parts are not
    /// those of the whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let metric = self.build::<f64>(&[]);
        metric.is_ok_and(|metric| {
            metric
                .dataset_metric()
                .is_some_and(|whole| !whole.is_splittable())
        })
    }

    /// Its parameters, with their defaults as values.
    #[must_use]
    pub fn params(&self) -> Vec<Param> {
        self.build.map_or_else(Vec::new, |build| (build.params)())
    }

    /// Which values are better with some parameters set by name, defaults for the others.
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

    /// Whether it has a parameter of a name.
    #[must_use]
    pub fn has_param(&self, name: &str) -> bool {
        self.params().iter().any(|param| param.name == name)
    }

    /// Whether it has values for inputs of a layout, by its defaults. One with a call of its own says no.
    #[must_use]
    pub fn takes(&self, layout: Layout) -> bool {
        self.build
            .is_some_and(|build| build.takes.contains(&layout))
    }

    /// What it draws, as an input that was drawn elsewhere, for metrics that can take it: see
    /// [`build_with_draws`](Self::build_with_draws).
    #[must_use]
    pub fn draws(&self) -> Option<Input> {
        self.build?.draws
    }

    /// The metric with some parameters set by name, defaults for the others.
    ///
    /// # Errors
    /// An invalid parameter for one that it has not, for a value that is not of the parameter's kind, and for a
    /// metric with a call of its own.
    pub fn build<T: Precision>(&self, settings: &[(String, Value)]) -> Result<Box<dyn Measure<T>>> {
        self.make(settings, false)
    }

    /// The metric that takes its draws from the side input that [`draws`](Self::draws) names.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with_draws<T: Precision>(
        &self,
        settings: &[(String, Value)],
    ) -> Result<Box<dyn Measure<T>>> {
        self.make(settings, true)
    }

    fn make<T: Precision>(
        &self,
        settings: &[(String, Value)],
        draws_are_given: bool,
    ) -> Result<Box<dyn Measure<T>>> {
        match T::make(self) {
            Some(make) => make(settings, draws_are_given),
            None => {
                let expected = "a metric that is computed batch by batch";
                Err(Error::parameter(input::METRIC, self.info.name, expected)
                    .with_help(help::CALL_DIRECTLY))
            }
        }
    }
}
