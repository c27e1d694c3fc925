//! The ways out that errors of this crate name.

use xai_core::Help;

/// For a pair without errors under [`EmptyUnion::Error`](crate::EmptyUnion::Error).
pub const CHOOSE_EMPTY_UNION: Help =
    Help::new("choose another {empty_union}, {empty_union=undefined} for instance");
/// For a metric that the runs were not packed for.
pub const PACK_FOR_METRIC: Help =
    Help::new("pack the runs for this metric too: name it among the {metrics}");
/// For the agreement of runs that were packed for error metrics alone.
pub const PACK_FOR_AGREEMENT: Help =
    Help::new("pack the runs for a metric of agreement too, {metrics=pa_acc} for instance");
/// For more samples than class tables of one piece hold.
pub const UPDATE_IN_BLOCKS: Help =
    Help::new("update a PairwiseAccumulator with blocks of the samples");
/// For targets so large that differences of residuals overflow.
pub const SCALE_TARGETS: Help = Help::new("scale targets and predictions down");
/// For labels that shall have every class, of which one is too rare.
pub const DRAW_MORE_LABELS: Help = Help::new("draw more labels, or do not ask for every class");
/// For a file of the study that cannot be continued.
pub const START_ANEW: Help = Help::new("start anew in another file");
/// For predictions with a row for each sample.
pub const RUNS_IN_ROWS: Help =
    Help::new("predictions have a row for each run and a column for each sample: transpose them");
