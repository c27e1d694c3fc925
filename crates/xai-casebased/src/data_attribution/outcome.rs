//! The result of any metric.

use std::fmt;

use crate::data_attribution::brittleness::Brittleness;
use crate::data_attribution::cardinality::Cardinality;
use crate::data_attribution::mislabeling::Mislabeling;
use crate::data_attribution::values::TestCaseValues;

/// The result of any metric of training-data attribution.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum Outcome {
    /// One value per test case.
    TestCases(TestCaseValues),
    /// How many training cases the top ones of all test cases are.
    Cardinality(Cardinality),
    /// How early flagged cases come.
    Mislabeling(Mislabeling),
    /// How many top cases a prediction hangs on.
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
    /// The headline number; `None` where it is undefined.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::TestCases(of) => of.value,
            Self::Cardinality(of) => of.value,
            Self::Mislabeling(of) => of.auroc,
            Self::Brittleness(of) => of.median_k,
        }
    }

    /// One value per test case, of a metric that has them.
    #[must_use]
    pub fn per_sample(&self) -> Option<&[Option<f64>]> {
        match self {
            Self::TestCases(of) => Some(&of.per_sample),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TestCases(of) => of.fmt(f),
            Self::Cardinality(of) => of.fmt(f),
            Self::Mislabeling(of) => of.fmt(f),
            Self::Brittleness(of) => of.fmt(f),
        }
    }
}
