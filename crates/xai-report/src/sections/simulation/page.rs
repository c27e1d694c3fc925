//! The page of the simulation study.

use crate::markup::{Cell, Table, number};
use crate::page::block::Block;
use crate::picture::{Axis, ErrorBars, Figure, LineChart, Picture, Point, Series, nice_domain};
use crate::sections::simulation::data::{ProfilePoint, SimulatedMetric, Simulation};

/// Smallest number of draws of a point. Means of fewer draws are too noisy to draw.
const MIN_DRAWS: usize = 5;

/// Caption of each picture. All pictures are explained above them.
const CAPTION: &str = "Mean by accuracy; band: 80 % of the draws.";

pub(super) fn blocks(section: &Simulation) -> Vec<Block> {
    let about = format!(
        "{} of several runs each. Each picture: the mean of a metric over draws of similar accuracy, with \
         a band from the 10 % lowest to the 10 % highest of them; points of fewer than {MIN_DRAWS} draws \
         are left out. The lines of a metric that depends on accuracy rise or fall; those of a metric that \
         distinguishes dependent from independent errors are apart.",
        number::counted(section.n_draws, "simulated study", "simulated studies"),
    );
    vec![
        Block::Paragraph(about),
        Block::Panels(section.metrics.iter().map(panel).collect()),
        Block::Table(table(section)),
    ]
}

fn panel(metric: &SimulatedMetric) -> Figure {
    let series = [
        series("independent errors", 0, &metric.independent),
        series("dependent errors", 1, &metric.dependent),
    ];
    let points = series.iter().flat_map(|series| &series.points);
    let y = Axis::new("value", nice_domain(points.flat_map(Point::ends)));
    let picture = LineChart::new("draws", Axis::new("accuracy", (0.0, 1.0)), y, series);
    picture.panel().figure(&metric.title, CAPTION)
}

fn series(name: &str, index: usize, points: &[ProfilePoint]) -> Series {
    let points = points.iter();
    let enough = points.filter(|point| point.n_defined >= MIN_DRAWS);
    let points = enough.map(|point| Point {
        interval: Some([point.low, point.high]),
        n: Some(point.n_defined as u64),
        ..Point::new(point.accuracy, point.mean)
    });
    Series::new(name, index, points).error_bars(ErrorBars::Band)
}

fn table(section: &Simulation) -> Table {
    let rows = section.metrics.iter().map(|metric| {
        let values = [
            metric.mean,
            metric.std,
            metric.spearman_with_accuracy,
            metric.spearman_with_n_classes,
            metric.variance_by_label_distribution,
            metric.variance_by_error_distribution,
            metric.auroc_of_dependence,
        ];
        let title = Cell::from(&metric.title);
        std::iter::once(title)
            .chain(values.map(Cell::from))
            .collect()
    });
    Table::new(
        "Metrics over all draws; ρ is a rank correlation, η² a share of variance, AUROC 0.5 = does not distinguish dependent \
         from independent errors",
    )
    .words(["metric"])
    .numbers(["mean", "standard deviation", "accuracy (ρ)", "classes (ρ)"])
    .numbers([
        "label distribution (η²)",
        "error distribution (η²)",
        "dependence (AUROC)",
    ])
    .rows(rows)
}
