//! What all commands with a model share.

use ndarray::{Ix1, Ix2};
use xai_metrics::attribution::{Layout, Scoring, Targets};

use super::{ActivationName, ChannelsName};
use crate::arrays::Stored;
use crate::failure::Failure;

/// Class indices `(n,)` or rows of weights `(n, outputs)`.
pub(crate) fn read_targets(stored: Stored) -> Result<Targets, Failure> {
    if stored.shape().len() == 1 {
        Ok(Targets::Classes(stored.into_labels::<Ix1>()?.to_vec()))
    } else {
        Ok(Targets::Rows(stored.into_f64::<Ix2>()?))
    }
}

/// How scores are taken, from the options of the command line.
pub(super) fn scoring(
    activation: ActivationName,
    channels: ChannelsName,
    batch_size: usize,
) -> Scoring {
    Scoring {
        activation: activation.into(),
        batch_size,
        layout: (channels == ChannelsName::First).then_some(Layout::ChannelsFirst),
    }
}

/// What stays the same for all explainers of a study.
pub(crate) struct ModelStudy {
    pub(crate) inputs: ndarray::ArrayD<f32>,
    pub(crate) targets: Targets,
    pub(crate) activation: ActivationName,
    pub(crate) channels: ChannelsName,
    pub(crate) batch_size: usize,
}

impl ModelStudy {
    /// How scores are taken.
    pub(crate) fn scoring(&self) -> Scoring {
        scoring(self.activation, self.channels, self.batch_size)
    }
}

/// Names the file that an error of a metric with a model is about.
pub(super) fn blame(
    error: xai_metrics::Error,
    [inputs, maps, targets]: [&str; 3],
    model: &str,
) -> Failure {
    if matches!(error, xai_metrics::Error::InvalidParameter { .. }) {
        return Failure::usage(error);
    }
    let message = error.to_string();
    let file = if message.starts_with("explanations") {
        maps
    } else if message.starts_with("targets") || message.starts_with("label") {
        targets
    } else if message.starts_with("inputs") {
        inputs
    } else {
        model
    };
    Failure::from(error).in_file(file)
}

/// A model that tells a progress bar of its rows.
pub(super) struct Watched<'a, F> {
    pub(super) model: &'a crate::onnx::OnnxModel,
    /// Called with the rows of every call.
    pub(super) watch: F,
}

impl<F: Fn(u64)> xai_metrics::attribution::Model<f32> for Watched<'_, F> {
    fn outputs(
        &self,
        batch: ndarray::ArrayViewD<'_, f32>,
    ) -> Result<ndarray::Array2<f64>, xai_metrics::attribution::BoxError> {
        let rows = batch.shape()[0] as u64;
        let outputs = self.model.outputs(batch);
        (self.watch)(rows);
        outputs
    }
}
