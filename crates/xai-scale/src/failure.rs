//! What the engine says of a query, as a [`Failure`].

use datafusion::error::DataFusionError;
use xai_datafusion::failure::{message, sentence};
use xai_files::Failure;

const MORE_MEMORY: &str = "give more with --memory-limit, or group by fewer values";

/// What the engine says of a query. A query that cannot be planned is wrong usage, everything else is about data.
pub(crate) fn of_query(error: &DataFusionError) -> Failure {
    use DataFusionError as E;
    let message = message(error);
    let message = match sent(&message) {
        Some(sent) => sentence(&sent),
        None => message,
    };
    match error.find_root() {
        E::Plan(_) | E::NotImplemented(_) | E::SQL(..) | E::SchemaError(..) => {
            Failure::usage(message)
        }
        E::ResourcesExhausted(_) => Failure::new(message).help(MORE_MEMORY),
        _ => Failure::new(message),
    }
}

/// The sentence of a scheduler, which arrives as a part of a message.
fn sent(text: &str) -> Option<String> {
    let (_, sent) = text
        .strip_prefix("Status { code: ")?
        .split_once("message: \"")?;
    let (sent, _) = sent.split_once("\", metadata: ")?;
    Some(sent.replace("\\\"", "\"").replace("\\n", " "))
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
