//! Result of any metric.

use std::fmt;

use crate::data_attribution::brittleness::Brittleness;
use crate::data_attribution::cardinality::Cardinality;
use crate::data_attribution::mislabeling::Mislabeling;
use crate::data_attribution::values::TestCaseValues;

/// Result of any metric of training-data attribution.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[non_exhaustive]
pub enum Outcome {
    /// One value per test case.
    TestCases(TestCaseValues),
    /// Number of distinct top training cases.
    Cardinality(Cardinality),
    /// Ranking of the flagged training cases.
    Mislabeling(Mislabeling),
    /// Number of top cases that predictions depend on.
    Brittleness(Brittleness),
}

macro_rules! outcomes {
    ($($kind:ident: $result:ty),+) => {$(
        impl From<$result> for Outcome {
            fn from(result: $result) -> Self {
                Self::$kind(result)
            }
        }
    )+};
}
outcomes!(TestCases: TestCaseValues, Cardinality: Cardinality, Mislabeling: Mislabeling, Brittleness: Brittleness);

impl Outcome {
    /// Main value of the metric; `None` if undefined.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::TestCases(values) => values.value,
            Self::Cardinality(cardinality) => cardinality.value,
            Self::Mislabeling(mislabeling) => mislabeling.auroc,
            Self::Brittleness(brittleness) => brittleness.median_k,
        }
    }

    /// Values per test case; `None` for a metric without them.
    #[must_use]
    pub fn per_sample(&self) -> Option<&[Option<f64>]> {
        match self {
            Self::TestCases(values) => Some(&values.per_sample),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TestCases(values) => values.fmt(f),
            Self::Cardinality(cardinality) => cardinality.fmt(f),
            Self::Mislabeling(mislabeling) => mislabeling.fmt(f),
            Self::Brittleness(brittleness) => brittleness.fmt(f),
        }
    }
}
