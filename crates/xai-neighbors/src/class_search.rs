//! Searches among the training rows of each class.

use std::collections::BTreeMap;
use std::fmt;

use ndarray::ArrayView2;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Error, Result};

use crate::engine::Engine;
use crate::input;
use crate::mixed_embedding::MixedEmbedding;
use crate::nearest::Neighbors;
use crate::neighbor_search::{NeighborSearch, with_original_index};
use crate::training_rows::TrainingRows;

/// An engine over the training rows of each class, whose answers have the indices of the whole training set.
///
/// Merging the neighbours in several classes by distance and index gives the answer of a search over the rows of these
/// classes together, so these engines also replace one over all rows.
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::{ClassSearch, Distance, MixedEmbedding};
/// let train = array![[0.0], [5.0], [1.0], [6.0]];
/// let plain = MixedEmbedding::unchanged(Distance::Euclidean);
/// let search = ClassSearch::build(train.view(), &[7, 8, 7, 8], plain, 1)?;
/// assert_eq!(search.classes().collect::<Vec<_>>(), [7, 8]);
/// let found = search.nearest_batch(1, array![[5.9]].view(), 1)?; // of class 8
/// assert_eq!(found[0][0].index, 3);
/// let others = search.leave_one_out(0, train.view().select(ndarray::Axis(0), &[2]).view(), &[2], 1)?;
/// assert_eq!(others[0][0].index, 0); // the nearest row of class 7 except row 2 itself
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
pub struct ClassSearch {
    embedding: MixedEmbedding,
    classes: Vec<ClassRows>,
}

/// The training rows of a class.
struct ClassRows {
    class: i64,
    /// Index of each row in the training set, ascending.
    indices: Vec<usize>,
    search: Box<dyn NeighborSearch>,
}

impl fmt::Debug for ClassSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_class = |rows: &ClassRows| (rows.class, rows.search.engine(), rows.indices.len());
        f.debug_struct("ClassSearch")
            .field(
                "classes",
                &self.classes.iter().map(of_class).collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}

impl ClassSearch {
    /// Builds an [`Engine::Auto`] for searches of about `k` neighbours over the rows of each class, one class after
    /// another, so that no more than one class is held twice.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless each of the `(n, d)` rows has a class,
    /// and the errors of [`Engine::build`].
    pub fn build(
        train: ArrayView2<'_, f64>,
        classes: &[i64],
        embedding: MixedEmbedding,
        k: usize,
    ) -> Result<Self> {
        check_shape(input::TRAIN, &[classes.len(), train.ncols()], train.shape())?;
        let mut by_class: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (row, &class) in classes.iter().enumerate() {
            by_class.entry(class).or_default().push(row);
        }
        let train = Rows::new(train);
        let of_class = |(class, indices): (i64, Vec<usize>)| {
            let (n, d) = (indices.len(), train.n_columns());
            let rows = embedding.embed_with(n, d, |i| train.row(indices[i]));
            let build = || {
                let rows = TrainingRows::from_matrix(Rows::from_array(rows), embedding.distance())?;
                Engine::Auto.build_over(rows, embedding.distance(), k)
            };
            let search = build().map_err(|error| with_original_index(error, &indices))?;
            Ok(ClassRows {
                class,
                indices,
                search,
            })
        };
        let classes = by_class.into_iter().map(of_class).collect::<Result<_>>()?;
        Ok(Self { embedding, classes })
    }

    /// The classes, ascending. Their positions in this order identify them in the other methods.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.classes.iter().map(|rows| rows.class)
    }

    /// Indices of the rows of a class in the training set, ascending.
    #[must_use]
    pub fn indices(&self, position: usize) -> &[usize] {
        &self.classes[position].indices
    }

    /// Returns the nearest `k` rows of a class for each of `(m, d)` queries, which are not embedded.
    ///
    /// # Errors
    /// As [`NeighborSearch::nearest_batch`], for embedded queries.
    pub fn nearest_batch(
        &self,
        position: usize,
        queries: ArrayView2<'_, f64>,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        let class = &self.classes[position];
        let found = class
            .search
            .nearest_batch(self.embedding.embed(queries).view(), k)?;
        Ok(class.with_original_indices(found))
    }

    /// Returns the nearest `k` other rows of a class for each of some rows of it. `indices` are those of the rows in
    /// the training set.
    ///
    /// # Errors
    /// As [`NeighborSearch::leave_one_out`], for embedded rows;
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for an index of another class.
    pub fn leave_one_out(
        &self,
        position: usize,
        rows: ArrayView2<'_, f64>,
        indices: &[usize],
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        let class = &self.classes[position];
        let own = |(i, index): (usize, &usize)| {
            class.indices.binary_search(index).map_err(|_| {
                let expected = format!("the index of a training row of class {}", class.class);
                Error::out_of_domain(input::TRAIN, &[i], *index as f64, expected).part("indices")
            })
        };
        let own: Vec<usize> = indices.iter().enumerate().map(own).collect::<Result<_>>()?;
        let found = class
            .search
            .leave_one_out(self.embedding.embed(rows).view(), &own, k)?;
        Ok(class.with_original_indices(found))
    }
}

impl ClassRows {
    fn with_original_indices(&self, mut found: Vec<Neighbors>) -> Vec<Neighbors> {
        for near in found
            .iter_mut()
            .flat_map(|neighbors| &mut neighbors.nearest)
        {
            near.index = self.indices[near.index];
        }
        found
    }
}
