//! Settings by which scores are read from the outputs of a model.

use ndarray::Array2;
use xai_core::describe::Parameter;
use xai_core::output::arg_max;
use xai_core::{Activation, Error, InputLayout, Result};

use crate::model::batch_dependence::BatchDependence;
use crate::model::explainer::error_of_row;
use crate::model::samples::class_output;
use crate::model::{BoxError, Targets};
use crate::{help, input};

/// Settings by which scores are read from a model, such as activation, batch size and layout of the inputs.
///
/// They belong to a run, not to a metric: all metrics of a run read the same scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scoring {
    /// Activation applied to the outputs of the model. Default: none.
    pub activation: Activation,
    /// Largest number of rows per call of the model or the explainer, at least 1. Default (`None`): see
    /// [`rows_per_call`](super::rows_per_call).
    pub batch_size: Option<usize>,
    /// Allows the outputs for a row to depend on the rest of the batch. Default: no, which is
    /// [checked](crate::Evaluate::allow_batch_dependence).
    #[cfg_attr(feature = "serde", serde(default))]
    pub allow_batch_dependence: bool,
    /// Order of the axes of the inputs. Default: inferred from their number. Required for inputs with four axes, whose
    /// channels may come first or last.
    pub layout: Option<InputLayout>,
    /// Class that all given maps explain, for a two-class model. Default: the class of each sample's target.
    #[cfg_attr(feature = "serde", serde(default))]
    pub explained_class: Option<usize>,
}

/// Quantity read from the outputs of the model for changed inputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[param(name = "score")]
#[non_exhaustive]
pub enum CurveScore {
    /// The score of the target.
    #[default]
    Target,
    /// 1 if the target is the class with the largest output (ties go to the lower class), otherwise 0; the mean over
    /// samples is the accuracy. Targets must be classes.
    #[param(name = "top-1")]
    Top1,
}

impl CurveScore {
    /// Checks that the targets support this quantity.
    pub(crate) fn check(self, targets: &Targets) -> Result<()> {
        match (self, targets) {
            (Self::Top1, Targets::Rows(_)) => {
                let expected = "target, as targets that are rows of weights have no class";
                Err(Error::parameter(input::SCORE, "top-1", expected))
            }
            _ => Ok(()),
        }
    }

    /// Scores of rows of outputs.
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
        let is_correct = |(row, outputs): (usize, ndarray::ArrayView1<'_, f64>)| {
            let sample = sample(row);
            let class = class_output(classes, sample, outputs.len())?;
            let is_top = arg_max(&outputs.to_vec()) == Some(class);
            Ok(f64::from(u8::from(is_top)))
        };
        outputs.outer_iter().enumerate().map(is_correct).collect()
    }
}

impl Scoring {
    /// Returns the layout of inputs of this shape.
    ///
    /// # Errors
    /// An invalid parameter for four axes if no layout is set; a shape mismatch if no layout fits.
    ///
    /// ```
    /// use xai_attribution::{InputLayout, model::Scoring};
    /// assert_eq!(Scoring::default().layout_of(&[5, 12])?, InputLayout::Tabular);
    /// let error = Scoring::default().layout_of(&[5, 3, 8, 8]).unwrap_err();
    /// assert!(error.to_string().contains("channels-first or channels-last"));
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    pub fn layout_of(&self, shape: &[usize]) -> Result<InputLayout> {
        match self.layout {
            None if shape.len() == 4 => {
                let expected = "channels-first or channels-last for inputs with four axes";
                let error = Error::parameter(input::LAYOUT, "none", expected);
                Err(error.with_help(help::CHOOSE_LAYOUT))
            }
            Some(layout) if layout.n_axes() == shape.len() => Ok(layout),
            // Whether channels come first is irrelevant for inputs other than images, so their layout is inferred.
            Some(InputLayout::ChannelsFirst) | None => {
                InputLayout::from_shape(shape, self.layout == Some(InputLayout::ChannelsFirst))
            }
            Some(InputLayout::ChannelsLast) => InputLayout::from_shape(shape, false),
            Some(layout) => Err(Error::shape_described(
                input::INPUTS,
                format!("{} axes for {layout:?}", layout.n_axes()),
                shape,
            )),
        }
    }

    /// Checks that the activation is meaningful for this number of outputs.
    ///
    /// # Errors
    /// An invalid parameter for a softmax of one output, which is constant.
    ///
    /// ```
    /// use xai_attribution::{Activation, model::Scoring};
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

    /// Checks the outputs of one call. `call` describes the call, and `sample(row)` is the sample that a row is
    /// derived from, both for errors.
    pub(crate) fn checked_outputs(
        n_rows: usize,
        sample: &dyn Fn(usize) -> usize,
        call: &dyn Fn() -> String,
        answer: Result<Array2<f64>, BoxError>,
    ) -> Result<Array2<f64>> {
        let outputs = answer.map_err(|source| {
            let is_dependence = source.is::<BatchDependence>();
            let error = Error::model(call(), source);
            if is_dependence {
                error.with_help(help::EVALUATE_OR_ALLOW)
            } else {
                error
            }
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

    /// Scores of rows of outputs.
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
            // Outputs are finite, but their sum weighted by the target can overflow.
            if !score.is_finite() {
                return Err(Error::non_finite(input::SCORES, &[sample(row)]));
            }
            scores.push(score);
        }
        Ok(scores)
    }
}
