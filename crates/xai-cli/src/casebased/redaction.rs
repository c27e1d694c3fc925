//! Columns whose values are never shown.
//!
//! [`CaseExplainerBuilder::redact`](xai_metrics::casebased::CaseExplainerBuilder::redact) documents redaction in
//! results. In addition, no message shows a cell of a redacted column (`Table::conceal`), and the columns of labels
//! and predictions cannot be redacted, because they are the result.

use xai_files::Failure;
use xai_metrics::casebased::CaseExplainerBuilder;

use crate::casebased::training::Training;

/// Returns a redacted column that is the label or the prediction, and the reason why it cannot be redacted.
pub(crate) fn refused<'a>(
    redacted: &[String],
    label: Option<&'a str>,
    predicted: Option<&'a str>,
) -> Option<(&'a str, &'static str)> {
    let shown = [
        (label, "the classes of the neighbours are the explanation"),
        (predicted, "the predicted classes are what is explained"),
    ];
    shown.into_iter().find_map(|(column, reason)| {
        let name = column?;
        redacted.iter().any(|r| r == name).then_some((name, reason))
    })
}

/// Fails for a column of `--redact` that [cannot be redacted](refused).
pub(super) fn check(
    redacted: &[String],
    label: Option<&str>,
    predicted: Option<&str>,
) -> Result<(), Failure> {
    match refused(redacted, label, predicted) {
        None => Ok(()),
        Some((column, reason)) => Err(Failure::for_option("--redact", reason)
            .with_value(column)
            .help("use --aggregate-only M, which shows shares of classes and no training row")),
    }
}

/// Redacts the columns that are features or metadata. Other columns are never shown.
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
