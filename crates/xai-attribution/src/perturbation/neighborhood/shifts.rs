//! Copies of every sample, moved by whole positions.

use std::ops::Range;

use ndarray::{ArrayView, ArrayViewMut, Axis, IxDyn, Slice};
use xai_core::describe::{Parameter, Parameters};
use xai_core::{Error, Layout, Real, Result};

use crate::batch::{RunData, SampleBatch};
use crate::map::pool::for_each_row;
use crate::perturbation::NeighborSet;
use crate::{help, input};

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
            let given = format!("{:?} of {layout:?}", self.axes);
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
