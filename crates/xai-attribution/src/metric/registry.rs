//! All metrics of the family, by name.
//!
//! [`find`] finds a metric, and [`groups`] lists them by what they measure. The library, the command line, the report,
//! Python and the documentation read the metrics from here.
//!
#![doc = include_str!("../../METRICS.md")]

use std::sync::OnceLock;

use xai_core::Result;
use xai_core::describe::{self, Setting};

use crate::metric::entry::{Entry, Precision};
use crate::metric::faithfulness::{curves, drops, masking, outputs};
use crate::metric::{
    Measure, axiomatic, comparison, complexity, context, localization, plausibility, robustness,
    sanity,
};

/// The metrics, in the order of the documentation.
// Filled at run time, because everything that the initializer of a static refers to is compiled into the unit tests
// too, and compiling all metrics takes longer than compiling the rest of the crate.
#[must_use]
pub fn metrics() -> &'static [Entry] {
    static METRICS: OnceLock<Vec<Entry>> = OnceLock::new();
    METRICS.get_or_init(|| groups().map(|(_, metrics)| metrics).concat())
}

/// The metrics grouped by what they measure: a heading and the metrics below it. Headings may repeat.
#[must_use]
pub fn groups() -> [(&'static str, &'static [Entry]); 12] {
    [
        ("Faithfulness", masking::METRICS),
        ("Faithfulness", curves::METRICS),
        ("Faithfulness", drops::METRICS),
        ("Faithfulness", outputs::METRICS),
        ("Localization", localization::METRICS),
        ("Plausibility", plausibility::METRICS),
        ("Attribution of a context", context::METRICS),
        ("Complexity", complexity::METRICS),
        ("Comparison with other maps", comparison::METRICS),
        ("Axioms", axiomatic::METRICS),
        ("Robustness", robustness::METRICS),
        ("Sanity checks", sanity::METRICS),
    ]
}

/// The metrics that a comparison computes if none are named. They need nothing beyond a model, inputs, targets and
/// maps, and the number of rows that the model sees does not grow with the size of the inputs.
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

/// Finds a metric by its name in kebab-case (`average-drop`) or as tables have it (`average_drop`).
///
/// # Errors
/// An invalid parameter about the metric, with similar names.
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
    describe::find(metrics(), name)
}

/// Builds the metric of a [`Setting`] with its parameters.
///
/// # Errors
/// An invalid parameter for an unknown metric, and the errors of [`Entry::build`].
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
