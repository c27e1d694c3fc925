//! Counterfactual explanations.

mod data;
mod findings;
mod page;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Counterfactual {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "counterfactual",
        title: "Counterfactuals",
        question: "Are counterfactuals valid, near, plausible and possible?",
        limits: &[
            "Means are over the queries that a method answers: read each with the share of queries that have a valid counterfactual.",
            "Plausibility is judged by the training data, and possibility by the schema alone. Advice that is near and plausible can still be bad advice.",
            "Nearest unlike neighbours are training rows: plausible by construction, and seldom the nearest change.",
        ],
    };
}

impl Section for Counterfactual {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        self.compared.figures()
    }

    fn page(&self, _max_pixels: usize) -> Vec<Block> {
        page::blocks(self)
    }
}
