//! The coefficients of agreement by name.

use xai_core::describe::{MetricInfo, Parameter, Range, Score, Scores};

use crate::across_runs::agreement::Agreement;
use crate::input;
use crate::named::shown_by_word;

/// A coefficient of [`Agreement`], one of its [scores](Scores::SCORES).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[param(name = "coefficient")]
pub enum AgreementCoefficient {
    /// Fleiss' kappa: beyond chance by the overall class shares.
    #[default]
    #[param(name = "fleiss_kappa")]
    FleissKappa,
    /// Krippendorff's alpha: the same for a finite number of predictions.
    #[param(name = "krippendorff_alpha")]
    KrippendorffAlpha,
    /// Gwet's AC1: beyond a chance that stays small where one class dominates.
    #[param(name = "gwet_ac1")]
    GwetAc1,
}

shown_by_word!(AgreementCoefficient);

/// In the order of [`AgreementCoefficient`].
impl Scores for Agreement {
    const SCORES: &'static [Score<Self>] = &[
        coefficient(
            "fleiss_kappa",
            "Fleiss' kappa",
            "How often do all runs agree, beyond chance by the overall class shares?",
            Self::fleiss_kappa,
        )
        .source("Fleiss 1971"),
        coefficient(
            "krippendorff_alpha",
            "Krippendorff's alpha",
            "How often do all runs agree, beyond chance by the class shares of a finite number of predictions?",
            Self::krippendorff_alpha,
        )
        .source("Krippendorff 2004"),
        coefficient(
            "gwet_ac1",
            "Gwet's AC1",
            "How often do all runs agree, beyond a chance that stays small where one class dominates?",
            Self::gwet_ac1,
        )
        .source("Gwet 2008"),
    ];
}

const fn coefficient(
    name: &'static str,
    title: &'static str,
    question: &'static str,
    value: fn(&Agreement) -> Option<f64>,
) -> Score<Agreement> {
    Score::new(name, title, question, value)
        .higher_is_better()
        .range(Range::SIGNED_SHARE)
        .needs(&[input::PREDICTIONS])
}

impl AgreementCoefficient {
    /// What it says of itself, and how it is computed.
    #[must_use]
    pub const fn score(self) -> &'static Score<Agreement> {
        &Agreement::SCORES[self as usize]
    }

    /// What it says of itself.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        &self.score().info
    }
}
