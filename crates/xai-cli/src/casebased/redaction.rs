//! Columns whose values leave the program in no way.
//!
//! What redaction means is written down at
//! [`CaseExplainerBuilder::redact`](xai_metrics::casebased::CaseExplainerBuilder::redact). Here it
//! means, besides, that no message shows a cell of the column (`Table::concealing`), and that no column
//! that the answer consists of can be redacted.

use xai_files::Failure;
use xai_metrics::casebased::CaseExplainerBuilder;

use crate::casebased::training::Training;

/// A redacted column that the answer consists of, and why it cannot be redacted.
pub(crate) fn refused<'a>(
    redacted: &[String],
    label: Option<&'a str>,
    predicted: Option<&'a str>,
) -> Option<(&'a str, &'static str)> {
    let shown = [
        (label, "the classes of the neighbours are the explanation"),
        (predicted, "the predicted classes are what is explained"),
    ];
    shown.into_iter().find_map(|(column, why)| {
        let column = column.filter(|column| redacted.iter().any(|r| r == column))?;
        Some((column, why))
    })
}

/// As [`refused`], of an option.
pub(super) fn check(
    redacted: &[String],
    label: Option<&str>,
    predicted: Option<&str>,
) -> Result<(), Failure> {
    match refused(redacted, label, predicted) {
        None => Ok(()),
        Some((column, why)) => Err(Failure::of_option("--redact", why)
            .with_value(column)
            .help("--aggregate-only M shows shares of classes and no training row")),
    }
}

/// Redacts what is a feature or accompanies one; other columns are never shown.
pub(crate) fn apply(
    mut builder: CaseExplainerBuilder,
    redacted: &[String],
    training: &Training,
) -> CaseExplainerBuilder {
    for column in redacted {
        let is_metadata = training.metadata.iter().any(|(name, _)| name == column);
        if is_metadata || training.features.contains(column) {
            builder = builder.redact(column);
        }
    }
    builder
}
