//! One-sentence messages from errors of the engine.

use datafusion::error::DataFusionError;

/// Prefixes that the engine adds to messages.
const PREFIXES: [&str; 6] = [
    "Could not parse plan: ",
    "DataFusion error: ",
    "Error during planning: ",
    "Execution error: ",
    "Resources exhausted: ",
    "External error: ",
];

/// Returns the message of an error without the engine's prefixes.
#[must_use]
pub fn message(error: &DataFusionError) -> String {
    use DataFusionError as E;
    let message = match error.find_root() {
        E::Plan(text) | E::NotImplemented(text) | E::Configuration(text) => text.clone(),
        E::Execution(text) | E::ResourcesExhausted(text) => text.clone(),
        E::SQL(reason, _) => reason.to_string(),
        E::SchemaError(reason, _) => reason.to_string(),
        E::ArrowError(reason, _) => reason.to_string(),
        E::ParquetError(reason) => reason.to_string(),
        other => other.strip_backtrace(),
    };
    let message = message.split(DataFusionError::BACK_TRACE_SEP).next();
    sentence(message.unwrap_or_default())
}

/// The sentence of a text that the engine wrote.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut sentence = text;
    while let Some(rest) = PREFIXES.iter().find_map(|it| sentence.strip_prefix(it)) {
        sentence = rest;
    }
    type_error(sentence).unwrap_or_else(|| sentence.to_owned())
}

/// Returns the part of an error about argument types that tells the user what is expected; the engine adds two further
/// sentences.
fn type_error(text: &str) -> Option<String> {
    const UNKNOWN: &str = "No function matches the given name and argument types ";
    let (before, after) = text.split_once(UNKNOWN)?;
    // Our functions say what they expect.
    let expected = before.split_once("user-defined coercion failed with: Error during planning: ");
    if let Some((_, expected)) = expected {
        return Some(expected.trim_end().trim_end_matches('.').to_owned());
    }
    let (call, _) = after.split_once("'. You")?;
    let call = call.trim_start_matches('\'');
    Some(format!(
        "there is no function {call}: cast the arguments, or see its name"
    ))
}
