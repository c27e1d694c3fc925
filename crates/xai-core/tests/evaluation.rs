//! Tables of explainers by metrics.

use xai_core::evaluation::{COMPARE_FEWER, EvaluationValues, MetricValues, Statistics};
use xai_core::reliability::EVALUATE_FEWER;
use xai_core::stop::{StopFlag, Stopped, stoppable};
use xai_core::{Direction, ErrorKind, input};

fn values(per_sample: Vec<Vec<f64>>) -> EvaluationValues {
    let some = |values: Vec<f64>| values.into_iter().map(Some).collect();
    let per_sample: Vec<Vec<_>> = per_sample.into_iter().map(some).collect();
    let metric = MetricValues::new("symmetric_relevance_gain", Direction::Higher, per_sample);
    EvaluationValues::new(["worst", "good", "middle"], 12, vec![metric])
}

/// Values of three explainers, of which one is best on every sample and the others alternate.
fn distinguishable() -> EvaluationValues {
    let of = |value: fn(f64) -> f64| (0..12).map(|i| value(f64::from(i))).collect();
    values(vec![
        of(|i| 0.5 + 0.01 * (i % 2.0)),
        of(|i| 0.9 + 0.001 * i),
        of(|i| 0.507 + 0.0001 * i),
    ])
}

#[test]
fn the_headline_shows_ranking_and_significance() {
    let table = distinguishable().table(&Statistics::default()).unwrap();
    let text = table.to_string();
    let headline = "symmetric_relevance_gain: good > middle ~ worst   (> at corrected p < 0.050, ~ may be chance)";
    assert_eq!(text.lines().next(), Some(headline), "{text}");
    let mut two = distinguishable();
    two.explainers.pop();
    two.metrics[0].per_sample.pop();
    let text = two.table(&Statistics::default()).unwrap().to_string();
    assert!(
        text.starts_with("symmetric_relevance_gain: good > worst "),
        "{text}"
    );
}

#[test]
fn values_of_the_wrong_shape_are_an_error() {
    let whole = distinguishable().metrics.remove(0).per_sample;
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
            wrong.clone().merge(distinguishable()).unwrap_err(),
            distinguishable().merge(wrong).unwrap_err(),
        ];
        for error in refused {
            assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { .. }));
            assert_eq!(error.input(), input::VALUES);
            let said = error.to_string();
            assert!(said.ends_with(shape), "{said}");
        }
    }
}

/// `n_metrics` metrics of `n_explainers` explainers on one sample.
fn many(n_metrics: usize, n_explainers: usize) -> EvaluationValues {
    let metric = |m: usize| {
        let values = (0..n_explainers).map(|e| vec![Some((m * e % 7) as f64)]);
        MetricValues::new(format!("metric {m}"), Direction::Higher, values.collect())
    };
    let names = (0..n_explainers).map(|e| format!("explainer {e}"));
    EvaluationValues::new(names, 1, (0..n_metrics).map(metric).collect())
}

#[test]
fn too_large_evaluations_fail_before_any_work() {
    let statistics = Statistics::default();
    let explainers = many(1, 10_000);
    let error = explainers.table(&statistics).unwrap_err();
    assert_eq!(
        (error.input(), error.help()),
        (input::EXPLAINERS, Some(COMPARE_FEWER))
    );
    let error = explainers.reliability(&statistics).unwrap_err();
    assert_eq!(
        (error.input(), error.help()),
        (input::EXPLAINERS, Some(EVALUATE_FEWER))
    );
    let metrics = many(10_000, 1);
    let error = metrics.reliability(&statistics).unwrap_err();
    assert_eq!(
        (error.input(), error.help()),
        (input::METRICS, Some(EVALUATE_FEWER))
    );
    let more = Statistics {
        replicates: 1_000_000,
        ..statistics
    };
    let error = many(10, 10).table(&more).unwrap_err();
    assert_eq!(
        (error.input(), error.help()),
        (input::N_REPLICATES, Some(COMPARE_FEWER))
    );
}

#[test]
fn pairs_of_many_metrics_can_be_stopped() {
    let values = many(1000, 2);
    let statistics = Statistics {
        replicates: 0,
        ..Statistics::default()
    };
    let flag = StopFlag::new();
    let raise = flag.clone();
    // The flag is raised while the work runs, or before it; either way the work does not end by itself.
    let stopped = std::thread::scope(|threads| {
        threads.spawn(move || raise.raise());
        stoppable(&flag, || {
            loop {
                values.reliability(&statistics).unwrap();
            }
        })
    });
    assert_eq!(stopped, Err::<(), _>(Stopped));
    let judged = values.reliability(&statistics).unwrap();
    assert_eq!(judged.pairs.len(), 1000 * 999 / 2);
    let pair = &judged.pairs[1000 - 1];
    assert_eq!((&*pair.first, &*pair.second), ("metric 1", "metric 2"));
}

#[test]
fn intervals_of_many_samples_have_the_width_of_the_normal_distribution() {
    // More samples than are drawn at once: they are drawn block by block.
    let n = 70_000;
    let column: Vec<Option<f64>> = (0..n).map(|i| Some(f64::from(i % 1001) / 1000.0)).collect();
    let metric = MetricValues::new("uniform", Direction::Higher, vec![column]);
    let values = EvaluationValues::new(["mine"], n as usize, vec![metric]);
    let table = values.table(&Statistics::default()).unwrap();
    let of = table.result("mine", "uniform").unwrap();
    let (mean, interval) = (of.value.unwrap(), of.interval.unwrap());
    let width = 2.0 * 1.96 * 0.2889 / f64::from(n).sqrt();
    assert!(
        ((interval.high - interval.low) / width - 1.0).abs() < 0.1,
        "{interval:?}"
    );
    assert!(interval.low < mean && mean < interval.high);
}
