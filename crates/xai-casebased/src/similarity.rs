//! What makes two rows similar.

use crate::{Embedding, ForestProximity, TreeLeaf};

/// What makes a training row similar to a sample.
///
/// | strategy | near means | needs |
/// |---|---|---|
/// | `Features` | near in (scaled) features | nothing |
/// | [`Embedding`] | near in a space that a closure maps rows to: hidden activations, or a blend of them with the features | activations |
/// | [`TreeLeaf`] | in the same leaf of a decision tree, then near in features | leaf numbers |
/// | [`ForestProximity`] | in the same leaf of many trees of a forest | leaf numbers of every tree |
///
/// ```
/// use ndarray::{Axis, array};
/// use xai_casebased::{CaseExplainer, Embedding};
/// // Only the sign of the first feature matters to this model.
/// let signs = Embedding::new(|rows| Ok::<_, std::convert::Infallible>(
///     rows.column(0).mapv(f64::signum).insert_axis(Axis(1)),
/// ));
/// let explainer = CaseExplainer::builder().k(1).similarity(signs)
///     .fit(array![[-1.0, 0.0], [5.0, 9.0]].view(), &[0, 1])?;
/// let explanation = explainer.explain(array![0.5, 0.0].view(), 1)?;
/// assert_eq!(explanation.neighbors[0].index, 1);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// The strategies of case-explainer 0.2.0; activations as a metric: R. Caruana et al., "Case-based
/// explanation of non-case-based learning methods", AMIA 1999.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Similarity {
    /// Near in features.
    #[default]
    Features,
    /// Near in another space.
    Embedding(Embedding),
    /// In the same leaf of a tree.
    TreeLeaf(TreeLeaf),
    /// In the same leaves of a forest.
    ForestProximity(ForestProximity),
}

impl Similarity {
    /// Its name: `features`, `embedding`, `blend`, `tree-leaf` or `forest-proximity`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Features => "features",
            Self::Embedding(e) if e.feature_share() > 0.0 => "blend",
            Self::Embedding(_) => "embedding",
            Self::TreeLeaf(_) => "tree-leaf",
            Self::ForestProximity(_) => "forest-proximity",
        }
    }
}

impl From<Embedding> for Similarity {
    fn from(strategy: Embedding) -> Self {
        Self::Embedding(strategy)
    }
}

impl From<TreeLeaf> for Similarity {
    fn from(strategy: TreeLeaf) -> Self {
        Self::TreeLeaf(strategy)
    }
}

impl From<ForestProximity> for Similarity {
    fn from(strategy: ForestProximity) -> Self {
        Self::ForestProximity(strategy)
    }
}
