//! Laws of the metrics of rationales, and their edges.

use std::ops::Range;

use ndarray::{ArrayView2, Axis, aview1};
use proptest::prelude::*;
use xai_attribution::metric::{
    Area, MaskFormula, MaskMetric, RationaleAuprc, RationaleIouF1, RationaleTokenF1, Ties, TokenF1,
    TokenIou, TopK,
};
use xai_attribution::side::Masks;
use xai_attribution::{ErrorKind, Evaluate, EvaluationData, input};

type Texts = (Vec<Vec<f64>>, Vec<Vec<bool>>);

fn texts() -> impl Strategy<Value = Texts> {
    let text = prop::collection::vec((-4i32..5, any::<bool>()), 1..9);
    prop::collection::vec(text, 1..5).prop_map(|texts| {
        let maps = texts
            .iter()
            .map(|t| t.iter().map(|(a, _)| f64::from(*a)).collect());
        let rationales = texts.iter().map(|t| t.iter().map(|(_, r)| *r).collect());
        (maps.collect(), rationales.collect())
    })
}

fn per_sample<F: MaskFormula>(
    metric: &MaskMetric<F>,
    (maps, rationales): &Texts,
) -> Vec<Option<f64>> {
    let value = metric.evaluate_ragged(maps, rationales);
    value.map_or_else(|_| vec![None; maps.len()], |value| value.per_sample)
}

/// The value of a text as a rectangle of one sample.
fn alone<F: MaskFormula>(metric: &MaskMetric<F>, map: &[f64], rationale: &[bool]) -> Option<f64> {
    let maps: ArrayView2<'_, f64> = aview1(map).insert_axis(Axis(0));
    let masks = aview1(rationale)
        .to_owned()
        .insert_axis(Axis(0))
        .insert_axis(Axis(0));
    let data = EvaluationData::from_maps(maps).with(Masks::new(masks));
    metric.evaluate_on(data).ok().map(|value| value.value)
}

fn all_spans() -> impl Strategy<Value = Vec<Range<usize>>> {
    let span = (0usize..10, 1usize..5).prop_map(|(start, len)| start..start + len);
    prop::collection::vec(span, 0..5)
}

proptest! {
    #[test]
    fn a_text_has_the_value_that_it_has_alone(texts in texts()) {
        let (auprc, f1) = (RationaleAuprc::new().area(Area::Trapezoid), TokenF1::new().k(TopK::Share(0.4)));
        let (areas, overlaps) = (per_sample(&auprc, &texts), per_sample(&f1, &texts));
        for (i, (map, rationale)) in texts.0.iter().zip(&texts.1).enumerate() {
            prop_assert_eq!(areas[i], alone(&auprc, map, rationale));
            prop_assert_eq!(overlaps[i], alone(&f1, map, rationale));
        }
    }

    #[test]
    fn iou_and_f1_say_the_same(texts in texts(), k in 1usize..6) {
        let k = TopK::Count(k);
        let f1 = per_sample(&TokenF1::new().k(k).ties(Ties::LowestIndex), &texts);
        let iou = per_sample(&TokenIou::new().k(k).ties(Ties::LowestIndex), &texts);
        for (f1, iou) in f1.into_iter().zip(iou) {
            prop_assert!(f1.zip(iou).is_none_or(|(f1, iou)| (iou - f1 / (2.0 - f1)).abs() < 1e-12));
            prop_assert_eq!(f1.is_none(), iou.is_none());
        }
    }

    #[test]
    fn gold_and_predicted_spans_change_places(gold in all_spans(), predicted in all_spans(), threshold in 0.1..1.0f64) {
        let metric = RationaleIouF1::new().threshold(threshold);
        let there = metric.evaluate(std::slice::from_ref(&gold), std::slice::from_ref(&predicted)).unwrap();
        let back = metric.evaluate(std::slice::from_ref(&predicted), std::slice::from_ref(&gold)).unwrap();
        prop_assert_eq!((there.micro.precision, there.micro.f1), (back.micro.recall, back.micro.f1));
        // Of one sample the mean is the sample, but for what it lacks.
        prop_assert_eq!(there.macro_mean.f1, there.micro.f1);
        prop_assert!(there.micro.recall.is_none_or(|recall| recall <= 1.0));
    }

    /// By the definition: sets of tokens.
    #[test]
    fn token_scores_are_those_of_sets(gold in all_spans(), predicted in all_spans()) {
        let set = |spans: &[Range<usize>]| spans.iter().cloned().flatten().collect::<std::collections::BTreeSet<_>>();
        let (g, p) = (set(&gold), set(&predicted));
        let common = g.intersection(&p).count() as f64;
        let scores = RationaleTokenF1::new().evaluate(&[gold], &[predicted]).unwrap().micro;
        prop_assert_eq!(scores.precision, (!p.is_empty()).then(|| common / p.len() as f64));
        prop_assert_eq!(scores.recall, (!g.is_empty()).then(|| common / g.len() as f64));
    }
}

#[test]
fn the_largest_matching_is_found() {
    // Taken in order, the first prediction would take the gold span that alone fits the second.
    let (gold, predicted) = (vec![0..4, 3..7], vec![1..6, 0..4]);
    let metric = RationaleIouF1::new().threshold(0.4);
    let scores = metric.evaluate(&[gold], &[predicted]).unwrap();
    assert_eq!(scores.micro.f1, Some(1.0));
}

#[test]
#[allow(clippy::single_range_in_vec_init)] // spans of one sample
fn samples_without_spans_are_left_out_and_counted() {
    let (gold, predicted) = (vec![vec![0..2], vec![]], vec![vec![0..2], vec![]]);
    let scores = RationaleTokenF1::new().evaluate(&gold, &predicted).unwrap();
    assert_eq!((scores.macro_mean.f1, scores.n_undefined), (Some(1.0), 1));
    let nothing = RationaleTokenF1::new()
        .evaluate(&gold[1..], &predicted[1..])
        .unwrap();
    assert_eq!((nothing.micro.f1, nothing.macro_mean.f1), (None, None));
}

#[test]
#[allow(clippy::single_range_in_vec_init)] // spans of one sample
fn mismatched_inputs_are_named_with_their_sample() {
    let maps = [vec![0.5, 0.25], vec![0.5]];
    let of = |maps: &[Vec<f64>], masks: &[Vec<bool>]| {
        TokenF1::new().evaluate_ragged(maps, masks).unwrap_err()
    };
    let error = of(&maps, &[vec![true, false], vec![true, false]]);
    assert_eq!(
        (error.input(), error.owner_name()),
        (input::MASKS, Some("sample 1"))
    );
    let error = of(&[vec![0.5, f64::NAN]], &[vec![true, false]]);
    assert!(matches!(error.kind(), ErrorKind::NonFinite));
    assert_eq!(
        (error.input(), error.index()),
        (input::EXPLANATIONS, &[1][..])
    );
    assert!(matches!(of(&[vec![]], &[vec![]]).kind(), ErrorKind::Empty));
    assert!(matches!(of(&[], &[]).kind(), ErrorKind::Empty));
    let error = of(&maps, &[vec![true, false]]);
    assert_eq!(error.input(), input::MASKS);
    let error = RationaleIouF1::new()
        .evaluate(&[vec![0..2]], &[vec![3..3]])
        .unwrap_err();
    assert_eq!(
        (error.input(), error.index()),
        (input::PREDICTED, &[0, 0][..])
    );
    let error = RationaleIouF1::new()
        .threshold(0.0)
        .evaluate(&[vec![0..2]], &[vec![0..2]]);
    assert_eq!(error.unwrap_err().input().name(), "threshold");
}
