//! Check for predicted classes that no training row has.

use xai_core::{Error, Result};

use crate::{help, input};

/// Checks that all predicted classes occur in the training rows. A class that does not occur is most likely encoded
/// differently, and its correspondence would always be 0.
///
/// `known` are the classes of the training rows, ascending; `name` formats a class for the error.
///
/// # Errors
/// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) about the first unknown class, with examples of
/// known and unknown classes.
///
/// ```
/// use xai_casebased::correspondence::check_known_classes;
/// assert!(check_known_classes(&[0, 1, 1], &[0, 1], |class| class.to_string()).is_ok());
/// let error = check_known_classes(&[1, 7], &[0, 1], |class| class.to_string()).unwrap_err();
/// assert!(error.to_string().contains("for example 0, 1; no training row has the predicted class 7"));
/// ```
pub fn check_known_classes(
    predicted: &[i64],
    known: &[i64],
    name: impl Fn(i64) -> String,
) -> Result<()> {
    const EXAMPLES: usize = 3;
    let is_unknown = |class: &i64| known.binary_search(class).is_err();
    let Some(first) = predicted.iter().position(is_unknown) else {
        return Ok(());
    };
    let list = |classes: &[i64]| {
        let shown = classes.iter().take(EXAMPLES).map(|class| name(*class));
        let more = if classes.len() > EXAMPLES {
            ", …"
        } else {
            ""
        };
        shown.collect::<Vec<_>>().join(", ") + more
    };
    // The error is about the first unknown class, but its text lists some of all: seen together, they reveal an
    // encoding.
    let mut unknown: Vec<i64> = predicted.iter().copied().filter(is_unknown).collect();
    unknown.sort_unstable();
    unknown.dedup();
    let expected = format!(
        "a class of the training rows, for example {}; no training row has the predicted {} {}",
        list(known),
        if unknown.len() == 1 {
            "class"
        } else {
            "classes"
        },
        list(&unknown)
    );
    let value = predicted[first] as f64;
    let error = Error::out_of_domain(input::PREDICTED, &[first], value, expected);
    Err(error.with_help(help::ENCODE_CLASSES_ALIKE))
}
