//! What comes first on the page: the findings, what is missing, and the contents.

use crate::family::{Family, Origin};
use crate::findings::{Finding, Verdict};
use crate::markup::{Element, Markup, name, number};
use crate::page::block::called;
use crate::report::Report;

/// The findings, by family.
pub(super) fn draw(report: &Report) -> Markup {
    let families = Family::ALL.into_iter().filter_map(|family| {
        let findings: Vec<&Finding> = report
            .findings
            .iter()
            .filter(|finding| family_of(report, finding) == Some(family.key()))
            .collect();
        (!findings.is_empty()).then(|| group(report, family.title(), &findings))
    });
    let others: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|finding| {
            let family = family_of(report, finding);
            Family::ALL.iter().all(|known| Some(known.key()) != family)
        })
        .collect();
    let others = (!others.is_empty()).then(|| group(report, "Others", &others));
    Markup::joined(families.chain(others))
}

fn group(report: &Report, title: &str, findings: &[&Finding]) -> Element {
    let items = findings.iter().map(|finding| item(report, finding));
    Element::of("div", "family")
        .child(Element::new("h3").text(title))
        .child(Element::of("ul", "findings").children(items))
}

fn item(report: &Report, finding: &Finding) -> Element {
    let (class, symbol, words) = mark(finding.verdict);
    let verdict = Element::of("span", format!("verdict {class}").trim())
        .child(
            Element::new("span")
                .with("aria-hidden", "true")
                .text(symbol),
        )
        .text(format!(" {words}"));
    let sentence = Element::of("span", "sentence").child(Element::new("bdi").text(&finding.text));
    // The sentence has the number and its interval.
    let item = Element::new("li").child(verdict).text(" ").child(sentence);
    match origin_of(report, finding) {
        Some(origin) => item.text(" ").child(link(origin)),
        None => item,
    }
}

/// The class, the symbol and the words of a verdict.
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

/// A link to a section.
fn link(origin: &Origin) -> Element {
    Element::new("a")
        .with("href", format!("#{}", origin.id))
        .child(name(called(origin)))
}

fn origins(report: &Report) -> impl Iterator<Item = &Origin> {
    report
        .origins()
        .chain(report.missing.iter().map(|missing| &missing.origin))
}

fn origin_of<'a>(report: &'a Report, finding: &Finding) -> Option<&'a Origin> {
    origins(report).find(|origin| origin.id == finding.section)
}

fn family_of<'a>(report: &'a Report, finding: &Finding) -> Option<&'a str> {
    origin_of(report, finding).map(|origin| origin.family.as_str())
}

/// A notice for each section that could not be computed.
pub(super) fn draw_missing(report: &Report) -> Markup {
    if report.missing.is_empty() {
        return Markup::default();
    }
    let n = number::of_kind(report.missing.len() as u64, "section", "sections");
    let items = report.missing.iter().map(|missing| {
        let title = Element::new("b").child(name(called(&missing.origin)));
        let item = Element::new("li")
            .with("id", &missing.origin.id)
            .child(title)
            .text(format!(" ({}): ", missing.origin.family))
            .child(Element::of("span", "error").child(name(&missing.error)));
        match &missing.help {
            Some(help) => item.child(
                Element::of("div", "help")
                    .text("Way out: ")
                    .child(name(help)),
            ),
            None => item,
        }
    });
    let title = Element::new("p")
        .child(Element::new("span").with("aria-hidden", "true").text("✕ "))
        .child(Element::new("b").text(format!("Not computed: {n}.")))
        .text(" What follows is the rest of the study.");
    let notice = Element::of("div", "notice")
        .child(title)
        .child(Element::new("ul").children(items));
    notice.into()
}

/// Links to all sections, by family.
pub(super) fn draw_contents(report: &Report) -> Markup {
    let families = Family::ALL.into_iter().filter_map(|family| {
        let origins = report
            .origins()
            .filter(|origin| origin.family == family.key());
        let links: Vec<Element> = origins
            .map(|origin| Element::new("li").child(link(origin)))
            .collect();
        let item = Element::new("li").text(family.title());
        (!links.is_empty()).then(|| item.child(Element::new("ul").children(links)))
    });
    Element::of("ul", "contents").children(families).into()
}
