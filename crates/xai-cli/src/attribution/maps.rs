//! Metrics of the maps alone.

use std::path::PathBuf;

use clap::Args;
use ndarray::{ArrayViewD, IxDyn};
use xai_metrics::attribution::{Layout, SampleScores};

use super::options::Channels;
use super::sample_result::SampleResult;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::input::arrays;
use crate::output::{rows, text};

/// Metrics of the maps alone.
#[derive(Debug, Args)]
pub(crate) struct Maps {
    /// The attribution maps, with or without channels.
    #[arg(long, value_name = "E.npy")]
    explanations: String,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: Channels,
    /// Write a row per sample: sample, score.
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
        let layout = Layout::of_inputs(maps.shape(), self.channels == Channels::First);
        let scores = layout
            .and_then(|layout| metric(maps.view(), layout))
            .in_files(&Files::only(&self.explanations))?;
        let of_samples = scores.per_sample.iter().enumerate();
        let of_samples = of_samples.map(|(i, score)| [i.to_string(), text::cell(*score)]);
        rows::write(self.out.as_deref(), ["sample", "score"], of_samples)?;
        SampleResult::new(name, scores).present(context)
    }
}
