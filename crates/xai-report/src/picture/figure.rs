//! A picture with its title, its legend, the words that say what is to be seen, and the numbers behind it.

use maud::{Markup, html};

use crate::markup::{Table, name};
use crate::picture::{Element, Entry};

/// A picture that is ready to be put on the page.
#[derive(Debug, Clone)]
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
        let (width, height) = self.size;
        let (title, description) = (format!("figure-{number}-t"), format!("figure-{number}-d"));
        html! {
            div.picture {
                figure {
                    p.picture-title { b { "Figure " (number) ". " } (name(&self.title)) }
                    @if !self.legend.is_empty() {
                        ul.legend { @for entry in &self.legend { (entry.draw()) } }
                    }
                    svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-labelledby={ (title) " " (description) } {
                        title id=(title) { (self.title) }
                        desc id=(description) { (self.description) }
                        @for mark in &self.marks { (mark) }
                    }
                    figcaption { (self.caption) }
                }
                details.numbers {
                    summary { "Numbers behind this picture" }
                    (self.numbers.draw(&format!("Numbers of figure {number}")))
                }
            }
        }
    }
}
