//! Interface of the sections of a report.

// Types that implementations need.
pub(crate) use crate::diff::figure::Figure;
pub(crate) use crate::findings::Finding;
pub(crate) use crate::origin::{Origin, SectionKind};
pub(crate) use crate::page::block::Block;

/// A section of a report. Findings, the page and comparisons of reports iterate over `Report::sections`.
pub(crate) trait Section {
    /// Name of the section and the inputs from which it was computed.
    fn origin(&self) -> &Origin;

    /// Sentences that follow from the numbers of the section.
    fn findings(&self) -> Vec<Finding>;

    /// Numbers by which two reports are compared.
    fn figures(&self) -> Vec<Figure>;

    /// Blocks of the section on the page, which start with a summary of the data and metrics.
    /// Images have at most `max_pixels` pixels on a side, so that the page stays small enough to
    /// send.
    fn page(&self, max_pixels: usize) -> Vec<Block>;

    /// Number of images whose size `max_pixels` limits.
    fn n_images(&self) -> usize {
        0
    }
}
