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

/// Kinds of findings. The aliases are their names in reports of version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Significantly better than chance, or than what it is compared with.
    #[serde(alias = "above_chance")]
    Better,
    /// No significant difference from chance, or from what it is compared with.
    #[serde(alias = "not_told_apart")]
    NoDifference,
    /// Significantly worse than chance, or than what it is compared with.
    #[serde(alias = "below_chance")]
    Worse,
    /// Undefined, or defined for too few to say more.
    Undefined,
    /// A number that is compared with nothing.
    #[serde(alias = "described")]
    Note,
    /// The section could not be computed.
    Missing,
}
