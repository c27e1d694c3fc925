//! What the engine says of a query, as a [`Failure`].

use datafusion::error::DataFusionError;
use xai_datafusion::failure::{message, sentence};
use xai_files::Failure;

const MORE_MEMORY: &str = "give more with --memory-limit, or group by fewer values";

/// What the engine says of a query. A query that cannot be planned is wrong usage, everything else is about data.
pub(crate) fn of_query(error: &DataFusionError) -> Failure {
    use DataFusionError as E;
    let message = message(error);
    if is_of_scheduler(error, &message) {
        let failure = Failure::new("the connection to the scheduler broke before the query ended");
        return failure.help("ask again when the scheduler is there");
    }
    if is_of_results(error) {
        let failure = Failure::new("an executor has stopped before its results were read");
        return failure.help("ask again");
    }
    let message = match sent(&message) {
        Some(sent) if sent == "Cancelled" => "the query was cancelled".to_owned(),
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

/// Whether the results of an executor could not be fetched, or not to their end: it has stopped, and the answer can be had again.
pub(crate) fn is_of_results(error: &DataFusionError) -> bool {
    let message = message(error);
    !is_of_scheduler(error, &message)
        && (message.starts_with(NOT_FETCHED) || tells_of_connection(&message))
}

/// Whether the scheduler did not answer. Of a connection to an executor the engine tells by errors of other kinds.
fn is_of_scheduler(error: &DataFusionError, message: &str) -> bool {
    let is_told_by_client = matches!(error.find_root(), DataFusionError::Execution(_));
    is_told_by_client && (is_of_connection(message) || message.starts_with(NOT_CONNECTED))
}

/// How the engine begins to say that nobody is where the scheduler was.
const NOT_CONNECTED: &str = "tonic::transport::Error(";

/// How the engine begins to say that results could not be fetched.
const NOT_FETCHED: &str = "Shuffle fetch partition error";

/// Whether a text of the engine tells of a connection between processes of a cluster that broke. Those to stores are told otherwise.
pub(crate) fn tells_of_connection(text: &str) -> bool {
    let call = [OF_CALL, OF_CALL_IN_DETAIL].into_iter();
    let mut calls = call.filter_map(|sign| text.find(sign));
    calls.any(|at| is_of_connection(&text[at..]))
}

/// How a call that did not end well is printed, for people and in detail.
const OF_CALL: &str = "code: '";
const OF_CALL_IN_DETAIL: &str = "Status { code: ";

/// Whether a call did not end, as the engine tells it. What a process answers has no source.
fn is_of_connection(text: &str) -> bool {
    let is_of_call = text.starts_with(OF_CALL) || text.starts_with(OF_CALL_IN_DETAIL);
    is_of_call && (text.contains("source: hyper::") || text.contains("source: Some("))
}

/// The sentence of a scheduler or an executor, which arrives inside of what the engine says around it.
fn sent(text: &str) -> Option<String> {
    if let Some(call) = text.strip_prefix(OF_CALL_IN_DETAIL) {
        return literal(call);
    }
    let (_, reason) = text.strip_prefix("Job ")?.split_once(" failed: ")?;
    let of_task = reason.split_once("Task failed due to runtime execution error: ");
    let sentence = of_task.map(|(_, error)| literal(error).unwrap_or_else(|| error.to_owned()));
    Some(sentence.unwrap_or_else(|| reason.to_owned()))
}

/// The first text in quotes of what was printed for debugging: the reason, of nested errors.
fn literal(debug: &str) -> Option<String> {
    let (_, quoted) = debug.split_once('"')?;
    let mut text = String::new();
    let mut rest = quoted.chars();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => match rest.next()? {
                'n' => text.push(' '),
                't' => text.push('\t'),
                'u' => {
                    let code = rest.by_ref().take_while(|&c| c != '}');
                    let code: String = code.filter(|&c| c != '{').collect();
                    let code = u32::from_str_radix(&code, 16).ok()?;
                    text.push(char::from_u32(code)?);
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::error::ArrowError;

    use super::*;

    #[test]
    fn a_connection_of_a_cluster_is_told_from_one_to_a_store() {
        let call = "Arrow error: Ipc error: code: 'Unknown error', message: \"h2\", source: hyper::Error(Body)";
        let in_detail = "Task failed: Tonic(Status { code: Unknown, message: \"h2\", source: Some(hyper::Error(Body)) })";
        assert!(tells_of_connection(call) && tells_of_connection(in_detail));
        let executor =
            ArrowError::from_external_error(call["Arrow error: Ipc error: ".len()..].into());
        let executor = DataFusionError::ArrowError(Box::new(executor), None);
        assert!(is_of_results(&executor));
        let store = "ObjectStore(Generic { store: \"S3\", source: reqwest::Error { kind: Body, source: hyper::Error(Body) } })";
        let answer = "Status { code: Internal, message: \"no column\", metadata: M }";
        assert!(!tells_of_connection(store) && !tells_of_connection(answer));
    }

    #[test]
    fn a_query_that_cannot_be_planned_is_wrong_usage_and_bad_data_is_not() {
        let planning = DataFusionError::Plan("average_drop: masked".to_owned());
        let failure = of_query(&planning.context("while planning"));
        assert_eq!(failure.exit_code(), 2);
        assert_eq!(failure.to_string(), "error: average_drop: masked");
        let sent = "Status { code: Internal, message: \"DataFusion error: Execution error: no \\\"x\\\"\", metadata: M }";
        let sent = DataFusionError::Execution(sent.to_owned());
        assert_eq!(of_query(&sent).to_string(), "error: no \"x\"");
        for (text, expected) in [
            (
                "Job 038H failed: Job failed due to stage 1 failed: Task failed due to runtime execution error: DataFusionError(Shared(External(DataFusionError(Execution(\"f: a = \\\"\\u{e9}\\\\\\\"\")))))",
                "error: f: a = \"é\\\"",
            ),
            (
                "Job 038H failed: Task failed due to runtime execution error: ArrowError(IoError(\"No space left\", Os { code: 28, message: \"x\" }), None)",
                "error: No space left",
            ),
            (
                "Arrow error: Ipc error: code: 'Unknown error', message: \"h2 protocol error\", source: hyper::Error(Body, Error)",
                "error: an executor has stopped before its results were read\nhelp: ask again",
            ),
            (
                "tonic::transport::Error(Transport, ConnectError(ConnectError(\"tcp connect error\", 127.0.0.1:1, Os { code: 111 })))",
                "error: the connection to the scheduler broke before the query ended\nhelp: ask again when the scheduler is there",
            ),
            (
                "Job 038H failed: all executors were lost",
                "error: all executors were lost",
            ),
            (
                "Job 038H failed: Task failed due to runtime execution error: Cancelled",
                "error: the query was cancelled",
            ),
            (
                "code: 'Unknown error', message: \"h2 protocol error\", source: hyper::Error(Body, Error)",
                "error: the connection to the scheduler broke before the query ended\nhelp: ask again when the scheduler is there",
            ),
        ] {
            let sent = DataFusionError::Execution(text.to_owned());
            assert_eq!(of_query(&sent).to_string(), expected);
        }
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
