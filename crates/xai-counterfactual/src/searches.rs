//! Searches among the training rows with one distance.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use ndarray::{Array2, ArrayView2, Axis, Slice};
use xai_core::{Input, Result, parallel};
use xai_neighbors::{ClassSearch, Nearest, Neighbors, input as searched, with_original_index};

use crate::density::OwnNeighbors;
use crate::distance::RowDistance;
use crate::input;
use crate::neighborhood::{Among, Neighborhood, SEARCHED_AT_LEAST, Searched, Wanted};

/// Rows that are searched at a time: enough for the blocks of a scan on many threads.
pub(crate) const BLOCK: usize = 4096;

/// Engines over the training rows of each class, and what their searches found.
#[derive(Debug)]
pub(crate) struct Searches {
    pub(crate) distance: RowDistance,
    pub(crate) train: Arc<Array2<f64>>,
    /// Class of each training row; without classes, all rows are of one class.
    pub(crate) labels: Arc<Vec<i64>>,
    pub(crate) engines: ClassSearch,
    /// For each class and column in which a difference is undefined, the value that all rows of the class share, if
    /// they share one.
    pub(crate) constants: Vec<Vec<Option<f64>>>,
    pub(crate) own: Mutex<OwnNeighbors>,
    /// By the queries, which all methods have in common.
    queries: Searched<Arc<Array2<f64>>>,
}

impl Searches {
    pub(crate) fn new(
        distance: RowDistance,
        train: Arc<Array2<f64>>,
        labels: Arc<Vec<i64>>,
    ) -> Result<Self> {
        let embedding = distance.embedding(train.view());
        let engines = ClassSearch::new(&train, &labels, embedding, SEARCHED_AT_LEAST)?;
        let constants = (0..engines.classes().len()).map(|position| {
            let indices = engines.indices(position);
            let constant = |&column: &usize| {
                let first = train[[indices[0], column]];
                let is_constant = indices.iter().all(|&row| train[[row, column]] == first);
                is_constant.then_some(first)
            };
            distance.undefined_columns().iter().map(constant).collect()
        });
        Ok(Self {
            constants: constants.collect(),
            engines,
            own: Mutex::default(),
            queries: Searched::default(),
            distance,
            train,
            labels,
        })
    }

    /// Position and name of each class.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.engines.classes().enumerate()
    }

    /// Returns whether the distance of a row to every training row of a class is defined.
    fn is_defined(&self, position: usize, value: impl Fn(usize) -> f64) -> bool {
        let columns = self.distance.undefined_columns().iter();
        let mut constants = columns.zip(&self.constants[position]);
        constants
            .all(|(&column, constant)| constant.is_some_and(|constant| constant == value(column)))
    }

    /// Searches the wanted neighbours of rows with these own classes. Errors are about `what`.
    pub(crate) fn search(
        &self,
        what: Input,
        rows: ArrayView2<'_, f64>,
        own: Option<&[i64]>,
        wanted: Wanted,
    ) -> Result<Neighborhood> {
        let mut neighborhood = Neighborhood::new(wanted, own.map(<[i64]>::to_vec));
        for block in blocks(rows.nrows()) {
            let view = rows.slice_axis(Axis(0), Slice::from(block.clone()));
            let own = own.map(|own| &own[block.clone()]);
            let found = self.search_block(view, own, wanted).map_err(|error| {
                error
                    .renamed(searched::QUERIES, what)
                    .shifted(0, block.start)
            })?;
            for found in found {
                neighborhood.push(&found);
            }
        }
        Ok(neighborhood)
    }

    fn search_block(
        &self,
        rows: ArrayView2<'_, f64>,
        own: Option<&[i64]>,
        wanted: Wanted,
    ) -> Result<Vec<Vec<Nearest>>> {
        let mut found: Vec<Vec<Nearest>> = vec![Vec::new(); rows.nrows()];
        let select = |row: usize, found| {
            wanted.select(found, own.map(|own| own[row]), |index| self.labels[index])
        };
        for (position, class) in self.classes() {
            let k_of = |row: usize| {
                if own.is_some_and(|own| own[row] == class) {
                    wanted.in_own_class()
                } else {
                    wanted.in_another_class()
                }
            };
            let mut by_k: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for row in 0..rows.nrows() {
                if k_of(row) > 0 && self.is_defined(position, |column| rows[[row, column]]) {
                    by_k.entry(k_of(row)).or_default().push(row);
                }
            }
            for (k, chosen) in by_k {
                let queries = rows.select(Axis(0), &chosen);
                let nearest = self
                    .engines
                    .nearest_batch(position, queries.view(), k)
                    .map_err(|error| with_original_index(error, &chosen))?;
                for (row, nearest) in chosen.into_iter().zip(nearest) {
                    found[row].extend(nearest);
                    // With many classes, those that are not wanted any more are dropped on the way.
                    if wanted
                        .most()
                        .is_some_and(|most| found[row].len() / 4 > most)
                    {
                        found[row] = select(row, std::mem::take(&mut found[row]));
                    }
                }
            }
        }
        Ok(parallel::map_owned(found, select))
    }

    /// Returns the neighbours of queries with these own classes.
    pub(crate) fn nearest_to_queries(
        &self,
        queries: &Arc<Array2<f64>>,
        own: &[i64],
        wanted: Wanted,
    ) -> Result<Arc<Neighborhood>> {
        let search = |wanted| self.search(input::QUERIES, queries.view(), Some(own), wanted);
        let wanted = wanted.shared(true, self.engines.classes().len());
        self.queries
            .get(Arc::clone(queries), Some(own), wanted, search)
    }

    /// Returns the neighbours of counterfactuals, whose classes may be unknown, from `known` or by a new search.
    pub(crate) fn nearest_to_counterfactuals<K: PartialEq>(
        &self,
        known: &Searched<K>,
        key: K,
        rows: ArrayView2<'_, f64>,
        own: Option<&[i64]>,
        wanted: Wanted,
    ) -> Result<Arc<Neighborhood>> {
        let search = |wanted| self.search(input::COUNTERFACTUALS, rows, own, wanted);
        let wanted = wanted.shared(own.is_some(), self.engines.classes().len());
        known.get(key, own, wanted, search)
    }

    /// Returns the `k` nearest training rows of a kind for a row (fewer if there are fewer), by distance and then
    /// index, from its neighbours.
    ///
    /// `None` if there are no training rows of that kind, or if the distance to one of them is undefined.
    pub(crate) fn nearest(
        &self,
        row: &[f64],
        neighbors: impl Iterator<Item = Nearest>,
        among: Among,
        k: usize,
    ) -> Option<Vec<Nearest>> {
        // If one class cannot be compared, the result is undefined, because its rows might be the nearest.
        let mut positions = self.classes().filter(|(_, class)| among.has(*class));
        if !self.distance.undefined_columns().is_empty()
            && !positions.all(|(position, _)| self.is_defined(position, |column| row[column]))
        {
            return None;
        }
        let is_among = |near: &Nearest| among == Among::All || among.has(self.labels[near.index]);
        let near: Vec<Nearest> = neighbors.filter(is_among).take(k).collect();
        (!near.is_empty()).then_some(near)
    }

    /// The rows of a class among the training rows, ascending.
    pub(crate) fn rows_of(&self, class: i64) -> &[usize] {
        let position = self.engines.position_of(class);
        position.map_or(&[], |position| self.engines.indices(position))
    }

    /// The nearest `k` rows of a class for each row.
    pub(crate) fn nearest_in_class(
        &self,
        rows: ArrayView2<'_, f64>,
        class: i64,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        match self.engines.position_of(class) {
            Some(position) => self.engines.nearest_batch(position, rows, k),
            None => Ok(vec![Neighbors::default(); rows.nrows()]),
        }
    }
}

/// Ranges of at most [`BLOCK`] rows.
pub(crate) fn blocks(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n)
        .step_by(BLOCK)
        .map(move |first| first..n.min(first + BLOCK))
}

/// The neighbours of queries or counterfactuals.
#[derive(Debug)]
pub(crate) struct RowNeighbors<'a> {
    pub(crate) searches: Arc<Searches>,
    pub(crate) found: Arc<Neighborhood>,
    pub(crate) rows: &'a Array2<f64>,
}

impl RowNeighbors<'_> {
    /// Returns the `k` nearest training rows of a kind for a row (fewer if there are fewer), by distance and then
    /// index.
    ///
    /// `None` if there are no training rows of that kind, or if the distance to one of them is undefined.
    pub(crate) fn nearest(&self, row: usize, among: Among, k: usize) -> Option<Vec<Nearest>> {
        let values = row_of(self.rows, row);
        self.searches
            .nearest(values, self.found.neighbors(row), among, k)
    }

    /// The `k` nearest training rows of each class for a row, without classes to which a distance is undefined.
    pub(crate) fn nearest_of_each_class(
        &self,
        row: usize,
        k: usize,
    ) -> impl Iterator<Item = (i64, Vec<Nearest>)> + '_ {
        let of = move |class| Some((class, self.nearest(row, Among::Class(class), k)?));
        self.searches
            .classes()
            .filter_map(move |(_, class)| of(class))
    }
}

/// A row of a table in standard layout.
pub(crate) fn row_of(table: &Array2<f64>, row: usize) -> &[f64] {
    let d = table.ncols();
    &table
        .as_slice()
        .expect("tables are copied in standard layout")[row * d..(row + 1) * d]
}
