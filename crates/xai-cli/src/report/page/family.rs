//! What the page says of the families of metrics.

use crate::report::study::families::Family;

impl Family {
    /// What people call it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Casebased => "Case-based explanations",
            Self::Attribution => "Attribution maps",
            Self::Graph => "Explanatory subgraphs",
            Self::Repro => "Repeated runs",
            Self::Simulation => "Simulation study",
        }
    }

    /// What its sections answer.
    pub(super) fn question(self) -> &'static str {
        match self {
            Self::Casebased => "Do predictions agree with their nearest training cases?",
            Self::Attribution => "How good are attribution maps of a model?",
            Self::Graph => "Are explanatory subgraphs sufficient and necessary?",
            Self::Repro => "Do repeated trainings make the same predictions, and the same errors?",
            Self::Simulation => {
                "How do the reproducibility metrics behave where the truth is known?"
            }
        }
    }

    /// What a reader must not take the numbers for.
    pub(super) fn limits(self) -> &'static [&'static str] {
        match self {
            Self::Casebased => &[
                "Agreement with precedents is not correctness: neighbours can agree with a wrong prediction.",
                "The levels are conventions.",
            ],
            Self::Attribution => &[
                "A masked input is unlike the training data: a drop mixes the worth of the map with the model's reaction to inputs it never saw.",
                "Compare maps of one model, not models.",
                "A metric that ranks an explainer first does not make its maps true; metrics ask different things and can disagree.",
            ],
            Self::Graph => &[
                "A graph with edges removed is unlike the training data: fidelity mixes the worth of the explanation with the model's reaction to that.",
                "Compare explanations of one model, at equal size.",
                "The edges that are called true are those that made the label when the data was made; a model may use others.",
            ],
            Self::Repro => &[
                "Agreement is not truth: runs can share their mistakes, and high agreement comes cheap to accurate models.",
                "Pairs share runs, so they are not independent: the intervals resample runs, not pairs.",
                "Kappa assumes independent raters, which runs of one method are not; read it beside percent agreement.",
            ],
            Self::Simulation => &[
                "The laws of labels and errors, the number of classes and the share of copied errors vary within each point.",
                "Simulated errors are simpler than those of trained models.",
            ],
        }
    }
}
