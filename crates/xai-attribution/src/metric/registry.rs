//! All metrics of the family, one line each, in the `mod.rs` of their folder.
//!
//! What the library, the command line, the report, Python and the documentation know about a metric they
//! know from here. To add one, write its file, and in the `mod.rs` beside it the lines that declare and list it;
//! `cargo run -p xai-metrics --example metric_tables -- --write` writes the table below anew.
//!
#![doc = include_str!("../../METRICS.md")]

use std::sync::LazyLock;

use xai_core::describe::{MetricInfo, Param, Setting, Value, same_word, with};
use xai_core::{Error, Input, Layout, Real, Result};

use crate::metric::faithfulness::{curves, drops, masking};
use crate::metric::{
    Measure, Registered, axiomatic, comparison, complexity, key, localization, robustness, sanity,
};
use crate::{help, input};

/// The metrics, in the order of the documentation.
pub static METRICS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    [
        masking::METRICS,
        curves::METRICS,
        drops::METRICS,
        localization::METRICS,
        complexity::METRICS,
        comparison::METRICS,
        axiomatic::METRICS,
        robustness::METRICS,
        sanity::METRICS,
    ]
    .concat()
});

/// A metric by its name in kebab-case (`average-drop`) or as tables have it (`average_drop`).
///
/// # Errors
/// An invalid parameter about the metric, which lists the names there are.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::Evaluate;
/// use xai_attribution::metric::registry;
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let deletion = registry::find("deletion")?;
/// assert_eq!(deletion.params()[0].name, "steps");
/// let settings = [("steps".into(), "all".into()), ("baseline".into(), 0.5.into())];
/// let deletion = deletion.build::<f64>(&settings)?;
/// let x = array![[4.0, 2.0]];
/// assert_eq!(deletion.evaluate(&model, x.view(), &[0], x.view())?.curve.unwrap().len(), 3);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn find(name: &str) -> Result<&'static Entry> {
    let found = METRICS
        .iter()
        .find(|entry| same_word(entry.info.name, name));
    found.ok_or_else(|| {
        let names: Vec<&str> = METRICS.iter().map(|entry| entry.info.name).collect();
        Error::parameter(input::METRIC, name, format!("one of {}", names.join(", ")))
    })
}

/// The metric of a [`Setting`]: its entry in the registry, with the parameters set.
///
/// # Errors
/// An invalid parameter for a metric that there is not, and as [`Entry::build`].
///
/// ```
/// use xai_attribution::metric::{Metric, Parameters, registry::from_setting};
/// let deletion = from_setting::<f64>(&"deletion(steps=20, baseline=mean)".parse()?)?;
/// assert_eq!(deletion.params()[0].value.to_string(), "20");
/// assert!(from_setting::<f64>(&"deletion(step=20)".parse()?).is_err());
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn from_setting<T: Precision>(setting: &Setting) -> Result<Box<dyn Measure<T>>> {
    find(&setting.name)?.build(&setting.params)
}

/// The table of the documentation.
#[must_use]
pub fn markdown() -> String {
    xai_core::describe::markdown(METRICS.iter().map(|entry| entry.info))
}

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

/// `f32` or `f64`: which of the two a metric is made for.
pub trait Precision: Real {
    #[doc(hidden)]
    fn make(entry: &Entry) -> Option<Make<Self>>;
}

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
        metric.is_ok_and(|metric| metric.whole().is_some())
    }

    /// Its parameters, with their defaults as values.
    #[must_use]
    pub fn params(&self) -> Vec<Param> {
        self.build.map_or_else(Vec::new, |build| (build.params)())
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

#[cfg(test)]
mod tests {
    use super::*;
    use xai_core::describe::Value;

    #[test]
    fn the_table_of_the_documentation_is_that_of_the_registry() {
        let stored = include_str!("../../METRICS.md");
        assert_eq!(
            stored,
            markdown(),
            "METRICS.md should read:\n{}",
            markdown()
        );
    }

    #[test]
    fn names_occur_once_in_kebab_case() {
        for (i, entry) in METRICS.iter().enumerate() {
            let name = entry.info.name;
            assert!(METRICS[..i].iter().all(|other| other.info.name != name));
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{name}"
            );
            assert!(std::ptr::eq(find(&entry.key()).unwrap(), entry));
        }
    }

    #[test]
    fn every_default_is_of_its_kind_and_is_read_as_it_is_written() {
        for entry in METRICS.iter() {
            let params = entry.params();
            for (i, param) in params.iter().enumerate() {
                let name = param.name;
                assert!(params[..i].iter().all(|other| other.name != name), "{name}");
                assert!(param.check().is_ok(), "{name} of {}", entry.info.name);
                assert!(
                    !param.doc.is_empty() && !param.doc.contains("::"),
                    "{name}: {}",
                    param.doc
                );
                let text = param.value.to_string();
                if param.value != Value::Given {
                    let settings = [(name.to_owned(), Value::Text(text))];
                    let built = entry.build::<f32>(&settings).unwrap();
                    assert_eq!(built.params(), params, "{name} of {}", entry.info.name);
                }
            }
            let unknown = entry.build::<f32>(&[("no_such_parameter".into(), 1.0.into())]);
            assert!(unknown.is_err(), "{}", entry.info.name);
        }
    }
}
