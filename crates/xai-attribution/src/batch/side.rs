//! What some metrics need beside inputs, targets, maps and model.

use std::any::Any;
use std::fmt;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, Array3, Axis, CowArray, Ix3, Slice};
use xai_core::{Error, Input, Layout, Result};

use crate::input;
use crate::model::BoxError;

/// A further input of a run, found by its type: masks, segments, or one of your metric's own.
pub trait SideInput: Any + Send + Sync {
    /// What errors name it, and metrics list among their needs.
    const INPUT: Input;

    /// Checks that it fits inputs of this shape, once per run.
    ///
    /// # Errors
    /// A shape mismatch.
    fn check(&self, shape: &[usize], layout: Layout) -> Result<()>;
}

/// Where the object of each sample is: `(n, height, width)`, for time series `(n, time, features)`,
/// for tables `(n, 1, features)`.
#[derive(Debug, Clone)]
pub struct Masks(Object);

/// Whether a position belongs to the object, or how far.
#[derive(Debug, Clone)]
enum Object {
    Booleans(AnyPlanes<bool>),
    Numbers(AnyPlanes<f64>),
}

/// Which segment each position belongs to: `(n, height, width)`, as [`Masks`].
#[derive(Debug, Clone)]
pub struct Segments(AnyPlanes<u32>);

impl Masks {
    /// From an array, or from a reader of what no memory holds.
    pub fn new(masks: impl Planes<bool> + 'static) -> Self {
        Self(Object::Booleans(AnyPlanes::new(masks, input::MASKS)))
    }

    /// How far each position belongs to the object, in [0, 1]: positions above 0 belong to it. Metrics of an error
    /// read the numbers.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_attribution::batch::Masks;
    /// let masks = Masks::from_numbers(array![[[0.9, 0.0]]]);
    /// assert_eq!(masks.read(0..1)?, array![[[true, false]]]);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    pub fn from_numbers(masks: impl Planes<f64> + 'static) -> Self {
        Self(Object::Numbers(AnyPlanes::new(masks, input::MASKS)))
    }

    /// Mosaics of `(n, r, c)` cells over maps of `(height, width)` positions: the mask covers the
    /// cells that are true. A position is in cell `⌊row · r / height⌋`, `⌊column · c / width⌋`.
    ///
    /// # Errors
    /// A shape mismatch about the cells where there are more of them than positions along an axis.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_attribution::batch::Masks;
    /// let masks = Masks::mosaic(&array![[[true, false]]], 1, 4)?;
    /// assert_eq!(masks.read(0..1)?, array![[[true, true, false, false]]]);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    pub fn mosaic(cells: &Array3<bool>, height: usize, width: usize) -> Result<Self> {
        let (_, rows, columns) = cells.dim();
        if rows > height || columns > width || rows * columns == 0 {
            let expected = format!("at least 1 and at most {height} x {width} cells");
            return Err(Error::shape_described(
                input::CELLS,
                expected,
                cells.shape(),
            ));
        }
        Ok(Self::new(Mosaic {
            cells: cells.clone(),
            height,
            width,
        }))
    }

    /// The masks of some samples.
    ///
    /// # Errors
    /// Those of the reader, and a shape mismatch where it hands out others than it promised; of numbers out of
    /// domain.
    pub fn read(&self, samples: Range<usize>) -> Result<CowArray<'_, bool, Ix3>> {
        match &self.0 {
            Object::Booleans(planes) => planes.read(samples),
            Object::Numbers(planes) => {
                let numbers = checked(planes.read(samples.clone())?, &samples)?;
                Ok(numbers.mapv(|number| number > 0.0).into())
            }
        }
    }

    /// The numbers of some samples; `None` where masks are booleans.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_numbers(&self, samples: Range<usize>) -> Result<Option<CowArray<'_, f64, Ix3>>> {
        match &self.0 {
            Object::Booleans(_) => Ok(None),
            Object::Numbers(planes) => checked(planes.read(samples.clone())?, &samples).map(Some),
        }
    }
}

/// Numbers of some samples, if they are in [0, 1].
fn checked<'a>(
    numbers: CowArray<'a, f64, Ix3>,
    samples: &Range<usize>,
) -> Result<CowArray<'a, f64, Ix3>> {
    let mut elements = numbers.indexed_iter();
    match elements.find(|(_, x)| !(0.0..=1.0).contains(*x)) {
        None => Ok(numbers),
        Some(((sample, row, column), &x)) => {
            let index = [samples.start + sample, row, column];
            Err(Error::out_of_domain(input::MASKS, &index, x, "in [0, 1]"))
        }
    }
}

/// Masks of whole cells.
struct Mosaic {
    cells: Array3<bool>,
    height: usize,
    width: usize,
}

impl Planes<bool> for Mosaic {
    fn shape(&self) -> [usize; 3] {
        [self.cells.dim().0, self.height, self.width]
    }

    fn planes(&self, samples: Range<usize>) -> Result<CowArray<'_, bool, Ix3>, BoxError> {
        let cells = self.cells.slice_axis(Axis(0), Slice::from(samples));
        let (n, rows, columns) = cells.dim();
        let place = |(i, row, column): (usize, usize, usize)| {
            cells[[i, row * rows / self.height, column * columns / self.width]]
        };
        Ok(Array3::from_shape_fn((n, self.height, self.width), place).into())
    }
}

impl Segments {
    /// From an array, or from a reader of what no memory holds.
    pub fn new(segments: impl Planes<u32> + 'static) -> Self {
        Self(AnyPlanes::new(segments, input::SEGMENTS))
    }

    /// The same segments for each of `n` samples.
    #[must_use]
    pub fn shared(segments: Array2<u32>, n: usize) -> Self {
        Self::new(SharedPlane { plane: segments, n })
    }

    /// The segments of some samples.
    ///
    /// # Errors
    /// As [`Masks::read`].
    pub fn read(&self, samples: Range<usize>) -> Result<CowArray<'_, u32, Ix3>> {
        self.0.read(samples)
    }
}

impl SideInput for Masks {
    const INPUT: Input = input::MASKS;

    fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        match &self.0 {
            Object::Booleans(planes) => planes.check(shape, layout),
            Object::Numbers(planes) => planes.check(shape, layout),
        }
    }
}

impl SideInput for Segments {
    const INPUT: Input = input::SEGMENTS;

    fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        self.0.check(shape, layout)
    }
}

/// One value per position of every sample, asked for one batch at a time.
///
/// Arrays are; implement it to read from anywhere else what no memory holds.
pub trait Planes<V>: Send + Sync {
    /// `(n, height, width)`; for time series `(n, time, features)`, for tables `(n, 1, features)`.
    fn shape(&self) -> [usize; 3];

    /// Those of some samples.
    ///
    /// # Errors
    /// The reader's own.
    fn planes(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>, BoxError>;
}

impl<V: Clone + Send + Sync> Planes<V> for Array3<V> {
    fn shape(&self) -> [usize; 3] {
        self.dim().into()
    }

    fn planes(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>, BoxError> {
        Ok(self.slice_axis(Axis(0), Slice::from(samples)).into())
    }
}

/// The same plane for every sample.
pub(crate) struct SharedPlane<V> {
    pub(crate) plane: Array2<V>,
    pub(crate) n: usize,
}

impl<V: Clone + Send + Sync> Planes<V> for SharedPlane<V> {
    fn shape(&self) -> [usize; 3] {
        [self.n, self.plane.nrows(), self.plane.ncols()]
    }

    fn planes(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>, BoxError> {
        let shape = (samples.len(), self.plane.nrows(), self.plane.ncols());
        let plane = |(_, row, column): (usize, usize, usize)| self.plane[[row, column]].clone();
        Ok(Array3::from_shape_fn(shape, plane).into())
    }
}

/// Planes of any kind, and what errors call them.
pub(crate) struct AnyPlanes<V> {
    planes: Arc<dyn Planes<V>>,
    input: Input,
}

impl<V> AnyPlanes<V> {
    pub(crate) fn new(planes: impl Planes<V> + 'static, input: Input) -> Self {
        Self {
            planes: Arc::new(planes),
            input,
        }
    }

    /// Those of some samples, of the shape that was promised.
    pub(crate) fn read(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>> {
        let [_, rows, columns] = self.planes.shape();
        let expected = [samples.len(), rows, columns];
        let planes = self.planes.planes(samples.clone()).map_err(|source| {
            Error::io(self.input, std::io::Error::other(source))
                .part(xai_core::text::numbered_range("sample", &samples))
        })?;
        match planes.shape() == expected {
            true => Ok(planes),
            false => Err(Error::shape(self.input, &expected, planes.shape())),
        }
    }

    /// Checks that there is one value per position of inputs of this shape.
    pub(crate) fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        let expected = match layout {
            Layout::ChannelsLast => [shape[0], shape[1], shape[2]],
            Layout::ChannelsFirst => [shape[0], shape[2], shape[3]],
            Layout::TimeSeries => [shape[0], shape[1], shape[2]],
            // Inputs that no layout fits are rows, too.
            Layout::Tabular => [shape[0], 1, layout.n_positions(shape)],
        };
        let actual = self.planes.shape();
        match actual == expected {
            true => Ok(()),
            false => Err(Error::shape(self.input, &expected, &actual)),
        }
    }
}

impl<V> Clone for AnyPlanes<V> {
    fn clone(&self) -> Self {
        Self {
            planes: Arc::clone(&self.planes),
            input: self.input,
        }
    }
}

impl<V> Debug for AnyPlanes<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Planes").field(&self.planes.shape()).finish()
    }
}
