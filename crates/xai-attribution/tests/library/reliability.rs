//! Metrics of an evaluation judged by their values.

use xai_attribution::input;
use xai_attribution::metric::Direction;
use xai_attribution::model::ModelCalls;
use xai_attribution::table::{EvaluationValues, MetricValues, Statistics};

/// Values of two explainers by four metrics, of which the last has no better end.
fn judged_values() -> EvaluationValues {
    let metric = |name: &str, direction, rows: [[Option<f64>; 4]; 2]| MetricValues {
        metric: name.into(),
        direction,
        is_share: false,
        is_whole: false,
        undefined: None,
        info: None,
        settings: Vec::new(),
        per_sample: rows.map(Vec::from).to_vec(),
        pooled: Vec::new(),
        curves: Vec::new(),
        tied: Vec::new(),
    };
    let rising = [[1.0, 2.0, 3.0, 4.0], [0.0, 5.0, 2.0, 3.0]].map(|row| row.map(Some));
    let falling = rising.map(|row| row.map(|x| x.map(|x: f64| -x)));
    let partial = [[Some(1.0), None, Some(3.0), None], rising[1]];
    EvaluationValues {
        n_samples: 4,
        explainers: vec!["one".into(), "other".into()],
        metrics: vec![
            metric("rising", Direction::Higher, rising),
            metric("falling", Direction::Lower, falling),
            metric("partial", Direction::Higher, partial),
            metric("neither", Direction::None, rising),
        ],
        model_calls: ModelCalls::default(),
        batch_size: None,
        assumed: Vec::new(),
        map_class_check: None,
    }
}

#[test]
fn metrics_are_judged_by_their_values_alone() {
    let values = judged_values();
    let statistics = Statistics {
        replicates: 50,
        ..Statistics::default()
    };
    let judged = values.reliability(&statistics).unwrap();
    assert_eq!(
        values.table(&statistics).unwrap().reliability().unwrap(),
        judged
    );
    let [rising, falling, partial, neither] = &judged.metrics[..] else {
        panic!("four metrics")
    };
    // The first explainer is ahead in three samples of four: rank sums 5 and 7 of 4 samples.
    assert_eq!(rising.kendall_w.value, Some(0.25));
    assert_eq!(rising.rank_stability.as_ref().unwrap().ranks, [1.5, 1.5]); // both means are 2.5
    assert_eq!(falling.kendall_w, rising.kendall_w);
    assert_eq!(falling.krippendorff_alpha, rising.krippendorff_alpha);
    assert_eq!(falling.rank_stability, rising.rank_stability);
    assert_eq!(
        (partial.kendall_w.n_samples, partial.kendall_w.n_undefined),
        (2, 2)
    );
    assert_eq!(neither.rank_stability, None);
    assert_eq!(neither.inter_method_reliability.value, Some(0.4)); // ranks 1 2 3 4 and 1 4 2 3
    assert_eq!(neither.internal_consistency, None);
    let pairs: Vec<(&str, &str)> = judged
        .pairs
        .iter()
        .map(|p| (&p.first[..], &p.second[..]))
        .collect();
    assert_eq!(
        pairs,
        [
            ("rising", "falling"),
            ("rising", "partial"),
            ("falling", "partial")
        ]
    );
    // A metric and its negative, whose better end is the other one, are one property.
    assert_eq!(
        judged.pairs[0].internal_consistency_reliability.value,
        Some(1.0)
    );
    assert_eq!(rising.internal_consistency, Some(1.0));
}

#[test]
fn without_replicates_no_ranking_is_drawn() {
    let none = Statistics {
        replicates: 0,
        ..Statistics::default()
    };
    let judged = judged_values().reliability(&none).unwrap();
    assert!(
        judged
            .metrics
            .iter()
            .all(|metric| metric.rank_stability.is_none())
    );
    let bad = Statistics { level: 1.0, ..none };
    assert_eq!(
        judged_values().reliability(&bad).unwrap_err().input(),
        input::LEVEL
    );
}
