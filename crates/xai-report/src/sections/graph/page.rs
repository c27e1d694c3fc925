//! The page of explanatory subgraphs.

use xai_core::describe::Scores;
use xai_graph::GroundTruth;

use crate::estimate::Estimate;
use crate::markup::{Cell, Table, number, row};
use crate::page::block::{Block, n_of};
use crate::picture::{Axis, ErrorBars, Figure, LineChart, Picture, Point, Series, extent};
use crate::sections::graph::data::{AUROC, Graph, GraphExplainer, MAX_DRAWN_EXPLAINERS, SizePoint};
use crate::sections::graph::node_link::NodeLink;
use crate::sections::graph::truth;
use crate::text::with_arrow;

pub(super) fn blocks(section: &Graph) -> Vec<Block> {
    let about = format!(
        "{} explained by {}. fid₊ is the share of predictions that change when the explanation is removed \
         (higher is better: the explanation is necessary), fid₋ is the share that change when only the explanation is kept \
         (lower is better: it is sufficient); the characterization score combines both.",
        number::counted(
            section.n_explained,
            "node or graph is",
            "nodes or graphs are"
        ),
        n_of(section.explainers.len(), "explainer", "explainers"),
    );
    let mut blocks = vec![
        Block::Paragraph(about),
        Block::Table(best_sizes(section)),
        Block::Heading("Fidelity by the size of the explanation"),
    ];
    let drawn = || section.explainers.iter().take(MAX_DRAWN_EXPLAINERS);
    let by_explainer = drawn().filter_map(|explainer| fidelity(section, explainer));
    let figures: Vec<Figure> = characterization(section)
        .into_iter()
        .chain(by_explainer)
        .collect();
    if !figures.is_empty() {
        blocks.push(Block::Figures(figures));
    }
    let pictures = truth::pictures(section);
    if !pictures.is_empty() {
        blocks.extend(Block::figures("Masks against the truth", pictures));
        blocks.push(Block::Table(against_truth(section)));
    }
    let masks = truth::masks(section).take(MAX_DRAWN_EXPLAINERS);
    blocks.extend(Block::panels(
        "Distribution of mask scores",
        "If the ground truth is known, the share of the true edges is drawn upward and that of the other edges downward. A \
         mask that finds the true edges has its upper bars further to the right.",
        masks.collect(),
    ));
    blocks.extend(Block::panels(
        "Neighbourhoods of some explained nodes",
        "Wider edges have a higher score in the mask. The positions of nodes have no meaning.",
        drawn().flat_map(neighborhoods).collect(),
    ));
    blocks
}

fn neighborhoods(explainer: &GraphExplainer) -> Vec<Figure> {
    let drawn = explainer.neighborhoods.iter().map(|neighborhood| {
        let title = format!("{}: node {}", explainer.name, neighborhood.node);
        let left_out = match neighborhood.n_left_out as u64 {
            0 => String::new(),
            n => format!("; {} not drawn", number::counted(n, "node is", "nodes are")),
        };
        NodeLink { neighborhood }.figure(title, format!("Width: score of the edge{left_out}."))
    });
    drawn.collect()
}

/// The scores of each explainer at its best size.
fn best_sizes(section: &Graph) -> Table {
    let rows = section.explainers.iter().map(|explainer| {
        let point = explainer.curve.get(explainer.best);
        let score = |of: Score| point.map(of).unwrap_or_default();
        let auroc = explainer.groundtruth.as_ref().map(|truth| truth.auroc);
        row![
            &explainer.name,
            Cell::in_own_units(point.map(|point| point.level)),
            score(|point| point.characterization),
            score(|point| point.pos_fidelity),
            score(|point| point.neg_fidelity),
            point.map(|point| point.unfaithfulness),
            explainer.fidelity_auc,
            auroc.unwrap_or_default(),
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
        let mut row = row![&explainer.name, truth.auroc];
        row.extend(others().map(|info| Cell::from(truth.score(info.name))));
        row.push(Cell::from(Some(truth.prevalence)));
        Some(row)
    });
    let heads = others().map(|info| with_arrow(info.title, info.direction));
    Table::new("Masks against the true edges; metrics that classify edges use the threshold 0.5")
        .words(["explainer"])
        .numbers(["AUROC ↑"])
        .numbers(heads)
        .numbers(["share of true edges"])
        .rows(rows)
}

/// Largest number of explainers whose bands can be distinguished in one picture.
const MAX_BANDS: usize = 4;

/// The sizes of all explainers: all pictures have the same axis.
fn sizes(section: &Graph) -> Axis {
    let points = section.explainers.iter().flat_map(|of| &of.curve);
    let domain = extent(points.map(|point| point.level)).unwrap_or((0.0, 1.0));
    Axis::new("size of the explanation", domain)
}

/// The characterization score of all explainers.
fn characterization(section: &Graph) -> Option<Figure> {
    if section.explainers.iter().all(|of| of.curve.is_empty()) {
        return None;
    }
    let (error_bars, bands) = if section.explainers.len() <= MAX_BANDS {
        (ErrorBars::Band, "Bands: 95 % intervals.")
    } else {
        (
            ErrorBars::None,
            "Intervals are in the pictures below and in the numbers.",
        )
    };
    let series = section.explainers.iter().enumerate().map(|(index, of)| {
        let score: Score = |point| point.characterization;
        series(&of.name, index, of, score, true).error_bars(error_bars)
    });
    let y = Axis::new("characterization", (0.0, 1.0));
    let picture = LineChart::new("explainer", sizes(section), y, series);
    Some(picture.figure(
        "Characterization score of all explainers ↑",
        format!(
            "Horizontal: size of the explanation. Vertical: characterization score, in [0, 1]; 1 = the explanation is \
             necessary and sufficient. {bands} A ring marks the best size of each explainer."
        ),
    ))
}

/// One of the scores of a point.
type Score = fn(&SizePoint) -> Estimate;

/// fid₊, fid₋ and characterization of one explainer.
fn fidelity(section: &Graph, explainer: &GraphExplainer) -> Option<Figure> {
    if explainer.curve.is_empty() {
        return None;
    }
    let scores: [(&str, Score, bool); 3] = [
        ("fid₊ ↑", |point| point.pos_fidelity, false),
        ("fid₋ ↓", |point| point.neg_fidelity, false),
        ("characterization ↑", |point| point.characterization, true),
    ];
    let series = scores
        .into_iter()
        .enumerate()
        .map(|(index, (name, score, has_best))| {
            series(name, index, explainer, score, has_best).error_bars(ErrorBars::Band)
        });
    let y = Axis::new("score", (0.0, 1.0));
    Some(LineChart::new("score", sizes(section), y, series).figure(
        format!("Fidelity of {}", explainer.name),
        "Horizontal: size of the explanation. Vertical: scores in [0, 1]. Bands: 95 % intervals. A ring marks the best size.",
    ))
}

fn series(
    name: &str,
    index: usize,
    explainer: &GraphExplainer,
    score: Score,
    has_best: bool,
) -> Series {
    let curve = explainer.curve.iter();
    let points = curve.map(|point| Point::estimate(point.level, &score(point)));
    let series = Series::new(name, index, points);
    let best = series.points.get(explainer.best);
    let has_best = has_best && best.is_some_and(|point| point.y.is_finite());
    Series {
        best: has_best.then_some(explainer.best),
        ..series
    }
}
