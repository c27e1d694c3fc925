//! The simulation study of the reproducibility metrics.

mod data;
mod findings;
mod page;

use xai_core::Direction;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl Simulation {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "simulation",
        title: "Simulation study",
        question: "How do the reproducibility metrics behave where the truth is known?",
        limits: &[
            "The distributions of labels and errors, the number of classes and the share of copied errors vary within each point.",
            "Simulated errors are simpler than those of trained models.",
        ],
    };
}

impl Section for Simulation {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        // How metrics behave has no good end.
        let of_metric = |metric: &SimulatedMetric| {
            let values = [
                ("mean", metric.mean),
                ("spearman_with_accuracy", metric.spearman_with_accuracy),
                ("auroc_of_dependence", metric.auroc_of_dependence),
            ];
            values.map(|(name, value)| {
                Figure::new(
                    format!("{name} / {}", metric.metric),
                    Direction::None,
                    value,
                )
            })
        };
        self.metrics.iter().flat_map(of_metric).collect()
    }

    fn page(&self, _max_pixels: usize) -> Vec<Block> {
        page::blocks(self)
    }
}
