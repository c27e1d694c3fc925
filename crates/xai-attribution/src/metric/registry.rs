//! All metrics of the family, one line each: the file and the types in it.
//!
//! What the library, the command line, the report and the documentation know about a metric they
//! know from here. To add one, write its file and its line;
//! `cargo run -p xai-metrics --example metric_tables -- --write` writes the table below anew.
//!
//! (`cargo fmt` does not follow modules that a macro declares: `rustfmt` such a file by its name.)
//!
#![doc = include_str!("../../METRICS.md")]

use xai_core::{Error, Result};

use crate::input;
use crate::metric::entry::{Entry, Listed};

macro_rules! metrics {
    ($($path:literal $module:ident { $($metric:ident),+ })+) => {
        $(
            #[path = $path]
            pub mod $module;
            pub use $module::{$($metric),+};
        )+

        /// The metrics, in the order of the documentation.
        pub static METRICS: &[Entry] = &[$($(<$module::$metric as Listed>::ENTRY),+),+];
    };
}

metrics! {
    "faithfulness/masking/average_drop.rs" average_drop { AverageDrop }
    "faithfulness/masking/average_increase.rs" average_increase { AverageIncrease }
    "faithfulness/masking/average_gain.rs" average_gain { AverageGain }
    "faithfulness/masking/adcc.rs" adcc { Adcc }
    "faithfulness/curves/deletion.rs" deletion { Deletion }
    "faithfulness/curves/insertion.rs" insertion { Insertion }
    "faithfulness/curves/relevance_gain.rs" relevance_gain { SymmetricRelevanceGain }
    "faithfulness/curves/region_perturbation.rs" region_perturbation { RegionPerturbation }
    "faithfulness/curves/comprehensiveness.rs" comprehensiveness { Comprehensiveness }
    "faithfulness/curves/rationale_sufficiency.rs" rationale_sufficiency { RationaleSufficiency }
    "faithfulness/curves/naopc.rs" naopc { Naopc }
    "faithfulness/curves/random_order_reference.rs" random_order_reference { RandomOrderReference }
    "faithfulness/curves/monotonicity.rs" monotonicity { Monotonicity }
    "faithfulness/curves/irof.rs" irof { Irof }
    "faithfulness/curves/f_fidelity.rs" f_fidelity { FFidelity, FFidelityPositive, FFidelityNegative }
    "faithfulness/curves/road.rs" road { Road, RoadMostRelevantFirst, RoadLeastRelevantFirst }
    "faithfulness/drops/faithfulness_estimate.rs" faithfulness_estimate { FaithfulnessEstimate }
    "faithfulness/drops/violations.rs" violations { Violations }
    "faithfulness/drops/sensitivity_n.rs" sensitivity_n { SensitivityN }
    "faithfulness/drops/monotonicity_correlation.rs" monotonicity_correlation { MonotonicityCorrelation }
    "faithfulness/drops/infidelity.rs" infidelity { Infidelity }
    "faithfulness/drops/mu_fidelity.rs" mu_fidelity { MuFidelity }
    "faithfulness/drops/prediction_gap.rs" prediction_gap { PredictionGapImportant, PredictionGapUnimportant }
    "comparison/sufficiency.rs" sufficiency { Sufficiency }
    "comparison/consistency.rs" consistency { Consistency }
    "localization/pointing_game.rs" pointing_game { PointingGame }
    "localization/attribution_localization.rs" attribution_localization { AttributionLocalization }
    "localization/top_k_intersection.rs" top_k_intersection { TopKIntersection }
    "localization/relevance_rank_accuracy.rs" relevance_rank_accuracy { RelevanceRankAccuracy }
    "localization/relevance_mass_accuracy.rs" relevance_mass_accuracy { RelevanceMassAccuracy }
    "localization/localization_auroc.rs" localization_auroc { LocalizationAuroc }
    "localization/localization_average_precision.rs" localization_average_precision { LocalizationAveragePrecision }
    "localization/localization_iou.rs" localization_iou { LocalizationIou }
    "localization/focus.rs" focus { Focus }
    "complexity/complexity.rs" complexity { Complexity }
    "complexity/sparseness.rs" sparseness { Sparseness }
    "complexity/effective_complexity.rs" effective_complexity { EffectiveComplexity }
    "complexity/nonzero_features.rs" nonzero_features { NonzeroFeatures }
    "complexity/mst_compactness.rs" mst_compactness { MstCompactness }
    "comparison/top_agreement.rs" top_agreement { FeatureAgreement, RankAgreement, SignAgreement, SignedRankAgreement }
    "comparison/rank_agreement.rs" rank_agreement { RankCorrelation, PairwiseRankAgreement }
    "axiomatic/completeness.rs" completeness { Completeness }
    "axiomatic/non_sensitivity.rs" non_sensitivity { NonSensitivity }
    "axiomatic/input_invariance.rs" input_invariance { InputInvariance }
    "robustness/stability.rs" stability { AverageStability, MaximumStability }
    "robustness/local_lipschitz.rs" local_lipschitz { LocalLipschitz }
    "robustness/continuity.rs" continuity { Continuity }
    "robustness/relative_stability.rs" relative_stability { RelativeInputStability, RelativeOutputStability, RelativeRepresentationStability }
    "robustness/attribution_stability.rs" attribution_stability { AttributionStability }
    "sanity/random_logit.rs" random_logit { RandomLogit }
    "sanity/model_randomization.rs" model_randomization { ModelRandomization }
    "sanity/efficient_randomization.rs" efficient_randomization { EfficientRandomization }
    "sanity/representativity.rs" representativity { Representativity }
}

/// A metric by its name in kebab-case (`average-drop`) or as tables have it (`average_drop`).
///
/// # Errors
/// An invalid parameter about the metric, which lists the names there are.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::Evaluate;
/// use xai_attribution::metric::registry;
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let deletion = registry::find("deletion")?;
/// assert_eq!(deletion.options()[0].name, "steps");
/// let deletion = deletion.build::<f64>(&[("steps", "all"), ("baseline", "0.5")])?;
/// let x = array![[4.0, 2.0]];
/// assert_eq!(deletion.evaluate(&model, x.view(), &[0], x.view())?.curve.unwrap().len(), 3);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn find(name: &str) -> Result<&'static Entry> {
    let found = METRICS
        .iter()
        .find(|entry| entry.info.name == name || entry.key() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = METRICS.iter().map(|entry| entry.info.name).collect();
        Error::parameter(input::METRIC, name, format!("one of {}", names.join(", ")))
    })
}

/// The table of the documentation.
#[must_use]
pub fn markdown() -> String {
    xai_core::registry::markdown(METRICS.iter().map(|entry| entry.info))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_documentation_is_that_of_the_registry() {
        let stored = include_str!("../../METRICS.md");
        assert_eq!(
            stored,
            markdown(),
            "METRICS.md should read:\n{}",
            markdown()
        );
    }

    #[test]
    fn names_occur_once_in_kebab_case() {
        for (i, entry) in METRICS.iter().enumerate() {
            let name = entry.info.name;
            assert!(METRICS[..i].iter().all(|other| other.info.name != name));
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{name}"
            );
            assert!(std::ptr::eq(find(&entry.key()).unwrap(), entry));
        }
    }

    #[test]
    fn the_defaults_of_options_are_their_metrics_defaults() {
        for entry in METRICS {
            let fields = |options: &[(&str, &str)]| entry.fields(options).map(Result::unwrap);
            for option in entry.options().iter().filter(|o| !o.default.is_empty()) {
                let given = [(option.name, option.default)];
                assert_eq!(fields(&given), fields(&[]), "{}", option.name);
            }
            let unknown = entry.build::<f32>(&[("no-such-option", "1")]);
            assert!(unknown.is_err(), "{}", entry.info.name);
        }
    }

    /// A command over several metrics has one option of a name.
    #[test]
    fn options_of_one_name_have_one_default() {
        let all: Vec<_> = METRICS.iter().flat_map(Entry::options).collect();
        for (i, option) in all.iter().enumerate() {
            let others = all[..i].iter().filter(|other| other.name == option.name);
            for other in others {
                assert_eq!(
                    (option.value_name, option.default),
                    (other.value_name, other.default),
                    "{}",
                    option.name
                );
            }
        }
    }
}
