//! The nearest training rows of a block of samples, chunk by chunk of the training table.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::Result;
use ndarray::{Array2, ArrayView2};
use xai_casebased::Engine;
use xai_casebased::training::Standardization;
use xai_core::Distance;

use crate::casebased::near_cases::{NearCase, NearCases};
use crate::casebased::partitions::{FeatureRows, NAME, different_lengths};
use crate::function::failed;

/// Values of features that are searched at a time: 16 MiB of training rows. A table whose file has one row group is
/// one partition; its chunks are searched by all cores, and a tree over a larger chunk leaves out more of it.
const CHUNK: usize = 1 << 21;

/// From so many samples on, the engine that does less work is chosen, as by an explainer. For fewer a scan is less
/// work than growing a tree.
const MANY_SAMPLES: usize = 256;

/// The samples that are searched for: rows without NULL, standardised if there is a standardization.
pub(crate) struct Samples {
    rows: Array2<f64>,
    /// The place of every sample among them; `None` where a value is NULL.
    places: Vec<Option<usize>>,
    standardization: Option<Arc<Standardization>>,
    distance: Distance,
    k: usize,
}

impl Samples {
    pub(crate) fn new(
        block: &[FeatureRows],
        standardization: Option<Arc<Standardization>>,
        distance: &Distance,
        k: usize,
    ) -> Result<Self> {
        let (mut values, mut places, mut n_features) = (Vec::new(), Vec::new(), None);
        let mut n_whole = 0;
        for rows in block {
            let features = rows.features();
            for row in 0..rows.len() {
                if !rows.is_whole[row] {
                    places.push(None);
                    continue;
                }
                let features = features.row(row);
                let expected = *n_features.get_or_insert(features.len());
                if features.len() != expected {
                    return different_lengths(features.len(), expected);
                }
                values.extend_from_slice(features);
                places.push(Some(n_whole));
                n_whole += 1;
            }
        }
        let rows = Array2::from_shape_vec((n_whole, n_features.unwrap_or_default()), values)
            .expect("every row has added as many features");
        let rows = match &standardization {
            Some(standardization) if n_whole > 0 => standardization
                .apply(rows.view())
                .map_err(|error| failed(NAME, error))?,
            _ => rows,
        };
        let distance = distance.clone();
        Ok(Self {
            rows,
            places,
            standardization,
            distance,
            k,
        })
    }

    pub(crate) fn n_null(&self) -> u64 {
        self.places.iter().filter(|place| place.is_none()).count() as u64
    }
}

/// The nearest of each sample so far, and the training rows that are not searched yet.
#[derive(Default)]
pub(crate) struct BlockSearch {
    nearest: Vec<NearCases>,
    /// (id, label), and as many features each.
    cases: Vec<(i64, i64)>,
    features: Vec<f64>,
    classes: BTreeSet<i64>,
    n_null: u64,
}

impl BlockSearch {
    pub(crate) fn n_null(&self) -> u64 {
        self.n_null
    }

    /// The classes of the training rows, ascending.
    pub(crate) fn classes(&self) -> Vec<i64> {
        self.classes.iter().copied().collect()
    }

    pub(crate) fn add(&mut self, samples: &Samples, rows: FeatureRows) -> Result<()> {
        let features = rows.features();
        for row in 0..rows.len() {
            if !rows.is_whole[row] {
                self.n_null += 1;
                continue;
            }
            let features = features.row(row);
            let expected = match self.cases.len() {
                0 => features.len(),
                n => self.features.len() / n,
            };
            if features.len() != expected {
                return different_lengths(features.len(), expected);
            }
            self.classes.insert(rows.class(row));
            self.cases.push((rows.id(row), rows.class(row)));
            self.features.extend_from_slice(features);
            if self.features.len().max(self.cases.len()) >= CHUNK {
                self.search(samples)?;
            }
        }
        Ok(())
    }

    /// Searches what is left.
    pub(crate) fn finish(&mut self, samples: &Samples) -> Result<()> {
        self.search(samples)
    }

    pub(crate) fn merge(&mut self, other: Self, k: usize) {
        self.n_null += other.n_null;
        self.classes.extend(other.classes);
        self.nearest.resize_with(
            self.nearest.len().max(other.nearest.len()),
            NearCases::default,
        );
        for (mine, theirs) in self.nearest.iter_mut().zip(other.nearest) {
            for &case in theirs.cases() {
                mine.add(case, k);
            }
        }
    }

    /// The nearest of every sample; `None` where a value of it is NULL.
    pub(crate) fn nearest(&mut self, samples: &Samples) -> Vec<Option<Vec<NearCase>>> {
        for nearest in &mut self.nearest {
            nearest.keep(samples.k);
        }
        let of_place = |place: usize| self.nearest.get(place).map(|cases| cases.cases().to_vec());
        let places = samples.places.iter();
        places
            .map(|place| Some(of_place((*place)?).unwrap_or_default()))
            .collect()
    }

    fn search(&mut self, samples: &Samples) -> Result<()> {
        let n = self.cases.len();
        if n == 0 || samples.rows.nrows() == 0 {
            self.cases.clear();
            self.features.clear();
            return Ok(());
        }
        // In the order of the ids, so that the search takes the lower id of equal distances.
        let n_features = self.features.len() / n;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by_key(|&at| self.cases[at].0);
        let rows = ArrayView2::from_shape((n, n_features), &self.features)
            .expect("every row has added as many features")
            .select(ndarray::Axis(0), &order);
        let nearest = self
            .search_rows(samples, rows)
            .map_err(|error| failed(NAME, error))?;
        self.nearest
            .resize_with(samples.rows.nrows(), NearCases::default);
        for (mine, found) in self.nearest.iter_mut().zip(nearest) {
            for (at, distance) in found {
                let (id, label) = self.cases[order[at]];
                mine.add(
                    NearCase {
                        distance,
                        id,
                        label,
                    },
                    samples.k,
                );
            }
        }
        self.cases.clear();
        self.features.clear();
        Ok(())
    }

    fn search_rows(
        &self,
        samples: &Samples,
        rows: Array2<f64>,
    ) -> xai_core::Result<Vec<Vec<(usize, f64)>>> {
        xai_core::number::check_finite(xai_casebased::input::TRAIN, rows.view())?;
        let rows = match &samples.standardization {
            Some(standardization) => standardization.apply(rows.view())?,
            None => rows,
        };
        let engine = match samples.rows.nrows() {
            MANY_SAMPLES.. => Engine::Auto,
            _ => Engine::BruteForce,
        };
        let search = engine.build_for(rows.view(), samples.distance.clone(), samples.k)?;
        let found = search.nearest_batch(samples.rows.view(), samples.k)?;
        let pairs = |list: xai_casebased::search::Neighbors| {
            list.into_iter()
                .map(|near| (near.index, near.distance))
                .collect()
        };
        Ok(found.into_iter().map(pairs).collect())
    }
}
