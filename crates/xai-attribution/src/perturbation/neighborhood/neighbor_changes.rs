//! Distances of inputs, outputs and maps of neighbours from those of their samples.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, ArrayD, ArrayViewD, IxDyn};
use xai_core::describe::Parameters;
use xai_core::number::check_finite;
use xai_core::output::arg_max;
use xai_core::tensor::Rows;
use xai_core::text::numbered_range;
use xai_core::{Error, Input, InputLayout, Real, Result, parallel};

use crate::batch::{BatchWork, ExplainedBatch, MapWork, Plan, SampleBatch};
use crate::input;
use crate::map::MapDistance;
use crate::model::explainer::error_of_row;
use crate::model::{BoxError, Function};
use crate::perturbation::neighborhood::neighbors::AT_ONCE;
use crate::perturbation::{NeighborSet, Neighbors};
use crate::side::SideInput;

/// Distances of the maps of all neighbours from those of their samples: one per neighbour, sample by sample. NaN if
/// the distance is undefined, and between two maps of zeros. The explainer is called with at most the batch size of
/// inputs.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct NeighborDistances<N = Neighbors> {
    /// Neighbours of every sample.
    #[param(flatten)]
    pub neighbors: N,
    /// Distance of two maps.
    pub distance: MapDistance,
}

impl<T: Real, N: NeighborSet> MapWork<T> for NeighborDistances<N> {
    type Output = Vec<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let maps = Rows::from_samples(explained.maps()?);
        // NaN means "undefined" for the built-in distances. From a custom function it is an error, like infinity.
        let is_custom = matches!(self.distance, MapDistance::Function(_));
        let defined = |d: f64| {
            if is_custom && d.is_nan() {
                f64::INFINITY
            } else {
                d
            }
        };
        // The distance of two maps of zeros is undefined, not 0: an explainer without any attribution should not count
        // as the most stable one.
        let is_zero = |map: &[f64]| map.iter().all(|&x| x == 0.0);
        let distances = in_calls(batch, &self.neighbors, |rows, count| {
            let answer = maps_of_neighbors(explained, &self.neighbors, rows.clone(), count)?;
            let neighbor_maps = Rows::from_samples(answer.view());
            Ok(parallel::map(rows.len(), |row| {
                let sample = (rows.start + row) / count;
                let (map, neighbor) = (double(maps.row(sample)), double(neighbor_maps.row(row)));
                if is_zero(&map) && is_zero(&neighbor) {
                    f64::NAN
                } else {
                    defined(self.distance.between(&map, &neighbor))
                }
            }))
        })?;
        let count = self.neighbors.count(batch.dataset())?;
        match distances.iter().position(|d| d.is_infinite()) {
            None => Ok(distances),
            Some(row) => {
                let sample = batch.samples().start + row / count;
                Err(Error::non_finite(input::MAP_DISTANCES, &[sample]))
            }
        }
    }
}

impl<N: NeighborSet> NeighborDistances<N> {
    /// Adds the planned rows of this work.
    ///
    /// # Errors
    /// As [`NeighborSet::count`].
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let count = self.neighbors.count(plan.dataset())?;
        plan.maps();
        plan.explained(self, plan.n_samples() * count as u64);
        Ok(())
    }

    /// Largest ratio of the distance of maps to the Euclidean distance of inputs, over the neighbours of each sample.
    /// Neighbours equal to their sample and those with an undefined distance are left out; `None` if no neighbour
    /// remains.
    ///
    /// # Errors
    /// Errors of the explainer.
    pub(crate) fn largest_quotients<T: Real>(
        &self,
        explained: &ExplainedBatch<'_, T>,
    ) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let maps = explained.shared(self)?;
        let inputs = batch.shared(&InputChanges(Self {
            neighbors: self.neighbors.clone(),
            distance: MapDistance::L2,
        }))?;
        let quotients: Vec<f64> = maps.iter().zip(&*inputs).map(|(m, x)| m / x).collect();
        let largest = |quotients: &[f64]| {
            // 0 / 0 and x / 0 for a neighbour equal to its sample, NaN for an undefined distance.
            let defined = quotients.iter().copied().filter(|q| q.is_finite());
            defined.reduce(f64::max)
        };
        match self.neighbors.count(batch.dataset())? {
            0 => Ok(vec![None; batch.n_samples()]),
            count => Ok(quotients.chunks_exact(count).map(largest).collect()),
        }
    }
}

/// Maps of some neighbours of a batch, computed in one call of the explainer, with as many elements as the maps of
/// their samples.
pub(crate) fn maps_of_neighbors<T: Real>(
    explained: &ExplainedBatch<'_, T>,
    neighbors: &impl NeighborSet,
    rows: Range<usize>,
    count: usize,
) -> Result<ArrayD<T>> {
    let (batch, maps) = (explained.batch(), explained.maps()?);
    let start = batch.samples().start;
    let neighbors = neighbors.rows(batch, rows.clone())?;
    let mut shape = batch.shape();
    shape[0] = rows.len();
    let sample_of: Vec<usize> = rows.map(|row| row / count).collect();
    let view = ArrayViewD::from_shape(IxDyn(&shape), &neighbors)
        .map_err(|_| Error::shape(input::NEIGHBORS, &shape, &[neighbors.len()]))?;
    let (low, high) = (sample_of[0], sample_of[sample_of.len() - 1]);
    let call = format!(
        "neighbours of {}",
        numbered_range("sample", &(start + low..start + high + 1))
    );
    let targets = batch.targets().gather(&sample_of);
    let answer = explained.explain(view, &targets, |row| sample_of[row], &call)?;
    // Only the number of elements has to agree, because distances flatten the maps.
    let size = |maps: &[usize]| maps[1..].iter().product::<usize>();
    if size(answer.shape()) != size(maps.shape()) {
        let expected = [&answer.shape()[..1], &maps.shape()[1..]].concat();
        return Err(Error::shape(input::EXPLANATIONS, &expected, answer.shape()).owner(call));
    }
    Ok(answer)
}

/// Distances of all neighbours from their samples; NaN if undefined.
#[derive(Debug, Clone, PartialEq)]
pub struct InputChanges<N = Neighbors>(pub NeighborDistances<N>);

impl<T: Real, N: NeighborSet> BatchWork<T> for InputChanges<N> {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let size = batch.dataset().positions().size();
        in_calls(batch, &self.0.neighbors, |rows, count| {
            let neighbors = self.0.neighbors.rows(batch, rows.clone())?;
            let inputs = batch.values();
            Ok(parallel::map(rows.len(), |row| {
                let sample = (rows.start + row) / count;
                let input = &inputs[sample * size..(sample + 1) * size];
                let neighbor = &neighbors[row * size..(row + 1) * size];
                self.0.distance.between(&double(input), &double(neighbor))
            }))
        })
    }
}

/// Distances of the outputs for all neighbours from those for their samples, and whether the predicted class is the
/// same. Calls the model with one row per neighbour and one per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputChanges(pub Neighbors);

/// Changes of the outputs from samples to their neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputsOfNeighbors {
    /// `√Σ (h − h')²` of the outputs after the activation, per neighbour.
    pub distances: Vec<f64>,
    /// `√Σ h²` of the outputs for the sample, per neighbour.
    pub sizes: Vec<f64>,
    /// True where the predicted class is that of the sample, per neighbour.
    pub same_prediction: Vec<bool>,
}

impl OutputChanges {
    /// Adds the planned rows of this work.
    ///
    /// # Errors
    /// As [`Neighbors::count`].
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let count = self.0.count(plan.dataset())?;
        plan.base_scores();
        plan.once(self, plan.n_samples() * count as u64);
        Ok(())
    }
}

impl<T: Real> BatchWork<T> for OutputChanges {
    type Output = OutputsOfNeighbors;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<OutputsOfNeighbors> {
        let classified = |outputs: ndarray::ArrayView1<'_, f64>| {
            let mut outputs = outputs.to_vec();
            // The class is read before the activation, which may round different outputs to equal ones.
            let class = arg_max(&outputs);
            batch.dataset().scoring().activation.apply_row(&mut outputs);
            (class, outputs)
        };
        let classified_with_size = |outputs: ndarray::ArrayView1<'_, f64>| {
            let (class, outputs) = classified(outputs);
            let size = MapDistance::L2.between(&outputs, &vec![0.0; outputs.len()]);
            (class, outputs, size)
        };
        let base: Vec<(Option<usize>, Vec<f64>, f64)> = batch
            .base_outputs()?
            .outer_iter()
            .map(classified_with_size)
            .collect();
        let changes = in_calls(batch, &self.0, |rows, count| {
            let neighbors = self.0.rows(batch, rows.clone())?;
            let sample_of = |row: usize| (rows.start + row) / count;
            let outputs = batch.outputs_for_samples(&neighbors, sample_of, ", neighbours")?;
            let change = |(row, outputs): (usize, ndarray::ArrayView1<'_, f64>)| {
                let (class, base, size) = &base[sample_of(row)];
                let (class_of_neighbor, outputs) = classified(outputs);
                let distance = MapDistance::L2.between(base, &outputs);
                (distance, *size, *class == class_of_neighbor)
            };
            Ok(outputs.outer_iter().enumerate().map(change).collect())
        })?;
        Ok(OutputsOfNeighbors {
            distances: changes.iter().map(|change| change.0).collect(),
            sizes: changes.iter().map(|change| change.1).collect(),
            same_prediction: changes.iter().map(|change| change.2).collect(),
        })
    }
}

/// Drops of the score from samples to their neighbours: one per neighbour, sample by sample. Calls the model with one
/// row per neighbour and one per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighborDrops(pub Neighbors);

impl NeighborDrops {
    /// Adds the planned rows of this work.
    ///
    /// # Errors
    /// As [`Neighbors::count`].
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let count = self.0.count(plan.dataset())?;
        plan.base_scores();
        plan.once(self, plan.n_samples() * count as u64);
        Ok(())
    }
}

impl<T: Real> BatchWork<T> for NeighborDrops {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        self.compute_with(batch, |_, _| ())
    }
}

impl NeighborDrops {
    /// Computes the drops, and passes all neighbours to `visit` before the model is called: the index of the first of
    /// some rows, and these rows. `visit` runs on any thread.
    pub(crate) fn compute_with<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        visit: impl Fn(usize, &[T]) + Send + Sync,
    ) -> Result<Vec<f64>> {
        let source = self.0.source(batch)?;
        let (count, scorer) = (source.count, batch.scorer());
        let scores = batch.call_with_rows(
            batch.n_samples() * count,
            AT_ONCE,
            |first, rows| {
                source.write(first, rows);
                visit(first, rows);
            },
            |first, rows, model| {
                scorer.scores(model, rows, &|row| (first + row) / count, ", neighbours")
            },
        );
        // First, because a neighbour that is not finite may be the reason why the model failed.
        source.check()?;
        let (scores, base) = (scores?, batch.base_scores()?.iter());
        let drops = base.zip(scores.chunks_exact(count));
        Ok(drops
            .flat_map(|(base, scores)| scores.iter().map(move |score| base - score))
            .collect())
    }
}

/// Function from a batch of inputs to the outputs of a layer, `(batch, units)`.
pub type RepresentationFunction =
    Function<dyn Fn(ArrayViewD<'_, f64>) -> Result<Array2<f64>, BoxError> + Send + Sync>;

/// A layer of the model, for metrics of representations.
#[derive(Debug, Clone)]
pub struct Representation(pub RepresentationFunction);

impl Representation {
    /// Creates a representation from a function of a batch of inputs, samples on the first axis.
    pub fn from_fn<E: Into<BoxError>>(
        layer: impl Fn(ArrayViewD<'_, f64>) -> Result<Array2<f64>, E> + Send + Sync + 'static,
    ) -> Self {
        Self(Function(Arc::new(move |batch| {
            layer(batch).map_err(Into::into)
        })))
    }

    fn outputs<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        values: &[T],
        n: usize,
        sample_of: impl Fn(usize) -> usize,
    ) -> Result<Array2<f64>> {
        let mut shape = batch.shape();
        shape[0] = n;
        let values: Vec<f64> = double(values);
        let rows = ArrayD::from_shape_vec(IxDyn(&shape), values)
            .map_err(|_| Error::shape(input::REPRESENTATION, &shape, &[n]))?;
        let call = "representation of neighbours";
        let answer = (self.0)(rows.view()).map_err(|source| Error::model(call, source))?;
        if answer.nrows() != n {
            let expected = [n, answer.ncols()];
            return Err(Error::shape(
                input::REPRESENTATION,
                &expected,
                answer.shape(),
            ));
        }
        let sample = |row| batch.samples().start + sample_of(row);
        check_finite(input::REPRESENTATION, answer.view())
            .map_err(|error| error_of_row(error, &sample, call))?;
        Ok(answer)
    }
}

impl SideInput for Representation {
    const INPUT: Input = input::REPRESENTATION;

    fn check(&self, _shape: &[usize], _layout: InputLayout) -> Result<()> {
        Ok(())
    }
}

/// Distances of the representations of all neighbours from those of their samples; NaN if undefined.
#[derive(Debug, Clone, PartialEq)]
pub struct RepresentationChanges(pub NeighborDistances);

impl<T: Real> BatchWork<T> for RepresentationChanges {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let layer = batch.dataset().side::<Representation>()?;
        let base = layer.outputs(batch, batch.values(), batch.n_samples(), |row| row)?;
        in_calls(batch, &self.0.neighbors, |rows, count| {
            let neighbors = self.0.neighbors.rows(batch, rows.clone())?;
            let sample_of = |row: usize| (rows.start + row) / count;
            let answer = layer.outputs(batch, &neighbors, rows.len(), sample_of)?;
            let change = |(row, neighbor): (usize, ndarray::ArrayView1<'_, f64>)| {
                let base = base.row(sample_of(row));
                self.0.distance.between(&base.to_vec(), &neighbor.to_vec())
            };
            Ok(answer.outer_iter().enumerate().map(change).collect())
        })
    }
}

fn double<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|x| x.to_f64_exact()).collect()
}

/// Processes all neighbours of a batch in blocks of at most the batch size.
pub(crate) fn in_calls<T: Real, V>(
    batch: &SampleBatch<'_, T>,
    neighbors: &impl NeighborSet,
    work: impl Fn(Range<usize>, usize) -> Result<Vec<V>>,
) -> Result<Vec<V>> {
    let count = neighbors.count(batch.dataset())?;
    let n_rows = batch.n_samples() * count;
    let mut values = Vec::with_capacity(n_rows);
    for first in (0..n_rows).step_by(batch.batch_size()) {
        let rows = first..first.saturating_add(batch.batch_size()).min(n_rows);
        values.extend(work(rows, count)?);
    }
    Ok(values)
}
