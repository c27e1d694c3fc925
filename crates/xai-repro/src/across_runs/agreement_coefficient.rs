//! The coefficients of agreement by name.

use std::fmt;

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;

/// A coefficient of [`Agreement`](crate::Agreement).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AgreementCoefficient {
    /// [`Agreement::fleiss_kappa`](crate::Agreement::fleiss_kappa)
    FleissKappa,
    /// [`Agreement::krippendorff_alpha`](crate::Agreement::krippendorff_alpha)
    KrippendorffAlpha,
    /// [`Agreement::gwet_ac1`](crate::Agreement::gwet_ac1)
    GwetAc1,
}

impl AgreementCoefficient {
    /// All of them, in the order they are reported.
    pub const ALL: [Self; 3] = [Self::FleissKappa, Self::KrippendorffAlpha, Self::GwetAc1];

    /// What it says of itself.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        match self {
            Self::FleissKappa => &MetricInfo {
                name: "fleiss_kappa",
                title: "Fleiss' kappa",
                question: "How often do all runs agree, beyond chance by the overall class shares?",
                direction: Direction::Higher,
                range: Range::SIGNED_SHARE,
                needs: &[input::PREDICTIONS],
                source: "Fleiss 1971",
            },
            Self::KrippendorffAlpha => &MetricInfo {
                name: "krippendorff_alpha",
                title: "Krippendorff's alpha",
                question: "How often do all runs agree, beyond chance by the class shares of a finite number of predictions?",
                direction: Direction::Higher,
                range: Range::SIGNED_SHARE,
                needs: &[input::PREDICTIONS],
                source: "Krippendorff 2004",
            },
            Self::GwetAc1 => &MetricInfo {
                name: "gwet_ac1",
                title: "Gwet's AC1",
                question: "How often do all runs agree, beyond a chance that stays small where one class dominates?",
                direction: Direction::Higher,
                range: Range::SIGNED_SHARE,
                needs: &[input::PREDICTIONS],
                source: "Gwet 2008",
            },
        }
    }

    /// The name in files: `fleiss_kappa`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.info().name
    }
}

impl fmt::Display for AgreementCoefficient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
