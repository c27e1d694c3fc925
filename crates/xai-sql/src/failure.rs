//! Errors of the query engine as a [`Failure`].

use datafusion::error::DataFusionError;
use xai_datafusion::failure::message;
use xai_files::Failure;

const MORE_MEMORY: &str = "give more with --memory-limit, or group by fewer values";

/// Converts an error of the query engine. A query that cannot be planned is a usage error (exit code 2), all others
/// are about the data (exit code 1).
pub(crate) fn query_failure(error: &DataFusionError) -> Failure {
    use DataFusionError as E;
    let message = message(error);
    match error.find_root() {
        E::Plan(_) | E::NotImplemented(_) | E::SQL(..) | E::SchemaError(..) => {
            Failure::usage(message)
        }
        E::ResourcesExhausted(_) => Failure::new(message).help(MORE_MEMORY),
        _ => Failure::new(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_cannot_be_planned_is_wrong_usage_and_bad_data_is_not() {
        let planning = DataFusionError::Plan("average_drop: masked".to_owned());
        let failure = query_failure(&planning.context("while planning"));
        assert_eq!(failure.exit_code(), 2);
        assert_eq!(failure.to_string(), "error: average_drop: masked");
        let types = "Internal error: 'sum' failed to match. No function matches the given name and argument types 'sum(Utf8)'. You might";
        let types = DataFusionError::Plan(types.to_owned());
        assert!(
            query_failure(&types)
                .to_string()
                .starts_with("error: there is no function sum(Utf8): ")
        );
        let data = DataFusionError::Execution("base[3]: negative".to_owned());
        assert_eq!(query_failure(&data).exit_code(), 1);
    }
}
