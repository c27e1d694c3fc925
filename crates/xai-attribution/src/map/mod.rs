//! Attribution maps by themselves: attributions by position, and similarities and distances of two maps.

pub(crate) mod histogram;
pub(crate) mod pool;
pub(crate) mod positions;
pub(crate) mod similarity;
pub(crate) mod structural_similarity;

pub use histogram::Bins;
pub use pool::ChannelPool;
pub use similarity::MapSimilarity;
pub use similarity::{MapDistance, MapDistanceFunction, maps_within};
pub use structural_similarity::structural_similarity;
