//! What a section is made of, and the numbers of its figures and tables.

use crate::estimate::Estimate;
use crate::family::{Family, InputFile, Origin};
use crate::markup::{Cell, Element, Markup, Table, name, number, undefined};
use crate::picture::Figure;
use crate::report::Report;

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
    /// A text whose words have colours.
    Text(Element),
    /// A table.
    Table(Table),
    /// Blocks that are shown on demand.
    Folded {
        title: String,
        is_open: bool,
        blocks: Vec<Block>,
    },
}

impl Block {
    /// Pictures under a heading; nothing where there are none.
    pub(super) fn figures(heading: &'static str, figures: Vec<Figure>) -> Vec<Self> {
        match figures.is_empty() {
            true => Vec::new(),
            false => vec![Self::Heading(heading), Self::Figures(figures)],
        }
    }

    /// Many small pictures under a heading, with what they have in common; nothing where there are none.
    pub(super) fn panels(heading: &'static str, words: &str, panels: Vec<Figure>) -> Vec<Self> {
        match panels.is_empty() {
            true => Vec::new(),
            false => vec![
                Self::Heading(heading),
                Self::Words(words.to_owned()),
                Self::Panels(panels),
            ],
        }
    }
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
    /// A number without an interval.
    pub(super) fn number(name: &'static str, value: Option<f64>, note: &str) -> Self {
        Self {
            name,
            value: number::finite(value).map(|value| (value, number::decimals(value))),
            interval: None,
            note: note.to_owned(),
        }
    }

    /// A number with its interval.
    pub(super) fn estimate(name: &'static str, estimate: &Estimate, note: &str) -> Self {
        let mut key = Self::number(name, estimate.value, note);
        key.interval = estimate.interval;
        if estimate.small_sample {
            key.note += "; few values: the interval covers less often than it says";
        }
        key
    }

    /// A count.
    pub(super) fn count(name: &'static str, n: u64, note: &str) -> Self {
        let value = Some((n as f64, number::count(n)));
        Self {
            value,
            ..Self::number(name, None, note)
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
            Block::Text(text) => text.clone().into(),
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
        let details = match is_open {
            true => details.with("open", ""),
            false => details,
        };
        details
            .child(Element::new("summary").child(name(title)))
            .markup(self.draw(blocks))
            .into()
    }
}

/// A section before it is drawn.
pub(super) struct Section<'a> {
    pub(super) family: Family,
    pub(super) origin: &'a Origin,
    /// What was measured on what.
    pub(super) about: String,
    pub(super) blocks: Vec<Block>,
}

/// The name of a section; its place where the study gives it an empty one.
pub(super) fn called(origin: &Origin) -> &str {
    match origin.name.trim().is_empty() {
        true => &origin.id,
        false => &origin.name,
    }
}

impl Section<'_> {
    /// The section as HTML.
    pub(super) fn draw(&self, report: &Report, counter: &mut Counter) -> Markup {
        let section = Element::of("section", "section")
            .with("id", &self.origin.id)
            .child(Element::new("h3").child(name(called(self.origin))))
            .child(Element::of("p", "question").text(self.family.question()))
            .child(Element::new("p").text(&self.about))
            .markup(counter.draw(&self.blocks))
            .child(Element::new("h4").text("What the numbers do not tell"))
            .child(list(self.family.limits().iter().copied()));
        let section = match self.origin.remarks.is_empty() {
            true => section,
            false => section
                .child(Element::new("h4").text("Remarks"))
                .child(list(self.origin.remarks.iter().map(String::as_str))),
        };
        section.markup(self.draw_origin(report, counter)).into()
    }

    fn draw_origin(&self, report: &Report, counter: &mut Counter) -> Markup {
        let mut details = Element::of("details", "folded")
            .child(Element::new("summary").text("Commands, seed, version and files"));
        if !self.origin.commands.is_empty() {
            details = details
                .child(Element::new("p").text("In the folder of the study:"))
                .child(commands(&self.origin.commands));
        }
        let made = format!("Seed {}, xai {}.", self.origin.seed, report.xai_version);
        details = details.child(Element::new("p").text(made));
        if !self.origin.files.is_empty() {
            details = details.markup(counter.draw_table(&files(&self.origin.files)));
        }
        Markup::joined([Element::new("h4").text("Reproduce"), details])
    }
}

/// Sentences as a list.
fn list<'a>(sentences: impl IntoIterator<Item = &'a str>) -> Element {
    let items = sentences
        .into_iter()
        .map(|sentence| Element::new("li").child(name(sentence)));
    Element::of("ul", "sentences").children(items)
}

/// Commands as they are typed.
fn commands(commands: &[String]) -> Element {
    // One to a line, whatever a path in it holds.
    let mut code = Element::new("code");
    for command in commands {
        code = code.text(command).markup(Markup::own("\n"));
    }
    Element::new("pre").child(code)
}

/// The files that were read.
fn files(files: &[InputFile]) -> Table {
    let rows = files.iter().map(|file| {
        let hash = file.sha256.as_deref().unwrap_or("none: no regular file");
        vec![
            Cell::words(&file.path),
            Cell::count(file.bytes),
            Cell::words(hash).class("hash"),
        ]
    });
    Table::new("Files that were read")
        .words(["path, as the study has it"])
        .numbers(["bytes"])
        .words(["SHA-256"])
        .rows(rows)
}

/// A number of things for a sentence.
pub(super) fn n_of(n: usize, one: &str, many: &str) -> String {
    number::of_kind(n as u64, one, many)
}
