//! What a section is made of, and the numbers of its figures and tables.

use crate::estimate::Estimate;
use crate::markup::element::{Element, Markup, name};
use crate::markup::number;
use crate::markup::table::{Table, undefined};
use crate::picture::figure::Figure;

/// One part of a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// A heading.
    Heading(&'static str),
    /// A paragraph.
    Words(String),
    /// The numbers that matter most.
    KeyFigures(Vec<KeyFigure>),
    /// Pictures side by side.
    Figures(Vec<Figure>),
    /// Many small pictures side by side.
    Panels(Vec<Figure>),
    /// A table.
    Table(Table),
    /// Blocks that are shown on demand.
    Folded {
        title: String,
        is_open: bool,
        blocks: Vec<Block>,
    },
}

/// A number that matters, with its interval and what it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyFigure {
    name: &'static str,
    value: Option<(f64, String)>,
    interval: Option<[f64; 2]>,
    note: String,
}

impl KeyFigure {
    /// A number with its interval.
    pub(super) fn estimate(name: &'static str, estimate: &Estimate, note: &str) -> Self {
        let value = number::finite(estimate.value).map(|value| (value, number::decimals(value)));
        let few = if estimate.small_sample {
            "; few values: the interval covers less often than 95 %"
        } else {
            ""
        };
        Self {
            name,
            value,
            interval: estimate.interval,
            note: format!("{note}{few}"),
        }
    }

    /// A number without an interval.
    pub(super) fn number(name: &'static str, value: Option<f64>, note: &str) -> Self {
        let value = number::finite(value).map(|value| (value, number::decimals(value)));
        Self {
            name,
            value,
            interval: None,
            note: note.to_owned(),
        }
    }

    /// A count.
    pub(super) fn count(name: &'static str, n: u64, note: &str) -> Self {
        Self {
            name,
            value: Some((n as f64, number::count(n))),
            interval: None,
            note: note.to_owned(),
        }
    }

    fn draw(&self) -> Element {
        let value = Element::of("span", "key-value");
        let value = match &self.value {
            Some((exact, text)) => value.with("data-value", exact).text(text),
            None => value.with("data-value", "").child(undefined()),
        };
        let mut definition = Element::new("dd").child(value);
        if let Some(ends) = self.interval {
            let text = format!(" {}", number::interval(ends));
            definition = definition.child(Element::of("span", "key-interval").text(text));
        }
        if !self.note.is_empty() {
            definition = definition.child(Element::of("small", "note").text(&self.note));
        }
        Element::new("div")
            .child(Element::new("dt").text(self.name))
            .child(definition)
    }
}

/// Counts figures and tables, so that each has a name of its own.
#[derive(Debug, Default)]
pub(super) struct Counter {
    n_figures: usize,
    n_tables: usize,
}

impl Counter {
    /// Several blocks after each other.
    pub(super) fn draw(&mut self, blocks: &[Block]) -> Markup {
        Markup::joined(blocks.iter().map(|block| self.draw_one(block)))
    }

    fn draw_one(&mut self, block: &Block) -> Markup {
        match block {
            Block::Heading(text) => Element::new("h4").text(text).into(),
            Block::Words(text) => Element::new("p").text(text).into(),
            Block::KeyFigures(keys) => Element::of("dl", "keys")
                .children(keys.iter().map(KeyFigure::draw))
                .into(),
            Block::Figures(figures) => self.draw_figures("figures", figures),
            Block::Panels(figures) => self.draw_figures("panels", figures),
            Block::Table(table) => self.draw_table(table),
            Block::Folded {
                title,
                is_open,
                blocks,
            } => self.draw_folded(title, *is_open, blocks),
        }
    }

    fn draw_figures(&mut self, class: &str, figures: &[Figure]) -> Markup {
        let drawn = figures.iter().map(|figure| {
            self.n_figures += 1;
            figure.draw(self.n_figures)
        });
        let drawn = Markup::joined(drawn);
        Element::of("div", class).markup(drawn).into()
    }

    /// The table as the next one of the page.
    pub(super) fn draw_table(&mut self, table: &Table) -> Markup {
        self.n_tables += 1;
        table.draw(&format!("Table {}", self.n_tables))
    }

    fn draw_folded(&mut self, title: &str, is_open: bool, blocks: &[Block]) -> Markup {
        let details = Element::of("details", "folded");
        let details = if is_open {
            details.with("open", "")
        } else {
            details
        };
        details
            .child(Element::new("summary").child(name(title)))
            .markup(self.draw(blocks))
            .into()
    }
}
