//! Laws of the attribution metrics.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, IxDyn};
use proptest::prelude::*;
use xai_attribution::metric::{
    AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, Deletion, Insertion, complexity,
    sparseness,
};
use xai_attribution::model::{Concurrent, Scoring};
use xai_attribution::scores::{base_scores, masked_scores};
use xai_attribution::{Accumulator, Activation, Evaluate, InputLayout};

type Answer = Result<Array2<f64>, std::fmt::Error>;

/// Two outputs: a fixed linear form of the input, and its negative.
fn linear(batch: ArrayViewD<'_, f64>) -> Answer {
    let form = |x: ndarray::ArrayViewD<'_, f64>| -> f64 {
        x.iter().enumerate().map(|(i, x)| x * weight(i)).sum()
    };
    let rows: Vec<f64> = batch.outer_iter().map(form).flat_map(|s| [s, -s]).collect();
    Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows).unwrap())
}

fn weight(i: usize) -> f64 {
    ((i * 37) % 11) as f64 - 4.0
}

fn array(shape: Vec<usize>, low: f64, high: f64) -> impl Strategy<Value = ArrayD<f64>> {
    prop::collection::vec(low..high, shape.iter().product::<usize>())
        .prop_map(move |values| ArrayD::from_shape_vec(IxDyn(&shape), values).unwrap())
}

/// Inputs, maps and targets of `n` samples of 6 features.
fn tabular() -> impl Strategy<Value = (ArrayD<f64>, ArrayD<f64>, Vec<u8>)> {
    (1usize..20).prop_flat_map(|n| {
        (
            array(vec![n, 6], 0.1, 1.0),
            array(vec![n, 6], -1.0, 1.0),
            prop::collection::vec(0..2u8, n),
        )
    })
}

proptest! {
    #[test]
    fn scores_of_probabilities_are_within_their_bounds((x, e, y) in tabular()) {
        let softmax = Scoring { activation: Activation::Softmax, ..Scoring::default() };
        let s = masked_scores(&linear, x.view(), &y, e.view(), &softmax).unwrap();
        // A probability may round to 0, which cannot be divided by.
        let skip = BaseScorePolicy::Skip;
        let values = [
            AverageDrop::new().base_score_policy(skip).evaluate_scores(&s.base, &s.masked),
            AverageIncrease::new().evaluate_scores(&s.base, &s.masked),
            AverageGain::new().evaluate_scores(&s.base, &s.masked),
        ];
        for scores in values.into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&scores.value));
            for score in scores.per_sample.into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&score));
            }
        }
    }

    #[test]
    fn batches_and_threads_do_not_show((x, e, y) in tabular(), batch_size in 1usize..25) {
        let scoring = Scoring { batch_size: Some(batch_size), ..Scoring::default() };
        let whole = masked_scores(&linear, x.view(), &y, e.view(), &Scoring::default()).unwrap();
        let batched = masked_scores(&linear, x.view(), &y, e.view(), &scoring).unwrap();
        let threads = masked_scores(&Concurrent(&linear), x.view(), &y, e.view(), &scoring).unwrap();
        prop_assert_eq!(batched.batch_size, Some(batch_size));
        prop_assert_eq!(&batched, &threads);
        prop_assert_eq!((whole.base, whole.masked), (batched.base, batched.masked));
        let curve = |batch_size| {
            let deletion = Deletion::new().batch_size(batch_size);
            let value = deletion.evaluate(&linear, x.view(), &y, e.view()).unwrap();
            (value.value, value.per_sample, value.curve)
        };
        prop_assert_eq!(curve(batch_size), curve(64));
    }

    #[test]
    fn any_split_merges_to_one_shot((x, e, y) in tabular(), cut in 0usize..20) {
        let s = masked_scores(&linear, x.view(), &y, e.view(), &Scoring::default()).unwrap();
        let metric = AverageDrop::new().base_score_policy(BaseScorePolicy::AsIs);
        let cut = cut.min(y.len());
        let (mut left, mut right) = (metric.accumulator(), metric.accumulator());
        let masked: Vec<f64> = s.masked.iter().map(|masked| masked.unwrap()).collect();
        left.update((&s.base[cut..], &masked[cut..])).unwrap();
        right.update((&s.base[..cut], &masked[..cut])).unwrap();
        left.merge(right).unwrap();
        let whole = metric.evaluate_scores(&s.base, &s.masked).unwrap();
        prop_assert_eq!(left.finish().unwrap().to_bits(), whole.value.to_bits());
        prop_assert_eq!(left.n_undefined(), whole.n_undefined);
    }

    #[test]
    fn single_precision_agrees_within_its_rounding((x, e, y) in tabular()) {
        let single = |a: &ArrayD<f64>| a.mapv(|v| v as f32);
        let (x32, e32) = (single(&x), single(&e));
        let double = |a: &ArrayD<f32>| a.mapv(f64::from);
        let model = |batch: ArrayViewD<'_, f32>| linear(batch.mapv(f64::from).view());
        let s32 = masked_scores(&model, x32.view(), &y, e32.view(), &Scoring::default()).unwrap();
        let s64 =
            masked_scores(&linear, double(&x32).view(), &y, double(&e32).view(), &Scoring::default())
                .unwrap();
        prop_assert_eq!(s32.base, s64.base);
        for (a, b) in s32.masked.iter().zip(&s64.masked) {
            prop_assert!((a.unwrap() - b.unwrap()).abs() < 1e-4, "{:?} {:?}", a, b);
        }
    }

    #[test]
    fn a_scaled_or_shifted_map_keeps_its_mask((x, e, y) in tabular(), by in 0.5..100.0f64) {
        let positive = e.mapv(f64::abs);
        let drop = |maps: &ArrayD<f64>| {
            masked_scores(&linear, x.view(), &y, maps.view(), &Scoring::default()).unwrap().masked
        };
        let original = drop(&positive);
        for changed in [drop(&positive.mapv(|v| v * by)), drop(&positive.mapv(|v| v + by))] {
            for (a, b) in original.iter().zip(&changed) {
                let (a, b) = (a.unwrap(), b.unwrap());
                prop_assert!((a - b).abs() < 1e-12 * (1.0 + a.abs()), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn deletion_by_the_terms_of_a_linear_model_is_below_any_other_order((x, e, _) in tabular()) {
        let y = vec![0u8; x.shape()[0]];
        let mut terms = x.clone();
        for mut row in terms.outer_iter_mut() {
            row.iter_mut().enumerate().for_each(|(i, v)| *v *= weight(i));
        }
        let curve = |maps: &ArrayD<f64>| {
            Deletion::new().steps(None).evaluate(&linear, x.view(), &y, maps.view()).unwrap().curve.unwrap()
        };
        for (best, other) in curve(&terms).iter().zip(curve(&e)) {
            prop_assert!(best.score <= other.score + 1e-12);
        }
    }

    #[test]
    fn a_mask_of_ones_loses_nothing((x, _, y) in tabular()) {
        let scoring = Scoring::default();
        let base = base_scores(&linear, x.view(), &y, &scoring).unwrap();
        let kept = x.clone() * ArrayD::<f64>::ones(x.raw_dim());
        let after = base_scores(&linear, &kept, &y, &scoring).unwrap();
        let drop = AverageDrop::new().base_score_policy(BaseScorePolicy::AsIs);
        prop_assert_eq!(drop.evaluate_scores(&base, &after).unwrap().value, 0.0);
        prop_assert_eq!(AverageIncrease::new().evaluate_scores(&base, &after).unwrap().value, 0.0);
    }

    #[test]
    fn insertion_ends_where_deletion_begins_at_the_base_score((x, e, y) in tabular()) {
        let base = base_scores(&linear, x.view(), &y, &Scoring::default()).unwrap();
        let mean = base.iter().copied().collect::<xai_core::ExactMean>().value().unwrap();
        let deletion = Deletion::new().evaluate(&linear, x.view(), &y, e.view()).unwrap();
        let insertion = Insertion::new().evaluate(&linear, x.view(), &y, e.view()).unwrap();
        prop_assert_eq!(deletion.curve.unwrap()[0].score, mean);
        prop_assert_eq!(insertion.curve.unwrap().last().unwrap().score, mean);
    }

    #[test]
    fn the_layout_in_memory_does_not_show((x, e, y) in tabular()) {
        let fortran = |a: &ArrayD<f64>| a.t().as_standard_layout().into_owned();
        let (xt, et) = (fortran(&x), fortran(&e));
        let run = |x: ArrayViewD<'_, f64>, e: ArrayViewD<'_, f64>| {
            let curve = Deletion::new().evaluate(&linear, x.view(), &y, e.view()).unwrap();
            (curve, masked_scores(&linear, x, &y, e, &Scoring::default()).unwrap())
        };
        prop_assert_eq!(run(x.view(), e.view()), run(xt.t(), et.t()));
    }

    #[test]
    fn the_order_of_the_samples_does_not_show((x, e, y) in tabular()) {
        let reversed: Vec<usize> = (0..y.len()).rev().collect();
        let metric = AverageDrop::new().base_score_policy(BaseScorePolicy::AsIs);
        let forward = metric.evaluate(&linear, x.view(), &y, e.view()).unwrap().value;
        let y_back: Vec<u8> = y.iter().rev().copied().collect();
        let (x_back, e_back) = (x.select(Axis(0), &reversed), e.select(Axis(0), &reversed));
        let backward = metric.evaluate(&linear, x_back.view(), &y_back, e_back.view()).unwrap().value;
        prop_assert_eq!(forward.to_bits(), backward.to_bits());
    }

    #[test]
    fn complexity_and_sparseness_are_within_their_bounds(e in array(vec![3, 7], -1.0, 1.0)) {
        for score in complexity(e.view(), InputLayout::Tabular).unwrap().per_sample.into_iter().flatten() {
            prop_assert!((-1e-6..=7f64.ln() + 1e-6).contains(&score));
        }
        for score in sparseness(e.view(), InputLayout::Tabular).unwrap().per_sample.into_iter().flatten() {
            prop_assert!((-1e-12..=1.0 - 1.0 / 7.0 + 1e-12).contains(&score));
        }
    }
}

#[test]
fn three_metrics_from_one_set_of_scores_cost_two_rows_a_sample() {
    let rows = AtomicUsize::new(0);
    let largest = AtomicUsize::new(0);
    let model = |batch: ArrayViewD<'_, f64>| {
        rows.fetch_add(batch.shape()[0], Ordering::Relaxed);
        largest.fetch_max(batch.shape()[0], Ordering::Relaxed);
        linear(batch)
    };
    let x = ArrayD::from_elem(vec![50, 6], 0.5);
    let scoring = Scoring {
        batch_size: Some(8),
        ..Scoring::default()
    };
    masked_scores(&model, x.view(), &[1u8; 50], x.view(), &scoring).unwrap();
    assert_eq!(rows.load(Ordering::Relaxed), 100);
    assert_eq!(largest.load(Ordering::Relaxed), 8);
}

#[test]
fn steps_that_flip_the_same_number_are_one_point() {
    // Of four features ten steps flip 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4. By hand, largest first:
    // 10, 6, 3, 1, 0 deleted, trapezoids 8, 4.5, 2, 0.5; 0, 4, 7, 9, 10 inserted, 2, 5.5, 8, 9.5.
    let x = ndarray::array![[4.0, 3.0, 2.0, 1.0]];
    let sum = |batch: ArrayViewD<'_, f64>| -> Answer {
        let rows = batch.outer_iter().map(|x| x.sum()).collect();
        Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows).unwrap())
    };
    for steps in [Some(4), Some(10), Some(1000), None] {
        let deletion = Deletion::new().steps(steps);
        let deletion = deletion.evaluate(&sum, x.view(), &[0], x.view()).unwrap();
        assert_eq!(deletion.value, 3.75);
        let insertion = Insertion::new().steps(steps);
        let insertion = insertion.evaluate(&sum, x.view(), &[0], x.view()).unwrap();
        assert_eq!(insertion.value, 6.25);
        let flipped = |curve: Vec<xai_attribution::table::CurvePoint>| -> Vec<usize> {
            curve.iter().map(|point| point.n_flipped).collect()
        };
        assert_eq!(flipped(insertion.curve.unwrap()), [0, 1, 2, 3, 4]);
    }
}
