//! How the axes of inputs and maps are read.

use crate::error::{Error, Result};
use crate::input;

/// How the axes of inputs are read. The first axis is always the sample.
///
/// | layout | inputs | maps |
/// |---|---|---|
/// | `Tabular` | `(n, features)` | `(n, features)` |
/// | `TimeSeries` | `(n, time, features)` | `(n, time, features)` or `(n, time)` |
/// | `ChannelsLast` | `(n, height, width, channels)` | the same, one channel, or `(n, height, width)` |
/// | `ChannelsFirst` | `(n, channels, height, width)` | the same, one channel, or `(n, height, width)` |
///
/// The channels of a pixel share one value of a map. In tables and time series every element has
/// its own, unless a time series comes with one value per time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Layout {
    /// `(n, features)`.
    Tabular,
    /// `(n, time, features)`.
    TimeSeries,
    /// `(n, height, width, channels)`, as TensorFlow has images.
    ChannelsLast,
    /// `(n, channels, height, width)`, as PyTorch has images.
    ChannelsFirst,
}

impl Layout {
    /// The layout that inputs of this shape have: by their number of axes, and for images by
    /// where the channels are.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](crate::ErrorKind::ShapeMismatch) for fewer than two or more than four axes.
    ///
    /// ```
    /// use xai_core::Layout;
    /// assert_eq!(Layout::of_inputs(&[5, 12], false)?, Layout::Tabular);
    /// assert_eq!(Layout::of_inputs(&[5, 3, 8, 8], true)?, Layout::ChannelsFirst);
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn of_inputs(shape: &[usize], channels_first: bool) -> Result<Self> {
        match (shape.len(), channels_first) {
            (2, _) => Ok(Self::Tabular),
            (3, _) => Ok(Self::TimeSeries),
            (4, false) => Ok(Self::ChannelsLast),
            (4, true) => Ok(Self::ChannelsFirst),
            _ => Err(Error::shape_described(
                input::INPUTS,
                "(n, features), (n, time, features) or four axes for images",
                shape,
            )),
        }
    }

    /// The layout's number of axes.
    #[must_use]
    pub fn n_axes(self) -> usize {
        match self {
            Self::Tabular => 2,
            Self::TimeSeries => 3,
            Self::ChannelsLast | Self::ChannelsFirst => 4,
        }
    }

    /// How many positions of an input of this shape have a value of their own in a map that has no
    /// channels: pixels of an image, else all elements of a sample.
    #[must_use]
    pub fn n_positions(self, input_shape: &[usize]) -> usize {
        match (self, input_shape) {
            (Self::ChannelsLast, [_, h, w, _]) | (Self::ChannelsFirst, [_, _, h, w]) => h * w,
            (_, [_, rest @ ..]) => rest.iter().product(),
            (_, []) => 0,
        }
    }
}
