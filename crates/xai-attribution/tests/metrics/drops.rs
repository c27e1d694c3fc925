//! Laws of the metrics over drops of the score, and their edges.

use ndarray::{Array2, ArrayD, ArrayViewD, array};
use proptest::prelude::*;
use xai_attribution::metric::{
    AverageDrop, BaseScorePolicy, FFidelity, FFidelityNegative, FFidelityPositive,
    FaithfulnessEstimate, Infidelity, MapKind, Measure, MonotonicityCorrelation, Perturbation,
    PredictionGapImportant, PredictionGapUnimportant, Scaling, SensitivityN, Ties, TopK,
    Violations,
};
use xai_attribution::perturbation::{
    Features, PrecomputedNeighbors, PrecomputedValues, ValueRange,
};
use xai_attribution::{Accumulator, Evaluate, EvaluationData, InputLayout, input};
use xai_core::Input;
use xai_core::random::{random_stream, uniform};

type Answer = Result<Array2<f64>, std::fmt::Error>;

/// A linear model of one output: weights 1, 2, 3, …
fn linear(batch: ArrayViewD<'_, f64>) -> Answer {
    let row = |x: ArrayViewD<'_, f64>| x.iter().zip(1..).map(|(x, w)| x * f64::from(w)).sum();
    let rows = batch.outer_iter().map(row);
    Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
}

/// Images of two channels, `(n, 4, 5, 2)`.
fn images() -> impl Strategy<Value = ArrayD<f64>> {
    (1usize..4).prop_flat_map(|n| {
        let shape = vec![n, 4, 5, 2];
        prop::collection::vec(-32i32..33, n * 40).prop_map(move |values| {
            let values = values.into_iter().map(|v| f64::from(v) / 8.0).collect();
            ArrayD::from_shape_vec(shape.clone(), values).unwrap()
        })
    })
}

/// The gradient of the linear model.
fn gradient(x: &ArrayD<f64>) -> ArrayD<f64> {
    let size = x.len() / x.shape()[0];
    let values = (0..x.len()).map(|i| (i % size + 1) as f64);
    ArrayD::from_shape_vec(x.raw_dim(), values.collect()).unwrap()
}

fn data<'a>(x: &'a ArrayD<f64>, maps: &'a ArrayD<f64>) -> EvaluationData<'a, f64> {
    let targets = vec![0u8; x.shape()[0]];
    EvaluationData::new(x.view(), &targets)
        .model(&linear)
        .maps(maps.view())
        .layout(InputLayout::ChannelsLast)
}

fn per_sample(metric: &dyn Measure<f64>, x: &ArrayD<f64>, maps: &ArrayD<f64>) -> Vec<Option<f64>> {
    let value = metric.evaluate_on(data(x, maps));
    value.map_or_else(|_| vec![None; x.shape()[0]], |value| value.per_sample)
}

fn all_near(values: Vec<Option<f64>>, expected: f64) -> bool {
    values
        .into_iter()
        .all(|v| v.is_some_and(|v| (v - expected).abs() < 1e-9))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn maps_of_a_linear_model_have_no_infidelity(x in images(), blank in -2i32..3) {
        let gradient = gradient(&x);
        let blank = f64::from(blank);
        let contributions = &gradient * &x.mapv(|v| v - blank);
        for perturbation in [
            Perturbation::Features(Features::Positions),
            Perturbation::Features(Features::Patches(2)),
            Perturbation::Squares(3),
            Perturbation::Gaussian { sigma: 0.5 },
        ] {
            let metric = Infidelity::new().perturbation(perturbation).baseline(blank);
            let of_gradient = metric.clone().map_kind(Some(MapKind::Gradient));
            prop_assert!(all_near(per_sample(&of_gradient, &x, &gradient), 0.0));
            let is_noise = matches!(perturbation, Perturbation::Gaussian { .. });
            if is_noise {
                continue;
            }
            prop_assert!(all_near(per_sample(&metric, &x, &contributions), 0.0));
            // The size of a map does not count where the best factor is taken.
            let scaled = metric.scaling(Scaling::OptimalBeta);
            let values = per_sample(&scaled, &x, &contributions.mapv(|c| 4.0 * c));
            prop_assert!(values.into_iter().flatten().all(|v| v.abs() < 1e-9));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn terms_of_a_linear_model_are_sensitive_at_every_size(x in images(), blank in -2i32..3) {
        let blank = f64::from(blank);
        let terms = &gradient(&x) * &x.mapv(|v| v - blank);
        for features in [Features::Positions, Features::Patches(2)] {
            let metric = SensitivityN::new().n_subsets(20).features(features).baseline(blank);
            // Samples that are at the baseline all over have nothing to lose.
            let values = per_sample(&metric, &x, &terms);
            prop_assert!(values.into_iter().flatten().all(|v| (v - 1.0).abs() < 1e-9));
        }
    }

    #[test]
    fn the_gradient_of_a_linear_model_ranks_its_changes(x in images(), at in -2i32..3) {
        // All elements are as far from the values: only weights differ.
        let x = x.mapv(|_| f64::from(at));
        let metric = MonotonicityCorrelation::new().value_range(ValueRange::Between((-1.0, 2.0)));
        prop_assert!(all_near(per_sample(&metric, &x, &gradient(&x)), 1.0));
        prop_assert!(all_near(per_sample(&metric, &x, &gradient(&x).mapv(|g| -g)), 1.0));
        prop_assert!(all_near(per_sample(&metric, &x, &gradient(&x).mapv(|g| 1.0 / g)), -1.0));
    }

    #[test]
    fn noise_where_it_matters_moves_the_score_more(x in images()) {
        let gradient = gradient(&x);
        let k = TopK::Share(0.5);
        let important = per_sample(&PredictionGapImportant::new().k(k), &x, &gradient);
        let unimportant = per_sample(&PredictionGapUnimportant::new().k(k), &x, &gradient);
        let pairs = important.iter().zip(&unimportant);
        prop_assert!(pairs.clone().all(|(a, b)| a.unwrap() > b.unwrap()));
        // The other way round with the gradient the other way round.
        let largest = gradient.iter().copied().fold(0.0, f64::max);
        let reversed = gradient.mapv(|g| largest + 1.0 - g);
        let of_reversed = per_sample(&PredictionGapImportant::new().k(k), &x, &reversed);
        prop_assert!(of_reversed.iter().zip(&important).all(|(a, b)| a < b));
    }

    #[test]
    fn random_parts_of_both_ends_are_the_ends_of_the_negated_map(x in images()) {
        let terms = &gradient(&x) * &x;
        // No ties: the attribution of a pixel is that of its channels.
        let size = terms.len() / terms.shape()[0];
        let shift = ArrayD::from_shape_vec(terms.raw_dim(), (0..terms.len()).map(|i| (i % size / 2) as f64 / 1024.0).collect()).unwrap();
        let terms = terms + shift;
        let positive = FFidelityPositive::new().n_draws(3);
        let negative = FFidelityNegative::new().n_draws(3);
        let negated = terms.mapv(|t| -t);
        prop_assert_eq!(per_sample(&positive, &x, &terms), per_sample(&negative, &x, &negated));
        let both = per_sample(&FFidelity::new().n_draws(3), &x, &terms);
        let (positive, negative) = (per_sample(&positive, &x, &terms), per_sample(&negative, &x, &terms));
        for ((both, positive), negative) in both.iter().zip(&positive).zip(&negative) {
            prop_assert!((both.unwrap() - (positive.unwrap() - negative.unwrap())).abs() < 1e-9);
        }
        // All of the parts: the most relevant of a linear model are worth more.
        let all = FFidelity::new().n_draws(1).removed_share(1.0);
        prop_assert!(per_sample(&all, &x, &terms).into_iter().all(|v| v.unwrap() >= -0.1));
    }
}

#[test]
fn the_values_of_a_range_are_the_middles_of_its_parts() {
    let x = array![[0.0, 4.0]].into_dyn();
    let maps = array![[1.0, -2.0]].into_dyn();
    // Two values, 1 and 3: changes of 1 and 9 of the first, (2 · 3)² and (2 · 1)² of the second.
    let metric = MonotonicityCorrelation::new().n_values(2);
    assert_eq!(per_sample(&metric, &x, &maps), [Some(1.0)]);
    assert_eq!(
        per_sample(&metric, &x, &array![[2.0, -1.0]].into_dyn()),
        [Some(-1.0)]
    );
    // Attributions of one size rank nothing, nor do constant samples.
    assert_eq!(
        per_sample(&metric, &x, &array![[1.0, -1.0]].into_dyn()),
        [None]
    );
    assert_eq!(
        per_sample(&metric, &array![[2.0, 2.0]].into_dyn(), &maps),
        [None]
    );
    let range = |text: &str| text.parse::<ValueRange>();
    assert_eq!(range("-1,2.5").unwrap(), ValueRange::Between((-1.0, 2.5)));
    assert_eq!(range("sample").unwrap(), ValueRange::Sample);
    for text in ["", "1", "1,x", "1,2,3", "low,high"] {
        assert!(range(text).is_err(), "{text}");
    }
}

#[test]
fn a_size_without_correlation_is_left_out() {
    // The second of three features is all there is: pairs have it or not, single features too.
    let x = array![[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]].into_dyn();
    let maps = array![[0.0, 1.0, 0.0], [1.0, 2.0, 3.0]].into_dyn();
    let metric = SensitivityN::new().sizes(Some(&[1, 2]));
    let value = metric.evaluate_on(data(&x, &maps)).unwrap();
    assert!((value.per_sample[0].unwrap() - 1.0).abs() < 1e-12);
    assert_eq!((value.per_sample[1], value.n_undefined), (None, 1));
    // The curve is of those that have one.
    let curve = value.curve.unwrap();
    assert!(curve.iter().all(|point| (point.score - 1.0).abs() < 1e-12));
    assert_eq!(
        curve.iter().map(|p| p.n_flipped).collect::<Vec<_>>(),
        [1, 2]
    );
}

#[test]
fn the_best_factor_of_sums_of_zero_is_undefined() {
    let x = array![[1.0, 2.0], [1.0, 2.0]].into_dyn();
    let maps = array![[0.0, 0.0], [1.0, 0.0]].into_dyn();
    let plain = per_sample(&Infidelity::new(), &x, &maps);
    // Drops of 1 and 4.
    assert_eq!(plain, [Some(8.5), Some(8.0)]);
    let scaled = Infidelity::new().scaling(Scaling::OptimalBeta);
    assert_eq!(per_sample(&scaled, &x, &maps), [None, Some(8.0)]);
}

#[test]
fn squares_lie_wherever_they_fit() {
    let x = ArrayD::from_elem(vec![1, 2, 3, 1], 1.0);
    let maps = ArrayD::zeros(vec![1, 2, 3, 1]);
    let metric = Infidelity::new().perturbation(Perturbation::Squares(10));
    // Six of one position, and two of four: weights 1..=3 above 4..=6.
    let drops: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 12.0, 16.0];
    let mean = drops.iter().map(|d| d * d).sum::<f64>() / 8.0;
    assert_eq!(per_sample(&metric, &x, &maps), [Some(mean)]);
    // Tables have features only.
    let (x, maps) = (array![[1.0, 1.0]].into_dyn(), array![[0.0, 0.0]].into_dyn());
    assert_eq!(per_sample(&metric, &x, &maps), [Some(2.5)]);
}

#[test]
fn a_map_of_one_value_per_position_is_shared_by_its_channels() {
    let x = ArrayD::from_elem(vec![1, 1, 1, 2], 1.0);
    let metric = Infidelity::new();
    // The drop is 1 + 2.
    let contribution = ArrayD::from_elem(vec![1, 1, 1], 3.0);
    assert_eq!(per_sample(&metric, &x, &contribution), [Some(0.0)]);
    let gradient = ArrayD::from_elem(vec![1, 1, 1], 1.5);
    let metric = metric.map_kind(Some(MapKind::Gradient));
    assert_eq!(per_sample(&metric, &x, &gradient), [Some(0.0)]);
}

#[test]
fn unsupported_inputs_of_metrics_are_named() {
    let (x, maps) = (array![[1.0, 2.0]].into_dyn(), array![[1.0, 2.0]].into_dyn());
    let error = |metric: &dyn Measure<f64>| {
        metric
            .evaluate_on(data(&x, &maps))
            .unwrap_err()
            .into_error()
            .input()
    };
    let infidelity = |perturbation| Infidelity::new().perturbation(perturbation);
    let gaussian = |sigma| infidelity(Perturbation::Gaussian { sigma });
    assert_eq!(error(&gaussian(0.0)), Input::new("perturbation"));
    assert_eq!(error(&gaussian(0.1).n_draws(0)), Input::new("n_draws"));
    let kind = gaussian(0.1).map_kind(Some(MapKind::Contribution));
    assert_eq!(error(&kind), input::MAP_KIND);
    assert_eq!(
        error(&infidelity(Perturbation::Squares(0))),
        Input::new("perturbation")
    );
    assert_eq!(error(&infidelity(Perturbation::Given)), input::NEIGHBORS);
    for sizes in [&[0usize][..], &[2], &[1, 1], &[]] {
        assert_eq!(error(&SensitivityN::new().sizes(Some(sizes))), input::SIZES);
    }
    assert_eq!(
        error(&SensitivityN::new().n_subsets(1)),
        Input::new("n_subsets")
    );
    let monotonicity = MonotonicityCorrelation::new;
    assert_eq!(error(&monotonicity().n_values(0)), Input::new("n_values"));
    assert_eq!(error(&monotonicity().group_size(0)), input::GROUP_SIZE);
    let range = |low, high| error(&monotonicity().value_range(ValueRange::Between((low, high))));
    assert_eq!(range(1.0, 1.0), input::VALUE_RANGE);
    assert_eq!(range(f64::NAN, 1.0), input::VALUE_RANGE);
    assert_eq!(
        error(&monotonicity().value_range(ValueRange::Given)),
        input::GIVEN_VALUES
    );
    let values = PrecomputedValues(ndarray::Array3::zeros((2, 1, 3)));
    let given = monotonicity().value_range(ValueRange::Given);
    let few = given.evaluate_on(data(&x, &maps).with(values)).unwrap_err();
    assert_eq!(few.into_error().input(), input::GIVEN_VALUES);
    assert_eq!(
        error(&PredictionGapImportant::new().k(TopK::Count(3))),
        input::K
    );
    assert_eq!(
        error(&FFidelity::new().removed_share(0.0)),
        Input::new("removed_share")
    );
    assert_eq!(error(&FFidelity::new().n_draws(0)), Input::new("n_draws"));
    assert_eq!(error(&FFidelity::new().steps(Some(0))), input::STEPS);
    let huge = PrecomputedNeighbors(ndarray::arr3(&[[[f64::MAX, f64::MAX]]]).into_dyn());
    let x = array![[f64::MAX, 2.0]].into_dyn();
    let given = infidelity(Perturbation::Given);
    let error = given.evaluate_on(data(&x, &maps).with(huge));
    assert_eq!(error.unwrap_err().into_error().input(), input::NEIGHBORS);
}

/// A state reads many samples in blocks, of which it keeps no value.
#[test]
fn a_state_has_the_mean_and_the_errors_of_all_samples_at_once() {
    let n = 40_000;
    let score = |item: u64| -> Vec<f64> {
        let mut stream = random_stream(7, item);
        (0..n).map(|_| 1.0 - uniform(&mut stream)).collect()
    };
    let (base, masked) = (score(0), score(1));
    let policies = [
        BaseScorePolicy::Error,
        BaseScorePolicy::AsIs,
        BaseScorePolicy::Skip,
    ];
    let odd = [0.0, -1.0, -1e-8, 1e308, f64::NAN, f64::INFINITY];
    for policy in policies {
        let metric = AverageDrop::new().base_score_policy(policy);
        for (odd, place) in odd.into_iter().zip([17, 39_999, 5_000, 16_384, 1_023, 3]) {
            for (of_base, of_masked) in [(false, false), (true, false), (false, true), (true, true)]
            {
                let (mut base, mut masked) = (base.clone(), masked.clone());
                if of_base {
                    base[place] = odd;
                }
                if of_masked {
                    masked[place / 2] = odd;
                }
                let mut state = metric.accumulator();
                let outcome = state.update((&base, &masked)).and_then(|()| state.finish());
                match metric.evaluate_scores(&base, &masked) {
                    Ok(whole) => {
                        assert_eq!(outcome.unwrap(), whole.value);
                        assert_eq!(state.n_undefined(), whole.n_undefined);
                    }
                    Err(error) => {
                        assert_eq!(outcome.unwrap_err().to_string(), error.to_string());
                        assert_eq!(state, metric.accumulator());
                    }
                }
            }
        }
    }
}

#[test]
fn groups_of_ranked_positions_report_ties() {
    let x = array![[1.0, 2.0, 3.0, 5.0]].into_dyn();
    let maps = array![[2.0, -1.0, 1.0, 1.0]].into_dyn();
    let share = |metric: &dyn Measure<f64>| {
        let value = metric.evaluate_on(data(&x, &maps)).unwrap();
        value.tied.map(|tied| tied.share())
    };
    let estimate = |group_size| share(&FaithfulnessEstimate::new().group_size(group_size));
    let correlation = |group_size| share(&MonotonicityCorrelation::new().group_size(group_size));
    // By attribution two positions tie, by its size three.
    assert_eq!([estimate(1), estimate(2)], [None, Some(0.5)]);
    assert_eq!([correlation(1), correlation(2)], [None, Some(0.75)]);
}

#[test]
fn violations_are_expected_over_features_tied_at_the_cut() {
    let x = ArrayD::ones(vec![4, 3]);
    // Every drop is above 0. One of the last two of the first map is in the top.
    let maps = array![
        [4.0, -2.0, 2.0],
        [1.0, -1.0, -1.0],
        [0.0, -1.0, 0.0],
        [0.0; 3]
    ]
    .into_dyn();
    let violations =
        |ties, k| per_sample(&Violations::new().k(TopK::Count(k)).ties(ties), &x, &maps);
    let expected = violations(Ties::Expected, 2);
    assert_eq!(expected, [Some(0.25), None, Some(1.0), None]);
    let lowest = violations(Ties::LowestIndex, 2);
    assert_eq!(lowest, [Some(0.5), Some(0.5), Some(1.0), None]);
    // Without a cut nothing is arbitrary.
    let all = violations(Ties::Expected, 3);
    assert_eq!(all, violations(Ties::LowestIndex, 3));
    assert_eq!(all[1], Some(2.0 / 3.0));
}
