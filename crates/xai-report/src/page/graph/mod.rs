//! The section of explanatory subgraphs.

mod fidelity;
mod tables;
mod truth;

use super::block::Block;
use super::section::{Section, n_of};
use crate::family::Family;
use crate::markup::number;
use crate::picture::figure::Figure;
use crate::picture::node_link::NodeLink;
use crate::section::graph::{Graph, MOST_DRAWN_EXPLAINERS};

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
    let mut blocks = vec![Block::Table(tables::best(section))];
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
    let against_truth = truth::pictures(section);
    if !against_truth.is_empty() {
        blocks.push(Block::Heading("Masks against the truth"));
        blocks.push(Block::Figures(against_truth));
        blocks.push(Block::Table(tables::truth(section)));
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
