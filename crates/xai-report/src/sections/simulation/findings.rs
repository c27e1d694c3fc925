//! Findings of the simulation study: the metric that detects dependence best, and the one most
//! related to accuracy.

use crate::findings::{Finding, Verdict};
use crate::sections::simulation::data::{SimulatedMetric, Simulation};

pub(super) fn findings(section: &Simulation) -> Vec<Finding> {
    let dependence =
        |metric: &SimulatedMetric| metric.auroc_of_dependence.map(|auroc| (auroc - 0.5).abs());
    let accuracy = |metric: &SimulatedMetric| metric.spearman_with_accuracy.map(f64::abs);
    let best = largest(section, dependence).map(|(metric, _)| {
        let auroc = metric.auroc_of_dependence.unwrap_or_default();
        format!("Of {} metrics, {} separates dependent from independent errors best (AUROC {auroc:.4}, chance 0.5)", section.metrics.len(), metric.title)
    });
    let follows = largest(section, accuracy).map(|(metric, _)| {
        let rho = metric.spearman_with_accuracy.unwrap_or_default();
        format!(
            "{} follows accuracy most (rank correlation {rho:.4})",
            metric.title
        )
    });
    let parts: Vec<String> = best.into_iter().chain(follows).collect();
    let text = format!("{}.", parts.join("; "));
    let finding = Finding::new(&section.origin, Verdict::Note, text);
    (!parts.is_empty()).then_some(finding).into_iter().collect()
}

/// The metric with the largest value, the first among ties.
fn largest(
    section: &Simulation,
    value: impl Fn(&SimulatedMetric) -> Option<f64>,
) -> Option<(&SimulatedMetric, f64)> {
    let defined = section
        .metrics
        .iter()
        .filter_map(|metric| Some((metric, value(metric)?)));
    defined.rev().max_by(|a, b| a.1.total_cmp(&b.1))
}
