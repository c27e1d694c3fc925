//! The figures of a report that two reports are compared by.

use crate::estimate::Estimate;
use crate::report::Report;
use crate::section::attribution::{Attribution, MetricOfExplainers};
use crate::section::casebased::{Casebased, Group};
use crate::section::graph::{Graph, GraphExplainer};
use crate::section::repro::Repro;
use crate::section::simulation::Simulation;
use xai_core::Direction;

/// A number of a report, by what finds it in another one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    /// The family and the name of its section.
    pub(super) family: String,
    pub(super) section: String,
    /// What it is, in the section: `average_drop / saliency`.
    pub(super) name: String,
    pub(super) better: Direction,
    pub(super) estimate: Estimate,
}

/// Names with what they have.
type Named = (String, Direction, Estimate);

/// All figures, in the order of the page.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let casebased = report
        .casebased
        .iter()
        .map(|s| (&s.origin, of_casebased(s)));
    let attribution = report
        .attribution
        .iter()
        .map(|s| (&s.origin, of_attribution(s)));
    let graph = report.graph.iter().map(|s| (&s.origin, of_graph(s)));
    let repro = report.repro.iter().map(|s| (&s.origin, of_repro(s)));
    let simulation = report
        .simulation
        .iter()
        .map(|s| (&s.origin, of_simulation(s)));
    let sections = casebased
        .chain(attribution)
        .chain(graph)
        .chain(repro)
        .chain(simulation);
    sections
        .flat_map(|(origin, named)| {
            named.into_iter().map(|(name, better, estimate)| Figure {
                family: origin.family.clone(),
                section: origin.name.clone(),
                name,
                better,
                estimate,
            })
        })
        .collect()
}

/// A number without an interval.
fn alone(value: Option<f64>) -> Estimate {
    Estimate {
        value,
        ..Estimate::default()
    }
}

fn of_casebased(section: &Casebased) -> Vec<Named> {
    let mean = |group: &Option<Group>| group.as_ref().map(|group| group.mean_correspondence);
    let scores = section
        .scores()
        .map(|(info, estimate)| (info.name, info.direction, estimate));
    let groups = [("right", &section.right), ("wrong", &section.wrong)];
    let groups = groups.map(|(name, group)| (name, Direction::None, mean(group)));
    let figures = scores.chain(groups);
    let known = figures
        .into_iter()
        .filter_map(|(name, better, estimate)| Some((name.to_owned(), better, estimate?)));
    known.collect()
}

fn of_attribution(section: &Attribution) -> Vec<Named> {
    let of_metric = |metric: &MetricOfExplainers| {
        let values = std::iter::zip(&section.explainers, &metric.values);
        let named = values.map(|(explainer, value)| {
            (
                format!("{} / {explainer}", metric.metric),
                metric.better,
                *value,
            )
        });
        named.collect::<Vec<Named>>()
    };
    section.metrics.iter().flat_map(of_metric).collect()
}

fn of_graph(section: &Graph) -> Vec<Named> {
    let of_explainer = |explainer: &GraphExplainer| {
        let name = |what: &str| format!("{what} / {}", explainer.name);
        let mut figures = Vec::new();
        if let Some(best) = explainer.curve.get(explainer.best) {
            figures.push((
                name("characterization"),
                Direction::Higher,
                best.characterization,
            ));
            figures.push((name("pos_fidelity"), Direction::Higher, best.pos_fidelity));
            figures.push((name("neg_fidelity"), Direction::Lower, best.neg_fidelity));
        }
        figures.push((
            name("fidelity_auc"),
            Direction::Higher,
            alone(explainer.fidelity_auc),
        ));
        if let Some(truth) = &explainer.groundtruth {
            figures.push((name("auroc"), Direction::Higher, truth.auroc));
            figures.push((
                name("average_precision"),
                Direction::Higher,
                alone(truth.score("average_precision")),
            ));
        }
        figures
    };
    section.explainers.iter().flat_map(of_explainer).collect()
}

fn of_repro(section: &Repro) -> Vec<Named> {
    let metrics = section
        .metrics
        .iter()
        .map(|metric| (metric.metric.clone(), metric.better, metric.mean));
    let across = [
        ("fleiss_kappa", section.fleiss_kappa),
        ("krippendorff_alpha", section.krippendorff_alpha),
        ("gwet_ac1", section.gwet_ac1),
    ];
    let across = across.map(|(name, value)| (name.to_owned(), Direction::Higher, alone(value)));
    metrics.chain(across).collect()
}

/// How metrics behave has no good end.
fn of_simulation(section: &Simulation) -> Vec<Named> {
    let metrics = section.metrics.iter();
    let of_metric = metrics.flat_map(|metric| {
        let name = |what: &str| format!("{what} / {}", metric.metric);
        [
            ("mean", metric.mean),
            ("spearman_with_accuracy", metric.spearman_with_accuracy),
            ("auroc_of_dependence", metric.auroc_of_dependence),
        ]
        .map(|(what, value)| (name(what), Direction::None, alone(value)))
    });
    of_metric.collect()
}
