//! What some metrics need beside inputs, targets, maps and model.

use std::any::Any;

use ndarray::{Array2, Array3};
use xai_core::{Error, Input, Layout, Result};

use crate::input;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masks(pub Array3<bool>);

/// Which segment each position belongs to: `(n, height, width)`, as [`Masks`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segments(pub Array3<u32>);

impl Masks {
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
    /// assert_eq!(masks.0, array![[[true, true, false, false]]]);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    pub fn mosaic(cells: &Array3<bool>, height: usize, width: usize) -> Result<Self> {
        let (n, rows, columns) = cells.dim();
        if rows > height || columns > width || rows * columns == 0 {
            let expected = format!("at least 1 and at most {height} x {width} cells");
            return Err(Error::shape_described(
                input::CELLS,
                expected,
                cells.shape(),
            ));
        }
        let cell = |(i, r, c): (usize, usize, usize)| [i, r * rows / height, c * columns / width];
        Ok(Self(Array3::from_shape_fn((n, height, width), |place| {
            cells[cell(place)]
        })))
    }
}

impl Segments {
    /// The same segments for each of `n` samples.
    #[must_use]
    pub fn shared(segments: &Array2<u32>, n: usize) -> Self {
        let (height, width) = segments.dim();
        Self(Array3::from_shape_fn((n, height, width), |(_, r, c)| {
            segments[[r, c]]
        }))
    }
}

impl SideInput for Masks {
    const INPUT: Input = input::MASKS;

    fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        check_planes(Self::INPUT, self.0.shape(), shape, layout)
    }
}

impl SideInput for Segments {
    const INPUT: Input = input::SEGMENTS;

    fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        check_planes(Self::INPUT, self.0.shape(), shape, layout)
    }
}

/// One value per position.
fn check_planes(input: Input, actual: &[usize], shape: &[usize], layout: Layout) -> Result<()> {
    let expected = match layout {
        Layout::ChannelsLast => [shape[0], shape[1], shape[2]],
        Layout::ChannelsFirst => [shape[0], shape[2], shape[3]],
        Layout::TimeSeries => [shape[0], shape[1], shape[2]],
        // Inputs that no layout fits are rows, too.
        Layout::Tabular => [shape[0], 1, layout.n_positions(shape)],
    };
    if actual == expected {
        Ok(())
    } else {
        Err(Error::shape(input, &expected, actual))
    }
}
