//! Model-parameter randomization test (MPRT).

use ndarray::{ArrayD, ArrayViewD, Axis, concatenate};
use xai_core::describe::metric;
use xai_core::{Error, ExactMean, Real, Result};

use crate::batch::Dataset;
use crate::batch::data::CheckedData;
use crate::map::MapSimilarity;
use crate::metric::{MetricValue, Parameter, Parameters};
use crate::model::explainer::explain_rows;
use crate::model::{BoxError, Explainer};
use crate::{CompletedScores, EvaluationData, EvaluationError, input};

/// Layers that the steps of [`ModelRandomization`] randomize. Layer 0 is the one at the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "order")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RandomizationOrder {
    /// From the output down: step `k` randomizes layers `0..=k`.
    #[default]
    Cascading,
    /// From the input up: step `k` randomizes the `k + 1` layers next to the input.
    BottomUp,
    /// One at a time: step `k` randomizes layer `k`.
    Independent,
}

/// Similarity of the maps before and after layers of the model are randomized.
///
/// ```text
/// similarity of e(f, x) and e(f with some layers randomized, x), step by step
/// ```
///
/// The maps of the model are compared with those of the model with randomized parameters, layer by
/// layer. **Lower is better**: an explanation that stays the same (1) for random parameters
/// does not depend on what the model has learned. For a faithful explainer, the similarity falls with the
/// first layers.
///
/// The library has no access to parameters: a closure receives the layers to randomize and returns
/// an explainer of that model. It is called once for the unchanged model (no layers) and once per
/// step.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::EvaluationData;
/// use xai_attribution::metric::{ModelRandomization, RandomizationOrder};
/// use xai_attribution::model::Targets;
/// // A model of two layers. Its map is the input if layer 0 is intact, otherwise the negated input.
/// let explainer_of = |randomized: &[usize]| -> Result<_, std::fmt::Error> {
///     let sign = if randomized.contains(&0) { -1.0 } else { 1.0 };
///     Ok(move |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///         Ok(x.mapv(|v| sign * v))
///     })
/// };
/// let x = array![[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]];
/// let test = ModelRandomization::new(2).order(RandomizationOrder::Independent);
/// let values = test.evaluate(explainer_of, EvaluationData::new(x.view(), &[0, 0]))?;
/// assert_eq!(values.steps[0].value, Some(-1.0)); // layer 0 matters
/// assert_eq!(values.steps[1].value, Some(1.0)); // layer 1 does not
/// assert_eq!(values.average()?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Data randomization, with a model trained on shuffled labels, is a test of one layer for which the closure returns
/// an explainer of that model. With [`Smoothed`](crate::model::Smoothed) explainers
/// the test is Smooth MPRT.
///
/// A sample without a similarity has no value: for a constant map, only SSIM is defined. The explainers see
/// `n · (1 + layers)` inputs.
///
/// # Extremes
/// −1: the maps are opposite. 0: they are not related. 1: the map does not depend on what the model has learned.
///
/// # Limits
/// Maps that show the edges of the input stay similar although they depend on the model, and noise is unlike other
/// noise: a low value does not prove that a map is right.
///
/// # Source
/// Adebayo et al., *Sanity Checks for Saliency Maps*, 2018.
///
/// Xplique's `ModelRandomizationMetric` has a single step, the top quarter of the layers, with Spearman's correlation:
/// the step with the same layers has its number. `MPRT` of Quantus compares absolute maps, element by element: use
/// explainers that return |maps|, of inputs without channels. Its average over the steps includes the unchanged model,
/// which is always 1; [`average`](RandomizationValues::average) does not.
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
    /// Number of layers of the model.
    #[param(at_least = 1, no_setter)]
    n_layers: usize,
    /// Layers that the steps randomize.
    order: RandomizationOrder,
    /// Similarity of two maps.
    similarity: MapSimilarity,
}

/// Similarity of the maps of a model to those of the model with some layers randomized.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RandomizationStep {
    /// Randomized layers; layer 0 is the one at the output.
    pub layers: Vec<usize>,
    /// Mean over the samples with a similarity; `None` if there are none.
    pub value: Option<f64>,
    /// One value per sample; `None` where the similarity is undefined.
    pub per_sample: Vec<Option<f64>>,
    /// Number of samples without a similarity.
    pub n_undefined: usize,
}

/// Result of a [`ModelRandomization`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RandomizationValues {
    /// Similarities at each step.
    pub steps: Vec<RandomizationStep>,
}

impl RandomizationValues {
    /// Averages the similarities of each sample over the steps where they are defined, and then over the samples.
    ///
    /// The unchanged model is not included: the similarity to itself is 1 for any explainer.
    ///
    /// # Errors
    /// An empty-input error if no sample has a similarity at any step.
    pub fn average(&self) -> Result<MetricValue> {
        let n = self.steps.first().map_or(0, |step| step.per_sample.len());
        let mean = |sample: usize| {
            let values = self.steps.iter().filter_map(|step| step.per_sample[sample]);
            values.collect::<ExactMean>().value()
        };
        MetricValue::new((0..n).map(mean).collect())
    }

    /// Returns the last step. All layers are randomized there, unless the order is
    /// [`RandomizationOrder::Independent`].
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
    /// Creates a cascading test with Spearman's correlation, for a model with `n_layers` layers, at least 1.
    #[must_use]
    pub fn new(n_layers: usize) -> Self {
        Self {
            n_layers,
            order: RandomizationOrder::default(),
            similarity: MapSimilarity::Spearman,
        }
    }

    /// Runs the test on some data. Each explainer sees `n` inputs, in
    /// batches of the data's scoring; the maps of the unchanged model are kept in memory.
    ///
    /// The metric has its own method because there is an explainer for each step and all samples: in an evaluation
    /// batch by batch, the closure would be called, and the model randomized, once for each batch.
    ///
    /// # Errors
    /// An invalid parameter if there are no layers, a shape mismatch, an empty input, a value that is not finite, and
    /// errors of the closure or the explainer. The error has the values of the [completed](EvaluationError::completed)
    /// steps.
    pub fn evaluate<T, X, E, F>(
        &self,
        explainer_of: F,
        data: EvaluationData<'_, T>,
    ) -> Result<RandomizationValues, EvaluationError>
    where
        T: Real,
        X: Explainer<T>,
        E: Into<BoxError>,
        F: Fn(&[usize]) -> Result<X, E>,
    {
        self.check_params()?;
        let CheckedData { dataset, .. } = data.calling_explainers().check(false)?;
        let maps_of = |layers: &[usize]| {
            let explainer = explainer_of(layers).map_err(|source| {
                Error::model(format!("handing out layers {layers:?} randomized"), source)
                    .about(input::RANDOMIZED_EXPLAINERS)
            })?;
            explain_all(&dataset, &explainer)
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
                self.similarity
                    .per_sample(maps, randomized, dataset.layout())
            });
            match per_sample {
                Ok(per_sample) => steps.push(RandomizationStep::new(layers, per_sample)),
                // A step can take long, so the values of the steps before an error are not lost.
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

/// Computes the maps of all samples of a run, batch by batch.
fn explain_all<T: Real>(
    dataset: &Dataset<'_, T>,
    explainer: &dyn Explainer<T>,
) -> Result<ArrayD<T>> {
    let maps = dataset
        .batches()
        .map(|samples| {
            let inputs = dataset.inputs(samples.clone())?;
            let targets = dataset.targets().select(samples.clone());
            let (sample, call) = (|row| samples.start + row, dataset.call(&samples));
            explain_rows(explainer, inputs.view(), &targets, sample, &call)
        })
        .collect::<Result<Vec<ArrayD<T>>>>()?;
    let views: Vec<ArrayViewD<'_, T>> = maps.iter().map(|maps| maps.view()).collect();
    concatenate(Axis(0), &views).map_err(|_| {
        let first = maps[0].shape();
        let other = maps.iter().find(|m| m.shape()[1..] != first[1..]);
        Error::shape(input::EXPLANATIONS, first, other.map_or(&[], |m| m.shape()))
    })
}
