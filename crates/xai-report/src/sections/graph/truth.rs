//! Masks against the edges that are known to matter, and how masks are distributed.

use crate::estimate::Histogram;
use crate::picture::{
    Axis, BarGroup, Bars, Figure, Intervals, LineChart, Picture, Point, Reference, Row, Series,
};
use crate::sections::graph::data::{AgainstTruth, Graph, MaskSummary};

/// An explainer whose truth is known, with its place.
type WithTruth<'a> = (usize, &'a str, &'a AgainstTruth);

/// ROC and precision-recall curves of all explainers, and AUROC with chance.
pub(super) fn pictures(section: &Graph) -> Vec<Figure> {
    let explainers = section.explainers.iter().enumerate();
    let known = explainers.filter_map(|(index, explainer)| {
        Some((
            index,
            explainer.name.as_str(),
            explainer.groundtruth.as_ref()?,
        ))
    });
    let known: Vec<WithTruth<'_>> = known.collect();
    let Some((_, _, first)) = known.first() else {
        return Vec::new();
    };
    let chance = format!("chance: the share of true edges, {:.3}", first.prevalence);
    let roc = curves(
        &known,
        ["false positive rate", "true positive rate"],
        |truth| &truth.roc,
    );
    let precision = curves(&known, ["recall", "precision"], |truth| {
        &truth.precision_recall
    });
    vec![
        roc.reference(Reference::Diagonal("chance".to_owned())).figure(
            "ROC of masks against the truth",
            "Horizontal: share of the other edges above a threshold. Vertical: share of the true edges above it. The \
             nearer to the upper left corner, the better; on the diagonal, the mask is no better than chance.",
        ),
        precision.reference(Reference::Level(first.prevalence, chance)).figure(
            "Precision and recall of masks",
            "Horizontal: share of the true edges above a threshold (recall). Vertical: share of the edges above it that \
             are true (precision). The nearer to the upper right corner, the better.",
        ),
        auroc(&known),
    ]
}

fn auroc(known: &[WithTruth<'_>]) -> Figure {
    let rows = known
        .iter()
        .map(|(index, name, truth)| Row::new(*name, *index, truth.auroc));
    let picture = Intervals {
        reference: Some((0.5, "chance: 0.5".to_owned())),
        domain: Some((0.0, 1.0)),
        ..Intervals::new("AUROC", "explainer", rows)
    };
    picture.figure(
        "Does the mask rank true edges higher? AUROC ↑",
        "Horizontal: probability that a true edge has a higher score than another edge, with DeLong's 95 % interval, \
         which treats edges as independent.",
    )
}

fn curves(
    known: &[WithTruth<'_>],
    axes: [&str; 2],
    points: impl Fn(&AgainstTruth) -> &Vec<[f64; 2]>,
) -> LineChart {
    let series = known.iter().map(|(index, name, truth)| {
        let points = points(truth).iter().map(|&[x, y]| Point::new(x, y));
        Series::new(*name, *index, points)
    });
    let [x, y] = axes.map(|label| Axis::new(label, (0.0, 1.0)));
    LineChart::new("explainer", x, y, series)
}

/// One picture per explainer whose mask is known.
pub(super) fn masks(section: &Graph) -> impl Iterator<Item = Figure> {
    section.explainers.iter().filter_map(|explainer| {
        let mask = explainer.mask.as_ref()?;
        Some(distribution(&explainer.name, mask))
    })
}

fn distribution(name: &str, mask: &MaskSummary) -> Figure {
    let group = |name, index, histogram| BarGroup::new(name, index, histogram, None);
    let groups = match &mask.histogram_of_true {
        Some(of_true) => vec![
            group("true edges", 0, of_true.clone()),
            group("other edges", 1, without(&mask.histogram, of_true)),
        ],
        None => vec![group("edges", 0, mask.histogram.clone())],
    };
    Bars::new("score", "edges", groups).panel().figure(
        format!("Mask of {name}"),
        "Share of the edges by their score.",
    )
}

/// Subtracts the counts of a part from all counts.
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
