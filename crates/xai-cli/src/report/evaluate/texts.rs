//! Texts: what `xai attribution texts` finds, and some of them.

use xai_files::Failure;
use xai_report::Origin;
use xai_report::section::texts::{TextData, Texts as Section};

use crate::Context;
use crate::attribution::texts::{ComparedTexts, Texts};

/// Computes the section.
///
/// # Errors
/// As the command.
pub(crate) fn evaluate(
    arguments: &Texts,
    origin: Origin,
    context: &Context,
) -> Result<Section, Failure> {
    let ComparedTexts { file, table } = arguments.evaluate(context)?;
    let attributions: Vec<&[Vec<f64>]> =
        file.explainers.iter().map(|(_, maps)| &maps[..]).collect();
    let data = TextData {
        tokens: &file.tokens,
        names: file.names.as_deref(),
        rationales: file.rationales.as_deref(),
        attributions: &attributions,
    };
    Section::new(origin, &table, data).map_err(Failure::new)
}
