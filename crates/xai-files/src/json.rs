//! Reading of JSON documents as other programs write them.

use std::borrow::Cow;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::failure::{Failure, InFile};

/// Reads a JSON file in UTF-8, with or without a byte-order mark, or in UTF-16 with one.
///
/// `NaN`, which Python writes for an undefined number, is read as `null`. `form` is advice on the form of the document.
///
/// # Errors
/// The file cannot be read, is not JSON, or does not have the form of `T`.
pub fn read<T: DeserializeOwned>(file: &Path, form: &str) -> Result<T, Failure> {
    let bytes = std::fs::read(file)
        .map_err(Failure::cannot_be_opened)
        .in_file(file)?;
    let value = text(&bytes).and_then(|text| serde_json::from_str(&text).map_err(failure));
    value
        .map_err(|failure| failure.and_help(form))
        .in_file(file)
}

/// Decodes a JSON document to text in which `null` replaces `NaN`.
///
/// # Errors
/// The bytes are not text, or the document contains infinite numbers.
pub fn text(bytes: &[u8]) -> Result<Cow<'_, str>, Failure> {
    let not_text = || Failure::new("not JSON: it is not text in UTF-8").help("save it as UTF-8");
    let mut text = if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        Cow::Owned(utf_16(rest, u16::from_le_bytes).ok_or_else(not_text)?)
    } else if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        Cow::Owned(utf_16(rest, u16::from_be_bytes).ok_or_else(not_text)?)
    } else {
        Cow::Borrowed(std::str::from_utf8(bytes).map_err(|_| not_text())?)
    };
    // Some programs write the byte-order mark twice.
    while let Some(rest) = text.strip_prefix('\u{feff}') {
        text = Cow::Owned(rest.to_owned());
    }
    if ["NaN", "Infinity"].iter().any(|name| text.contains(name)) {
        return with_nulls(&text).map(Cow::Owned);
    }
    Ok(text)
}

/// Decodes UTF-16 with the given byte order; `None` if it is invalid.
fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks();
    let units: Vec<u16> = pairs.iter().map(|&pair| unit(pair)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

/// Replaces `NaN` outside strings by `null`, and refuses `Infinity`.
fn with_nulls(text: &str) -> Result<String, Failure> {
    let mut nulls = String::with_capacity(text.len() + 16);
    for (i, part) in parts(text).enumerate() {
        if i > 0 {
            nulls.push('"');
        }
        // Every second part is the content of a string, which is kept.
        if i % 2 == 1 {
            nulls.push_str(part);
            continue;
        }
        if part.contains("Infinity") {
            return Err(
                Failure::new("not JSON: it has an infinite number (Infinity)")
                    .help("write finite numbers, and null where a value is undefined"),
            );
        }
        nulls.push_str(&part.replace("NaN", "null"));
    }
    Ok(nulls)
}

/// Splits a document at the quotes of its strings, so that every second part is a string.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let (mut in_string, mut is_escaped) = (false, false);
    text.split(move |c| {
        let is_quote = c == '"' && !is_escaped;
        is_escaped = in_string && c == '\\' && !is_escaped;
        in_string ^= is_quote;
        is_quote
    })
}

fn failure(error: serde_json::Error) -> Failure {
    if !error.is_data() {
        return Failure::new(format_args!("not JSON: {error}"));
    }
    let failure = Failure::new(&error);
    if error.to_string().contains("null") {
        return failure.help("null and NaN mean that a number is undefined: write a finite number");
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_other_programs_are_read() {
        let json = r#"{"a": [1, null], "b\"NaN": "NaN Infinity"}"#;
        let utf_16 = |unit: fn(u16) -> [u8; 2], mark: [u8; 2]| {
            let units = json.encode_utf16().flat_map(unit);
            mark.into_iter().chain(units).collect::<Vec<u8>>()
        };
        let expected: serde_json::Value = serde_json::from_str(json).unwrap();
        for bytes in [
            json.as_bytes().to_vec(),
            format!("\u{feff}{json}").into_bytes(),
            json.replace("null", "NaN").into_bytes(),
            utf_16(u16::to_le_bytes, [0xff, 0xfe]),
            utf_16(u16::to_be_bytes, [0xfe, 0xff]),
        ] {
            let text = text(&bytes).unwrap();
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read, expected);
        }
        for bytes in [&b"[-Infinity]"[..], b"[\xff]", b"\xff\xfea"] {
            assert!(text(bytes).is_err());
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_with_a_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        for (text, message, help) in [
            ("[1, NaN]", "null", "finite number"),
            ("[1, \"a\"]", "invalid type: string", ""),
            ("[1,", "not JSON", ""),
            ("", "not JSON", ""),
        ] {
            std::fs::write(&file, text).unwrap();
            let failure = read::<Vec<f64>>(&file, "a list of numbers").unwrap_err();
            assert_eq!(failure.place(), file.to_str());
            assert!(failure.to_string().contains(message), "{failure}");
            let said = failure.help_text().unwrap();
            assert!(said.contains(help) && said.contains("a list of numbers"));
        }
        let missing = read::<Vec<f64>>(&folder.path().join("none"), "a list of numbers");
        assert_eq!(missing.unwrap_err().help_text(), None);
    }
}
