//! Class weights for imbalanced training data.

use std::collections::BTreeMap;

use xai_core::number::labels_to_i64;
use xai_core::{Error, Label, Result};

use crate::input;

/// Weights per class label, for imbalanced data. Labels that are not listed have weight 1.
///
/// ```
/// use xai_casebased::ClassWeights;
/// let weights = ClassWeights::new([(1, 3.0)])?;
/// assert_eq!((weights.weight(1), weights.weight(0)), (3.0, 1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ClassWeights(BTreeMap<i64, f64>);

impl ClassWeights {
    /// Creates weights from `(label, weight)` pairs. If a label occurs twice, the last weight is used.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a weight below 0 or not finite,
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a label above `i64::MAX`.
    pub fn new<L: Label>(weights: impl IntoIterator<Item = (L, f64)>) -> Result<Self> {
        let mut checked = BTreeMap::new();
        for (label, weight) in weights {
            let label = labels_to_i64(input::CLASS_WEIGHTS, [label])?[0];
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(Error::parameter(
                    input::CLASS_WEIGHTS,
                    weight,
                    "a finite weight, at least 0",
                )
                .owner(format!("class {label}")));
            }
            checked.insert(label, weight);
        }
        Ok(Self(checked))
    }

    /// Returns true if no class has a weight of its own.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the weight of a class.
    #[must_use]
    pub fn weight(&self, label: i64) -> f64 {
        self.0.get(&label).copied().unwrap_or(1.0)
    }
}
