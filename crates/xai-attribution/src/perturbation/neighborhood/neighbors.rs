//! Copies of samples with small changes.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{ArrayD, ArrayView, ArrayViewMut, Axis, IxDyn, Slice};
use xai_core::describe::{Parameter, Parameters};
use xai_core::number::check_finite_slice;
use xai_core::random::{NormalStreams, RandomStream, random_stream, uniform};
use xai_core::{Error, Input, InputLayout, Real, Result};

use crate::batch::{Dataset, SampleBatch};
use crate::rows::for_each_row;
use crate::side::SideInput;
use crate::{help, input};

/// Distribution of the changes from a sample to its neighbours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Neighborhood {
    /// Adds a uniform number in [0, radius) to every element, as Xplique does.
    #[default]
    Above,
    /// Adds a uniform number in [−radius, radius) to every element: a cube around the input.
    Around,
    /// Adds a normal number with the radius as standard deviation to every element.
    Gaussian,
    /// The noise of [`PrecomputedNeighbors`], which also determines the number of neighbours, for reproducing a run of
    /// another tool.
    #[param(skip)]
    Given,
}

/// Given noise, which is added to the inputs: `(draws, n, …)`, where `…` are the axes of one sample, or one axis of its
/// elements in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecomputedNeighbors(pub ArrayD<f64>);

impl SideInput for PrecomputedNeighbors {
    const INPUT: Input = input::NEIGHBORS;

    fn check(&self, shape: &[usize], _layout: InputLayout) -> Result<()> {
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

/// Noisy copies of every sample, each with a random stream of its own.
///
/// ```
/// use xai_attribution::metric::LocalLipschitz;
/// use xai_attribution::perturbation::Neighbors;
/// let lipschitz = LocalLipschitz::new().neighbors(Neighbors::around(0.2).n_neighbors(50));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Neighbors {
    /// Largest change of an element (for Gaussian neighbours its standard deviation), in units of the inputs.
    #[param(above = 0)]
    pub radius: f64,
    /// Number of neighbours per sample.
    #[param(at_least = 1, at_most = 1 << 24)]
    pub n_neighbors: usize,
    /// Distribution of the changes.
    pub neighborhood: Neighborhood,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Neighbors {
    /// Creates 20 neighbours per sample with uniform changes in [0, radius), as Xplique draws them; the seed is 1.
    #[must_use]
    pub fn above(radius: f64) -> Self {
        Self::new(Neighborhood::Above, radius)
    }

    /// Creates 20 neighbours per sample with uniform changes in [−radius, radius); the seed is 1.
    #[must_use]
    pub fn around(radius: f64) -> Self {
        Self::new(Neighborhood::Around, radius)
    }

    /// Creates 20 neighbours per sample with normal changes of this standard deviation; the seed is 1.
    #[must_use]
    pub fn gaussian(standard_deviation: f64) -> Self {
        Self::new(Neighborhood::Gaussian, standard_deviation)
    }

    fn new(neighborhood: Neighborhood, radius: f64) -> Self {
        Self {
            radius,
            n_neighbors: 20,
            neighborhood,
            seed: 1,
        }
    }

    /// Checks the parameters. Called once per run.
    ///
    /// # Errors
    /// An invalid parameter about the radius or the number of neighbours, or for a masked model unless the noise is
    /// given; an empty-input error if given neighbours are missing.
    pub fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        if self.neighborhood == Neighborhood::Given {
            return dataset.side::<PrecomputedNeighbors>().map(drop);
        }
        dataset.refuse_masked_model()?;
        self.check_params()
    }

    /// Number of neighbours per sample.
    ///
    /// # Errors
    /// An empty-input error if given neighbours are missing.
    pub fn count<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<usize> {
        match self.neighborhood {
            Neighborhood::Given => Ok(dataset.side::<PrecomputedNeighbors>()?.0.shape()[0]),
            _ => Ok(self.n_neighbors),
        }
    }

    /// Computes some neighbours of a batch, in row-major order: neighbour `j` of sample `i` is row `i · count + j`.
    ///
    /// # Errors
    /// A non-finite value if a neighbour exceeds the range of the inputs' precision; an empty-input error if given
    /// neighbours are missing.
    pub fn rows<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        rows: std::ops::Range<usize>,
    ) -> Result<Vec<T>> {
        let source = self.source(batch)?;
        let size = source.size;
        let mut neighbors = vec![T::ZERO; rows.len() * size];
        for_each_row(&mut neighbors, AT_ONCE * size, |block, values| {
            source.write(rows.start + block * AT_ONCE, values);
        });
        check_finite_slice(input::NEIGHBORS, &neighbors)?;
        Ok(neighbors)
    }

    /// Generator of the neighbours of a batch, row by row and on any thread.
    ///
    /// # Errors
    /// An empty-input error if given neighbours are missing.
    pub(crate) fn source<'a, T: Real>(
        &self,
        batch: &SampleBatch<'a, T>,
    ) -> Result<NeighborSource<'a, T>> {
        let count = self.count(batch.dataset())?;
        let given = match self.neighborhood {
            Neighborhood::Given => Some(batch.dataset().side::<PrecomputedNeighbors>()?),
            _ => None,
        };
        Ok(NeighborSource {
            neighbors: *self,
            inputs: batch.values(),
            size: batch.dataset().positions().size(),
            count,
            given,
            first_sample: batch.samples().start,
            // Streams are numbered by sample and neighbour over the whole data set, whatever the batches.
            first_item: batch.item(0).wrapping_mul(count as u64),
            is_finite: AtomicBool::new(true),
        })
    }
}

/// Number of Gaussian neighbours that are generated together.
pub(crate) const AT_ONCE: usize = NormalStreams::COUNT;

/// Generates the neighbours of a batch on demand.
pub(crate) struct NeighborSource<'a, T> {
    neighbors: Neighbors,
    inputs: &'a [T],
    size: usize,
    /// Number of neighbours per sample.
    pub(crate) count: usize,
    given: Option<&'a PrecomputedNeighbors>,
    first_sample: usize,
    first_item: u64,
    is_finite: AtomicBool,
}

impl<T: Real> NeighborSource<'_, T> {
    /// Writes neighbours starting with row `first`, where row `r` is neighbour `r % count` of sample `r / count`.
    /// Gaussian neighbours are fastest in blocks of [`AT_ONCE`].
    pub(crate) fn write(&self, first: usize, values: &mut [T]) {
        let rows = (first..).zip(values.chunks_exact_mut(self.size));
        match (self.given, self.neighbors.neighborhood) {
            (Some(PrecomputedNeighbors(noise)), _) => {
                for (row, values) in rows {
                    let draw = noise.index_axis(ndarray::Axis(0), row % self.count);
                    let sample = self.first_sample + row / self.count;
                    let sample_noise = draw.index_axis(ndarray::Axis(0), sample);
                    let elements = values.iter_mut().zip(self.input(row));
                    // In row-major order, whether the noise has the axes of a sample or a single one.
                    for ((to, &from), &noise) in elements.zip(&sample_noise) {
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
        // Rows are written where an error cannot be returned; `check` reports it.
        if !values.iter().all(|value| value.is_finite()) {
            self.is_finite.store(false, Ordering::Relaxed);
        }
    }

    /// Writes up to [`AT_ONCE`] Gaussian neighbours.
    fn write_normal(&self, first: usize, values: &mut [T]) {
        // One stream per row, advanced in lockstep to vectorise. Each row gets the numbers that it would get alone.
        let mut streams = NormalStreams::new(std::array::from_fn(|row| self.stream(first + row)));
        // Small enough for the L1 cache.
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

    fn stream(&self, row: usize) -> RandomStream {
        let item = self.first_item.wrapping_add(row as u64);
        random_stream(self.neighbors.seed, item)
    }

    /// Input of the sample that a row is derived from.
    fn input(&self, row: usize) -> &[T] {
        let sample = row / self.count;
        &self.inputs[sample * self.size..(sample + 1) * self.size]
    }

    /// Checks that all neighbours written so far are finite.
    ///
    /// # Errors
    /// A non-finite value if a neighbour exceeds the range of the inputs' precision.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_finite.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(Error::non_finite(input::NEIGHBORS, &[]))
        }
    }
}

/// Axes along which inputs are shifted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "axes")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ShiftAxes {
    /// Along height and width, one at a time; time series along the time axis.
    #[default]
    Both,
    /// Along the height; time series along the time axis.
    Height,
    /// Along the width.
    Width,
}

/// Every sample shifted along each axis by each of the given distances, down and right if positive. Positions that
/// come into view get the smallest value of the sample.
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
    /// Axes along which inputs are shifted.
    pub axes: ShiftAxes,
    /// Distances in positions, down and right if positive, up and left if negative. Neither 0, nor the length of the
    /// axis or more.
    #[param(name = "shifts")]
    pub by: Vec<isize>,
}

impl Default for Shifts {
    /// Shifts by 1 and 2 in both directions, along both axes.
    fn default() -> Self {
        Self {
            axes: ShiftAxes::Both,
            by: vec![-2, -1, 1, 2],
        }
    }
}

impl Shifts {
    /// Axes of one sample along which it is shifted.
    fn sample_axes(&self, layout: InputLayout) -> Result<Vec<Axis>> {
        let (height, width) = match layout {
            InputLayout::ChannelsLast => (Some(Axis(0)), Some(Axis(1))),
            InputLayout::ChannelsFirst => (Some(Axis(1)), Some(Axis(2))),
            InputLayout::TimeSeries => (Some(Axis(0)), None),
            InputLayout::Tabular => (None, None),
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
            let kind = match layout {
                InputLayout::Tabular => "a table",
                _ => "a time series",
            };
            let axes = format!("{:?}", self.axes).to_lowercase();
            let actual = format!("{axes} of {kind}");
            return Err(Error::parameter(input::SHIFT_AXES, actual, expected)
                .with_help(help::CHOOSE_LOCAL_LIPSCHITZ));
        }
        Ok(axes)
    }
}

impl NeighborSet for Shifts {
    fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        if self.by.is_empty() {
            return Err(Error::empty(input::SHIFTS));
        }
        for axis in self.sample_axes(dataset.layout())? {
            let length = dataset.shape()[axis.index() + 1];
            // At the length of the axis or more, nothing of the sample would stay in view.
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

    fn count<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<usize> {
        Ok(self.sample_axes(dataset.layout())?.len() * self.by.len())
    }

    fn rows<T: Real>(&self, batch: &SampleBatch<'_, T>, rows: Range<usize>) -> Result<Vec<T>> {
        let (inputs, shape) = (batch.values(), batch.shape());
        let (shape, size) = (IxDyn(&shape[1..]), batch.dataset().positions().size());
        let axes = self.sample_axes(batch.layout())?;
        let count = axes.len() * self.by.len();
        let mut neighbors = vec![T::ZERO; rows.len() * size];
        for_each_row(&mut neighbors, size, |row, to| {
            let row = rows.start + row;
            let (sample, shift) = (row / count, row % count);
            let from = &inputs[sample * size..(sample + 1) * size];
            to.fill(from.iter().copied().fold(T::INFINITY, T::min));
            let (axis, by) = (axes[shift / self.by.len()], self.by[shift % self.by.len()]);
            let from = ArrayView::from_shape(shape.clone(), from).expect("one sample");
            let mut to = ArrayViewMut::from_shape(shape.clone(), to).expect("one sample");
            let (target, source) = visible_ranges(from.len_of(axis), by);
            to.slice_axis_mut(axis, target)
                .assign(&from.slice_axis(axis, source));
        });
        Ok(neighbors)
    }
}

/// Target and source range along an axis of the part that stays in view.
fn visible_ranges(length: usize, by: isize) -> (Slice, Slice) {
    let distance = by.unsigned_abs().min(length);
    let (far, near) = (
        Slice::from(distance..length),
        Slice::from(0..length - distance),
    );
    if by > 0 { (far, near) } else { (near, far) }
}

/// Changed copies of every sample, the same number for each: [`Neighbors`] with noise, or
/// [`Shifts`](crate::perturbation::Shifts).
pub trait NeighborSet: std::fmt::Debug + Clone + PartialEq + Send + Sync + 'static {
    /// Checks the parameters. Called once per run.
    ///
    /// # Errors
    /// An invalid parameter; an empty-input error if given neighbours are missing or there are no shifts.
    fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()>;

    /// Number of neighbours per sample.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    fn count<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<usize>;

    /// Computes some neighbours of a batch, in row-major order: neighbour `j` of sample `i` is row `i · count + j`.
    ///
    /// # Errors
    /// A non-finite value if a neighbour exceeds the range of the inputs' precision.
    fn rows<T: Real>(&self, batch: &SampleBatch<'_, T>, rows: Range<usize>) -> Result<Vec<T>>;
}

impl NeighborSet for Neighbors {
    fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        Self::prepare(self, dataset)
    }

    fn count<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<usize> {
        Self::count(self, dataset)
    }

    fn rows<T: Real>(&self, batch: &SampleBatch<'_, T>, rows: Range<usize>) -> Result<Vec<T>> {
        Self::rows(self, batch, rows)
    }
}
