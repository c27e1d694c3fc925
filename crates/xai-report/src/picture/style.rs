//! What tells series apart: a colour, a shape and a dash each, so that none has to be seen by colour alone.

use crate::markup::{Element, name, path};

/// Colours of the style sheet: `--series-0` and so on.
const N_COLORS: usize = 6;

/// Marks and dashes.
const N_SHAPES: usize = 6;

/// The dash of each line, by shape.
const DASHES: [&str; N_SHAPES] = ["none", "7 3", "2 3", "9 3 2 3", "4 2 1 2 1 2", "12 4"];

/// Looks of one series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    color: usize,
    shape: usize,
}

impl Style {
    /// The looks of the `index`-th series; 36 differ.
    pub(crate) fn of(index: usize) -> Self {
        Self {
            color: index % N_COLORS,
            shape: (index + index / N_COLORS) % N_SHAPES,
        }
    }

    /// The class by which the style sheet gives the colour.
    pub(crate) fn class(self) -> String {
        format!("s{}", self.color)
    }

    /// A line through points.
    pub(crate) fn line(self, points: impl IntoIterator<Item = (f64, f64)>) -> Element {
        let line = Element::of("path", format!("line {}", self.class())).with("d", path(points));
        match DASHES[self.shape] {
            "none" => line,
            dash => line.with("stroke-dasharray", dash),
        }
    }

    /// A mark of about the area of a circle of this radius.
    pub(crate) fn mark(self, (x, y): (f64, f64), radius: f64) -> Element {
        let class = format!("mark {}", self.class());
        let corners = |corners: &[(f64, f64)]| {
            let points = corners
                .iter()
                .map(|(dx, dy)| (x + dx * radius, y + dy * radius));
            Element::of("path", &class).with("d", path(points) + "Z")
        };
        match self.shape {
            0 => Element::of("circle", &class)
                .at("cx", x)
                .at("cy", y)
                .at("r", radius),
            1 => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            2 => corners(&[(0.0, -1.3), (1.2, 0.9), (-1.2, 0.9)]),
            3 => corners(&[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)]),
            4 => corners(&[(0.0, 1.3), (1.2, -0.9), (-1.2, -0.9)]),
            _ => corners(&[
                (-0.4, -1.2),
                (0.4, -1.2),
                (0.4, -0.4),
                (1.2, -0.4),
                (1.2, 0.4),
                (0.4, 0.4),
                (0.4, 1.2),
                (-0.4, 1.2),
                (-0.4, 0.4),
                (-1.2, 0.4),
                (-1.2, -0.4),
                (-0.4, -0.4),
            ]),
        }
    }
}

/// What one entry of a legend shows before its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Swatch {
    /// A line with its mark.
    Line(Style),
    /// A mark.
    Mark(Style),
    /// A filled box.
    Bar(Style),
    /// A line without a name of its own: what chance gives.
    Reference,
    /// The ring around the best point.
    Best,
    /// An edge of this width.
    Edge(f64),
    /// An edge of the truth.
    TrueEdge,
    /// The explained node.
    Explained,
}

/// One entry of a legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    swatch: Swatch,
    text: String,
}

impl Entry {
    /// An entry.
    pub(crate) fn new(swatch: Swatch, text: impl Into<String>) -> Self {
        Self {
            swatch,
            text: text.into(),
        }
    }

    fn draw(&self) -> Element {
        let swatch = Element::new("svg")
            .with("viewBox", "0 0 30 14")
            .with("width", 30)
            .with("height", 14)
            .with("aria-hidden", "true")
            .with("focusable", "false")
            .children(self.swatch.draw());
        Element::new("li").child(swatch).child(name(&self.text))
    }
}

impl Swatch {
    fn draw(self) -> Vec<Element> {
        let across = [(1.0, 7.0), (29.0, 7.0)];
        match self {
            Self::Line(style) => vec![style.line(across), style.mark((15.0, 7.0), 4.0)],
            Self::Mark(style) => vec![style.mark((15.0, 7.0), 4.5)],
            Self::Bar(style) => vec![bar("bar", style)],
            Self::Reference => vec![Element::of("path", "reference").with("d", path(across))],
            Self::Best => vec![ring((15.0, 7.0), 6.0)],
            Self::Edge(width) => vec![edge("edge", width)],
            Self::TrueEdge => vec![edge("true-edge", 10.0), edge("edge", 3.0)],
            Self::Explained => vec![
                Element::of("circle", "node explained")
                    .with("cx", 15)
                    .with("cy", 7)
                    .with("r", 6),
            ],
        }
    }
}

fn bar(class: &str, style: Style) -> Element {
    Element::of("rect", format!("{class} {}", style.class()))
        .with("x", 6)
        .with("y", 1)
        .with("width", 18)
        .with("height", 12)
}

fn edge(class: &str, width: f64) -> Element {
    Element::of("path", class)
        .with("d", "M2,7L28,7")
        .at("stroke-width", width)
}

/// The ring around the best point.
pub(crate) fn ring((x, y): (f64, f64), radius: f64) -> Element {
    Element::of("circle", "best")
        .at("cx", x)
        .at("cy", y)
        .at("r", radius)
}

/// The legend of a picture, beside which colours and shapes are looked up.
pub(crate) fn legend(entries: &[Entry]) -> Element {
    Element::of("ul", "legend").children(entries.iter().map(Entry::draw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_six_series_differ_and_neighbours_differ_in_both() {
        let styles: Vec<Style> = (0..36).map(Style::of).collect();
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
