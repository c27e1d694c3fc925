//! Training rows, and searches among them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ndarray::{Array2, ArrayView2, Axis};
use xai_core::Label;
use xai_core::number::{check_finite, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::{Error, Result, parallel};

use crate::distance::{DistanceOptions, Embedding, PreparedDistance};
use crate::input;
use crate::schema::Schema;
use crate::search::{Engine, Near};

/// Training rows with their classes, among which neighbours are searched and by which distances are scaled.
///
/// Scales, engines and the distances of training rows to each other are computed when a metric first needs them, once per distance,
/// and shared by all metrics and all methods.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{Reference, Schema};
/// let train = array![[0.0, 0.0], [1.0, 0.0], [4.0, 3.0]];
/// let reference = Reference::new(Schema::numeric(2), train.view(), Some(&[0, 0, 1]))?;
/// assert_eq!((reference.n_rows(), reference.classes()), (3, &[0, 1][..]));
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Reference {
    schema: Schema,
    train: Array2<f64>,
    labels: Option<Vec<i64>>,
    classes: Vec<i64>,
    searches: Mutex<Vec<(DistanceOptions, Arc<Searches>)>>,
}

impl Reference {
    /// Takes training rows `(T, d)` and their classes.
    ///
    /// The classes are labels of the data or, better, predictions of the model that is explained: the metrics of plausibility ask where
    /// the model's classes are. Without classes only distances can be scaled, and neighbours of any class searched.
    ///
    /// # Errors
    /// `Empty` without rows, `ShapeMismatch` for another number of columns or labels, `NonFinite`, and `OutOfDomain` for a row that
    /// breaks a one-hot group.
    pub fn new<L: Label>(
        schema: Schema,
        train: ArrayView2<'_, f64>,
        labels: Option<&[L]>,
    ) -> Result<Self> {
        if train.nrows() == 0 {
            return Err(Error::empty(input::TRAIN));
        }
        check_shape(
            input::TRAIN,
            &[train.nrows(), schema.n_columns()],
            train.shape(),
        )?;
        check_finite(input::TRAIN, train)?;
        schema.check_rows(input::TRAIN, train)?;
        let labels = match labels {
            Some(labels) => {
                check_shape(input::TRAIN_LABELS, &[train.nrows()], &[labels.len()])?;
                Some(labels_to_i64(input::TRAIN_LABELS, labels.iter().copied())?)
            }
            None => None,
        };
        let mut classes = labels.clone().unwrap_or_default();
        classes.sort_unstable();
        classes.dedup();
        Ok(Self {
            schema,
            train: train.to_owned(),
            labels,
            classes,
            searches: Mutex::default(),
        })
    }

    /// The features.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The training rows, `(T, d)`.
    #[must_use]
    pub fn rows(&self) -> ArrayView2<'_, f64> {
        self.train.view()
    }

    /// Number of training rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.train.nrows()
    }

    /// The classes that training rows have, ascending; empty without labels.
    #[must_use]
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// The classes of the training rows.
    ///
    /// # Errors
    /// `InvalidParameter` if the reference was made without them.
    pub fn labels(&self) -> Result<&[i64]> {
        let missing = || {
            Error::parameter(
                input::TRAIN_LABELS,
                "none",
                "the class of each training row",
            )
        };
        self.labels.as_deref().ok_or_else(missing)
    }

    /// The searches with a distance, made when they are first needed.
    pub(crate) fn searches(&self, options: DistanceOptions) -> Result<Arc<Searches>> {
        // The lock is held until the searches are made, so that a second thread waits for them instead of making its
        // own.
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = searches.iter().find(|(other, _)| *other == options) {
            return Ok(Arc::clone(found));
        }
        let made = Arc::new(Searches::new(options, self)?);
        searches.push((options, Arc::clone(&made)));
        Ok(made)
    }
}

/// The training rows among which neighbours of a row are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    All,
    Class(i64),
    Except(i64),
}

impl Among {
    fn has(self, class: i64) -> bool {
        match self {
            Self::All => true,
            Self::Class(own) => class == own,
            Self::Except(other) => class != other,
        }
    }
}

/// Engines over the training rows of each class, for one distance.
///
/// A search among several classes merges those of each class by distance and then index, which is the answer of a search over all
/// of them: so one engine per class serves every metric.
#[derive(Debug)]
pub(crate) struct Searches {
    pub(crate) distance: PreparedDistance,
    embedding: Embedding,
    classes: Vec<ClassRows>,
    n_rows: usize,
    /// The neighbours of the training rows among each other, for the largest `k` needed so far.
    own: Mutex<Option<(usize, Arc<NeighborLists>)>>,
}

/// The nearest training rows of each of some rows, nearest first; `None` if they are undefined.
pub(crate) type NeighborLists = Vec<Option<Vec<Near>>>;

#[derive(Debug)]
struct ClassRows {
    class: i64,
    /// Index of each row in the training table, ascending.
    indices: Vec<usize>,
    rows: Array2<f64>,
    engine: Engine,
    /// For each column in which a difference is undefined, the value that all rows share, if they share one.
    constants: Vec<Option<f64>>,
}

impl Searches {
    fn new(options: DistanceOptions, reference: &Reference) -> Result<Self> {
        let train = reference.rows();
        let distance = PreparedDistance::new(options, &reference.schema, Some(train))?;
        let embedding = Embedding::fit(distance.clone(), train);
        let mut by_class: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for row in 0..train.nrows() {
            // Without labels, all rows are of one class.
            let class = reference.labels.as_ref().map_or(0, |labels| labels[row]);
            by_class.entry(class).or_default().push(row);
        }
        let classes = by_class.into_iter().map(|(class, indices)| {
            let raw = train.select(Axis(0), &indices);
            let constant = |&column: &usize| {
                let values = raw.column(column);
                values
                    .iter()
                    .all(|value| value == &values[0])
                    .then_some(values[0])
            };
            let constants = distance.undefined_columns().iter().map(constant).collect();
            let rows = embedding.embed(raw.view());
            let engine = Engine::new(rows.view(), &distance)?;
            Ok(ClassRows {
                class,
                indices,
                rows,
                engine,
                constants,
            })
        });
        let classes = classes.collect::<Result<_>>()?;
        Ok(Self {
            embedding,
            classes,
            n_rows: train.nrows(),
            own: Mutex::default(),
            distance,
        })
    }

    /// The `k` nearest training rows of each row (fewer if there are fewer), by distance and then index.
    ///
    /// `None` if there are no training rows of that kind, or if the distance to one of them is undefined.
    pub(crate) fn nearest(
        &self,
        rows: ArrayView2<'_, f64>,
        among: &[Among],
        k: usize,
    ) -> Result<NeighborLists> {
        let embedded = self.embedding.embed(rows);
        let mut found: NeighborLists = vec![Some(Vec::new()); rows.nrows()];
        for class in &self.classes {
            let wanted: Vec<usize> = (0..rows.nrows())
                .filter(|&row| among[row].has(class.class))
                .collect();
            let nearest = self.nearest_in(class, rows, &embedded, &wanted, k)?;
            for (&row, near) in wanted.iter().zip(nearest) {
                // Undefined in one class is undefined as a whole: the rows that cannot be compared might be the
                // nearest.
                found[row] = found[row].take().zip(near).map(|(mut all, near)| {
                    all.extend(near);
                    all
                });
            }
        }
        Ok(found.into_iter().map(|near| closest(near?, k)).collect())
    }

    /// The `k` nearest training rows of each class for each row, by class; `None` if the distance to one of them is undefined.
    pub(crate) fn nearest_of_each_class(
        &self,
        rows: ArrayView2<'_, f64>,
        k: usize,
    ) -> Result<Vec<(i64, NeighborLists)>> {
        let embedded = self.embedding.embed(rows);
        let all: Vec<usize> = (0..rows.nrows()).collect();
        let of_class = |class: &ClassRows| {
            let nearest = self.nearest_in(class, rows, &embedded, &all, k)?;
            Ok((class.class, nearest))
        };
        self.classes.iter().map(of_class).collect()
    }

    /// The `k` nearest rows of a class for some of the rows, with indices in the training table.
    fn nearest_in(
        &self,
        class: &ClassRows,
        rows: ArrayView2<'_, f64>,
        embedded: &Array2<f64>,
        wanted: &[usize],
        k: usize,
    ) -> Result<NeighborLists> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let nearest = class
            .engine
            .nearest(embedded.select(Axis(0), wanted).view(), k)?;
        let undefined_columns = self.distance.undefined_columns();
        let nearest = wanted.iter().zip(nearest).map(|(&row, near)| {
            let is_defined = class.is_defined(undefined_columns, |column| rows[[row, column]]);
            is_defined.then(|| class.in_table(near))
        });
        Ok(nearest.collect())
    }

    /// The `k` nearest training rows of each training row, itself excluded.
    pub(crate) fn own_neighbors(&self, k: usize) -> Result<Arc<NeighborLists>> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, neighbors)) = own.as_ref()
            && *known >= k
        {
            return Ok(Arc::clone(neighbors));
        }
        let mut found: NeighborLists = vec![Some(Vec::new()); self.n_rows];
        // A distance is only defined if the column has one value in all training rows, of whatever class.
        let is_ambiguous = self
            .classes
            .iter()
            .any(|class| class.constants.iter().any(Option::is_none))
            || self
                .classes
                .windows(2)
                .any(|two| two[0].constants != two[1].constants);
        if is_ambiguous {
            // A training row differs from another one where a difference is undefined.
            found = vec![None; self.n_rows];
        } else {
            for class in &self.classes {
                for of in &self.classes {
                    // One more than wanted: a row is its own neighbour at distance 0.
                    // Among more than k equal rows, it may not be one of the k + 1. `closest` then drops the surplus
                    // row.
                    let nearest = class.engine.nearest(of.rows.view(), k + 1)?;
                    for (&row, near) in of.indices.iter().zip(nearest) {
                        let others = class.in_table(near).into_iter();
                        found[row]
                            .get_or_insert_default()
                            .extend(others.filter(|near| near.index != row));
                    }
                }
            }
        }
        let neighbors = parallel::map_owned(found, |_, near| closest(near?, k));
        let neighbors = Arc::new(neighbors);
        *own = Some((k, Arc::clone(&neighbors)));
        Ok(neighbors)
    }

    /// The distance of each training row of a class to the nearest other one of the class, ascending; `None` if a distance is
    /// undefined or there are fewer than two.
    pub(crate) fn nearest_within(&self, class: i64) -> Result<Option<Vec<f64>>> {
        let Some(class) = self.classes.iter().find(|rows| rows.class == class) else {
            return Ok(None);
        };
        if class.indices.len() < 2 || class.constants.iter().any(Option::is_none) {
            return Ok(None);
        }
        // Two, because a row is its own neighbour at distance 0.
        let nearest = class.engine.nearest(class.rows.view(), 2)?;
        let distances = nearest
            .into_iter()
            .enumerate()
            .filter_map(|(row, near)| near.into_iter().find(|near| near.index != row));
        let mut distances: Vec<f64> = distances.map(|near| near.distance).collect();
        distances.sort_unstable_by(f64::total_cmp);
        Ok(Some(distances))
    }

    /// Sizes of the connected components of the rows of a class, two rows being connected within `radius`: for each row the size of
    /// its component, by index in the training table.
    pub(crate) fn component_sizes(
        &self,
        class: i64,
        radius: f64,
    ) -> Result<BTreeMap<usize, usize>> {
        let Some(class) = self.classes.iter().find(|rows| rows.class == class) else {
            return Ok(BTreeMap::new());
        };
        let n = class.indices.len();
        let mut parent: Vec<usize> = (0..n).collect();
        for (row, near) in class
            .engine
            .within(class.rows.view(), radius)?
            .into_iter()
            .enumerate()
        {
            for other in near {
                let (a, b) = (root(&mut parent, row), root(&mut parent, other));
                parent[a] = b;
            }
        }
        let roots: Vec<usize> = (0..n).map(|row| root(&mut parent, row)).collect();
        let mut sizes = vec![0; n];
        for &root in &roots {
            sizes[root] += 1;
        }
        Ok(class
            .indices
            .iter()
            .zip(&roots)
            .map(|(&index, &root)| (index, sizes[root]))
            .collect())
    }

    /// Returns the indices of the training rows of a row's class within `radius` for each row; `None` for a class
    /// without a radius or without rows, and if the distance is undefined.
    pub(crate) fn within(
        &self,
        rows: ArrayView2<'_, f64>,
        classes: &[i64],
        radius: &BTreeMap<i64, f64>,
    ) -> Result<Vec<Option<Vec<usize>>>> {
        let embedded = self.embedding.embed(rows);
        let mut found = vec![None; rows.nrows()];
        for class in &self.classes {
            let Some(&radius) = radius.get(&class.class) else {
                continue;
            };
            let is_defined = |row: usize| {
                class.is_defined(self.distance.undefined_columns(), |column| {
                    rows[[row, column]]
                })
            };
            let wanted: Vec<usize> = (0..rows.nrows())
                .filter(|&row| classes[row] == class.class && is_defined(row))
                .collect();
            let near = class
                .engine
                .within(embedded.select(Axis(0), &wanted).view(), radius)?;
            for (&row, near) in wanted.iter().zip(near) {
                let indices = near.into_iter().map(|index| class.indices[index]);
                found[row] = Some(indices.collect());
            }
        }
        Ok(found)
    }
}

impl ClassRows {
    /// Replaces indices among the rows of the class by those in the training table.
    fn in_table(&self, near: Vec<Near>) -> Vec<Near> {
        let near = near.into_iter().map(|near| Near {
            index: self.indices[near.index],
            ..near
        });
        near.collect()
    }

    /// Returns whether the distance of a row to every row of the class is defined.
    fn is_defined(&self, columns: &[usize], value: impl Fn(usize) -> f64) -> bool {
        let mut constants = columns.iter().zip(&self.constants);
        constants
            .all(|(&column, constant)| constant.is_some_and(|constant| constant == value(column)))
    }
}

/// The `k` closest of some rows; `None` if there are none.
fn closest(mut near: Vec<Near>, k: usize) -> Option<Vec<Near>> {
    near.sort_unstable_by(Near::order);
    near.truncate(k);
    (!near.is_empty()).then_some(near)
}

/// The root of a union-find tree, with paths halved on the way.
fn root(parent: &mut [usize], mut row: usize) -> usize {
    while parent[row] != row {
        parent[row] = parent[parent[row]];
        row = parent[row];
    }
    row
}
