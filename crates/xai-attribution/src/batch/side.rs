//! Further inputs that some metrics need besides inputs, targets, maps and model.

use std::any::Any;
use std::fmt;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, Array3, Axis, CowArray, Ix3, Slice};
use xai_core::{Error, Input, InputLayout, Result};

use crate::input;
use crate::model::BoxError;

/// A further input of a run, looked up by its type: masks, segments, or the input of a metric of your own.
pub trait SideInput: Any + Send + Sync {
    /// Name of the input in error messages and in the `needs` of metrics.
    const INPUT: Input;

    /// Checks once per run that the value fits inputs of this shape.
    ///
    /// # Errors
    /// A shape mismatch, or an error about the values, for example NaN or infinity.
    fn check(&self, shape: &[usize], layout: InputLayout) -> Result<()>;
}

/// Region of the object in each sample: `(n, height, width)`, for time series `(n, time, features)`, for tables `(n,
/// 1, features)`.
#[derive(Debug, Clone)]
pub struct Masks(MaskValues);

/// Boolean membership of each position in the object, or its degree in [0, 1].
#[derive(Debug, Clone)]
enum MaskValues {
    Booleans(AnyPlanes<bool>),
    Numbers(AnyPlanes<f64>),
}

/// Segment label of each position, with the same shape as [`Masks`].
#[derive(Debug, Clone)]
pub struct Segments(AnyPlanes<u32>);

impl Masks {
    /// Creates boolean masks from an array, or from a reader for data larger than memory.
    pub fn new(masks: impl Planes<bool> + 'static) -> Self {
        Self(MaskValues::Booleans(AnyPlanes::new(masks, input::MASKS)))
    }

    /// Creates masks from the degree in [0, 1] to which each position belongs to the object. Positions above 0 belong
    /// to it; error metrics such as [`MaskMae`](crate::metric::MaskMae) use the numbers themselves.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_attribution::side::Masks;
    /// let masks = Masks::from_numbers(array![[[0.9, 0.0]]]);
    /// assert_eq!(masks.read(0..1)?, array![[[true, false]]]);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    pub fn from_numbers(masks: impl Planes<f64> + 'static) -> Self {
        Self(MaskValues::Numbers(AnyPlanes::new(masks, input::MASKS)))
    }

    /// Masks over mosaics of `(n, r, c)` cells on maps of `(height, width)` positions. A mask covers the cells that
    /// are true; a position is in cell `(⌊row · r / height⌋, ⌊column · c / width⌋)`.
    ///
    /// # Errors
    /// A shape mismatch of the cells if an axis has more cells than positions, or no cell.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_attribution::side::Masks;
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

    /// Reads the masks of some samples.
    ///
    /// # Errors
    /// Errors of the reader; a shape mismatch if it returns another shape than it declared; out of domain for numbers
    /// outside [0, 1].
    pub fn read(&self, samples: Range<usize>) -> Result<CowArray<'_, bool, Ix3>> {
        match &self.0 {
            MaskValues::Booleans(planes) => planes.read(samples),
            MaskValues::Numbers(planes) => {
                let numbers = check_degrees(planes.read(samples.clone())?, &samples)?;
                Ok(numbers.mapv(|number| number > 0.0).into())
            }
        }
    }

    /// Reads the degrees of membership of some samples. `None` if the masks are boolean.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_numbers(&self, samples: Range<usize>) -> Result<Option<CowArray<'_, f64, Ix3>>> {
        match &self.0 {
            MaskValues::Booleans(_) => Ok(None),
            MaskValues::Numbers(planes) => {
                check_degrees(planes.read(samples.clone())?, &samples).map(Some)
            }
        }
    }
}

/// Checks that all numbers are in [0, 1].
fn check_degrees<'a>(
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

/// Masks that are constant on each cell of a mosaic.
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
        let is_covered = |(i, row, column): (usize, usize, usize)| {
            cells[[i, row * rows / self.height, column * columns / self.width]]
        };
        Ok(Array3::from_shape_fn((n, self.height, self.width), is_covered).into())
    }
}

impl Segments {
    /// Creates segments from an array, or from a reader for data larger than memory.
    pub fn new(segments: impl Planes<u32> + 'static) -> Self {
        Self(AnyPlanes::new(segments, input::SEGMENTS))
    }

    /// Creates segments that are the same for all `n` samples.
    #[must_use]
    pub fn shared(segments: Array2<u32>, n: usize) -> Self {
        Self::new(SharedPlane { plane: segments, n })
    }

    /// Reads the segments of some samples.
    ///
    /// # Errors
    /// Errors of the reader; a shape mismatch if it returns another shape than it declared.
    pub fn read(&self, samples: Range<usize>) -> Result<CowArray<'_, u32, Ix3>> {
        self.0.read(samples)
    }
}

impl SideInput for Masks {
    const INPUT: Input = input::MASKS;

    fn check(&self, shape: &[usize], layout: InputLayout) -> Result<()> {
        match &self.0 {
            MaskValues::Booleans(planes) => planes.check(shape, layout),
            MaskValues::Numbers(planes) => planes.check(shape, layout),
        }
    }
}

impl SideInput for Segments {
    const INPUT: Input = input::SEGMENTS;

    fn check(&self, shape: &[usize], layout: InputLayout) -> Result<()> {
        self.0.check(shape, layout)
    }
}

/// One value per position of every sample, read one batch at a time.
///
/// Implemented by arrays; implement it to read data larger than memory from anywhere else.
pub trait Planes<V>: Send + Sync {
    /// Shape `(n, height, width)`; `(n, time, features)` for time series, `(n, 1, features)` for tables.
    fn shape(&self) -> [usize; 3];

    /// Reads the planes of some samples.
    ///
    /// # Errors
    /// Errors of the reader.
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

/// One plane for all samples.
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

/// Type-erased planes with the name of the input for error messages.
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

    /// Reads the planes of some samples and checks their shape against the declared one.
    pub(crate) fn read(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>> {
        let [_, rows, columns] = self.planes.shape();
        let expected = [samples.len(), rows, columns];
        let planes = self.planes.planes(samples.clone()).map_err(|source| {
            Error::io(self.input, std::io::Error::other(source))
                .part(xai_core::text::numbered_range("sample", &samples))
        })?;
        if planes.shape() == expected {
            Ok(planes)
        } else {
            Err(Error::shape(self.input, &expected, planes.shape()))
        }
    }

    /// Checks that there is one value per position of inputs of this shape.
    pub(crate) fn check(&self, shape: &[usize], layout: InputLayout) -> Result<()> {
        let expected = match layout {
            InputLayout::ChannelsLast => [shape[0], shape[1], shape[2]],
            InputLayout::ChannelsFirst => [shape[0], shape[2], shape[3]],
            InputLayout::TimeSeries => [shape[0], shape[1], shape[2]],
            // Inputs that fit no layout are treated as rows of a table.
            InputLayout::Tabular => [shape[0], 1, layout.n_positions(shape)],
        };
        let actual = self.planes.shape();
        if actual == expected {
            Ok(())
        } else {
            Err(Error::shape(self.input, &expected, &actual))
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
