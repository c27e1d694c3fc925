//! Searches for the neighbours of training rows among each other.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use ndarray::Axis;
use xai_core::{Result, parallel};
use xai_neighbors::{Nearest, Neighbors, input as searched, with_original_index};

use crate::density::{Density, NeighborIndices, OwnNeighbors};
use crate::input;
use crate::neighborhood::{Among, Wanted};
use crate::searches::{BLOCK, Searches, blocks, row_of};

impl Searches {
    fn own(&self) -> MutexGuard<'_, OwnNeighbors> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The density of the training rows by the `k` nearest others of each; `None` if a distance between them is
    /// undefined.
    pub(crate) fn density(&self, k: usize) -> Result<Option<Arc<Density>>> {
        let known = self
            .own()
            .densities
            .iter()
            .find(|(of, _)| *of == k)
            .map(|of| Arc::clone(&of.1));
        if known.is_some() {
            return Ok(known);
        }
        // Defined only if the columns in question have one value in all training rows, of whatever class.
        let mut constants = self.constants.iter();
        if !constants.all(|of_class| *of_class == self.constants[0] && !of_class.contains(&None)) {
            return Ok(None);
        }
        // In one search through all classes, every other answer about the training rows is found, too.
        let n = self.train.nrows();
        let wanted = Wanted::all(k);
        let mut neighbors = NeighborIndices::default();
        let mut within: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        let mut unlike = vec![f64::INFINITY; n];
        let indices: Vec<usize> = (0..n).collect();
        for block in blocks(n) {
            let mut found: Vec<Vec<Nearest>> = vec![Vec::new(); block.len()];
            let select = |found| wanted.select(found, None, |_| 0);
            let mut add = |row: usize, nearest: Neighbors| {
                found[row].extend(nearest);
                // With many classes, those that are too far are dropped on the way.
                if found[row].len() / 4 > k {
                    found[row] = select(std::mem::take(&mut found[row]));
                }
            };
            for (position, class) in self.classes() {
                let (own, others): (Vec<usize>, Vec<usize>) = indices[block.clone()]
                    .iter()
                    .partition(|&&row| self.labels[row] == class);
                let nearest = self.leave_one_out(position, &own, k)?;
                let distances = nearest.iter().filter_map(|near| near.first());
                within
                    .entry(class)
                    .or_default()
                    .extend(distances.map(|near| near.distance));
                for (&row, nearest) in own.iter().zip(nearest) {
                    add(row - block.start, nearest);
                }
                let nearest = self.nearest_of_training_rows(position, &others, k)?;
                for (&row, nearest) in others.iter().zip(nearest) {
                    let distance = nearest.first().map_or(f64::INFINITY, |near| near.distance);
                    unlike[row] = unlike[row].min(distance);
                    add(row - block.start, nearest);
                }
            }
            let found = parallel::map_owned(found, |_, found| select(found));
            for found in found {
                neighbors.push(&found);
            }
        }
        let distance = |row: usize, index: usize| {
            let pair = (row_of(&self.train, row), row_of(&self.train, index));
            self.distance.between(pair.0, pair.1).unwrap_or(0.0)
        };
        let density = Arc::new(Density::new(neighbors, distance));
        let mut own = self.own();
        own.densities.push((k, Arc::clone(&density)));
        own.within = within
            .into_iter()
            .map(|(class, of)| (class, Arc::new(of)))
            .collect();
        own.unlike = unlike;
        Ok(Some(density))
    }

    fn leave_one_out(&self, position: usize, rows: &[usize], k: usize) -> Result<Vec<Neighbors>> {
        let values = self.train.select(Axis(0), rows);
        let found = self.engines.leave_one_out(position, values.view(), rows, k);
        found.map_err(|error| {
            with_original_index(error, rows).renamed(searched::QUERIES, input::TRAIN)
        })
    }

    fn nearest_of_training_rows(
        &self,
        position: usize,
        rows: &[usize],
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        let values = self.train.select(Axis(0), rows);
        let found = self.engines.nearest_batch(position, values.view(), k);
        found.map_err(|error| {
            with_original_index(error, rows).renamed(searched::QUERIES, input::TRAIN)
        })
    }

    /// The position of a class of at least two rows, whose distances are defined.
    fn comparable(&self, class: i64) -> Option<usize> {
        let position = self.engines.position_of(class)?;
        let is_defined = !self.constants[position].contains(&None);
        (is_defined && self.engines.indices(position).len() > 1).then_some(position)
    }

    /// Distance of each training row of a class to the nearest other one of the class; `None` if a distance is
    /// undefined or there are fewer than two.
    pub(crate) fn nearest_within(&self, class: i64) -> Result<Option<Arc<Vec<f64>>>> {
        let Some(position) = self.comparable(class) else {
            return Ok(None);
        };
        let known = self.own().within.get(&class).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let rows = self.engines.indices(position);
        let mut distances = Vec::with_capacity(rows.len());
        for block in blocks(rows.len()) {
            let nearest = self.leave_one_out(position, &rows[block], 1)?;
            distances.extend(
                nearest
                    .iter()
                    .filter_map(|near| Some(near.first()?.distance)),
            );
        }
        let distances = Arc::new(distances);
        self.own().within.insert(class, Arc::clone(&distances));
        Ok(Some(distances))
    }

    /// For each training row of a class, whether its connected component has at least `min_size` rows, two rows being
    /// connected within `radius`. The class must have [nearest distances](Self::nearest_within).
    pub(crate) fn is_in_component(
        &self,
        class: i64,
        radius: f64,
        min_size: usize,
        nearest: &[f64],
    ) -> Result<Vec<bool>> {
        if min_size <= 2 {
            return Ok(nearest
                .iter()
                .map(|&nearest| min_size < 2 || nearest <= radius)
                .collect());
        }
        let Some(position) = self.comparable(class) else {
            return Ok(Vec::new());
        };
        if min_size > nearest.len() {
            return Ok(vec![false; nearest.len()]);
        }
        // If the last of `min_size − 1` other rows lies within the radius, the component is large enough. Otherwise
        // they include all rows within the radius. So the sizes up to `min_size` follow from these rows.
        let rows = self.engines.indices(position);
        let mut components = Components::new(rows.len());
        for block in blocks(rows.len()) {
            let nearest = self.leave_one_out(position, &rows[block.clone()], min_size - 1)?;
            for (row, nearest) in block.zip(nearest) {
                for near in nearest.iter().take_while(|near| near.distance <= radius) {
                    let other = rows.partition_point(|&index| index < near.index);
                    components.connect(row, other);
                }
            }
        }
        let sizes = components.sizes();
        Ok(sizes.into_iter().map(|size| size >= min_size).collect())
    }

    /// Distances of training rows to the nearest one of another class; `None` if there is none, or a distance is
    /// undefined.
    pub(crate) fn nearest_unlike(&self, rows: &[usize]) -> Result<Vec<Option<f64>>> {
        let mut unknown: Vec<usize> = {
            let own = self.own();
            let is_unknown = |row: &usize| own.unlike.get(*row).is_none_or(|of| of.is_nan());
            rows.iter().copied().filter(is_unknown).collect()
        };
        unknown.sort_unstable();
        unknown.dedup();
        let wanted = Wanted::others(1);
        let mut found = Vec::with_capacity(unknown.len());
        for block in unknown.chunks(BLOCK) {
            let values = self.train.select(Axis(0), block);
            let classes: Vec<i64> = block.iter().map(|&row| self.labels[row]).collect();
            let nearest = self.search(input::TRAIN, values.view(), Some(&classes), wanted)?;
            for (i, class) in classes.into_iter().enumerate() {
                let near = self.nearest(
                    row_of(&values, i),
                    nearest.neighbors(i),
                    Among::Except(class),
                    1,
                );
                found.push(near.map_or(f64::INFINITY, |near| near[0].distance));
            }
        }
        let mut own = self.own();
        if own.unlike.is_empty() {
            own.unlike = vec![f64::NAN; self.train.nrows()];
        }
        for (row, distance) in unknown.into_iter().zip(found) {
            own.unlike[row] = distance;
        }
        let distance = |&row: &usize| Some(own.unlike[row]).filter(|distance| distance.is_finite());
        Ok(rows.iter().map(distance).collect())
    }
}

/// Connected components of a graph as a forest of union-find.
struct Components(Vec<usize>);

impl Components {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    /// The root of a node, with paths halved on the way.
    fn root(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    fn connect(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b;
    }

    /// Size of the component of each node.
    fn sizes(mut self) -> Vec<usize> {
        let roots: Vec<usize> = (0..self.0.len()).map(|node| self.root(node)).collect();
        let mut sizes = vec![0; roots.len()];
        for &root in &roots {
            sizes[root] += 1;
        }
        roots.into_iter().map(|root| sizes[root]).collect()
    }
}
