//! The section of texts: their tokens in the colours of the attributions.

use crate::family::Family;
use crate::markup::number::in_own_units;
use crate::markup::{Cell, Element, Table, name};
use crate::page::block::{Block, Section, n_of};
use crate::page::compared;
use crate::section::texts::{ShownText, Texts};

/// The section with its pictures, tables and texts.
pub(super) fn section(section: &Texts) -> Section<'_> {
    let of = &section.compared;
    Section {
        family: Family::Texts,
        origin: &section.origin,
        about: format!(
            "{}, {} by {} of what people marked.",
            n_of(of.n_samples, "text", "texts"),
            n_of(of.explainers.len(), "explainer", "explainers"),
            n_of(of.metrics.len(), "metric", "metrics"),
        ),
        blocks: blocks(section),
    }
}

fn blocks(section: &Texts) -> Vec<Block> {
    let mut blocks = compared::values(&section.compared);
    blocks.extend(compared::judged(&section.compared));
    if section.texts.is_empty() {
        return blocks;
    }
    let which = match section.compared.metrics.is_empty() {
        true => "Some texts, evenly spread.",
        false => {
            "The best and the worst texts by the first metric, of the explainer that it ranks first."
        }
    };
    let marked = match section.texts.iter().any(|text| text.rationale.is_some()) {
        true => " A frame is around what people marked.",
        false => "",
    };
    blocks.push(Block::Heading("Texts side by side"));
    blocks.push(Block::Words(format!(
        "{which} Orange with a solid line: above 0, the token speaks for the prediction. Blue with a dotted line: below 0. The \
         stronger the colour and the bolder the letters, the larger the attribution beside the largest of the text by the same \
         explainer.{marked}"
    )));
    for text in &section.texts {
        blocks.push(Block::Text(draw(section, text)));
        blocks.push(Block::Folded {
            title: format!("Numbers of text {}", text.title()),
            is_open: false,
            blocks: vec![Block::Table(table(section, text))],
        });
    }
    blocks
}

/// The text once for each explainer.
fn draw(section: &Texts, text: &ShownText) -> Element {
    let of_explainers = section.compared.explainers.iter().zip(&text.attributions);
    let lines = of_explainers.map(|(explainer, attributions)| {
        Element::new("div")
            .child(Element::new("dt").child(name(explainer)))
            .child(tokens(text, attributions))
    });
    let title = Element::of("p", "picture-title")
        .child(Element::new("b").text(format!("Text {}", text.title())));
    let lines = Element::of("dl", "text").children(lines);
    Element::new("div").child(title).child(lines)
}

/// The tokens of a text in the colours of an explainer.
fn tokens(text: &ShownText, attributions: &[f64]) -> Element {
    let sizes = attributions.iter().map(|x| x.abs());
    let largest = sizes.filter(|x| x.is_finite()).fold(0.0, f64::max);
    let mut line = Element::new("dd");
    for (place, (token, &attribution)) in text.tokens.iter().zip(attributions).enumerate() {
        if place > 0 {
            line = line.text(text.between());
        }
        let is_marked = is_marked(text, place).unwrap_or(false);
        // The spaces that a token brings are between the coloured words.
        let word = token.trim();
        let (before, behind) = match token.find(word) {
            Some(start) => (&token[..start], &token[start + word.len()..]),
            None => ("", ""),
        };
        let drawn = draw_token(word, attribution, largest, is_marked);
        line = line.text(before).child(drawn).text(behind);
    }
    match text.n_more {
        0 => line,
        n => line
            .text(" … ")
            .child(Element::of("small", "note").text(n_of(n, "more token", "more tokens"))),
    }
}

/// Steps of strength; what is below the first is not coloured.
const STEPS: f64 = 5.0;

/// A token. Whoever hears the page is told the number of a coloured one, and which ones people marked.
fn draw_token(token: &str, attribution: f64, largest: f64, is_marked: bool) -> Element {
    let step = match largest > 0.0 && attribution.is_finite() {
        true => (STEPS * attribution.abs() / largest).round() as usize,
        false => 0,
    };
    let sign = if attribution > 0.0 { "for" } else { "against" };
    let mut class = "token".to_owned();
    let mut told = Vec::new();
    if step > 0 {
        class += &format!(" {sign} strength-{step}");
        told.push(in_own_units(attribution));
    }
    if is_marked {
        class += " marked";
        told.push("marked".to_owned());
    }
    let drawn = Element::of("span", class).text(token);
    match told.is_empty() {
        true => drawn,
        false => {
            let told = told.join(", ");
            let hint = drawn.with("title", &told);
            hint.child(Element::of("span", "told").text(format!(" ({told})")))
        }
    }
}

/// Whether people marked a token, where that is known; a report that was changed by hand may have fewer marks.
fn is_marked(text: &ShownText, place: usize) -> Option<bool> {
    let marks = text.rationale.as_ref()?;
    Some(marks.get(place) == Some(&true))
}

fn table(section: &Texts, text: &ShownText) -> Table {
    let rows = text.tokens.iter().enumerate().map(|(place, token)| {
        let marked = is_marked(text, place);
        let marked = marked.map(|is| Cell::words(if is { "marked" } else { "" }));
        let values = text
            .attributions
            .iter()
            .map(|of| Cell::number(of.get(place).copied()));
        std::iter::once(Cell::words(token))
            .chain(marked)
            .chain(values)
            .collect()
    });
    let caption = format!("Attributions of the tokens of text {}", text.title());
    let table = Table::new(caption).words(["token"]);
    let table = match text.rationale.is_some() {
        true => table.words(["by people"]),
        false => table,
    };
    table.numbers(&section.compared.explainers).rows(rows)
}
