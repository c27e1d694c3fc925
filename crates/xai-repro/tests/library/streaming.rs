//! Samples in blocks give what samples at once give.

use ndarray::{Array2, Axis, array};
use proptest::prelude::*;
use xai_repro::metrics::PAIR_METRICS;
use xai_repro::pairwise::StreamedReproducibility;
use xai_repro::{
    Accumulator, Agreement, EmptyUnion, Error, ErrorKind, PairMetric, Pairwise,
    PairwiseAccumulator, PairwiseReproducibility, input,
};

fn same(streamed: &StreamedReproducibility, at_once: &PairwiseReproducibility) {
    for metric in PAIR_METRICS.iter().copied() {
        assert_eq!(streamed.pairs(metric), at_once.pairs(metric), "{metric}");
        assert_eq!(
            streamed.summary(metric),
            at_once.summary(metric),
            "{metric}"
        );
        assert_eq!(
            streamed.interval(metric, 0.9).unwrap(),
            at_once.interval(metric, 0.9).unwrap()
        );
    }
    let errors = at_once.errors();
    assert_eq!(streamed.accuracy, errors.accuracy());
    assert_eq!(
        (streamed.n_always_wrong, streamed.n_ever_wrong),
        errors.n_always_and_ever_wrong()
    );
    assert_eq!(
        streamed.n_always_wrong as usize,
        errors.always_wrong().len()
    );
    assert_eq!(
        streamed.leave_one_out_consistency,
        errors.leave_one_out_consistency()
    );
}

fn part(
    predictions: &Array2<i64>,
    labels: &[i64],
    samples: &[usize],
) -> Result<PairwiseAccumulator, Error> {
    let mut state = PairwiseAccumulator::default();
    let labels: Vec<i64> = samples.iter().map(|&sample| labels[sample]).collect();
    state.update_labels(predictions.select(Axis(1), samples).view(), &labels)?;
    Ok(state)
}

proptest! {
    #[test]
    fn blocks_in_any_order_equal_all_samples_at_once(
        ((k, values), places, far) in (2usize..5).prop_flat_map(|k| {
            (1usize..130).prop_flat_map(move |n| (
                (Just(k), prop::collection::vec(0i64..6, (k + 1) * n)),
                prop::collection::vec(0usize..4, n),
                any::<bool>(),
            ))
        })
    ) {
        // Labels near each other or far apart.
        let label = |class: i64| if far { class * 1_000_003 - 7 } else { class };
        let n = places.len();
        let labels: Vec<i64> = values[k * n..].iter().map(|&c| label(c)).collect();
        let values = values[..k * n].iter().map(|&c| label(c)).collect();
        let predictions = Array2::from_shape_vec((k, n), values).unwrap();
        let at_once = Pairwise::new().evaluate(predictions.view(), &labels).unwrap();
        let parts: Vec<PairwiseAccumulator> = (0..4).map(|place| {
            let samples: Vec<usize> = (0..n).filter(|&i| places[i] == place).collect();
            part(&predictions, &labels, &samples).unwrap()
        }).collect();
        let merged = |order: [usize; 4]| {
            let mut all = PairwiseAccumulator::default();
            for i in order {
                all.merge(parts[i].clone()).unwrap();
            }
            all
        };
        let all = merged([0, 1, 2, 3]);
        same(&all.finish().unwrap(), &at_once);
        prop_assert_eq!(&merged([3, 1, 0, 2]), &all);
        let everything: Vec<usize> = (0..n).collect();
        prop_assert_eq!(&part(&predictions, &labels, &everything).unwrap(), &all);
        let agreement = all.finish().unwrap().agreement.unwrap();
        prop_assert_eq!(agreement, Agreement::new(predictions.view()).unwrap());
    }
}

#[test]
fn golden_cases_in_blocks_are_those_at_once() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../golden/repro.json")).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let row = |values: &serde_json::Value| -> Vec<i64> {
            let values = values.as_array().unwrap().iter();
            values.map(|x| x.as_i64().unwrap()).collect()
        };
        let rows: Vec<Vec<i64>> = case["predictions"]
            .as_array()
            .unwrap()
            .iter()
            .map(row)
            .collect();
        let labels = row(&case["labels"]);
        let predictions =
            Array2::from_shape_vec((rows.len(), labels.len()), rows.concat()).unwrap();
        let at_once = Pairwise::new()
            .evaluate(predictions.view(), &labels)
            .unwrap();
        let mut state = PairwiseAccumulator::default();
        for start in (0..labels.len()).step_by(7) {
            let end = (start + 7).min(labels.len());
            let block = predictions.slice_axis(Axis(1), (start..end).into());
            state
                .update((block, ndarray::aview1(&labels[start..end])))
                .unwrap();
        }
        same(&state.finish().unwrap(), &at_once);
        for metric in PAIR_METRICS.iter().copied() {
            let alone = state.finish_metric(metric).unwrap();
            assert_eq!(alone.pairs(metric), at_once.pairs(metric), "{metric}");
            assert_eq!(alone.accuracy, at_once.errors().accuracy());
        }
    }
}

#[test]
fn a_state_evaluates_only_its_metrics() {
    let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
    let pairwise = Pairwise::new()
        .metrics(&[PairMetric::EC_LOCAL])
        .empty_union(EmptyUnion::Zero);
    let mut state = PairwiseAccumulator::new(&pairwise).unwrap();
    state
        .update_labels(predictions.view(), &[0, 1, 1, 0])
        .unwrap();
    let result = state.finish().unwrap();
    assert_eq!(result.pairs(PairMetric::EC_LOCAL).len(), 3);
    assert!(result.pairs(PairMetric::PA_ACC).is_empty());
    assert_eq!((result.agreement, result.n_samples), (None, 4));
    let error = state.finish_metric(PairMetric::PA_ACC).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
    let empty = PairwiseAccumulator::default();
    assert!(empty.finish_metric(PairMetric::EC_LOCAL).is_err());
}

#[test]
fn states_that_do_not_belong_together_are_refused() {
    let predictions = array![[0, 1], [1, 1]];
    let mut state = PairwiseAccumulator::default();
    let empty = state.finish().unwrap_err();
    assert_eq!(empty.input(), input::SAMPLES);
    assert!(matches!(empty.kind(), ErrorKind::Empty));
    state.update_labels(predictions.view(), &[0, 1]).unwrap();
    let before = state.clone();
    let three = array![[0, 1], [1, 1], [1, 0]];
    let runs = state.update_labels(three.view(), &[0, 1]).unwrap_err();
    assert_eq!(runs.input(), input::PREDICTIONS);
    assert!(matches!(runs.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [3, 2]));
    let labels = state.update_labels(predictions.view(), &[0]).unwrap_err();
    assert_eq!(labels.input(), input::LABELS);
    assert!(matches!(labels.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [1]));
    let mut merge = |options: Pairwise| {
        let other = PairwiseAccumulator::new(&options).unwrap();
        state.merge(other).unwrap_err()
    };
    let other = merge(Pairwise::new().metrics(&[PairMetric::PA_ACC]));
    assert_eq!(other.input(), input::METRICS);
    assert!(matches!(other.kind(), ErrorKind::InvalidParameter { .. }));
    let other = merge(Pairwise::new().empty_union(EmptyUnion::One));
    assert_eq!(other.input(), input::EMPTY_UNION);
    assert!(matches!(other.kind(), ErrorKind::InvalidParameter { .. }));
    let mut other = PairwiseAccumulator::default();
    other.update_labels(three.view(), &[0, 1]).unwrap();
    let runs = state.merge(other).unwrap_err();
    assert_eq!(runs.input(), input::RUNS);
    assert!(matches!(runs.kind(), ErrorKind::ShapeMismatch { .. }));
    assert_eq!(state, before);
    state
        .update_labels(Array2::<i64>::zeros((2, 0)).view(), &[0i64; 0])
        .unwrap();
    assert_eq!(state, before);
}

#[cfg(feature = "serde")]
mod stored {
    use super::*;

    #[test]
    fn a_stored_state_goes_on() {
        let predictions = array![[0, 1, 0, 70_000], [0, 0, 0, 0], [0, 1, 1, 1]];
        let labels = [0, 1, 1, 0];
        let mut state = PairwiseAccumulator::default();
        let blocks = |range: std::ops::Range<usize>| predictions.slice_axis(Axis(1), range.into());
        state.update_labels(blocks(0..2), &labels[..2]).unwrap();
        let text = serde_json::to_string(&state).unwrap();
        let mut read: PairwiseAccumulator = serde_json::from_str(&text).unwrap();
        assert_eq!(read, state);
        read.update_labels(blocks(2..4), &labels[2..]).unwrap();
        let at_once = Pairwise::new()
            .evaluate(predictions.view(), &labels)
            .unwrap();
        same(&read.finish().unwrap(), &at_once);
        let empty = serde_json::to_string(&PairwiseAccumulator::default()).unwrap();
        let empty: PairwiseAccumulator = serde_json::from_str(&empty).unwrap();
        assert_eq!(empty, PairwiseAccumulator::default());
    }

    #[test]
    fn counts_of_all_runs_fit_into_64_bits() {
        // 65,536 runs of 2^48 samples would have 2^64 predictions.
        for (n_runs, is_accepted) in [(4, true), (1 << 16, false)] {
            let stored = serde_json::json!({
                "metrics": ["ec_local"],
                "empty_union": "undefined",
                "classes": [],
                "totals": {
                    "n_samples": 1u64 << 48,
                    "n_wrong": vec![0; n_runs],
                    "class_counts": [],
                },
                "both_wrong": vec![0; if is_accepted { 6 } else { 0 }],
                "equal": [],
                "tables": [],
                "always_wrong": 0,
                "ever_wrong": 0,
                "alone": vec![serde_json::json!({"right": 0, "wrong": 0}); n_runs],
            });
            let state = serde_json::from_value::<PairwiseAccumulator>(stored);
            assert_eq!(state.is_ok(), is_accepted);
            if let Err(error) = state {
                assert!(error.to_string().contains("too many samples or runs"));
            }
        }
    }

    #[test]
    fn damaged_states_are_refused() {
        let mut state = PairwiseAccumulator::default();
        state
            .update_labels(array![[0, 1, 5], [1, 1, 5]].view(), &[0, 1, 1])
            .unwrap();
        let whole = serde_json::to_value(&state).unwrap();
        let with = |pointer: &str, value: serde_json::Value| {
            let mut damaged = whole.clone();
            *damaged.pointer_mut(pointer).unwrap() = value;
            serde_json::from_value::<PairwiseAccumulator>(damaged)
        };
        assert!(with("/always_wrong", 1.into()).is_ok());
        for (pointer, value) in [
            ("/metrics", serde_json::json!([])),
            ("/both_wrong", serde_json::json!([])),
            ("/both_wrong/0", 3.into()),
            ("/equal/0", 4.into()),
            ("/ever_wrong", 4.into()),
            ("/alone/0/wrong", 4.into()),
            ("/classes", serde_json::json!([5, 1, 0])),
            ("/totals/n_samples", 2.into()),
            ("/totals/n_samples", u64::MAX.into()),
            ("/totals/n_wrong/1", 4.into()),
            ("/totals/class_counts/0/0", 2.into()),
            ("/tables/0/0/count", 7.into()),
            ("/tables/0/0/row", 9.into()),
            ("/tables/0/0/count", 0.into()),
            ("/tables/0/2/row", 9.into()),
            ("/tables/0", serde_json::json!([])),
            ("/tables", serde_json::json!([])),
        ] {
            let error = with(pointer, value).expect_err(pointer);
            assert!(
                error.to_string().contains(input::PAIRWISE_STATE.name()),
                "{error}"
            );
        }
    }
}
