//! What the registry knows about a metric.

use std::fmt::Debug;

use xai_core::{Error, Input, Layout, MetricInfo, Real, Result};

use crate::metric::options::{OptionInfo, Registered};
use crate::metric::protocol::{Measure, key};
use crate::{help, input};

/// A metric of the registry: what it is, its options, and how it is made.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Name, question, direction, range, needs and source.
    pub info: &'static MetricInfo,
    build: Option<Build>,
}

type Options<'a> = &'a [(&'a str, &'a str)];

#[derive(Debug, Clone, Copy)]
struct Build {
    options: fn() -> Vec<OptionInfo>,
    takes: &'static [Layout],
    draws: Option<Input>,
    single: fn(Options<'_>) -> Result<Box<dyn Measure<f32>>>,
    double: fn(Options<'_>) -> Result<Box<dyn Measure<f64>>>,
    /// The metric's fields as text.
    #[cfg(test)]
    fields: fn(Options<'_>) -> Result<String>,
}

/// What the registry lists. Every [`Registered`] metric is; one that is not computed batch by batch
/// says so itself, by [`Entry::alone`].
pub trait Listed {
    /// What the registry knows.
    const ENTRY: Entry;
}

impl<M: Registered + Measure<f32> + Measure<f64> + Debug> Listed for M {
    const ENTRY: Entry = Entry {
        info: M::INFO,
        build: Some(Build {
            takes: M::TAKES,
            draws: match M::GIVEN_DRAWS {
                Some(given) => Some(given.input),
                None => None,
            },
            options: || M::OPTIONS.iter().map(|option| option.info).collect(),
            single: |options| Ok(Box::new(M::with_options(options)?)),
            double: |options| Ok(Box::new(M::with_options(options)?)),
            #[cfg(test)]
            fields: |options| Ok(format!("{:?}", M::with_options(options)?)),
        }),
    };
}

/// `f32` or `f64`: which of the two a metric is made for.
pub trait Precision: Real {
    #[doc(hidden)]
    fn build(entry: &Entry, options: Options<'_>) -> Option<Result<Box<dyn Measure<Self>>>>;
}

impl Precision for f32 {
    fn build(entry: &Entry, options: Options<'_>) -> Option<Result<Box<dyn Measure<Self>>>> {
        Some((entry.build?.single)(options))
    }
}

impl Precision for f64 {
    fn build(entry: &Entry, options: Options<'_>) -> Option<Result<Box<dyn Measure<Self>>>> {
        Some((entry.build?.double)(options))
    }
}

impl Entry {
    /// A metric with a call of its own, that no batch can be judged by.
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
        let metric = <f64 as Precision>::build(self, &[]).and_then(Result::ok);
        metric.is_some_and(|metric| metric.whole().is_some())
    }

    /// Its parameters by name, with defaults as text.
    #[must_use]
    pub fn options(&self) -> Vec<OptionInfo> {
        self.build.map_or_else(Vec::new, |build| (build.options)())
    }

    /// Whether it has values for inputs of a layout, by its defaults. One with a call of its own says no.
    #[must_use]
    pub fn takes(&self, layout: Layout) -> bool {
        self.build
            .is_some_and(|build| build.takes.contains(&layout))
    }

    /// What it draws, as an input that was drawn elsewhere, for metrics that can take it: with the
    /// option [`given-draws`](crate::metric::GIVEN_DRAWS).
    #[must_use]
    pub fn draws(&self) -> Option<Input> {
        self.build?.draws
    }

    /// The fields of the metric with some parameters; `None` for one with a call of its own.
    #[cfg(test)]
    pub(crate) fn fields(&self, options: Options<'_>) -> Option<Result<String>> {
        Some((self.build?.fields)(options))
    }

    /// The metric with some parameters given by name and text, defaults for the others.
    ///
    /// # Errors
    /// An invalid parameter for an option that it has not, for a text that is no value, and for a
    /// metric with a call of its own.
    pub fn build<T: Precision>(&self, options: &[(&str, &str)]) -> Result<Box<dyn Measure<T>>> {
        T::build(self, options).unwrap_or_else(|| {
            let expected = "a metric that is computed batch by batch";
            Err(Error::parameter(input::METRIC, self.info.name, expected)
                .with_help(help::CALL_DIRECTLY))
        })
    }
}
