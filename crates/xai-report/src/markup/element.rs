//! Elements of HTML and SVG, written as text.
//!
//! Text and attributes from files stand on the page, so an element writes both escaped, and every character
//! that would act as its code. Only the names of elements and attributes are taken as they are: they are ours.

use std::fmt::{self, Display, Formatter, Write};

use xai_core::text::visible;

/// Finished markup: what came from files is escaped in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Markup(String);

impl Markup {
    /// Markup of our own, that has nothing from a file.
    pub(crate) fn own(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Text as it is shown.
    pub(crate) fn text(text: &str) -> Self {
        let mut escaped = Self::default();
        // Writing to a string does not fail.
        let _ = escape(&mut escaped.0, text);
        escaped
    }

    /// Elements on a line each.
    pub(crate) fn lines(elements: impl IntoIterator<Item = Element>) -> Self {
        let lines = elements.into_iter().map(|element| format!("{element}\n"));
        Self(lines.collect())
    }

    /// Several after each other.
    pub(crate) fn joined<T: Into<Self>>(parts: impl IntoIterator<Item = T>) -> Self {
        let parts = parts.into_iter().map(|part| part.into().0);
        Self(parts.collect())
    }
}

impl Display for Markup {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Element> for Markup {
    fn from(element: Element) -> Self {
        Self(element.to_string())
    }
}

/// An element with its attributes and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Element(Element),
    Text(String),
    Markup(Markup),
}

/// Elements of HTML that hold nothing and have no end.
const WITHOUT_END: [&str; 3] = ["br", "col", "img"];

impl Element {
    /// An empty element.
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            children: Vec::new(),
        }
    }

    /// An element of a class.
    pub(crate) fn of(name: &'static str, class: impl Display) -> Self {
        Self::new(name).with("class", class)
    }

    /// With an attribute.
    pub(crate) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// With a coordinate, to a hundredth of a unit.
    pub(crate) fn at(self, name: &'static str, coordinate: f64) -> Self {
        self.with(name, place(coordinate))
    }

    /// With text after what it holds.
    pub(crate) fn text(mut self, text: impl Display) -> Self {
        self.children.push(Node::Text(text.to_string()));
        self
    }

    /// With an element after what it holds.
    pub(crate) fn child(mut self, child: Element) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    /// With elements after what it holds.
    pub(crate) fn children(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        let children = children.into_iter().map(Node::Element);
        self.children.extend(children);
        self
    }

    /// With finished markup after what it holds.
    pub(crate) fn markup(mut self, markup: Markup) -> Self {
        self.children.push(Node::Markup(markup));
        self
    }

    /// With the text that is shown while a pointer rests on it.
    pub(crate) fn tooltip(self, text: impl Display) -> Self {
        self.child(Element::new("title").text(text))
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.name)?;
        for (name, value) in &self.attributes {
            write!(f, " {name}=\"")?;
            escape(f, value)?;
            f.write_str("\"")?;
        }
        f.write_str(">")?;
        if WITHOUT_END.contains(&self.name) {
            return Ok(());
        }
        for child in &self.children {
            match child {
                Node::Element(element) => element.fmt(f)?,
                Node::Text(text) => escape(f, text)?,
                Node::Markup(markup) => markup.fmt(f)?,
            }
        }
        write!(f, "</{}>", self.name)
    }
}

/// Writes text so that neither markup nor a control character in it acts.
fn escape(f: &mut impl Write, text: &str) -> fmt::Result {
    let text = visible(text);
    let mut rest = text.as_ref();
    // Images are long and have none of these: they are written in one piece.
    while let Some((before, after)) = rest
        .find(['&', '<', '>', '"', '\''])
        .map(|at| rest.split_at(at))
    {
        f.write_str(before)?;
        let mut characters = after.chars();
        f.write_str(match characters.next() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            _ => "&#39;",
        })?;
        rest = characters.as_str();
    }
    f.write_str(rest)
}

/// A name from a file, whose direction of writing stays its own.
pub(crate) fn name(text: &str) -> Element {
    let name = Element::new("bdi").text(text);
    // A table cuts long names short; the whole of it is shown on hover.
    match text.chars().count() > LONG {
        true => name.with("title", text),
        false => name,
    }
}

/// Characters of a name from which on a table may cut it short.
const LONG: usize = 80;

/// A coordinate to a hundredth, as short as it can be written.
pub(crate) fn place(coordinate: f64) -> String {
    let rounded = (coordinate * 100.0).round() / 100.0;
    // There is no negative zero in a picture.
    format!("{}", rounded + 0.0)
}

/// The points of a path: `M1,2 L3,4`.
pub(crate) fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        path.push(if path.is_empty() { 'M' } else { 'L' });
        path.push_str(&place(x));
        path.push(',');
        path.push_str(&place(y));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_acts() {
        let hostile = "\"><script>alert('1')</script>\u{202e}\u{0}&";
        let element = Element::of("p", hostile).text(hostile);
        let shown = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\\u{202e}\\u{0}&amp;";
        assert_eq!(
            element.to_string(),
            format!("<p class=\"{shown}\">{shown}</p>")
        );
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(path([(1.0, -0.001), (2.345_678, 1e3)]), "M1,0L2.35,1000");
    }
}
