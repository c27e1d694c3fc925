//! The error table, row by row.

use std::ops::Range;

use ndarray::{Array2, ArrayD, ArrayViewD, CowArray, IxDyn, array};
use xai_attribution::{
    Activation, AverageDrop, AverageGain, BaseScorePolicy, Baseline, BoxError, Complexity,
    Concurrent, Deletion, Error, Evaluation, EvaluationError, Layout, Model, MuFidelity,
    SampleScores, Samples, complexity,
};

type Answer = Result<Array2<f64>, std::io::Error>;

fn first_two(batch: ArrayViewD<'_, f64>) -> Answer {
    Ok(Array2::from_shape_fn((batch.shape()[0], 2), |(i, j)| {
        batch[[i, j]]
    }))
}

fn message<T: std::fmt::Debug, E: std::fmt::Display + std::fmt::Debug>(
    result: Result<T, E>,
) -> String {
    result.unwrap_err().to_string()
}

fn ones(shape: &[usize]) -> ArrayD<f64> {
    ArrayD::from_elem(IxDyn(shape), 1.0)
}

fn drop_of(
    model: &dyn Fn(ArrayViewD<'_, f64>) -> Answer,
    x: &ArrayD<f64>,
    y: &[i64],
    e: &ArrayD<f64>,
) -> Result<SampleScores, EvaluationError> {
    let model = |batch: ArrayViewD<'_, f64>| model(batch);
    AverageDrop::new()
        .batch_size(2)
        .evaluate(&model, x.view(), y, e.view())
}

#[test]
fn arrays_that_do_not_fit_are_named() {
    let x = ones(&[3, 2]);
    let of = |x: &ArrayD<f64>, y: &[i64], e: &ArrayD<f64>| message(drop_of(&first_two, x, y, e));
    assert_eq!(of(&x, &[0], &x), "targets: expected shape (3), got (1)");
    assert!(of(&x, &[0; 3], &ones(&[2, 2])).starts_with("explanations: expected shape 3 samples"));
    assert!(of(&x, &[0; 3], &ones(&[3, 5])).starts_with("explanations: expected shape"));
    assert_eq!(
        of(&ones(&[0, 2]), &[], &ones(&[0, 2])),
        "inputs: nothing to measure, at least one is needed"
    );
    assert!(
        of(&ones(&[3]), &[0; 3], &ones(&[3])).starts_with("inputs: expected shape (n, features)")
    );
    let rows = array![[1.0, 0.0, 0.0]];
    let error = AverageDrop::new().evaluate(
        &first_two,
        ones(&[1, 2]).view(),
        &rows,
        ones(&[1, 2]).view(),
    );
    assert_eq!(message(error), "targets: expected shape (1, 2), got (1, 3)");
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut bad = ones(&[3, 2]);
    bad[[2, 1]] = f64::NAN;
    let x = ones(&[3, 2]);
    assert_eq!(
        message(drop_of(&first_two, &bad, &[0; 3], &x)),
        "inputs[2, 1]: not a finite number"
    );
    assert_eq!(
        message(drop_of(&first_two, &x, &[0; 3], &bad)),
        "explanations[2, 1]: not a finite number"
    );
    let nan = |batch: ArrayViewD<'_, f64>| Ok(Array2::from_elem((batch.shape()[0], 2), f64::NAN));
    assert_eq!(
        message(drop_of(&nan, &x, &[0; 3], &x)),
        "outputs of the model for batch 0 (samples 0..2)[0, 0]: not a finite number"
    );
}

#[test]
fn a_model_that_misbehaves_is_named_with_its_batch() {
    let x = ones(&[3, 2]);
    let short = |_: ArrayViewD<'_, f64>| Ok(Array2::ones((1, 2)));
    assert_eq!(
        message(drop_of(&short, &x, &[0; 3], &x)),
        "outputs of the model for batch 0 (samples 0..2): expected shape (2, 2), got (1, 2)"
    );
    let fails_late = |batch: ArrayViewD<'_, f64>| match batch.shape()[0] {
        2 => first_two(batch),
        _ => Err(std::io::Error::other("out of memory")),
    };
    let error = drop_of(&fails_late, &x, &[0; 3], &x).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model failed on batch 1 (samples 2..3): out of memory"
    );
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.downcast_ref::<std::io::Error>().is_some());
    assert_eq!(
        message(drop_of(&first_two, &x, &[0, 5, 0], &x)),
        "label 5 at index 1: expected 0..2"
    );
}

#[test]
fn a_base_score_that_cannot_be_divided_by_follows_the_policy() {
    let of = |policy| {
        AverageDrop::new()
            .base_score_policy(policy)
            .from_scores(&[0.5, -1.0], &[0.25, 2.0])
    };
    assert!(message(of(BaseScorePolicy::Error)).starts_with(
        "scores[1] = -1: Average Drop divides by the base score, which must be positive; apply"
    ));
    let skipped = of(BaseScorePolicy::Skip).unwrap();
    assert_eq!((skipped.per_sample[1], skipped.n_undefined), (None, 1));
    assert!((skipped.value - 0.5).abs() < 1e-7);
    let as_is = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::AsIs)
        .from_scores(&[-1.0], &[-4.0])
        .unwrap();
    assert!((as_is.value - -3.0).abs() < 1e-6);
    assert!(matches!(
        AverageGain::new().from_scores(&[1.5], &[0.0]),
        Err(Error::UndefinedScore { index: 0, .. })
    ));
    let all = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::Skip)
        .from_scores(&[-1.0], &[0.0]);
    assert!(matches!(all, Err(Error::Empty { .. })));
    // −1e-8 + ε is 0: no number even as it is.
    let zero = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::AsIs)
        .from_scores(&[-1e-8, 1.0], &[-1.0, 1.0])
        .unwrap();
    assert_eq!((zero.value, zero.n_undefined), (0.0, 1));
    assert!(matches!(
        AverageDrop::new().from_scores(&[1e308], &[-1e308]),
        Err(Error::UndefinedScore { .. })
    ));
}

#[test]
fn parameters_outside_their_domain_are_named() {
    let x = ones(&[2, 2]);
    let drop = AverageDrop::new()
        .batch_size(0)
        .evaluate(&first_two, x.view(), &[0, 0], x.view());
    assert_eq!(message(drop), "batch_size = 0: expected at least 1");
    let of = |d: Deletion| message(d.evaluate(&first_two, x.view(), &[0, 0], x.view()));
    assert!(of(Deletion::new().steps(Some(0))).starts_with("steps = 0: expected at least 1"));
    assert!(of(Deletion::new().steps(Some(usize::MAX))).contains("at most 16 777 216"));
    assert_eq!(
        of(Deletion::new().max_fraction(1.5)),
        "max_fraction = 1.5: expected a share in (0, 1]"
    );
    assert!(of(Deletion::new().max_fraction(0.1)).contains("at least one of 2 positions"));
    assert_eq!(
        of(Deletion::new().baseline(f64::NAN)),
        "baseline = NaN: expected a finite number"
    );
    let huge = ArrayD::from_elem(IxDyn(&[1, 1, 1, 3]), 1e308);
    assert!(message(complexity(huge.view(), Layout::ChannelsLast)).contains("scale the maps down"));
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
fn what_was_computed_before_the_third_batch_failed_is_kept() {
    let mut x = ArrayD::from_elem(IxDyn(&[10, 2]), 0.5);
    x[[5, 0]] = 7.0;
    // The map keeps the first element in the first explainer only.
    let mut maps = ones(&[10, 2]);
    maps.index_axis_mut(ndarray::Axis(1), 1).fill(0.0);
    let other = maps.mapv(|v| 1.0 - v);
    for (how, message) in [
        (
            "error",
            "the model failed on batch 2 (samples 4..6): out of memory",
        ),
        (
            "rows",
            "outputs of the model for batch 2 (samples 4..6): expected shape (2, 2), got (1, 2)",
        ),
        (
            "nan",
            "outputs of the model for batch 2 (samples 4..6)[5, 0]: not a finite number",
        ),
    ] {
        let model = misbehaves(how);
        let concurrent = Concurrent(&model);
        let models: [&dyn Model<f64>; 2] = [&model, &concurrent];
        for model in models {
            let stopped = Evaluation::new(model, x.view(), &[0; 10])
                .batch_size(2)
                .explainer("first", maps.view())
                .explainer("other", other.view())
                .metric(Complexity)
                .metric(AverageDrop::default())
                .run()
                .unwrap_err();
            assert_eq!(
                stopped.to_string(),
                format!("average_drop of `first`: {message}")
            );
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
            // As an `Error` it is the reason alone.
            let error: Error = stopped.into();
            assert_eq!(error.to_string(), message);
        }
    }
}

#[test]
fn a_curve_that_stops_tells_the_step_and_keeps_the_areas_before_it() {
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
    assert_eq!(
        stopped.to_string(),
        "the model failed on batch 2 (samples 4..6), deletion with [1] positions flipped: out of memory"
    );
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
    assert!(
        fidelity
            .to_string()
            .starts_with("the model failed on batch 2 (samples 4..6), without random subsets: "),
        "{fidelity}"
    );
}

#[test]
fn evaluations_that_cannot_be_are_named() {
    let x = ones(&[3, 2]);
    let y = [0; 3];
    let new = || Evaluation::new(&first_two, x.view(), &y);
    let of = |e: Evaluation<'_, f64, _>| message(e.run());
    let one = || {
        new()
            .explainer("a", x.view())
            .metric(AverageDrop::default())
    };
    assert_eq!(
        of(new().metric(Complexity)),
        "explainers: nothing to measure, at least one is needed"
    );
    assert_eq!(
        of(new().explainer("a", x.view())),
        "metrics: nothing to measure, at least one is needed"
    );
    assert!(
        of(one().explainer("a", x.view()))
            .starts_with("explainer = a: expected names that occur once")
    );
    assert!(of(one().metric(AverageDrop::default())).starts_with("metric = average_drop: "));
    assert_eq!(
        of(one().level(1.0)),
        "level = 1: expected a coverage in (0, 1)"
    );
    assert!(
        of(one().metric(Deletion::new().activation(Activation::Softmax))).starts_with(
            "activation of deletion = Softmax: expected that of the evaluation, which all metrics share"
        )
    );
    let softmax = one().activation(Activation::Softmax);
    assert!(
        softmax
            .metric(Deletion::new().activation(Activation::Softmax))
            .run()
            .is_ok()
    );
    assert!(
        of(one().metric(Deletion::new().batch_size(9))).starts_with("batch_size of deletion = 9")
    );
    assert_eq!(
        of(one().explainer("b", ones(&[3, 4]).view())),
        "`b`: explanations: expected shape a sample each like (1, 2), got (3, 4)"
    );
    let mut bad = ones(&[3, 2]);
    bad[[2, 1]] = f64::INFINITY;
    assert_eq!(
        of(one().explainer("b", bad.view())),
        "`b`: explanations[2, 1]: not a finite number"
    );
    let rows = array![[1.0, 0.0], [f64::NAN, 0.0], [0.0, 1.0]];
    let targets = Evaluation::new(&first_two, x.view(), &rows)
        .explainer("a", x.view())
        .metric(Complexity);
    assert_eq!(message(targets.run()), "targets[1, 0]: not a finite number");
    // The sample is named by its place among all, not in its batch.
    let mut x = ones(&[7, 2]);
    x[[5, 0]] = -1.0;
    let negative = Evaluation::new(&first_two, x.view(), &[0; 7])
        .batch_size(2)
        .explainer("a", x.view())
        .metric(AverageDrop::default());
    assert!(message(negative.run()).starts_with("average_drop of `a`: scores[5] = -1: "));
}

#[test]
fn baselines_and_subsets_outside_their_domain_are_named() {
    let image = ones(&[2, 3, 3, 2]);
    let table = ones(&[2, 4]);
    let deletion = |x: &ArrayD<f64>, baseline: Baseline| {
        let deletion = Deletion::new().baseline(baseline);
        message(deletion.evaluate(&first, x.view(), &[0, 0], x.view()))
    };
    assert_eq!(
        deletion(&image, vec![0.5].into()),
        "baseline = 1 numbers: expected 2, one a channel"
    );
    assert_eq!(
        deletion(&table, vec![0.5, f64::NAN, 0.0, 0.0].into()),
        "baseline = NaN: expected finite numbers"
    );
    assert!(deletion(&image, Baseline::Blur { sigma: 0.0 }).starts_with("baseline: sigma = 0: "));
    assert!(deletion(&table, Baseline::Blur { sigma: 1.0 }).contains("have no neighbours"));
    assert_eq!(
        deletion(&image, Baseline::input(ones(&[3, 3]))),
        "baseline: expected shape (3, 3, 2), got (3, 3)"
    );
    assert_eq!(
        deletion(&image, Baseline::from_fn(|_| ArrayD::zeros(IxDyn(&[1])))),
        "baseline of sample 0: expected shape (3, 3, 2), got (1)"
    );
    let nan = Baseline::from_fn(|x| x.mapv(|_| f64::NAN));
    assert_eq!(
        deletion(&image, nan),
        "baseline of sample 0[0, 0, 0]: not a finite number"
    );

    let fidelity = |f: MuFidelity| message(f.evaluate(&first, image.view(), &[0, 0], image.view()));
    assert_eq!(
        fidelity(MuFidelity::new().grid(Some(0))),
        "grid = 0: expected at least 1 cell"
    );
    assert_eq!(
        fidelity(MuFidelity::new().grid(Some(1))),
        "grid = 1: expected a grid of at least 2 cells"
    );
    assert_eq!(
        fidelity(MuFidelity::new().fraction(1.0)),
        "fraction = 1: expected a share in (0, 1)"
    );
    assert!(
        fidelity(MuFidelity::new().n_subsets(1)).starts_with("n_subsets = 1: expected at least 2")
    );
    // Attributions that are all equal order nothing.
    assert_eq!(
        fidelity(MuFidelity::new()),
        "samples with a defined score: nothing to measure, at least one is needed"
    );
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
    assert_eq!(stopped.to_string(), "inputs[2..4]: the disk is gone");
    assert_eq!(stopped.completed()[0].per_sample[..2], [Some(1.0); 2]);
    assert_eq!(
        of(1, ones(&[4, 2])).to_string(),
        "inputs: expected shape (1, 2), got (1, 1)"
    );
}
