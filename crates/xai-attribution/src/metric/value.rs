//! What a metric says about a data set.

use xai_core::{Error, ExactMean, Result};

use crate::{help, input};

/// A metric's value for a data set and for each sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricValue {
    /// The mean over the samples that are defined.
    pub value: f64,
    /// One per sample; `None` where the metric is undefined or a policy left the sample out.
    pub per_sample: Vec<Option<f64>>,
    /// How many samples have no value.
    pub n_undefined: usize,
    /// The curve under which the value is the area, for metrics that have one.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub curve: Option<Vec<CurvePoint>>,
}

/// One step of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// How many positions of every sample are flipped, or features are in a subset.
    pub n_flipped: usize,
    /// The mean score over the samples.
    pub score: f64,
}

impl MetricValue {
    /// A value from those of the samples, of which some may be undefined.
    ///
    /// # Errors
    /// Empty where none is defined.
    pub fn new(per_sample: Vec<Option<f64>>) -> Result<Self> {
        let mean: ExactMean = per_sample.iter().flatten().copied().collect();
        let Some(value) = mean.value() else {
            return Err(Error::empty(input::VALUES).with_help(help::NO_SAMPLE_HAS_A_VALUE));
        };
        Ok(Self {
            value,
            n_undefined: per_sample.iter().filter(|score| score.is_none()).count(),
            per_sample,
            curve: None,
        })
    }
}

impl std::fmt::Display for MetricValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.4} over {} samples",
            self.value,
            self.per_sample.len()
        )?;
        match self.n_undefined {
            0 => Ok(()),
            n => write!(f, ", {n} of them undefined"),
        }
    }
}
