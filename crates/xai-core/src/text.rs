//! Text for people: numbers in words, and names from files that are safe to show on a terminal or a
//! page.
//!
//! Titles of studies, column names, class names and paths come from files. A control character in
//! one of them could move the cursor, recolour text or display other text than the file contains.
//! Therefore every such name is escaped by this module before it is shown.

use std::borrow::Cow;
use std::ops::Range;

/// Valid indices below `end`, as text for a message.
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

/// A noun with the numbers of a range, as text for a message.
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

/// Similarity of two names of several words, in [0, 1]: the mean of the Jaro–Winkler similarity, which prefers equal
/// beginnings, and of the share of equal pairs of neighbouring letters, which finds equal words anywhere.
#[must_use]
pub fn similarity(a: &str, b: &str) -> f64 {
    f64::midpoint(strsim::jaro_winkler(a, b), strsim::sorensen_dice(a, b))
}

/// The word most similar to a given one, ignoring case; `None` if no word is similar.
///
/// ```
/// use xai_core::text::nearest;
/// assert_eq!(nearest("Methrics", ["metrics", "model"]), Some("metrics"));
/// assert_eq!(nearest("zzz", ["maps", "model"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MIN_SIMILARITY: f64 = 0.75;
    let given = given.to_lowercase();
    let rated = names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&given, &name.to_lowercase()), name));
    let best = rated.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .map(|(_, name)| name)
}

/// Returns `true` for characters that control the terminal or the text around them: control
/// characters, line and paragraph separators, and marks of writing direction.
fn is_control(c: char) -> bool {
    let is_direction_mark = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_direction_mark || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Escapes control characters, for example as `\u{1b}`, so that the text is shown on one line.
///
/// ```
/// use xai_core::text::visible;
/// assert_eq!(visible("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, is_control)
}

/// Like [`visible`], but keeps line feeds.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\n' && is_control(c))
}

/// Escapes control characters other than line feeds in a JSON document as `\uXXXX`, which does not
/// change its value.
#[must_use]
pub fn visible_json(json: String) -> String {
    if !json.contains(is_control) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        // Line feeds separate the lines of a formatted document. All control characters are in the
        // basic multilingual plane, so four hexadecimal digits are enough.
        if is_control(c) && c != '\n' {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Escapes the characters for which `is_escaped` returns `true`.
fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| {
        if is_escaped(c) {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    });
    Cow::Owned(escaped.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_others_kept() {
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
            assert!(
                !escaped.contains(|c| c != '\n' && is_control(c)),
                "{escaped}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&escaped).unwrap(),
                value
            );
        }
    }
}
