//! Options whose values are words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The words of an option: each with what it stands for, and what the help says of it.
pub(crate) type Choices<T> = [(&'static str, T, &'static str)];

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
