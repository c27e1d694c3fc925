//! Laws that hold for every input.

use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use xai_core::output::arg_max_rows;
use xai_graph::fidelity::FidelityAccumulator;
use xai_graph::ground_truth::Selection;
use xai_graph::outputs::OutputDistribution;
use xai_graph::unfaithfulness::kl_divergence;
use xai_graph::{
    Accumulator, Characterization, FidelityMetric, GroundTruth, GroundTruthMetric, KlDirection,
    ReturnType, UnfaithfulnessMetric, fidelity, ground_truth, input, unfaithfulness,
};

/// Pairs of logits of one shape.
fn logits(scale: f64) -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
    (1usize..60, 2usize..7).prop_flat_map(move |(n, c)| {
        let rows = move || {
            prop::collection::vec(-scale..scale, n * c)
                .prop_map(move |x| Array2::from_shape_vec((n, c), x).unwrap())
        };
        (rows(), rows())
    })
}

/// Three label vectors and a target of one length.
fn labels() -> impl Strategy<Value = [Vec<u8>; 4]> {
    (1usize..80).prop_flat_map(|n| {
        let one = move || prop::collection::vec(0u8..4, n);
        [one(), one(), one(), one()]
    })
}

/// Scores on a grid, so that ties occur, and a truth.
fn scored() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (1usize..60).prop_flat_map(|n| {
        (
            prop::collection::vec((0u32..=16).prop_map(|x| f64::from(x) / 16.0), n),
            prop::collection::vec((0u32..2).prop_map(f64::from), n),
        )
    })
}

fn agreement(scores: &[f64], truth: &[f64]) -> GroundTruth {
    ground_truth(ndarray::aview1(scores), ndarray::aview1(truth)).unwrap()
}

fn row_softmax(rows: &Array2<f64>) -> Array2<f64> {
    xai_core::Activation::Softmax.apply(rows.view()).unwrap()
}

proptest! {
    #[test]
    fn fidelity_is_within_its_bounds([full, kept, complement, target] in labels()) {
        for metric in [FidelityMetric::model(), FidelityMetric::phenomenon(&target)] {
            let fidelity = metric.evaluate(&full, &kept, &complement).unwrap();
            prop_assert!((0.0..=1.0).contains(&fidelity.pos));
            prop_assert!((0.0..=1.0).contains(&fidelity.neg));
            prop_assert!((0.0..=1.0).contains(&fidelity.characterization()));
        }
    }

    #[test]
    fn fidelity_is_zero_where_nothing_changes([full, .., target] in labels()) {
        for metric in [FidelityMetric::model(), FidelityMetric::phenomenon(&target)] {
            let fidelity = metric.evaluate(&full, &full, &full).unwrap();
            prop_assert_eq!((fidelity.pos, fidelity.neg), (0.0, 0.0));
        }
    }

    #[test]
    fn kept_and_complement_play_the_same_part([full, kept, complement, target] in labels()) {
        for metric in [FidelityMetric::model(), FidelityMetric::phenomenon(&target)] {
            let one = metric.evaluate(&full, &kept, &complement).unwrap();
            let other = metric.evaluate(&full, &complement, &kept).unwrap();
            prop_assert_eq!((one.pos, one.neg), (other.neg, other.pos));
        }
    }

    #[test]
    fn fidelity_does_not_depend_on_the_order_of_samples([full, kept, complement, target] in labels()) {
        let reversed = |x: &Vec<u8>| -> Vec<u8> { x.iter().rev().copied().collect() };
        let back = reversed(&target);
        let one = FidelityMetric::phenomenon(&target).evaluate(&full, &kept, &complement).unwrap();
        let other = FidelityMetric::phenomenon(&back)
            .evaluate(&reversed(&full), &reversed(&kept), &reversed(&complement))
            .unwrap();
        prop_assert_eq!(one, other);
    }

    #[test]
    fn phenomenon_with_the_models_own_answers_is_model([full, kept, complement, _] in labels()) {
        let model = fidelity(&full, &kept, &complement).unwrap();
        let phenomenon = FidelityMetric::phenomenon(&full).evaluate(&full, &kept, &complement);
        prop_assert_eq!(model, phenomenon.unwrap());
    }

    #[test]
    fn an_index_of_all_samples_changes_nothing([full, kept, complement, target] in labels()) {
        let all: Vec<usize> = (0..full.len()).collect();
        for metric in [FidelityMetric::model(), FidelityMetric::phenomenon(&target)] {
            prop_assert_eq!(
                metric.evaluate(&full, &kept, &complement).unwrap(),
                metric.index(&all).evaluate(&full, &kept, &complement).unwrap()
            );
        }
    }

    #[test]
    fn fidelity_merges_to_the_last_bit([full, kept, complement, _] in labels(), split in 0usize..80) {
        let split = split % full.len().max(1);
        prop_assume!(split > 0);
        let whole = fidelity(&full, &kept, &complement).unwrap();
        let mut parts = [FidelityAccumulator::new(), FidelityAccumulator::new()];
        for (state, range) in parts.iter_mut().zip([0..split, split..full.len()]) {
            let (full, kept) = (&full[range.clone()], &kept[range.clone()]);
            let complement = &complement[range];
            state.update(FidelityMetric::model().batch(&full, &kept, &complement)).unwrap();
        }
        let [mut left, right] = parts;
        left.merge(right).unwrap();
        left.merge(FidelityAccumulator::new()).unwrap();
        prop_assert_eq!(left.finish().unwrap(), whole);
    }

    #[test]
    fn fidelity_of_outputs_is_that_of_their_arg_max((full, kept) in logits(2.0)) {
        let classes = |rows: &Array2<f64>| arg_max_rows(input::OUTPUTS, rows.view()).unwrap();
        let from_outputs = fidelity(&full, &kept, &full).unwrap();
        prop_assert_eq!(from_outputs, fidelity(&classes(&full), &classes(&kept), &full).unwrap());
        // The same numbers in column-major order, and a view that is contiguous in neither.
        let mut column_major = Array2::zeros(ndarray::ShapeBuilder::f(kept.dim()));
        column_major.assign(&kept);
        prop_assert_eq!(from_outputs, fidelity(&full, &column_major, &full).unwrap());
        let wide = ndarray::concatenate![Axis(1), kept, kept];
        let strided = wide.slice(ndarray::s![.., ..kept.ncols()]);
        prop_assert_eq!(from_outputs, fidelity(&full, &strided, &full).unwrap());
    }

    #[test]
    fn probability_fidelity_is_bounded_and_reads_every_form((full, kept) in logits(5.0)) {
        let (p, q) = (row_softmax(&full), row_softmax(&kept));
        let metric = FidelityMetric::model();
        let of = |a: &Array2<f64>, b: &Array2<f64>, returns| {
            metric.evaluate_probabilities(a.view(), b.view(), b.view(), returns).unwrap()
        };
        let from_logits = of(&full, &kept, ReturnType::Logits);
        prop_assert!((0.0..=1.0).contains(&from_logits.pos));
        prop_assert_eq!(from_logits.pos, from_logits.neg);
        prop_assert!((from_logits.pos - of(&p, &q, ReturnType::Probs).pos).abs() < 1e-12);
        let logs = of(&p.ln(), &q.ln(), ReturnType::LogProbs);
        prop_assert!((from_logits.pos - logs.pos).abs() < 1e-12);
    }

    #[test]
    fn characterization_lies_between_its_terms(
        pos in 0.0..=1.0f64, neg in 0.0..=1.0f64, weight in 0.0..=1.0f64,
    ) {
        let weighted = |pos, neg| Characterization::new().pos_weight(pos).neg_weight(neg);
        let score = weighted(weight, 1.0 - weight).score(pos, neg).unwrap();
        let sufficient = 1.0 - neg;
        prop_assert!(pos.min(sufficient) <= score && score <= pos.max(sufficient));
        let other = weighted(1.0 - weight, weight).score(sufficient, 1.0 - pos).unwrap();
        prop_assert!((score - other).abs() < 1e-12);
    }

    #[test]
    fn unfaithfulness_is_in_zero_to_one_and_zero_for_identical_outputs((full, kept) in logits(1000.0)) {
        for distribution in [OutputDistribution::Categorical, OutputDistribution::Bernoulli] {
            for direction in [KlDirection::Forward, KlDirection::Reverse] {
                let metric = UnfaithfulnessMetric::new().output_distribution(distribution).kl_direction(direction);
                let gef = metric.evaluate(full.view(), kept.view()).unwrap();
                prop_assert!((0.0..=1.0).contains(&gef.value), "{gef}");
                prop_assert!(gef.divergence.is_finite());
                prop_assert_eq!(metric.evaluate(full.view(), full.view()).unwrap().value, 0.0);
                for row in metric.per_row(full.view(), kept.view()).unwrap() {
                    prop_assert!((0.0..=1.0).contains(&row));
                }
            }
        }
    }

    #[test]
    fn forward_is_reverse_of_the_swapped((full, kept) in logits(30.0)) {
        for returns in [ReturnType::Logits, ReturnType::Probs, ReturnType::LogProbs] {
            let form = |rows: &Array2<f64>| match returns {
                ReturnType::Logits => rows.clone(),
                ReturnType::Probs => row_softmax(rows),
                ReturnType::LogProbs => row_softmax(rows).ln(),
            };
            let (full, kept) = (form(&full), form(&kept));
            let metric = UnfaithfulnessMetric::new().return_type(returns);
            let forward = metric.evaluate(full.view(), kept.view()).unwrap();
            let reverse = metric.kl_direction(KlDirection::Reverse).evaluate(kept.view(), full.view());
            prop_assert_eq!(forward, reverse.unwrap());
        }
    }

    #[test]
    fn every_form_of_outputs_gives_the_same_divergence((full, kept) in logits(8.0)) {
        let (p, q) = (row_softmax(&full), row_softmax(&kept));
        let of = |a: &Array2<f64>, b: &Array2<f64>, returns| {
            UnfaithfulnessMetric::new().return_type(returns).evaluate(a.view(), b.view()).unwrap().divergence
        };
        let logits = of(&full, &kept, ReturnType::Logits);
        prop_assert!((logits - of(&p, &q, ReturnType::Probs)).abs() < 1e-12 * (1.0 + logits));
        prop_assert!((logits - of(&p.ln(), &q.ln(), ReturnType::LogProbs)).abs() < 1e-12 * (1.0 + logits));
        // Row by row it is the divergence of the two distributions.
        let by_row: f64 = std::iter::zip(p.rows(), q.rows())
            .map(|(p, q)| kl_divergence(&p.to_vec(), &q.to_vec()).unwrap())
            .sum();
        prop_assert!((logits - by_row / full.nrows() as f64).abs() < 1e-12 * (1.0 + logits));
    }

    #[test]
    fn two_independent_columns_are_two_classes(x in -20.0..20.0f64, y in -20.0..20.0f64) {
        // A sigmoid of x is a softmax of (x, 0).
        let column = |x: f64| Array2::from_elem((1, 1), x);
        let pair = |x: f64| Array2::from_shape_vec((1, 2), vec![x, 0.0]).unwrap();
        let binary = UnfaithfulnessMetric::new().output_distribution(OutputDistribution::Bernoulli);
        let one = binary.evaluate(column(x).view(), column(y).view()).unwrap();
        let two = UnfaithfulnessMetric::new().evaluate(pair(x).view(), pair(y).view()).unwrap();
        prop_assert!((one.divergence - two.divergence).abs() < 1e-12 * (1.0 + two.divergence));
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let probs = binary.return_type(ReturnType::Probs)
            .evaluate(column(sigmoid(x)).view(), column(sigmoid(y)).view()).unwrap();
        prop_assert!((one.divergence - probs.divergence).abs() < 1e-6 * (1.0 + two.divergence));
    }

    #[test]
    fn single_precision_agrees_with_double((full, kept) in logits(10.0)) {
        let single = |rows: &Array2<f64>| rows.mapv(|x| x as f32);
        let double = |rows: &Array2<f32>| rows.mapv(f64::from);
        let (a, b) = (single(&full), single(&kept));
        let narrow = unfaithfulness(a.view(), b.view()).unwrap();
        prop_assert_eq!(narrow, unfaithfulness(double(&a).view(), double(&b).view()).unwrap());
        let wide = unfaithfulness(full.view(), kept.view()).unwrap();
        prop_assert!((narrow.value - wide.value).abs() < 1e-5);
    }

    #[test]
    fn unfaithfulness_merges_to_the_last_bit((full, kept) in logits(10.0), split in 0usize..60) {
        let split = split % full.nrows();
        prop_assume!(split > 0);
        let metric = UnfaithfulnessMetric::new();
        let whole = metric.evaluate(full.view(), kept.view()).unwrap();
        let (full_head, full_tail) = full.view().split_at(Axis(0), split);
        let (kept_head, kept_tail) = kept.view().split_at(Axis(0), split);
        let mut left = metric.accumulator();
        let mut right = metric.accumulator();
        left.update((full_head, kept_head)).unwrap();
        right.update((full_tail, kept_tail)).unwrap();
        right.merge(left).unwrap();
        prop_assert_eq!(right.finish().unwrap(), whole);
        // The order of the rows does not show either.
        let reversed = |rows: &Array2<f64>| rows.slice(ndarray::s![..;-1, ..]).to_owned();
        let back = metric.evaluate(reversed(&full).view(), reversed(&kept).view()).unwrap();
        prop_assert_eq!(back, whole);
    }

    #[test]
    fn ground_truth_is_within_its_bounds((scores, truth) in scored()) {
        let scores = agreement(&scores, &truth);
        let all = [Some(scores.accuracy), scores.recall, scores.precision, scores.f1_score,
            scores.auroc, scores.average_precision, scores.jaccard];
        prop_assert!(all.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
        prop_assert_eq!(scores.n_undefined, all.iter().filter(|x| x.is_none()).count());
    }

    #[test]
    fn auroc_counts_pairs((scores, truth) in scored()) {
        let (mut ordered, mut pairs) = (0.0, 0.0);
        for (x, _) in scores.iter().zip(&truth).filter(|(_, y)| **y == 1.0) {
            for (z, _) in scores.iter().zip(&truth).filter(|(_, y)| **y == 0.0) {
                pairs += 1.0;
                ordered += if x > z { 1.0 } else if x == z { 0.5 } else { 0.0 };
            }
        }
        let expected = (pairs > 0.0).then(|| ordered / pairs);
        prop_assert_eq!(agreement(&scores, &truth).auroc, expected);
    }

    #[test]
    fn auroc_of_flipped_scores_is_its_complement((scores, truth) in scored()) {
        let flipped: Vec<f64> = scores.iter().map(|x| 1.0 - x).collect();
        let (one, other) = (agreement(&scores, &truth).auroc, agreement(&flipped, &truth).auroc);
        match (one, other) {
            (Some(one), Some(other)) => prop_assert!((one - (1.0 - other)).abs() < 1e-15),
            (one, other) => prop_assert_eq!(one, other),
        }
    }

    #[test]
    fn ranks_are_invariant_under_monotone_maps((scores, truth) in scored()) {
        let squared: Vec<f64> = scores.iter().map(|x| x * x).collect();
        let stretched: Vec<f64> = scores.iter().map(|x| 40.0 * x - 7.0).collect();
        let plain = agreement(&scores, &truth);
        let logits = GroundTruthMetric::new().logits(true);
        let raw = logits.evaluate(ndarray::aview1(&stretched), ndarray::aview1(&truth)).unwrap();
        for other in [agreement(&squared, &truth), raw] {
            prop_assert_eq!(plain.auroc, other.auroc);
            prop_assert_eq!(plain.average_precision, other.average_precision);
        }
    }

    #[test]
    fn average_precision_is_the_area_by_its_definition((scores, truth) in scored()) {
        let n_true = truth.iter().filter(|y| **y == 1.0).count() as f64;
        let mut thresholds = scores.clone();
        thresholds.sort_by(|a, b| b.total_cmp(a));
        thresholds.dedup();
        let (mut area, mut recall_before) = (0.0, 0.0);
        for threshold in thresholds {
            let above = |y: f64| scores.iter().zip(&truth)
                .filter(|(x, t)| **x >= threshold && **t == y).count() as f64;
            let (hits, misses) = (above(1.0), above(0.0));
            area += (hits / n_true - recall_before) * (hits / (hits + misses));
            recall_before = hits / n_true;
        }
        match agreement(&scores, &truth).average_precision {
            Some(ours) => prop_assert!((ours - area).abs() < 1e-12),
            None => prop_assert_eq!(n_true, 0.0),
        }
    }

    #[test]
    fn ground_truth_merges_to_the_last_bit((scores, truth) in scored(), split in 0usize..60) {
        let split = split % scores.len();
        prop_assume!(split > 0);
        let metric = GroundTruthMetric::new();
        let mut parts = [metric.accumulator().unwrap(), metric.accumulator().unwrap()];
        for (state, range) in parts.iter_mut().zip([0..split, split..scores.len()]) {
            let batch = (ndarray::aview1(&scores[range.clone()]), ndarray::aview1(&truth[range]));
            state.update(batch).unwrap();
        }
        let [left, mut right] = parts;
        right.merge(left).unwrap();
        prop_assert_eq!(right.finish().unwrap(), agreement(&scores, &truth));
    }

    #[test]
    fn at_the_size_of_the_truth_precision_is_recall((scores, truth) in scored()) {
        let metric = GroundTruthMetric::new().selection(Selection::TruthSize);
        let scores = metric.evaluate(ndarray::aview1(&scores), ndarray::aview1(&truth)).unwrap();
        prop_assert_eq!(scores.precision, scores.recall);
        prop_assert_eq!(scores.f1_score, scores.recall);
        prop_assert_eq!(
            scores.confusion.true_positives + scores.confusion.false_positives,
            truth.iter().filter(|y| **y == 1.0).count() as u64
        );
    }

    #[test]
    fn the_truth_explains_itself((_, truth) in scored()) {
        let scores = agreement(&truth, &truth);
        prop_assert_eq!(scores.accuracy, 1.0);
        for perfect in [scores.recall, scores.precision, scores.auroc, scores.average_precision, scores.jaccard] {
            prop_assert!(perfect.is_none_or(|x| x == 1.0));
        }
    }
}

#[test]
fn logits_of_a_thousand_give_a_finite_unfaithfulness() {
    let full = ndarray::array![[1000.0f32, -1000.0], [-1000.0, 1000.0]];
    let kept = ndarray::array![[-1000.0f32, 1000.0], [-1000.0, 1000.0]];
    for direction in [KlDirection::Forward, KlDirection::Reverse] {
        let metric = UnfaithfulnessMetric::new().kl_direction(direction);
        let gef = metric.evaluate(full.view(), kept.view()).unwrap();
        assert_eq!((gef.divergence, gef.value), (1000.0, 1.0));
    }
}

#[test]
fn an_answer_that_the_explanation_rules_out_is_wholly_unfaithful() {
    let (full, kept) = (ndarray::array![[0.5, 0.5]], ndarray::array![[1.0, 0.0]]);
    let metric = UnfaithfulnessMetric::new().return_type(ReturnType::Probs);
    let gef = metric.evaluate(full.view(), kept.view()).unwrap();
    assert_eq!((gef.divergence, gef.value), (f64::INFINITY, 1.0));
    let reverse = metric.kl_direction(KlDirection::Reverse);
    let gef = reverse.evaluate(full.view(), kept.view()).unwrap();
    assert_eq!(gef.divergence, 2f64.ln());
    let logs = metric.return_type(ReturnType::LogProbs);
    let gef = logs.evaluate(full.ln().view(), kept.ln().view()).unwrap();
    assert_eq!(gef.value, 1.0);
}

#[test]
fn more_rows_than_a_block_are_the_sum_of_their_parts() {
    let n = 5000;
    let full: Vec<u32> = (0..n).map(|i| i % 7).collect();
    let kept: Vec<u32> = (0..n)
        .map(|i| if i % 10 == 0 { 9 } else { i % 7 })
        .collect();
    let scores = fidelity(&full, &kept, &full).unwrap();
    assert_eq!((scores.pos, scores.neg, scores.n_samples), (0.0, 0.1, 5000));
    let truth: Array1<f32> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { 0.0 }).collect();
    let agreement = ground_truth(truth.view(), truth.view()).unwrap();
    assert_eq!((agreement.auroc, agreement.jaccard), (Some(1.0), Some(1.0)));
}

#[test]
fn logits_further_apart_than_the_range_are_certain_and_opposite() {
    for size in [1e3, 8e307, 9e307, f64::MAX] {
        let (y, opposite) = (
            ndarray::array![[size, -size]],
            ndarray::array![[-size, size]],
        );
        assert_eq!(
            unfaithfulness(y.view(), opposite.view()).unwrap().value,
            1.0,
            "{size}"
        );
        assert_eq!(
            unfaithfulness(y.view(), y.view()).unwrap().value,
            0.0,
            "{size}"
        );
    }
}

#[test]
fn the_precision_of_the_truth_does_not_show() {
    let predicted = array![0.3f32, 0.300_000_04, 0.29, 0.9, 0.1];
    // In single precision 0.3 is above the double-precision 0.3, and 0.7 below that of 0.7.
    for (threshold, n_true, n_predicted) in [(0.3, 3, 2), (0.7, 2, 1)] {
        let single = array![0.3f32, 0.7, 0.29, 1.0, 0.0];
        let double = array![0.3f64, 0.7, 0.29, 1.0, 0.0];
        let widened = single.mapv(f64::from);
        let metric = GroundTruthMetric::new().threshold(threshold);
        let scores = metric.evaluate(predicted.view(), single.view()).unwrap();
        let counts = &scores.confusion;
        assert_eq!(counts.true_positives + counts.false_negatives, n_true);
        assert_eq!(counts.true_positives + counts.false_positives, n_predicted);
        for target in [&double, &widened] {
            let same = metric.evaluate(predicted.view(), target.view()).unwrap();
            assert_eq!(same, scores);
            let truths = target.view().insert_axis(Axis(0));
            let best = metric.best_truth(predicted.view(), truths).unwrap();
            assert_eq!(best.scores, scores);
        }
    }
}
