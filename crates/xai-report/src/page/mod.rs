//! The report as one page of HTML that asks nothing of any other place.

pub(crate) mod block;
mod head;

use maud::{Markup, PreEscaped, html};
use xai_core::text::{visible, visible_lines};

use crate::markup::{Cell, Table, name, row};
use crate::origin::{InputFile, SectionKind};
use crate::report::Report;
use crate::section::Section;
use block::{Block, Counter};

/// What a page says in its head that made it: a program can tell it from other pages.
pub const GENERATOR: &str = "xai report";

const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page of a report: one file of HTML that asks nothing of any other place.
///
/// It shows the findings, then every section with pictures, tables and what is needed to compute it again. Names
/// may come from anywhere: markup and control characters in them are escaped.
///
/// ```
/// use xai_report::{InputFile, Report, page};
/// let report = Report::new("Digits <b>and</b> letters");
/// let html = page(&report);
/// assert!(html.contains("<h1><bdi>Digits &lt;b&gt;and&lt;/b&gt; letters</bdi></h1>"));
/// ```
#[must_use]
pub fn page(report: &Report) -> String {
    let version = &report.xai_version;
    let (style, script) = (
        include_str!("../../assets/page.css"),
        include_str!("../../assets/page.js"),
    );
    let page = html! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(GENERATOR);
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "xai " (version) };
                link rel="icon" href="data:,";
                title { (report.title) " – xai report" }
                style { (PreEscaped(style)) }
            }
            body {
                a.skip href="#findings" { "Skip to the findings" }
                header {
                    h1 { bdi { (report.title) } }
                    p.lead { "How good are the explanations? Numbers with their intervals, pictures, and how to make them again." }
                    dl.made {
                        div { dt { "Made by" } dd { "xai " (version) ", seed " (report.seed) } }
                        (draw_study(&report.study))
                    }
                }
                main {
                    section #findings aria-labelledby="findings-name" tabindex="-1" {
                        h2 #findings-name { "Findings" }
                        (head::draw_missing(report))
                        (head::draw_findings(report))
                        p.note {
                            "Each sentence follows from the numbers by a rule. Intervals cover 95 % where nothing else is said. A dash, –, is a value that is undefined for this data; it is counted, and is not zero. Every number is also in "
                            a href="report.json" { "report.json" } "."
                        }
                    }
                    nav aria-label="Sections" { h2 { "Contents" } (head::draw_contents(report)) }
                    (draw_sections(report))
                }
                footer {
                    @if !report.command.is_empty() {
                        p { "This report is made by:" }
                        pre { code { (visible(&report.command)) } }
                    }
                    p { "xai " (version) ". The page asks nothing of any other place; without script it says the same, and with it tables can be sorted by their heads and pictures tell their values under the pointer." }
                }
                div #hint aria-hidden="true" hidden {}
                script { (PreEscaped(script)) }
            }
        }
    };
    visible_lines(&page.into_string()).into_owned()
}

/// The study file in the head of the page; nothing for a report that was made from none.
fn draw_study(study: &InputFile) -> Markup {
    let hash = study.sha256.as_deref();
    let hash = hash.unwrap_or("none: it is no regular file");
    html! {
        @if !study.path.is_empty() {
            div { dt { "Study file" } dd { (name(&study.path)) } }
            div { dt { "SHA-256 of it" } dd.hash { (hash) } }
        }
    }
}

/// The pixels of all images of a page together, about: a page stays small enough to be sent.
const ALL_PIXELS: usize = 700_000;

/// The most pixels on a side of an image.
const MOST_PIXELS: usize = 112;

/// All sections, each kind under its title.
fn draw_sections(report: &Report) -> Markup {
    let n_images: usize = report.sections().map(Section::n_images).sum();
    let side = (ALL_PIXELS as f64 / n_images.max(1) as f64).sqrt() as usize;
    let max_pixels = side.clamp(8, MOST_PIXELS);
    let mut counter = Counter::default();
    html! {
        @for (kind, sections) in report.kinds() {
            @let id = format!("family-{}", kind.key);
            @if !sections.is_empty() {
                section.family-section aria-labelledby=(id) {
                    h2 id=(id) { (kind.title) }
                    @for section in sections { (draw(section, kind, max_pixels, report, &mut counter)) }
                }
            }
        }
    }
}

fn draw(
    section: &dyn Section,
    kind: &SectionKind,
    max_pixels: usize,
    report: &Report,
    counter: &mut Counter,
) -> Markup {
    let origin = section.origin();
    html! {
        section.section id=(origin.id) {
            h3 { (name(head::called(origin))) }
            p.question { (kind.question) }
            (counter.draw(&section.page(max_pixels)))
            h4 { "What the numbers do not tell" }
            ul.sentences { @for limit in kind.limits { li { (name(limit)) } } }
            @if !origin.remarks.is_empty() {
                h4 { "Remarks" }
                ul.sentences { @for remark in &origin.remarks { li { (name(remark)) } } }
            }
            h4 { "Reproduce" }
            details.folded {
                summary { "Commands, seed, version and files" }
                @if !origin.commands.is_empty() {
                    p { "In the folder of the study:" }
                    // One to a line, whatever a path in it holds.
                    pre { code { @for command in &origin.commands { (visible(command)) "\n" } } }
                }
                p { "Seed " (origin.seed) ", xai " (report.xai_version) "." }
                @if !origin.files.is_empty() { (counter.draw(&[Block::Table(files(&origin.files))])) }
            }
        }
    }
}

/// The files that were read.
fn files(files: &[InputFile]) -> Table {
    let rows = files.iter().map(|file| {
        let hash = file.sha256.as_deref().unwrap_or("none: no regular file");
        row![&file.path, file.bytes, Cell::from(hash).class("hash")]
    });
    Table::new("Files that were read")
        .words(["path, as the study has it"])
        .numbers(["bytes"])
        .words(["SHA-256"])
        .rows(rows)
}
