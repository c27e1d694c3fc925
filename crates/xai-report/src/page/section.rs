//! The frame of a section: its name, its question, its limits, and how to make it again.

use super::block::{Block, Counter};
use crate::family::Family;
use crate::markup::element::{Element, Markup, name};
use crate::markup::number;
use crate::markup::table::{Cell, Table};
use crate::origin::{InputFile, Origin};
use crate::report::Report;

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
        .words("path, as the study has it")
        .numbers("bytes")
        .words("SHA-256")
        .rows(rows)
}

/// A number of things for a sentence.
pub(super) fn n_of(n: usize, one: &str, many: &str) -> String {
    number::of_kind(n as u64, one, many)
}
