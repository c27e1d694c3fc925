//! What every section of a report has.

// What an implementation names.
pub(crate) use crate::diff::figure::Figure;
pub(crate) use crate::findings::Finding;
pub(crate) use crate::origin::{Origin, SectionKind};
pub(crate) use crate::page::block::Block;

/// A section of a report. [`Report::sections`](crate::Report) lists those of a report; findings, the page and differences are
/// made of that list.
pub(crate) trait Section {
    /// What it is called and what it was made from.
    fn origin(&self) -> &Origin;

    /// What its numbers say, in sentences.
    fn findings(&self) -> Vec<Finding>;

    /// The numbers by which two reports are compared.
    fn figures(&self) -> Vec<Figure>;

    /// Its part of the page, which begins with what was measured on what. Images have at most `max_pixels` on a side, so that the
    /// page stays small enough to be sent.
    fn page(&self, max_pixels: usize) -> Vec<Block>;

    /// The number of images that `max_pixels` limits.
    fn n_images(&self) -> usize {
        0
    }
}
