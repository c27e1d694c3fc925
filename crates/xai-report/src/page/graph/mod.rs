//! The section of explanatory subgraphs.

mod truth;

use xai_core::MetricInfo;
use xai_core::describe::Scores;
use xai_graph::GroundTruth;

use crate::estimate::Estimate;
use crate::family::Family;
use crate::markup::number::in_own_units;
use crate::markup::{Cell, Table, number};
use crate::page::block::{Block, Section, n_of};
use crate::picture::{Axis, ErrorBars, Figure, LineChart, NodeLink, Point, Series, Style, extent};
use crate::section::graph::{AUROC, Graph, GraphExplainer, MOST_DRAWN_EXPLAINERS, SizePoint};

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
    let mut figures = Vec::new();
    figures.extend(crate::page::graph::characterization(section));
    figures.extend(
        section
            .explainers
            .iter()
            .take(MOST_DRAWN_EXPLAINERS)
            .filter_map(|e| crate::page::graph::of_explainer(section, e)),
    );
    if !figures.is_empty() {
        blocks.push(Block::Figures(figures));
    }
    let pictures = truth::pictures(section);
    if !pictures.is_empty() {
        blocks.push(Block::Heading("Masks against the truth"));
        blocks.push(Block::Figures(pictures));
        blocks.push(Block::Table(against_truth(section)));
    }
    let mut masks = truth::masks(section);
    masks.truncate(MOST_DRAWN_EXPLAINERS);
    if !masks.is_empty() {
        blocks.push(Block::Heading("How the scores of masks are distributed"));
        blocks.push(Block::Panels(masks));
    }
    let neighborhoods = neighborhoods(section);
    if !neighborhoods.is_empty() {
        blocks.push(Block::Heading("Around some explained nodes"));
        blocks.push(Block::Panels(neighborhoods));
    }
    blocks
}

fn neighborhoods(section: &Graph) -> Vec<Figure> {
    let explainers = section.explainers.iter().take(MOST_DRAWN_EXPLAINERS);
    let drawn = explainers.flat_map(|explainer| {
        explainer.neighborhoods.iter().map(move |neighborhood| {
            let picture = NodeLink {
                title: format!("{}: node {}", explainer.name, neighborhood.node),
                neighborhood,
            };
            picture.figure()
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
        .words("explainer")
        .numbers("best size")
        .numbers("characterization ↑")
        .numbers("fid₊ ↑")
        .numbers("fid₋ ↓")
        .numbers("unfaithfulness ↓")
        .numbers("area under the fidelity curve ↑")
        .numbers("AUROC against the truth ↑")
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
    let table = Table::new(
        "Masks against the true edges; what counts edges as found does so at threshold 0.5",
    );
    let table = table.words("explainer").numbers("AUROC ↑");
    let named = |table: Table, info: &MetricInfo| {
        table.numbers(&format!("{} {}", info.title, info.direction.arrow()))
    };
    others()
        .fold(table, named)
        .numbers("share of true edges")
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
pub(super) fn characterization(section: &Graph) -> Option<Figure> {
    if section
        .explainers
        .iter()
        .all(|explainer| explainer.curve.is_empty())
    {
        return None;
    }
    let error_bars = match section.explainers.len() <= MOST_BANDS {
        true => ErrorBars::Band,
        false => ErrorBars::None,
    };
    let series = section
        .explainers
        .iter()
        .enumerate()
        .map(|(index, explainer)| {
            let style = Style::of(index);
            series(
                &explainer.name,
                style,
                explainer,
                |point| point.characterization,
                true,
                error_bars,
            )
        });
    let bands = match error_bars {
        ErrorBars::Band => " Bands: 95 % intervals.",
        ErrorBars::None | ErrorBars::Whiskers => {
            " Intervals are in the pictures below and in the numbers."
        }
    };
    let picture = LineChart {
        title: "Characterization score of all explainers ↑".to_owned(),
        caption: format!(
            "Across: size of the explanation. Up: characterization score, in [0, 1], higher is better: the \
             explanation is necessary and sufficient.{bands} A ring marks the best size of each explainer."
        ),
        x: sizes(section),
        y: Axis::new("characterization", (0.0, 1.0)),
        series_kind: "explainer",
        series: series.collect(),
        reference: None,
        is_panel: false,
    };
    Some(picture.figure())
}

/// One of the scores of a point.
type Score = fn(&SizePoint) -> Estimate;

/// fid₊, fid₋ and characterization of one explainer.
pub(super) fn of_explainer(section: &Graph, explainer: &GraphExplainer) -> Option<Figure> {
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
        .map(|(index, (name, value, has_best))| {
            series(
                name,
                Style::of(index),
                explainer,
                value,
                has_best,
                ErrorBars::Band,
            )
        });
    let picture = LineChart {
        title: format!("Fidelity of {}", explainer.name),
        caption: "Across: size of the explanation. Up: scores in [0, 1]; of fid₊ and characterization higher is \
                  better, of fid₋ lower. Bands: 95 % intervals. A ring marks the best size."
            .to_owned(),
        x: sizes(section),
        y: Axis::new("score", (0.0, 1.0)),
        series_kind: "score",
        series: series.collect(),
        reference: None,
        is_panel: false,
    };
    Some(picture.figure())
}

fn series(
    name: &str,
    style: Style,
    explainer: &GraphExplainer,
    value: impl Fn(&SizePoint) -> Estimate,
    has_best: bool,
    error_bars: ErrorBars,
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
    let best = points
        .get(explainer.best)
        .filter(|point| has_best && point.y.is_finite());
    Series {
        name: name.to_owned(),
        style,
        best: best.map(|_| explainer.best),
        points,
        error_bars,
    }
}
