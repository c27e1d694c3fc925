//! A finding, and the kinds of findings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::family::Origin;

/// One sentence that follows from numbers by a rule, see `docs/report.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The [`id`](Origin::id) of the section that it is about.
    pub section: String,
    /// What kind of finding it is.
    pub verdict: Verdict,
    /// The sentence.
    pub text: String,
    /// The number that it rests on, with its interval.
    pub estimate: Option<Estimate>,
}

impl Finding {
    /// A finding about a section.
    pub(crate) fn new(origin: &Origin, verdict: Verdict, text: String) -> Self {
        Self {
            section: origin.id.clone(),
            verdict,
            text,
            estimate: None,
        }
    }

    /// With the number that it rests on.
    pub(crate) fn with(self, estimate: &Estimate) -> Self {
        Self {
            estimate: Some(*estimate),
            ..self
        }
    }
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Better than chance or than the other, and more than chance explains.
    AboveChance,
    /// Not told apart from chance, or from each other.
    NotToldApart,
    /// Worse than chance, and more than chance explains.
    BelowChance,
    /// Undefined, or defined for too few to say more.
    Undefined,
    /// A number where there is no chance level to hold it against.
    Described,
    /// The section could not be computed.
    Missing,
}
