//! Colours that stand for numbers.

use colorous::{Color, Gradient};

use crate::markup::{Element, place};

/// A range of numbers and their colours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColorMap {
    gradient: Gradient,
    range: (f64, f64),
}

/// Of what is undefined.
pub(crate) const UNDEFINED: [u8; 3] = [0x8c, 0x8c, 0x8c];

impl ColorMap {
    /// From dark to light, for numbers of one direction.
    pub(crate) fn sequential(range: (f64, f64)) -> Self {
        Self {
            gradient: colorous::VIRIDIS,
            range,
        }
    }

    /// From blue over white at 0 to red, for numbers up to this size on either side.
    pub(crate) fn diverging(largest: f64) -> Self {
        // The gradient goes from red to blue.
        Self {
            gradient: colorous::RED_BLUE,
            range: (largest, -largest),
        }
    }

    /// The colour of a number.
    pub(crate) fn color(&self, value: f64) -> [u8; 3] {
        if !value.is_finite() {
            return UNDEFINED;
        }
        let Color { r, g, b } = self.gradient.eval_continuous(self.share(value));
        [r, g, b]
    }

    /// The colour of a number among 255, the last one of which is for what is undefined.
    pub(crate) fn color_index(&self, value: f64) -> u8 {
        match value.is_finite() {
            true => (self.share(value) * 254.0).round() as u8,
            false => 255,
        }
    }

    /// The colours by [`color_index`](Self::color_index), as the bytes of a PNG's palette.
    pub(crate) fn palette(&self) -> Vec<u8> {
        let colors = (0..255).map(|index| self.gradient.eval_rational(index, 255));
        let mut bytes: Vec<u8> = colors
            .flat_map(|color| [color.r, color.g, color.b])
            .collect();
        bytes.extend(UNDEFINED);
        bytes
    }

    fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let share = (value - low) / (high - low);
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.5
        }
    }

    /// A bar of all colours, from the least number at the left to the largest.
    pub(crate) fn bar(&self, (x, y): (f64, f64), (width, height): (f64, f64)) -> Vec<Element> {
        const STEPS: usize = 32;
        let least_first = self.range.0 <= self.range.1;
        let step = width / STEPS as f64;
        let stripe = |index: usize| {
            let index_of_color = if least_first {
                index
            } else {
                STEPS - 1 - index
            };
            let color = self.gradient.eval_rational(index_of_color, STEPS);
            Element::new("rect")
                .at("x", x + step * index as f64)
                .at("y", y)
                // A little over the next one, so that no seam shows.
                .at("width", if index + 1 < STEPS { step + 0.5 } else { step })
                .at("height", height)
                .with("fill", hexadecimal([color.r, color.g, color.b]))
        };
        let frame = Element::of("rect", "frame")
            .at("x", x)
            .at("y", y)
            .at("width", width)
            .at("height", height);
        (0..STEPS).map(stripe).chain([frame]).collect()
    }
}

/// A colour as SVG has it: `#0072b2`.
pub(crate) fn hexadecimal([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A bar of colours with a number at either end and in the middle.
pub(crate) fn legend_bar(
    map: &ColorMap,
    at: (f64, f64),
    width: f64,
    texts: [String; 3],
) -> Vec<Element> {
    let mut marks = map.bar(at, (width, 12.0));
    let anchors = ["start", "middle", "end"];
    for (index, (text, anchor)) in texts.into_iter().zip(anchors).enumerate() {
        let x = at.0 + width * index as f64 / 2.0;
        marks.push(
            Element::of("text", "tick")
                .with("x", place(x))
                .at("y", at.1 + 26.0)
                .with("text-anchor", anchor)
                .text(text),
        );
    }
    marks
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
