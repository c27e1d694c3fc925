//! Options whose values are words.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use xai_metrics::core::ErrorKind;

/// The words of an option: each with what it stands for, and what the help says of it.
pub(crate) type Choices<T> = [(&'static str, T, &'static str)];

/// The names of a library's type: what it expects where it is given none of them.
pub(crate) fn names<T: FromStr<Err = xai_metrics::Error>>() -> String {
    match "".parse::<T>().map_err(xai_metrics::Error::into_kind) {
        Err(ErrorKind::InvalidParameter { expected, .. }) => expected.into_owned(),
        _ => String::new(),
    }
}

/// What a word stands for.
pub(crate) fn meaning<T: Clone>(choices: &Choices<T>, given: &str) -> Option<T> {
    let chosen = choices.iter().find(|(word, ..)| *word == given);
    chosen.map(|(_, value, _)| value.clone())
}

/// Parses the words of a table, which `--help` lists.
pub(crate) fn choice<T>(choices: &'static Choices<T>) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let words = choices.iter().map(|(word, _, help)| {
        let value = PossibleValue::new(*word);
        if help.is_empty() {
            value
        } else {
            value.help(*help)
        }
    });
    // The words are those of the table, so each has its meaning.
    PossibleValuesParser::new(words)
        .try_map(move |word| meaning(choices, &word).ok_or("expected another word"))
}
