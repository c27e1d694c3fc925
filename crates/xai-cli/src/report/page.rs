//! The report as one self-contained HTML page.

use askama::Template;
use xai_metrics::repro::{AccuracyProfile, ProfilePoint};

use super::chart::{self, Line};
use super::results::{GraphScores, Report};
use crate::failure::Failure;
use crate::output::{self, decimals};

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

/// The report in a few lines, for the terminal.
pub(super) fn digest(report: &Report) -> String {
    let mut parts = vec![report.title.clone()];
    if let Some(c) = &report.casebased {
        parts.push(output::table(
            &["predictions", "number", "mean correspondence"],
            [("right", &c.right), ("wrong", &c.wrong)].map(|(name, group)| {
                [
                    name.to_owned(),
                    group.n.to_string(),
                    decimals(group.mean_correspondence),
                ]
            }),
        ));
    }
    if let Some(a) = &report.attribution {
        parts.push(output::table(
            &[
                "attribution",
                "average drop",
                "average increase",
                "average gain",
            ],
            a.explainers.iter().map(|e| {
                let scores = [e.average_drop, e.average_increase, e.average_gain];
                let scores = scores.map(|score| decimals(Some(score)));
                std::iter::once(e.name.clone()).chain(scores)
            }),
        ));
    }
    if let Some(g) = &report.graph {
        parts.push(output::table(
            &[
                "graph",
                "edges kept",
                "best characterization",
                "curve AUC",
                "AUROC",
            ],
            g.explainers.iter().map(|e| {
                let best = e
                    .curve
                    .iter()
                    .max_by(|a, b| a.characterization.total_cmp(&b.characterization));
                [
                    e.name.clone(),
                    best.map_or_else(String::new, |p| format!("{:.2}", p.kept_fraction)),
                    decimals(best.map(|p| p.characterization)),
                    decimals(e.fidelity_auc),
                    decimals(e.groundtruth.as_ref().and_then(|t| t.auroc)),
                ]
            }),
        ));
    }
    if let Some(r) = &report.repro {
        parts.push(output::table(
            &["reproducibility", "mean", "95 % interval"],
            r.metrics.iter().map(|(name, metric)| {
                let interval = metric.interval.map_or_else(
                    || decimals(None),
                    |[low, high]| format!("[{low:.4}, {high:.4}]"),
                );
                [name.clone(), decimals(metric.mean), interval]
            }),
        ));
    }
    if let Some(s) = &report.simulation {
        parts.push(output::table(
            &[
                "simulated metric",
                "mean",
                "rank correlation with accuracy",
                "AUROC of dependence",
            ],
            s.summary.metrics.iter().map(|m| {
                [
                    m.metric.clone(),
                    decimals(m.values.mean),
                    decimals(m.spearman_with_accuracy),
                    decimals(m.auroc_of_dependence),
                ]
            }),
        ));
    }
    parts.join("\n\n")
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
        Ok(crate::output::decimals(*value))
    }
}
