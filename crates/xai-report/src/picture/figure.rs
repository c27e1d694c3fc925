//! Figures: a picture with title, legend, caption, text description and the table of its numbers.

use maud::{Markup, html};

use crate::markup::{Table, name};
use crate::picture::{Element, LegendEntry};

/// A picture with everything that the page shows of it.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    title: String,
    description: String,
    caption: String,
    legend: Vec<LegendEntry>,
    /// Width and height in SVG user units; text is 13 units high.
    size: (f64, f64),
    marks: Vec<Element>,
    numbers: Table,
}

/// Width of a picture in user units. On the page, pictures fill their column, and `page.css`
/// chooses the columns such that text has about the same size in all pictures.
pub(crate) const WIDTH: f64 = 460.0;

/// Width of a small picture among many, in user units.
pub(crate) const PANEL: f64 = 300.0;

/// A picture with equivalents for readers who cannot see it.
pub(crate) trait Picture: Sized {
    /// Width and height in user units.
    fn size(&self) -> (f64, f64);

    /// Elements of the picture, from back to front.
    fn draw(&self) -> Vec<Element>;

    /// Description of the picture in words.
    fn describe(&self) -> String;

    /// Legend of colours and shapes.
    fn legend(&self) -> Vec<LegendEntry> {
        Vec::new()
    }

    /// Table of the numbers in the picture.
    fn numbers(&self, title: &str) -> Table;

    /// Creates a figure with a title and a caption.
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
    /// Renders the figure with this number on the page.
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
