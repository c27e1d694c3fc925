//! The section of explanatory subgraphs.

mod truth;

use xai_core::describe::Scores;
use xai_graph::GroundTruth;

use crate::estimate::Estimate;
use crate::family::Family;
use crate::markup::number::in_own_units;
use crate::markup::{Cell, Table, number};
use crate::page::block::{Block, Section, n_of};
use crate::picture::{
    Axis, ErrorBars, Figure, LineChart, NodeLink, Picture, Point, Series, Style, extent,
};
use crate::section::graph::{AUROC, Graph, GraphExplainer, MOST_DRAWN_EXPLAINERS, SizePoint};
use crate::text::with_arrow;

/// The section with its pictures and tables.
pub(super) fn section(section: &Graph) -> Section<'_> {
    Section {
        family: Family::Graph,
        origin: &section.origin,
        about: format!(
            "{} explained by {}. fid₊ is the share of predictions that change when the explanation is removed \
             (higher is better: it is necessary), fid₋ the share that change when it alone is kept (lower is \
             better: it is sufficient); the characterization score joins both.",
            number::of_kind(
                section.n_explained,
                "node or graph is",
                "nodes or graphs are"
            ),
            n_of(section.explainers.len(), "explainer", "explainers"),
        ),
        blocks: blocks(section),
    }
}

fn blocks(section: &Graph) -> Vec<Block> {
    let mut blocks = vec![Block::Table(best_sizes(section))];
    blocks.push(Block::Heading("Fidelity by the size of the explanation"));
    let explainers = section.explainers.iter().take(MOST_DRAWN_EXPLAINERS);
    let of_explainers = explainers.filter_map(|explainer| of_explainer(section, explainer));
    let figures: Vec<Figure> = characterization(section)
        .into_iter()
        .chain(of_explainers)
        .collect();
    if !figures.is_empty() {
        blocks.push(Block::Figures(figures));
    }
    let truth = Block::figures("Masks against the truth", truth::pictures(section));
    let table = (!truth.is_empty()).then(|| Block::Table(against_truth(section)));
    blocks.extend(truth.into_iter().chain(table));
    let mut masks = truth::masks(section);
    masks.truncate(MOST_DRAWN_EXPLAINERS);
    blocks.extend(Block::panels(
        "How the scores of masks are distributed",
        "Where the truth is known: upward the share of the true edges, downward that of the other edges. A mask that \
         finds the truth has the upper bars further to the right.",
        masks,
    ));
    blocks.extend(Block::panels(
        "Around some explained nodes",
        "The wider an edge, the higher its score in the mask. Places of nodes mean nothing.",
        neighborhoods(section),
    ));
    blocks
}

fn neighborhoods(section: &Graph) -> Vec<Figure> {
    let explainers = section.explainers.iter().take(MOST_DRAWN_EXPLAINERS);
    let drawn = explainers.flat_map(|explainer| {
        explainer.neighborhoods.iter().map(move |neighborhood| {
            let title = format!("{}: node {}", explainer.name, neighborhood.node);
            let left_out = match neighborhood.n_left_out as u64 {
                0 => String::new(),
                n => format!("; {} not drawn", number::of_kind(n, "node is", "nodes are")),
            };
            NodeLink { neighborhood }.figure(title, format!("Width: score of the edge{left_out}."))
        })
    });
    drawn.collect()
}

/// The scores of each explainer at its best size.
fn best_sizes(section: &Graph) -> Table {
    let rows = section.explainers.iter().map(|explainer| {
        let point = explainer.curve.get(explainer.best);
        let auroc = explainer.groundtruth.as_ref().map(|truth| truth.auroc);
        vec![
            Cell::words(&explainer.name),
            Cell::shown_as(point.map(|point| point.level), in_own_units),
            Cell::estimate(
                &point
                    .map(|point| point.characterization)
                    .unwrap_or_default(),
            ),
            Cell::estimate(&point.map(|point| point.pos_fidelity).unwrap_or_default()),
            Cell::estimate(&point.map(|point| point.neg_fidelity).unwrap_or_default()),
            Cell::number(point.map(|point| point.unfaithfulness)),
            Cell::number(explainer.fidelity_auc),
            Cell::estimate(&auroc.unwrap_or_default()),
        ]
    });
    Table::new("Each explainer at the size of its best characterization, with 95 % intervals")
        .words(["explainer"])
        .numbers([
            "best size",
            "characterization ↑",
            "fid₊ ↑",
            "fid₋ ↓",
            "unfaithfulness ↓",
        ])
        .numbers([
            "area under the fidelity curve ↑",
            "AUROC against the truth ↑",
        ])
        .rows(rows)
}

/// Masks against the truth.
fn against_truth(section: &Graph) -> Table {
    let others = || GroundTruth::infos().filter(|info| info.name != AUROC);
    let rows = section.explainers.iter().filter_map(|explainer| {
        let truth = explainer.groundtruth.as_ref()?;
        let mut row = vec![Cell::words(&explainer.name), Cell::estimate(&truth.auroc)];
        row.extend(others().map(|info| Cell::number(truth.score(info.name))));
        row.push(Cell::number(Some(truth.prevalence)));
        Some(row)
    });
    let heads = others().map(|info| with_arrow(info.title, info.direction));
    Table::new("Masks against the true edges; what counts edges as found does so at threshold 0.5")
        .words(["explainer"])
        .numbers(["AUROC ↑"])
        .numbers(heads)
        .numbers(["share of true edges"])
        .rows(rows)
}

/// Explainers up to which bands in one picture can be told apart.
const MOST_BANDS: usize = 4;

/// The sizes of all explainers: all pictures have the same axis.
fn sizes(section: &Graph) -> Axis {
    let levels = section
        .explainers
        .iter()
        .flat_map(|explainer| &explainer.curve);
    let domain = extent(levels.map(|point| point.level)).unwrap_or((0.0, 1.0));
    Axis::new("size of the explanation", domain)
}

/// The characterization score of all explainers.
fn characterization(section: &Graph) -> Option<Figure> {
    let explainers = section.explainers.iter();
    if explainers
        .clone()
        .all(|explainer| explainer.curve.is_empty())
    {
        return None;
    }
    let (error_bars, bands) = match section.explainers.len() <= MOST_BANDS {
        true => (ErrorBars::Band, "Bands: 95 % intervals."),
        false => (
            ErrorBars::None,
            "Intervals are in the pictures below and in the numbers.",
        ),
    };
    let of = |(index, explainer): (usize, &GraphExplainer)| {
        let value = |point: &SizePoint| point.characterization;
        let looks = (Style::of(index), error_bars);
        series(&explainer.name, looks, explainer, value, true)
    };
    let picture = LineChart {
        x: sizes(section),
        y: Axis::new("characterization", (0.0, 1.0)),
        series_kind: "explainer",
        series: explainers.enumerate().map(of).collect(),
        reference: None,
        is_panel: false,
    };
    Some(picture.figure(
        "Characterization score of all explainers ↑",
        format!(
            "Across: size of the explanation. Up: characterization score, in [0, 1], higher is better: the \
             explanation is necessary and sufficient. {bands} A ring marks the best size of each explainer."
        ),
    ))
}

/// One of the scores of a point.
type Score = fn(&SizePoint) -> Estimate;

/// fid₊, fid₋ and characterization of one explainer.
fn of_explainer(section: &Graph, explainer: &GraphExplainer) -> Option<Figure> {
    if explainer.curve.is_empty() {
        return None;
    }
    let scores: [(&str, Score, bool); 3] = [
        ("fid₊ ↑", |point| point.pos_fidelity, false),
        ("fid₋ ↓", |point| point.neg_fidelity, false),
        ("characterization ↑", |point| point.characterization, true),
    ];
    let of = |(index, (name, value, has_best))| {
        let looks = (Style::of(index), ErrorBars::Band);
        series(name, looks, explainer, value, has_best)
    };
    let picture = LineChart {
        x: sizes(section),
        y: Axis::new("score", (0.0, 1.0)),
        series_kind: "score",
        series: scores.into_iter().enumerate().map(of).collect(),
        reference: None,
        is_panel: false,
    };
    Some(picture.figure(
        format!("Fidelity of {}", explainer.name),
        "Across: size of the explanation. Up: scores in [0, 1]. Bands: 95 % intervals. A ring marks the best size.",
    ))
}

fn series(
    name: &str,
    (style, error_bars): (Style, ErrorBars),
    explainer: &GraphExplainer,
    value: impl Fn(&SizePoint) -> Estimate,
    has_best: bool,
) -> Series {
    let points = explainer.curve.iter().map(|point| {
        let estimate = value(point);
        Point {
            x: point.level,
            // A point without a value is left out of the line by the chart.
            y: estimate.value.unwrap_or(f64::NAN),
            interval: estimate.interval,
            n: Some(estimate.n),
        }
    });
    let points: Vec<Point> = points.collect();
    let best = points.get(explainer.best);
    Series {
        name: name.to_owned(),
        style,
        best: best
            .filter(|point| has_best && point.y.is_finite())
            .map(|_| explainer.best),
        points,
        error_bars,
    }
}
