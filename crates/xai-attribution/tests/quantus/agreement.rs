//! OpenXAI's agreement of two maps.

use ndarray::{Array1, Array2};
use xai_attribution::metric::{
    AgreementFormula, AgreementOptions, FeatureAgreement, PairwiseRankAgreement, RankAgreement,
    RankCorrelation, RankTies, ReferenceMetric, SignAgreement, SignedRankAgreement, Ties, TopK,
    map_agreement,
};
use xai_attribution::side::ReferenceMaps;
use xai_attribution::{Evaluate, EvaluationData};

use crate::golden::{Case, Golden, flat};

/// The values of a metric, with the options that give the peer's number, against references that are one map
/// or one per sample.
fn compare<F: AgreementFormula>(
    golden: &Golden,
    case: &Case,
    metric: ReferenceMetric<F>,
    options: AgreementOptions,
    references: &Array2<f64>,
) {
    let maps = flat(case.maps(golden.problem(case)));
    let data = EvaluationData::from_maps(maps.view()).with(ReferenceMaps::new(references.clone()));
    let value = metric.options(options).evaluate_on(data).unwrap();
    case.assert(&value.per_sample);
    // The call of two maps says the same.
    for (i, (map, value)) in maps.outer_iter().zip(value.per_sample).enumerate() {
        let reference = references.row(i.min(references.nrows() - 1));
        let all = map_agreement(
            map.as_slice().unwrap(),
            reference.as_slice().unwrap(),
            &options,
        );
        let all = all.unwrap();
        let same = match case.metric.as_str() {
            "openxai.FA" => all.features,
            "openxai.RA" => all.ranks,
            "openxai.SA" => all.signs,
            "openxai.SRA" => all.signed_ranks,
            "openxai.RC" => all.rank_correlation,
            _ => all.pairwise_ranks,
        };
        assert_eq!(same, value);
    }
}

/// One map for all samples: neither sizes nor ranks depend on the class.
#[test]
fn ranks_of_all_features() {
    let golden = Golden::read();
    for case in golden
        .cases("openxai.RC", 2)
        .chain(golden.cases("openxai.PRA", 2))
    {
        let truth: Array1<f64> = case.ground_truth();
        let references = truth.insert_axis(ndarray::Axis(0));
        let dense = AgreementOptions {
            rank_ties: RankTies::Dense,
            ..AgreementOptions::default()
        };
        match case.metric.as_str() {
            "openxai.RC" => compare(&golden, case, RankCorrelation::new(), dense, &references),
            _ => compare(
                &golden,
                case,
                PairwiseRankAgreement::new(),
                dense,
                &references,
            ),
        }
    }
}

/// The peer negates its truth where the prediction is 0.
#[test]
fn the_largest_attributions() {
    let golden = Golden::read();
    for metric in ["FA", "RA", "SA", "SRA"] {
        for case in golden.cases(&format!("openxai.{metric}"), 3) {
            let truth = case.ground_truth();
            let signs = case.predictions().into_iter().map(|p| 2.0 * p as f64 - 1.0);
            let signs: Array1<f64> = signs.collect();
            let references = &signs.insert_axis(ndarray::Axis(1)) * &truth;
            let options = AgreementOptions {
                k: TopK::Count(case.count("top")),
                over_top: case.is("auc"),
                ties: Ties::LowestIndex,
                ..AgreementOptions::default()
            };
            match metric {
                "FA" => compare(&golden, case, FeatureAgreement::new(), options, &references),
                "RA" => compare(&golden, case, RankAgreement::new(), options, &references),
                "SA" => compare(&golden, case, SignAgreement::new(), options, &references),
                _ => compare(
                    &golden,
                    case,
                    SignedRankAgreement::new(),
                    options,
                    &references,
                ),
            }
        }
    }
}
