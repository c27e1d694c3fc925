//! Noisy copies of every sample, explained again.

use ndarray::{ArrayViewD, IxDyn};
use xai_core::number::check_finite_slice;
use xai_core::random::{random_stream, uniform};
use xai_core::tensor::Rows;
use xai_core::{Error, Real, Result, parallel};

use crate::batch::explained::{ExplainedBatch, MapWork};
use crate::batch::run_data::RunData;
use crate::batch::samples::SampleBatch;
use crate::input;
use crate::map::distance::MapDistance;
use crate::map::positions::for_each_row;
use crate::model::targets::Targets;

/// Where the neighbours of a sample are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Neighborhood {
    /// Every element grows by a uniform number in [0, radius): what the peer draws.
    #[default]
    Above,
    /// Every element moves by a uniform number in [−radius, radius): a cube around the input.
    Around,
}

/// Noisy copies of every sample: each of a stream of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbors {
    /// The largest change of an element, positive, in the unit of the inputs.
    pub radius: f64,
    /// The number of neighbours per sample, 1 to 16 777 216.
    pub n_neighbors: usize,
    /// Where they are drawn.
    pub neighborhood: Neighborhood,
    /// What they depend on.
    pub seed: u64,
}

impl Neighbors {
    /// Checks the parameters: what a metric does once per run.
    ///
    /// # Errors
    /// An invalid parameter, about the radius or the number of neighbours.
    pub fn prepare<T: Real>(&self, _run: &RunData<'_, T>) -> Result<()> {
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            let expected = "a positive, finite number";
            return Err(Error::parameter(input::RADIUS, self.radius, expected));
        }
        if !(1..=1 << 24).contains(&self.n_neighbors) {
            let expected = "1 to 16 777 216";
            return Err(Error::parameter(
                input::N_NEIGHBORS,
                self.n_neighbors,
                expected,
            ));
        }
        Ok(())
    }

    /// Some neighbours of a batch, in row-major order: neighbour `j` of sample `i` is row
    /// `i · n_neighbors + j`.
    ///
    /// # Errors
    /// Not finite, where the radius is beyond the precision of the inputs.
    pub fn rows<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        rows: std::ops::Range<usize>,
    ) -> Result<Vec<T>> {
        let (inputs, size) = (batch.values(), batch.run().positions().size());
        let first_item = batch.item(0).wrapping_mul(self.n_neighbors as u64);
        let mut neighbors = vec![T::zero(); rows.len() * size];
        for_each_row(&mut neighbors, size, |row, values| {
            let row = rows.start + row;
            let sample = row / self.n_neighbors;
            let mut stream = random_stream(self.seed, first_item.wrapping_add(row as u64));
            let input = &inputs[sample * size..(sample + 1) * size];
            for (to, &from) in values.iter_mut().zip(input) {
                let noise = match self.neighborhood {
                    Neighborhood::Above => uniform(&mut stream),
                    Neighborhood::Around => 2.0 * uniform(&mut stream) - 1.0,
                };
                *to = from + T::from_f64_nearest(self.radius * noise);
            }
        });
        check_finite_slice(input::NEIGHBORS, &neighbors)?;
        Ok(neighbors)
    }
}

/// The distances of the maps of all neighbours from those of their samples: `n_neighbors` per
/// sample. The explainer is called with at most the batch size of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighborDistances {
    /// Which neighbours.
    pub neighbors: Neighbors,
    /// How far apart two maps are.
    pub distance: MapDistance,
}

impl<T: Real> MapWork<T> for NeighborDistances {
    type Output = Vec<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let targets = batch.targets();
        let maps = Rows::of_samples(explained.maps()?);
        let n_rows = batch.n_samples() * self.neighbors.n_neighbors;
        let mut distances = Vec::with_capacity(n_rows);
        for first in (0..n_rows).step_by(batch.batch_size()) {
            let rows = first..first.saturating_add(batch.batch_size()).min(n_rows);
            distances.extend(self.of_rows(explained, &targets, &maps, rows)?);
        }
        Ok(distances)
    }
}

impl NeighborDistances {
    /// The distances of some neighbours, in one call of the explainer.
    fn of_rows<T: Real>(
        &self,
        explained: &ExplainedBatch<'_, T>,
        targets: &Targets,
        maps: &Rows<'_, T>,
        rows: std::ops::Range<usize>,
    ) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let start = batch.samples().start;
        let neighbors = self.neighbors.rows(batch, rows.clone())?;
        let mut shape = batch.shape();
        shape[0] = rows.len();
        let sample_of: Vec<usize> = rows.map(|row| row / self.neighbors.n_neighbors).collect();
        let view = ArrayViewD::from_shape(IxDyn(&shape), &neighbors)
            .map_err(|_| Error::shape(input::NEIGHBORS, &shape, &[neighbors.len()]))?;
        let (low, high) = (sample_of[0], sample_of[sample_of.len() - 1]);
        let call = format!(
            "neighbours of samples {}..{}",
            start + low,
            start + high + 1
        );
        let answer = explained.explain(view, &targets.gather(&sample_of), &call)?;
        let answer = Rows::of_samples(answer.view());
        if answer.n_columns() != maps.n_columns() {
            let expected = [answer.n_rows(), maps.n_columns()];
            let actual = [answer.n_rows(), answer.n_columns()];
            return Err(Error::shape(input::EXPLANATIONS, &expected, &actual).owner(call));
        }
        let double =
            |values: &[T]| -> Vec<f64> { values.iter().map(|x| x.to_f64_exact()).collect() };
        let distances = parallel::map(sample_of.len(), |row| {
            let (map, neighbor) = (maps.row(sample_of[row]), answer.row(row));
            self.distance.between(&double(map), &double(neighbor))
        });
        match distances.iter().position(|d| !d.is_finite()) {
            None => Ok(distances),
            Some(row) => Err(Error::non_finite(
                input::MAP_DISTANCES,
                &[start + sample_of[row]],
            )),
        }
    }
}
