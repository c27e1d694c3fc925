//! The report as one self-contained HTML page.

use askama::Template;
use xai_metrics::graph::dataset::SweepPoint;
use xai_metrics::repro::study::{AccuracyProfile, ProfilePoint};

use super::chart::{self, Line};
use super::results::Report;
use super::sections::graph::GraphScores;
use crate::failure::Failure;
use crate::output::visible::visible_lines;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    graph_charts: Vec<String>,
    simulation_panels: Vec<String>,
    simulation_legend: String,
    version: &'static str,
}

/// Renders the page.
pub(super) fn render(report: &Report) -> Result<String, Failure> {
    let graph_charts = report
        .graph
        .iter()
        .flat_map(|graph| &graph.explainers)
        .map(fidelity_chart)
        .collect::<Result<_, _>>()?;
    let profiles = report.simulation.iter().flat_map(|s| &s.profiles);
    let simulation_panels = profiles.map(panel).collect::<Result<_, _>>()?;
    Page {
        report,
        graph_charts,
        simulation_panels,
        simulation_legend: chart::legend(&["independent errors", "dependent errors"].map(|name| {
            Line {
                name,
                points: Vec::new(),
            }
        })),
        version: env!("CARGO_PKG_VERSION"),
    }
    .render()
    // Markup in names is escaped by the template; a page has no characters that act, but breaks of lines.
    .map(|page| visible_lines(&page).into_owned())
    .map_err(|e| Failure::new(format!("the page could not be made: {e}")))
}

/// Points that stand for fewer draws are left out: they jump about.
const FEWEST_DRAWS: usize = 5;

fn panel(profile: &AccuracyProfile) -> Result<String, Failure> {
    let line = |name, points: &[ProfilePoint]| Line {
        name,
        points: points
            .iter()
            .filter(|point| point.n_defined >= FEWEST_DRAWS)
            .map(|point| (point.accuracy, point.mean))
            .collect(),
    };
    let lines = [
        line("independent errors", &profile.independent),
        line("dependent errors", &profile.dependent),
    ];
    let below = lines
        .iter()
        .flat_map(|line| &line.points)
        .any(|point| point.1 < 0.0);
    chart::panel(if below { -0.25 } else { 0.0 }, &lines)
}

fn fidelity_chart(scores: &GraphScores) -> Result<String, Failure> {
    let points = &scores.sweep.points;
    let line = |name, value: fn(&SweepPoint) -> f64| Line {
        name,
        points: points.iter().map(|p| (p.level, value(p))).collect(),
    };
    chart::lines(
        "share of edges kept",
        &[
            line("fid+", |p| p.pos_fidelity),
            line("fid-", |p| p.neg_fidelity),
            line("characterization", |p| p.characterization),
        ],
    )
}

/// Filters of the template.
#[allow(unreachable_pub)] // the macro makes them so
mod filters {
    /// Four decimals.
    #[askama::filter_fn]
    pub(super) fn decimals(value: &f64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(format!("{value:.4}"))
    }

    /// Four decimals, a dash where undefined.
    #[askama::filter_fn]
    pub(super) fn maybe(value: &Option<f64>, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(crate::output::text::decimals(*value))
    }
}
