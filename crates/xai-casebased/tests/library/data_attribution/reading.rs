//! Where attributions come from does not show in the numbers.

use std::ops::Range;

use ndarray::{Array2, ShapeBuilder, array, s};
use xai_casebased::ErrorKind;
use xai_casebased::data_attribution::{
    AttributionData, AttributionMetric, AttributionRows, LinearDatamodelingScore, Outcome, Subsets,
    evaluate_all, rows_with,
};
use xai_casebased::input;
use xai_core::describe::Settings;
use xai_core::parallel::with_work_size;

const N_TEST: usize = 83;
const N_TRAIN: usize = 700;

fn attributions() -> Array2<f64> {
    // Multiples of 1/8 that fit single precision, with ties.
    Array2::from_shape_fn((N_TEST, N_TRAIN), |(t, i)| {
        ((i * 7919 + t * 104_729 + i * i * t) % 1009) as f64 / 8.0 - 50.0
    })
}

fn outcomes(rows: impl AttributionRows) -> Vec<Outcome> {
    let keep: Vec<bool> = (0..N_TEST).map(|t| t % 7 != 3).collect();
    let labels: Vec<u8> = (0..N_TRAIN).map(|i| (i % 5) as u8).collect();
    let classes: Vec<u8> = (0..N_TEST).map(|t| (t % 5) as u8).collect();
    let flags: Vec<bool> = (0..N_TRAIN).map(|i| i % 9 == 1).collect();
    let mask = Array2::from_shape_fn((13, N_TRAIN), |(j, i)| (i * (j + 3)) % 11 < 5);
    let subsets = Subsets::from_mask(mask.view());
    let outputs = Array2::from_shape_fn((13, N_TEST), |(j, t)| ((j * 17 + t * 5) % 23) as f64);
    let random = Array2::from_shape_fn((N_TEST, N_TRAIN), |(t, i)| ((i * 31 + t) % 97) as f32);
    let relevant = Array2::from_shape_fn((N_TEST, N_TRAIN), |(t, i)| (t + i) % 50 == 0);
    let data = AttributionData::new(rows)
        .with(input::KEEP, &keep)
        .with(input::TRAIN_LABELS, &labels)
        .with(input::TEST_CLASSES, &classes)
        .with(input::FLAGS, &flags)
        .with(input::SUBSETS, &subsets)
        .with(input::OUTPUTS, outputs.view())
        .random_attributions(random.view())
        .with(input::RELEVANT, relevant.view());
    let metrics: Settings = "linear-datamodeling-score, class-detection(k=7), class-auroc, class-recall, shortcut-detection, \
         top-k-cardinality(k=3), attribution-randomization, mean-reciprocal-rank, recall-at-k(k=20)"
        .parse()
        .unwrap();
    evaluate_all(&data, &metrics.0).unwrap()
}

#[test]
fn rows_from_anywhere_give_the_same_bits() {
    let rows = attributions();
    let expected = outcomes(rows.view());
    assert!(expected.iter().all(|outcome| outcome.value().is_some()));
    let columns_first = Array2::from_shape_fn(rows.raw_dim().f(), |at| rows[at]);
    assert_eq!(outcomes(columns_first), expected);
    assert_eq!(outcomes(rows.mapv(|value| value as f32)), expected);
    let reader = rows_with(
        rows.dim(),
        |range: Range<usize>| -> Result<_, std::fmt::Error> {
            Ok(rows.slice(s![range, ..]).to_owned())
        },
    );
    assert_eq!(outcomes(&reader), expected);
}

#[test]
fn the_number_of_threads_does_not_show() {
    let rows = attributions();
    let alone = with_work_size(1, || outcomes(rows.view()));
    assert_eq!(alone, outcomes(rows.view()));
}

#[test]
fn a_metric_beside_others_has_the_value_that_it_has_alone() {
    let rows = attributions();
    let data = AttributionData::new(rows.view());
    let metrics: Settings = "top-k-cardinality(k=2), top-k-cardinality(k=40), top-k-cardinality"
        .parse()
        .unwrap();
    let together = evaluate_all(&data, &metrics.0).unwrap();
    for (metric, outcome) in metrics.0.iter().zip(together) {
        let alone = evaluate_all(&data, std::slice::from_ref(metric)).unwrap();
        assert_eq!(alone, [outcome]);
    }
}

#[test]
fn a_reader_that_fails_or_gives_other_shapes_is_an_error_about_the_attributions() {
    let evaluate = |rows: &dyn AttributionRows| {
        let data = AttributionData::new(rows);
        evaluate_all(&data, &["top-k-cardinality".parse().unwrap()]).unwrap_err()
    };
    let failing = rows_with((3, 4), |_| Err::<Array2<f64>, _>("no such file"));
    let error = evaluate(&failing);
    assert!(matches!(error.kind(), ErrorKind::Io { .. }));
    assert_eq!(
        error.to_string(),
        "rows 0 to 2 of attributions: reading or writing failed"
    );
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "no such file");
    let short = rows_with((3, 4), |_| Ok::<_, std::fmt::Error>(Array2::zeros((3, 3))));
    assert_eq!(
        evaluate(&short).to_string(),
        "attributions: expected shape (3, 4), got (3, 3)"
    );
}

#[test]
fn a_mask_is_subsets_and_another_kind_is_refused() {
    let rows = array![[1.0, -1.0, 0.5], [0.0, 2.0, 1.0]];
    let mask = array![
        [true, false, true],
        [false, true, true],
        [true, true, false]
    ];
    let outputs = array![[0.1, 0.4], [0.3, 0.2], [0.2, 0.9]];
    let data = || AttributionData::new(rows.view()).with(input::OUTPUTS, outputs.view());
    let metric = LinearDatamodelingScore::new();
    let subsets = Subsets::from_mask(mask.view());
    let of_subsets = metric
        .evaluate(&data().with(input::SUBSETS, &subsets))
        .unwrap();
    let from_mask = metric
        .evaluate(&data().with(input::SUBSETS, mask.view()))
        .unwrap();
    assert_eq!(from_mask, of_subsets);
    let error = metric
        .evaluate(&data().with(input::SUBSETS, &[0.5]))
        .unwrap_err();
    assert_eq!(error.input(), input::SUBSETS);
    assert_eq!(
        error.to_string(),
        "subsets = numbers: expected booleans (n_subsets, n_train), or `Subsets` made of positions"
    );
}
