//! The page of texts: their tokens in the colours of the attributions.

use maud::{Markup, html};

use crate::markup::number::in_own_units;
use crate::markup::{Cell, Table, name};
use crate::page::block::{Block, n_of};
use crate::sections::compared;
use crate::sections::texts::data::{ShownText, Texts};

pub(super) fn blocks(section: &Texts) -> Vec<Block> {
    let of = &section.compared;
    let about = format!(
        "{}, {} by {} of what people marked.",
        n_of(of.n_samples, "text", "texts"),
        n_of(of.explainers.len(), "explainer", "explainers"),
        n_of(of.metrics.len(), "metric", "metrics"),
    );
    let mut blocks = vec![Block::Paragraph(about)];
    blocks.extend(compared::values(of));
    blocks.extend(compared::judged(of));
    if section.texts.is_empty() {
        return blocks;
    }
    let which = if of.metrics.is_empty() {
        "Some texts, evenly spread."
    } else {
        "The best and the worst texts by the first metric, of the explainer that it ranks first."
    };
    let has_marks = section.texts.iter().any(|text| text.rationale.is_some());
    let marked = if has_marks {
        " Tokens marked by people have a frame."
    } else {
        ""
    };
    blocks.push(Block::Heading("Texts side by side"));
    blocks.push(Block::Paragraph(format!(
        "{which} Red with a solid line: above 0, the token speaks for the prediction. Blue with a dotted line: below 0. The \
         stronger the colour and the bolder the letters, the larger the attribution beside the largest of the text by the same \
         explainer.{marked}"
    )));
    for text in &section.texts {
        blocks.push(Block::Html(draw(section, text)));
        let table = Block::Table(table(section, text));
        let title = format!("Numbers of text {}", text.title());
        blocks.push(Block::folded(title, vec![table]));
    }
    blocks
}

/// The text once for each explainer.
fn draw(section: &Texts, text: &ShownText) -> Markup {
    let of_explainers = section.compared.explainers.iter().zip(&text.attributions);
    html! {
        div {
            p.picture-title { b { "Text " (text.title()) } }
            dl.text { @for (explainer, attributions) in of_explainers {
                div { dt { (name(explainer)) } dd { (tokens(text, attributions)) } }
            } }
        }
    }
}

/// The tokens of a text in the colours of an explainer.
fn tokens(text: &ShownText, attributions: &[f64]) -> Markup {
    let sizes = attributions.iter().map(|x| x.abs());
    let largest = sizes.filter(|x| x.is_finite()).fold(0.0, f64::max);
    html! {
        @for (place, (token, &attribution)) in text.tokens.iter().zip(attributions).enumerate() {
            @if place > 0 { (text.between()) }
            // White space at the ends of a token is not coloured.
            @let word = token.trim();
            @let split = token.split_once(word).filter(|_| !word.is_empty());
            @let (before, behind) = split.unwrap_or(("", token));
            (before) (draw_token(word, attribution, largest, is_marked(text, place))) (behind)
        }
        @if text.n_more > 0 {
            " … " small.note { (n_of(text.n_more, "more token", "more tokens")) }
        }
    }
}

/// Number of steps of strength. Tokens below half a step, a tenth of the largest magnitude, are not coloured.
const STEPS: f64 = 5.0;

/// Renders a token. Screen readers read the attribution of coloured tokens, and whether people marked the token.
fn draw_token(token: &str, attribution: f64, largest: f64, is_marked: Option<bool>) -> Markup {
    let step = if largest > 0.0 && attribution.is_finite() {
        (STEPS * attribution.abs() / largest).round() as usize
    } else {
        0
    };
    let sign = if attribution > 0.0 { "for" } else { "against" };
    let mut class = "token".to_owned();
    let mut hints = Vec::new();
    if step > 0 {
        class += &format!(" {sign} strength-{step}");
        hints.push(in_own_units(attribution));
    }
    if is_marked == Some(true) {
        class += " marked";
        hints.push("marked".to_owned());
    }
    let hint = (!hints.is_empty()).then(|| hints.join(", "));
    html! {
        span class=(class) title=[&hint] {
            (token)
            @if let Some(hint) = &hint { span.told { " (" (hint) ")" } }
        }
    }
}

/// True if people marked a token; `None` if unknown. Reports that were edited by hand may have too few marks.
fn is_marked(text: &ShownText, place: usize) -> Option<bool> {
    let marks = text.rationale.as_ref()?;
    Some(marks.get(place) == Some(&true))
}

fn table(section: &Texts, text: &ShownText) -> Table {
    let rows = text.tokens.iter().enumerate().map(|(place, token)| {
        let marked = is_marked(text, place).map(|is| if is { "marked" } else { "" });
        let values = text.attributions.iter().map(|of| of.get(place).copied());
        std::iter::once(Cell::from(token))
            .chain(marked.map(Cell::from))
            .chain(values.map(Cell::from))
            .collect()
    });
    Table::new(format!(
        "Attributions of the tokens of text {}",
        text.title()
    ))
    .words(["token"])
    .words(text.rationale.is_some().then_some("by people"))
    .numbers(&section.compared.explainers)
    .rows(rows)
}
