//! The parameters of the graph.

use xai_core::{Error, Result};

use crate::input;

/// The parameters of a hierarchical navigable small world graph.
///
/// More connections and wider searches find more of the neighbours and cost more; the recall that
/// they reach is measured, see
/// [`ApproximateSearch`](crate::search::ApproximateSearch).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hnsw {
    /// Neighbours that a row is linked to on each layer, 2 to 256. Default: 16.
    pub connections: usize,
    /// Candidates that are kept while a row is linked, 1 to 2²⁰. Default: 200.
    pub ef_construction: usize,
    /// Candidates that are kept during a search, 1 to 2²⁰, raised to `k` where it is larger.
    /// Default: 64.
    pub ef_search: usize,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self {
            connections: 16,
            ef_construction: 200,
            ef_search: 64,
        }
    }
}

impl Hnsw {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for one outside its
    /// domain.
    pub(crate) fn check(&self) -> Result<()> {
        if !(2..=256).contains(&self.connections) {
            return Err(Error::parameter(
                input::CONNECTIONS,
                self.connections,
                "2 to 256 links per row",
            ));
        }
        for (input, value) in [
            (input::EF_CONSTRUCTION, self.ef_construction),
            (input::EF_SEARCH, self.ef_search),
        ] {
            if !(1..=1 << 20).contains(&value) {
                return Err(Error::parameter(input, value, "1 to 1 048 576 candidates"));
            }
        }
        Ok(())
    }
}
