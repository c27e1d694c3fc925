//! Agreement of two maps: laws and edges.

use ndarray::{Array2, ArrayD, array};
use proptest::prelude::*;
use xai_attribution::metric::{
    AgreementOptions, FeatureAgreement, MapAgreement, Measure, PairwiseRankAgreement,
    RankCorrelation, RankTies, Ties, TopK, map_agreement,
};
use xai_attribution::side::ReferenceMaps;
use xai_attribution::{ErrorKind, Evaluate, EvaluationData, InputLayout, input};

fn agreement(a: &[f64], b: &[f64], k: usize, over_top: bool, ties: Ties) -> MapAgreement {
    let options = AgreementOptions {
        k: TopK::Count(k),
        over_top,
        ties,
        ..AgreementOptions::default()
    };
    map_agreement(a, b, &options).unwrap()
}

fn maps() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let pairs = prop::collection::vec((-6i32..7, -6i32..7), 2..14);
    pairs.prop_map(|pairs| {
        let of = |(a, b)| (f64::from(a) / 4.0, f64::from(b) / 4.0);
        pairs.into_iter().map(of).unzip()
    })
}

proptest! {
    #[test]
    fn a_map_agrees_with_itself_and_agreement_is_mutual((a, b) in maps(), k in 1usize..14, over_top: bool) {
        let k = k.min(a.len());
        let own = agreement(&a, &a, k, over_top, Ties::LowestIndex);
        prop_assert_eq!([own.features, own.ranks, own.signs, own.signed_ranks], [Some(1.0); 4]);
        prop_assert_eq!(own.pairwise_ranks, Some(1.0));
        prop_assert!(own.rank_correlation.is_none_or(|r| r == 1.0));
        for ties in [Ties::Expected, Ties::LowestIndex] {
            let there = agreement(&a, &b, k, over_top, ties);
            prop_assert_eq!(there, agreement(&b, &a, k, over_top, ties));
            let at_most = |least: Option<f64>, most: Option<f64>| {
                least.zip(most).map_or(least == most, |(least, most)| least <= most + 1e-15)
            };
            prop_assert!(at_most(there.signed_ranks, there.ranks) && at_most(there.ranks, there.features));
            prop_assert!(at_most(there.signed_ranks, there.signs) && at_most(there.signs, there.features));
            // The sign of all does not matter to what has none; the scale to nothing.
            let negated: Vec<f64> = b.iter().map(|x| -8.0 * x).collect();
            let negated = agreement(&a, &negated, k, over_top, ties);
            prop_assert_eq!((negated.features, negated.ranks), (there.features, there.ranks));
            prop_assert_eq!((negated.rank_correlation, negated.pairwise_ranks), (there.rank_correlation, there.pairwise_ranks));
        }
    }

    #[test]
    fn pairs_are_those_of_all_features((a, b) in maps()) {
        let (mut same, mut all) = (0, 0);
        for i in 0..a.len() {
            for j in 0..i {
                all += 1;
                same += i32::from(a[i].abs().partial_cmp(&a[j].abs()) == b[i].abs().partial_cmp(&b[j].abs()));
            }
        }
        let ours = agreement(&a, &b, 1, false, Ties::Expected).pairwise_ranks.unwrap();
        prop_assert_eq!(ours, f64::from(same) / f64::from(all));
    }
}

#[test]
fn ties_constant_maps_and_single_features() {
    // Sizes tie: the lower features are the top, or any.
    let (a, b) = ([1.0, -1.0, 1.0], [0.0, 0.0, 0.0]);
    let lowest = agreement(&a, &b, 2, false, Ties::LowestIndex);
    let of_top = [lowest.features, lowest.ranks, lowest.signs];
    assert_eq!(of_top, [Some(1.0), Some(1.0), Some(0.0)]);
    assert_eq!(
        (lowest.rank_correlation, lowest.pairwise_ranks),
        (None, Some(1.0))
    );
    let expected = agreement(&a, &b, 2, false, Ties::Expected);
    assert_eq!(
        [expected.features, expected.ranks, expected.signs],
        [None; 3]
    );
    // One of features 1 and 2 is in the top of the first map, with feature 0 at rank 0; in that of the second both are.
    let tied = agreement(
        &[2.0, 1.0, 1.0],
        &[0.5, -1.0, 1.0],
        2,
        false,
        Ties::Expected,
    );
    assert_eq!([tied.features, tied.signs], [Some(0.5), Some(0.25)]);
    assert_eq!([tied.ranks, tied.signed_ranks], [Some(0.25), Some(0.125)]);
    let one = agreement(&[2.0], &[3.0], 1, true, Ties::LowestIndex);
    assert_eq!(
        (one.signed_ranks, one.rank_correlation, one.pairwise_ranks),
        (Some(1.0), None, None)
    );
    // Dense: ranks 2, 1, 1 against 3, 2, 1.
    let dense = AgreementOptions {
        rank_ties: RankTies::Dense,
        ..AgreementOptions::default()
    };
    let dense = map_agreement(&[9.0, 1.0, 1.0], &[3.0, 2.0, 1.0], &dense).unwrap();
    assert!((dense.rank_correlation.unwrap() - 0.75f64.sqrt()).abs() < 1e-12);
    assert_eq!(dense.pairwise_ranks, Some(2.0 / 3.0));
}

#[test]
fn references_of_either_precision_with_or_without_channels_and_batches() {
    let maps = ArrayD::from_shape_fn(vec![5, 2, 3, 2], |i| {
        ((i[0] * 5 + i[1] * 3 + i[2]) % 7) as f64 - 3.0
    });
    let reference = ArrayD::from_shape_fn(vec![5, 2, 3], |i| {
        ((i[0] * 3 + i[1] + i[2] * 2) % 5) as f32 - 2.0
    });
    let value = |references: ReferenceMaps, batch_size| {
        let metric = PairwiseRankAgreement::new()
            .layout(InputLayout::ChannelsLast)
            .batch_size(batch_size);
        metric
            .evaluate_on(EvaluationData::from_maps(maps.view()).with(references))
            .unwrap()
            .per_sample
    };
    let whole = value(ReferenceMaps::new(reference.clone()), 64);
    assert_eq!(
        value(ReferenceMaps::new(reference.mapv(f64::from)), 2),
        whole
    );
    let first = reference
        .slice_axis(ndarray::Axis(0), (..1).into())
        .to_owned();
    let of_first = value(ReferenceMaps::new(first), 2);
    assert_eq!(of_first[0], whole[0]);
    assert_ne!(of_first, whole);
}

#[test]
fn references_that_do_not_fit_are_named() {
    let maps = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let error = |metric: &dyn Measure<f64>, references: Option<Array2<f64>>| {
        let data = EvaluationData::from_maps(maps.view());
        let data = match references {
            Some(references) => data.with(ReferenceMaps::new(references)),
            None => data,
        };
        metric.evaluate_on(data).unwrap_err().into_error()
    };
    let metric = RankCorrelation::new();
    assert_eq!(error(&metric, None).input(), input::REFERENCE_MAPS);
    for shape in [(2, 2), (3, 3), (1, 1)] {
        let error = error(&metric, Some(Array2::ones(shape)));
        assert_eq!(error.input(), input::REFERENCE_MAPS, "{shape:?}");
        assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { .. }));
    }
    let nan = error(&metric, Some(array![[1.0, f64::NAN]]));
    assert_eq!(
        (nan.input(), nan.index()),
        (input::REFERENCE_MAPS, &[0, 1][..])
    );
    let many = AgreementOptions {
        k: TopK::Count(3),
        ..AgreementOptions::default()
    };
    let many = error(
        &FeatureAgreement::new().options(many),
        Some(array![[1.0, 2.0]]),
    );
    assert_eq!(many.input(), input::K);
    let lengths = map_agreement(&[1.0], &[1.0, 2.0], &AgreementOptions::default()).unwrap_err();
    assert_eq!(lengths.input(), input::B);
    let lowest_index = AgreementOptions {
        ties: Ties::LowestIndex,
        ..AgreementOptions::default()
    };
    for options in [AgreementOptions::default(), lowest_index] {
        let nothing = map_agreement(&[], &[], &options).unwrap_err();
        assert_eq!(nothing.input(), input::A);
    }
}

#[test]
fn a_metric_of_agreement_has_the_parameters_that_it_reads() {
    let names = |metric: &str| -> Vec<&str> {
        let entry = xai_attribution::metric::registry::find(metric).unwrap();
        entry.params().iter().map(|param| param.name).collect()
    };
    assert_eq!(names("rank-correlation"), ["rank_ties"]);
    assert_eq!(names("feature-agreement"), ["k", "over_top", "ties"]);
    let other = "rank_correlation(k=3)".parse().unwrap();
    assert!(xai_attribution::metric::registry::from_setting::<f64>(&other).is_err());
}
