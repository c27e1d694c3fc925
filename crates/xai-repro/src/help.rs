//! Help texts of the errors of this crate.

use xai_core::Help;

/// Help for a pair without errors under [`EmptyUnion::Error`](crate::EmptyUnion::Error).
pub const CHOOSE_EMPTY_UNION: Help =
    Help::new("choose another {empty_union}, for example {empty_union=undefined}");
/// Help for a metric for which the runs were not packed.
pub const PACK_FOR_METRIC: Help =
    Help::new("pack the runs for this metric, too: add it to the {metrics}");
/// Help for the agreement of runs that were packed only for error metrics.
pub const PACK_FOR_AGREEMENT: Help =
    Help::new("pack the runs for a metric of agreement, too, for example {metrics=pa_acc}");
/// Help for more samples than class tables can count at once.
pub const UPDATE_IN_BLOCKS: Help =
    Help::new("update a PairwiseAccumulator with blocks of the samples");
/// Help for targets so large that differences of residuals overflow.
pub const SCALE_TARGETS: Help = Help::new("scale targets and predictions down");
/// Help for labels that must contain every class although one is too rare.
pub const DRAW_MORE_LABELS: Help = Help::new("draw more labels, or do not require every class");
/// Help for a file of the study that cannot be continued.
pub const START_ANEW: Help = Help::new("start the study again with another file");
/// Help for predictions that seem to have one row per sample.
pub const RUNS_IN_ROWS: Help =
    Help::new("transpose the predictions: they need one row per run and one column per sample");
