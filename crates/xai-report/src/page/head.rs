//! Beginning of the page: findings, missing sections and contents.

use maud::{Markup, html};

use crate::findings::{Finding, Verdict};
use crate::markup::{name, number};
use crate::origin::Origin;
use crate::report::{KINDS, Report};

/// Name of a section, or its id if the name is empty.
pub(super) fn display_name(origin: &Origin) -> &str {
    if origin.name.trim().is_empty() {
        &origin.id
    } else {
        &origin.name
    }
}

/// Renders the findings by kind of section.
pub(super) fn draw_findings(report: &Report) -> Markup {
    let found: Vec<(&Finding, Option<&Origin>)> = report
        .findings
        .iter()
        .map(|finding| (finding, origin_of(report, finding)))
        .collect();
    let is_of = |key: &str, origin: Option<&Origin>| origin.is_some_and(|it| it.family == key);
    let draw = |title: &str, is_in: &dyn Fn(Option<&Origin>) -> bool| {
        let mut items = found.iter().filter(|(_, origin)| is_in(*origin)).peekable();
        html! {
            @if items.peek().is_some() {
                div.family {
                    h3 { (title) }
                    ul.findings { @for (finding, origin) in items { (item(finding, *origin)) } }
                }
            }
        }
    };
    html! {
        @for kind in KINDS { (draw(kind.title, &|origin| is_of(kind.key, origin))) }
        (draw("Others", &|origin| !KINDS.iter().any(|kind| is_of(kind.key, origin))))
    }
}

fn item(finding: &Finding, origin: Option<&Origin>) -> Markup {
    let (class, symbol, words) = mark(finding.verdict);
    let class = format!("verdict {class}");
    // The number and its interval are part of the sentence.
    html! {
        li {
            span class=(class.trim()) { span aria-hidden="true" { (symbol) } " " (words) }
            " " span.sentence { bdi { (finding.text) } }
            @if let Some(origin) = origin { " " (link(origin)) }
        }
    }
}

/// CSS class, symbol and words of a verdict.
fn mark(verdict: Verdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        Verdict::Better => ("good", "▲", "significantly better"),
        Verdict::NoDifference => ("", "≈", "no difference shown"),
        Verdict::Worse => ("bad", "▼", "significantly worse"),
        Verdict::Undefined => ("", "∅", "undefined"),
        Verdict::Note => ("", "●", "note"),
        Verdict::Missing => ("bad", "✕", "missing"),
    }
}

fn link(origin: &Origin) -> Markup {
    html! { a href={ "#" (origin.id) } { (name(display_name(origin))) } }
}

fn origin_of<'a>(report: &'a Report, finding: &Finding) -> Option<&'a Origin> {
    let missing = report.missing.iter().map(|missing| &missing.origin);
    let mut origins = report.origins().chain(missing);
    origins.find(|origin| origin.id == finding.section)
}

/// Renders a notice about the sections that could not be computed.
pub(super) fn draw_missing(report: &Report) -> Markup {
    let n = number::counted(report.missing.len() as u64, "section", "sections");
    html! {
        @if !report.missing.is_empty() {
            div.notice {
                p { span aria-hidden="true" { "✕ " } b { "Not computed: " (n) "." } " The rest of the report is complete." }
                ul { @for missing in &report.missing {
                    li id=(missing.origin.id) {
                        b { (name(display_name(&missing.origin))) } " (" (missing.origin.family) "): "
                        span.error { (name(&missing.error)) }
                        @if let Some(help) = &missing.help { div.help { "Help: " (name(help)) } }
                    }
                } }
            }
        }
    }
}

/// Renders links to all sections by kind.
pub(super) fn draw_contents(report: &Report) -> Markup {
    html! {
        ul.contents {
            @for kind in KINDS {
                @let mut origins = report.origins().filter(|origin| origin.family == kind.key).peekable();
                @if origins.peek().is_some() {
                    li { (kind.title) ul { @for origin in origins { li { (link(origin)) } } } }
                }
            }
        }
    }
}
