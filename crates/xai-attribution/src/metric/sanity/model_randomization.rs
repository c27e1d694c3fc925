//! The model-parameter randomization test.

use ndarray::{ArrayD, ArrayViewD, Axis, concatenate};
use xai_core::describe::metric;
use xai_core::{Error, ExactMean, Real, Result};

use crate::batch::data::CheckedData;
use crate::batch::{Data, RunData};
use crate::input;
use crate::map::MapSimilarity;
use crate::metric::{MetricValue, Parameter, Parameters};
use crate::model::explainer::explain_rows;
use crate::model::{BoxError, Explainer};
use crate::run::{CompletedScores, EvaluationError};

/// Which layers the steps of [`ModelRandomization`] randomize. Layer 0 is the one at the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "order")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RandomizationOrder {
    /// From the output down: step `k` has layers `0..=k` randomized.
    #[default]
    Cascading,
    /// From the input up: step `k` has the `k + 1` layers next to the input randomized.
    BottomUp,
    /// One at a time: step `k` has layer `k` randomized.
    Independent,
}

/// Similarity of the maps before and after layers of the model are randomized.
///
/// ```text
/// similarity of e(f, x) and e(f with some layers randomized, x), step by step
/// ```
///
/// The maps of the model are compared with those of the model with randomized parameters, layer by
/// layer. **Lower is better**: an explanation that stays the same (1) for a model of random numbers
/// does not depend on what the model has learnt. A faithful explainer's similarity falls with the
/// first layers.
///
/// The library knows nothing of parameters: a closure is given the layers to randomize and hands out
/// an explainer of that model. It is asked once for the model as it is (no layers) and once per
/// step.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::batch::Data;
/// use xai_attribution::metric::{ModelRandomization, RandomizationOrder};
/// use xai_attribution::model::Targets;
/// // A model of two layers; its map is the input where layer 0 is intact, else its reverse.
/// let explainer_of = |randomized: &[usize]| -> Result<_, std::fmt::Error> {
///     let sign = if randomized.contains(&0) { -1.0 } else { 1.0 };
///     Ok(move |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///         Ok(x.mapv(|v| sign * v))
///     })
/// };
/// let x = array![[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]];
/// let test = ModelRandomization::new(2).order(RandomizationOrder::Independent);
/// let of = test.evaluate(explainer_of, Data::new(x.view(), &[0, 0]))?;
/// assert_eq!(of.steps[0].value, Some(-1.0)); // layer 0 matters
/// assert_eq!(of.steps[1].value, Some(1.0)); // layer 1 does not
/// assert_eq!(of.average()?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Data randomization, a model trained on shuffled labels, is a test of one layer: the closure hands
/// out an explainer of that model for it. With explainers that are [`Smoothed`](crate::model::Smoothed)
/// the test is Smooth MPRT.
///
/// No value where the similarity has none: of a constant map by any but SSIM. The explainers see
/// `n · (1 + layers)` inputs.
///
/// # Extremes
/// −1: the maps are opposite. 0: they are not related. 1: the map does not depend on what the model has learnt.
///
/// # Limits
/// Maps that show the edges of the input stay similar though they depend on the model, and noise is unlike other noise: a
/// low value does not prove that a map is right.
///
/// # Source
/// Adebayo et al., *Sanity Checks for Saliency Maps*, 2018.
///
/// Xplique's `ModelRandomizationMetric` takes one step: the top quarter of the layers, by Spearman's correlation; the
/// step that has those layers gives its number. Quantus' `MPRT` compares maps without their signs, element by element:
/// explainers that answer |maps|, of inputs without channels. Its average over the steps counts the model as it is among
/// them, which is always 1; [`average`](RandomizationValues::average) leaves it out.
///
/// # Elsewhere
/// `quantus.MPRT`, `quantus.SmoothMPRT`, `xplique.ModelRandomizationMetric`
#[metric(
    name = "model-randomization",
    title = "Model Randomization",
    direction = Direction::Lower,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::RANDOMIZED_EXPLAINERS, input::INPUTS, input::TARGETS],
    constructor = false,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct ModelRandomization {
    /// The number of layers of the model.
    #[param(at_least = 1, no_setter)]
    n_layers: usize,
    /// Layers that the steps randomize.
    order: RandomizationOrder,
    /// Options of the comparison.
    similarity: MapSimilarity,
}

/// The similarity of the maps of a model to those of the model with some layers randomized.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomizationStep {
    /// The randomized layers, 0 the one at the output.
    pub layers: Vec<usize>,
    /// The mean over the samples that are defined; `None` where none is.
    pub value: Option<f64>,
    /// One per sample; `None` where the similarity is undefined.
    pub per_sample: Vec<Option<f64>>,
    /// How many samples have no similarity.
    pub n_undefined: usize,
}

/// What a [`ModelRandomization`] says of an explainer.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomizationValues {
    /// One entry per step.
    pub steps: Vec<RandomizationStep>,
}

impl RandomizationValues {
    /// The mean similarity of each sample over the steps where it has one, and the mean of those. The
    /// model as it is counts for nothing: its similarity with itself is 1 whatever the explainer.
    ///
    /// # Errors
    /// Empty where no sample has a similarity at any step.
    pub fn average(&self) -> Result<MetricValue> {
        let n = self.steps.first().map_or(0, |step| step.per_sample.len());
        let of_sample = |sample: usize| {
            let values = self.steps.iter().filter_map(|step| step.per_sample[sample]);
            values.collect::<ExactMean>().value()
        };
        MetricValue::new((0..n).map(of_sample).collect())
    }

    /// The last step: with cascading layers that of a model without any layer it has learnt.
    #[must_use]
    pub fn last(&self) -> Option<&RandomizationStep> {
        self.steps.last()
    }
}

impl RandomizationStep {
    fn new(layers: Vec<usize>, per_sample: Vec<Option<f64>>) -> Self {
        let mean: ExactMean = per_sample.iter().flatten().copied().collect();
        Self {
            layers,
            value: mean.value(),
            n_undefined: per_sample.iter().filter(|s| s.is_none()).count(),
            per_sample,
        }
    }
}

impl ModelRandomization {
    /// A test of a model of so many layers, at least 1: cascading, by Spearman's correlation.
    #[must_use]
    pub fn new(n_layers: usize) -> Self {
        Self {
            n_layers,
            order: RandomizationOrder::default(),
            similarity: MapSimilarity::Spearman,
        }
    }

    /// The test on the inputs of some data. Each explainer sees `n` inputs, in
    /// batches of the data's scoring; the maps of the model as it is are kept in memory.
    ///
    /// It has a call of its own because an explainer is handed out per step, for all samples: batch
    /// by batch it would be handed out as often as there are batches.
    ///
    /// # Errors
    /// An invalid parameter without layers, a shape mismatch, empty, not finite, and the closure's
    /// or the explainer's own error; with the values of the steps
    /// [computed until then](EvaluationError::completed).
    pub fn evaluate<T, X, E, F>(
        &self,
        explainer_of: F,
        data: Data<'_, T>,
    ) -> Result<RandomizationValues, EvaluationError>
    where
        T: Real,
        X: Explainer<T>,
        E: Into<BoxError>,
        F: Fn(&[usize]) -> Result<X, E>,
    {
        self.check_params()?;
        let CheckedData { run, .. } = data.check(false)?;
        let maps_of = |layers: &[usize]| {
            let explainer = explainer_of(layers).map_err(|source| {
                Error::model(format!("handing out layers {layers:?} randomized"), source)
                    .about(input::RANDOMIZED_EXPLAINERS)
            })?;
            explain_all(&run, &explainer)
        };
        let maps = maps_of(&[])?;
        let mut steps: Vec<RandomizationStep> = Vec::new();
        for step in 0..self.n_layers {
            let layers: Vec<usize> = match self.order {
                RandomizationOrder::Cascading => (0..=step).collect(),
                RandomizationOrder::BottomUp => (self.n_layers - 1 - step..self.n_layers).collect(),
                RandomizationOrder::Independent => vec![step],
            };
            let per_sample = maps_of(&layers).and_then(|randomized| {
                let (maps, randomized) = (maps.view(), randomized.view());
                self.similarity.per_sample(maps, randomized, run.layout())
            });
            match per_sample {
                Ok(per_sample) => steps.push(RandomizationStep::new(layers, per_sample)),
                Err(error) => {
                    let completed = steps.into_iter().map(|step| CompletedScores {
                        explainer: None,
                        score: format!("layers {:?}", step.layers),
                        per_sample: step.per_sample,
                    });
                    let stopped = EvaluationError::from(error);
                    return Err(stopped.with_completed(completed.collect()));
                }
            }
        }
        Ok(RandomizationValues { steps })
    }
}

/// The maps of all samples of a run.
fn explain_all<T: Real>(run: &RunData<'_, T>, explainer: &dyn Explainer<T>) -> Result<ArrayD<T>> {
    let maps = run.batches().map(|samples| {
        let inputs = run.inputs(samples.clone())?;
        let targets = run.targets().select(samples.clone());
        let (sample, call) = (|row| samples.start + row, run.call(&samples));
        explain_rows(explainer, inputs.view(), &targets, sample, &call)
    });
    let maps: Vec<ArrayD<T>> = maps.collect::<Result<_>>()?;
    let views: Vec<ArrayViewD<'_, T>> = maps.iter().map(|maps| maps.view()).collect();
    concatenate(Axis(0), &views).map_err(|_| {
        let first = maps[0].shape();
        let other = maps.iter().find(|m| m.shape()[1..] != first[1..]);
        Error::shape(input::EXPLANATIONS, first, other.map_or(&[], |m| m.shape()))
    })
}
