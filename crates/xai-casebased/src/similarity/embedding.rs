//! Similarity of embeddings, such as hidden activations.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use xai_core::describe::Parameters;
use xai_core::number::check_finite;
use xai_core::tensor::check_shape;
use xai_core::{Error, Result};
use xai_neighbors::{Engine, Neighbors, Standardization, TrainingRows, with_original_index};

use crate::similarity::closure::{Closure, ClosureError};
use crate::similarity::retrieval::{Fitting, Retrieval, RowSearch, Samples};
use crate::training::Matrix;
use crate::{help, input};

/// Similarity by the distance between embeddings: hidden activations of a network, the output of an
/// encoder, or any vector that a closure computes for a row.
///
/// The closure maps `(m, d)` unscaled rows to `(m, e)` finite vectors; it is called with at most 1 024 rows at a time.
/// Embeddings are standardised on the training set (unless [`standardize`](Self::standardize) is off), multiplied
/// by the square root of their [weights](Self::weights), and joined with the features if
/// [`feature_share`](Self::feature_share) is above 0:
///
/// ```text
/// ‖·‖² = share · ‖features‖² + (1 − share) · Σ_j weight_j · activation_j²
/// ```
///
/// This is the squared Euclidean distance. Other distances compare the same coordinates: features multiplied by
/// `√share`, and activations multiplied by `√(weight · (1 − share))`.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::CaseExplainer;
/// use xai_casebased::similarity::Embedding;
/// let layer = |rows: ndarray::ArrayView2<f64>| Ok::<_, std::convert::Infallible>(
///     rows.dot(&array![[1.0], [1.0]]).mapv(|a| a.max(0.0)),
/// );
/// let explainer = CaseExplainer::builder().k(1)
///     .similarity(Embedding::new(layer).standardize(false))
///     .fit(array![[0.0, 1.0], [3.0, 2.0]].view(), &["no".len(), 3])?;
/// // 1.5 + 2.5 = 4 is nearer to 5 than to 1
/// let explanation = explainer.explain(array![1.5, 2.5].view(), 3)?;
/// assert_eq!((explanation.cases[0].index, explanation.cases[0].distance), (1, 1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, Parameters)]
pub struct Embedding {
    #[param(skip)]
    map: Closure<f64>,
    /// Whether each dimension is standardised on the training set.
    standardize: bool,
    /// Share of the features in the squared distance: 0 = the embedding alone, 1 = the features alone.
    #[param(at_least = 0, at_most = 1)]
    feature_share: f64,
    #[param(skip)]
    weights: Option<Vec<f64>>,
    #[param(skip)]
    class_weights: BTreeMap<i64, Vec<f64>>,
}

impl Embedding {
    /// Creates a similarity from a closure that computes the embeddings.
    pub fn new<E: Into<ClosureError>>(
        map: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<f64>, E> + Send + Sync + 'static,
    ) -> Self {
        Self {
            map: Closure::new(map),
            standardize: true,
            feature_share: 0.0,
            weights: None,
            class_weights: BTreeMap::new(),
        }
    }

    /// Sets the weight of each dimension, `(e,)`, at least 0; for hidden units, for example the magnitude of their
    /// weights to the output. Default: 1.
    #[must_use]
    pub fn weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// Sets the weight of each dimension for samples of this predicted class. Other classes use
    /// [`weights`](Self::weights). Every class with its own weights needs a search index of its own.
    #[must_use]
    pub fn class_weights(mut self, class: i64, weights: impl Into<Vec<f64>>) -> Self {
        self.class_weights.insert(class, weights.into());
        self
    }

    /// Returns whether features are part of the distance.
    pub(crate) fn is_blend(&self) -> bool {
        self.feature_share > 0.0
    }

    /// Checks the parameters as far as they do not depend on the data.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_params()?;
        for weights in self.weights.iter().chain(self.class_weights.values()) {
            if let Some(i) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
                return Err(Error::out_of_domain(
                    input::EMBEDDING_WEIGHTS,
                    &[i],
                    weights[i],
                    "a finite weight, at least 0",
                ));
            }
        }
        Ok(())
    }

    /// Builds the search over training rows. The parameters must be checked.
    pub(crate) fn fit(self, fitting: Fitting<'_>) -> Result<EmbeddedSearch> {
        let activations = self.map.evaluate(input::EMBEDDING, fitting.train.view())?;
        check_finite(input::EMBEDDING, activations.view())?;
        let n_dimensions = activations.ncols();
        for weights in self.weights.iter().chain(self.class_weights.values()) {
            check_shape(input::EMBEDDING_WEIGHTS, &[n_dimensions], &[weights.len()])?;
        }
        // For the standardisation, embeddings are training rows; its errors must name them as embeddings.
        let space = Space {
            standardization: self
                .standardize
                .then(|| Standardization::fit(activations.view()))
                .transpose()
                .map_err(|e| e.renamed(input::TRAIN, input::EMBEDDING))?,
            map: self.map,
            n_dimensions,
            feature_share: self.feature_share,
        };
        let embedded = space.standardize(activations)?;
        let scaled = fitting.scaled_rows()?;
        let index = |weights: Option<Vec<f64>>| {
            let joined = space.join(scaled.view(), embedded.view(), weights.as_deref());
            let rows = TrainingRows::from_matrix(Matrix::from_array(joined), fitting.distance)?;
            let search = fitting.search(rows)?;
            Ok(Index { search, weights })
        };
        let by_class = self.class_weights.into_iter();
        Ok(EmbeddedSearch {
            by_class: by_class
                .map(|(class, weights)| Ok((class, index(Some(weights))?)))
                .collect::<Result<_>>()?,
            shared: index(self.weights)?,
            space,
        })
    }
}

/// An embedding fitted to a training set.
pub(crate) struct EmbeddedSearch {
    space: Space,
    /// Index for all classes without their own weights.
    shared: Index,
    by_class: BTreeMap<i64, Index>,
}

/// A search with fixed weights of the dimensions.
struct Index {
    weights: Option<Vec<f64>>,
    search: RowSearch,
}

impl Index {
    fn nearest(
        &self,
        space: &Space,
        scaled: ArrayView2<'_, f64>,
        embedded: ArrayView2<'_, f64>,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        let rows = space.join(scaled, embedded, self.weights.as_deref());
        self.search.nearest_batch(rows.view(), k)
    }
}

/// The mapping from rows to the vectors that are compared.
struct Space {
    map: Closure<f64>,
    n_dimensions: usize,
    standardization: Option<Standardization>,
    feature_share: f64,
}

impl Space {
    /// Embeds rows and standardises the embeddings like those of the training rows.
    fn embed(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let activations = self.map.evaluate(input::EMBEDDING, rows)?;
        let expected = [rows.nrows(), self.n_dimensions];
        check_shape(input::EMBEDDING, &expected, activations.shape())?;
        check_finite(input::EMBEDDING, activations.view())?;
        self.standardize(activations)
    }

    fn standardize(&self, embedded: Array2<f64>) -> Result<Array2<f64>> {
        match &self.standardization {
            Some(standardization) => standardization.apply(embedded.view()),
            None => Ok(embedded),
        }
    }

    /// Joins features and embeddings: `[√share · features, √(1 − share) · √weights · embedding]`. A part whose
    /// factor is 0 is left out.
    fn join(
        &self,
        scaled: ArrayView2<'_, f64>,
        embedded: ArrayView2<'_, f64>,
        weights: Option<&[f64]>,
    ) -> Array2<f64> {
        let share = self.feature_share;
        let mut weighted = embedded.to_owned();
        if let Some(weights) = weights {
            for (mut column, weight) in weighted.columns_mut().into_iter().zip(weights) {
                column *= weight.sqrt();
            }
        }
        // Leaving out a part instead of multiplying it by 0 keeps the bits of a search over the other part alone.
        if share == 0.0 {
            return weighted;
        }
        if share == 1.0 {
            return scaled.to_owned();
        }
        let features = &scaled * share.sqrt();
        weighted *= (1.0 - share).sqrt();
        concatenate(Axis(1), &[features.view(), weighted.view()]).expect("one embedding per row")
    }
}

impl Retrieval for EmbeddedSearch {
    /// Engine of the index for classes without their own weights.
    fn engine(&self) -> Option<Engine> {
        self.shared.search.engine()
    }

    /// Smallest recall of all indices.
    fn recall(&self) -> Option<f64> {
        std::iter::once(&self.shared)
            .chain(self.by_class.values())
            .filter_map(|index| index.search.recall())
            .reduce(f64::min)
    }

    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>> {
        let embedded = self.space.embed(samples.original)?;
        if self.by_class.is_empty() {
            return self
                .shared
                .nearest(&self.space, samples.scaled, embedded.view(), k);
        }
        let Some(predicted) = samples.predicted else {
            return Err(Error::parameter(
                input::SIMILARITY,
                "an embedding with weights by class",
                "predictions",
            )
            .with_help(help::PASS_PREDICTIONS));
        };
        // One batch search per index; `None` collects the samples of all classes without their own weights.
        let mut rows_by_index: BTreeMap<Option<i64>, Vec<usize>> = BTreeMap::new();
        for (row, class) in predicted.iter().enumerate() {
            let key = self.by_class.contains_key(class).then_some(*class);
            rows_by_index.entry(key).or_default().push(row);
        }
        let mut found = vec![Neighbors::default(); predicted.len()];
        for (class, rows) in rows_by_index {
            let class_index = class.and_then(|class| self.by_class.get(&class));
            let index = class_index.unwrap_or(&self.shared);
            let scaled_part = samples.scaled.select(Axis(0), &rows);
            let embedded_part = embedded.select(Axis(0), &rows);
            let nearest = index
                .nearest(&self.space, scaled_part.view(), embedded_part.view(), k)
                .map_err(|e| with_original_index(e, &rows))?;
            for (row, nearest) in rows.into_iter().zip(nearest) {
                found[row] = nearest;
            }
        }
        Ok(found)
    }
}
