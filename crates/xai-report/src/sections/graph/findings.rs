//! Findings about masks against the ground truth, and about sufficiency and necessity.

use crate::findings::{Finding, Verdict};
use crate::findings::{IntervalRule, list, with_interval};
use crate::sections::graph::data::{Graph, GraphExplainer, SizePoint};

pub(super) fn findings(section: &Graph) -> Vec<Finding> {
    let truths = section
        .explainers
        .iter()
        .filter_map(|explainer| truth(section, explainer));
    truths.chain(best(section)).collect()
}

/// Compares the AUROC of a mask with 0.5.
fn truth(section: &Graph, explainer: &GraphExplainer) -> Option<Finding> {
    let (truth, name) = (explainer.groundtruth.as_ref()?, &explainer.name);
    let rule = IntervalRule {
        estimate: &truth.auroc,
        chance: 0.5,
        name: "AUROC",
        sentences: [
            &format!("The mask of “{name}” finds the true edges better than chance"),
            &format!(
                "The mask of “{name}” does not find the true edges significantly better than chance"
            ),
            &format!("The mask of “{name}” ranks the true edges below the other edges"),
            &format!("Whether the mask of “{name}” finds the true edges is undefined"),
        ],
        consequence: "",
    };
    Some(rule.finding(&section.origin))
}

/// The explainers with the highest characterization at their best size.
fn best(section: &Graph) -> Option<Finding> {
    let at_best = |explainer: &GraphExplainer| {
        let point = *explainer.curve.get(explainer.best)?;
        Some((explainer.name.clone(), point))
    };
    let points: Vec<_> = section.explainers.iter().filter_map(at_best).collect();
    let value = |point: &SizePoint| point.characterization.value.unwrap_or(f64::NEG_INFINITY);
    let largest = points
        .iter()
        .map(|(_, point)| value(point))
        .reduce(f64::max)?;
    let is_best = |(_, point): &&(String, SizePoint)| value(point).total_cmp(&largest).is_eq();
    let best: Vec<_> = points.iter().filter(is_best).collect();
    let estimate = best.first()?.1.characterization;
    let others = points.iter().filter(|point| !is_best(point));
    let overlaps: Vec<&str> = others
        .filter(|(_, of)| overlap(estimate.interval, of.characterization.interval))
        .map(|(other, _)| other.as_str())
        .collect();
    let beside_others = match (points.len() - best.len(), overlaps.is_empty()) {
        (0, _) => String::new(),
        (_, true) => "; its interval lies above those of the others".to_owned(),
        (_, false) => format!("; its interval overlaps that of {}", list(&overlaps)),
    };
    let verdict = if best.len() == 1 && points.len() > 1 && overlaps.is_empty() {
        Verdict::Better
    } else {
        Verdict::Note
    };
    let named: Vec<String> = best
        .iter()
        .map(|(name, point)| format!("“{name}” at size {}", point.level))
        .collect();
    let equally = if best.len() > 1 { " equally" } else { "" };
    let text = format!(
        "Characterization, which joins sufficiency and necessity, is{equally} highest for {}: {}{beside_others}.",
        list(&named),
        with_interval(&estimate)
    );
    Some(Finding::new(&section.origin, verdict, text).with(&estimate))
}

/// True if two intervals overlap, or if one of them is unknown.
fn overlap(a: Option<[f64; 2]>, b: Option<[f64; 2]>) -> bool {
    match (a, b) {
        (Some([low, high]), Some([other_low, other_high])) => {
            low <= other_high && other_low <= high
        }
        _ => true,
    }
}
