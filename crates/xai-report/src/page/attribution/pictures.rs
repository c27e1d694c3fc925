//! Pictures of the metrics and of the curves behind them.

use super::metrics::is_best;
use crate::markup::number::which_is_better;
use crate::picture::axes::Axis;
use crate::picture::figure::Figure;
use crate::picture::intervals::{Intervals, Row};
use crate::picture::lines::LineChart;
use crate::picture::scale::nice_domain;
use crate::picture::series::{ErrorBars, Point, Series};
use crate::picture::style::Style;
use crate::section::attribution::{Attribution, Curve, CurvesOfMetric, MetricOfExplainers};
use crate::text::with_arrow;

/// One small picture per metric.
pub(super) fn metrics(section: &Attribution) -> Vec<Figure> {
    section
        .metrics
        .iter()
        .map(|metric| of_metric(section, metric))
        .collect()
}

fn of_metric(section: &Attribution, metric: &MetricOfExplainers) -> Figure {
    let rows = section.explainers.iter().zip(&metric.values).enumerate();
    let rows = rows.map(|(index, (explainer, estimate))| Row {
        name: explainer.clone(),
        style: Style::of(index),
        estimate: *estimate,
        is_best: is_best(metric, index),
    });
    let picture = Intervals {
        title: with_arrow(&metric.title, metric.better),
        caption: format!(
            "{} Across: the mean over samples, in {}, with a 95 % interval; {}.",
            metric.question,
            metric.range,
            which_is_better(metric.better)
        ),
        label: which_is_better(metric.better).to_owned(),
        row_kind: "explainer",
        rows: rows.collect(),
        reference: None,
        domain: None,
        is_panel: true,
    };
    picture.figure()
}

/// One picture per metric that is an area under a curve.
pub(super) fn curves(section: &Attribution) -> Vec<Figure> {
    section
        .curves
        .iter()
        .map(|curves| of_curves(section, curves))
        .collect()
}

fn of_curves(section: &Attribution, curves: &CurvesOfMetric) -> Figure {
    let points = || curves.curves.iter().flat_map(|curve| &curve.points);
    let farthest = points().map(|point| point.n_flipped).max().unwrap_or(1);
    let picture = LineChart {
        title: with_arrow(&format!("Curves of {}", curves.title), curves.better),
        caption: format!(
            "Across: positions changed, in the order of the map. Up: the model's score, mean over samples. \
             Of the area under the curve, {}.",
            which_is_better(curves.better)
        ),
        x: Axis::new("positions changed", (0.0, farthest as f64)),
        y: Axis::new("mean score", nice_domain(points().map(|point| point.score))),
        series_kind: "explainer",
        series: curves
            .curves
            .iter()
            .map(|curve| series(section, curve))
            .collect(),
        reference: None,
        is_panel: false,
    };
    picture.figure()
}

fn series(section: &Attribution, curve: &Curve) -> Series {
    // An explainer looks the same in all pictures of the section.
    let index = section
        .explainers
        .iter()
        .position(|name| *name == curve.explainer);
    let points = curve.points.iter().map(|point| Point {
        x: point.n_flipped as f64,
        y: point.score,
        interval: None,
        n: None,
    });
    Series {
        name: curve.explainer.clone(),
        style: Style::of(index.unwrap_or(0)),
        points: points.collect(),
        best: None,
        error_bars: ErrorBars::None,
    }
}
