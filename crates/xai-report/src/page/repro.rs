//! The section of repeated runs.

use crate::estimate::Estimate;
use crate::family::Family;
use crate::markup::number::which_is_better;
use crate::markup::{Cell, Element, Table, name, number};
use crate::page::block::{Block, KeyFigure, Section, n_of};
use crate::picture::{
    Axis, BarGroup, Bars, ErrorBars, Figure, HeatMap, Intervals, LineChart, Point, Row, Series,
    Style, nice_domain, thinned,
};
use crate::section::repro::{Inconsistent, PairMetricSummary, Repro};
use crate::text::with_arrow;

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
    let mut blocks = vec![Block::KeyFigures(key_figures(section))];
    blocks.push(Block::Heading("Metrics over all pairs of runs"));
    blocks.push(Block::Figures(vec![
        crate::page::repro::means(section),
        crate::page::repro::similarity(section),
    ]));
    blocks.push(Block::Table(metrics(section)));
    let distributions = crate::page::repro::distributions(section);
    if !distributions.is_empty() {
        blocks.push(Block::Heading("How the pairs are distributed"));
        blocks.push(Block::Panels(distributions));
    }
    blocks.push(Block::Heading("Runs and samples"));
    blocks.extend(crate::page::repro::accuracy(section).map(|figure| Block::Figures(vec![figure])));
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
    Table::new("Over all pairs of runs; 95 % interval of the mean by a jackknife over runs")
        .words("metric")
        .numbers("mean")
        .numbers("standard deviation")
        .numbers("least")
        .numbers("median")
        .numbers("largest")
        .numbers("pairs")
        .rows(section.metrics.iter().map(row))
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
        .numbers("sample")
        .words("true class")
        .words("votes: runs × class")
        .numbers("share of the most frequent class")
        .column(head, true)
        .rows(rows)
}

/// Runs that are drawn as a row each.
const MOST_ROWS: usize = 40;

/// Points of the line of more runs than that.
const MOST_POINTS: usize = 200;

/// The means of all metrics with their intervals.
pub(super) fn means(section: &Repro) -> Figure {
    let rows = section.metrics.iter().map(|metric| Row {
        name: with_arrow(&metric.title, metric.better),
        style: Style::of(0),
        estimate: metric.mean,
        is_best: false,
    });
    let picture = Intervals {
        title: "Mean of each metric over the pairs of runs".to_owned(),
        caption: "Across: the mean over all pairs, with a 95 % interval by a jackknife over runs. ↑ higher is \
                  better, ↓ lower is better. Metrics have different scales: compare runs by one of them, not \
                  metrics with each other."
            .to_owned(),
        label: "mean over the pairs".to_owned(),
        row_kind: "metric",
        rows: rows.collect(),
        reference: None,
        domain: None,
        is_panel: false,
    };
    picture.figure()
}

/// Run × run.
pub(super) fn similarity(section: &Repro) -> Figure {
    let similarity = &section.similarity;
    let value = |row: usize, column: usize| {
        let order = &similarity.order;
        similarity.value(*order.get(row)?, *order.get(column)?)
    };
    let picture = HeatMap {
        title: format!("{} of every two runs", similarity.title),
        caption: "Rows and columns: runs, from 0, ordered so that runs that are alike stand beside each other. Light: \
                  high; dark: low; grey or empty: undefined, or a run with itself. Squares along the diagonal are \
                  groups of runs."
            .to_owned(),
        label: similarity.title.clone(),
        item_kind: "run",
        names: similarity.order.iter().map(|run| format!("run {run}")).collect(),
        value: &value,
        is_signed: false,
        short_names: Some(similarity.order.iter().map(usize::to_string).collect()),
    };
    picture.figure()
}

/// One small picture per metric that has values.
pub(super) fn distributions(section: &Repro) -> Vec<Figure> {
    section.metrics.iter().filter_map(distribution).collect()
}

fn distribution(metric: &PairMetricSummary) -> Option<Figure> {
    let histogram = metric.histogram.clone()?;
    let picture = Bars {
        title: with_arrow(&metric.title, metric.better),
        caption: format!(
            "{} Across: value of a pair, {}; up: share of the pairs.",
            metric.question,
            which_is_better(metric.better)
        ),
        label: "value of a pair".to_owned(),
        unit: "pairs",
        groups: vec![BarGroup {
            name: metric.title.clone(),
            style: Style::of(0),
            histogram,
            mean: metric.mean.value,
        }],
        is_panel: true,
    };
    Some(picture.figure())
}

/// The accuracy of each run.
pub(super) fn accuracy(section: &Repro) -> Option<Figure> {
    match section.accuracy.len() {
        0 => None,
        n if n <= MOST_ROWS => Some(accuracy_rows(&section.accuracy)),
        _ => Some(accuracy_line(&section.accuracy)),
    }
}

const TITLE: &str = "Accuracy of each run ↑";

fn accuracy_rows(accuracy: &[Estimate]) -> Figure {
    let rows = accuracy.iter().enumerate().map(|(run, estimate)| Row {
        name: format!("run {run}"),
        style: Style::of(0),
        estimate: *estimate,
        is_best: false,
    });
    let picture = Intervals {
        title: TITLE.to_owned(),
        caption: "Runs in the order of the file, from 0. Across: the share of right predictions, higher is better, \
                  with a 95 % interval over samples (Wilson)."
            .to_owned(),
        label: "accuracy".to_owned(),
        row_kind: "run",
        rows: rows.collect(),
        reference: None,
        domain: None,
        is_panel: false,
    };
    picture.figure()
}

fn accuracy_line(accuracy: &[Estimate]) -> Figure {
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
    let some = match shown.len() < points.len() {
        true => format!(
            " {} of {} runs are drawn, evenly spread.",
            shown.len(),
            points.len()
        ),
        false => String::new(),
    };
    let ends = shown.iter().flat_map(|point| {
        let [low, high] = point.interval.unwrap_or([point.y; 2]);
        [low, high]
    });
    let picture = LineChart {
        title: TITLE.to_owned(),
        caption: format!(
            "Across: runs in the order of the file, from 0. Up: the share of right predictions, higher is better. \
             Band: 95 % intervals over samples (Wilson).{some}"
        ),
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
    };
    picture.figure()
}
