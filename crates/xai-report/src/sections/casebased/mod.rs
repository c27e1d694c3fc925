//! Case-based explanations: predictions beside their nearest training cases.

mod data;
mod findings;
mod page;

use xai_core::Direction;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Casebased {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "casebased",
        title: "Case-based explanations",
        question: "Do predictions agree with their nearest training cases?",
        limits: &[
            "Agreement with the nearest cases is not correctness: they can agree with a wrong prediction.",
            "The thresholds of the levels high, medium and low are conventions.",
        ],
    };
}

impl Section for Casebased {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        let groups = self.groups().map(|(name, group)| {
            let mean = Some(group.mean_correspondence);
            (name, Direction::None, mean)
        });
        let scores = self
            .scores()
            .map(|(info, estimate)| (info.name, info.direction, estimate));
        let known = scores.chain(groups).filter_map(|(name, better, estimate)| {
            Some(Figure::new(name, better, estimate?).with("k", self.k))
        });
        known.collect()
    }

    fn page(&self, _max_pixels: usize) -> Vec<Block> {
        page::blocks(self)
    }
}
