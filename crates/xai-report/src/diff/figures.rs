//! The figures of a report that two reports are compared by.

use crate::estimate::Estimate;
use crate::family::Origin;
use crate::report::Report;
use crate::section::casebased::{Casebased, Group};
use crate::section::compared::Compared;
use crate::section::data_attribution::DataAttribution;
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
    let named = (report.casebased.iter().map(of_casebased))
        .chain(
            report
                .attribution
                .iter()
                .map(|of| of_compared(&of.compared)),
        )
        .chain(report.texts.iter().map(|of| of_compared(&of.compared)))
        .chain(report.data_attribution.iter().map(of_data_attribution))
        .chain(report.graph.iter().map(of_graph))
        .chain(report.repro.iter().map(of_repro))
        .chain(report.simulation.iter().map(of_simulation));
    let of_section = |(origin, named): (&Origin, Vec<Named>)| {
        let (family, section) = (origin.family.clone(), origin.name.clone());
        named
            .into_iter()
            .map(move |(name, better, estimate)| Figure {
                family: family.clone(),
                section: section.clone(),
                name,
                better,
                estimate,
            })
    };
    report.origins().zip(named).flat_map(of_section).collect()
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

fn of_data_attribution(section: &DataAttribution) -> Vec<Named> {
    let whole = section.whole.iter().flat_map(|metric| {
        let values = std::iter::zip(&section.compared.explainers, &metric.values);
        values.map(|(explainer, value)| {
            let name = format!("{} / {explainer}", metric.metric);
            (name, metric.better, *value)
        })
    });
    of_compared(&section.compared)
        .into_iter()
        .chain(whole)
        .collect()
}

fn of_compared(section: &Compared) -> Vec<Named> {
    let metrics = section.metrics.iter();
    let named = metrics.flat_map(|metric| {
        let values = std::iter::zip(&section.explainers, &metric.values);
        values.map(|(explainer, value)| {
            let name = format!("{} / {explainer}", metric.metric);
            (name, metric.better, *value)
        })
    });
    named.collect()
}

fn of_graph(section: &Graph) -> Vec<Named> {
    let of_explainer = |explainer: &GraphExplainer| {
        let name = |what: &str| format!("{what} / {}", explainer.name);
        let mut figures = Vec::new();
        let mut push = |what, better, estimate| figures.push((name(what), better, estimate));
        if let Some(best) = explainer.curve.get(explainer.best) {
            push("characterization", Direction::Higher, best.characterization);
            push("pos_fidelity", Direction::Higher, best.pos_fidelity);
            push("neg_fidelity", Direction::Lower, best.neg_fidelity);
        }
        push(
            "fidelity_auc",
            Direction::Higher,
            alone(explainer.fidelity_auc),
        );
        if let Some(truth) = &explainer.groundtruth {
            let precision = alone(truth.score("average_precision"));
            push("auroc", Direction::Higher, truth.auroc);
            push("average_precision", Direction::Higher, precision);
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
