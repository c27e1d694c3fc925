//! The report as a single HTML page that loads nothing else.

pub(crate) mod block;
mod head;

use maud::{Markup, PreEscaped, html};
use xai_core::text::{visible, visible_lines};

use crate::markup::{Cell, Table, name, row};
use crate::origin::{InputFile, SectionKind};
use crate::report::Report;
use crate::section::Section;
use block::{Block, Counter};

/// Generator named in the head of the page, by which programs recognise it.
pub const GENERATOR: &str = "xai report";

const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Renders a report as a single HTML page that loads nothing else.
///
/// The page shows the findings, then every section with pictures, tables and the commands and files
/// to reproduce it. Names may come from untrusted files: markup and control characters in them are
/// escaped.
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
                    p.lead { "How good are the explanations? Numbers with confidence intervals, pictures, and the commands to reproduce them." }
                    dl.made {
                        div { dt { "Created by" } dd { "xai " (version) ", seed " (report.seed) } }
                        (draw_study(&report.study))
                    }
                }
                main {
                    section #findings aria-labelledby="findings-name" tabindex="-1" {
                        h2 #findings-name { "Findings" }
                        (head::draw_missing(report))
                        (head::draw_findings(report))
                        p.note {
                            "Each sentence follows from the numbers by a fixed rule. Intervals have a level of 95 % unless stated otherwise. A dash (–) marks a value that is undefined for this data; undefined values are counted and are not zero. All numbers are also in "
                            a href="report.json" { "report.json" } "."
                        }
                    }
                    nav aria-label="Sections" { h2 { "Contents" } (head::draw_contents(report)) }
                    (draw_sections(report))
                }
                footer {
                    @if !report.command.is_empty() {
                        p { "Command that creates this report:" }
                        pre { code { (visible(&report.command)) } }
                    }
                    p { "xai " (version) ". This page loads nothing from elsewhere. With JavaScript, tables can be sorted by clicking their headers, and pictures show values under the pointer; all content is also available without it." }
                }
                div #hint aria-hidden="true" hidden {}
                script { (PreEscaped(script)) }
            }
        }
    };
    visible_lines(&page.into_string()).into_owned()
}

/// Renders the study file; nothing if the report was created without one.
fn draw_study(study: &InputFile) -> Markup {
    let hash = study.sha256.as_deref().unwrap_or(NO_HASH);
    html! {
        @if !study.path.is_empty() {
            div { dt { "Study file" } dd { (name(&study.path)) } }
            div { dt { "SHA-256 of the study file" } dd.hash { (hash) } }
        }
    }
}

/// Text in place of a SHA-256 that could not be computed.
const NO_HASH: &str = "none (not a regular file)";

/// Approximate number of pixels of all images together, so that the page stays small enough to send.
const ALL_PIXELS: usize = 700_000;

/// Largest number of pixels on a side of an image.
const MAX_PIXELS: usize = 112;

/// Renders all sections, each kind under its title.
fn draw_sections(report: &Report) -> Markup {
    let n_images: usize = report.sections().map(Section::n_images).sum();
    let side = (ALL_PIXELS as f64 / n_images.max(1) as f64).sqrt() as usize;
    let max_pixels = side.clamp(8, MAX_PIXELS);
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
            h3 { (name(head::display_name(origin))) }
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
                    // `visible` escapes line breaks in paths, so that each command is one line.
                    pre { code { @for command in &origin.commands { (visible(command)) "\n" } } }
                }
                p { "Seed " (origin.seed) ", xai " (report.xai_version) "." }
                @if !origin.files.is_empty() { (counter.draw(&[Block::Table(files(&origin.files))])) }
            }
        }
    }
}

fn files(files: &[InputFile]) -> Table {
    let rows = files.iter().map(|file| {
        let hash = file.sha256.as_deref().unwrap_or(NO_HASH);
        row![&file.path, file.bytes, Cell::from(hash).class("hash")]
    });
    Table::new("Input files")
        .words(["path in the study"])
        .numbers(["bytes"])
        .words(["SHA-256"])
        .rows(rows)
}
