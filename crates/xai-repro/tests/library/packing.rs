//! Packed runs that are merged equal those that are packed together.

use ndarray::{Array2, Axis, array};
use proptest::prelude::*;
use xai_repro::metrics::{PAIR_METRICS, error_metrics};
use xai_repro::{ErrorKind, PackedRuns, PackedRunsBuilder, Pairwise, input};

proptest! {
    #[test]
    fn merged_runs_are_those_packed_together(
        (first, second, labels, far) in (1usize..130).prop_flat_map(|n| (
            prop::collection::vec(prop::collection::vec(0i64..4, n), 2..4),
            prop::collection::vec(prop::collection::vec(2i64..9, n), 2..4),
            prop::collection::vec(0i64..9, n),
            any::<bool>(),
        ))
    ) {
        let label = |class: &i64| if far { class * -1_000_003 } else { *class };
        let labels: Vec<i64> = labels.iter().map(label).collect();
        let runs = |runs: &[Vec<i64>]| {
            let values = runs.iter().flatten().map(label).collect();
            Array2::from_shape_vec((runs.len(), labels.len()), values).unwrap()
        };
        let (first, second) = (runs(&first), runs(&second));
        let all = ndarray::concatenate![Axis(0), first, second];
        for metrics in [PAIR_METRICS.to_vec(), error_metrics()] {
            let pack = |runs: &Array2<i64>| PackedRuns::new(&metrics, runs.view(), &labels).unwrap();
            let mut merged = pack(&first);
            merged.merge(pack(&second)).unwrap();
            let build = |runs: &Array2<i64>| {
                let mut builder = PackedRunsBuilder::new(&metrics, &labels).unwrap();
                for run in runs.rows() {
                    builder.push(&run.to_vec()).unwrap();
                }
                builder
            };
            let mut builder = build(&first);
            builder.merge(build(&second)).unwrap();
            let pairwise = Pairwise::new().metrics(&metrics);
            let expected = pairwise.evaluate(all.view(), &labels).unwrap();
            prop_assert_eq!(&pairwise.evaluate_packed(&merged).unwrap(), &expected);
            let built = builder.build().unwrap();
            prop_assert_eq!(&pairwise.evaluate_packed(&built).unwrap(), &expected);
            let mut classes = merged.classes().to_vec();
            classes.sort_unstable();
            prop_assert_eq!(classes, pack(&all).classes().to_vec());
        }
    }
}

#[test]
fn runs_that_do_not_belong_together_are_refused() {
    let predictions = array![[0, 1], [1, 1]];
    let mut packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1]).unwrap();
    let before = packed.clone();
    let three = array![[0, 1, 1], [1, 1, 1]];
    let samples = PackedRuns::new(PAIR_METRICS, three.view(), &[0, 1, 1]).unwrap();
    let samples = packed.merge(samples).unwrap_err();
    assert_eq!(samples.input(), input::SAMPLES);
    assert!(matches!(samples.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [3]));
    let errors = PackedRuns::new(&error_metrics(), predictions.view(), &[0, 1]).unwrap();
    let errors = packed.merge(errors).unwrap_err();
    assert_eq!(errors.input(), input::PACKED_RUNS);
    assert!(matches!(
        errors.kind(),
        ErrorKind::InvalidParameter { value, .. } if value == "errors"
    ));
    assert_eq!(packed, before);
    let mut builder = PackedRunsBuilder::new(PAIR_METRICS, &[0, 1]).unwrap();
    let mut merge = |metrics, labels: &[i32]| {
        let other = PackedRunsBuilder::new(metrics, labels).unwrap();
        builder.merge(other).unwrap_err()
    };
    let fewer = merge(PAIR_METRICS, &[0]);
    assert_eq!(fewer.input(), input::LABELS);
    assert!(matches!(fewer.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [1]));
    let others = merge(PAIR_METRICS, &[0, 2]);
    assert_eq!((others.input(), others.index()), (input::LABELS, &[1][..]));
    assert_eq!(merge(&error_metrics(), &[0, 1]).input(), input::PACKED_RUNS);
}
