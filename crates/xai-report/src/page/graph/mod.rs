//! The section of explanatory subgraphs.

mod fidelity;
mod truth;

use xai_core::MetricInfo;
use xai_core::describe::Scores;
use xai_graph::GroundTruth;

use crate::family::Family;
use crate::markup::number::in_own_units;
use crate::markup::{Cell, Table, number};
use crate::page::block::{Block, Section, n_of};
use crate::picture::{Figure, NodeLink};
use crate::section::graph::{AUROC, Graph, MOST_DRAWN_EXPLAINERS};

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
    figures.extend(fidelity::characterization(section));
    figures.extend(
        section
            .explainers
            .iter()
            .take(MOST_DRAWN_EXPLAINERS)
            .filter_map(|e| fidelity::of_explainer(section, e)),
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
