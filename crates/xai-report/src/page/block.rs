//! Blocks of a section on the page, and the numbering of figures and tables.

use maud::{Markup, html};

use crate::estimate::Estimate;
use crate::markup::{Table, name, number, undefined};
use crate::picture::Figure;

/// One part of a section.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// A heading.
    Heading(&'static str),
    /// A paragraph.
    Paragraph(String),
    /// The most important numbers.
    KeyFigures(Vec<KeyFigure>),
    /// Pictures side by side.
    Figures(Vec<Figure>),
    /// Many small pictures side by side.
    Panels(Vec<Figure>),
    /// HTML without figures and tables.
    Html(Markup),
    /// A table.
    Table(Table),
    /// Blocks that the reader can unfold.
    Folded {
        title: String,
        is_open: bool,
        blocks: Vec<Block>,
    },
}

impl Block {
    /// Pictures under a heading; no blocks if there are no pictures.
    pub(crate) fn figures(heading: &'static str, figures: Vec<Figure>) -> Vec<Self> {
        if figures.is_empty() {
            return Vec::new();
        }
        vec![Self::Heading(heading), Self::Figures(figures)]
    }

    /// Many small pictures under a heading and an explanation; no blocks if there are no pictures.
    pub(crate) fn panels(
        heading: &'static str,
        explanation: impl Into<String>,
        panels: Vec<Figure>,
    ) -> Vec<Self> {
        if panels.is_empty() {
            return Vec::new();
        }
        vec![
            Self::Heading(heading),
            Self::Paragraph(explanation.into()),
            Self::Panels(panels),
        ]
    }

    /// Blocks that the reader can unfold, closed at first.
    pub(crate) fn folded(title: impl Into<String>, blocks: Vec<Self>) -> Self {
        Self::Folded {
            title: title.into(),
            is_open: false,
            blocks,
        }
    }
}

/// An important number with its name, interval and a note.
#[derive(Debug, Clone)]
pub(crate) struct KeyFigure {
    name: &'static str,
    value: Option<(f64, String)>,
    interval: Option<[f64; 2]>,
    note: String,
}

impl KeyFigure {
    /// Creates a key figure from a number with or without an interval.
    pub(crate) fn new(name: &'static str, estimate: impl Into<Estimate>, note: &str) -> Self {
        let estimate = estimate.into();
        let warning = if estimate.small_sample {
            "; few values: the interval covers less often than its level says"
        } else {
            ""
        };
        let value = number::finite(estimate.value);
        Self {
            name,
            value: value.map(|value| (value, number::decimals(value))),
            interval: estimate.interval,
            note: format!("{note}{warning}"),
        }
    }

    /// Creates a key figure from a count.
    pub(crate) fn count(name: &'static str, n: u64, note: &str) -> Self {
        Self {
            value: Some((n as f64, number::count(n))),
            ..Self::new(name, None, note)
        }
    }

    fn draw(&self) -> Markup {
        html! {
            div {
                dt { (self.name) }
                dd {
                    @match &self.value {
                        Some((exact, text)) => span.key-value data-value=(exact) { (text) },
                        None => span.key-value data-value="" { (undefined()) },
                    }
                    @if let Some(ends) = self.interval {
                        span.key-interval { " " (number::interval(ends)) }
                    }
                    @if !self.note.is_empty() { small.note { (self.note) } }
                }
            }
        }
    }
}

/// Numbers the figures and tables of a page.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    n_figures: usize,
    n_tables: usize,
}

impl Counter {
    /// Renders blocks one after the other.
    pub(crate) fn draw(&mut self, blocks: &[Block]) -> Markup {
        html! { @for block in blocks { (self.draw_one(block)) } }
    }

    fn draw_one(&mut self, block: &Block) -> Markup {
        match block {
            Block::Heading(text) => html! { h4 { (text) } },
            Block::Paragraph(text) => html! { p { (text) } },
            Block::KeyFigures(keys) => html! { dl.keys { @for key in keys { (key.draw()) } } },
            Block::Figures(figures) => html! { div.figures { (self.draw_figures(figures)) } },
            Block::Panels(figures) => html! { div.panels { (self.draw_figures(figures)) } },
            Block::Html(html) => html.clone(),
            Block::Table(table) => {
                self.n_tables += 1;
                table.draw(&format!("Table {}", self.n_tables))
            }
            Block::Folded {
                title,
                is_open,
                blocks,
            } => html! {
                details.folded open[*is_open] { summary { (name(title)) } (self.draw(blocks)) }
            },
        }
    }

    fn draw_figures(&mut self, figures: &[Figure]) -> Markup {
        html! {
            @for figure in figures {
                @let number = { self.n_figures += 1; self.n_figures };
                (figure.draw(number))
            }
        }
    }
}

/// Formats a number of things: `1 run`, `2 runs`.
pub(crate) fn n_of(n: usize, one: &str, many: &str) -> String {
    number::counted(n as u64, one, many)
}
