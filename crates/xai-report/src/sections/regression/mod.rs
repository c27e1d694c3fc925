//! Repeated runs of a regression model.

mod data;
mod findings;
mod page;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Regression {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "regression",
        title: "Repeated runs of regression models",
        question: "Do repeated trainings of a regression model predict the same numbers, and make the same errors?",
        limits: &[
            "Agreement is not correctness: runs can make the same errors.",
            "Pairs share runs and are not independent, so intervals leave out or resample runs, not pairs.",
            "Correlations compare the order and spread of predictions; a constant difference between runs lowers only the concordance.",
        ],
    };
}

impl Section for Regression {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        self.runs.figures()
    }

    fn page(&self, _max_pixels: usize) -> Vec<Block> {
        page::blocks(self)
    }
}
