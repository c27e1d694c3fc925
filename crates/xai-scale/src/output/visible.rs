//! Text that a terminal shows as it is.
//!
//! Values and names come from files. A control character in one of them could move the cursor, recolour what follows,
//! or show other text than there is, so all text for a person goes through here.

use std::borrow::Cow;

/// Whether a character does something instead of being shown: a control character, a break of lines or paragraphs, or
/// one that turns the direction of the text around it.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text on one line: every character that would act on the terminal is written out, as `\u{1b}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
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
        assert_eq!(visible("a\u{1b}[31m\tb\n"), "a\\u{1b}[31m\\tb\\n");
        assert!(matches!(visible("fid₊ é"), Cow::Borrowed(_)));
    }
}
