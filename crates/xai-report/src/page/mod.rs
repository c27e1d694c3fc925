//! The report as one page of HTML that asks nothing of any other place.

mod attribution;
mod block;
mod casebased;
mod compared;
mod data_attribution;
mod findings;
mod graph;
mod repro;
mod simulation;
mod texts;

use crate::family::{Family, InputFile};
use crate::markup::{Element, Markup, name};
use crate::report::Report;
use block::{Counter, Section};

/// What a page says in its head that made it: a program can tell it from other pages.
pub const GENERATOR: &str = "xai report";

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
    let mut counter = Counter::default();
    let families = Family::ALL
        .into_iter()
        .filter_map(|family| draw_family(family, report, &mut counter));
    // Every value is escaped, or markup of our own; the compiler checks the names in the template.
    let mut html = format!(
        include_str!("../../assets/page.html"),
        generator = GENERATOR,
        title = Markup::text(&report.title),
        version = Markup::text(&report.xai_version),
        seed = report.seed,
        study = draw_study(&report.study),
        style = include_str!("../../assets/page.css"),
        script = include_str!("../../assets/page.js"),
        findings = findings::draw(report),
        missing = findings::draw_missing(report),
        contents = findings::draw_contents(report),
        families = Markup::joined(families),
        command = draw_command(&report.command),
    );
    html.truncate(html.trim_end().len());
    html
}

/// The study file in the head of the page; nothing for a report that was made from none.
fn draw_study(study: &InputFile) -> Markup {
    if study.path.is_empty() {
        return Markup::default();
    }
    let hash = study.sha256.as_deref();
    let hash = hash.unwrap_or("none: it is no regular file");
    let line = |title: &str, value: Element| {
        Element::new("div")
            .child(Element::new("dt").text(title))
            .child(value)
    };
    Markup::lines([
        line("Study file", Element::new("dd").child(name(&study.path))),
        line("SHA-256 of it", Element::of("dd", "hash").text(hash)),
    ])
}

/// The command in the foot of the page; nothing for a report that was made by none.
fn draw_command(command: &str) -> Markup {
    if command.is_empty() {
        return Markup::default();
    }
    Markup::lines([
        Element::new("p").text("This report is made by:"),
        Element::new("pre").child(Element::new("code").text(command)),
    ])
}

/// The sections of a family under its title, if there are any.
fn draw_family(family: Family, report: &Report, counter: &mut Counter) -> Option<Markup> {
    let sections = sections(family, report);
    if sections.is_empty() {
        return None;
    }
    let drawn = sections
        .iter()
        .map(|section| section.draw(report, &mut *counter));
    let drawn = Markup::joined(drawn);
    let (id, newline) = (format!("family-{}", family.key()), || Markup::own("\n"));
    let section = Element::of("section", "family-section")
        .with("aria-labelledby", &id)
        .markup(newline())
        .child(Element::new("h2").with("id", &id).text(family.title()))
        .markup(newline())
        .markup(drawn)
        .markup(newline());
    Some(Markup::lines([section]))
}

/// The sections of a family.
fn sections(family: Family, report: &Report) -> Vec<Section<'_>> {
    match family {
        Family::Casebased => report.casebased.iter().map(casebased::section).collect(),
        Family::Attribution => {
            let most_pixels = attribution::pictures::most_pixels(&report.attribution);
            let sections = report.attribution.iter();
            sections
                .map(|section| attribution::section(section, most_pixels))
                .collect()
        }
        Family::Texts => report.texts.iter().map(texts::section).collect(),
        Family::DataAttribution => {
            let sections = report.data_attribution.iter();
            sections.map(data_attribution::section).collect()
        }
        Family::Graph => report.graph.iter().map(graph::section).collect(),
        Family::Repro => report.repro.iter().map(repro::section).collect(),
        Family::Simulation => report.simulation.iter().map(simulation::section).collect(),
    }
}
