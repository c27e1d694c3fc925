//! The model-parameter randomization test.

use xai_core::{Error, ExactMean, Layout, Real, Result};

use crate::explainer::Explained;
use crate::{
    BoxError, CompletedScores, EvaluationError, Explainer, IntoTargets, MapSimilarity, Samples,
};

/// Which layers the steps of [`ModelRandomization`] randomize. Layer 0 is the one at the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RandomizationOrder {
    /// From the output down: step `k` has layers `0..=k` randomized.
    #[default]
    Cascading,
    /// One at a time: step `k` has layer `k` randomized.
    Independent,
}

/// Does the explanation change when the model forgets what it learnt?
///
/// The maps of the model are compared with those of the model with randomized parameters, layer by
/// layer. **Lower is better**: an explanation that stays the same (1) for a model of random numbers
/// does not depend on what the model has learnt. A faithful explainer's similarity falls with the
/// first layers.
///
/// The library knows nothing of parameters: a closure is given the layers to randomize and hands out
/// an explainer of that model. It is asked once for the model as it is (no layers) and once a step.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::{MapSimilarity, ModelRandomization, RandomizationOrder, Targets};
/// // A model of two layers; its map is the input where layer 0 is intact, else its reverse.
/// let explainer_of = |randomized: &[usize]| -> Result<_, std::fmt::Error> {
///     let sign = if randomized.contains(&0) { -1.0 } else { 1.0 };
///     Ok(move |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///         Ok(x.mapv(|v| sign * v))
///     })
/// };
/// let x = array![[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]];
/// let test = ModelRandomization::new(2).order(RandomizationOrder::Independent);
/// let steps = test.evaluate(explainer_of, x.view(), &[0, 0])?;
/// assert_eq!(steps[0].value, Some(-1.0)); // layer 0 matters
/// assert_eq!(steps[1].value, Some(1.0)); // layer 1 does not
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Adebayo et al., *Sanity Checks for Saliency Maps*, 2018. Xplique's `ModelRandomizationMetric`
/// takes one step: the top quarter of the layers, by Spearman's correlation; the step that has
/// those layers gives its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelRandomization {
    n_layers: usize,
    order: RandomizationOrder,
    similarity: MapSimilarity,
    layout: Option<Layout>,
    batch_size: usize,
}

/// The similarity of the maps of a model to those of the model with some layers randomized.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RandomizationStep {
    /// The randomized layers, 0 the one at the output.
    pub layers: Vec<usize>,
    /// The mean over the samples that are defined; `None` where none is.
    pub value: Option<f64>,
    /// One a sample; `None` where the similarity is undefined.
    pub per_sample: Vec<Option<f64>>,
    /// How many samples have no similarity.
    pub n_undefined: usize,
}

impl ModelRandomization {
    /// A test of a model of so many layers, at least 1: cascading, by Spearman's correlation,
    /// batches of 64.
    #[must_use]
    pub fn new(n_layers: usize) -> Self {
        Self {
            n_layers,
            order: RandomizationOrder::default(),
            similarity: MapSimilarity::Spearman,
            layout: None,
            batch_size: 64,
        }
    }

    /// Which layers the steps randomize.
    #[must_use]
    pub fn order(mut self, order: RandomizationOrder) -> Self {
        self.order = order;
        self
    }

    /// How two maps are compared.
    #[must_use]
    pub fn similarity(mut self, similarity: MapSimilarity) -> Self {
        self.similarity = similarity;
        self
    }

    /// How the axes of the inputs are read. Default: by their number, channels last for images.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// The largest number of inputs an explainer is called with, at least 1.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.batch_size = batch_size;
        self
    }

    /// The test on some inputs: one entry a step. Each explainer sees `n` inputs; the maps of the
    /// model as it is are kept in memory.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] without layers, [`Error::ShapeMismatch`], [`Error::Empty`],
    /// [`Error::NonFinite`], and [`Error::Model`] with the closure's or the explainer's own error;
    /// with the scores of the steps [computed until then](EvaluationError::completed).
    pub fn evaluate<T, X, E, F>(
        &self,
        explainer_of: F,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
    ) -> Result<Vec<RandomizationStep>, EvaluationError>
    where
        T: Real,
        X: Explainer<T>,
        E: Into<BoxError>,
        F: Fn(&[usize]) -> Result<X, E>,
    {
        if self.n_layers == 0 {
            return Err(Error::parameter("n_layers", 0, "at least 1").into());
        }
        let targets = targets.to_targets()?;
        let explained = Explained::new(&inputs, &targets, self.batch_size)?;
        let layout = match self.layout {
            Some(layout) => layout,
            None => Layout::of_inputs(inputs.shape(), false)?,
        };
        let hand_out = |layers: &[usize]| {
            explainer_of(layers).map_err(|source| {
                Error::model(format!("handing out layers {layers:?} randomized"), source)
            })
        };
        let maps = explained.explain_all(&hand_out(&[])?)?;
        let mut steps: Vec<RandomizationStep> = Vec::new();
        for step in 0..self.n_layers {
            let layers: Vec<usize> = match self.order {
                RandomizationOrder::Cascading => (0..=step).collect(),
                RandomizationOrder::Independent => vec![step],
            };
            let similarities = hand_out(&layers)
                .and_then(|explainer| explained.explain_all(&explainer))
                .and_then(|randomized| self.similarity.of(maps.view(), randomized.view(), layout));
            match similarities {
                Ok(per_sample) => steps.push(RandomizationStep {
                    value: per_sample
                        .iter()
                        .flatten()
                        .copied()
                        .collect::<ExactMean>()
                        .value(),
                    n_undefined: per_sample.iter().filter(|s| s.is_none()).count(),
                    layers,
                    per_sample,
                }),
                Err(error) => {
                    let completed = steps.into_iter().map(|step| CompletedScores {
                        explainer: None,
                        score: format!("layers {:?}", step.layers),
                        per_sample: step.per_sample,
                    });
                    return Err(EvaluationError::new(error).with_completed(completed.collect()));
                }
            }
        }
        Ok(steps)
    }
}
