//! How one score per sample is taken from a model's outputs.

use ndarray::Array2;
use xai_core::describe::Parameter;
use xai_core::output::arg_max;
use xai_core::{Activation, Error, Layout, Result};

use crate::model::batch_dependence::BatchDependence;
use crate::model::explainer::error_of_row;
use crate::model::samples::output_of;
use crate::model::{BoxError, Targets};
use crate::{help, input};

/// How scores are taken from a model: activation, batch size, layout of the inputs.
///
/// It belongs to a run, not to a metric: all metrics of a run read the same scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scoring {
    /// What is applied to the model's outputs. Default: nothing.
    pub activation: Activation,
    /// The largest number of rows that model and explainer are called with, at least 1. Default, as `None`:
    /// what [`rows_per_call`] says.
    pub batch_size: Option<usize>,
    /// Whether the model may answer a row otherwise in another batch. Default: no, which is
    /// [checked](crate::Evaluate::allow_batch_dependence).
    #[cfg_attr(feature = "serde", serde(default))]
    pub allow_batch_dependence: bool,
    /// How the axes of the inputs are read. Default: by their number, channels last for images.
    pub layout: Option<Layout>,
    /// The class that all given maps explain, of a model of two classes. Default: the class of each sample's target.
    #[cfg_attr(feature = "serde", serde(default))]
    pub explained_class: Option<usize>,
}

/// The bytes of rows in one call, unless the batch size is given: what changes and reads them finds them in the cache.
const CALL_BYTES: usize = 4 << 20;

/// The bytes of rows that a call must not exceed for the sake of [`FEW_ROWS`]: metrics hold a few arrays of that size.
const MOST_BYTES: usize = 32 << 20;

/// Fewer rows would let a model wait for its weights, and a service for its network.
const FEW_ROWS: usize = 64;

/// The rows that model and explainer are called with, unless the batch size is given: as many as 4 MiB hold, at
/// most 4096; of larger rows 64, or as many as 32 MiB hold, at least 1. It depends on the rows alone, so that
/// results are the same on any machine.
///
/// ```
/// use xai_attribution::model::rows_per_call;
/// assert_eq!(rows_per_call(20 * 8), 4096); // 20 numbers in double precision
/// assert_eq!(rows_per_call(28 * 28 * 4), 1337); // digits in single precision
/// assert_eq!(rows_per_call(224 * 224 * 3 * 4), 55); // images in single precision
/// assert_eq!(rows_per_call(4096 * 4096 * 3 * 4), 1);
/// ```
#[must_use]
pub fn rows_per_call(row_bytes: usize) -> usize {
    let holds = |bytes: usize| bytes / row_bytes.max(1);
    holds(CALL_BYTES)
        .max(holds(MOST_BYTES).min(FEW_ROWS))
        .clamp(1, 4096)
}

/// What is read off the model's outputs for changed inputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[param(name = "score")]
pub enum CurveScore {
    /// The score of the target.
    #[default]
    Target,
    /// 1 where the target is the class of the largest output (ties to the lower class), else 0: its mean over
    /// samples is the accuracy. Targets must be classes.
    #[param(name = "top-1")]
    Top1,
}

impl CurveScore {
    /// Checks that it can be read for some targets.
    pub(crate) fn check(self, targets: &Targets) -> Result<()> {
        match (self, targets) {
            (Self::Top1, Targets::Rows(_)) => {
                let expected = "target, as targets that are rows of weights have no class";
                Err(Error::parameter(input::SCORE, "top-1", expected))
            }
            _ => Ok(()),
        }
    }

    /// The scores of the rows of outputs.
    pub(crate) fn scores(
        self,
        scoring: &Scoring,
        targets: &Targets,
        outputs: &Array2<f64>,
        sample: &dyn Fn(usize) -> usize,
    ) -> Result<Vec<f64>> {
        let (Self::Top1, Targets::Classes(classes)) = (self, targets) else {
            return scoring.scores_of_outputs(targets, outputs, sample);
        };
        let of_row = |(row, outputs): (usize, ndarray::ArrayView1<'_, f64>)| {
            let sample = sample(row);
            let class = output_of(classes, sample, outputs.len())?;
            let is_top = arg_max(&outputs.to_vec()) == Some(class);
            Ok(f64::from(u8::from(is_top)))
        };
        outputs.outer_iter().enumerate().map(of_row).collect()
    }
}

impl Scoring {
    /// The layout for inputs of this shape.
    ///
    /// # Errors
    /// A shape mismatch when no layout fits.
    pub fn layout_of(&self, shape: &[usize]) -> Result<Layout> {
        match self.layout {
            Some(layout) if layout.n_axes() == shape.len() => Ok(layout),
            // Channels are a matter of images only.
            Some(Layout::ChannelsFirst) | None => {
                Layout::from_shape(shape, self.layout == Some(Layout::ChannelsFirst))
            }
            Some(Layout::ChannelsLast) => Layout::from_shape(shape, false),
            Some(layout) => Err(Error::shape_described(
                input::INPUTS,
                format!("{} axes for {layout:?}", layout.n_axes()),
                shape,
            )),
        }
    }

    /// Checks that the activation says something about so many outputs of a model.
    ///
    /// # Errors
    /// An invalid parameter for a softmax of one output, which is constant.
    ///
    /// ```
    /// use xai_attribution::{Activation, Scoring};
    /// let scoring = Scoring { activation: Activation::Softmax, ..Scoring::default() };
    /// assert!(scoring.check_n_outputs(2).is_ok() && scoring.check_n_outputs(1).is_err());
    /// ```
    pub fn check_n_outputs(&self, n_outputs: usize) -> Result<()> {
        match self.activation {
            Activation::Softmax | Activation::LogSoftmax if n_outputs == 1 => {
                let expected =
                    "another activation: the model has one output, whose softmax is constant";
                let error = Error::parameter(input::ACTIVATION, self.activation, expected);
                Err(error.with_help(help::CHOOSE_SIGMOID))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.batch_size == Some(0) {
            return Err(Error::parameter(input::BATCH_SIZE, 0, "at least 1"));
        }
        match self.explained_class {
            Some(class) if class > 1 => {
                let expected = "0 or 1, a class of a model of two classes";
                Err(Error::parameter(input::EXPLAINED_CLASS, class, expected))
            }
            _ => Ok(()),
        }
    }

    /// What the model answered to one call, checked. `call` describes the call, `sample` is the sample
    /// that a row is made of.
    pub(crate) fn checked_outputs(
        n_rows: usize,
        sample: &dyn Fn(usize) -> usize,
        call: &dyn Fn() -> String,
        answer: Result<Array2<f64>, BoxError>,
    ) -> Result<Array2<f64>> {
        let outputs = answer.map_err(|source| match source.is::<BatchDependence>() {
            true => Error::model(call(), source).with_help(help::EVALUATE_OR_ALLOW),
            false => Error::model(call(), source),
        })?;
        if outputs.nrows() != n_rows {
            let expected = [n_rows, outputs.ncols()];
            return Err(Error::shape(input::OUTPUTS, &expected, outputs.shape()).owner(call()));
        }
        match outputs.indexed_iter().find(|(_, x)| !x.is_finite()) {
            None => Ok(outputs),
            Some(((row, output), _)) => {
                let error = Error::non_finite(input::OUTPUTS, &[row, output]);
                Err(error_of_row(error, sample, &call()))
            }
        }
    }

    /// The scores of the rows of outputs.
    pub(crate) fn scores_of_outputs(
        &self,
        targets: &Targets,
        outputs: &Array2<f64>,
        sample: &dyn Fn(usize) -> usize,
    ) -> Result<Vec<f64>> {
        let mut scores = Vec::with_capacity(outputs.nrows());
        let mut activated = Vec::with_capacity(outputs.ncols());
        for (row, outputs) in outputs.outer_iter().enumerate() {
            activated.clear();
            activated.extend(outputs);
            self.activation.apply_row(&mut activated);
            let score = targets.score(sample(row), &activated)?;
            if !score.is_finite() {
                return Err(Error::non_finite(input::SCORES, &[sample(row)]));
            }
            scores.push(score);
        }
        Ok(scores)
    }
}
