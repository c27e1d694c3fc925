//! Laws of the metrics along curves and over single features, and their edges.

use ndarray::{Array2, Array3, ArrayD, ArrayViewD, array};
use proptest::prelude::*;
use xai_attribution::metric::{
    BaseScorePolicy, Completeness, Comprehensiveness, Deletion, Described, FaithfulnessEstimate,
    Gap, ImputationNoise, Irof, Measure, MetricValue, Monotonicity, MuFidelity, NonSensitivity,
    RegionPerturbation, Road, RoadLeastRelevantFirst, RoadMostRelevantFirst, RoadOf, ShareLost,
    SymmetricRelevanceGain, Violations,
};
use xai_attribution::perturbation::{
    Baseline, Features, PrecomputedOrders, PrecomputedSubsets, RemovalOrder, SubsetSampling,
    SubsetSize,
};
use xai_attribution::side::Segments;
use xai_attribution::{Benchmark, ErrorKind, Evaluate, EvaluationData, InputLayout, input};
use xai_core::Input;
use xai_core::statistics::Correlation;

type Answer = Result<Array2<f64>, std::fmt::Error>;

/// The points of a curve: features flipped, and the score.
fn points(value: MetricValue) -> Vec<(usize, f64)> {
    let curve = value.curve.expect("a metric with a curve");
    curve.iter().map(|p| (p.n_flipped, p.score)).collect()
}

/// A linear model of one output: weights 1, 2, 3, …
fn linear(batch: ArrayViewD<'_, f64>) -> Answer {
    let row = |x: ArrayViewD<'_, f64>| x.iter().zip(1..).map(|(x, w)| x * f64::from(w)).sum();
    let rows = batch.outer_iter().map(row);
    Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
}

/// Inputs, and the terms of the linear model: what each feature is worth.
fn terms() -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
    (1usize..4, 3usize..9).prop_flat_map(|(n, d)| {
        prop::collection::vec(-9i32..10, n * d).prop_map(move |values| {
            // Distinct terms: no ties.
            let place = |i: usize| 1.0 + (i % d) as f64 / 64.0;
            let x = values
                .iter()
                .enumerate()
                .map(|(i, &v)| f64::from(v) + place(i) / 8.0);
            let x = Array2::from_shape_vec((n, d), x.collect()).unwrap();
            let weights = (1..=d).map(|w| w as f64).collect::<ndarray::Array1<f64>>();
            (x.clone(), x * weights)
        })
    })
}

fn per_sample(metric: &dyn Measure<f64>, x: &Array2<f64>, maps: &Array2<f64>) -> Vec<Option<f64>> {
    let targets = vec![0u8; x.nrows()];
    let data = EvaluationData::new(x.view(), &targets)
        .model(&linear)
        .maps(maps.view());
    metric
        .evaluate_on(data)
        .map_or_else(|_| vec![None; x.nrows()], |value| value.per_sample)
}

proptest! {
    #[test]
    fn the_terms_of_a_linear_model_are_faithful((x, terms) in terms()) {
        let near = |values: Vec<Option<f64>>, expected: f64| {
            values.into_iter().flatten().all(|v| (v - expected).abs() < 1e-9)
        };
        for correlation in [Correlation::Pearson, Correlation::Spearman, Correlation::Kendall] {
            let estimate = FaithfulnessEstimate::new().correlation(correlation);
            prop_assert!(near(per_sample(&estimate, &x, &terms), 1.0));
            let subsets = MuFidelity::new().correlation(correlation).n_subsets(20);
            // Equal sums may round apart; ranks then tell them apart.
            if correlation == Correlation::Pearson {
                prop_assert!(near(per_sample(&subsets, &x, &terms), 1.0));
            }
        }
        prop_assert!(near(per_sample(&Completeness::new().gap(Gap::Absolute), &x, &terms), 0.0));
        prop_assert!(near(per_sample(&Violations::new(), &x, &terms), 0.0));
        prop_assert!(near(per_sample(&NonSensitivity::new(), &x, &terms), 0.0));
        // Negative terms go first: every step raises the score, but for those that lower it.
        let positive = terms.mapv(f64::abs);
        prop_assert!(near(per_sample(&Monotonicity::new(), &x.mapv(f64::abs), &positive), 1.0));
    }

    #[test]
    fn the_gain_of_the_negated_map_is_the_loss((x, terms) in terms(), shift in 0usize..7) {
        // Any map without ties.
        let mut map = terms.clone();
        let n = map.len();
        map.as_slice_mut().unwrap().rotate_left(shift % n);
        let gain = SymmetricRelevanceGain::new();
        let (a, b) = (per_sample(&gain, &x, &map), per_sample(&gain, &x, &map.mapv(|v| -v)));
        prop_assert!(a.iter().zip(&b).all(|(a, b)| (a.unwrap() + b.unwrap()).abs() < 1e-9));
        let most = per_sample(&RegionPerturbation::new(), &x, &map.mapv(|v| -v));
        let least = RegionPerturbation::new().order(RemovalOrder::LeastRelevantFirst);
        prop_assert_eq!(most, per_sample(&least, &x, &map));
        // No order gains more than that of the terms.
        let best = per_sample(&gain, &x, &terms);
        prop_assert!(best.iter().zip(&a).all(|(best, a)| *best >= a.map(|a| a - 1e-9)));
        prop_assert!(best.iter().flatten().all(|&gain| gain >= 0.0));
    }
}

fn images() -> (ArrayD<f64>, ArrayD<f64>) {
    let x = ArrayD::from_shape_fn(vec![2, 2, 4, 1], |i| (1 + i[1] * 4 + i[2] + i[0]) as f64);
    let maps = ArrayD::from_shape_fn(vec![2, 2, 4, 1], |i| (i[1] * 4 + i[2]) as f64);
    (x, maps)
}

fn sum(batch: ArrayViewD<'_, f64>) -> Answer {
    let rows = batch.outer_iter().map(|x| x.sum());
    Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
}

/// Labels need not be consecutive, samples may have different numbers of segments, and a sample of one
/// segment loses all of its score at once.
#[test]
fn segments_may_have_gaps_and_differ_between_samples() {
    let (x, maps) = images();
    let mut segments = Array3::from_elem((2, 2, 4), 7);
    segments.slice_mut(ndarray::s![0, .., ..2]).fill(100);
    let data = EvaluationData::new(x.view(), &[0, 0])
        .model(&sum)
        .maps(maps.view())
        .layout(InputLayout::ChannelsLast)
        .with(Segments::new(segments));
    let value = Irof::new().evaluate_on(data).unwrap();
    // Sample 0: 1..=8, of which the right half (3, 4, 7, 8) goes first: 36, 14, 0 of 36.
    let first = 1.0 - ((1.0 + 14.0 / 36.0) / 2.0 + 14.0 / 72.0) / 2.0;
    assert!((value.per_sample[0].unwrap() - first).abs() < 1e-15);
    assert_eq!(value.per_sample[1], Some(0.5));
    // The mean curve goes on where the shorter one has ended.
    assert_eq!(points(value), [(0, 40.0), (1, 7.0), (2, 0.0)]);
}

#[test]
fn patches_are_removed_as_one() {
    let (x, maps) = images();
    let deletion = Deletion::new()
        .steps(None)
        .features(Features::Patches(2))
        .layout(InputLayout::ChannelsLast);
    let value = deletion
        .evaluate(&sum, x.view(), &[0, 0], maps.view())
        .unwrap();
    let scores: Vec<f64> = value.curve.unwrap().iter().map(|p| p.score).collect();
    // The right patch holds 3, 4, 7, 8 and 4, 5, 8, 9.
    assert_eq!(scores, [40.0, (14.0 + 18.0) / 2.0, 0.0]);
}

#[test]
fn baselines_of_the_sample_are_its_own() {
    let x = array![[1.0, 3.0], [-2.0, 4.0]];
    for (baseline, blank) in [
        (Baseline::SampleMin, [2.0, -4.0]),
        (Baseline::SampleMean, [4.0, 2.0]),
        (Baseline::SampleMax, [6.0, 8.0]),
    ] {
        let name = format!("{baseline:?}");
        let word = match baseline {
            Baseline::SampleMin => "sample-min",
            Baseline::SampleMean => "sample-mean",
            _ => "sample-max",
        };
        assert_eq!(word.parse::<Baseline>().unwrap(), baseline);
        for (sample, blank) in blank.into_iter().enumerate() {
            let one = x.slice(ndarray::s![sample..=sample, ..]);
            let insertion = xai_attribution::metric::Insertion::new()
                .steps(None)
                .baseline(baseline.clone());
            let curve = insertion
                .evaluate(&sum, one, &[0], one)
                .unwrap()
                .curve
                .unwrap();
            assert_eq!(curve[0].score, blank, "{name}");
        }
    }
}

/// A model of one output is right if the image is as it was.
#[test]
fn road_imputes_from_the_remaining_pixels() {
    let ramp = ArrayD::from_shape_fn(vec![2, 4, 5, 2], |i| {
        (i[1] * 3 + i[2] * 2 + i[3] + i[0]) as f64
    });
    // The border is the least relevant: it is there until 6 of 20 pixels, those within, are gone.
    let maps = ArrayD::from_shape_fn(vec![2, 4, 5], |i| {
        let within = (1..3).contains(&i[1]) && (1..4).contains(&i[2]);
        f64::from(u8::from(within)) + (i[1] * 5 + i[2]) as f64 / 64.0
    });
    let expected = ramp.clone();
    let same = move |batch: ArrayViewD<'_, f64>| -> Answer {
        let is_ramp = |image: ArrayViewD<'_, f64>| {
            let near = |original: ArrayViewD<'_, f64>| {
                image
                    .iter()
                    .zip(original)
                    .all(|(a, b)| (a - b).abs() < 1e-10)
            };
            f64::from(u8::from(expected.outer_iter().any(near)))
        };
        let rows = batch.outer_iter().flat_map(|image| [is_ramp(image), 0.5]);
        Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows.collect()).unwrap())
    };
    let evaluate = |metric: &dyn Measure<f64>, maps: &ArrayD<f64>| {
        let data = EvaluationData::new(ramp.view(), &[0, 0])
            .model(&same)
            .layout(InputLayout::ChannelsLast)
            .maps(maps.view());
        metric.evaluate_on(data).unwrap()
    };
    let exact = ImputationNoise::Gaussian(0.0);
    let most = RoadMostRelevantFirst::new()
        .noise(exact)
        .percentages(&[10.0, 30.0, 60.0, 90.0]);
    let value = evaluate(&most, &maps);
    // An affine image is exact within the border.
    assert_eq!(value.per_sample, [Some(0.5), Some(0.5)]);
    assert_eq!(points(value), [(2, 1.0), (6, 1.0), (12, 0.0), (18, 0.0)]);
    let least = RoadLeastRelevantFirst::new()
        .noise(exact)
        .percentages(&[10.0, 30.0, 60.0, 90.0]);
    assert_eq!(evaluate(&least, &maps).value, 0.0);
    let both = Road::new()
        .noise(exact)
        .percentages(&[10.0, 30.0, 60.0, 90.0]);
    assert_eq!(evaluate(&both, &maps).value, -0.25);
    assert_eq!(evaluate(&both, &maps.mapv(|a| -a)).value, 0.25);
    assert_eq!(
        evaluate(&both.clone().of(RoadOf::Score), &maps).value,
        -0.25
    );
    // Noise is as large as asked for.
    let noisy = most.clone().noise(ImputationNoise::Gaussian(1e-3));
    assert_eq!(evaluate(&noisy, &maps).value, 0.0);
    // Deletion takes the same pixels, as long as it does not remove all.
    let deletion = Deletion::new()
        .baseline(Baseline::LinearImputation)
        .steps(Some(2))
        .max_fraction(0.3);
    assert_eq!(evaluate(&deletion, &maps).value, 1.0);
    let patches = deletion.max_fraction(0.5).features(Features::Patches(2));
    evaluate(&patches, &maps);
}

#[test]
fn nothing_is_imputed_from_nothing() {
    let (x, maps) = images();
    let error = |metric: &dyn Measure<f64>| {
        let data = EvaluationData::new(x.view(), &[0, 0])
            .model(&sum)
            .maps(maps.view())
            .layout(InputLayout::ChannelsLast);
        metric.evaluate_on(data).unwrap_err().into_error()
    };
    let imputation = Baseline::LinearImputation;
    assert_eq!("linear-imputation".parse::<Baseline>().unwrap(), imputation);
    let baseline = |metric: &dyn Measure<f64>| assert_eq!(error(metric).input(), input::BASELINE);
    baseline(&Deletion::new().baseline(imputation.clone()));
    baseline(
        &xai_attribution::metric::Insertion::new()
            .max_fraction(0.5)
            .baseline(imputation.clone()),
    );
    baseline(&Completeness::new().baseline(imputation.clone()));
    // One patch is the whole image.
    let whole = FaithfulnessEstimate::new()
        .features(Features::Patches(4))
        .baseline(imputation.clone());
    let whole = error(&whole);
    assert_eq!(
        (whole.input(), whole.owner_name()),
        (input::BASELINE, Some("sample 0"))
    );
    for percentage in [0.0, 100.0, f64::NAN] {
        let road = Road::new().percentages(&[50.0, percentage]);
        assert_eq!(error(&road).input(), input::PERCENTAGES);
    }
    assert_eq!(
        error(&Road::new().percentages(&[])).input(),
        input::PERCENTAGES
    );
    let noise = |noise| error(&Road::new().noise(noise)).input();
    assert_eq!(noise(ImputationNoise::Gaussian(-1.0)), input::NOISE);
    assert_eq!(noise(ImputationNoise::Given), input::NEIGHBORS);
    // Tables have no neighbours.
    let (x, targets) = (array![[1.0, 2.0]], [0]);
    let data = EvaluationData::new(x.view(), &targets)
        .model(&sum)
        .maps(x.view());
    let table = Road::new().evaluate_on(data).unwrap_err().into_error();
    assert_eq!(table.input(), input::INPUTS);
}

#[test]
fn missing_or_mismatched_inputs_are_named() {
    let (x, maps) = images();
    let error =
        |metric: &dyn Measure<f64>,
         with: &dyn Fn(EvaluationData<'_, f64>) -> EvaluationData<'_, f64>| {
            let data = EvaluationData::new(x.view(), &[0, 0])
                .model(&sum)
                .maps(maps.view())
                .layout(InputLayout::ChannelsLast);
            metric.evaluate_on(with(data)).unwrap_err().into_error()
        };
    fn nothing(data: EvaluationData<'_, f64>) -> EvaluationData<'_, f64> {
        data
    }
    let segments = Deletion::new().features(Features::Segments);
    assert_eq!(error(&segments, &nothing).input(), input::SEGMENTS);
    assert_eq!(error(&Irof::new(), &nothing).input(), input::SEGMENTS);
    let grid = error(&Deletion::new().features(Features::Grid(0)), &nothing);
    assert_eq!(grid.input(), input::FEATURES);
    let patch = error(&Deletion::new().features(Features::Patches(0)), &nothing);
    assert_eq!(patch.input(), input::FEATURES);
    let steps = error(&Deletion::new().step_size(0), &nothing);
    assert_eq!(steps.input(), input::STEPS);
    let given = RegionPerturbation::new().order(RemovalOrder::Given);
    assert_eq!(error(&given, &nothing).input(), input::ORDERS);
    let twice = Array2::zeros((2, 8));
    let twice = error(&given, &|data| data.with(PrecomputedOrders(twice.clone())));
    assert_eq!((twice.input(), twice.index()), (input::ORDERS, &[0, 1][..]));
    let few = error(&given, &|data| {
        data.with(PrecomputedOrders(array![[0, 1], [1, 0]]))
    });
    assert!(matches!(few.kind(), ErrorKind::ShapeMismatch { .. }));
    let subsets = MuFidelity::new()
        .features(Features::Positions)
        .sampling(SubsetSampling::Given);
    assert_eq!(error(&subsets, &nothing).input(), input::SUBSETS);
    let outside = Array3::from_elem((2, 2, 1), 8);
    let outside = error(&subsets, &|data| {
        data.with(PrecomputedSubsets(outside.clone()))
    });
    assert_eq!(
        (outside.input(), outside.index()),
        (input::SUBSETS, &[0, 0, 0][..])
    );
    let size = error(
        &MuFidelity::new().subset_size(SubsetSize::Count(0)),
        &nothing,
    );
    assert_eq!(size.input(), input::SUBSET_SIZE);
    let tolerance = error(&Monotonicity::new().tolerance(-1.0), &nothing);
    assert_eq!(tolerance.input(), Input::new("tolerance"));
    let group = error(&FaithfulnessEstimate::new().group_size(0), &nothing);
    assert_eq!(group.input(), input::GROUP_SIZE);
}

#[test]
fn irof_is_above_1_if_the_score_becomes_negative() {
    let x = array![[4.0, -2.0]];
    let maps = array![[2.0, 1.0]];
    let data = EvaluationData::new(x.view(), &[0])
        .model(&sum)
        .maps(maps.view())
        .with(Segments::new(array![[[0, 1]]]));
    // 2, −2, 0 of 2: trapezoids of 0 and −0.5.
    assert_eq!(Irof::new().evaluate_on(data).unwrap().value, 1.25);
    assert_eq!(ShareLost::INFO.range.when, "for scores of at least 0");
}

/// One of three features is not positive: the point that would flip all of them flips two, and calls the model.
#[test]
fn curves_over_positive_features_call_the_model_at_most_as_planned() {
    let x = array![[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]];
    let maps = [
        array![[3.0, 1.0, -1.0], [1.0, 0.0, 2.0]],
        array![[1.0, 3.0, -1.0], [-1.0, 1.0, 2.0]],
    ];
    for shares in [&[1.0][..], &[0.3, 1.0], &[0.3, 0.7], &[0.7]] {
        let planned = std::sync::Mutex::new(0);
        let table = Benchmark::new(&sum, x.view(), &[0, 0])
            .maps("one", maps[0].view())
            .maps("other", maps[1].view())
            .metric(Comprehensiveness::new().positive_only(true).shares(shares))
            .on_plan(|rows| *planned.lock().unwrap() = rows.model)
            .evaluate()
            .unwrap();
        let planned = planned.into_inner().unwrap();
        assert!(table.model_calls.rows <= planned, "{shares:?}");
    }
}

#[test]
fn a_base_score_that_shares_cannot_be_taken_of_follows_the_policy() {
    let (x, maps) = (
        array![[1.0, 1.0], [-1.0, 0.5]],
        array![[1.0, 0.0], [1.0, 0.0]],
    );
    let segments = Segments::new(array![[[0, 1]], [[0, 1]]]);
    let evaluate = |policy| {
        let data = EvaluationData::new(x.view(), &[0, 0])
            .model(&sum)
            .maps(maps.view());
        let irof = Irof::new().base_score_policy(policy);
        irof.evaluate_on(data.with(segments.clone()).layout(InputLayout::Tabular))
    };
    let error = evaluate(BaseScorePolicy::Error).unwrap_err().into_error();
    assert!(matches!(error.kind(), ErrorKind::UndefinedScore { .. }));
    assert_eq!(error.index(), [1]);
    assert_eq!(evaluate(BaseScorePolicy::Skip).unwrap().per_sample[1], None);
    assert!(evaluate(BaseScorePolicy::AsIs).unwrap().per_sample[1].is_some());
}
