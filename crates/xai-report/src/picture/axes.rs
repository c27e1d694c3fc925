//! Axes of charts: scales, ticks and labels.

use crate::markup::number::minus;
use crate::picture::Element;

/// Label and range of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    /// Name of the quantity and its unit.
    pub(crate) label: String,
    /// Smallest and largest value.
    pub(crate) domain: (f64, f64),
}

impl Axis {
    pub(crate) fn new(label: impl Into<String>, domain: (f64, f64)) -> Self {
        Self {
            label: label.into(),
            domain,
        }
    }
}

/// Plot area of a chart with the scales of both axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

/// Margins around the plot area for ticks and labels.
const ABOVE: f64 = 26.0;
const BELOW: f64 = 42.0;
const BEFORE: f64 = 46.0;
const AFTER: f64 = 14.0;

impl Area {
    /// Creates the plot area of a picture of this size.
    pub(crate) fn new((width, height): (f64, f64), x: &Axis, y: &Axis) -> Self {
        let (left, right) = (BEFORE, width - AFTER);
        let (top, bottom) = (ABOVE, height - BELOW);
        Self {
            left,
            right,
            top,
            bottom,
            x: Scale::new(x.domain, (left, right)),
            y: Scale::new(y.domain, (bottom, top)),
        }
    }

    /// Position of a data point in the picture.
    pub(crate) fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }

    /// Draws grid lines, tick labels and axis labels.
    pub(crate) fn draw(&self, x: &Axis, y: &Axis) -> Vec<Element> {
        // About 70 units per tick across and 38 up keep the tick labels apart.
        let n_x = ((self.right - self.left) / 70.0).max(2.0) as usize;
        let n_y = ((self.bottom - self.top) / 38.0).max(2.0) as usize;
        let mut marks = self.draw_y_ticks(self.y.ticks(n_y));
        marks.extend(self.draw_x_ticks(n_x));
        marks.extend(self.draw_labels(x, y));
        marks
    }

    /// Draws about `n` ticks of the horizontal axis.
    pub(crate) fn draw_x_ticks(&self, n: usize) -> Vec<Element> {
        self.x.draw_below(n, (self.top, self.bottom))
    }

    /// Draws ticks of the vertical axis, given as values and texts.
    pub(crate) fn draw_y_ticks(&self, ticks: Vec<(f64, String)>) -> Vec<Element> {
        let ticks = ticks.into_iter().flat_map(|(value, text)| {
            let y = self.y.place(value);
            [
                Element::grid((self.left, y), (self.right, y)),
                Element::text("tick", (self.left - 6.0, y + 4.0), text).end(),
            ]
        });
        ticks.collect()
    }

    /// Draws the labels of both axes. The label of the vertical axis is written horizontally above
    /// it, which is easier to read.
    pub(crate) fn draw_labels(&self, x: &Axis, y: &Axis) -> [Element; 2] {
        let middle = ((self.left + self.right) / 2.0, self.bottom + 35.0);
        [
            Element::text("label", middle, &x.label).middle(),
            Element::text("label", (4.0, self.top - 11.0), &y.label),
        ]
    }
}

/// Linear scale from values to coordinates of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    domain: (f64, f64),
    coordinates: (f64, f64),
}

impl Scale {
    /// Creates a scale; a domain without width is widened.
    pub(crate) fn new(domain: (f64, f64), coordinates: (f64, f64)) -> Self {
        Self {
            domain: with_width(domain),
            coordinates,
        }
    }

    /// Coordinate of a value. Values outside the domain are placed at its ends, values that are not finite at its
    /// start.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let (low, high) = self.domain;
        // Halved, so that the difference of two large values cannot overflow.
        let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        let (start, end) = self.coordinates;
        start + clamped(share).unwrap_or(0.0) * (end - start)
    }

    /// Draws about `n` ticks of a horizontal axis: lines from top to bottom, with texts below.
    pub(crate) fn draw_below(&self, n: usize, (top, bottom): (f64, f64)) -> Vec<Element> {
        let ticks = self.ticks(n).into_iter().flat_map(|(value, text)| {
            let x = self.place(value);
            [
                Element::grid((x, top), (x, bottom)),
                Element::tick((x, bottom + 17.0), text),
            ]
        });
        ticks.collect()
    }

    /// About `n` round values of the domain, each with its text.
    pub(crate) fn ticks(&self, n: usize) -> Vec<(f64, String)> {
        ticks(self.domain, n)
    }
}

/// Clamps a share to [0, 1]; `None` if it is not finite.
pub(crate) fn clamped(share: f64) -> Option<f64> {
    share.is_finite().then(|| share.clamp(0.0, 1.0))
}

/// Largest magnitude of the ends of a domain, so that their difference is finite.
const LARGEST: f64 = 1e300;

/// Clamps a domain and widens it if it has no width; [0, 1] if it is not valid.
fn with_width((low, high): (f64, f64)) -> (f64, f64) {
    let (low, high) = (low.clamp(-LARGEST, LARGEST), high.clamp(-LARGEST, LARGEST));
    if !low.is_finite() || !high.is_finite() || low > high {
        return (0.0, 1.0);
    }
    if high - low > low.abs().max(high.abs()) * 1e-9 {
        return (low, high);
    }
    let margin = if low == 0.0 { 0.5 } else { low.abs() * 0.1 };
    (low - margin, high + margin)
}

/// Smallest and largest finite value; `None` if there is none.
pub(crate) fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .into_iter()
        .filter(|value| value.is_finite())
        .fold(None, |ends, value| match ends {
            None => Some((value, value)),
            Some((low, high)) => Some((value.min(low), value.max(high))),
        })
}

/// A domain that contains the values and ends on round values.
pub(crate) fn nice_domain(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (low, high) = with_width(extent(values).unwrap_or((0.0, 1.0)));
    let step = nice_step(high - low, 5);
    let ends = ((low / step).floor() * step, (high / step).ceil() * step);
    if ends.0.is_finite() && ends.1.is_finite() {
        ends
    } else {
        (low, high)
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides the width into about `n` parts.
fn nice_step(width: f64, n: usize) -> f64 {
    let raw = width / n.max(1) as f64;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = match raw / power {
        x if x < 1.5 => 1.0,
        x if x < 3.5 => 2.0,
        x if x < 7.5 => 5.0,
        _ => 10.0,
    };
    factor * power
}

/// About `n` round values between the ends of the domain, each with its text.
pub(crate) fn ticks(domain: (f64, f64), n: usize) -> Vec<(f64, String)> {
    let (low, high) = with_width(domain);
    let step = nice_step(high - low, n);
    // Rounding must not lose a tick at an end of the domain.
    let slack = 1e-9 * (high - low) / step;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    // Bounds the number of ticks even for extreme domains in which `step` is rounded.
    let n_ticks = ((last - first).max(0.0) as usize).min(2 * n + 2);
    let tick = |index: usize| {
        let value = (first + index as f64) * step;
        (value, text(value, step))
    };
    (0..=n_ticks).map(tick).collect()
}

/// Formats a tick with as many decimals as its step needs, or in scientific notation if it is too large or small.
fn text(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs().max(step);
    if size >= 1e6 || step < 1e-4 {
        return minus(format!("{value:.1e}"));
    }
    let n_decimals = (-step.log10().floor()).max(0.0) as usize;
    minus(format!("{value:.n_decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(domain: (f64, f64), n: usize) -> Vec<String> {
        ticks(domain, n).into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            texts((0.0, 1.0), 5),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(texts((-0.3, 0.31), 3), ["−0.2", "0", "0.2"]);
        assert_eq!(texts((3.0, 64.0), 6), ["10", "20", "30", "40", "50", "60"]);
        assert_eq!(texts((0.0, 2e7), 2), ["0", "1.0e7", "2.0e7"]);
    }

    #[test]
    fn the_domain_ends_on_ticks() {
        assert_eq!(nice_domain([0.13, 0.94]), (0.0, 1.0));
        assert_eq!(nice_domain([-7.0, 12.0]), (-10.0, 15.0));
    }

    #[test]
    fn no_domain_breaks_a_scale() {
        for domain in [
            (0.5, 0.5),
            (0.0, 0.0),
            (1.0, 0.0),
            (f64::NAN, 1.0),
            (f64::MIN, f64::MAX),
            (1.0, 1.0 + 1e-15),
        ] {
            let scale = Scale::new(domain, (10.0, 110.0));
            let places = [-1e308, 0.5, 1e308, f64::NAN].map(|value| scale.place(value));
            assert!(places.iter().all(|place| (10.0..=110.0).contains(place)));
            assert!(!scale.ticks(5).is_empty() && scale.ticks(5).len() <= 12);
        }
    }
}
