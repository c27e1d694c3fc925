//! Attributions to training cases.

mod data;
mod findings;
mod page;
mod top_cases;

use crate::section::{Block, Figure, Finding, Origin, Section, SectionKind};

pub use data::*;

impl DataAttribution {
    /// Kind of these sections.
    pub const KIND: SectionKind = SectionKind {
        key: "data_attribution",
        title: "Attributions to training cases",
        question: "How good are explanations of predictions by training cases?",
        limits: &[
            "Only metrics that retrain the model measure the effect of training cases; the others test for something that good attributions should find, and an explainer that finds it need not be faithful.",
            "Training cases that are difficult but correctly labeled have large scores, too.",
            "Intervals are over test cases; they do not include the variation between trainings.",
        ],
    };
}

impl Section for DataAttribution {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn findings(&self) -> Vec<Finding> {
        findings::findings(self)
    }

    fn figures(&self) -> Vec<Figure> {
        let whole = self.whole.iter().flat_map(|metric| {
            let values = self.compared.explainers.iter().zip(&metric.values);
            values.map(|(explainer, value)| Figure {
                settings: metric.settings.clone(),
                ..Figure::new(
                    format!("{} / {explainer}", metric.metric),
                    metric.better,
                    *value,
                )
            })
        });
        self.compared.figures().into_iter().chain(whole).collect()
    }

    fn page(&self, _max_pixels: usize) -> Vec<Block> {
        page::blocks(self)
    }
}
