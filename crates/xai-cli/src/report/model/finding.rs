//! What the numbers say, in sentences.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::estimate::Estimate;

/// One sentence that follows from numbers by a rule, see `docs/report.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Finding {
    /// The [`id`](super::origin::Origin::id) of the section that it is about.
    pub(crate) section: String,
    /// What kind of finding it is.
    pub(crate) verdict: Verdict,
    /// The sentence.
    pub(crate) text: String,
    /// The number that it rests on, with its interval.
    pub(crate) estimate: Option<Estimate>,
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
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
