//! Elements of SVG, written as text: `maud` writes HTML, but shapes are put together from coordinates and get their tooltips later.

use std::fmt::{Display, Write};

use maud::{Escaper, Render};

/// An element with its attributes and what it holds; both are escaped.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    name: &'static str,
    attributes: String,
    content: String,
}

/// A point of a picture: from the left, from the top.
pub(crate) type At = (f64, f64);

impl Element {
    /// An empty element.
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: String::new(),
            content: String::new(),
        }
    }

    /// An empty element of a class, or of none.
    fn of(name: &'static str, class: impl Display) -> Self {
        let (element, class) = (Self::new(name), class.to_string());
        if class.is_empty() {
            return element;
        }
        element.with("class", class)
    }

    /// A straight line.
    pub(crate) fn line(class: impl Display, from: At, to: At) -> Self {
        let ends = [("x1", from.0), ("y1", from.1), ("x2", to.0), ("y2", to.1)];
        Self::of("line", class).at(ends)
    }

    /// A line of the grid.
    pub(crate) fn grid(from: At, to: At) -> Self {
        Self::line("grid", from, to)
    }

    /// A line through points.
    pub(crate) fn path(class: impl Display, points: impl IntoIterator<Item = At>) -> Self {
        Self::of("path", class).with("d", path(points))
    }

    /// An area between points.
    pub(crate) fn polygon(class: impl Display, points: impl IntoIterator<Item = At>) -> Self {
        Self::of("path", class).with("d", path(points) + "Z")
    }

    /// A rectangle by its corner at the upper left.
    pub(crate) fn rect(class: impl Display, at: At, size: At) -> Self {
        Self::of("rect", class).in_box(at, size)
    }

    /// An image by its corner at the upper left, without regard to its own proportions.
    pub(crate) fn image(class: &str, uri: &str, at: At, size: At) -> Self {
        let image = Self::of("image", class).with("href", uri);
        image.with("preserveAspectRatio", "none").in_box(at, size)
    }

    fn in_box(self, (x, y): At, (width, height): At) -> Self {
        self.at([("x", x), ("y", y), ("width", width), ("height", height)])
    }

    /// A circle.
    pub(crate) fn circle(class: impl Display, (x, y): At, radius: f64) -> Self {
        Self::of("circle", class).at([("cx", x), ("cy", y), ("r", radius)])
    }

    /// The ring around the best point.
    pub(crate) fn ring(at: At, radius: f64) -> Self {
        Self::circle("best", at, radius)
    }

    /// Text that begins at a place.
    pub(crate) fn text(class: &str, (x, y): At, text: impl Display) -> Self {
        let element = Self::of("text", class).at([("x", x), ("y", y)]);
        element.write(text)
    }

    /// Text that begins at a place and is cut where it does not fit in a width, with the whole of it shown on hover.
    pub(crate) fn fitting(class: &str, at: At, text: &str, width: f64) -> Self {
        let most = (width / CHARACTER).max(2.0) as usize;
        let element = Self::text(class, at, shortened(text, most));
        if text.chars().count() <= most {
            return element;
        }
        element.tooltip(text)
    }

    /// The text of a tick in the middle above or below a place.
    pub(crate) fn tick(at: At, text: impl Display) -> Self {
        Self::text("tick", at, text).middle()
    }

    /// A text that has its middle at its place.
    pub(crate) fn middle(self) -> Self {
        self.with("text-anchor", "middle")
    }

    /// A text that ends at its place.
    pub(crate) fn end(self) -> Self {
        self.with("text-anchor", "end")
    }

    /// A group of elements, with the text that is shown while a pointer rests on one of them.
    pub(crate) fn group(tooltip: impl Display, elements: impl IntoIterator<Item = Self>) -> Self {
        let mut group = Self::new("g").tooltip(tooltip);
        for element in elements {
            element.render_to(&mut group.content);
        }
        group
    }

    /// With an attribute.
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Self {
        // Writing to a string does not fail.
        let _ = write!(self.attributes, " {name}=\"");
        let _ = write!(Escaper::new(&mut self.attributes), "{value}");
        self.attributes.push('"');
        self
    }

    /// With coordinates, to a hundredth of a unit.
    fn at<const N: usize>(self, coordinates: [(&str, f64); N]) -> Self {
        let coordinates = coordinates.into_iter();
        coordinates.fold(self, |element, (name, value)| {
            element.with(name, place(value))
        })
    }

    /// With the text that is shown while a pointer rests on it.
    pub(crate) fn tooltip(mut self, text: impl Display) -> Self {
        let title = Self::new("title").write(text);
        title.render_to(&mut self.content);
        self
    }

    /// With text after what it holds.
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

/// A coordinate to a hundredth, as short as it can be written.
pub(crate) fn place(coordinate: f64) -> String {
    let rounded = (coordinate * 100.0).round() / 100.0;
    // There is no negative zero in a picture.
    format!("{}", rounded + 0.0)
}

/// The points of a path: `M1,2L3,4`.
fn path(points: impl IntoIterator<Item = At>) -> String {
    let points = points.into_iter().enumerate();
    let steps = points.map(|(index, (x, y))| {
        let step = if index == 0 { 'M' } else { 'L' };
        format!("{step}{},{}", place(x), place(y))
    });
    steps.collect()
}

/// At most so many characters, with an ellipsis where some are missing.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let short = text.chars().take(most.saturating_sub(1));
    short.chain(['…']).collect()
}

/// The room that the longest of some names needs.
pub(crate) fn room<'a>(names: impl IntoIterator<Item = &'a String>) -> f64 {
    // Short names may be of wide letters alone.
    let of_letter = |letter: char| match letter {
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.6,
        _ if letter.is_uppercase() => 1.2,
        _ => 1.0,
    };
    let widths = names
        .into_iter()
        .map(|name| name.chars().map(of_letter).sum());
    widths.fold(0.0, f64::max) * CHARACTER + 4.0
}

/// The mean width of a character of the text in a picture.
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
