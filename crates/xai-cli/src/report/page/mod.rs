//! The report as one page that asks nothing of any other place.

mod attribution;
mod block;
mod casebased;
mod family;
mod findings;
mod graph;
mod repro;
mod section;
mod simulation;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use askama::Template;

use crate::failure::Failure;
use crate::output::visible::visible_lines;
use crate::report::markup::element::{Markup, name};
use crate::report::model::Report;
use crate::report::study::families::Family;
use block::Counter;
use section::Section;

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: &'a str,
    study: Markup,
    hash: &'a str,
    version: &'a str,
    command: &'a str,
    seed: u64,
    style: Markup,
    script: Markup,
    findings: Markup,
    missing: Markup,
    contents: Markup,
    families: Vec<(Family, Markup)>,
}

/// The page of a report.
pub(crate) fn render(report: &Report) -> Result<String, Failure> {
    let mut counter = Counter::default();
    let families = Family::ALL.into_iter().filter_map(|family| {
        let sections = sections(family, report);
        let drawn: Vec<Markup> = sections
            .iter()
            .map(|section| section.draw(report, &mut counter))
            .collect();
        (!drawn.is_empty()).then(|| (family, Markup::joined(drawn)))
    });
    let page = Page {
        title: &report.title,
        study: name(&report.study.path).into(),
        hash: report
            .study
            .sha256
            .as_deref()
            .unwrap_or("none: it is no regular file"),
        version: &report.xai_version,
        command: &report.command,
        seed: report.seed,
        style: Markup::own(include_str!("../../../templates/page.css")),
        script: Markup::own(include_str!("../../../templates/page.js")),
        findings: findings::draw(report),
        missing: findings::draw_missing(report),
        contents: findings::draw_contents(report),
        families: families.collect(),
    };
    page.render()
        // The template escapes markup; what else would act in a text is written out here.
        .map(|page| visible_lines(&page).into_owned())
        .map_err(|e| Failure::new(format!("the page could not be made: {e}")))
}

/// The sections of a family.
fn sections(family: Family, report: &Report) -> Vec<Section<'_>> {
    match family {
        Family::Casebased => report.casebased.iter().map(casebased::section).collect(),
        Family::Attribution => {
            let most_pixels = attribution::gallery::most_pixels(&report.attribution);
            let sections = report.attribution.iter();
            sections
                .map(|section| attribution::section(section, most_pixels))
                .collect()
        }
        Family::Graph => report.graph.iter().map(graph::section).collect(),
        Family::Repro => report.repro.iter().map(repro::section).collect(),
        Family::Simulation => report.simulation.iter().map(simulation::section).collect(),
    }
}
