//! Copies of every sample near it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{ArrayD, ArrayView, ArrayViewMut, Axis, IxDyn, Slice};
use xai_core::describe::{Parameter, Parameters};
use xai_core::number::check_finite_slice;
use xai_core::random::{NormalStreams, Xoshiro256PlusPlus, random_stream, uniform};
use xai_core::{Error, Input, Layout, Real, Result};

use crate::batch::{RunData, SampleBatch, SideInput};
use crate::rows::for_each_row;
use crate::{help, input};

/// Where the neighbours of a sample are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Neighborhood {
    /// Every element grows by a uniform number in [0, radius): what Xplique draws.
    #[default]
    Above,
    /// Every element moves by a uniform number in [−radius, radius): a cube around the input.
    Around,
    /// Every element moves by a normal number whose standard deviation is the radius.
    Gaussian,
    /// Those of [`GivenNeighbors`], which also say their number: to repeat another tool's run.
    #[param(skip)]
    Given,
}

/// Noise that was drawn elsewhere, added to the inputs: `(draws, n, …)` with the axes of one sample, or
/// its elements in row-major order, behind.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenNeighbors(pub ArrayD<f64>);

impl SideInput for GivenNeighbors {
    const INPUT: Input = input::NEIGHBORS;

    fn check(&self, shape: &[usize], _layout: Layout) -> Result<()> {
        let size: usize = shape[1..].iter().product();
        let fits = match self.0.shape() {
            [draws, n, rest @ ..] => {
                *draws > 0 && *n == shape[0] && rest.iter().product::<usize>() == size
            }
            _ => false,
        };
        if !fits {
            let expected = format!("(draws, {}, {size} elements)", shape[0]);
            return Err(Error::shape_described(
                Self::INPUT,
                expected,
                self.0.shape(),
            ));
        }
        xai_core::number::check_finite(Self::INPUT, self.0.view())
    }
}

/// Noisy copies of every sample: each of a stream of its own.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Neighbors {
    /// The largest change of an element (of gaussian neighbours its standard deviation), in the unit of the inputs.
    #[param(above = 0)]
    pub radius: f64,
    /// The number of neighbours per sample.
    #[param(at_least = 1, at_most = 1 << 24)]
    pub n_neighbors: usize,
    /// Where the neighbours are drawn.
    pub neighborhood: Neighborhood,
    /// What random choices depend on.
    pub seed: u64,
}

impl Default for Neighbors {
    /// 20 within 0.1, seed 1.
    fn default() -> Self {
        Self {
            radius: 0.1,
            n_neighbors: 20,
            neighborhood: Neighborhood::default(),
            seed: 1,
        }
    }
}

impl Neighbors {
    /// Checks the parameters: what a metric does once per run.
    ///
    /// # Errors
    /// An invalid parameter, about the radius or the number of neighbours; empty, where they were to be
    /// given.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        if self.neighborhood == Neighborhood::Given {
            return run.side::<GivenNeighbors>().map(drop);
        }
        run.refuse_masked_model()?;
        self.check_params()
    }

    /// The number of neighbours of each sample.
    ///
    /// # Errors
    /// Empty, where they were to be given.
    pub fn count<T: Real>(&self, run: &RunData<'_, T>) -> Result<usize> {
        match self.neighborhood {
            Neighborhood::Given => Ok(run.side::<GivenNeighbors>()?.0.shape()[0]),
            _ => Ok(self.n_neighbors),
        }
    }

    /// Some neighbours of a batch, in row-major order: neighbour `j` of sample `i` is row
    /// `i · count + j`.
    ///
    /// # Errors
    /// Not finite, where the radius is beyond the precision of the inputs.
    pub fn rows<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        rows: std::ops::Range<usize>,
    ) -> Result<Vec<T>> {
        let source = self.source(batch)?;
        let size = source.size;
        let mut neighbors = vec![T::zero(); rows.len() * size];
        for_each_row(&mut neighbors, AT_ONCE * size, |block, values| {
            source.write(rows.start + block * AT_ONCE, values);
        });
        check_finite_slice(input::NEIGHBORS, &neighbors)?;
        Ok(neighbors)
    }

    /// What makes the neighbours of a batch, one by one and on any thread.
    ///
    /// # Errors
    /// Empty, where they were to be given.
    pub(crate) fn source<'a, T: Real>(
        &self,
        batch: &SampleBatch<'a, T>,
    ) -> Result<NeighborSource<'a, T>> {
        let count = self.count(batch.run())?;
        let given = match self.neighborhood {
            Neighborhood::Given => Some(batch.run().side::<GivenNeighbors>()?),
            _ => None,
        };
        Ok(NeighborSource {
            neighbors: *self,
            inputs: batch.values(),
            size: batch.run().positions().size(),
            count,
            given,
            first_sample: batch.samples().start,
            first_item: batch.item(0).wrapping_mul(count as u64),
            is_finite: AtomicBool::new(true),
        })
    }
}

/// How many normal neighbours are written together.
pub(crate) const AT_ONCE: usize = NormalStreams::COUNT;

/// The neighbours of a batch, made when they are asked for.
pub(crate) struct NeighborSource<'a, T> {
    neighbors: Neighbors,
    inputs: &'a [T],
    size: usize,
    /// Neighbours per sample.
    pub(crate) count: usize,
    given: Option<&'a GivenNeighbors>,
    first_sample: usize,
    first_item: u64,
    is_finite: AtomicBool,
}

impl<T: Real> NeighborSource<'_, T> {
    /// Writes some neighbours, from that of a row on: `row % count` of sample `row / count`. Normal ones take the least
    /// time when they are [`AT_ONCE`].
    pub(crate) fn write(&self, first: usize, values: &mut [T]) {
        let rows = (first..).zip(values.chunks_exact_mut(self.size));
        match (self.given, self.neighbors.neighborhood) {
            (Some(GivenNeighbors(noise)), _) => {
                for (row, values) in rows {
                    let noise = noise.index_axis(ndarray::Axis(0), row % self.count);
                    let sample = self.first_sample + row / self.count;
                    let noise = noise.index_axis(ndarray::Axis(0), sample);
                    let elements = values.iter_mut().zip(self.input(row));
                    for ((to, &from), &noise) in elements.zip(&noise) {
                        *to = from + T::from_f64_nearest(noise);
                    }
                }
            }
            (None, Neighborhood::Gaussian) => {
                for (block, values) in values.chunks_mut(AT_ONCE * self.size).enumerate() {
                    self.write_normal(first + block * AT_ONCE, values);
                }
            }
            (None, neighborhood) => {
                for (row, values) in rows {
                    let mut stream = self.stream(row);
                    for (to, &from) in values.iter_mut().zip(self.input(row)) {
                        let noise = match neighborhood {
                            Neighborhood::Around => 2.0 * uniform(&mut stream) - 1.0,
                            _ => uniform(&mut stream),
                        };
                        *to = from + T::from_f64_nearest(self.neighbors.radius * noise);
                    }
                }
            }
        }
        if !values.iter().all(|value| value.is_finite()) {
            self.is_finite.store(false, Ordering::Relaxed);
        }
    }

    /// Writes at most [`AT_ONCE`] normal neighbours.
    fn write_normal(&self, first: usize, values: &mut [T]) {
        let mut streams = NormalStreams::new(std::array::from_fn(|row| self.stream(first + row)));
        // Small enough to stay in the cache next to the processor.
        let mut numbers = [[0.0; AT_ONCE]; 64];
        for start in (0..self.size).step_by(numbers.len()) {
            let elements = start..(start + numbers.len()).min(self.size);
            let numbers = &mut numbers[..elements.len()];
            streams.fill(numbers);
            for (row, values) in values.chunks_exact_mut(self.size).enumerate() {
                let from = &self.input(first + row)[elements.clone()];
                let to = values[elements.clone()].iter_mut().zip(from);
                for ((to, &from), numbers) in to.zip(&*numbers) {
                    *to = from + T::from_f64_nearest(self.neighbors.radius * numbers[row]);
                }
            }
        }
    }

    fn stream(&self, row: usize) -> Xoshiro256PlusPlus {
        let item = self.first_item.wrapping_add(row as u64);
        random_stream(self.neighbors.seed, item)
    }

    /// The sample of a row.
    fn input(&self, row: usize) -> &[T] {
        let sample = row / self.count;
        &self.inputs[sample * self.size..(sample + 1) * self.size]
    }

    /// Whether all neighbours that were written are finite.
    ///
    /// # Errors
    /// Not finite, where the noise is beyond the precision of the inputs.
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_finite.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err(Error::non_finite(input::NEIGHBORS, &[])),
        }
    }
}

/// Along which axes inputs are moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "axes")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ShiftAxes {
    /// Along height and width, one after the other; time series along time.
    #[default]
    Both,
    /// Along the height; time series along time.
    Height,
    /// Along the width.
    Width,
}

/// Every sample moved along each axis by each of some numbers of positions: down and right where they
/// are positive. What comes into view has the smallest value of the sample.
///
/// ```
/// use xai_attribution::perturbation::{ShiftAxes, Shifts};
/// let shifts = Shifts { axes: ShiftAxes::Width, by: vec![-1, 1] };
/// assert_eq!(Shifts::default().by, [-2, -1, 1, 2]);
/// # let _ = shifts;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shifts {
    /// Along which axes inputs are moved.
    pub axes: ShiftAxes,
    /// By how many positions they are moved, down and right where positive, up and left where negative: neither 0 nor as many as there are, or more.
    #[param(name = "shifts")]
    pub by: Vec<isize>,
}

impl Default for Shifts {
    /// By 1 and 2 both ways, along both axes.
    fn default() -> Self {
        Self {
            axes: ShiftAxes::Both,
            by: vec![-2, -1, 1, 2],
        }
    }
}

impl Shifts {
    /// The axes of one sample that it is moved along.
    fn sample_axes(&self, layout: Layout) -> Result<Vec<Axis>> {
        let (height, width) = match layout {
            Layout::ChannelsLast => (Some(Axis(0)), Some(Axis(1))),
            Layout::ChannelsFirst => (Some(Axis(1)), Some(Axis(2))),
            Layout::TimeSeries => (Some(Axis(0)), None),
            Layout::Tabular => (None, None),
        };
        let axes = match self.axes {
            ShiftAxes::Both => [height, width],
            ShiftAxes::Height => [height, None],
            ShiftAxes::Width => [None, width],
        };
        let axes: Vec<Axis> = axes.into_iter().flatten().collect();
        if axes.is_empty() {
            let expected =
                "images, or time series along time: other inputs have no places to move to";
            let of = match layout {
                Layout::Tabular => "a table",
                _ => "a time series",
            };
            let axes = format!("{:?}", self.axes).to_lowercase();
            let given = format!("{axes} of {of}");
            return Err(Error::parameter(input::SHIFT_AXES, given, expected)
                .with_help(help::CHOOSE_LOCAL_LIPSCHITZ));
        }
        Ok(axes)
    }
}

impl NeighborSet for Shifts {
    fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        if self.by.is_empty() {
            return Err(Error::empty(input::SHIFTS));
        }
        for axis in self.sample_axes(run.layout())? {
            let length = run.shape()[axis.index() + 1];
            let fits = |by: &&isize| **by != 0 && by.unsigned_abs() < length;
            if let Some(by) = self.by.iter().find(|by| !fits(by)) {
                let expected = match length {
                    1 => "another axis: this one has a single position".to_owned(),
                    _ => format!("1 to {} positions either way", length - 1),
                };
                return Err(Error::parameter(input::SHIFTS, by, expected));
            }
        }
        Ok(())
    }

    fn count<T: Real>(&self, run: &RunData<'_, T>) -> Result<usize> {
        Ok(self.sample_axes(run.layout())?.len() * self.by.len())
    }

    fn rows<T: Real>(&self, batch: &SampleBatch<'_, T>, rows: Range<usize>) -> Result<Vec<T>> {
        let (inputs, shape) = (batch.values(), batch.shape());
        let (shape, size) = (IxDyn(&shape[1..]), batch.run().positions().size());
        let axes = self.sample_axes(batch.layout())?;
        let count = axes.len() * self.by.len();
        let mut neighbors = vec![T::zero(); rows.len() * size];
        for_each_row(&mut neighbors, size, |row, to| {
            let row = rows.start + row;
            let (sample, shift) = (row / count, row % count);
            let from = &inputs[sample * size..(sample + 1) * size];
            to.fill(from.iter().copied().fold(T::infinity(), T::min));
            let (axis, by) = (axes[shift / self.by.len()], self.by[shift % self.by.len()]);
            let from = ArrayView::from_shape(shape.clone(), from).expect("one sample");
            let mut to = ArrayViewMut::from_shape(shape.clone(), to).expect("one sample");
            let (there, here) = places(from.len_of(axis), by);
            to.slice_axis_mut(axis, there)
                .assign(&from.slice_axis(axis, here));
        });
        Ok(neighbors)
    }
}

/// Where what stays in view goes along an axis, and where it is.
fn places(length: usize, by: isize) -> (Slice, Slice) {
    let distance = by.unsigned_abs().min(length);
    let (far, near) = (
        Slice::from(distance..length),
        Slice::from(0..length - distance),
    );
    if by > 0 { (far, near) } else { (near, far) }
}

/// Copies of every sample near it, as many of each: [`Neighbors`] under noise, or
/// [`Shifts`](crate::perturbation::Shifts).
pub trait NeighborSet: std::fmt::Debug + Clone + PartialEq + Send + Sync + 'static {
    /// Checks the parameters: what a metric does once per run.
    ///
    /// # Errors
    /// An invalid parameter; empty, where neighbours were to be given.
    fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()>;

    /// The number of neighbours of each sample.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    fn count<T: Real>(&self, run: &RunData<'_, T>) -> Result<usize>;

    /// Some neighbours of a batch, in row-major order: neighbour `j` of sample `i` is row
    /// `i · count + j`.
    ///
    /// # Errors
    /// Not finite, where a neighbour leaves the range of the inputs' type.
    fn rows<T: Real>(&self, batch: &SampleBatch<'_, T>, rows: Range<usize>) -> Result<Vec<T>>;
}

impl NeighborSet for Neighbors {
    fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        Self::prepare(self, run)
    }

    fn count<T: Real>(&self, run: &RunData<'_, T>) -> Result<usize> {
        Self::count(self, run)
    }

    fn rows<T: Real>(&self, batch: &SampleBatch<'_, T>, rows: Range<usize>) -> Result<Vec<T>> {
        Self::rows(self, batch, rows)
    }
}
