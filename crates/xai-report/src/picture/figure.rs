//! A picture with its title, its legend, the words that say what is to be seen, and the numbers behind it.

use crate::markup::{Element, Markup, Table, name};
use crate::picture::{Entry, legend};

/// A picture that is ready to be put on the page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    title: String,
    description: String,
    /// What the axes are.
    caption: String,
    legend: Vec<Entry>,
    /// Width and height in units of the picture; text is 13 units high.
    size: (f64, f64),
    marks: Vec<Element>,
    numbers: Table,
}

/// The width of a picture that stands beside another one. All pictures have the width of their column, and
/// `page.css` makes columns so that letters are of about one size in all of them.
pub(crate) const WIDTH: f64 = 460.0;

/// The width of a small picture among many.
pub(crate) const PANEL: f64 = 300.0;

/// What a picture draws, and what says the same for whoever does not see it.
pub(crate) trait Picture: Sized {
    /// Its width and height.
    fn size(&self) -> (f64, f64);

    /// What is drawn, from behind to the front.
    fn draw(&self) -> Vec<Element>;

    /// What is to be seen.
    fn describe(&self) -> String;

    /// What colours and shapes mean.
    fn legend(&self) -> Vec<Entry> {
        Vec::new()
    }

    /// The numbers that are drawn, in a table of this title.
    fn numbers(&self, title: &str) -> Table;

    /// The picture with its title and its caption.
    fn figure(self, title: impl Into<String>, caption: impl Into<String>) -> Figure {
        let title = title.into();
        Figure {
            description: self.describe(),
            legend: self.legend(),
            numbers: self.numbers(&title),
            size: self.size(),
            marks: self.draw(),
            title,
            caption: caption.into(),
        }
    }
}

impl Figure {
    /// The picture as the `number`-th one of the page.
    pub(crate) fn draw(&self, number: usize) -> Markup {
        let figure = Element::new("figure").child(
            Element::of("p", "picture-title")
                .child(Element::new("b").text(format!("Figure {number}. ")))
                .child(name(&self.title)),
        );
        let figure = match self.legend.is_empty() {
            true => figure,
            false => figure.child(legend(&self.legend)),
        };
        let figure = figure
            .child(self.draw_svg(number))
            .child(Element::new("figcaption").text(&self.caption));
        let numbers = self.numbers.draw(&format!("Numbers of figure {number}"));
        let behind = Element::of("details", "numbers")
            .child(Element::new("summary").text("Numbers behind this picture"))
            .markup(numbers);
        Element::of("div", "picture")
            .child(figure)
            .child(behind)
            .into()
    }

    fn draw_svg(&self, number: usize) -> Element {
        let (width, height) = self.size;
        let (title, description) = (format!("figure-{number}-t"), format!("figure-{number}-d"));
        Element::new("svg")
            .with("viewBox", format!("0 0 {width} {height}"))
            .with("role", "img")
            .with("aria-labelledby", format!("{title} {description}"))
            .child(Element::new("title").with("id", &title).text(&self.title))
            .child(
                Element::new("desc")
                    .with("id", &description)
                    .text(&self.description),
            )
            .children(self.marks.iter().cloned())
    }
}

/// Text that fits in a width, cut where it does not, with the whole of it shown on hover.
pub(crate) fn fitting(text: &str, width: f64, class: &str) -> Element {
    let most = (width / CHARACTER).max(2.0) as usize;
    let element = Element::of("text", class);
    if text.chars().count() <= most {
        return element.text(text);
    }
    element.text(shortened(text, most)).tooltip(text)
}

/// At most so many characters, with an ellipsis where some are missing.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
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
