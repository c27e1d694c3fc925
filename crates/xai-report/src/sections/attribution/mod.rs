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
    /// What all sections of its kind have in common.
    pub const KIND: SectionKind = SectionKind {
        key: "attribution",
        title: "Attribution maps",
        question: "How good are attribution maps of a model?",
        limits: &[
            "A masked input is unlike the training data: a drop mixes the worth of the map with the model's reaction to inputs it never saw.",
            "Compare maps of one model, not models.",
            "A metric that ranks an explainer first does not make its maps true; metrics ask different things and can disagree.",
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
