//! How the command line is told to people and shells: examples, completions, manual pages.

pub(crate) mod examples;
pub(crate) mod manual;

/// Words less alike than this are not what was meant.
const ALIKE: f64 = 0.75;

/// The way out of a word that is none of several.
pub(crate) fn nearest(given: &str, valid: &[&str]) -> String {
    let likeness = |word: &str| strsim::jaro_winkler(given, word);
    let best = valid
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match best.filter(|word| likeness(word) >= ALIKE) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!(
            "there are {}",
            valid
                .iter()
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// Lets every option have a negative number behind a space: where it may not be one, the error is about
/// the value.
pub(crate) fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let with_numbers = command.mut_args(|argument| match argument.get_action().takes_values() {
        true => argument.allow_negative_numbers(true),
        false => argument,
    });
    with_numbers.mut_subcommands(taking_negative_numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_names_its_nearest_or_all() {
        let valid = ["metrics", "model", "maps"];
        assert_eq!(nearest("methrics", &valid), "did you mean `metrics`?");
        assert!(nearest("zzz", &valid).contains("`maps`"));
    }
}
