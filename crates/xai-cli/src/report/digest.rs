//! The report in a few lines, for the terminal.

use xai_metrics::repro::pairwise::PairwiseReport;

use super::results::Report;
use super::sections::attribution::AttributionSection;
use super::sections::casebased::CasebasedSection;
use super::sections::graph::GraphSection;
use super::sections::simulation::SimulationSection;
use crate::output::text::{decimals, interval, table};
use crate::output::visible::visible;

pub(super) fn digest(report: &Report) -> String {
    let sections = [
        report.casebased.as_ref().map(casebased),
        report.attribution.as_ref().map(attribution),
        report.graph.as_ref().map(graph),
        report.repro.as_ref().map(repro),
        report.simulation.as_ref().map(simulation),
    ];
    let mut parts = vec![visible(&report.title).into_owned()];
    parts.extend(sections.into_iter().flatten());
    parts.join("\n\n")
}

fn casebased(section: &CasebasedSection) -> String {
    let groups = [
        ("right", &section.audit.right),
        ("wrong", &section.audit.wrong),
    ];
    let rows = groups.map(|(name, group)| {
        [
            name.to_owned(),
            group.n.to_string(),
            decimals(group.mean_correspondence),
        ]
    });
    table(&["predictions", "number", "mean correspondence"], rows)
}

fn attribution(section: &AttributionSection) -> String {
    let metrics = section.table.metrics.iter();
    let metrics: Vec<String> = metrics.map(|m| m.metric.replace('_', " ")).collect();
    let mut header = vec!["attribution"];
    header.extend(metrics.iter().map(String::as_str));
    let rows = section.explainers().into_iter().map(|(name, values)| {
        let values = values.into_iter().map(decimals);
        std::iter::once(name.to_owned()).chain(values)
    });
    table(&header, rows)
}

fn graph(section: &GraphSection) -> String {
    let rows = section.explainers.iter().map(|e| {
        let best = e.sweep.points.get(e.sweep.best);
        [
            e.name.clone(),
            best.map_or_else(String::new, |p| format!("{:.2}", p.level)),
            decimals(best.map(|p| p.characterization)),
            decimals(e.sweep.fidelity_auc),
            decimals(e.groundtruth.as_ref().and_then(|t| t.auroc)),
        ]
    });
    let header = [
        "graph",
        "edges kept",
        "best characterization",
        "curve AUC",
        "AUROC",
    ];
    table(&header, rows)
}

fn repro(section: &PairwiseReport) -> String {
    let rows = section.metrics.iter().map(|(name, metric)| {
        [
            (*name).to_owned(),
            decimals(metric.mean),
            interval(metric.interval),
        ]
    });
    table(&["reproducibility", "mean", "95 % interval"], rows)
}

fn simulation(section: &SimulationSection) -> String {
    let rows = section.summary.metrics.iter().map(|m| {
        [
            m.metric.clone(),
            decimals(m.values.mean),
            decimals(m.spearman_with_accuracy),
            decimals(m.auroc_of_dependence),
        ]
    });
    let header = [
        "simulated metric",
        "mean",
        "rank correlation with accuracy",
        "AUROC of dependence",
    ];
    table(&header, rows)
}
