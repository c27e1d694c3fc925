//! Documentation comments as plain text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// First paragraph of a documentation in one line, without links. Text from ` Default: ` on is
/// removed, because front ends show the actual default.
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

/// Text of a `#[doc = "…"]` attribute.
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

/// Parts of a documentation that describe a metric.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Documentation {
    /// First `text` block.
    pub(crate) formula: Option<String>,
    /// Heading and text of each section, without code blocks. Paragraphs are separated by a line
    /// break.
    sections: Vec<(String, String)>,
}

impl Documentation {
    /// Splits the documentation into its parts.
    pub(crate) fn read(attributes: &[Attribute]) -> Self {
        let mut documentation = Self::default();
        // Open code block: whether it is a `text` block, and its lines.
        let mut block: Option<(bool, Vec<String>)> = None;
        let text: Vec<String> = attributes.iter().filter_map(line).collect();
        for line in text.iter().flat_map(|text| text.split('\n')) {
            let trimmed = line.trim();
            if let Some(info) = trimmed.strip_prefix("```") {
                match block.take() {
                    None => block = Some((info == "text", Vec::new())),
                    Some((true, lines)) if documentation.formula.is_none() => {
                        documentation.formula = Some(lines.join("\n"));
                    }
                    Some(_) => {}
                }
            } else if let Some((_, lines)) = &mut block {
                lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
            } else if let Some(title) = trimmed.strip_prefix("# ") {
                documentation
                    .sections
                    .push((title.to_owned(), String::new()));
            } else if let Some((_, section)) = documentation.sections.last_mut() {
                match trimmed {
                    "" if !section.is_empty() && !section.ends_with('\n') => section.push('\n'),
                    "" => {}
                    words => {
                        if !section.is_empty() && !section.ends_with('\n') {
                            section.push(' ');
                        }
                        section.push_str(words);
                    }
                }
            }
        }
        documentation
    }

    /// Markdown of a section; empty if there is none.
    fn markdown(&self, title: &str) -> &str {
        let section = self.sections.iter().find(|(found, _)| found == title);
        section.map_or("", |(_, text)| text.trim())
    }

    /// Text of a section in one line, without links and emphasis; empty if there is no such
    /// section.
    pub(crate) fn section(&self, title: &str) -> String {
        without_emphasis(&without_links(&self.markdown(title).replace('\n', " ")))
    }

    /// First paragraph of a section, formatted like [`section`](Self::section).
    pub(crate) fn first_paragraph_of(&self, title: &str) -> String {
        let text = self.markdown(title);
        let paragraph = text.split('\n').next().unwrap_or(text);
        without_emphasis(&without_links(paragraph))
    }

    /// Code spans of a section, without their backticks.
    pub(crate) fn code_in(&self, title: &str) -> Vec<String> {
        let pieces = self.markdown(title).split('`').skip(1).step_by(2);
        pieces.map(str::to_owned).collect()
    }
}

/// Removes the asterisks around titles: `*RISE*` becomes `RISE`. Asterisks in formulas have spaces
/// around them and are kept.
fn without_emphasis(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_space = |letter: Option<&char>| letter.is_none_or(|letter| letter.is_whitespace());
    let kept = letters.iter().enumerate().filter(|&(i, &letter)| {
        let before = i.checked_sub(1).and_then(|i| letters.get(i));
        letter != '*' || (is_space(before) && is_space(letters.get(i + 1)))
    });
    kept.map(|(_, letter)| letter).collect()
}

/// Replaces `[text](target)` and `[text]` by the text. Ranges such as [0, 1) keep their brackets.
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

/// Converts an identifier in CamelCase to lower-case words with a separator: `FirstOf` becomes
/// `first-of`.
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
    fn sections_and_the_formula_are_read_and_examples_are_not() {
        let item: syn::ItemStruct = syn::parse_quote! {
            /// Share of hits.
            ///
            /// ```text
            /// S = a / b
            ///     a * b
            /// ```
            ///
            /// ```
            /// # let hidden = 1;
            /// ```
            ///
            /// # Source
            /// Doe, *Hits and
            /// misses*, 2020.
            ///
            /// Others [divide](Self::new) by 2.
            ///
            /// # Elsewhere
            /// `a.B`, `c.D`
            struct Hits;
        };
        let documentation = Documentation::read(&item.attrs);
        assert_eq!(
            documentation.formula.as_deref(),
            Some("S = a / b\n    a * b")
        );
        let source = documentation.first_paragraph_of("Source");
        assert_eq!(source, "Doe, Hits and misses, 2020.");
        assert!(
            documentation
                .section("Source")
                .ends_with("2020. Others divide by 2.")
        );
        assert_eq!(documentation.code_in("Elsewhere"), ["a.B", "c.D"]);
        assert_eq!(documentation.section("Limits"), "");
    }

    #[test]
    fn identifiers_are_words() {
        assert_eq!(lower_case("FirstOf", '-'), "first-of");
        assert_eq!(lower_case("L2Norm", '_'), "l2_norm");
    }
}
