//! Attribution maps by themselves: their positions, and how alike two of them are.

pub(crate) mod positions;
pub(crate) mod rank_correlation;
pub(crate) mod similarity;
pub(crate) mod structural_similarity;

pub use rank_correlation::spearman;
pub use similarity::MapSimilarity;
pub use structural_similarity::structural_similarity;
