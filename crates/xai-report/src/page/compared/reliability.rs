//! Which metrics to believe on these samples.

use crate::markup::{Cell, Table};
use crate::page::block::Block;
use crate::picture::{Axis, ErrorBars, Figure, LineChart, Picture, Point, Series, Style};
use crate::section::compared::{Compared, MetricOfExplainers, Reliability};
use crate::text::with_arrow;

/// A picture of the metrics between two axes, and a table of what is said of each.
pub(super) fn blocks(section: &Compared) -> Vec<Block> {
    let metrics = section.metrics.iter();
    let judged = metrics.filter_map(|metric| Some((metric, metric.reliability.as_ref()?)));
    let judged: Vec<(&MetricOfExplainers, &Reliability)> = judged.collect();
    if judged.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Heading("Which metrics to believe here")];
    blocks.extend(picture(&judged).map(|picture| Block::Figures(vec![picture])));
    blocks.push(Block::Table(table(&judged)));
    blocks
}

/// The metrics that have a place on both axes.
fn picture(judged: &[(&MetricOfExplainers, &Reliability)]) -> Option<Figure> {
    let series = judged
        .iter()
        .enumerate()
        .filter_map(|(index, (metric, of))| {
            let (x, y) = of.kendall_w.zip(of.same_best)?;
            let (interval, n) = (None, None);
            Some(Series {
                name: with_arrow(&metric.title, metric.better),
                style: Style::of(index),
                points: vec![Point { x, y, interval, n }],
                best: None,
                error_bars: ErrorBars::Whiskers,
            })
        });
    let series: Vec<Series> = series.collect();
    let picture = LineChart {
        x: Axis::new("agreement of samples (Kendall's W)", (0.0, 1.0)),
        y: Axis::new("share of draws with the same best explainer", (0.0, 1.0)),
        series_kind: "metric",
        series,
        reference: None,
        is_panel: false,
    };
    (!picture.series.is_empty()).then(|| {
        picture.figure(
            "Do samples agree, and would other samples?",
            "Across: how far the samples rank the explainers alike, 1 = all do. Up: how often samples drawn again have \
             the same best explainer. At the right, one sample tells what all tell; at the top, the best explainer does \
             not hang on which samples were taken.",
        )
    })
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
        let title = Cell::words(with_arrow(&metric.title, metric.better));
        let numbers = numbers.into_iter().map(Cell::number);
        std::iter::once(title).chain(numbers).collect()
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
