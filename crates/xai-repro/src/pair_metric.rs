//! The metrics of a pair of runs.

use std::fmt;
use std::str::FromStr;

use xai_core::{Error, Result};

/// A metric of two runs' predictions.
///
/// `e` are the samples a run gets wrong, `ŷ` its predictions, `n` the number of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PairMetric {
    /// Local error consistency: `|e_i ∧ e_j| / |e_i ∨ e_j|` in [0, 1]. Of an empty union:
    /// [`EmptyUnion`].
    EcLocal,
    /// Global error consistency: `|e_i ∧ e_j| / n` in [0, 1].
    EcGlobal,
    /// Agreement of right and wrong: `mean(e_i = e_j)` in [0, 1].
    EcAcc,
    /// Correlation of errors: Pearson's, which is φ, in [−1, 1]. Undefined when a run gets
    /// everything right or everything wrong.
    EcCorr,
    /// Percent agreement: `mean(ŷ_i = ŷ_j)` in [0, 1].
    PaAcc,
    /// Cohen's κ: `(p_o − p_e) / (1 − p_e)` in [−1, 1]. Undefined when agreement is certain by
    /// chance (both constant on one class).
    PaKappa,
    /// Cramér's V without bias correction, over the classes present in the pair, in [0, 1].
    /// Undefined when either run predicts one class only.
    PaCramersV,
    /// Matthews' correlation of errors, in [−1, 1]: equal to [`EcCorr`](Self::EcCorr) where that is
    /// defined, and 0 where a run gets everything right or everything wrong, as is the custom for
    /// this coefficient (scikit-learn's too). Use it to let such pairs count as uncorrelated.
    EcMatthews,
    /// Disagreement rate ("churn"): `mean(ŷ_i ≠ ŷ_j)` in [0, 1]; `1 −` [`PaAcc`](Self::PaAcc).
    PaDisagreement,
    /// Normalised mutual information `2 I(ŷ_i; ŷ_j) / (H(ŷ_i) + H(ŷ_j))` in [0, 1]. Undefined when
    /// both runs predict one class only (scikit-learn says 1).
    PaNmi,
}

impl PairMetric {
    /// All of them, in the order they are reported.
    pub const ALL: [Self; 10] = [
        Self::EcLocal,
        Self::EcGlobal,
        Self::EcAcc,
        Self::EcCorr,
        Self::PaAcc,
        Self::PaKappa,
        Self::PaCramersV,
        Self::EcMatthews,
        Self::PaDisagreement,
        Self::PaNmi,
    ];

    /// Those of errors alone: one bit a sample and run is all they need.
    pub const OF_ERRORS: [Self; 5] = [
        Self::EcLocal,
        Self::EcGlobal,
        Self::EcAcc,
        Self::EcCorr,
        Self::EcMatthews,
    ];

    /// The name in files and on the command line: `ec_local`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EcLocal => "ec_local",
            Self::EcGlobal => "ec_global",
            Self::EcAcc => "ec_acc",
            Self::EcCorr => "ec_corr",
            Self::PaAcc => "pa_acc",
            Self::PaKappa => "pa_kappa",
            Self::PaCramersV => "pa_cramers_v",
            Self::EcMatthews => "ec_matthews",
            Self::PaDisagreement => "pa_disagreement",
            Self::PaNmi => "pa_nmi",
        }
    }

    /// Whether it is taken on the errors that a pair shares.
    pub(crate) fn needs_errors(self) -> bool {
        Self::OF_ERRORS.contains(&self)
    }

    /// Whether it is taken on the number of equal predictions.
    pub(crate) fn needs_equal(self) -> bool {
        matches!(self, Self::PaAcc | Self::PaKappa | Self::PaDisagreement)
    }

    /// Whether it is taken on the class table of a pair.
    pub(crate) fn needs_table(self) -> bool {
        matches!(self, Self::PaCramersV | Self::PaNmi)
    }
}

impl fmt::Display for PairMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for PairMetric {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|metric| metric.name() == name)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                Error::parameter("metric", name, format!("one of {names}"))
            })
    }
}

/// What [`EcLocal`](PairMetric::EcLocal) is for two runs without any error.
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
