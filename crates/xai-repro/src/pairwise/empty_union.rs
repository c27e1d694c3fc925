//! What a metric of errors is where neither run errs.

use std::fmt;
use std::str::FromStr;

use xai_core::{Error, Result};

use crate::input;
use crate::pair_metric::definition::PairMetric;

/// What a metric that is undefined without errors, [`PairMetric::EC_LOCAL`], is for two runs without
/// any error.
///
/// Packages disagree here; each of their numbers is one of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EmptyUnion {
    /// Undefined, and counted.
    #[default]
    Undefined,
    /// 0: nothing is shared.
    Zero,
    /// 1: the error sets are equal.
    One,
    /// The pair is left out, and not counted as undefined.
    Drop,
    /// An error that names the pair.
    Error,
}

impl EmptyUnion {
    /// All policies.
    pub const ALL: [Self; 5] = [
        Self::Undefined,
        Self::Zero,
        Self::One,
        Self::Drop,
        Self::Error,
    ];

    /// The name on the command line: `undefined`, `0`, `1`, `drop` or `error`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Zero => "0",
            Self::One => "1",
            Self::Drop => "drop",
            Self::Error => "error",
        }
    }

    /// Whether an undefined value of a metric is left out of its summary altogether.
    pub(crate) fn drops(self, metric: PairMetric) -> bool {
        self == Self::Drop && metric.definition().undefined_without_errors
    }
}

impl fmt::Display for EmptyUnion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EmptyUnion {
    type Err = Error;

    /// The policy with a [`name`](Self::name).
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|policy| policy.name() == name);
        found.ok_or_else(|| {
            let expected = format!("one of {}", Self::ALL.map(Self::name).join(", "));
            Error::parameter(input::EMPTY_UNION, name, expected)
        })
    }
}
