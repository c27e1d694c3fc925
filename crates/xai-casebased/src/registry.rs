//! The metrics of this crate.
//!
//! The library, the command line, the report and the tables of the documentation read this list. A
//! metric's own file says what it is; this file only names it.
#![doc = ""]
#![doc = include_str!("../METRICS.md")]

use xai_core::Result;
use xai_core::describe::MetricInfo;

use crate::correspondence::metric::CORRESPONDENCE;
use crate::result::audit::{EXPECTED_CALIBRATION_ERROR, MEAN_CORRESPONDENCE};

/// All metrics, one per line.
pub static METRICS: &[&MetricInfo] = &[
    &CORRESPONDENCE,
    &MEAN_CORRESPONDENCE,
    &EXPECTED_CALIBRATION_ERROR,
];

/// The metric of a name.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter), which lists the names
/// there are.
///
/// ```
/// use xai_casebased::registry;
/// assert_eq!(registry::find("correspondence")?.range.to_string(), "[0, 1]");
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub fn find(name: &str) -> Result<&'static MetricInfo> {
    xai_core::describe::find(METRICS.iter().copied(), name)
}

/// The table of the metrics as Markdown.
#[must_use]
pub fn markdown() -> String {
    xai_core::describe::markdown(METRICS.iter().copied())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_of_the_documentation_is_that_of_the_registry() {
        assert_eq!(include_str!("../METRICS.md"), super::markdown());
    }
}
