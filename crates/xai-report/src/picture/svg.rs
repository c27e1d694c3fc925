//! SVG elements, rendered as text. Unlike templates of `maud`, they can be changed after they are
//! created, for example to add tooltips.

use std::fmt::{Display, Write};

use maud::{Escaper, Render};

/// An SVG element with escaped attributes and content.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    name: &'static str,
    attributes: String,
    content: String,
}

/// A point of a picture: distance from the left and from the top.
pub(crate) type At = (f64, f64);

impl Element {
    /// Creates an empty element.
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: String::new(),
            content: String::new(),
        }
    }

    /// Creates an empty element with a CSS class, or without one if `class` is empty.
    fn with_class(name: &'static str, class: impl Display) -> Self {
        let (element, class) = (Self::new(name), class.to_string());
        if class.is_empty() {
            return element;
        }
        element.with("class", class)
    }

    /// A straight line.
    pub(crate) fn line(class: impl Display, from: At, to: At) -> Self {
        let ends = [("x1", from.0), ("y1", from.1), ("x2", to.0), ("y2", to.1)];
        Self::with_class("line", class).at(ends)
    }

    /// A line of the grid.
    pub(crate) fn grid(from: At, to: At) -> Self {
        Self::line("grid", from, to)
    }

    /// A line through points.
    pub(crate) fn path(class: impl Display, points: impl IntoIterator<Item = At>) -> Self {
        Self::with_class("path", class).with("d", path(points))
    }

    /// A filled polygon.
    pub(crate) fn polygon(class: impl Display, points: impl IntoIterator<Item = At>) -> Self {
        Self::with_class("path", class).with("d", path(points) + "Z")
    }

    /// A rectangle, given by its upper left corner.
    pub(crate) fn rect(class: impl Display, at: At, size: At) -> Self {
        Self::with_class("rect", class).in_box(at, size)
    }

    /// An image, given by its upper left corner and stretched to `size`.
    pub(crate) fn image(class: &str, uri: &str, at: At, size: At) -> Self {
        let image = Self::with_class("image", class).with("href", uri);
        image.with("preserveAspectRatio", "none").in_box(at, size)
    }

    fn in_box(self, (x, y): At, (width, height): At) -> Self {
        self.at([("x", x), ("y", y), ("width", width), ("height", height)])
    }

    /// A circle.
    pub(crate) fn circle(class: impl Display, (x, y): At, radius: f64) -> Self {
        Self::with_class("circle", class).at([("cx", x), ("cy", y), ("r", radius)])
    }

    /// A ring that marks the best point.
    pub(crate) fn ring(at: At, radius: f64) -> Self {
        Self::circle("best", at, radius)
    }

    /// Text that starts at a position.
    pub(crate) fn text(class: &str, (x, y): At, text: impl Display) -> Self {
        let element = Self::with_class("text", class).at([("x", x), ("y", y)]);
        element.write(text)
    }

    /// Text that starts at a position and is shortened to fit a width. The full text is shown on hover.
    pub(crate) fn fitting(class: &str, at: At, text: &str, width: f64) -> Self {
        let max_chars = (width / CHARACTER).max(2.0) as usize;
        let element = Self::text(class, at, shortened(text, max_chars));
        if text.chars().count() <= max_chars {
            return element;
        }
        element.tooltip(text)
    }

    /// Text of a tick, centred at a position.
    pub(crate) fn tick(at: At, text: impl Display) -> Self {
        Self::text("tick", at, text).middle()
    }

    /// Centres a text at its position.
    pub(crate) fn middle(self) -> Self {
        self.with("text-anchor", "middle")
    }

    /// Lets a text end at its position.
    pub(crate) fn end(self) -> Self {
        self.with("text-anchor", "end")
    }

    /// A group of elements with a common tooltip.
    pub(crate) fn group(tooltip: impl Display, elements: impl IntoIterator<Item = Self>) -> Self {
        let mut group = Self::new("g").tooltip(tooltip);
        for element in elements {
            element.render_to(&mut group.content);
        }
        group
    }

    /// Adds an attribute.
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Self {
        // Writing to a `String` never fails.
        let _ = write!(self.attributes, " {name}=\"");
        let _ = write!(Escaper::new(&mut self.attributes), "{value}");
        self.attributes.push('"');
        self
    }

    /// Adds coordinates, rounded to a hundredth of a unit.
    fn at<const N: usize>(self, coordinates: [(&str, f64); N]) -> Self {
        let coordinates = coordinates.into_iter();
        coordinates.fold(self, |element, (name, value)| {
            element.with(name, format_coordinate(value))
        })
    }

    /// Adds a tooltip.
    pub(crate) fn tooltip(mut self, text: impl Display) -> Self {
        let title = Self::new("title").write(text);
        title.render_to(&mut self.content);
        self
    }

    /// Appends text to the content.
    fn write(mut self, text: impl Display) -> Self {
        let _ = write!(Escaper::new(&mut self.content), "{text}");
        self
    }
}

impl Render for Element {
    fn render_to(&self, buffer: &mut String) {
        let (name, attributes, content) = (self.name, &self.attributes, &self.content);
        let _ = write!(buffer, "<{name}{attributes}>{content}</{name}>");
    }
}

/// Formats a coordinate, rounded to a hundredth, as short as possible.
pub(crate) fn format_coordinate(coordinate: f64) -> String {
    let rounded = (coordinate * 100.0).round() / 100.0;
    // Adding 0.0 turns −0 into 0.
    format!("{}", rounded + 0.0)
}

/// Formats the points of a path: `M1,2L3,4`.
fn path(points: impl IntoIterator<Item = At>) -> String {
    let points = points.into_iter().enumerate();
    let steps = points.map(|(index, (x, y))| {
        let step = if index == 0 { 'M' } else { 'L' };
        format!("{step}{},{}", format_coordinate(x), format_coordinate(y))
    });
    steps.collect()
}

/// Shortens a text to at most `max_chars` characters, with an ellipsis at the end.
pub(crate) fn shortened(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let short = text.chars().take(max_chars.saturating_sub(1));
    short.chain(['…']).collect()
}

/// Width of the longest name, estimated from its letters.
pub(crate) fn room<'a>(names: impl IntoIterator<Item = &'a String>) -> f64 {
    // The mean width is not enough for short names, which may consist of wide letters.
    let relative_width = |letter: char| match letter {
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.6,
        _ if letter.is_uppercase() => 1.2,
        _ => 1.0,
    };
    let widths = names
        .into_iter()
        .map(|name| name.chars().map(relative_width).sum());
    widths.fold(0.0, f64::max) * CHARACTER + 4.0
}

/// Mean width of a character in pictures.
const CHARACTER: f64 = 7.3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_acts() {
        let hostile = "\"><script>alert('1')</script>&";
        let element = Element::text(hostile, (0.0, 1.0), hostile);
        let shown = "&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt;&amp;";
        assert_eq!(
            element.render().into_string(),
            format!("<text class=\"{shown}\" x=\"0\" y=\"1\">{shown}</text>")
        );
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(path([(1.0, -0.001), (2.345_678, 1e3)]), "M1,0L2.35,1000");
    }
}
