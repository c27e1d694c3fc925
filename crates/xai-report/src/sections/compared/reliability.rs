//! Reliability of metrics on these samples.

use crate::markup::{Cell, Table};
use crate::page::block::Block;
use crate::picture::{Axis, ErrorBars, Figure, LineChart, Picture, Point, Series};
use crate::sections::compared::data::{Compared, MetricOfExplainers, PerturbedMetric, Reliability};
use crate::text::with_arrow;

/// Pictures with a mark for each metric between two axes, and tables of the scores of the metrics.
pub(super) fn blocks(section: &Compared) -> Vec<Block> {
    let metrics = section.metrics.iter();
    let judged: Vec<(&MetricOfExplainers, &Reliability)> = metrics
        .clone()
        .filter_map(|metric| Some((metric, metric.reliability.as_ref()?)))
        .collect();
    let perturbed: Vec<(&MetricOfExplainers, PerturbedMetric)> = metrics
        .filter_map(|metric| Some((metric, metric.perturbed?)))
        .collect();
    if judged.is_empty() && perturbed.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Heading("Which metrics to believe here")];
    let figures: Vec<Figure> = stability(&judged)
        .into_iter()
        .chain(perturbation(&perturbed))
        .collect();
    if !figures.is_empty() {
        blocks.push(Block::Figures(figures));
    }
    if !judged.is_empty() {
        blocks.push(Block::Table(table(&judged)));
    }
    if !perturbed.is_empty() {
        blocks.push(Block::Table(table_of_perturbed(&perturbed)));
    }
    blocks
}

/// Plots metrics by agreement of samples and stability of the best explainer.
fn stability(judged: &[(&MetricOfExplainers, &Reliability)]) -> Option<Figure> {
    let places = judged
        .iter()
        .map(|(metric, of)| (*metric, of.kendall_w.zip(of.same_best)));
    let axes = [
        "agreement of samples (Kendall's W)",
        "share of draws with the same best explainer",
    ];
    Some(picture(places, axes)?.figure(
        "Do samples agree, and would other samples?",
        "Horizontal: agreement of the samples on the ranking of the explainers, 1 = all samples agree. Vertical: share of \
         resamples with the same best explainer. At the right, a single sample ranks like all samples; at the top, the best \
         explainer does not depend on which samples were drawn.",
    ))
}

/// Plots metrics by noise resilience and reactivity.
fn perturbation(perturbed: &[(&MetricOfExplainers, PerturbedMetric)]) -> Option<Figure> {
    let places = perturbed
        .iter()
        .map(|(metric, of)| (*metric, of.noise_resilience.zip(of.reactivity)));
    let axes = ["resilience to noise", "reactivity to disruption"];
    Some(picture(places, axes)?.figure(
        "Do metrics stay where predictions stay, and react where they change?",
        "Horizontal: under small perturbations that keep the prediction, how evenly values change in both directions and how \
         stable ranks are. Vertical: under large perturbations that change it, how much values get worse. Reliable metrics are \
         at the top right; a metric that never changes is resilient, but does not react.",
    ))
}

/// Metrics as marks between two axes in [0, 1].
fn picture<'a>(
    places: impl Iterator<Item = (&'a MetricOfExplainers, Option<(f64, f64)>)>,
    [across, up]: [&str; 2],
) -> Option<LineChart> {
    let series = places.enumerate().filter_map(|(index, (metric, place))| {
        let (x, y) = place?;
        let name = with_arrow(&metric.title, metric.better);
        let series = Series::new(name, index, [Point::new(x, y)]);
        Some(series.error_bars(ErrorBars::Whiskers))
    });
    let [x, y] = [across, up].map(|label| Axis::new(label, (0.0, 1.0)));
    let picture = LineChart::new("metric", x, y, series);
    (!picture.series.is_empty()).then_some(picture)
}

/// The numbers of a metric after its name.
fn metric_row<const N: usize>(metric: &MetricOfExplainers, numbers: [Option<f64>; N]) -> Vec<Cell> {
    let title = Cell::from(with_arrow(&metric.title, metric.better));
    let numbers = numbers.map(Cell::from);
    std::iter::once(title).chain(numbers).collect()
}

fn table_of_perturbed(perturbed: &[(&MetricOfExplainers, PerturbedMetric)]) -> Table {
    let rows = perturbed.iter().map(|(metric, of)| {
        let numbers = [of.noise_resilience, of.reactivity, of.meta_consistency];
        metric_row(metric, numbers)
    });
    Table::new(
        "Metrics under perturbations of the inputs or of the model: resilience to noise that keeps predictions, reactivity to \
         disruption that changes them, each in [0, 1]; meta-consistency (MetaQuantus) has p-values in their place, and \
         compares at equal numbers of samples alone",
    )
    .words(["metric"])
    .numbers(["resilience", "reactivity", "meta-consistency"])
    .rows(rows)
}

fn table(judged: &[(&MetricOfExplainers, &Reliability)]) -> Table {
    let rows = judged.iter().map(|(metric, of)| {
        let numbers = [
            of.kendall_w,
            of.krippendorff_alpha,
            of.rank_tau,
            of.same_best,
            of.same_samples,
            of.other_metrics,
        ];
        metric_row(metric, numbers)
    });
    Table::new(
        "Metrics judged by their values: do samples rank the explainers alike (W, alpha: 0 as by chance), do samples drawn \
         again (tau of the ranking, share with the same best), do the same samples score high for every explainer (near 1: \
         the metric measures the sample as much as the explainer), and do the other metrics say the same of a sample",
    )
    .words(["metric"])
    .numbers([
        "W",
        "alpha",
        "tau of draws",
        "same best",
        "same samples",
        "other metrics",
    ])
    .rows(rows)
}
