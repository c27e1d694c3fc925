//! Text that people read: numbers in words, and text from files that is safe to show on a terminal or on a page.
//!
//! Names come from files: titles of studies, columns, classes, paths. A control character in one of
//! them could move the cursor, recolour what follows, or show other text than there is. So every name
//! that reaches a person, on a terminal or on a page, goes through here.

use std::borrow::Cow;
use std::ops::Range;

/// The whole numbers below another, as a message has them.
///
/// ```
/// use xai_core::text::index_range;
/// assert_eq!([0, 1, 2, 9].map(index_range), ["none", "0", "0 or 1", "0 to 8"]);
/// ```
#[must_use]
pub fn index_range(end: usize) -> String {
    match end {
        0 => "none".to_owned(),
        1 => "0".to_owned(),
        2 => "0 or 1".to_owned(),
        _ => format!("0 to {}", end - 1),
    }
}

/// Neighbours in a row by their numbers, as a message has them.
///
/// ```
/// use xai_core::text::numbered_range;
/// assert_eq!([numbered_range("sample", &(4..5)), numbered_range("sample", &(4..6))], ["sample 4", "samples 4 to 5"]);
/// ```
#[must_use]
pub fn numbered_range(noun: &str, range: &Range<usize>) -> String {
    match range.len() {
        1 => format!("{noun} {}", range.start),
        _ => format!("{noun}s {} to {}", range.start, range.end.saturating_sub(1)),
    }
}

/// Whether a character does something instead of being shown: a control character, a break of lines
/// or paragraphs, or one that turns the direction of the text around it.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text on one line: every character that would act on the terminal is written out, as `\u{1b}`.
///
/// ```
/// use xai_core::text::visible;
/// assert_eq!(visible("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, acts)
}

/// As [`visible`], of a text of several lines: line feeds stay.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\n' && acts(c))
}

/// The text of a JSON document with such characters written as escapes of JSON: the value stays the same.
#[must_use]
pub fn visible_json(json: String) -> String {
    if !json.contains(acts) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match acts(c) && c != '\n' {
            // All of them are in the first plane.
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    escaped
}

fn escape(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| match acts(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    });
    Cow::Owned(escaped.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_is_written_out_and_the_rest_is_left() {
        let text = "a\u{1b}[31m b\r\u{9b}2J\u{202e}\té – ü\n";
        assert_eq!(
            visible(text),
            "a\\u{1b}[31m b\\r\\u{9b}2J\\u{202e}\\té – ü\\n"
        );
        assert!(visible_lines(text).ends_with("ü\n"));
        assert!(matches!(visible("fid₊ µ"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({"a\u{7f}": "\u{9b}2J\u{202e}\u{1b}", "b": [1.5, null]});
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        for json in [value.to_string(), pretty] {
            let escaped = visible_json(json);
            assert!(!escaped.contains(|c| c != '\n' && acts(c)), "{escaped}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&escaped).unwrap(),
                value
            );
        }
    }
}
