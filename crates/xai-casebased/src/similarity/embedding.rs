//! Similarity in a space that the model makes.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use xai_core::describe::Parameters;
use xai_core::number::check_finite;
use xai_core::tensor::check_shape;
use xai_core::{Error, Result};

use crate::search::engine::Engine;
use crate::search::nearest::Neighbors;
use crate::search::neighbor_search::{NeighborSearch, among};
use crate::similarity::closure::{Closure, ClosureError};
use crate::similarity::retrieval::{Fitting, Retrieval, Samples};
use crate::training::Matrix;
use crate::training::rows::TrainingRows;
use crate::training::standardization::Standardization;
use crate::{help, input};

/// Rows are similar whose embeddings are near: hidden activations of a network, the output of an
/// encoder, any vector that a closure gives for a row.
///
/// The closure maps `(m, d)` rows, as they were handed in, to `(m, e)` finite vectors; it is called
/// with at most 1 024 rows. Embeddings are standardised on the training set unless
/// [`standardize`](Self::standardize) says no, multiplied by the root of their
/// [weights](Self::weights), and, with [`feature_share`](Self::feature_share), joined with the features:
///
/// ```text
/// ‖·‖² = share · ‖features‖² + (1 − share) · Σ_j weight_j · activation_j²
/// ```
///
/// That is what Euclidean distance makes of it. Other distances see the same coordinates, features
/// times `√share` beside activations times `√(weight · (1 − share))`, and join them in their own way.
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
/// assert_eq!((explanation.neighbors[0].index, explanation.neighbors[0].distance), (1, 1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, Parameters)]
pub struct Embedding {
    #[param(skip)]
    map: Closure<f64>,
    /// Whether each dimension is standardised on the training set.
    standardize: bool,
    /// The share of the squared distance that the features keep: 0 = the embedding alone, 1 = the features alone.
    #[param(at_least = 0, at_most = 1)]
    feature_share: f64,
    #[param(skip)]
    weights: Option<Vec<f64>>,
    #[param(skip)]
    class_weights: BTreeMap<i64, Vec<f64>>,
}

impl Embedding {
    /// An embedding by a closure.
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

    /// What each dimension counts, `(e,)`, at least 0: for hidden units, the size of their weights
    /// to the output. Default: 1.
    #[must_use]
    pub fn weights(mut self, weights: impl Into<Vec<f64>>) -> Self {
        self.weights = Some(weights.into());
        self
    }

    /// What each dimension counts where this class is predicted; other classes use
    /// [`weights`](Self::weights). Each class with weights of its own holds an index of its own.
    #[must_use]
    pub fn class_weights(mut self, class: i64, weights: impl Into<Vec<f64>>) -> Self {
        self.class_weights.insert(class, weights.into());
        self
    }

    pub(crate) fn is_blend(&self) -> bool {
        self.feature_share > 0.0
    }

    /// Checks what does not depend on the data.
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

    /// The search over training rows, with parameters that are checked.
    pub(crate) fn fit(self, fitting: Fitting<'_>) -> Result<EmbeddedSearch> {
        let embedded = self.map.of_rows(input::EMBEDDING, fitting.train.view())?;
        check_finite(input::EMBEDDING, embedded.view())?;
        let n_dimensions = embedded.ncols();
        for weights in self.weights.iter().chain(self.class_weights.values()) {
            check_shape(input::EMBEDDING_WEIGHTS, &[n_dimensions], &[weights.len()])?;
        }
        let space = Space {
            standardization: self
                .standardize
                .then(|| Standardization::fit(embedded.view()))
                .transpose()
                .map_err(|e| e.renamed(input::TRAIN, input::EMBEDDING))?,
            map: self.map,
            n_dimensions,
            feature_share: self.feature_share,
        };
        let embedded = space.standardized(embedded)?;
        let scaled = fitting.scaled()?;
        let index = |weights: Option<Vec<f64>>| {
            let rows = space.join(scaled.view(), embedded.view(), weights.as_deref());
            let rows = TrainingRows::finite(Matrix::from_array(rows), fitting.distance)?;
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
    /// For every class without weights of its own.
    shared: Index,
    by_class: BTreeMap<i64, Index>,
}

/// A search by some weights of the dimensions.
struct Index {
    weights: Option<Vec<f64>>,
    search: Box<dyn NeighborSearch>,
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

/// Where rows are compared.
struct Space {
    map: Closure<f64>,
    n_dimensions: usize,
    standardization: Option<Standardization>,
    feature_share: f64,
}

impl Space {
    /// The embeddings of rows, standardised as those of the training rows are.
    fn embed(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let embedded = self.map.of_rows(input::EMBEDDING, rows)?;
        let expected = [rows.nrows(), self.n_dimensions];
        check_shape(input::EMBEDDING, &expected, embedded.shape())?;
        check_finite(input::EMBEDDING, embedded.view())?;
        self.standardized(embedded)
    }

    fn standardized(&self, embedded: Array2<f64>) -> Result<Array2<f64>> {
        match &self.standardization {
            Some(standardization) => standardization.apply(embedded.view()),
            None => Ok(embedded),
        }
    }

    /// `[√share · features, √(1 − share) · √weights · embedding]`
    fn join(
        &self,
        scaled: ArrayView2<'_, f64>,
        embedded: ArrayView2<'_, f64>,
        weights: Option<&[f64]>,
    ) -> Array2<f64> {
        let share = self.feature_share;
        let mut embedded = embedded.to_owned();
        if let Some(weights) = weights {
            for (mut column, weight) in embedded.columns_mut().into_iter().zip(weights) {
                column *= weight.sqrt();
            }
        }
        if share == 0.0 {
            return embedded;
        }
        if share == 1.0 {
            return scaled.to_owned();
        }
        let features = &scaled * share.sqrt();
        embedded *= (1.0 - share).sqrt();
        concatenate(Axis(1), &[features.view(), embedded.view()]).expect("one embedding per row")
    }
}

impl Retrieval for EmbeddedSearch {
    /// That of the classes without weights of their own.
    fn engine(&self) -> Option<Engine> {
        self.shared.search.engine()
    }

    /// The least of its indices.
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
        let mut of_class: BTreeMap<Option<i64>, Vec<usize>> = BTreeMap::new();
        for (row, class) in predicted.iter().enumerate() {
            let own = self.by_class.contains_key(class).then_some(*class);
            of_class.entry(own).or_default().push(row);
        }
        let mut found = vec![Neighbors::default(); predicted.len()];
        for (class, rows) in of_class {
            let own = class.and_then(|class| self.by_class.get(&class));
            let index = own.unwrap_or(&self.shared);
            let scaled = samples.scaled.select(Axis(0), &rows);
            let embedded = embedded.select(Axis(0), &rows);
            let nearest = index
                .nearest(&self.space, scaled.view(), embedded.view(), k)
                .map_err(|e| among(e, &rows))?;
            for (row, nearest) in rows.into_iter().zip(nearest) {
                found[row] = nearest;
            }
        }
        Ok(found)
    }
}
