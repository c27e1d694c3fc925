//! Masks against the edges that are known to matter, and how masks are distributed.

use crate::estimate::Histogram;
use crate::picture::{
    Axis, BarGroup, Bars, Figure, Intervals, LineChart, Picture, Reference, Row, Series, Style,
};
use crate::section::graph::{AgainstTruth, Graph, MaskSummary};

/// Explainers whose truth is known, with their places.
fn known(section: &Graph) -> Vec<(usize, &str, &AgainstTruth)> {
    let explainers = section.explainers.iter().enumerate();
    let known = explainers.filter_map(|(index, explainer)| {
        Some((
            index,
            explainer.name.as_str(),
            explainer.groundtruth.as_ref()?,
        ))
    });
    known.collect()
}

/// ROC and precision-recall curves of all explainers, and AUROC with chance.
pub(super) fn pictures(section: &Graph) -> Vec<Figure> {
    let known = known(section);
    let Some((_, _, first)) = known.first() else {
        return Vec::new();
    };
    let chance = format!("chance: the share of true edges, {:.3}", first.prevalence);
    vec![
        curves(
            &known,
            ("false positive rate", "true positive rate"),
            Reference::Diagonal("chance".to_owned()),
            |truth| &truth.roc,
        )
        .figure(
            "ROC of masks against the truth",
            "Up: the share of true edges above a threshold; across: the share of other edges above it. The nearer to \
             the upper left corner, the better; on the diagonal, the mask says nothing of the truth.",
        ),
        curves(
            &known,
            ("recall", "precision"),
            Reference::Level(first.prevalence, chance),
            |truth| &truth.precision_recall,
        )
        .figure(
            "Precision and recall of masks",
            "Across: the share of true edges above a threshold; up: the share of the edges above it that are true. The \
             nearer to the upper right corner, the better.",
        ),
        auroc(&known),
    ]
}

fn auroc(known: &[(usize, &str, &AgainstTruth)]) -> Figure {
    let rows = known.iter().map(|(index, name, truth)| Row {
        name: (*name).to_owned(),
        style: Style::of(*index),
        estimate: truth.auroc,
        is_best: false,
    });
    let picture = Intervals {
        label: "AUROC".to_owned(),
        row_kind: "explainer",
        rows: rows.collect(),
        reference: Some((0.5, "chance: 0.5".to_owned())),
        domain: Some((0.0, 1.0)),
        is_panel: false,
    };
    picture.figure(
        "Does the mask rank true edges higher? AUROC ↑",
        "Across: the probability that a true edge has a higher score than another, with a 95 % interval (DeLong, which \
         takes edges for independent).",
    )
}

fn curves(
    known: &[(usize, &str, &AgainstTruth)],
    (x, y): (&str, &str),
    reference: Reference,
    points: impl Fn(&AgainstTruth) -> &Vec<[f64; 2]>,
) -> LineChart {
    let series = known.iter().map(|(index, name, truth)| {
        let points = points(truth).iter().map(|&[x, y]| (x, y));
        Series::without_intervals(name, *index, points)
    });
    LineChart {
        x: Axis::new(x, (0.0, 1.0)),
        y: Axis::new(y, (0.0, 1.0)),
        series_kind: "explainer",
        series: series.collect(),
        reference: Some(reference),
        is_panel: false,
    }
}

/// One picture per explainer whose mask is known.
pub(super) fn masks(section: &Graph) -> Vec<Figure> {
    let masks = section.explainers.iter().filter_map(|explainer| {
        let mask = explainer.mask.as_ref()?;
        Some(of_mask(&explainer.name, mask))
    });
    masks.collect()
}

fn of_mask(name: &str, mask: &MaskSummary) -> Figure {
    let group = |name: &str, style: usize, histogram: Histogram| BarGroup {
        name: name.to_owned(),
        style: Style::of(style),
        histogram,
        mean: None,
    };
    let groups = match &mask.histogram_of_true {
        Some(of_true) => vec![
            group("true edges", 0, of_true.clone()),
            group("other edges", 1, without(&mask.histogram, of_true)),
        ],
        None => vec![group("edges", 0, mask.histogram.clone())],
    };
    let picture = Bars {
        label: "score".to_owned(),
        unit: "edges",
        groups,
        is_panel: true,
    };
    picture.figure(
        format!("Mask of {name}"),
        "Share of the edges by their score.",
    )
}

/// What is left of the counts without those of a part.
fn without(all: &Histogram, part: &Histogram) -> Histogram {
    let parts = part.counts.iter().chain(std::iter::repeat(&0));
    let counts = all.counts.iter().zip(parts);
    Histogram {
        counts: counts
            .map(|(all, part)| all.saturating_sub(*part))
            .collect(),
        ..*all
    }
}
