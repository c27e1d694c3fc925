//! Searches among the training rows of each class.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Axis};
use xai_core::distance::DistanceFunction;
use xai_core::number::check_finite;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Error, Input, Result, parallel};

use crate::custom_scan::{CustomDistance, CustomScan, UNRESTRICTED};
use crate::engine::Engine;
use crate::input;
use crate::mixed_embedding::{MixedDistance, MixedEmbedding};
use crate::nearest::{Nearest, Neighbors};
use crate::neighbor_search::{NeighborSearch, with_original_index};
use crate::training_rows::TrainingRows;

/// Embedded rows are searched if they take at most this many times the memory of the rows, or [`SMALL`].
const LARGEST_EXPANSION: usize = 16;

/// Bytes of embedded rows that are always acceptable.
const SMALL: usize = 64 << 20;

/// Neighbours that are fetched in addition at first, to see where the distances of rows differ by more than rounding.
const SPARE: usize = 3;

/// Factor by which more neighbours are fetched while they do not.
const GROWTH: usize = 8;

/// An engine over the training rows of each class, whose answers have the indices of the whole training set.
///
/// Merging the neighbours in several classes by distance and index gives the answer of a search over the rows of these
/// classes together, so no further engine over all rows is needed. Distances are computed from the rows, not from
/// embedded rows.
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::{ClassSearch, Distance, MixedEmbedding};
/// let train = array![[0.0], [5.0], [1.0], [6.0]].into();
/// let search = ClassSearch::new(&train, &[7, 8, 7, 8], MixedEmbedding::identity(Distance::Euclidean), 1)?;
/// assert_eq!(search.classes().collect::<Vec<_>>(), [7, 8]);
/// let found = search.nearest_batch(1, array![[5.9]].view(), 1)?; // of class 8
/// assert_eq!(found[0][0].index, 3);
/// let others = search.leave_one_out(0, train.select(ndarray::Axis(0), &[2]).view(), &[2], 1)?;
/// assert_eq!(others[0][0].index, 0); // the nearest row of class 7 except row 2 itself
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
pub struct ClassSearch {
    train: Arc<Array2<f64>>,
    embedding: MixedEmbedding,
    classes: Vec<ClassRows>,
}

/// The training rows of a class.
struct ClassRows {
    class: i64,
    /// Index of each row in the training set, ascending.
    indices: Vec<usize>,
    search: RowSearch,
    /// Largest size of an embedded row.
    largest: f64,
}

enum RowSearch {
    /// Over embedded rows.
    Engine(Box<dyn NeighborSearch>),
    /// By the mixed distance itself, if embedded rows would be too large.
    Scan(CustomScan),
}

impl fmt::Debug for ClassSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_class = |rows: &ClassRows| {
            let engine = match &rows.search {
                RowSearch::Engine(search) => Some(search.engine()),
                RowSearch::Scan(_) => None,
            };
            (rows.class, engine, rows.indices.len())
        };
        let classes: Vec<_> = self.classes.iter().map(of_class).collect();
        f.debug_struct("ClassSearch")
            .field("classes", &classes)
            .finish_non_exhaustive()
    }
}

impl ClassSearch {
    /// Builds an engine over the rows of each class, chosen as by [`Engine::Auto`] for searches of about `k`
    /// neighbours. The embedding must have been fitted to the same rows.
    ///
    /// If embedded rows would take much more memory than the rows, because a column has many categories, the rows are
    /// scanned instead.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless each of the `(n, d)` rows has a class,
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or features,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values, and the errors of
    /// [`Engine::build`].
    pub fn new(
        train: &Arc<Array2<f64>>,
        classes: &[i64],
        embedding: MixedEmbedding,
        k: usize,
    ) -> Result<Self> {
        let (n, d) = train.dim();
        check_shape(input::TRAIN, &[classes.len(), d], &[n, d])?;
        if n == 0 {
            return Err(Error::empty(input::TRAIN));
        }
        check_finite(input::TRAIN, train.view())?;
        let width = embedding.width(d);
        let bytes = n.saturating_mul(width).saturating_mul(size_of::<f64>());
        let is_scanned = width > LARGEST_EXPANSION * d && bytes > SMALL;
        let mut by_class: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (row, &class) in classes.iter().enumerate() {
            by_class.entry(class).or_default().push(row);
        }
        let rows = Rows::new(train.view());
        // Classes are embedded one at a time, so at most one class is in memory in both forms.
        let of_class = |(class, indices): (i64, Vec<usize>)| {
            let mut largest = 0.0;
            let mut build = || match embedding.mixed_distance().filter(|_| is_scanned) {
                Some(mixed) => {
                    let rows = train.select(Axis(0), &indices);
                    let rows = TrainingRows::from_matrix(Rows::from_array(rows), &UNRESTRICTED)?;
                    let distance = CustomDistance::new(mixed.clone());
                    Ok::<_, Error>(RowSearch::Scan(CustomScan::new(rows, distance)))
                }
                None => {
                    let rows = embedding.embed_with(indices.len(), d, |i| rows.row(indices[i]));
                    let sizes = rows.rows().into_iter().filter_map(|row| row.to_slice());
                    largest = sizes.map(MixedEmbedding::size).fold(0.0, f64::max);
                    let distance = embedding.distance();
                    let rows = TrainingRows::from_matrix(Rows::from_array(rows), distance)?;
                    Engine::Auto
                        .build_over(rows, distance, k)
                        .map(RowSearch::Engine)
                }
            };
            let search = build().map_err(|error| with_original_index(error, &indices))?;
            Ok(ClassRows {
                class,
                indices,
                search,
                largest,
            })
        };
        let classes = by_class.into_iter().map(of_class).collect::<Result<_>>()?;
        Ok(Self {
            train: Arc::clone(train),
            embedding,
            classes,
        })
    }

    /// The classes, ascending. Their positions in this order identify them in the other methods, which panic for other
    /// positions.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.classes.iter().map(|rows| rows.class)
    }

    /// The position of a class; `None` if no training row has it.
    #[must_use]
    pub fn position_of(&self, class: i64) -> Option<usize> {
        self.classes
            .binary_search_by_key(&class, |rows| rows.class)
            .ok()
    }

    /// Indices of the rows of a class in the training set, ascending.
    #[must_use]
    pub fn indices(&self, position: usize) -> &[usize] {
        &self.classes[position].indices
    }

    /// Returns the nearest `k` rows of a class for each of `(m, d)` queries, which are not embedded. By mixed distances,
    /// [ties](Neighbors::ties_at_k) are not counted.
    ///
    /// # Errors
    /// As [`NeighborSearch::nearest_batch`].
    pub fn nearest_batch(
        &self,
        position: usize,
        queries: ArrayView2<'_, f64>,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        self.check(input::QUERIES, queries)?;
        let class = &self.classes[position];
        let mut found = match &class.search {
            RowSearch::Scan(scan) => scan.nearest_batch(queries, k)?,
            RowSearch::Engine(search) => self.nearest_exact(class, queries, k, |rows, _, k| {
                search.nearest_batch(rows, k)
            })?,
        };
        class.restore_indices(&mut found);
        Ok(found)
    }

    /// Returns the nearest `k` other rows of a class for each of some rows of it. `indices` are those of the rows in
    /// the training set.
    ///
    /// # Errors
    /// As [`NeighborSearch::leave_one_out`]; [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for an index
    /// of another class.
    pub fn leave_one_out(
        &self,
        position: usize,
        rows: ArrayView2<'_, f64>,
        indices: &[usize],
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        self.check(input::QUERIES, rows)?;
        check_shape(input::QUERIES, &[indices.len(), rows.ncols()], rows.shape())?;
        let class = &self.classes[position];
        let own = |(i, index): (usize, &usize)| {
            class.indices.binary_search(index).map_err(|_| {
                let expected = format!("the index of a training row of class {}", class.class);
                Error::out_of_domain(input::TRAIN, &[i], *index as f64, expected).part("indices")
            })
        };
        let own: Vec<usize> = indices.iter().enumerate().map(own).collect::<Result<_>>()?;
        let mut found = match &class.search {
            RowSearch::Scan(scan) => {
                let mut found = scan.nearest_batch(rows, k.saturating_add(1))?;
                for (neighbors, &own) in found.iter_mut().zip(&own) {
                    neighbors.leave_out(own, k, || 0.0);
                }
                found
            }
            RowSearch::Engine(search) => {
                self.nearest_exact(class, rows, k, |rows, chosen, k| {
                    let own: Vec<usize> = chosen.iter().map(|&row| own[row]).collect();
                    search.leave_one_out(rows, &own, k)
                })?
            }
        };
        class.restore_indices(&mut found);
        Ok(found)
    }

    fn check(&self, what: Input, rows: ArrayView2<'_, f64>) -> Result<()> {
        check_shape(what, &[rows.nrows(), self.train.ncols()], rows.shape())?;
        check_finite(what, rows)
    }

    /// Returns the nearest `k` rows of a class by the distances of the rows themselves, from a search over embedded
    /// rows that is given some embedded rows, their positions and the number of neighbours.
    ///
    /// Rounding may order embedded rows differently. So more neighbours are fetched until the last of them is farther
    /// than the `k`-th by more than rounding: then all others are, too.
    fn nearest_exact(
        &self,
        class: &ClassRows,
        rows: ArrayView2<'_, f64>,
        k: usize,
        search: impl Fn(ArrayView2<'_, f64>, &[usize], usize) -> Result<Vec<Neighbors>>,
    ) -> Result<Vec<Neighbors>> {
        let embedded = self.embedding.embed(rows);
        let mut open: Vec<usize> = (0..rows.nrows()).collect();
        let Some(mixed) = self
            .embedding
            .mixed_distance()
            .filter(|_| !self.embedding.is_exact())
        else {
            return search(embedded.view(), &open, k);
        };
        let rows = Rows::new(rows);
        let mut nearest = vec![Neighbors::default(); open.len()];
        let mut n_fetched = k.saturating_add(SPARE);
        while !open.is_empty() {
            let chosen = embedded.select(Axis(0), &open);
            let found = search(chosen.view(), &open, n_fetched)
                .map_err(|error| with_original_index(error, &open))?;
            let chosen = Rows::new(chosen.view());
            let found = parallel::map_owned(found, |i, found| {
                let last = found.last().map_or(0.0, |near| near.distance);
                let is_all = found.len() < n_fetched;
                let exact = self.exact(mixed, class, rows.row(open[i]), found, k);
                let rounding = MixedEmbedding::rounding(chosen.row(i), class.largest);
                let farthest = exact.last().map_or(0.0, |near| near.distance);
                (exact, is_all || last > farthest + rounding)
            });
            let mut unclear = Vec::new();
            for (row, (found, is_clear)) in open.into_iter().zip(found) {
                nearest[row] = Neighbors::new(found, 0);
                if !is_clear {
                    unclear.push(row);
                }
            }
            open = unclear;
            n_fetched = n_fetched.saturating_mul(GROWTH);
        }
        Ok(nearest)
    }

    /// Computes the distances of a row to its neighbours in a class, and keeps the nearest `k`.
    fn exact(
        &self,
        mixed: &MixedDistance,
        class: &ClassRows,
        row: &[f64],
        found: Neighbors,
        k: usize,
    ) -> Vec<Nearest> {
        let train = Rows::new(self.train.view());
        let mut nearest = found.nearest;
        for near in &mut nearest {
            near.distance = mixed.distance(row, train.row(class.indices[near.index]));
        }
        nearest.sort_unstable_by(Nearest::compare);
        nearest.truncate(k);
        nearest
    }
}

impl ClassRows {
    /// Replaces indices in the class by those in the training set.
    fn restore_indices(&self, found: &mut [Neighbors]) {
        for near in found
            .iter_mut()
            .flat_map(|neighbors| &mut neighbors.nearest)
        {
            near.index = self.indices[near.index];
        }
    }
}
