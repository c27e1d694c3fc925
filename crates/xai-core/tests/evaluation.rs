//! Tables of explainers by metrics.

use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
use xai_core::{Direction, ErrorKind, input};

fn values(per_sample: Vec<Vec<f64>>) -> EvaluationValues {
    let some = |values: Vec<f64>| values.into_iter().map(Some).collect();
    let per_sample: Vec<Vec<_>> = per_sample.into_iter().map(some).collect();
    let metric = MetricValues::new("symmetric_relevance_gain", Direction::Higher, per_sample);
    EvaluationValues::new(["worst", "good", "middle"], 12, vec![metric])
}

/// One explainer is better on every sample; the two others are by turns.
fn told_apart() -> EvaluationValues {
    let of = |value: fn(f64) -> f64| (0..12).map(|i| value(f64::from(i))).collect();
    values(vec![
        of(|i| 0.5 + 0.01 * (i % 2.0)),
        of(|i| 0.9 + 0.001 * i),
        of(|i| 0.507 + 0.0001 * i),
    ])
}

#[test]
fn the_headline_ranks_explainers_and_says_which_are_told_apart() {
    let table = told_apart().table(&Statistics::default()).unwrap();
    let text = table.to_string();
    let headline = "symmetric_relevance_gain: good > middle ~ worst   (> at corrected p < 0.050, ~ may be chance)";
    assert_eq!(text.lines().next(), Some(headline), "{text}");
    let mut two = told_apart();
    two.explainers.pop();
    two.metrics[0].per_sample.pop();
    let text = two.table(&Statistics::default()).unwrap().to_string();
    assert!(
        text.starts_with("symmetric_relevance_gain: good > worst "),
        "{text}"
    );
}

#[test]
fn values_that_are_not_one_for_each_explainer_and_sample_are_refused() {
    let whole = told_apart().metrics.remove(0).per_sample;
    let numbers = |rows: &[Vec<Option<f64>>]| -> Vec<Vec<f64>> {
        rows.iter()
            .map(|row| row.iter().flatten().copied().collect())
            .collect()
    };
    let mut short = numbers(&whole);
    short[1].pop();
    for (wrong, shape) in [(short, "(3, 11)"), (numbers(&whole[..2]), "(2, 12)")] {
        let wrong = values(wrong);
        let refused = [
            wrong.table(&Statistics::default()).unwrap_err(),
            wrong.clone().merge(told_apart()).unwrap_err(),
            told_apart().merge(wrong).unwrap_err(),
        ];
        for error in refused {
            assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { .. }));
            assert_eq!(error.input(), input::VALUES);
            let said = error.to_string();
            assert!(said.ends_with(shape), "{said}");
        }
    }
}
