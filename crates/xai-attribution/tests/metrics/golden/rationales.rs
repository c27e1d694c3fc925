//! The rationale metrics of ERASER and ferret, and what differs on purpose.

use std::ops::Range;

use serde_json::Value;
use xai_attribution::metric::{
    Area, MaskFormula, MaskMetric, MetricValue, RationaleAuprc, RationaleIouF1, RationaleTokenF1,
    SpanScore, SpanScores, Ties, TokenF1, TokenIou, TopK,
};

use super::{Case, cases};

fn ragged<F: MaskFormula>(case: &Case, metric: &MaskMetric<F>) -> Option<MetricValue> {
    let maps: Vec<Vec<f64>> = case.input("maps");
    let rationales: Vec<Vec<u8>> = case.input("rationales");
    let rationales: Vec<Vec<bool>> = rationales
        .into_iter()
        .map(|sample| sample.into_iter().map(|inside| inside == 1).collect())
        .collect();
    metric.evaluate_ragged(&maps, &rationales).ok()
}

fn check(case: &Case, ours: Option<MetricValue>) {
    match ours {
        Some(ours) => case.assert_value(&ours),
        None => assert!(case.expected()["value"].is_null()),
    }
}

#[test]
fn areas_under_precision_and_recall() {
    let metric = RationaleAuprc::new();
    for case in cases("rationale-auprc", 5) {
        let area = case.params()["area"].as_str().unwrap().parse().unwrap();
        let positive_only = case.params()["positive_only"].as_bool().unwrap();
        let metric = RationaleAuprc::new()
            .area(area)
            .positive_only(positive_only);
        check(&case, ragged(&case, &metric));
        let of_peer = case.of_peer();
        if of_peer.get("formula").is_some() {
            let peers = RationaleAuprc::new()
                .area(Area::Trapezoid)
                .positive_only(true);
            let ours = ragged(&case, &peers).unwrap().per_sample;
            for (ours, theirs) in ours.iter().zip(of_peer["value"].as_array().unwrap()) {
                case.assert_is(*ours, theirs);
            }
        }
    }
    for case in cases("rationale-soft-scores", 1) {
        let area = |area| ragged(&case, &metric.clone().area(area)).map(|value| value.value);
        case.assert_is(area(Area::Trapezoid), &case.expected()["auprc"]);
        case.assert_is(
            area(Area::AveragePrecision),
            &case.expected()["average_precision"],
        );
    }
}

#[test]
fn overlaps_of_tokens() {
    for case in cases("token-f1", 4) {
        let k = TopK::Count(case.params()["k"].as_u64().unwrap() as usize);
        check(
            &case,
            ragged(&case, &TokenF1::new().k(k).ties(Ties::LowestIndex)),
        );
    }
    for case in cases("token-iou", 4) {
        let k = TopK::Count(case.params()["k"].as_u64().unwrap() as usize);
        check(
            &case,
            ragged(&case, &TokenIou::new().k(k).ties(Ties::LowestIndex)),
        );
    }
}

fn spans(case: &Case, name: &str) -> Vec<Vec<Range<usize>>> {
    let samples: Vec<Vec<(usize, usize)>> = case.input(name);
    let spans = |sample: Vec<(usize, usize)>| sample.into_iter().map(|(a, b)| a..b).collect();
    samples.into_iter().map(spans).collect()
}

fn check_spans(case: &Case, ours: SpanScores) {
    let compare = |ours: SpanScore, expected: &Value| {
        case.assert_is(ours.precision, &expected["p"]);
        case.assert_is(ours.recall, &expected["r"]);
        case.assert_is(ours.f1, &expected["f1"]);
    };
    compare(ours.micro, &case.expected()["micro"]);
    if let Some(expected) = case.expected().get("macro") {
        compare(ours.macro_mean, expected);
    }
}

#[test]
fn spans_of_rationales() {
    for case in cases("rationale-iou-f1", 4) {
        let threshold = case.params()["threshold"].as_f64().unwrap();
        let metric = RationaleIouF1::new().threshold(threshold);
        let scores = metric.evaluate(&spans(&case, "gold"), &spans(&case, "predicted"));
        check_spans(&case, scores.unwrap());
    }
    for case in cases("rationale-token-f1", 2) {
        let metric = RationaleTokenF1::new();
        let scores = metric.evaluate(&spans(&case, "gold"), &spans(&case, "predicted"));
        check_spans(&case, scores.unwrap());
    }
}
