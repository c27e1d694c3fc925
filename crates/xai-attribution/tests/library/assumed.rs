//! What results say that they assumed, and what of it can be said.

use ndarray::{Array1, Array2, ArrayD, ArrayViewD, Axis, Ix2, array};
use xai_attribution::metric::{
    AverageDrop, Complexity, Consistency, Deletion, EfficientRandomization, FaithfulnessEstimate,
    FeatureAgreement, LogOdds, Measure, SignAgreement,
};
use xai_attribution::model::{Scoring, Targets};
use xai_attribution::scores::{base_scores, masked_scores};
use xai_attribution::side::{ReferenceMaps, SecondMaps};
use xai_attribution::table::Remark;
use xai_attribution::{Activation, Benchmark, Evaluate, EvaluationData, input};

/// Features of `n` samples, spread over both classes.
fn features(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 3), |(i, j)| ((i * 37 + j * 11) % 23) as f64 / 5.0 - 2.0)
}

/// The margin of class 1: a sum of the features by weights.
const WEIGHTS: [f64; 3] = [2.0, -1.0, 0.5];

/// A model of two classes that answers the margin for each of them.
fn margins(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let batch = batch.into_dimensionality::<Ix2>().unwrap();
    let margin = batch.dot(&Array1::from(WEIGHTS.to_vec()));
    let mut outputs = Array2::zeros((margin.len(), 2));
    outputs.column_mut(0).assign(&-&margin);
    outputs.column_mut(1).assign(&margin);
    Ok(outputs)
}

/// The same as one output, whose sign is the class.
fn margin(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    Ok(margins(batch)?.slice(ndarray::s![.., 1..]).to_owned())
}

/// Maps that all explain class 1, and the predicted classes.
fn maps_of_class_one(x: &Array2<f64>) -> (Array2<f64>, Vec<i64>) {
    let maps = x * &Array1::from(WEIGHTS.to_vec());
    let classes = maps
        .sum_axis(Axis(1))
        .mapv(|margin| i64::from(margin > 0.0));
    (maps, classes.to_vec())
}

/// The maps towards the targets.
fn maps_of_targets(maps: &Array2<f64>, classes: &[i64]) -> Array2<f64> {
    let mut maps = maps.clone();
    for (mut map, &class) in maps.outer_iter_mut().zip(classes) {
        if class == 0 {
            map.mapv_inplace(|value| -value);
        }
    }
    maps
}

fn abouts(remarks: &[Remark]) -> Vec<&str> {
    remarks.iter().map(|remark| remark.about.as_str()).collect()
}

#[test]
fn results_report_the_assumed_class_of_plain_maps() {
    let x = features(12);
    let (maps, classes) = maps_of_class_one(&x);
    let one = Deletion::new().evaluate(&margins, x.view(), &classes, maps.view());
    assert_eq!(abouts(&one.unwrap().assumed), ["explained_class"]);
    let scores = masked_scores(
        &margins,
        x.view(),
        &classes,
        maps.view(),
        &Scoring::default(),
    );
    assert_eq!(abouts(&scores.unwrap().assumed), ["explained_class"]);
    let table = Benchmark::new(&margins, x.view(), &classes)
        .maps("a", maps.view())
        .metric(Deletion::new())
        .evaluate()
        .unwrap();
    assert_eq!(abouts(&table.assumed), ["explained_class"]);
    let printed = table.to_string();
    let line =
        "assumed explained_class: the maps were taken to explain the class of each sample's target";
    assert!(printed.lines().any(|found| found == line), "{printed}");
    // One output whose sign is the class is a model of two classes, too.
    let signs = Array2::from_shape_fn((12, 1), |(i, _)| if classes[i] == 1 { 1.0 } else { -1.0 });
    let of_one = Deletion::new().evaluate(&margin, x.view(), &signs, maps.view());
    assert_eq!(abouts(&of_one.unwrap().assumed), ["explained_class"]);
}

#[test]
fn nothing_is_said_of_classes_where_nothing_was_assumed() {
    let x = features(12);
    let (maps, classes) = maps_of_class_one(&x);
    let said = Deletion::new().explained_class(1);
    let said = said
        .evaluate(&margins, x.view(), &classes, maps.view())
        .unwrap();
    assert_eq!(said.assumed, []);
    let identity = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(batch.into_dimensionality().unwrap().to_owned())
    };
    let three = Deletion::new()
        .evaluate(&identity, x.view(), &classes, maps.view())
        .unwrap();
    assert_eq!(three.assumed, []);
    let regression = Deletion::new();
    let regression = regression.evaluate(
        &margin,
        x.view(),
        &Array2::<f64>::ones((12, 1)),
        maps.view(),
    );
    assert_eq!(regression.unwrap().assumed, []);
    // An explainer is told the targets.
    let explainer = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
        Ok(x.to_owned())
    };
    let data = EvaluationData::new(x.view(), &classes)
        .model(&margins)
        .explainer(&explainer);
    assert_eq!(Deletion::new().evaluate_on(data).unwrap().assumed, []);
    // No model, no classes.
    let alone = Complexity::new()
        .evaluate_on(EvaluationData::from_maps(maps.view()))
        .unwrap();
    assert_eq!(alone.assumed, []);
}

/// Saying that all maps are of class 1 is to negate those of samples whose target is class 0: for metrics of the
/// model, of maps and other maps, and of all samples together, in any batches.
#[test]
fn the_explained_class_turns_maps_towards_their_targets() {
    let x = features(15);
    let (of_one, classes) = maps_of_class_one(&x);
    let of_targets = maps_of_targets(&of_one, &classes);
    let of_zero = of_one.mapv(|value| -value);
    let seconds = (
        features(15) - 0.3,
        maps_of_targets(&(features(15) - 0.3), &classes),
    );
    let reference = Array2::from_shape_vec((1, 3), WEIGHTS.to_vec()).unwrap();
    let references = Array2::from_shape_fn((15, 3), |(_, j)| WEIGHTS[j]);
    let metrics: [&dyn Measure<f64>; 6] = [
        &Deletion::new(),
        &FaithfulnessEstimate::new(),
        &Consistency::new(),
        &EfficientRandomization::new(),
        &FeatureAgreement::new(),
        &SignAgreement::new(),
    ];
    let value =
        |metric: &dyn Measure<f64>, maps: &Array2<f64>, class: Option<usize>, size: usize| {
            let (second, reference) = match class {
                None => (
                    seconds.1.clone(),
                    ReferenceMaps::new(maps_of_targets(&references, &classes)),
                ),
                Some(1) => (seconds.0.clone(), ReferenceMaps::new(reference.clone())),
                _ => (-&seconds.0, ReferenceMaps::new(-&references)),
            };
            let data = EvaluationData::new(x.view(), &classes)
                .model(&margins)
                .maps(maps.view())
                .with(SecondMaps::from_maps(second))
                .with(reference)
                .scoring(Scoring {
                    explained_class: class,
                    ..Scoring::default()
                })
                .batch_size(size);
            metric.evaluate_on(data).unwrap().per_sample
        };
    let deletion: &dyn Measure<f64> = &Deletion::new();
    assert_ne!(
        value(deletion, &of_one, None, 15),
        value(deletion, &of_one, Some(1), 15)
    );
    for metric in metrics {
        let expected = value(metric, &of_targets, None, 15);
        for size in [1, 4, 15] {
            assert_eq!(
                value(metric, &of_one, Some(1), size),
                expected,
                "{}",
                metric.info().name
            );
            assert_eq!(
                value(metric, &of_zero, Some(0), size),
                expected,
                "{}",
                metric.info().name
            );
        }
    }
}

#[test]
fn maps_that_fall_where_scores_rise_are_warned_about() {
    let x = features(60);
    let (of_one, classes) = maps_of_class_one(&x);
    let of_targets = maps_of_targets(&of_one, &classes);
    let evaluation = |size: usize, class: Option<usize>| {
        Benchmark::new(&margins, x.view(), &classes)
            .maps("class one", of_one.view())
            .maps("targets", of_targets.view())
            .maps("unsigned", of_one.mapv(f64::abs))
            .metric(Deletion::new())
            .scoring(Scoring {
                explained_class: class,
                batch_size: Some(size),
                ..Scoring::default()
            })
            .evaluate()
            .unwrap()
    };
    let table = evaluation(60, None);
    assert_eq!(abouts(&table.warnings), ["maps of `class one`"]);
    assert!(table.warnings[0].text.contains("set explained_class"));
    assert!(
        table
            .to_string()
            .contains("\nwarning: maps of `class one`: ")
    );
    assert_eq!(evaluation(7, None).warnings, table.warnings);
    assert_eq!(
        abouts(&evaluation(60, Some(1)).warnings),
        ["maps of `targets`"]
    );
    let few = Deletion::new().evaluate(
        &margins,
        x.slice(ndarray::s![..5, ..]),
        &classes[..5],
        of_one.slice(ndarray::s![..5, ..]),
    );
    assert_eq!(few.unwrap().warnings, []);
    // Seven samples of class 0.
    let seven = Deletion::new().evaluate(
        &margins,
        x.slice(ndarray::s![..12, ..]),
        &classes[..12],
        of_one.slice(ndarray::s![..12, ..]),
    );
    assert_eq!(abouts(&seven.unwrap().warnings), ["maps of `explanations`"]);
    let scores = masked_scores(
        &margins,
        x.view(),
        &classes,
        of_one.view(),
        &Scoring::default(),
    );
    assert_eq!(
        abouts(&scores.unwrap().warnings),
        ["maps of `explanations`"]
    );
}

/// Parts of a data set remark what the whole does.
#[test]
fn remarks_of_parts_are_those_of_the_whole() {
    let x = features(60);
    let (maps, classes) = maps_of_class_one(&x);
    let part = |range: std::ops::Range<usize>| {
        let slice = ndarray::s![range.clone(), ..];
        Benchmark::new(&margins, x.slice(slice), &classes[range])
            .maps("a", maps.slice(slice))
            .metric(Deletion::new())
            .values()
            .unwrap()
    };
    let mut joined = part(0..10);
    joined.merge(part(10..45)).unwrap();
    joined.merge(part(45..60)).unwrap();
    let whole = part(0..60);
    assert_eq!(joined.assumed, whole.assumed);
    assert_eq!(joined.map_class_check, whole.map_class_check);
}

#[test]
fn an_explained_class_needs_two_classes() {
    let x = features(6);
    let (maps, classes) = maps_of_class_one(&x);
    let error = |class: usize, targets: &[i64]| {
        let metric = Deletion::new().explained_class(class);
        metric
            .evaluate(&margins, x.view(), targets, maps.view())
            .unwrap_err()
            .into_error()
    };
    assert_eq!(error(2, &classes).input(), input::EXPLAINED_CLASS);
    assert_eq!(
        error(1, &[0, 1, 2, 0, 1, 2]).input(),
        input::EXPLAINED_CLASS
    );
    let identity = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(batch.into_dimensionality().unwrap().to_owned())
    };
    let metric = Deletion::new().explained_class(1);
    let three = metric
        .evaluate(&identity, x.view(), &classes, maps.view())
        .unwrap_err();
    assert_eq!(three.error().input(), input::EXPLAINED_CLASS);
}

/// The softmax of one output is 1 whatever the output is.
#[test]
fn a_softmax_of_one_output_is_refused() {
    let x = array![[1.0, 2.0], [3.0, -1.0]];
    let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        let sums = batch.sum_axis(Axis(1)).insert_axis(Axis(1));
        Ok(sums.into_dimensionality().unwrap())
    };
    for activation in [Activation::Softmax, Activation::LogSoftmax] {
        let scoring = Scoring {
            activation,
            ..Scoring::default()
        };
        let metrics: [&dyn Measure<f64>; 3] =
            [&AverageDrop::new(), &Deletion::new(), &LogOdds::new()];
        for metric in metrics {
            let data = EvaluationData::new(x.view(), &[0, 0])
                .model(&sum)
                .maps(x.view())
                .scoring(scoring);
            let error = metric.evaluate_on(data).unwrap_err().into_error();
            assert_eq!(error.input(), input::ACTIVATION, "{}", metric.info().name);
            assert!(error.to_string().contains("sigmoid"), "{error}");
        }
        let error = base_scores(&sum, x.view(), &[0, 0], &scoring).unwrap_err();
        assert_eq!(error.error().input(), input::ACTIVATION);
    }
    let sigmoid = Deletion::new().activation(Activation::Sigmoid);
    assert!(sigmoid.evaluate(&sum, x.view(), &[0, 0], x.view()).is_ok());
}
