//! The report in a few lines, for the terminal.

use xai_report::section::casebased::{Casebased, Group};
use xai_report::section::compared::Compared;
use xai_report::section::graph::Graph;
use xai_report::section::repro::Repro;
use xai_report::section::simulation::Simulation;
use xai_report::{Estimate, Report};

use crate::output::text::{coverage, decimals, interval, table, with_arrow};
use xai_files::visible::visible;

/// The findings, and the figures of every section.
pub(super) fn digest(report: &Report) -> String {
    let mut parts = vec![visible(&report.title).into_owned()];
    let findings: Vec<String> = report
        .findings
        .iter()
        .map(|finding| format!("- {}", visible(&finding.text)))
        .collect();
    parts.push(findings.join("\n"));
    parts.extend(report.casebased.iter().map(casebased));
    let attribution = report.attribution.iter();
    parts.extend(attribution.map(|of| compared(&of.origin.name, &of.compared)));
    let texts = report.texts.iter();
    parts.extend(texts.map(|of| compared(&of.origin.name, &of.compared)));
    let of_cases = report.data_attribution.iter();
    parts.extend(of_cases.map(|of| compared(&of.origin.name, &of.compared)));
    parts.extend(report.graph.iter().map(graph));
    parts.extend(report.repro.iter().map(repro));
    parts.extend(report.simulation.iter().map(simulation));
    parts.join("\n\n")
}

fn ends(estimate: &Estimate) -> String {
    interval(estimate.interval)
}

fn casebased(section: &Casebased) -> String {
    let groups = [
        ("right", section.right.as_ref()),
        ("wrong", section.wrong.as_ref()),
    ];
    let of_group = |(name, group): (&str, Option<&Group>)| {
        let group = group?;
        let mean = &group.mean_correspondence;
        Some([
            name.to_owned(),
            group.n.to_string(),
            decimals(mean.value),
            ends(mean),
        ])
    };
    let mean = &section.mean_correspondence;
    let all = [
        "all".to_owned(),
        section.n_test.to_string(),
        decimals(mean.value),
        ends(mean),
    ];
    let rows = groups.into_iter().filter_map(of_group).chain([all]);
    table(
        &[
            &section.origin.name,
            "predictions",
            "mean correspondence ↑",
            "95 % interval",
        ],
        rows,
    )
}

fn compared(name: &str, section: &Compared) -> String {
    let metrics: Vec<String> = section
        .metrics
        .iter()
        .map(|metric| with_arrow(&metric.title, metric.better))
        .collect();
    let mut header = vec![name];
    header.extend(metrics.iter().map(String::as_str));
    let rows = section.explainers.iter().enumerate().map(|(e, name)| {
        let values = section
            .metrics
            .iter()
            .map(move |metric| decimals(metric.values.get(e).and_then(|estimate| estimate.value)));
        std::iter::once(name.clone()).chain(values)
    });
    table(&header, rows)
}

fn graph(section: &Graph) -> String {
    let rows = section.explainers.iter().map(|e| {
        let best = e.curve.get(e.best);
        let auroc = e.groundtruth.as_ref().map(|truth| truth.auroc);
        [
            e.name.clone(),
            best.map_or_else(String::new, |point| format!("{:.2}", point.level)),
            decimals(best.and_then(|point| point.characterization.value)),
            interval(best.and_then(|point| point.characterization.interval)),
            decimals(e.fidelity_auc),
            decimals(auroc.and_then(|auroc| auroc.value)),
        ]
    });
    let header = [
        &section.origin.name,
        "best size",
        "characterization ↑",
        "95 % interval",
        "curve AUC ↑",
        "AUROC ↑",
    ];
    table(&header, rows)
}

fn repro(section: &Repro) -> String {
    let rows = section.metrics.iter().map(|metric| {
        [
            with_arrow(&metric.title, metric.better),
            decimals(metric.mean.value),
            ends(&metric.mean),
        ]
    });
    let interval = format!("{} interval", coverage(section.level));
    table(&[&section.origin.name, "mean of pairs", &interval], rows)
}

fn simulation(section: &Simulation) -> String {
    let rows = section.metrics.iter().map(|metric| {
        [
            metric.title.clone(),
            decimals(metric.mean),
            decimals(metric.spearman_with_accuracy),
            decimals(metric.auroc_of_dependence),
        ]
    });
    let header = [
        &section.origin.name,
        "mean",
        "rank correlation with accuracy",
        "AUROC of dependence",
    ];
    table(&header, rows)
}
