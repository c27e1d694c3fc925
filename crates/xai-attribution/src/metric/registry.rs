//! All metrics of the family, one line each, in the `mod.rs` of their folder.
//!
//! What the library, the command line, the report, Python and the documentation know about a metric they
//! know from here. To add one, write its file, and in the `mod.rs` beside it the lines that declare and list it;
//! `cargo run -p xai-metrics --example metric_tables -- --write` writes the table below anew.
//!
#![doc = include_str!("../../METRICS.md")]

use std::sync::LazyLock;

use xai_core::describe::{Setting, same_word};
use xai_core::{Error, Result};

use crate::input;
use crate::metric::entry::{Entry, Precision};
use crate::metric::faithfulness::{curves, drops, masking};
use crate::metric::{Measure, axiomatic, comparison, complexity, localization, robustness, sanity};

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
