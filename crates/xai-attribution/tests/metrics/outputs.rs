//! Laws of the metrics of outputs without the top features, and their edges.

use ndarray::{Array2, ArrayViewD, array};
use proptest::prelude::*;
use xai_attribution::metric::{
    Comprehensiveness, CountedOutputs, CrossEntropy, LogOdds, MaskedAccuracy, Measure, OutputMae,
    OutputMse, OutputScale, RationaleSufficiency,
};
use xai_attribution::perturbation::{Features, ShareRounding, TopRemoval};
use xai_attribution::side::Segments;
use xai_attribution::table::OUTPUT_KIND;
use xai_attribution::{Activation, Benchmark, Evaluate, EvaluationData, help, input};

/// Two logits: the sum, and the sum of every second element. Some of them could be probabilities.
fn model(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let sums = batch.outer_iter().flat_map(|x| {
        let every_second: f64 = x.iter().step_by(2).sum();
        [x.sum() / 4.0, every_second / 2.0 - 1.0]
    });
    Ok(Array2::from_shape_vec((batch.shape()[0], 2), sums.collect()).unwrap())
}

fn inputs_and_maps() -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
    (1usize..5, 2usize..12).prop_flat_map(|(n, d)| {
        let numbers = || prop::collection::vec((-8i32..9).prop_map(f64::from), n * d);
        let table = move |values| Array2::from_shape_vec((n, d), values).unwrap();
        (numbers().prop_map(table), numbers().prop_map(table))
    })
}

fn per_sample(metric: &dyn Measure<f64>, x: &Array2<f64>, maps: &Array2<f64>) -> Vec<Option<f64>> {
    let value = metric
        .batch_size(3)
        .evaluate(&model, x.view(), &vec![1; x.nrows()], maps.view());
    value.unwrap().per_sample
}

fn near(a: &[Option<f64>], b: impl Iterator<Item = f64>) -> bool {
    a.iter().zip(b).all(|(a, b)| (a.unwrap() - b).abs() < 1e-9)
}

proptest! {
    #[test]
    fn log_odds_are_the_drop_after_a_log_softmax((x, maps) in inputs_and_maps(), top in 0.05..1.0f64, keep in any::<bool>()) {
        let ours = per_sample(&LogOdds::new().answers(OutputScale::Logits).top(top).keep(keep), &x, &maps);
        let targets = vec![1; x.nrows()];
        let drops = match keep {
            false => Comprehensiveness::new().shares(&[top]).activation(Activation::LogSoftmax)
                .evaluate(&model, x.view(), &targets, maps.view()),
            true => RationaleSufficiency::new().shares(&[top]).activation(Activation::LogSoftmax)
                .evaluate(&model, x.view(), &targets, maps.view()),
        };
        let drops = drops.unwrap().per_sample;
        prop_assert!(near(&ours, drops.iter().map(|drop| -drop.unwrap())), "{ours:?} {drops:?}");
    }

    #[test]
    fn log_odds_equal_the_increase_of_cross_entropy((x, maps) in inputs_and_maps(), top in 0.05..1.0f64) {
        let ours = per_sample(&LogOdds::new().answers(OutputScale::Logits).top(top), &x, &maps);
        let without = per_sample(&CrossEntropy::new().answers(OutputScale::Logits).top(top), &x, &maps);
        let outputs = model(x.view().into_dyn()).unwrap();
        let whole = outputs.outer_iter().map(|row| {
            let mut outputs = row.to_vec();
            Activation::LogSoftmax.apply_row(&mut outputs);
            outputs[1]
        });
        let expected = whole.zip(&without).map(|(log_prob, without)| -log_prob - without.unwrap());
        prop_assert!(near(&ours, expected));
    }

    #[test]
    fn all_that_is_kept_changes_nothing((x, maps) in inputs_and_maps()) {
        let removal = TopRemoval { top: 1.0, keep: true, ..TopRemoval::default() };
        for metric in [
            &LogOdds::new().answers(OutputScale::Logits).removal(removal.clone()) as &dyn Measure<f64>,
            &OutputMae::new().removal(removal.clone()),
            &OutputMse::new().removal(removal),
        ] {
            prop_assert_eq!(per_sample(metric, &x, &maps), vec![Some(0.0); x.nrows()]);
        }
    }

    #[test]
    fn the_target_is_one_of_the_outputs((x, maps) in inputs_and_maps(), top in 0.05..1.0f64) {
        let of = |of: CountedOutputs| per_sample(&OutputMae::new().of(of).top(top), &x, &maps);
        for (target, all) in of(CountedOutputs::Target).into_iter().zip(of(CountedOutputs::All)) {
            prop_assert!(target <= all);
        }
    }
}

#[test]
fn shares_are_rounded_as_the_option_says() {
    let x = array![[8.0, 4.0, 2.0, 1.0]];
    let of = |top: f64, keep: bool, rounding: ShareRounding| {
        let removal = TopRemoval {
            top,
            keep,
            rounding,
            ..TopRemoval::default()
        };
        let metric = OutputMae::new().removal(removal).of(CountedOutputs::Target);
        let value = metric
            .evaluate(&model, x.view(), &[0], x.view())
            .unwrap()
            .value;
        4.0 * value
    };
    let (nearest, down) = (ShareRounding::Nearest, ShareRounding::Down);
    // A tenth of four is one, or none; 40 % of four are two, or one.
    assert_eq!((of(0.1, false, nearest), of(0.1, false, down)), (8.0, 0.0));
    assert_eq!((of(0.4, false, nearest), of(0.4, false, down)), (12.0, 8.0));
    // Removed are all but one, or 90 % of four; all but two, or 60 % of four.
    assert_eq!((of(0.1, true, nearest), of(0.1, true, down)), (7.0, 7.0));
    assert_eq!((of(0.4, true, nearest), of(0.4, true, down)), (3.0, 3.0));
}

#[test]
fn features_go_together() {
    let x = array![[1.0, 2.0, 3.0, 4.0]];
    let segments = Segments::new(array![[[0, 0, 1, 1]]]);
    let metric = OutputMae::new()
        .top(0.5)
        .features(Features::Segments)
        .of(CountedOutputs::Target);
    let data = EvaluationData::new(x.view(), &[0])
        .model(&model)
        .maps(x.view())
        .with(segments);
    assert_eq!(metric.evaluate_on(data).unwrap().value, (3.0 + 4.0) / 4.0);
}

#[test]
fn one_output_is_a_probability_by_the_sigmoid() {
    let first = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(Array2::from_shape_fn((batch.shape()[0], 1), |(row, _)| {
            batch[[row, 0]] - 1.0
        }))
    };
    let (x, maps) = (
        array![[3.0, 1.0], [0.5, 1.0]],
        array![[1.0, 0.0], [0.0, 1.0]],
    );
    let of = |metric: &dyn Measure<f64>| {
        metric
            .evaluate(&first, x.view(), &[0, 0], maps.view())
            .unwrap()
            .per_sample
    };
    let surprise = |logit: f64| (-logit).exp().ln_1p();
    let near = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-15;
    let entropy = of(&CrossEntropy::new().top(0.5));
    assert!(near(entropy[0], surprise(-1.0)) && near(entropy[1], surprise(-0.5)));
    assert_eq!(of(&MaskedAccuracy::new().top(0.5)), [Some(0.0), Some(0.0)]);
    assert_eq!(
        of(&MaskedAccuracy::new().top(0.5).threshold(Some(0.3))),
        [Some(0.0), Some(1.0)]
    );
}

#[test]
fn probabilities_are_read_as_such() {
    let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(batch.into_dimensionality().unwrap().to_owned())
    };
    let x = array![[0.75, 0.25], [0.5, 0.5]];
    let maps = array![[0.0, 1.0], [1.0, 0.0]];
    let metric = LogOdds::new().answers(OutputScale::Probabilities).top(0.5);
    let value = metric
        .evaluate(&model, x.view(), &[0, 0], maps.view())
        .unwrap();
    // A probability of 0 has no logarithm.
    assert_eq!(value.per_sample, [Some(0.0), None]);
    let error = metric
        .evaluate(&model, (&x * 2.0).view(), &[0, 0], maps.view())
        .unwrap_err()
        .into_error();
    assert_eq!(
        (error.input(), error.index()),
        (input::OUTPUTS, &[0, 0][..])
    );
    assert_eq!(error.help(), Some(help::ANSWERS_ARE_LOGITS));
}

/// A model that ends in its softmax, and one whose softmax the run applies, are one model.
#[test]
fn an_activation_may_be_of_the_model_or_of_the_run() {
    let (x, maps) = (
        array![[3.0, 0.0, 1.0], [0.5, 0.25, 0.25], [-4.0, 2.0, 2.5]],
        array![[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [0.0, 5.0, 1.0]],
    );
    for (activation, answers) in [
        (Activation::Softmax, OutputScale::Auto),
        (Activation::Softmax, OutputScale::Probabilities),
        (Activation::Sigmoid, OutputScale::Probabilities),
    ] {
        let logits = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
            Ok(batch.into_dimensionality().unwrap().to_owned())
        };
        let ending = |batch: ArrayViewD<'_, f64>| {
            logits(batch).map(|of| activation.apply(of.view()).unwrap())
        };
        let removal = TopRemoval {
            top: 0.4,
            ..TopRemoval::default()
        };
        for metric in [
            &LogOdds::new().answers(answers).removal(removal.clone()) as &dyn Measure<f64>,
            &CrossEntropy::new()
                .answers(answers)
                .removal(removal.clone()),
            &MaskedAccuracy::new()
                .answers(answers)
                .threshold(Some(0.3))
                .removal(removal.clone()),
            &OutputMae::new().removal(removal.clone()),
            &OutputMse::new()
                .of(CountedOutputs::Target)
                .removal(removal.clone()),
        ] {
            let of_model = metric.evaluate(&ending, x.view(), &[0, 1, 2], maps.view());
            let of_run = metric.activation(activation);
            let of_run = of_run.evaluate(&logits, x.view(), &[0, 1, 2], maps.view());
            let (of_model, of_run) = (of_model.unwrap(), of_run.unwrap());
            assert!(
                near(
                    &of_model.per_sample,
                    of_run.per_sample.iter().map(|it| it.unwrap())
                ),
                "{of_model:?} {of_run:?}"
            );
        }
    }
    // Logits that add to 1, of which one is above it, are logits.
    let x = array![[1.5, -0.5]];
    let identity = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(batch.into_dimensionality().unwrap().to_owned())
    };
    let of = |answers| {
        let metric = CrossEntropy::new().top(0.5).answers(answers);
        metric
            .evaluate(&identity, x.view(), &[0], x.view())
            .unwrap()
            .value
    };
    assert_eq!(of(OutputScale::Auto), of(OutputScale::Logits));
}

#[test]
fn targets_may_be_rows_of_weights() {
    let (x, rows) = (array![[1.0, 2.0]], array![[0.25, 0.75]]);
    let of = |metric: &dyn Measure<f64>| metric.evaluate(&model, x.view(), &rows, x.view());
    // Of the class that weighs most.
    let by_class = CrossEntropy::new()
        .evaluate(&model, x.view(), &[1], x.view())
        .unwrap();
    let by_weights = of(&CrossEntropy::new()).unwrap();
    assert_eq!(by_weights.per_sample, by_class.per_sample);
    // By the weights: the first output falls from 3/4 to 1/4, the second stays.
    let value = of(&OutputMae::new().of(CountedOutputs::Target).top(0.5))
        .unwrap()
        .value;
    assert_eq!(value, 0.25 * 0.5);
    let error = of(&OutputMae::new().top(0.0)).unwrap_err().into_error();
    assert_eq!(error.input().name(), "top");
}

/// The one output of two classes, for the target and against it.
#[test]
fn one_output_speaks_against_a_target_by_its_weight() {
    let first = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(Array2::from_shape_fn((batch.shape()[0], 1), |(row, _)| {
            batch[[row, 0]]
        }))
    };
    let (x, maps) = (
        array![[0.25, 9.0], [0.25, 9.0]],
        array![[0.0, 1.0], [0.0, 1.0]],
    );
    let rows = array![[1.0], [-1.0]];
    let probability = |answers: OutputScale| {
        let metric = CrossEntropy::new().top(0.5).answers(answers);
        let value = metric
            .evaluate(&first, x.view(), &rows, maps.view())
            .unwrap()
            .per_sample;
        [0, 1].map(|i| (-value[i].unwrap()).exp())
    };
    let [p, not_p] = probability(OutputScale::Probabilities);
    assert!((p - 0.25).abs() < 1e-15 && (not_p - 0.75).abs() < 1e-15);
    let [p, not_p] = probability(OutputScale::Logits);
    assert!((p - 1.0 / (1.0 + (-0.25_f64).exp())).abs() < 1e-15 && (p + not_p - 1.0).abs() < 1e-15);
}

/// Probabilities as models have them: of three classes, in half precision or rounded to three decimals. Of some
/// samples they add to 1 within 1e-4 and of others they do not, which must not decide how a sample is read.
#[test]
fn outputs_are_read_alike_for_all_samples_of_a_run() {
    let n = 40;
    let x = Array2::from_shape_fn((n, 4), |(i, j)| ((i * 31 + j * 17) % 29) as f64 / 7.0 - 2.0);
    let targets: Vec<i64> = (0..n as i64).map(|i| i % 3).collect();
    let logits = |batch: ArrayViewD<'_, f64>| -> Array2<f64> {
        let batch = batch.into_dimensionality::<ndarray::Ix2>().unwrap();
        Array2::from_shape_fn((batch.nrows(), 3), |(row, class)| {
            batch[[row, class]] - 0.5 * batch[[row, 3]]
        })
    };
    let three_decimals = |p: f64| (p * 1e3).round() / 1e3;
    let half = |p: f64| {
        let unit = 2f64.powi(p.log2().floor() as i32 - 10);
        (p / unit).round() * unit
    };
    let brain = |p: f64| {
        let unit = 2f64.powi(p.log2().floor() as i32 - 7);
        (p / unit).round() * unit
    };
    let rounded: [&dyn Fn(f64) -> f64; 4] = [&|p| p, &three_decimals, &half, &brain];
    for (precision, rounded) in rounded.into_iter().enumerate() {
        let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
            let probabilities = Activation::Softmax.apply(logits(batch).view()).unwrap();
            Ok(probabilities.mapv(rounded))
        };
        let metrics = |answers: OutputScale| -> Vec<Box<dyn Measure<f64>>> {
            vec![
                Box::new(LogOdds::new().answers(answers)),
                Box::new(CrossEntropy::new().answers(answers)),
                Box::new(MaskedAccuracy::new().answers(answers).threshold(Some(0.3))),
            ]
        };
        let table = |answers: OutputScale, size: usize| {
            let evaluation = Benchmark::new(&model, x.view(), &targets)
                .maps("a", x.view())
                .maps("b", -&x)
                .batch_size(size);
            let metrics = metrics(answers).into_iter();
            metrics
                .fold(evaluation, Benchmark::metric)
                .values()
                .unwrap()
        };
        let auto = table(OutputScale::Auto, n);
        let said = table(OutputScale::Probabilities, n);
        for (auto, said) in auto.metrics.iter().zip(&said.metrics) {
            assert_eq!(
                auto.per_sample, said.per_sample,
                "{} {precision}",
                auto.metric
            );
        }
        let about: Vec<&str> = auto
            .assumed
            .iter()
            .map(|remark| remark.about.as_str())
            .collect();
        assert_eq!(about, [OUTPUT_KIND]);
        assert!(
            auto.assumed[0].text.contains("probabilities"),
            "{}",
            auto.assumed[0]
        );
        assert_eq!(said.assumed, []);
        for size in [1, 7] {
            assert_eq!(
                table(OutputScale::Auto, size).metrics,
                auto.metrics,
                "{precision}"
            );
        }
        for metric in metrics(OutputScale::Auto) {
            let alone = metric
                .evaluate(&model, x.view(), &targets, x.view())
                .unwrap();
            assert_eq!(alone.assumed, auto.assumed);
        }
    }
}

/// One input whose outputs are no probabilities makes logits of all, whichever batch it is in.
#[test]
fn one_sample_decides_for_all_that_outputs_are_logits() {
    let identity = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(batch.into_dimensionality().unwrap().to_owned())
    };
    // The first two could be probabilities, also without their larger half.
    let x = array![[1.0, 0.0], [0.0, 1.0], [3.0, -1.0]];
    for size in [1, 2, 3] {
        let of = |answers: OutputScale| {
            let metric = LogOdds::new()
                .top(0.5)
                .baseline(1.0)
                .answers(answers)
                .batch_size(size);
            metric
                .evaluate(&identity, x.view(), &[0, 1, 0], x.view())
                .unwrap()
        };
        assert_eq!(
            of(OutputScale::Auto).per_sample,
            of(OutputScale::Logits).per_sample
        );
        let assumed = of(OutputScale::Auto).assumed;
        let text = &assumed
            .iter()
            .find(|it| it.about == OUTPUT_KIND)
            .unwrap()
            .text;
        assert_eq!(text, "outputs were read as logits: some are not in [0, 1]");
    }
}

/// Parts of a data set that were read differently are not one result.
#[test]
fn parts_whose_outputs_were_read_differently_do_not_join() {
    let identity = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(batch.into_dimensionality().unwrap().to_owned())
    };
    let part = |x: Array2<f64>, answers: OutputScale| {
        Benchmark::new(&identity, x.clone(), &vec![0i64; x.nrows()])
            .maps("a", x)
            .metric(CrossEntropy::new().top(0.5).baseline(0.5).answers(answers))
            .values()
            .unwrap()
    };
    let (like, unlike) = (array![[0.5, 0.5, 0.0]], array![[4.0, -2.0, 0.0]]);
    let mut said = part(like.clone(), OutputScale::Logits);
    said.merge(part(unlike.clone(), OutputScale::Logits))
        .unwrap();
    let mut first = part(like, OutputScale::Auto);
    let before = first.clone();
    let error = first.merge(part(unlike, OutputScale::Auto)).unwrap_err();
    assert_eq!((error.input(), first), (input::OUTPUTS, before));
    assert!(error.to_string().contains("answers"), "{error}");
}
