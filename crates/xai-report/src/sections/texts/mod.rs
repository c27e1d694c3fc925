//! Attributions of the tokens of texts.

mod data;
mod findings;
mod page;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Texts {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "texts",
        title: "Texts",
        question: "Which words are evidence for a prediction, and do people mark the same words?",
        limits: &[
            "People mark the words that convince them. A model may use other words, and its explanation can still be correct.",
            "Compare only explanations of the same model.",
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
