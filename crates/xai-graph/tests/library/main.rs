//! The tests of the crate as a library, as one program: linking takes longer than most of them.

mod all_scores;
mod curves;
mod errors;
mod golden;
mod laws;
mod messages;
mod model;
mod parameters;
#[cfg(feature = "serde")]
mod storage;

use xai_graph::{Error, ErrorKind};

/// Asserts what an error is about, where, its kind and what it found: `index[1]: OutOfDomain 2`.
#[track_caller]
fn fails<T: std::fmt::Debug>(result: Result<T, Error>, expected: &str) -> Error {
    let error = result.unwrap_err();
    let kind = format!("{:?}", error.kind());
    let kind = kind.split([' ', '{']).next().unwrap_or_default();
    let found = match error.kind() {
        ErrorKind::OutOfDomain { value, .. } => format!(" {value}"),
        ErrorKind::LabelOutOfRange { n_classes, .. } => format!(" {n_classes}"),
        ErrorKind::TooFew { needed, actual } => format!(" {actual} of {needed}"),
        _ => String::new(),
    };
    let index = match error.index() {
        [] => String::new(),
        index => format!("{index:?}"),
    };
    assert_eq!(format!("{}{index}: {kind}{found}", error.input()), expected);
    error
}
