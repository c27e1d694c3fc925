//! The examples that the documentation shows of every metric have the values that the metrics say: those of maps that
//! take a quadratic model for a linear one. The package for Python runs the same examples.

use ndarray::{Array2, Array3, ArrayD, ArrayViewD};
use xai_attribution::metric::{Entry, MetricInfo, registry};
use xai_attribution::model::Targets;
use xai_attribution::perturbation::Representation;
use xai_attribution::side::{Masks, ReferenceMaps, SecondMaps, Segments};
use xai_attribution::{Evaluate, EvaluationData};
use xai_core::InputLayout;

const TARGETS: [usize; 4] = [0, 1, 0, 1];

fn inputs(shape: &[usize]) -> ArrayD<f64> {
    let value = |k: usize| (k % 32 * 7 % 17) as f64 / if k < 32 { 16.0 } else { 32.0 };
    ArrayD::from_shape_vec(shape, (0..64).map(value).collect()).unwrap()
}

fn weight(position: usize, class: usize) -> f64 {
    ((2 * position + class) * 5 % 9) as f64 / 64.0
}

/// The rows of a batch, with one number made of each element, its position and its row.
fn mapped(batch: ArrayViewD<'_, f64>, value: impl Fn(f64, usize, usize) -> f64) -> ArrayD<f64> {
    let rows = batch.outer_iter().enumerate().flat_map(|(row, x)| {
        let values = x.iter().enumerate().map(|(p, &x)| value(x, p, row));
        values.collect::<Vec<_>>()
    });
    ArrayD::from_shape_vec(batch.shape(), rows.collect()).unwrap()
}

fn model(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let score = |class: usize| {
        let terms = mapped(batch.view(), |x, position, _| {
            x * x * weight(position, class)
        });
        let sums = terms.outer_iter().map(|terms| terms.sum());
        sums.collect::<Vec<_>>()
    };
    let scores = [score(0), score(1)];
    let n = batch.shape()[0];
    Ok(Array2::from_shape_fn((n, 2), |(row, class)| {
        scores[class][row]
    }))
}

fn explainer(
    batch: ArrayViewD<'_, f64>,
    targets: &Targets,
) -> Result<ArrayD<f64>, std::fmt::Error> {
    let Targets::Classes(classes) = targets else {
        return Err(std::fmt::Error);
    };
    let class = |row: usize| usize::try_from(classes[row]).unwrap();
    Ok(mapped(batch, |x, position, row| {
        x * weight(position, class(row))
    }))
}

fn value(entry: &Entry) -> f64 {
    let (shape, plane): (&[usize], _) = match entry.takes(InputLayout::Tabular) {
        true => (&[4, 16], (1, 16)),
        false => (&[4, 4, 4, 1], (4, 4)),
    };
    let x = inputs(shape);
    let maps = explainer(
        x.view(),
        &Targets::Classes(TARGETS.map(|t| t as i64).to_vec()),
    )
    .unwrap();
    let on_object = x.iter().map(|&x| x > 0.5).collect();
    let quadratic = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        let shape = (batch.shape()[0], 16);
        Ok(batch.mapv(|x| x * x).into_shape_with_order(shape).unwrap())
    };
    let segments =
        Array2::from_shape_fn(plane, |(row, column)| (row * plane.1 + column) as u32 / 4);
    let data = EvaluationData::new(x.view(), &TARGETS)
        .model(&model)
        .maps(maps.view())
        .explainer(&explainer)
        .layout(InputLayout::ChannelsLast)
        .with(Masks::new(
            Array3::from_shape_vec((4, plane.0, plane.1), on_object).unwrap(),
        ))
        .with(Segments::shared(segments, 4))
        .with(ReferenceMaps::new(x.clone()))
        .with(SecondMaps::from_maps(x.clone()))
        .with(Representation::from_fn(quadratic));
    // Classes do not say how many there are.
    let settings = match entry.has_param("n_classes") {
        true => vec![("n_classes".to_owned(), 2_usize.into())],
        false => Vec::new(),
    };
    let metric = entry.build::<f64>(&settings).unwrap();
    metric.evaluate_on(data).unwrap().value
}

#[test]
fn the_example_of_every_metric_has_its_value() {
    for entry in registry::metrics() {
        let expected = entry.info.example;
        assert_eq!(expected.is_some(), entry.is_built(), "{}", entry.info.name);
        if let Some(expected) = expected {
            let value = (value(entry) * 1e4).round() / 1e4;
            assert_eq!(value, expected, "{}", entry.info.name);
        }
    }
}

#[test]
fn every_metric_is_described() {
    for MetricInfo {
        name,
        summary,
        formula,
        extremes,
        limits,
        elsewhere,
        ..
    } in registry::metrics().iter().map(|entry| entry.info)
    {
        assert!(
            !formula.is_empty() && !summary.ends_with(['.', '?']),
            "{name}"
        );
        assert!(extremes.ends_with('.') && limits.ends_with('.'), "{name}");
        assert!(
            elsewhere.iter().all(|theirs| theirs.contains('.')),
            "{name}"
        );
    }
}
