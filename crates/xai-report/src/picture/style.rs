//! Styles of series: colour, mark and dash, so that series can be distinguished without colour.

use maud::{Markup, html};

use crate::markup::name;
use crate::picture::Element;

/// Number of colours in the style sheet: `--series-0` to `--series-5`.
const N_COLORS: usize = 6;

/// Number of marks and dashes.
const N_SHAPES: usize = 6;

/// Dash pattern of lines by shape.
const DASHES: [&str; N_SHAPES] = ["none", "7 3", "2 3", "9 3 2 3", "4 2 1 2 1 2", "12 4"];

/// Corners of marks by shape, for a radius of 1; without corners the mark is a circle.
const CORNERS: [&[(f64, f64)]; N_SHAPES] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.3), (1.2, 0.9), (-1.2, 0.9)],
    &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
    &[(0.0, 1.3), (1.2, -0.9), (-1.2, -0.9)],
    &PLUS,
];

#[rustfmt::skip]
const PLUS: [(f64, f64); 12] = [
    (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4),
    (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4),
];

/// Style of one series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    color: usize,
    shape: usize,
}

impl Style {
    /// Style of the `index`-th series. The first 36 are different.
    pub(crate) fn for_series(index: usize) -> Self {
        Self {
            color: index % N_COLORS,
            // Shifted by one each time the colours repeat, so that a colour gets another shape.
            shape: (index + index / N_COLORS) % N_SHAPES,
        }
    }

    /// CSS classes of an element: `marks` and the colour of the series.
    pub(crate) fn class(self, marks: &str) -> String {
        format!("{marks} s{}", self.color)
    }

    /// Draws a line through points.
    pub(crate) fn line(self, points: impl IntoIterator<Item = (f64, f64)>) -> Element {
        let line = Element::path(self.class("line"), points);
        match DASHES[self.shape] {
            "none" => line,
            dash => line.with("stroke-dasharray", dash),
        }
    }

    /// Draws a mark with about the area of a circle of this radius.
    pub(crate) fn mark(self, (x, y): (f64, f64), radius: f64) -> Element {
        let class = self.class("mark");
        match CORNERS[self.shape] {
            [] => Element::circle(class, (x, y), radius),
            corners => {
                let corners = corners.iter();
                let places = corners.map(|(dx, dy)| (x + dx * radius, y + dy * radius));
                Element::polygon(class, places)
            }
        }
    }
}

/// Symbol of a legend entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Swatch {
    /// A line with its mark.
    Line(Style),
    /// A mark.
    Mark(Style),
    /// A filled box.
    Bar(Style),
    /// The reference line, for example the value by chance.
    Reference,
    /// The ring around the best point.
    Best,
    /// An edge of this width.
    Edge(f64),
    /// An edge of the ground truth.
    TrueEdge,
    /// The explained node.
    Explained,
}

/// Entry of a legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LegendEntry {
    swatch: Swatch,
    text: String,
}

impl LegendEntry {
    pub(crate) fn new(swatch: Swatch, text: impl Into<String>) -> Self {
        Self {
            swatch,
            text: text.into(),
        }
    }

    /// Renders the entry as a list item.
    pub(crate) fn draw(&self) -> Markup {
        html! {
            li {
                svg viewBox="0 0 30 14" width="30" height="14" aria-hidden="true" focusable="false" {
                    @for mark in self.swatch.draw() { (mark) }
                }
                (name(&self.text))
            }
        }
    }
}

impl Swatch {
    fn draw(self) -> Vec<Element> {
        let across = [(1.0, 7.0), (29.0, 7.0)];
        let edge = |class: &str, width: f64| {
            Element::path(class, [(2.0, 7.0), (28.0, 7.0)]).with("stroke-width", width)
        };
        match self {
            Self::Line(style) => vec![style.line(across), style.mark((15.0, 7.0), 4.0)],
            Self::Mark(style) => vec![style.mark((15.0, 7.0), 4.5)],
            Self::Bar(style) => vec![Element::rect(style.class("bar"), (6.0, 1.0), (18.0, 12.0))],
            Self::Reference => vec![Element::path("reference", across)],
            Self::Best => vec![Element::ring((15.0, 7.0), 6.0)],
            Self::Edge(width) => vec![edge("edge", width)],
            Self::TrueEdge => vec![edge("true-edge", 10.0), edge("edge", 3.0)],
            Self::Explained => vec![Element::circle("node explained", (15.0, 7.0), 6.0)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_six_series_differ_and_neighbours_differ_in_both() {
        let styles: Vec<Style> = (0..36).map(Style::for_series).collect();
        let mut seen = Vec::new();
        for style in &styles {
            assert!(!seen.contains(&style));
            seen.push(style);
        }
        let pairs = styles.windows(2).take(5);
        assert!(
            pairs
                .into_iter()
                .all(|p| p[0].color != p[1].color && p[0].shape != p[1].shape)
        );
    }
}
