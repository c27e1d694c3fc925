//! Repeated runs of one method.

mod data;
mod findings;
mod page;

use xai_core::Direction;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Repro {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "repro",
        title: "Repeated runs",
        question: "Do repeated trainings make the same predictions, and the same errors?",
        limits: &[
            "Agreement is not correctness: runs can make the same mistakes, and accurate models agree often.",
            "Pairs share runs and are not independent, so intervals leave out or resample runs, not pairs.",
            "Kappa assumes independent raters, but runs of one method are not independent; read it together with percent agreement.",
        ],
    };
}

impl Section for Repro {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        let across = [
            ("fleiss_kappa", self.fleiss_kappa),
            ("krippendorff_alpha", self.krippendorff_alpha),
            ("gwet_ac1", self.gwet_ac1),
        ];
        let across = across.map(|(name, value)| Figure::new(name, Direction::Higher, value));
        self.runs.figures().into_iter().chain(across).collect()
    }

    fn page(&self, _max_pixels: usize) -> Vec<Block> {
        page::blocks(self)
    }
}
