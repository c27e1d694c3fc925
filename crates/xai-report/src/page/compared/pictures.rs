//! Pictures of the metrics.

use crate::page::compared::metrics::is_best;
use crate::picture::{Figure, Intervals, Picture, Row, Style};
use crate::section::compared::{Compared, MetricOfExplainers};
use crate::text::with_arrow;

/// One small picture per metric.
pub(super) fn metrics(section: &Compared) -> Vec<Figure> {
    let metrics = section.metrics.iter();
    metrics.map(|metric| of_metric(section, metric)).collect()
}

fn of_metric(section: &Compared, metric: &MetricOfExplainers) -> Figure {
    let rows = section.explainers.iter().zip(&metric.values).enumerate();
    let rows = rows.map(|(index, (explainer, estimate))| Row {
        name: explainer.clone(),
        style: Style::of(index),
        estimate: *estimate,
        is_best: is_best(metric, index),
    });
    let (label, caption) = match (metric.range.as_str(), metric.question.as_str()) {
        ("", _) => ("mean over samples".to_owned(), "Mean over samples."),
        (range, question) => (format!("mean; range {range}"), question),
    };
    let picture = Intervals {
        label,
        row_kind: "explainer",
        rows: rows.collect(),
        reference: None,
        domain: None,
        is_panel: true,
    };
    picture.figure(with_arrow(&metric.title, metric.better), caption)
}
