//! Metrics of the maps alone, and how a score a sample is presented.

use std::path::PathBuf;

use clap::Args;
use ndarray::{ArrayViewD, IxDyn};
use serde::Serialize;
use xai_metrics::attribution::{Layout, SampleScores};

use super::ChannelsName;
use crate::arrays;
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;

/// Metrics of the maps alone.
#[derive(Debug, Args)]
pub(crate) struct Maps {
    /// The attribution maps, with or without channels.
    #[arg(long, value_name = "E.npy")]
    explanations: String,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: ChannelsName,
    /// Write a row a sample: sample, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Maps {
    pub(super) fn run(
        &self,
        name: &'static str,
        metric: fn(ArrayViewD<'_, f64>, Layout) -> xai_metrics::Result<SampleScores>,
        context: &Context,
    ) -> Result<(), Failure> {
        let maps = arrays::read_f64::<IxDyn>(&self.explanations)?;
        let layout = Layout::of_inputs(maps.shape(), self.channels == ChannelsName::First);
        let scores = layout
            .and_then(|layout| metric(maps.view(), layout))
            .in_file(&self.explanations)?;
        if let Some(out) = &self.out {
            let rows = scores.per_sample.iter().enumerate();
            let rows = rows.map(|(i, score)| [i.to_string(), output::cell(*score)]);
            output::write_csv(out, &["sample", "score"], rows)?;
        }
        SampleResult::new(name, scores).present(context)
    }
}

/// A metric with a score a sample.
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
            output::table(&["metric", "value"], rows)
        })
    }
}
