//! The report as one self-contained HTML page.

use askama::Template;

use super::chart::{self, Line};
use super::results::{GraphScores, Report};
use crate::failure::Failure;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    graph_charts: Vec<String>,
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
    Page {
        report,
        graph_charts,
        version: env!("CARGO_PKG_VERSION"),
    }
    .render()
    .map_err(|e| Failure::new(format!("the page could not be made: {e}")))
}

fn fidelity_chart(scores: &GraphScores) -> Result<String, Failure> {
    let line = |name, value: fn(&super::results::CurvePoint) -> f64| Line {
        name,
        points: scores
            .curve
            .iter()
            .map(|point| (point.kept_fraction, value(point)))
            .collect(),
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
mod filters {
    /// Four decimals.
    #[askama::filter_fn]
    pub(super) fn decimals(value: &f64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(format!("{value:.4}"))
    }

    /// Four decimals, a dash where undefined.
    #[askama::filter_fn]
    pub(super) fn maybe(value: &Option<f64>, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(crate::output::decimals(*value))
    }
}
