//! One value per position of every sample: what masks and segments are read from.

use std::fmt;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{Array2, Array3, Axis, CowArray, Ix3, Slice};
use xai_core::{Error, Input, Layout, Result};

use crate::model::BoxError;

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
    pub(crate) fn of(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>> {
        let [_, rows, columns] = self.planes.shape();
        let expected = [samples.len(), rows, columns];
        let planes = self.planes.planes(samples.clone()).map_err(|source| {
            Error::io(self.input, std::io::Error::other(source))
                .part(format!("samples {}..{}", samples.start, samples.end))
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
