//! The two axes of a chart.

use super::scale::Scale;
use crate::markup::element::Element;

/// What an axis shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    /// What is measured, and its unit.
    pub(crate) label: String,
    /// The least and the largest value.
    pub(crate) domain: (f64, f64),
}

impl Axis {
    /// An axis.
    pub(crate) fn new(label: impl Into<String>, domain: (f64, f64)) -> Self {
        Self {
            label: label.into(),
            domain,
        }
    }
}

/// The area of a chart with the scales of both axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

/// Room around the area.
const ABOVE: f64 = 26.0;
const BELOW: f64 = 42.0;
const BEFORE: f64 = 46.0;
const AFTER: f64 = 14.0;

impl Area {
    /// The area of a picture of this size, with room for ticks and labels.
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

    /// The place of a point.
    pub(crate) fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }

    /// Lines at the ticks, their texts, and the labels.
    pub(crate) fn draw(&self, x: &Axis, y: &Axis) -> Vec<Element> {
        let n_x = ((self.right - self.left) / 70.0).max(2.0) as usize;
        let n_y = ((self.bottom - self.top) / 38.0).max(2.0) as usize;
        let mut marks = Vec::new();
        for (value, text) in self.y.ticks(n_y) {
            let place = self.y.place(value);
            marks.push(grid((self.left, place), (self.right, place)));
            marks.push(tick((self.left - 6.0, place + 4.0), "end", &text));
        }
        marks.extend(self.draw_x_ticks(n_x));
        marks.extend(self.draw_labels(x, y));
        marks
    }

    /// Ticks of the horizontal axis.
    pub(crate) fn draw_x_ticks(&self, n: usize) -> Vec<Element> {
        let ticks = self.x.ticks(n).into_iter().map(|(value, text)| {
            let place = self.x.place(value);
            [
                grid((place, self.top), (place, self.bottom)),
                tick((place, self.bottom + 17.0), "middle", &text),
            ]
        });
        ticks.flatten().collect()
    }

    /// The names of both axes: above the vertical one, so that nobody has to turn the head.
    pub(crate) fn draw_labels(&self, x: &Axis, y: &Axis) -> [Element; 2] {
        [
            Element::of("text", "label")
                .at("x", (self.left + self.right) / 2.0)
                .at("y", self.bottom + 35.0)
                .with("text-anchor", "middle")
                .text(&x.label),
            Element::of("text", "label")
                .with("x", 4)
                .at("y", self.top - 11.0)
                .text(&y.label),
        ]
    }
}

/// A line of the grid.
pub(crate) fn grid(from: (f64, f64), to: (f64, f64)) -> Element {
    line("grid", from, to)
}

/// A straight line.
pub(crate) fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Element {
    Element::of("line", class)
        .at("x1", from.0)
        .at("y1", from.1)
        .at("x2", to.0)
        .at("y2", to.1)
}

/// The text of a tick.
pub(crate) fn tick((x, y): (f64, f64), anchor: &str, text: &str) -> Element {
    Element::of("text", "tick")
        .at("x", x)
        .at("y", y)
        .with("text-anchor", anchor)
        .text(text)
}

/// What stands in a picture of nothing.
pub(crate) fn nothing((x, y): (f64, f64)) -> Element {
    Element::of("text", "muted")
        .at("x", x)
        .at("y", y)
        .with("text-anchor", "middle")
        .text("no value is defined")
}
