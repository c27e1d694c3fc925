//! How a score per sample is presented.

use serde::Serialize;
use xai_metrics::attribution::SampleScores;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::text;

/// A metric with a score per sample.
#[derive(Serialize)]
pub(super) struct SampleResult {
    metric: &'static str,
    value: f64,
    n_undefined: usize,
    per_sample: Vec<Option<f64>>,
}

impl SampleResult {
    pub(super) fn new(metric: &'static str, scores: SampleScores) -> Self {
        Self {
            metric,
            value: scores.value,
            n_undefined: scores.n_undefined,
            per_sample: scores.per_sample,
        }
    }

    pub(super) fn present(&self, context: &Context) -> Result<(), Failure> {
        context.present(self, || {
            let rows = [
                [self.metric.to_owned(), format!("{:.4}", self.value)],
                ["samples".to_owned(), self.per_sample.len().to_string()],
                ["undefined".to_owned(), self.n_undefined.to_string()],
            ];
            text::table(&["metric", "value"], rows)
        })
    }
}
