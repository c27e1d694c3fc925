//! Conversion of errors about options to errors about the keys of a section.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::usage::{nearest, refusal_reason};

/// An error in the options of a command, in terms of keys.
pub(crate) struct WrongUsage {
    /// The options that it is about, without dashes.
    pub(crate) options: Vec<String>,
    pub(crate) what: String,
    pub(crate) help: Option<String>,
}

impl WrongUsage {
    /// Converts an error of `clap`.
    pub(crate) fn new(error: &clap::Error) -> Self {
        let texts = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            _ => Vec::new(),
        };
        let options_in = |kind| -> Vec<String> {
            let texts = texts(kind);
            texts.iter().map(|text| option_in(text)).collect()
        };
        let options = options_in(ContextKind::InvalidArg);
        let value = texts(ContextKind::InvalidValue).join(" ");
        let keys = quoted(&options);
        let (what, help) = match error.kind() {
            ErrorKind::MissingRequiredArgument => (format!("the section needs {keys}"), None),
            ErrorKind::InvalidValue => {
                let valid_texts = texts(ContextKind::ValidValue);
                let valid: Vec<&str> = valid_texts.iter().map(String::as_str).collect();
                let help = (!valid.is_empty()).then(|| nearest(&value, &valid));
                (
                    format!("{keys}: {value}: this is not one of the possible values"),
                    help,
                )
            }
            ErrorKind::ValueValidation => {
                let reason =
                    refusal_reason(error).unwrap_or_else(|| "expected another value".to_owned());
                (format!("{keys}: {value}: {reason}"), None)
            }
            ErrorKind::ArgumentConflict => {
                let prior = quoted(&options_in(ContextKind::PriorArg));
                (format!("{keys} cannot be used with {prior}"), None)
            }
            // Command lines made from keys have no other errors.
            kind => (kind.as_str().unwrap_or("not understood").to_owned(), None),
        };
        Self {
            options,
            what,
            help,
        }
    }
}

fn quoted(options: &[String]) -> String {
    let keys: Vec<String> = options
        .iter()
        .map(|option| format!("`{}`", option.replace('-', "_")))
        .collect();
    keys.join(" and ")
}

/// Returns the name of the option in `--batch-size <N>`, without dashes.
fn option_in(text: &str) -> String {
    let name = text.trim_start_matches('-');
    let end = name.find(|c: char| c != '-' && !c.is_alphanumeric());
    name[..end.unwrap_or(name.len())].to_owned()
}

/// Replaces options in a text by keys: `--batch-size` becomes `batch_size`.
pub(crate) fn in_keys(text: &str, is_option: impl Fn(&str) -> bool) -> String {
    let mut parts = text.split("--");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| c != '-' && !c.is_ascii_alphanumeric())
            .unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if is_option(name) {
            result += &format!("`{}`{rest}", name.replace('-', "_"));
        } else {
            result += &format!("--{part}");
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_a_text_become_keys() {
        let text = in_keys("pass --batch-size 3 or --other -- it", |name| {
            name == "batch-size"
        });
        assert_eq!(text, "pass `batch_size` 3 or --other -- it");
    }
}
