//! Layouts of samples: the elements that share one value of a map, and their order in memory.

use crate::error::{Error, Help, LOOKS_TRANSPOSED, Result};
use crate::input;
use crate::number::Real;

/// Positions of one sample in row-major order. The channels of a pixel form one position; in tables
/// and time series every element is a position.
///
/// ```
/// use xai_core::{InputLayout, tensor::Positions};
/// let positions = Positions::from_shape(&[5, 3, 8, 8], InputLayout::ChannelsFirst)?;
/// assert_eq!((positions.positions, positions.channels), (64, 3));
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Positions {
    /// Number of positions.
    pub positions: usize,
    /// Number of elements per position.
    pub channels: usize,
    /// `true` if the elements of a position are in separate planes, `false` if they are adjacent.
    channels_first: bool,
}

impl Positions {
    /// Positions of samples with the given input shape, whose first axis is the sample.
    ///
    /// # Errors
    /// `ShapeMismatch` if the layout has another number of axes.
    pub fn from_shape(shape: &[usize], layout: InputLayout) -> Result<Self> {
        let (positions, channels, channels_first) = match (layout, shape) {
            (InputLayout::ChannelsLast, &[_, h, w, c]) => (h * w, c, false),
            (InputLayout::ChannelsFirst, &[_, c, h, w]) => (h * w, c, true),
            (InputLayout::Tabular, &[_, features]) => (features, 1, false),
            (InputLayout::TimeSeries, &[_, time, features]) => (time * features, 1, false),
            _ => {
                let expected = format!("{} axes for {layout:?}", layout.n_axes());
                return Err(Error::shape_described(input::INPUTS, expected, shape));
            }
        };
        Ok(Self {
            positions,
            channels,
            channels_first,
        })
    }

    /// Checks that maps of one shape fit inputs of another, as described by [`InputLayout`].
    ///
    /// # Errors
    /// `ShapeMismatch` about the maps, or about the inputs if the layout has another number of axes.
    pub fn check_maps(inputs: &[usize], maps: &[usize], layout: InputLayout) -> Result<()> {
        MapPositions::new(layout, inputs, maps).map(drop)
    }

    /// Number of elements of a sample.
    #[must_use]
    pub fn size(self) -> usize {
        self.positions * self.channels
    }

    /// Indices of the elements of a position in a sample, channel by channel.
    ///
    /// ```
    /// use xai_core::{InputLayout, tensor::Positions};
    /// let positions = Positions::from_shape(&[1, 3, 2, 2], InputLayout::ChannelsFirst)?;
    /// assert!(positions.elements(1).eq([1, 5, 9]));
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    #[inline]
    pub fn elements(self, position: usize) -> impl ExactSizeIterator<Item = usize> {
        let (first, step) = if self.channels_first {
            (position, self.positions)
        } else {
            (position * self.channels, 1)
        };
        (0..self.channels).map(move |channel| first + channel * step)
    }

    /// Copies the elements of one position from one sample to another.
    #[inline]
    pub fn copy<T: Copy>(self, to: &mut [T], from: &[T], position: usize) {
        if self.channels == 1 {
            to[position] = from[position];
        } else if self.channels_first {
            for channel in 0..self.channels {
                let at = channel * self.positions + position;
                to[at] = from[at];
            }
        } else {
            let pixel = position * self.channels..(position + 1) * self.channels;
            to[pixel.clone()].copy_from_slice(&from[pixel]);
        }
    }

    /// Copies the elements of several positions from one sample to another.
    #[inline]
    pub fn copy_all<T: Copy>(
        self,
        to: &mut [T],
        from: &[T],
        positions: impl IntoIterator<Item = u32>,
    ) {
        // The layout is matched once for all positions, and a copy of a constant length needs no
        // call of `memcpy`.
        let positions = positions.into_iter();
        match (self.channels, self.channels_first) {
            (1, _) => positions.for_each(|p| to[p as usize] = from[p as usize]),
            (3, false) => {
                let (to, from) = (to.as_chunks_mut::<3>().0, from.as_chunks::<3>().0);
                positions.for_each(|p| to[p as usize] = from[p as usize]);
            }
            _ => positions.for_each(|p| self.copy(to, from, p as usize)),
        }
    }

    /// Computes `sample ⊙ mask`, where all elements of a position share one value of the mask.
    #[inline(always)]
    pub(super) fn multiply<T: Real>(self, sample: &[T], mask: &[T], masked: &mut [T]) {
        if self.channels == 1 {
            for ((out, &x), &m) in masked.iter_mut().zip(sample).zip(mask) {
                *out = x * m;
            }
        } else if self.channels_first {
            let planes = sample.chunks_exact(self.positions);
            for (out, plane) in masked.chunks_exact_mut(self.positions).zip(planes) {
                for ((out, &x), &m) in out.iter_mut().zip(plane).zip(mask) {
                    *out = x * m;
                }
            }
        } else if self.channels == 3 {
            // With a constant number of channels, the compiler vectorises over several pixels.
            let pixels = sample.as_chunks::<3>().0.iter().zip(mask);
            for (out, (pixel, &m)) in masked.as_chunks_mut::<3>().0.iter_mut().zip(pixels) {
                *out = pixel.map(|x| x * m);
            }
        } else {
            let pixels = sample.chunks_exact(self.channels);
            let outs = masked.chunks_exact_mut(self.channels);
            for ((out, pixel), &m) in outs.zip(pixels).zip(mask) {
                for (out, &x) in out.iter_mut().zip(pixel) {
                    *out = x * m;
                }
            }
        }
    }
}

/// Relation between the values of a map and the elements of its sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MapPositions {
    /// Elements of the sample that share one value: the channels of a pixel, or the features of a
    /// time step if the map has one value per step.
    pub(super) sample: Positions,
    /// Number of values of the map that are averaged per position.
    pub(super) map_channels: usize,
}

impl MapPositions {
    /// Derives the relation from the shapes of inputs and maps.
    pub(super) fn new(layout: InputLayout, inputs: &[usize], maps: &[usize]) -> Result<Self> {
        let sample = Positions::from_shape(inputs, layout)?;
        let Some(with_channels) = channels_in(layout, inputs, sample.channels) else {
            return Self::for_elements(sample, layout, inputs, maps);
        };
        let one_channel = channels_in(layout, inputs, 1);
        let without_channels = match layout {
            InputLayout::ChannelsFirst => [inputs[0], inputs[2], inputs[3]],
            _ => [inputs[0], inputs[1], inputs[2]],
        };
        let map_channels = if maps == without_channels || one_channel.is_some_and(|m| maps == m) {
            1
        } else if maps == with_channels {
            sample.channels
        } else {
            return Err(mismatch(&[&without_channels, &with_channels], maps));
        };
        Ok(Self {
            sample,
            map_channels,
        })
    }

    /// Relation for tables and time series, whose maps have one value per element or per time step.
    fn for_elements(
        sample: Positions,
        layout: InputLayout,
        inputs: &[usize],
        maps: &[usize],
    ) -> Result<Self> {
        let per_step = (layout == InputLayout::TimeSeries).then(|| &inputs[..2]);
        let sample = if maps == inputs {
            sample
        } else if per_step == Some(maps) {
            Positions {
                positions: inputs[1],
                channels: inputs[2],
                channels_first: false,
            }
        } else {
            return Err(match per_step {
                Some(per_step) => mismatch(&[inputs, per_step], maps),
                None => mismatch(&[inputs], maps),
            });
        };
        Ok(Self {
            sample,
            map_channels: 1,
        })
    }

    /// Writes one value per position: `value` of the map's elements, averaged over channels, in the
    /// precision of `V`.
    #[inline(always)]
    pub(super) fn values<T: Real, V: Real>(
        self,
        map: &[T],
        value: impl Fn(T) -> V,
        values: &mut [V],
    ) {
        if self.map_channels == 1 {
            for (out, &x) in values.iter_mut().zip(map) {
                *out = value(x);
            }
            return;
        }
        let channels = V::from_f64_nearest(self.map_channels as f64);
        // All layouts start at 0 and add channel by channel, so they give the same bits for the same map.
        if self.sample.channels_first {
            values.fill(V::ZERO);
            for plane in map.chunks_exact(self.sample.positions) {
                for (sum, &x) in values.iter_mut().zip(plane) {
                    *sum += value(x);
                }
            }
            for sum in values.iter_mut() {
                *sum = *sum / channels;
            }
        } else if self.map_channels == 3 {
            for (out, &[r, g, b]) in values.iter_mut().zip(map.as_chunks::<3>().0) {
                *out = (V::ZERO + value(r) + value(g) + value(b)) / channels;
            }
        } else {
            for (out, pixel) in values.iter_mut().zip(map.chunks_exact(self.map_channels)) {
                *out = pixel.iter().fold(V::ZERO, |sum, &x| sum + value(x)) / channels;
            }
        }
    }
}

/// Shape of image inputs with this number of channels; `None` for other layouts.
fn channels_in(layout: InputLayout, inputs: &[usize], channels: usize) -> Option<[usize; 4]> {
    match (layout, inputs) {
        (InputLayout::ChannelsLast, &[n, h, w, _]) => Some([n, h, w, channels]),
        (InputLayout::ChannelsFirst, &[n, _, h, w]) => Some([n, channels, h, w]),
        _ => None,
    }
}

/// Error for maps whose shape is none of the expected ones, with advice if their axes look
/// permuted.
fn mismatch(expected: &[&[usize]], maps: &[usize]) -> Error {
    let text = |shape: &&[usize]| {
        let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
        format!("({})", axes.join(", "))
    };
    let words: Vec<String> = expected.iter().map(text).collect();
    let error = Error::shape_described(input::EXPLANATIONS, words.join(" or "), maps);
    // Shapes that are equal in both channel orders are accepted before, so a moved axis shows in the shape.
    let moved = match *maps {
        [n, a, b, c] => vec![[n, c, a, b], [n, b, c, a]],
        _ => Vec::new(),
    };
    if moved.iter().any(|moved| expected.contains(&&moved[..])) {
        return error.with_help(MOVE_CHANNELS);
    }
    if expected
        .iter()
        .any(|shape| shape.iter().eq(maps.iter().rev()))
    {
        return error.with_help(LOOKS_TRANSPOSED);
    }
    error
}

/// Advice for maps whose channel axis is at the other end than that of the inputs.
pub const MOVE_CHANNELS: Help = Help::new(
    "the channels are at the other end than those of the inputs: numpy.moveaxis(maps, -1, 1) puts them first, \
     numpy.moveaxis(maps, 1, -1) last",
);

/// Order of the axes of inputs and maps. The first axis is always the sample.
///
/// | layout | inputs | maps |
/// |---|---|---|
/// | `Tabular` | `(n, features)` | `(n, features)` |
/// | `TimeSeries` | `(n, time, features)` | `(n, time, features)` or `(n, time)` |
/// | `ChannelsLast` | `(n, height, width, channels)` | the same, one channel, or `(n, height, width)` |
/// | `ChannelsFirst` | `(n, channels, height, width)` | the same, one channel, or `(n, height, width)` |
///
/// The channels of a pixel share one value of a map. In tables and time series every element has
/// its own value, unless the map of a time series has one value per time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum InputLayout {
    /// `(n, features)`.
    Tabular,
    /// `(n, time, features)`.
    TimeSeries,
    /// `(n, height, width, channels)`, the order of TensorFlow.
    ChannelsLast,
    /// `(n, channels, height, width)`, the order of PyTorch.
    ChannelsFirst,
}

impl InputLayout {
    /// Layout of inputs with the given shape, from the number of axes. `channels_first` selects the
    /// layout of images.
    ///
    /// # Errors
    /// `ShapeMismatch` for fewer than two or more than four axes.
    ///
    /// ```
    /// use xai_core::InputLayout;
    /// assert_eq!(InputLayout::from_shape(&[5, 12], false)?, InputLayout::Tabular);
    /// assert_eq!(InputLayout::from_shape(&[5, 3, 8, 8], true)?, InputLayout::ChannelsFirst);
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn from_shape(shape: &[usize], channels_first: bool) -> Result<Self> {
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

    /// Number of axes of inputs.
    #[must_use]
    pub fn n_axes(self) -> usize {
        match self {
            Self::Tabular => 2,
            Self::TimeSeries => 3,
            Self::ChannelsLast | Self::ChannelsFirst => 4,
        }
    }

    /// Number of values per sample in a map without channels, for inputs of the given shape: pixels
    /// of an image, otherwise all elements of a sample.
    #[must_use]
    pub fn n_positions(self, input_shape: &[usize]) -> usize {
        match (self, input_shape) {
            (Self::ChannelsLast, [_, h, w, _]) | (Self::ChannelsFirst, [_, _, h, w]) => h * w,
            (_, [_, rest @ ..]) => rest.iter().product(),
            (_, []) => 0,
        }
    }
}
