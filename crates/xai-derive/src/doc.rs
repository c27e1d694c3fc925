//! Documentation of fields and variants as plain sentences.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The first paragraph of a documentation, in one line, without links and without what it says of the default:
/// that is read from the value.
pub(crate) fn first_paragraph(attributes: &[Attribute]) -> String {
    let mut words = Vec::new();
    for line in attributes.iter().filter_map(line) {
        let line = line.trim().to_owned();
        if line.is_empty() && !words.is_empty() {
            break;
        }
        words.push(line);
    }
    let text = without_links(words.join(" ").trim());
    match text.find(" Default: ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    match &meta.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) if meta.path.is_ident("doc") => Some(text.value()),
        _ => None,
    }
}

/// `[text](target)` and `[text]` as the text. Ranges such as [0, 1) keep their brackets.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        plain.push_str(before);
        match from.find(']') {
            Some(close) if !from[1..close].contains([',', '[', ')']) => {
                plain.push_str(&from[1..close]);
                rest = &from[close + 1..];
                if let Some(end) = rest.strip_prefix('(').and_then(|target| target.find(')')) {
                    rest = &rest[end + 2..];
                }
            }
            _ => {
                plain.push('[');
                rest = &from[1..];
            }
        }
    }
    plain + rest
}

/// An identifier as words between `separator`: `FirstOf` is `first-of`.
pub(crate) fn lower_case(identifier: &str, separator: char) -> String {
    let mut words = String::new();
    for (i, c) in identifier.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            words.push(separator);
        }
        words.extend(c.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_their_text_and_ranges_stay() {
        assert_eq!(
            without_links("of [`Ties::Any`], a [share](crate::Share) in [0, 1) or (0, 1]"),
            "of `Ties::Any`, a share in [0, 1) or (0, 1]"
        );
    }

    #[test]
    fn identifiers_are_words() {
        assert_eq!(lower_case("FirstOf", '-'), "first-of");
        assert_eq!(lower_case("L2Norm", '_'), "l2_norm");
    }
}
