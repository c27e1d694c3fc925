//! Attributions of the tokens of texts.

mod data;
mod findings;
mod page;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Texts {
    /// What all sections of its kind have in common.
    pub const KIND: SectionKind = SectionKind {
        key: "texts",
        title: "Texts",
        question: "Which words speak for a prediction, and do people mark the same?",
        limits: &[
            "What people mark is what convinces them: a model may use other words, and its explanation be right.",
            "Compare explanations of one model.",
        ],
    };
}

impl Section for Texts {
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
