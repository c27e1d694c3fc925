//! Text that a terminal and a page show as it is.
//!
//! Names come from files: titles of studies, columns, classes, paths. A control character in one of
//! them could move the cursor, recolour what follows, or show other text than there is. So every name
//! that reaches a person, on a terminal or on a page, goes through here.

use std::borrow::Cow;

/// Whether a character does something instead of being shown: a control character, a break of lines
/// or paragraphs, or one that turns the direction of the text around it.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text on one line: every character that would act on the terminal is written out, as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, acts)
}

/// A text of several lines.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\n' && acts(c))
}

/// JSON as text, in which such characters stand inside strings alone.
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
