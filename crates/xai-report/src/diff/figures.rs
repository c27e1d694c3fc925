//! The figures of a report that two reports are compared by.

use std::collections::BTreeMap;

use crate::estimate::Estimate;
use crate::family::Origin;
use crate::report::Report;
use crate::section::attribution::Attribution;
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
    /// Settings of the section and of the metric that the number depends on; empty where they are not known.
    pub(super) settings: Settings,
}

/// Values of settings by name.
pub(super) type Settings = BTreeMap<String, String>;

/// Figures of a section: name, better end, estimate, and the settings of the metric.
type Named = (String, Direction, Estimate, Settings);

/// All figures, in the order of the page.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let named = (report.casebased.iter().map(of_casebased))
        .chain(report.attribution.iter().map(of_attribution))
        .chain(report.texts.iter().map(|of| of_compared(&of.compared)))
        .chain(report.data_attribution.iter().map(of_data_attribution))
        .chain(report.graph.iter().map(of_graph))
        .chain(report.repro.iter().map(of_repro))
        .chain(report.simulation.iter().map(of_simulation));
    let of_section = |(origin, named): (&'_ Origin, Vec<Named>)| {
        let origin = origin.clone();
        named
            .into_iter()
            .map(move |(name, better, estimate, own)| Figure {
                family: origin.family.clone(),
                section: origin.name.clone(),
                name,
                better,
                estimate,
                settings: own.into_iter().chain(origin.settings.clone()).collect(),
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
    let settings = Settings::from([("k".to_owned(), section.k.to_string())]);
    let known = scores.chain(groups).filter_map(|(name, better, estimate)| {
        Some((name.to_owned(), better, estimate?, settings.clone()))
    });
    known.collect()
}

fn of_data_attribution(section: &DataAttribution) -> Vec<Named> {
    let whole = section.whole.iter().flat_map(|metric| {
        let values = std::iter::zip(&section.compared.explainers, &metric.values);
        values.map(|(explainer, value)| {
            let name = format!("{} / {explainer}", metric.metric);
            (name, metric.better, *value, metric.settings.clone())
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
        let mut settings = metric.settings.clone();
        settings.insert("level".to_owned(), section.level.to_string());
        let values = std::iter::zip(&section.explainers, &metric.values);
        values.map(move |(explainer, value)| {
            let name = format!("{} / {explainer}", metric.metric);
            (name, metric.better, *value, settings.clone())
        })
    });
    named.collect()
}

fn of_attribution(section: &Attribution) -> Vec<Named> {
    let mut named = of_compared(&section.compared);
    for (.., settings) in &mut named {
        settings.insert("activation".to_owned(), section.activation.clone());
    }
    named
}

fn of_graph(section: &Graph) -> Vec<Named> {
    let of_explainer = |explainer: &GraphExplainer| {
        let name = |what: &str| format!("{what} / {}", explainer.name);
        let mut figures = Vec::new();
        let mut push =
            |what, better, estimate| figures.push((name(what), better, estimate, Settings::new()));
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
    let settings = Settings::from([
        ("interval".to_owned(), section.interval.clone()),
        ("level".to_owned(), section.level.to_string()),
    ]);
    let metrics = section.metrics.iter().map(|metric| {
        (
            metric.metric.clone(),
            metric.better,
            metric.mean,
            settings.clone(),
        )
    });
    let across = [
        ("fleiss_kappa", section.fleiss_kappa),
        ("krippendorff_alpha", section.krippendorff_alpha),
        ("gwet_ac1", section.gwet_ac1),
    ];
    let across = across.map(|(name, value)| {
        let settings = Settings::new();
        (name.to_owned(), Direction::Higher, alone(value), settings)
    });
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
        .map(|(what, value)| (name(what), Direction::None, alone(value), Settings::new()))
    });
    of_metric.collect()
}
