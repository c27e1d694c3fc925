//! The section of repeated runs.

use crate::estimate::Estimate;
use crate::family::Family;
use crate::markup::{Cell, Element, Table, name, number};
use crate::page::block::{Block, KeyFigure, Section, n_of};
use crate::picture::{
    Axis, BarGroup, Bars, ErrorBars, Figure, HeatMap, Intervals, LineChart, Picture, Point, Row,
    Series, Style, nice_domain, thinned,
};
use crate::section::repro::{Inconsistent, PairMetricSummary, Repro};
use crate::text::{coverage, with_arrow};

/// The section with its pictures and tables.
pub(super) fn section(section: &Repro) -> Section<'_> {
    Section {
        family: Family::Repro,
        origin: &section.origin,
        about: format!(
            "{} on {}: {} wrong in every run, {} in at least one; on {} the runs do not all agree.",
            n_of(section.n_runs, "run", "runs"),
            n_of(section.n_samples, "sample", "samples"),
            number::of_kind(section.always_wrong, "sample is", "samples are"),
            number::count(section.ever_wrong),
            n_of(section.ever_changing, "sample", "samples"),
        ),
        blocks: blocks(section),
    }
}

fn blocks(section: &Repro) -> Vec<Block> {
    let mut blocks = vec![
        Block::KeyFigures(key_figures(section)),
        Block::Heading("Metrics over all pairs of runs"),
        Block::Figures(vec![means(section), similarity(section)]),
        Block::Table(metrics(section)),
    ];
    blocks.extend(Block::panels(
        "How the pairs are distributed",
        "Each picture: the share of the pairs of runs by their value; ↑ higher is better, ↓ lower is better.",
        section.metrics.iter().filter_map(distribution).collect(),
    ));
    blocks.push(Block::Heading("Runs and samples"));
    blocks.extend(accuracy(section).map(|figure| Block::Figures(vec![figure])));
    if !section.most_inconsistent.is_empty() {
        blocks.push(Block::Table(inconsistent(&section.most_inconsistent)));
    }
    blocks
}

fn key_figures(section: &Repro) -> Vec<KeyFigure> {
    let note = "agreement of all runs beyond chance, 1 = all agree, ↑ higher is better";
    vec![
        KeyFigure::number("Fleiss' kappa", section.fleiss_kappa, note),
        KeyFigure::number(
            "Krippendorff's alpha",
            section.krippendorff_alpha,
            "the same with a correction for few runs",
        ),
        KeyFigure::number(
            "Gwet's AC1",
            section.gwet_ac1,
            "the same with another chance",
        ),
        KeyFigure::count("Wrong in every run", section.always_wrong, "samples"),
        KeyFigure::count("Wrong in some run", section.ever_wrong, "samples"),
    ]
}

fn metrics(section: &Repro) -> Table {
    let row = |metric: &PairMetricSummary| {
        vec![
            Cell::words(with_arrow(&metric.title, metric.better)).note(&metric.range),
            Cell::estimate(&metric.mean),
            Cell::number(metric.std),
            Cell::number(metric.min),
            Cell::number(metric.median),
            Cell::number(metric.max),
            Cell::count(metric.mean.n),
        ]
    };
    let caption = format!(
        "Over all pairs of runs; below each mean its {}",
        interval(section)
    );
    Table::new(caption)
        .words(["metric"])
        .numbers([
            "mean",
            "standard deviation",
            "least",
            "median",
            "largest",
            "pairs",
        ])
        .rows(section.metrics.iter().map(row))
}

/// How intervals over runs are made: `95 % interval by a jackknife over runs`.
fn interval(section: &Repro) -> String {
    let method = match section.interval.as_str() {
        "bca" => "a BCa bootstrap",
        "jackknife" => "a jackknife",
        other => other,
    };
    format!("{} interval by {method} over runs", coverage(section.level))
}

fn inconsistent(samples: &[Inconsistent]) -> Table {
    let head = Element::new("div")
        .child(name("entropy"))
        .child(Element::of("small", "note").text("in nats"));
    let rows = samples.iter().map(|sample| {
        let votes = sample.votes.iter().take(6);
        let votes = votes.map(|votes| format!("{} × {}", votes.n, votes.class));
        let mut votes: Vec<String> = votes.collect();
        if sample.votes.len() > 6 {
            votes.push(format!("and {} more classes", sample.votes.len() - 6));
        }
        vec![
            Cell::index(sample.sample),
            Cell::words(&sample.label),
            Cell::words(votes.join(", ")),
            Cell::number(Some(sample.modal_share)),
            Cell::number(Some(sample.entropy)),
        ]
    });
    Table::new("Samples on which runs disagree most")
        .numbers(["sample"])
        .words(["true class", "votes: runs × class"])
        .numbers(["share of the most frequent class"])
        .column(head, true)
        .rows(rows)
}

/// Runs that are drawn as a row each.
const MOST_ROWS: usize = 40;

/// Points of the line of more runs than that.
const MOST_POINTS: usize = 200;

/// The means of all metrics with their intervals.
fn means(section: &Repro) -> Figure {
    let rows = section.metrics.iter().map(|metric| Row {
        name: with_arrow(&metric.title, metric.better),
        style: Style::of(0),
        estimate: metric.mean,
        is_best: false,
    });
    let picture = Intervals {
        label: "mean over the pairs".to_owned(),
        row_kind: "metric",
        rows: rows.collect(),
        reference: None,
        domain: None,
        is_panel: false,
    };
    picture.figure(
        "Mean of each metric over the pairs of runs",
        format!(
            "Across: the mean over all pairs, with its {}. ↑ higher is better, ↓ lower is better. Metrics have different \
             scales: compare runs by one of them, not metrics with each other.",
            interval(section)
        ),
    )
}

/// Run × run.
fn similarity(section: &Repro) -> Figure {
    let (similarity, order) = (&section.similarity, &section.similarity.order);
    let value = |row: usize, column: usize| similarity.value(*order.get(row)?, *order.get(column)?);
    let picture = HeatMap {
        label: similarity.title.clone(),
        item_kind: "run",
        names: order.iter().map(|run| format!("run {run}")).collect(),
        value: &value,
        is_signed: false,
        short_names: Some(order.iter().map(usize::to_string).collect()),
    };
    picture.figure(
        format!("{} of every two runs", similarity.title),
        "Rows and columns: runs, from 0, ordered so that runs that are alike stand beside each other. Light: high; \
         dark: low; grey or empty: undefined, or a run with itself. Squares along the diagonal are groups of runs.",
    )
}

/// One small picture per metric that has values.
fn distribution(metric: &PairMetricSummary) -> Option<Figure> {
    let picture = Bars {
        label: "value of a pair".to_owned(),
        unit: "pairs",
        groups: vec![BarGroup {
            name: metric.title.clone(),
            style: Style::of(0),
            histogram: metric.histogram.clone()?,
            mean: metric.mean.value,
        }],
        is_panel: true,
    };
    Some(picture.figure(with_arrow(&metric.title, metric.better), &metric.question))
}

/// The accuracy of each run.
fn accuracy(section: &Repro) -> Option<Figure> {
    let coverage = coverage(section.level);
    let (title, n) = ("Accuracy of each run ↑", section.accuracy.len());
    let what = "the share of right predictions";
    match n {
        0 => None,
        n if n <= MOST_ROWS => Some(accuracy_rows(&section.accuracy).figure(
            title,
            format!(
                "Runs in the order of the file, from 0. Across: {what}, with its {coverage} interval over samples (Wilson)."
            ),
        )),
        _ => {
            let line = accuracy_line(&section.accuracy);
            let some = match line.series[0].points.len() {
                shown if shown < n => format!(" {shown} of {n} runs are drawn, evenly spread."),
                _ => String::new(),
            };
            let caption = format!(
                "Across: runs in the order of the file, from 0. Up: {what}. Band: {coverage} intervals over samples \
                 (Wilson).{some}"
            );
            Some(line.figure(title, caption))
        }
    }
}

fn accuracy_rows(accuracy: &[Estimate]) -> Intervals {
    let rows = accuracy.iter().enumerate().map(|(run, estimate)| Row {
        name: format!("run {run}"),
        style: Style::of(0),
        estimate: *estimate,
        is_best: false,
    });
    Intervals {
        label: "accuracy".to_owned(),
        row_kind: "run",
        rows: rows.collect(),
        reference: None,
        domain: None,
        is_panel: false,
    }
}

fn accuracy_line(accuracy: &[Estimate]) -> LineChart {
    let points = accuracy.iter().enumerate().filter_map(|(run, estimate)| {
        Some(Point {
            x: run as f64,
            y: estimate.value?,
            interval: estimate.interval,
            n: Some(estimate.n),
        })
    });
    let points: Vec<Point> = points.collect();
    let shown: Vec<Point> = thinned(&points, MOST_POINTS).copied().collect();
    let ends = shown
        .iter()
        .flat_map(|point| point.interval.unwrap_or([point.y; 2]));
    LineChart {
        x: Axis::new("run", (0.0, accuracy.len().saturating_sub(1) as f64)),
        y: Axis::new("accuracy", nice_domain(ends)),
        series_kind: "accuracy",
        series: vec![Series {
            name: "accuracy".to_owned(),
            style: Style::of(0),
            points: shown,
            best: None,
            error_bars: ErrorBars::Band,
        }],
        reference: None,
        is_panel: false,
    }
}
