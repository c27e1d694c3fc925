//! All metrics of the family, one line each, in the `mod.rs` of their folder.
//!
//! What the library, the command line, the report, Python and the documentation know about a metric they
//! know from here. To add one, write its file, and in the `mod.rs` beside it the lines that declare and list it;
//! `cargo run -p xai-metrics --example metric_tables -- --write` writes the table below anew.
//!
#![doc = include_str!("../../METRICS.md")]

use std::sync::OnceLock;

use xai_core::describe::{Setting, same_word};
use xai_core::{Error, Result};

use crate::input;
use crate::metric::entry::{Entry, Precision};
use crate::metric::faithfulness::{curves, drops, masking, outputs};
use crate::metric::{
    Measure, axiomatic, comparison, complexity, context, localization, plausibility, robustness,
    sanity,
};

/// The metrics, in the order of the documentation.
// No static names the metrics: what a static names is compiled into the program of the unit tests as well, and all
// metrics take longer than all other code of the crate.
#[must_use]
pub fn metrics() -> &'static [Entry] {
    static METRICS: OnceLock<Vec<Entry>> = OnceLock::new();
    METRICS.get_or_init(|| {
        [
            masking::METRICS,
            curves::METRICS,
            drops::METRICS,
            outputs::METRICS,
            localization::METRICS,
            plausibility::METRICS,
            context::METRICS,
            complexity::METRICS,
            comparison::METRICS,
            axiomatic::METRICS,
            robustness::METRICS,
            sanity::METRICS,
        ]
        .concat()
    })
}

/// The metrics of a comparison in which none are named: one of each kind that costs few rows of the
/// model, whatever the size of the inputs.
///
/// ```
/// use xai_attribution::metric::registry::{STANDARD, find};
/// assert!(STANDARD.iter().all(|name| find(name).is_ok()));
/// ```
pub const STANDARD: [&str; 9] = [
    "symmetric-relevance-gain",
    "average-drop",
    "average-increase",
    "average-gain",
    "deletion",
    "insertion",
    "mu-fidelity",
    "complexity",
    "sparseness",
];

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
    let found = metrics()
        .iter()
        .find(|entry| same_word(entry.info.name, name));
    found.ok_or_else(|| {
        let names: Vec<&str> = metrics().iter().map(|entry| entry.info.name).collect();
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
