//! The ways out of errors, in terms of SQL.

use xai_core::Help;

/// For base scores for which a formula is undefined.
pub const POLICY: Help =
    Help::new("pass probabilities, or give the policy 'as-is' or 'skip' as the third argument");
/// For scores outside [0, 1].
pub const LOGITS: Help = Help::new("where they are logits, pass their sigmoid, 1 / (1 + exp(-x))");
