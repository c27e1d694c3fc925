//! Attribution maps.

mod data;
mod findings;
pub mod gallery;
mod page;
mod pictures;
mod tiles;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Attribution {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "attribution",
        title: "Attribution maps",
        question: "How good are attribution maps of a model?",
        limits: &[
            "A masked input is unlike the training data: a drop mixes the quality of the map with the model's reaction to unfamiliar inputs.",
            "Compare maps of the same model, not models.",
            "The first rank by a metric does not make maps correct; metrics measure different properties and can disagree.",
        ],
    };
}

impl Section for Attribution {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        let figures = self.compared.figures().into_iter();
        figures
            .map(|figure| figure.with("activation", &self.activation))
            .collect()
    }

    fn page(&self, max_pixels: usize) -> Vec<Block> {
        page::blocks(self, max_pixels)
    }

    fn n_images(&self) -> usize {
        pictures::n_images(self)
    }
}
