//! Section about explanatory subgraphs of graph neural networks.

mod data;
mod findings;
mod layout;
mod neighborhood;
mod node_link;
mod page;
mod truth;

use xai_core::Direction;

use crate::estimate::Estimate;
use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Graph {
    /// Key, title, question and limits of this kind of section.
    pub const KIND: SectionKind = SectionKind {
        key: "graph",
        title: "Explanatory subgraphs",
        question: "Are explanatory subgraphs sufficient and necessary?",
        limits: &[
            "A graph with edges removed is unlike the training data: fidelity mixes the quality of the explanation with the model's reaction to such graphs.",
            "Compare only explanations of the same model and of the same size.",
            "True edges are those that determined the label when the data was generated; a model may use other edges.",
        ],
    };
}

impl Section for Graph {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        let of_explainer = |explainer: &GraphExplainer| {
            let (best, truth) = (explainer.curve.get(explainer.best), &explainer.groundtruth);
            let at_best = |score: fn(&SizePoint) -> Estimate| best.map(score);
            let auroc = truth.as_ref().map(|truth| truth.auroc);
            let precision = truth.as_ref().map(|truth| truth.score("average_precision"));
            let figures = [
                (
                    "characterization",
                    Direction::Higher,
                    at_best(|point| point.characterization),
                ),
                (
                    "pos_fidelity",
                    Direction::Higher,
                    at_best(|point| point.pos_fidelity),
                ),
                (
                    "neg_fidelity",
                    Direction::Lower,
                    at_best(|point| point.neg_fidelity),
                ),
                (
                    "fidelity_auc",
                    Direction::Higher,
                    Some(explainer.fidelity_auc.into()),
                ),
                ("auroc", Direction::Higher, auroc),
                (
                    "average_precision",
                    Direction::Higher,
                    precision.map(Estimate::from),
                ),
            ];
            let known = figures.into_iter().filter_map(|(score, better, estimate)| {
                let name = format!("{score} / {}", explainer.name);
                Some(Figure::new(name, better, estimate?))
            });
            known.collect::<Vec<_>>()
        };
        self.explainers.iter().flat_map(of_explainer).collect()
    }

    fn page(&self, _max_pixels: usize) -> Vec<Block> {
        page::blocks(self)
    }
}
