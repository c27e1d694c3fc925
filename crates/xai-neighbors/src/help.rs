//! Hints that errors of this crate carry.

use xai_core::Help;

/// Hint for rows whose distances or spreads overflow `f64`.
pub const SCALE_FEATURES_DOWN: Help = Help::new("scale the features down");
/// Hint for rows whose distance is undefined after scaling, such as the cosine distance of a zero row.
pub const DO_NOT_SCALE: Help =
    Help::new("leave the row out, choose {scale=false}, or choose another {distance}");
/// Hint for distances that a k-d tree cannot bound.
pub const USE_BRUTE_FORCE: Help = Help::new("choose {engine=brute-force}");
