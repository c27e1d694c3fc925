//! Metrics of the scores of inputs that are multiplied by their map.

use crate::metric::Entry;

pub(crate) mod adcc;
pub(crate) mod average_drop;
pub(crate) mod average_gain;

pub use {adcc::*, average_drop::*, average_gain::*};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<AverageDrop>(),
    Entry::new::<AverageIncrease>(),
    Entry::new::<AverageGain>(),
    Entry::new::<Adcc>(),
];
