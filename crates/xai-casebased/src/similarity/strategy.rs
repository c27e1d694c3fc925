//! The choice of a similarity.

use std::fmt;

use xai_core::Result;
use xai_core::describe::Parameter;

use crate::similarity::embedding::Embedding;
use crate::similarity::forest_proximity::ForestProximity;
use crate::similarity::retrieval::{Fitting, Retrieval};
use crate::similarity::tree_leaf::TreeLeaf;

/// The similarity by which nearest cases are found.
///
/// | strategy | similar rows | closure that it needs |
/// |---|---|---|
/// | `Features` | have similar (scaled) features | none |
/// | [`Embedding`] | have similar embeddings (hidden activations), or a blend of embeddings and features | embeddings |
/// | [`TreeLeaf`] | share the leaf of a decision tree, and have similar features within it | leaf number |
/// | [`ForestProximity`] | share the leaves of many trees of a forest | leaf number in every tree |
///
/// ```
/// use ndarray::{Axis, array};
/// use xai_casebased::CaseExplainer;
/// use xai_casebased::similarity::Embedding;
/// // Only the sign of the first feature matters to this model.
/// let signs = Embedding::new(|rows| Ok::<_, std::convert::Infallible>(
///     rows.column(0).mapv(f64::signum).insert_axis(Axis(1)),
/// ));
/// let explainer = CaseExplainer::builder().k(1).similarity(signs)
///     .fit(array![[-1.0, 0.0], [5.0, 9.0]].view(), &[0, 1])?;
/// let explanation = explainer.explain(array![0.5, 0.0].view(), 1)?;
/// assert_eq!(explanation.cases[0].index, 1);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// The strategies of case-explainer 0.2.0; distances between activations: R. Caruana et al., "Case-based
/// explanation of non-case-based learning methods", AMIA 1999.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Similarity {
    /// Distance between features.
    #[default]
    Features,
    /// Distance between embeddings.
    Embedding(Embedding),
    /// Same leaf of a decision tree.
    TreeLeaf(TreeLeaf),
    /// Share of common leaves in a forest.
    ForestProximity(ForestProximity),
}

/// The name of a [`Similarity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SimilarityKind {
    /// Distance between features.
    Features,
    /// Distance between embeddings.
    Embedding,
    /// Distance between embeddings joined with the features.
    Blend,
    /// Same leaf of a decision tree.
    TreeLeaf,
    /// Share of common leaves in a forest.
    ForestProximity,
}

impl fmt::Display for SimilarityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_value().to_string())
    }
}

impl Similarity {
    /// Name of this similarity.
    #[must_use]
    pub fn kind(&self) -> SimilarityKind {
        match self {
            Self::Features => SimilarityKind::Features,
            Self::Embedding(e) if e.is_blend() => SimilarityKind::Blend,
            Self::Embedding(_) => SimilarityKind::Embedding,
            Self::TreeLeaf(_) => SimilarityKind::TreeLeaf,
            Self::ForestProximity(_) => SimilarityKind::ForestProximity,
        }
    }

    /// Checks the parameters that do not depend on the data.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Embedding(embedding) => embedding.check(),
            Self::Features | Self::TreeLeaf(_) | Self::ForestProximity(_) => Ok(()),
        }
    }

    pub(crate) fn fit(self, fitting: Fitting<'_>) -> Result<Box<dyn Retrieval>> {
        Ok(match self {
            Self::Features => Box::new(fitting.search(fitting.rows()?)?),
            Self::Embedding(embedding) => Box::new(embedding.fit(fitting)?),
            Self::TreeLeaf(tree) => Box::new(tree.fit(fitting)?),
            Self::ForestProximity(forest) => Box::new(forest.fit(fitting)?),
        })
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
