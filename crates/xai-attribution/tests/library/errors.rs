//! The error table, row by row: what an error is about, where, and which way out it names.

use std::convert::Infallible;
use std::ops::Range;

use ndarray::{Array2, ArrayD, ArrayViewD, CowArray, IxDyn, array};
use xai_attribution::metric::{
    AverageDrop, AverageGain, AverageStability, BaseScorePolicy, Complexity, Deletion, MetricValue,
    MuFidelity, PointingGame, complexity,
};
use xai_attribution::model::{BoxError, Concurrent, Images, Model, Samples, Scoring, Targets};
use xai_attribution::perturbation::{Baseline, Features, SubsetSize};
use xai_attribution::scores::{base_scores, masked_scores};
use xai_attribution::{
    Benchmark, Evaluate, EvaluationData, EvaluationError, InputLayout, help, input,
};
use xai_core::{Error, ErrorKind, Input};

type Answer = Result<Array2<f64>, std::io::Error>;

fn first_two(batch: ArrayViewD<'_, f64>) -> Answer {
    Ok(Array2::from_shape_fn((batch.shape()[0], 2), |(i, j)| {
        batch[[i, j]]
    }))
}

fn ones(shape: &[usize]) -> ArrayD<f64> {
    ArrayD::from_elem(IxDyn(shape), 1.0)
}

/// The reason, whatever was computed until then.
fn reason<T: std::fmt::Debug, E: Into<Error>>(result: Result<T, E>) -> Error {
    match result {
        Ok(value) => panic!("{value:?}"),
        Err(error) => error.into(),
    }
}

fn drop_of(
    model: &dyn Fn(ArrayViewD<'_, f64>) -> Answer,
    x: &ArrayD<f64>,
    y: &[i64],
    e: &ArrayD<f64>,
) -> Result<MetricValue, EvaluationError> {
    let model = |batch: ArrayViewD<'_, f64>| model(batch);
    AverageDrop::new()
        .batch_size(2)
        .evaluate(&model, x.view(), y, e.view())
}

macro_rules! assert_error {
    ($error:expr, $input:expr, $kind:pat $(if $guard:expr)?) => {
        let error = $error;
        assert_eq!(error.input(), $input, "{error}");
        assert!(matches!(error.kind(), $kind $(if $guard)?), "{error:?}");
    };
}

fn is_parameter(error: &Error, about: Input) -> bool {
    error.input() == about && matches!(error.kind(), ErrorKind::InvalidParameter { .. })
}

#[test]
fn arrays_that_do_not_fit_are_named() {
    let x = ones(&[3, 2]);
    let of = |x: &ArrayD<f64>, y: &[i64], e: &ArrayD<f64>| reason(drop_of(&first_two, x, y, e));
    let mismatch = |error: Error, about: Input, shape: &[usize]| {
        assert_error!(error, about, ErrorKind::ShapeMismatch { actual, .. } if actual == shape);
    };
    mismatch(of(&x, &[0], &x), input::TARGETS, &[1]);
    mismatch(
        of(&x, &[0; 3], &ones(&[2, 2])),
        input::EXPLANATIONS,
        &[2, 2],
    );
    mismatch(
        of(&x, &[0; 3], &ones(&[3, 5])),
        input::EXPLANATIONS,
        &[3, 5],
    );
    let empty = of(&ones(&[0, 2]), &[], &ones(&[0, 2]));
    assert_error!(empty, input::INPUTS, ErrorKind::Empty);
    mismatch(of(&ones(&[3]), &[0; 3], &ones(&[3])), input::INPUTS, &[3]);
    let rows = array![[1.0, 0.0, 0.0]];
    let one = ones(&[1, 2]);
    let error = AverageDrop::new().evaluate(&first_two, one.view(), &rows, one.view());
    mismatch(reason(error), input::TARGETS, &[1, 3]);
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut bad = ones(&[3, 2]);
    bad[[2, 1]] = f64::NAN;
    let x = ones(&[3, 2]);
    let nan = |batch: ArrayViewD<'_, f64>| Ok(Array2::from_elem((batch.shape()[0], 2), f64::NAN));
    for (error, about, index) in [
        (
            drop_of(&first_two, &bad, &[0; 3], &x),
            input::INPUTS,
            [2, 1],
        ),
        (
            drop_of(&first_two, &x, &[0; 3], &bad),
            input::EXPLANATIONS,
            [2, 1],
        ),
        (drop_of(&nan, &x, &[0; 3], &x), input::OUTPUTS, [0, 0]),
    ] {
        let error = reason(error);
        assert_eq!(error.index(), index);
        assert_error!(error, about, ErrorKind::NonFinite);
    }
}

#[test]
fn a_model_that_misbehaves_is_named_with_its_batch() {
    let x = ones(&[3, 2]);
    let short = |_: ArrayViewD<'_, f64>| Ok(Array2::ones((1, 2)));
    let error = reason(drop_of(&short, &x, &[0; 3], &x));
    assert_error!(error, input::OUTPUTS, ErrorKind::ShapeMismatch { actual, .. } if *actual == [1, 2]);
    let fails_late = |batch: ArrayViewD<'_, f64>| match batch.shape()[0] {
        2 => first_two(batch),
        _ => Err(std::io::Error::other("out of memory")),
    };
    let error = drop_of(&fails_late, &x, &[0; 3], &x).unwrap_err();
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.downcast_ref::<std::io::Error>().is_some());
    let error = error.into_error();
    assert_error!(error, input::MODEL, ErrorKind::Model { .. });
    let error = reason(drop_of(&first_two, &x, &[0, 5, 0], &x));
    assert_eq!(error.index(), [1]);
    assert_error!(
        error,
        input::TARGETS,
        ErrorKind::LabelOutOfRange {
            label: 5,
            n_classes: 2
        }
    );
}

#[test]
fn a_base_score_that_cannot_be_divided_by_follows_the_policy() {
    let of = |policy| {
        AverageDrop::new()
            .base_score_policy(policy)
            .evaluate_scores(&[0.5, -1.0], &[0.25, 2.0])
    };
    let error = of(BaseScorePolicy::Error).unwrap_err();
    assert_eq!(error.index(), [1]);
    assert_eq!(error.help(), Some(help::CHOOSE_ACTIVATION_OR_POLICY));
    assert_error!(error, input::SCORES, ErrorKind::UndefinedScore { value, .. } if *value == -1.0);
    let skipped = of(BaseScorePolicy::Skip).unwrap();
    assert_eq!((skipped.per_sample[1], skipped.n_undefined), (None, 1));
    assert!((skipped.value - 0.5).abs() < 1e-7);
    let as_is = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::AsIs)
        .evaluate_scores(&[-1.0], &[-4.0])
        .unwrap();
    assert!((as_is.value - -3.0).abs() < 1e-6);
    let gain = AverageGain::new()
        .evaluate_scores(&[1.5], &[0.0])
        .unwrap_err();
    assert_eq!(gain.index(), [0]);
    assert_error!(gain, input::SCORES, ErrorKind::UndefinedScore { .. });
    let all = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::Skip)
        .evaluate_scores(&[-1.0], &[0.0]);
    assert_error!(all.unwrap_err(), input::VALUES, ErrorKind::Empty);
    // −1e-8 + ε is 0: no number even as it is.
    let zero = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::AsIs)
        .evaluate_scores(&[-1e-8, 1.0], &[-1.0, 1.0])
        .unwrap();
    assert_eq!((zero.value, zero.n_undefined), (0.0, 1));
    let beyond = AverageDrop::new()
        .evaluate_scores(&[1e308], &[-1e308])
        .unwrap_err();
    assert_eq!(beyond.help(), None);
    assert_error!(beyond, input::SCORES, ErrorKind::UndefinedScore { .. });
}

#[test]
fn parameters_outside_their_domain_are_named() {
    let x = ones(&[2, 2]);
    let none = AverageDrop::new()
        .batch_size(0)
        .evaluate(&first_two, x.view(), &[0, 0], x.view());
    assert!(is_parameter(&reason(none), input::BATCH_SIZE));
    let of = |d: Deletion| reason(d.evaluate(&first_two, x.view(), &[0, 0], x.view()));
    for steps in [0, usize::MAX] {
        assert!(is_parameter(
            &of(Deletion::new().steps(Some(steps))),
            input::STEPS
        ));
    }
    for fraction in [1.5, 0.1] {
        let error = of(Deletion::new().max_fraction(fraction));
        assert!(is_parameter(&error, input::MAX_FRACTION));
    }
    assert!(is_parameter(
        &of(Deletion::new().baseline(f64::NAN)),
        input::BASELINE
    ));
    let huge = ArrayD::from_elem(IxDyn(&[1, 1, 1, 3]), 1e308);
    let error = complexity(huge.view(), InputLayout::ChannelsLast).unwrap_err();
    assert_eq!(error.help(), Some(help::SCALE_MAPS_DOWN));
    // A number that single precision cannot hold, found before the model is called.
    let never = |_: ArrayViewD<'_, f32>| -> Answer { unreachable!() };
    let x = x.mapv(|v| v as f32);
    let error = Deletion::new()
        .baseline(1e300)
        .evaluate(&never, x.view(), &[0, 0], x.view());
    assert!(is_parameter(&reason(error), input::BASELINE));
}

#[test]
fn an_input_that_a_metric_needs_is_missed_before_anything_is_computed() {
    let x = ones(&[2, 2]);
    let data = || EvaluationData::new(x.view(), &[0, 0]);
    let missing = |error: Error, about: Input| {
        assert_eq!(error.help(), Some(help::GIVE_INPUT));
        assert_error!(error, about, ErrorKind::Missing);
    };
    missing(
        reason(AverageDrop::new().evaluate_on(data().maps(x.view()))),
        input::MODEL,
    );
    missing(
        reason(AverageDrop::new().evaluate_on(data().model(&first_two))),
        input::EXPLANATIONS,
    );
    missing(
        reason(AverageStability::new().evaluate_on(data().maps(x.view()))),
        input::EXPLAINER,
    );
    let never = |_: ArrayViewD<'_, f64>| -> Answer { unreachable!() };
    let stopped = Benchmark::new(&never, x.view(), &[0, 0])
        .maps("a", x.view())
        .metric(Deletion::new())
        .metric(AverageStability::new())
        .evaluate()
        .unwrap_err();
    assert_eq!(stopped.metric(), Some("average_stability"));
    missing(stopped.into_error(), input::EXPLAINER);
    // An explainer stands for maps, and for nothing else.
    let explainer = |x: ArrayViewD<'_, f64>, _: &Targets| Ok::<_, Infallible>(x.to_owned());
    let stopped = Benchmark::new(&never, x.view(), &[0, 0])
        .explainer("b", &explainer)
        .metric(PointingGame::new())
        .evaluate()
        .unwrap_err();
    missing(stopped.into_error(), input::MASKS);
    // Maps alone are enough for what needs nothing else.
    let maps = ArrayD::from_shape_vec(vec![1, 4], vec![1.0, 1.0, 1.0, 1.0]).unwrap();
    let alone = Complexity
        .evaluate_on(EvaluationData::from_maps(maps.view()))
        .unwrap();
    assert_eq!(
        alone,
        complexity(maps.view(), InputLayout::Tabular).unwrap()
    );
}

/// Maps are all there is: nothing is wrong with inputs that nobody handed in.
#[test]
fn errors_of_maps_alone_are_about_the_maps() {
    let of =
        |maps: &ArrayD<f64>| reason(Complexity.evaluate_on(EvaluationData::from_maps(maps.view())));
    let mut bad = ones(&[3, 2]);
    bad[[2, 1]] = f64::NAN;
    let error = of(&bad);
    assert_eq!(error.index(), [2, 1]);
    assert_error!(error, input::EXPLANATIONS, ErrorKind::NonFinite);
    assert_error!(of(&ones(&[0, 2])), input::EXPLANATIONS, ErrorKind::Empty);
    assert_error!(
        of(&ones(&[3])),
        input::EXPLANATIONS,
        ErrorKind::ShapeMismatch { actual, .. } if *actual == [3]
    );
}

/// A model that fails in its own way on the sample whose first element is 7.
fn misbehaves(how: &'static str) -> impl Fn(ArrayViewD<'_, f64>) -> Answer {
    move |batch| {
        let mut answer = first_two(batch.view())?;
        if batch.outer_iter().any(|x| x[0] == 7.0) {
            match how {
                "error" => return Err(std::io::Error::other("out of memory")),
                "rows" => answer = Array2::ones((1, 2)),
                _ => answer[[1, 0]] = f64::NAN,
            }
        }
        Ok(answer)
    }
}

#[test]
fn results_of_batches_before_a_failure_are_kept() {
    let mut x = ArrayD::from_elem(IxDyn(&[10, 2]), 0.5);
    x[[5, 0]] = 7.0;
    // The map keeps the first element in the first explainer only.
    let mut maps = ones(&[10, 2]);
    maps.index_axis_mut(ndarray::Axis(1), 1).fill(0.0);
    let other = maps.mapv(|v| 1.0 - v);
    for how in ["error", "rows", "nan"] {
        let model = misbehaves(how);
        let concurrent = Concurrent(&model);
        let models: [&dyn Model<f64>; 2] = [&model, &concurrent];
        for model in models {
            let stopped = Benchmark::new(model, x.view(), &[0; 10])
                .batch_size(2)
                .maps("first", maps.view())
                .maps("other", other.view())
                .metric(Complexity)
                .metric(AverageDrop::default())
                .evaluate()
                .unwrap_err();
            assert_eq!(
                (stopped.explainer(), stopped.metric()),
                (Some("first"), Some("average_drop"))
            );
            let of = |explainer: Option<&str>, score: &str| {
                let found = stopped
                    .completed()
                    .iter()
                    .find(|c| c.explainer.as_deref() == explainer && c.score == score);
                found.map(|c| c.per_sample.clone()).unwrap()
            };
            for (explainer, score, expected) in [
                (None, "base", 0.5),
                (Some("first"), "masked", 0.5 / (1.0 + 1e-8)),
                (Some("other"), "masked", 0.0),
                (Some("first"), "average_drop", 0.0),
                (Some("other"), "average_drop", 1.0),
            ] {
                let scores = of(explainer, score);
                assert_eq!(scores.len(), 10);
                for score in &scores[..4] {
                    assert!(
                        (score.unwrap() - expected).abs() < 1e-7,
                        "{explainer:?} {score:?}"
                    );
                }
                assert_eq!(scores[4..6], [None, None]);
            }
            // The maps of the failing batch were judged by what needs no model.
            assert!(
                of(Some("first"), "complexity")[..6]
                    .iter()
                    .all(Option::is_some)
            );
            let error: Error = stopped.into();
            match how {
                "error" => {
                    assert_error!(error, input::MODEL, ErrorKind::Model { .. });
                }
                "rows" => {
                    assert_error!(error, input::OUTPUTS, ErrorKind::ShapeMismatch { .. });
                }
                _ => {
                    assert_eq!(error.index(), [5, 0]);
                    assert_error!(error, input::OUTPUTS, ErrorKind::NonFinite);
                }
            }
        }
    }
}

#[test]
fn a_curve_that_stops_keeps_the_areas_before_it() {
    let mut x = ArrayD::from_elem(IxDyn(&[6, 3]), 0.5);
    x[[5, 0]] = 7.0;
    let model = |batch: ArrayViewD<'_, f64>| {
        // Whole inputs are fine; sample 5 without its last element is not.
        if batch.outer_iter().any(|x| x[0] == 7.0 && x[2] == 0.0) {
            return Err(std::io::Error::other("out of memory"));
        }
        first_two(batch)
    };
    let maps = ArrayD::from_shape_fn(IxDyn(&[6, 3]), |i| i[1] as f64);
    let stopped = Deletion::new()
        .steps(None)
        .batch_size(2)
        .evaluate(&model, x.view(), &[0; 6], maps.view())
        .unwrap_err();
    assert_error!(stopped.error(), input::MODEL, ErrorKind::Model { .. });
    let areas = stopped
        .completed()
        .iter()
        .find(|c| c.score == "deletion")
        .unwrap();
    assert_eq!(areas.per_sample.iter().flatten().count(), 4);
    let base = stopped
        .completed()
        .iter()
        .find(|c| c.score == "base")
        .unwrap();
    assert_eq!(base.per_sample[..4], [Some(0.5); 4]);
    let fidelity = MuFidelity::new()
        .n_subsets(20)
        .batch_size(2)
        .evaluate(&model, x.view(), &[0; 6], maps.view())
        .unwrap_err();
    assert_error!(fidelity.error(), input::MODEL, ErrorKind::Model { .. });
}

#[test]
fn evaluations_that_cannot_be_are_named() {
    let x = ones(&[3, 2]);
    let y = [0; 3];
    let new = || Benchmark::new(&first_two, x.view(), &y);
    let of = |e: Benchmark<'_, f64>| reason(e.evaluate());
    let one = || new().maps("a", x.view()).metric(AverageDrop::default());
    assert_error!(
        of(new().metric(Complexity)),
        input::EXPLAINERS,
        ErrorKind::Empty
    );
    assert_error!(
        of(new().maps("a", x.view())),
        input::METRICS,
        ErrorKind::Empty
    );
    assert!(is_parameter(
        &of(one().maps("a", x.view())),
        input::EXPLAINERS
    ));
    let twice = of(one().metric(AverageDrop::default()));
    assert_eq!(twice.help(), Some(help::RENAME_METRIC));
    assert!(is_parameter(&twice, input::METRICS));
    assert!(is_parameter(&of(one().level(1.0)), input::LEVEL));
    assert!(is_parameter(
        &of(one().replicates(2_000_000)),
        input::N_REPLICATES
    ));
    let stopped = one()
        .maps("b", ones(&[3, 4]).view())
        .evaluate()
        .unwrap_err();
    assert_eq!((stopped.explainer(), stopped.metric()), (Some("b"), None));
    assert_error!(
        stopped.error(),
        input::EXPLANATIONS,
        ErrorKind::ShapeMismatch { actual, .. } if *actual == [3, 4]
    );
    let mut bad = ones(&[3, 2]);
    bad[[2, 1]] = f64::INFINITY;
    let stopped = one().maps("b", bad.view()).evaluate().unwrap_err();
    assert_eq!(stopped.explainer(), Some("b"));
    assert_eq!(stopped.error().index(), [2, 1]);
    assert_error!(stopped.error(), input::EXPLANATIONS, ErrorKind::NonFinite);
    let rows = array![[1.0, 0.0], [f64::NAN, 0.0], [0.0, 1.0]];
    let targets = Benchmark::new(&first_two, x.view(), &rows)
        .maps("a", x.view())
        .metric(Complexity);
    let error = of(targets);
    assert_eq!(error.index(), [1, 0]);
    assert_error!(error, input::TARGETS, ErrorKind::NonFinite);
    // The sample is named by its place among all, not in its batch.
    let mut x = ones(&[7, 2]);
    x[[5, 0]] = -1.0;
    let stopped = Benchmark::new(&first_two, x.view(), &[0; 7])
        .batch_size(2)
        .maps("a", x.view())
        .metric(AverageDrop::default())
        .evaluate()
        .unwrap_err();
    assert_eq!(stopped.metric(), Some("average_drop"));
    assert_eq!(stopped.error().index(), [5]);
    assert_error!(
        stopped.error(),
        input::SCORES,
        ErrorKind::UndefinedScore { .. }
    );
}

#[test]
fn baselines_and_subsets_outside_their_domain_are_named() {
    let image = ones(&[2, 3, 3, 2]);
    let table = ones(&[2, 4]);
    let deletion = |x: &ArrayD<f64>, baseline: Baseline| {
        let deletion = Deletion::new()
            .baseline(baseline)
            .layout(InputLayout::ChannelsLast);
        reason(deletion.evaluate(&first, x.view(), &[0, 0], x.view()))
    };
    for (x, baseline, about) in [
        (&image, vec![0.5].into(), input::BASELINE),
        (
            &table,
            vec![0.5, f64::NAN, 0.0, 0.0].into(),
            input::BASELINE,
        ),
        (&image, Baseline::Blur { sigma: 0.0 }, input::BASELINE),
        (&table, Baseline::Blur { sigma: 1.0 }, input::BASELINE),
    ] {
        assert!(is_parameter(&deletion(x, baseline), about));
    }
    for (baseline, actual) in [
        (Baseline::input(ones(&[3, 3])), &[3, 3][..]),
        (Baseline::from_fn(|_| ArrayD::zeros(IxDyn(&[1]))), &[1]),
    ] {
        let error = deletion(&image, baseline);
        assert_error!(
            error,
            input::BASELINE,
            ErrorKind::ShapeMismatch { actual: shape, .. } if shape == actual
        );
    }
    let nan = deletion(&image, Baseline::from_fn(|x| x.mapv(|_| f64::NAN)));
    assert_eq!(nan.owner_name(), Some("sample 0"));
    assert_eq!(nan.index(), [0, 0, 0]);
    assert_error!(nan, input::BASELINE, ErrorKind::NonFinite);

    let fidelity = |f: MuFidelity| {
        let f = f.layout(InputLayout::ChannelsLast);
        reason(f.evaluate(&first, image.view(), &[0, 0], image.view()))
    };
    for (metric, about) in [
        (
            MuFidelity::new().features(Features::Grid(0)),
            input::FEATURES,
        ),
        (
            MuFidelity::new().features(Features::Grid(1)),
            input::FEATURES,
        ),
        (
            MuFidelity::new().subset_size(SubsetSize::Fraction(1.0)),
            input::SUBSET_SIZE,
        ),
        (MuFidelity::new().n_subsets(1), Input::new("n_subsets")),
    ] {
        assert!(is_parameter(&fidelity(metric), about));
    }
    // Attributions that are all equal order nothing.
    assert_error!(fidelity(MuFidelity::new()), input::VALUES, ErrorKind::Empty);
}

/// One output: the first element.
fn first(batch: ArrayViewD<'_, f64>) -> Answer {
    let n = batch.shape()[0];
    Ok(Array2::from_shape_vec(
        (n, 1),
        batch.outer_iter().map(|x| *x.first().unwrap()).collect(),
    )
    .unwrap())
}

#[test]
fn samples_that_cannot_be_read_are_named() {
    struct Broken;
    impl Samples<f64> for Broken {
        fn shape(&self) -> &[usize] {
            &[4, 2]
        }
        fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f64, IxDyn>, BoxError> {
            match samples.start {
                0 => Ok(ones(&[samples.len(), 2]).into()),
                2 => Err("the disk is gone".into()),
                _ => Ok(ones(&[1, 1]).into()),
            }
        }
    }
    let of = |batch_size, maps: ArrayD<f64>| {
        let drop = AverageDrop::new().batch_size(batch_size);
        drop.evaluate(&first_two, Broken, &[0; 4], maps.view())
            .unwrap_err()
    };
    let stopped = of(2, ones(&[4, 2]));
    assert_error!(stopped.error(), input::INPUTS, ErrorKind::Io { .. });
    assert_eq!(stopped.completed()[0].per_sample[..2], [Some(1.0); 2]);
    let stopped = of(1, ones(&[4, 2]));
    assert_error!(
        stopped.error(),
        input::INPUTS,
        ErrorKind::ShapeMismatch { actual, .. } if *actual == [1, 1]
    );
}

#[test]
fn an_array_with_other_elements_than_the_input_has_is_refused_before_a_run() {
    use xai_attribution::InputArray;
    let masks = InputArray::Integers(ArrayD::from_elem(IxDyn(&[1, 1, 2]), 1));
    let orders = InputArray::Numbers(ones(&[1, 2]));
    let subsets = InputArray::Booleans(ArrayD::from_elem(IxDyn(&[1, 1, 2]), true));
    for (which, array, message) in [
        (
            input::MASKS,
            masks,
            "masks = integers: expected booleans or numbers from 0 to 1",
        ),
        (input::ORDERS, orders, "orders = numbers: expected integers"),
        (
            input::SUBSETS,
            subsets,
            "subsets = booleans: expected integers",
        ),
    ] {
        let maps = ones(&[1, 2]);
        let error = reason(
            EvaluationData::from_maps(maps.view())
                .with_array(which, array)
                .map(|_| ()),
        );
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn masks_of_tables_may_have_two_axes() {
    use xai_attribution::InputArray;
    use xai_attribution::metric::PointingGame;
    let maps = array![[0.1, 0.9], [0.7, 0.2]];
    let masks = InputArray::Booleans(array![[false, true], [false, true]].into_dyn());
    let data = EvaluationData::from_maps(maps.view()).with_array(input::MASKS, masks);
    let hits = PointingGame::new().evaluate_on(data.unwrap()).unwrap();
    assert_eq!(hits.per_sample, [Some(1.0), Some(0.0)]);
}

#[test]
fn images_need_a_layout_in_every_kind_of_run() {
    let (x, maps) = (ones(&[2, 2, 3, 3]), ones(&[2, 3, 3]));
    let explainer = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, Infallible> {
        Ok(x.to_owned())
    };
    let data = || EvaluationData::new(x.view(), &[0, 0]).explainer(&explainer);
    let scoring = Scoring::default();
    let errors = [
        reason(Deletion::new().evaluate(&first, x.view(), &[0, 0], maps.view())),
        reason(AverageStability::new().evaluate_on(data())),
        reason(Complexity::new().evaluate_on(EvaluationData::from_maps(x.view()))),
        reason(masked_scores(
            &first,
            x.view(),
            &[0, 0],
            maps.view(),
            &scoring,
        )),
        reason(
            Benchmark::new(&first, x.view(), &[0, 0])
                .maps("maps", maps.view())
                .metric(Deletion::new())
                .evaluate(),
        ),
    ];
    for error in errors {
        assert!(is_parameter(&error, input::LAYOUT), "{error}");
        assert_eq!(error.help(), Some(help::CHOOSE_LAYOUT));
        let text = error.to_string();
        assert!(text.contains("channels-first") && text.contains("channels-last"));
    }
    // Scores of unchanged images, and inputs with fewer axes, need none.
    assert!(base_scores(&first, x.view(), &[0, 0], &scoring).is_ok());
    assert!(
        Complexity::new()
            .evaluate_on(EvaluationData::from_maps(maps.view()))
            .is_ok()
    );
}

#[test]
fn images_may_know_their_layout() {
    let x = ArrayD::from_shape_fn(IxDyn(&[2, 3, 4, 4]), |i| {
        (i[1] + 2 * i[2] + i[3] * i[0]) as f64
    });
    let deletion = Deletion::new().steps(Some(4));
    let (y, images) = ([0, 0], || Images::channels_first(x.view()));
    let known = deletion.evaluate(&first, images(), &y, images());
    let set = deletion.clone().layout(InputLayout::ChannelsFirst);
    let plain = set.evaluate(&first, x.view(), &y, x.view());
    assert_eq!(known.unwrap(), plain.unwrap());
    let other = deletion.clone().layout(InputLayout::ChannelsLast);
    let last = Images::channels_last(x.view());
    for error in [
        reason(other.evaluate(&first, images(), &y, x.view())),
        reason(deletion.evaluate(&first, images(), &y, last)),
    ] {
        assert!(is_parameter(&error, input::LAYOUT), "{error}");
    }
}

#[test]
fn one_row_of_segments_stands_for_all_samples_of_a_table() {
    use xai_attribution::InputArray;
    use xai_attribution::metric::Irof;
    let inputs = array![[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]];
    let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        let sums = batch
            .sum_axis(ndarray::Axis(1))
            .insert_axis(ndarray::Axis(1));
        Ok(sums.into_dimensionality().unwrap())
    };
    let value = |rows: ndarray::Array2<i64>| {
        let segments = InputArray::Integers(rows.into_dyn());
        let data = EvaluationData::new(inputs.view(), &[0, 0]);
        let data = data.model(&sum).maps(inputs.view());
        let data = data.with_array(input::SEGMENTS, segments).unwrap();
        Irof::new().evaluate_on(data).unwrap().per_sample
    };
    assert_eq!(
        value(array![[0, 0, 1]]),
        value(array![[0, 0, 1], [0, 0, 1]])
    );
}

#[test]
fn maps_of_swapped_sizes_look_transposed() {
    let model = |batch: ArrayViewD<'_, f64>| -> Answer { Ok(Array2::ones((batch.shape()[0], 1))) };
    let help_for = |shape: &[usize]| {
        let inputs = ones(&[5, 4, 6]);
        let result = Deletion::new().evaluate(&model, inputs.view(), &[0; 5], ones(shape).view());
        reason(result).help()
    };
    assert_eq!(
        help_for(&[6, 4, 5]),
        Some(xai_core::error::LOOKS_TRANSPOSED)
    );
    // One sample less, and as many positions as samples.
    assert_ne!(
        help_for(&[4, 4, 5]),
        Some(xai_core::error::LOOKS_TRANSPOSED)
    );
}
