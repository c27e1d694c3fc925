//! Colour maps from numbers to colours.

use colorous::{Color, Gradient};

use crate::picture::{Element, clamped};

/// Colour gradient over a range of numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColorMap {
    gradient: Gradient,
    range: (f64, f64),
}

/// Colour of undefined values (grey).
pub(crate) const UNDEFINED: [u8; 3] = [0x8c, 0x8c, 0x8c];

impl ColorMap {
    /// Creates a map from dark to light, for numbers without a special middle.
    pub(crate) fn sequential(range: (f64, f64)) -> Self {
        Self {
            gradient: colorous::VIRIDIS,
            range,
        }
    }

    /// Creates a map from blue at `-largest` over white at 0 to red at `largest`.
    pub(crate) fn diverging(largest: f64) -> Self {
        // The gradient goes from red to blue, so the range is reversed.
        Self {
            gradient: colorous::RED_BLUE,
            range: (largest, -largest),
        }
    }

    /// Colour of a number as red, green and blue.
    pub(crate) fn color(&self, value: f64) -> [u8; 3] {
        if !value.is_finite() {
            return UNDEFINED;
        }
        let Color { r, g, b } = self.gradient.eval_continuous(self.share(value));
        [r, g, b]
    }

    /// Index of the colour of a number in [`palette`](Self::palette): 0 to 254, or 255 if it is undefined.
    pub(crate) fn color_index(&self, value: f64) -> u8 {
        if !value.is_finite() {
            return 255;
        }
        (self.share(value) * 254.0).round() as u8
    }

    /// Palette of a PNG image with the colours of all indices.
    pub(crate) fn palette(&self) -> Vec<u8> {
        let colors = (0..255).map(|index| self.gradient.eval_rational(index, 255));
        let mut bytes: Vec<u8> = colors
            .flat_map(|color| [color.r, color.g, color.b])
            .collect();
        bytes.extend(UNDEFINED);
        bytes
    }

    /// Position of a number in the gradient, in [0, 1].
    fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        clamped((value - low) / (high - low)).unwrap_or(0.5)
    }

    /// Draws a colour bar from the smallest number at the left to the largest, with texts below
    /// both ends and the middle.
    pub(crate) fn legend(
        &self,
        (x, y): (f64, f64),
        width: f64,
        texts: [String; 3],
    ) -> Vec<Element> {
        const STEPS: usize = 32;
        const HEIGHT: f64 = 12.0;
        let least_first = self.range.0 <= self.range.1;
        let step = width / STEPS as f64;
        let stripe = |index: usize| {
            let color_step = if least_first {
                index
            } else {
                STEPS - 1 - index
            };
            let Color { r, g, b } = self.gradient.eval_rational(color_step, STEPS);
            // Stripes overlap a little, so that no gaps are visible between them.
            let width = if index + 1 < STEPS { step + 0.5 } else { step };
            let at = (x + step * index as f64, y);
            let color = hexadecimal([r, g, b]);
            Element::rect("", at, (width, HEIGHT)).with("fill", color)
        };
        let frame = Element::rect("frame", (x, y), (width, HEIGHT));
        let anchored = texts.into_iter().zip(["start", "middle", "end"]);
        let labels = anchored.enumerate().map(|(index, (text, anchor))| {
            let at = (x + width * index as f64 / 2.0, y + 26.0);
            Element::text("tick", at, text).with("text-anchor", anchor)
        });
        (0..STEPS)
            .map(stripe)
            .chain([frame])
            .chain(labels)
            .collect()
    }
}

/// Formats a colour for SVG: `#0072b2`.
pub(crate) fn hexadecimal([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_white_and_signs_have_opposite_colours() {
        let map = ColorMap::diverging(2.0);
        let [middle, red, blue] = [0.0, 2.0, -2.0].map(|value| map.color(value));
        assert!(middle.iter().all(|part| *part > 0xe8), "{middle:?}");
        assert!(red[0] > 90 && red[2] < 50, "{red:?}");
        assert!(blue[2] > 90 && blue[0] < 50, "{blue:?}");
        assert_eq!(map.color(f64::NAN), UNDEFINED);
    }

    #[test]
    fn a_palette_has_a_colour_for_every_byte() {
        let map = ColorMap::sequential((0.0, 1.0));
        assert_eq!(map.palette().len(), 256 * 3);
        assert_eq!(
            [0.0, 1.0, f64::INFINITY].map(|x| map.color_index(x)),
            [0, 254, 255]
        );
    }
}
