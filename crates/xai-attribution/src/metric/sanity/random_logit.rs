//! The random logit test.

use ndarray::Array2;
use xai_core::{Error, Layout, Real, Result, arg_max, class_index, random_stream, uniform_index};

use crate::explainer::Explained;
use crate::{
    CompletedScores, EvaluationError, Explainer, IntoTargets, MapSimilarity, SampleScores, Samples,
    Targets,
};

/// Does the explanation of another class look different?
///
/// Every sample is explained for its target and for another class, drawn uniformly; the score is
/// the similarity of the two maps. **Lower is better**: an explanation that stays the same whatever
/// is asked (1) does not explain the answer.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::{Layout, MapSimilarity, RandomLogit, Targets};
/// let x = array![[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]];
/// let test = RandomLogit::new(2).similarity(MapSimilarity::Spearman);
/// let deaf = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.to_owned())
/// };
/// assert_eq!(test.evaluate(&deaf, x.view(), &[0, 1])?.value, 1.0);
/// let signed = |x: ArrayViewD<'_, f64>, y: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     let Targets::Classes(classes) = y else { return Err(std::fmt::Error) };
///     let mut maps = x.to_owned();
///     for (mut map, class) in maps.outer_iter_mut().zip(classes) {
///         map *= 1.0 - 2.0 * *class as f64;
///     }
///     Ok(maps)
/// };
/// assert_eq!(test.evaluate(&signed, x.view(), &[0, 1])?.value, -1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Sixt et al., *When Explanations Lie*, 2020; Adebayo et al., *Sanity Checks for Saliency Maps*,
/// 2018. As Xplique's `RandomLogitMetric`, up to which class is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomLogit {
    n_classes: usize,
    similarity: MapSimilarity,
    layout: Option<Layout>,
    seed: u64,
    batch_size: usize,
}

impl RandomLogit {
    /// A test of a model of so many classes, at least 2: by SSIM, seed 1, batches of 64.
    #[must_use]
    pub fn new(n_classes: usize) -> Self {
        Self {
            n_classes,
            similarity: MapSimilarity::Ssim,
            layout: None,
            seed: 1,
            batch_size: 64,
        }
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

    /// What the other classes depend on.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The largest number of inputs the explainer is called with, at least 1.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.batch_size = batch_size;
        self
    }

    /// The test of an explainer on some inputs; the explainer sees `2 n` inputs. Targets are class
    /// indices, or rows of which the largest column is the class; the explainer is given others of
    /// the same kind (one-hot rows for rows).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for fewer than two classes, [`Error::LabelOutOfRange`],
    /// [`Error::ShapeMismatch`], [`Error::Empty`], [`Error::NonFinite`] and [`Error::Model`] with
    /// the explainer's own error; with the scores
    /// [computed until then](EvaluationError::completed).
    pub fn evaluate<T: Real>(
        &self,
        explainer: &dyn Explainer<T>,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
    ) -> Result<SampleScores, EvaluationError> {
        if self.n_classes < 2 {
            return Err(Error::parameter("n_classes", self.n_classes, "at least 2").into());
        }
        let targets = targets.to_targets()?;
        let explained = Explained::new(&inputs, &targets, self.batch_size)?;
        let layout = match self.layout {
            Some(layout) => layout,
            None => Layout::of_inputs(inputs.shape(), false)?,
        };
        let others = self.other_targets(&targets)?;
        let mut scores = Vec::new();
        for samples in explained.batches() {
            let explain = |targets: &Targets| {
                explained.explain(explainer, samples.clone(), &targets.select(samples.clone()))
            };
            let of_batch = explain(&targets)
                .and_then(|maps| Ok((maps, explain(&others)?)))
                .and_then(|(a, b)| self.similarity.of(a.view(), b.view(), layout));
            match of_batch {
                Ok(of_batch) => scores.extend(of_batch),
                Err(error) => {
                    scores.resize(explained.n_samples(), None);
                    return Err(EvaluationError::new(error).with_completed(vec![
                        CompletedScores {
                            explainer: None,
                            score: "random_logit".into(),
                            per_sample: scores,
                        },
                    ]));
                }
            }
        }
        Ok(SampleScores::of(scores)?)
    }

    /// Another class for every sample, each from its own stream.
    fn other_targets(&self, targets: &Targets) -> Result<Targets> {
        let other = |sample: usize, class: usize| {
            let mut stream = random_stream(self.seed, sample as u64);
            let drawn = uniform_index(&mut stream, self.n_classes - 1);
            drawn + usize::from(drawn >= class)
        };
        match targets {
            Targets::Classes(classes) => {
                let others: Result<Vec<i64>> = classes
                    .iter()
                    .enumerate()
                    .map(|(sample, &class)| {
                        let class = class_index(sample, class, self.n_classes)?;
                        Ok(i64::try_from(other(sample, class)).unwrap_or(i64::MAX))
                    })
                    .collect();
                Ok(Targets::Classes(others?))
            }
            Targets::Rows(rows) if rows.ncols() != self.n_classes => Err(Error::shape(
                "targets",
                &[rows.nrows(), self.n_classes],
                &[rows.nrows(), rows.ncols()],
            )),
            Targets::Rows(rows) => {
                let mut others = Array2::zeros(rows.dim());
                for (sample, row) in rows.outer_iter().enumerate() {
                    let class = arg_max(&row.to_vec()).unwrap_or_default();
                    others[[sample, other(sample, class)]] = 1.0;
                }
                Ok(Targets::Rows(others))
            }
        }
    }
}
