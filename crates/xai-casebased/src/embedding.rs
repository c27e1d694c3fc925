//! Similarity in a space that the model makes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use xai_core::{Error, Label, Metric, Result, check_finite};

use crate::retrieval::{ClosureError, Retrieval, Samples, among, in_batches};
use crate::{Engine, Nearest, NeighborSearch, Standardization};

type Map = dyn Fn(ArrayView2<'_, f64>) -> Result<Array2<f64>, ClosureError> + Send + Sync;

/// Rows are similar whose embeddings are near: hidden activations of a network, the output of an
/// encoder, any vector that a closure gives for a row.
///
/// The closure maps `(m, d)` rows, as they were handed in, to `(m, e)` finite vectors; it is called
/// with at most 1 024 rows. Embeddings are standardised on the training set unless
/// [`standardize`](Self::standardize) says no, multiplied by the root of their
/// [weights](Self::weights), and, with [`blend`](Self::blend), joined with the features:
///
/// ```text
/// ‖·‖² = share · ‖features‖² + (1 − share) · Σ_j weight_j · activation_j²
/// ```
///
/// That is what Euclidean distance makes of it. Other metrics see the same coordinates, features
/// times `√share` beside activations times `√(weight · (1 − share))`, and join them in their own way.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::{CaseExplainer, Embedding};
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
#[derive(Clone)]
pub struct Embedding {
    map: Arc<Map>,
    standardize: bool,
    feature_share: f64,
    weights: Option<Vec<f64>>,
    class_weights: BTreeMap<i64, Vec<f64>>,
}

impl fmt::Debug for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedding")
            .field("standardize", &self.standardize)
            .field("feature_share", &self.feature_share)
            .field("weights", &self.weights)
            .field("class_weights", &self.class_weights)
            .finish_non_exhaustive()
    }
}

impl Embedding {
    /// An embedding by a closure.
    pub fn new<E: Into<ClosureError>>(
        map: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<f64>, E> + Send + Sync + 'static,
    ) -> Self {
        Self {
            map: Arc::new(move |rows| map(rows).map_err(Into::into)),
            standardize: true,
            feature_share: 0.0,
            weights: None,
            class_weights: BTreeMap::new(),
        }
    }

    /// Whether each dimension is standardised on the training set (the default).
    #[must_use]
    pub fn standardize(mut self, standardize: bool) -> Self {
        self.standardize = standardize;
        self
    }

    /// The share of the squared distance that the features keep, in [0, 1]: 0 = the embedding alone
    /// (the default), 1 = the features alone. Checked by `fit`.
    #[must_use]
    pub fn blend(mut self, feature_share: f64) -> Self {
        self.feature_share = feature_share;
        self
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
    ///
    /// # Errors
    /// [`Error::OutOfDomain`] for a label beyond `i64`.
    pub fn class_weights<L: Label>(
        mut self,
        class: L,
        weights: impl Into<Vec<f64>>,
    ) -> Result<Self> {
        let class = xai_core::labels_to_i64("class", [class])?[0];
        self.class_weights.insert(class, weights.into());
        Ok(self)
    }

    pub(crate) fn feature_share(&self) -> f64 {
        self.feature_share
    }

    /// The search over `train`, scaled and as handed in.
    pub(crate) fn fit(
        self,
        train: ArrayView2<'_, f64>,
        scaled: ArrayView2<'_, f64>,
        metric: &Metric,
        engine: Engine,
    ) -> Result<EmbeddedSearch> {
        if !(0.0..=1.0).contains(&self.feature_share) {
            return Err(Error::parameter(
                "feature share of the blend",
                self.feature_share,
                "a share in [0, 1]",
            ));
        }
        let embedded = in_batches("embedding", train, |rows| (self.map)(rows))?;
        check_finite("embedding", embedded.view())?;
        let n_dimensions = embedded.ncols();
        let own = self.class_weights.values();
        for weights in self.weights.iter().chain(own) {
            if weights.len() != n_dimensions {
                return Err(Error::shape(
                    "weights of the embedding",
                    &[n_dimensions],
                    &[weights.len()],
                ));
            }
            if let Some(i) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
                return Err(Error::out_of_domain(
                    "weights of the embedding",
                    &[i],
                    weights[i],
                    "a finite weight, at least 0",
                ));
            }
        }
        let standardization = self
            .standardize
            .then(|| Standardization::fit(embedded.view()))
            .transpose()?;
        let mut search = EmbeddedSearch {
            embedding: self,
            n_dimensions,
            standardization,
            shared: None,
            by_class: BTreeMap::new(),
        };
        let embedded = search.standardized(embedded)?;
        let index = |weights: Option<&Vec<f64>>| {
            let rows = search.space(scaled, embedded.view(), weights)?;
            crate::explainer::search_of(rows, metric, engine)
        };
        let by_class = search
            .embedding
            .class_weights
            .iter()
            .map(|(class, weights)| Ok((*class, index(Some(weights))?)))
            .collect::<Result<_>>()?;
        let shared = index(search.embedding.weights.as_ref())?;
        search.shared = Some(shared);
        search.by_class = by_class;
        Ok(search)
    }
}

/// An embedding fitted to a training set.
pub(crate) struct EmbeddedSearch {
    embedding: Embedding,
    n_dimensions: usize,
    standardization: Option<Standardization>,
    /// The index of every class without weights of its own.
    shared: Option<Box<dyn NeighborSearch>>,
    by_class: BTreeMap<i64, Box<dyn NeighborSearch>>,
}

impl EmbeddedSearch {
    fn standardized(&self, embedded: Array2<f64>) -> Result<Array2<f64>> {
        match &self.standardization {
            Some(standardization) => standardization.apply(embedded.view()),
            None => Ok(embedded),
        }
    }

    /// `[√share · features, √(1 − share) · √weights · embedding]`
    fn space(
        &self,
        scaled: ArrayView2<'_, f64>,
        embedded: ArrayView2<'_, f64>,
        weights: Option<&Vec<f64>>,
    ) -> Result<Array2<f64>> {
        let share = self.embedding.feature_share;
        let mut embedded = embedded.to_owned();
        if let Some(weights) = weights {
            for (mut column, weight) in embedded.columns_mut().into_iter().zip(weights) {
                column *= weight.sqrt();
            }
        }
        if share == 0.0 {
            return Ok(embedded);
        }
        if share == 1.0 {
            return Ok(scaled.to_owned());
        }
        let features = &scaled * share.sqrt();
        embedded *= (1.0 - share).sqrt();
        concatenate(Axis(1), &[features.view(), embedded.view()])
            .map_err(|_| Error::shape("embedding", &[scaled.nrows()], &[embedded.nrows()]))
    }
}

impl Retrieval for EmbeddedSearch {
    /// The least of its indices.
    fn recall(&self) -> Option<f64> {
        let indices = self.shared.iter().chain(self.by_class.values());
        indices.filter_map(|index| index.recall()).reduce(f64::min)
    }

    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        let embedded = in_batches("embedding", samples.original, |rows| {
            (self.embedding.map)(rows)
        })?;
        if embedded.ncols() != self.n_dimensions {
            return Err(Error::shape(
                "embedding",
                &[embedded.nrows(), self.n_dimensions],
                &[embedded.nrows(), embedded.ncols()],
            ));
        }
        check_finite("embedding", embedded.view())?;
        let embedded = self.standardized(embedded)?;
        let shared = || self.shared.as_ref().ok_or_else(|| Error::empty("index"));
        if self.by_class.is_empty() {
            let weights = self.embedding.weights.as_ref();
            let space = self.space(samples.scaled, embedded.view(), weights)?;
            return shared()?.nearest_batch(space.view(), k);
        }
        let Some(predicted) = samples.predicted else {
            return Err(Error::parameter(
                "similarity",
                "an embedding with weights by class",
                "predictions, which choose the weights; neighbours cannot vote here",
            ));
        };
        let mut of_class: BTreeMap<Option<i64>, Vec<usize>> = BTreeMap::new();
        for (row, class) in predicted.iter().enumerate() {
            let own = self.by_class.contains_key(class).then_some(*class);
            of_class.entry(own).or_default().push(row);
        }
        let mut found = vec![Vec::new(); predicted.len()];
        for (class, rows) in of_class {
            let (index, weights) = match class {
                Some(class) => (
                    &self.by_class[&class],
                    self.embedding.class_weights.get(&class),
                ),
                None => (shared()?, self.embedding.weights.as_ref()),
            };
            let scaled = samples.scaled.select(Axis(0), &rows);
            let embedded = embedded.select(Axis(0), &rows);
            let space = self.space(scaled.view(), embedded.view(), weights)?;
            let nearest = index.nearest_batch(space.view(), k).map_err(among(&rows))?;
            for (row, nearest) in rows.into_iter().zip(nearest) {
                found[row] = nearest;
            }
        }
        Ok(found)
    }
}
