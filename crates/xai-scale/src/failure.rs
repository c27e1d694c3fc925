//! What the engine says of a query, as a [`Failure`].

use datafusion::error::DataFusionError;
use xai_files::Failure;

const MORE_MEMORY: &str = "give more with --memory-limit, or group by fewer values";

/// What the engine says of a query. A query that cannot be planned is wrong usage, everything else is about data.
pub(crate) fn of_query(error: &DataFusionError) -> Failure {
    use DataFusionError as E;
    let root = error.find_root();
    let message = match root {
        E::Plan(text) | E::NotImplemented(text) | E::Configuration(text) => text.clone(),
        E::Execution(text) | E::ResourcesExhausted(text) => text.clone(),
        E::SQL(reason, _) => reason.to_string(),
        E::SchemaError(reason, _) => reason.to_string(),
        E::ArrowError(reason, _) => reason.to_string(),
        E::ParquetError(reason) => reason.to_string(),
        other => other.strip_backtrace(),
    };
    let message = message.split(DataFusionError::BACK_TRACE_SEP).next();
    let message = sentence(message.unwrap_or_default());
    match root {
        E::Plan(_) | E::NotImplemented(_) | E::SQL(..) | E::SchemaError(..) => {
            Failure::usage(message)
        }
        E::ResourcesExhausted(_) => Failure::new(message).help(MORE_MEMORY),
        _ => Failure::new(message),
    }
}

/// What stands before a sentence on its way through the engine.
const PREFIXES: [&str; 5] = [
    "Could not parse plan: ",
    "DataFusion error: ",
    "Error during planning: ",
    "Execution error: ",
    "Resources exhausted: ",
];

/// The sentence of an error: that of a scheduler arrives as the parts of a message.
fn sentence(text: &str) -> String {
    let sent = text.strip_prefix("Status { code: ");
    let sent = sent.and_then(|sent| sent.split_once("message: \""));
    let sent = sent.and_then(|(_, sent)| sent.split_once("\", metadata: "));
    let mut sentence = match sent {
        Some((sent, _)) => sent.replace("\\\"", "\"").replace("\\n", " "),
        None => text.to_owned(),
    };
    while let Some(rest) = PREFIXES.iter().find_map(|it| sentence.strip_prefix(it)) {
        sentence = rest.to_owned();
    }
    of_types(&sentence).unwrap_or(sentence)
}

/// What is wrong with the types of arguments, of which the engine says three things.
fn of_types(text: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_cannot_be_planned_is_wrong_usage_and_bad_data_is_not() {
        let planning = DataFusionError::Plan("average_drop: masked".to_owned());
        let failure = of_query(&planning.context("while planning"));
        assert_eq!(failure.exit_code(), 2);
        assert_eq!(failure.to_string(), "error: average_drop: masked");
        let sent = "Status { code: Internal, message: \"DataFusion error: Execution error: no \\\"x\\\"\", metadata: M }";
        let sent = DataFusionError::Execution(sent.to_owned());
        assert_eq!(of_query(&sent).to_string(), "error: no \"x\"");
        let types = "Internal error: 'sum' failed to match. No function matches the given name and argument types 'sum(Utf8)'. You might";
        let types = DataFusionError::Plan(types.to_owned());
        assert!(
            of_query(&types)
                .to_string()
                .starts_with("error: there is no function sum(Utf8): ")
        );
        let data = DataFusionError::Execution("base[3]: negative".to_owned());
        assert_eq!(of_query(&data).exit_code(), 1);
    }
}
