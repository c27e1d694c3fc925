//! Metrics of maps and masks.

use ndarray::Array3;
use xai_attribution::metric::{
    AttributionLocalization, Focus, LocalizationAuroc, Measure, PointingGame, PointingTies,
    Relevance, RelevanceMassAccuracy, RelevanceRankAccuracy, Ties, TopK, TopKIntersection,
};
use xai_attribution::model::Scoring;
use xai_attribution::side::Masks;
use xai_attribution::{Evaluate, EvaluationData, InputLayout};

use crate::golden::{Case, Golden, Problem};

fn per_sample(
    metric: &impl Measure<f64>,
    case: &Case,
    problem: &Problem,
    masks: Masks,
) -> Vec<Option<f64>> {
    let maps = case.maps(problem);
    let scoring = Scoring {
        layout: Some(InputLayout::ChannelsFirst),
        ..Scoring::default()
    };
    let data = EvaluationData::from_maps(maps.view())
        .with(masks)
        .scoring(scoring);
    metric.evaluate_on(data).unwrap().per_sample
}

fn masks(problem: &Problem) -> Masks {
    Masks::new(problem.masks())
}

/// Which samples have an empty mask.
fn are_empty(masks: &Array3<bool>) -> Vec<bool> {
    masks
        .outer_iter()
        .map(|mask| !mask.iter().any(|&inside| inside))
        .collect()
}

#[test]
fn pointing_game_but_for_empty_masks() {
    let golden = Golden::read();
    for case in golden.cases("PointingGame", 2) {
        let problem = golden.problem(case);
        let ours = per_sample(
            &PointingGame::new().ties(PointingTies::Any),
            case,
            problem,
            masks(problem),
        );
        // Quantus writes NaN into an array of booleans: an empty mask is a hit.
        let empty = are_empty(&problem.masks());
        assert!(empty.contains(&true));
        for (i, theirs) in case.values().into_iter().enumerate() {
            let expected = if empty[i] { None } else { theirs };
            assert_eq!(ours[i], expected, "sample {i}");
            assert!(!empty[i] || theirs == Some(1.0));
        }
    }
}

#[test]
fn attribution_localization_but_for_its_weight() {
    let golden = Golden::read();
    for case in golden.cases("AttributionLocalisation", 6) {
        let problem = golden.problem(case);
        let relevance = match case.is("positive_attributions") {
            true => Relevance::Positive,
            false => Relevance::Signed,
        };
        let metric = AttributionLocalization::new().relevance(relevance);
        let share = per_sample(&metric, case, problem, masks(problem));
        if !case.is("weighted") {
            case.assert(&share);
            continue;
        }
        let problem_masks = problem.masks();
        // Quantus multiplies by S_in over the number of elements of all samples but the first two,
        // Kohlbrenner by S_tot / S_in.
        let elements = problem.inputs().len() / problem_masks.dim().0 * (problem_masks.dim().0 - 2);
        let weighted = per_sample(&metric.weighted(true), case, problem, masks(problem));
        for (i, theirs) in case.values().into_iter().enumerate() {
            let (Some(share), Some(weighted)) = (share[i], weighted[i]) else {
                assert_eq!((share[i], weighted[i], theirs), (None, None, None));
                continue;
            };
            let mask = problem_masks.index_axis(ndarray::Axis(0), i);
            let size = mask.iter().filter(|&&inside| inside).count() as f64;
            let total = mask.len() as f64;
            assert!((weighted - share * total / size).abs() <= 1e-12 * weighted);
            assert!((theirs.unwrap() - share * size / elements as f64).abs() <= case.tolerance);
        }
    }
}

#[test]
fn top_k_intersection() {
    let golden = Golden::read();
    for case in golden.cases("TopKIntersection", 4) {
        let problem = golden.problem(case);
        let k = case.params["k"].as_u64().unwrap();
        let metric = TopKIntersection::new()
            .k(TopK::Count(usize::try_from(k).unwrap()))
            .influence(case.is("concept_influence"))
            .ties(Ties::LowestIndex);
        case.assert(&per_sample(&metric, case, problem, masks(problem)));
    }
}

#[test]
fn relevance_accuracies() {
    let golden = Golden::read();
    for case in golden.cases("RelevanceRankAccuracy", 4) {
        let problem = golden.problem(case);
        let ours = per_sample(
            &RelevanceRankAccuracy::new().ties(Ties::LowestIndex),
            case,
            problem,
            masks(problem),
        );
        case.assert(&ours);
    }
    for case in golden.cases("RelevanceMassAccuracy", 4) {
        let problem = golden.problem(case);
        let metric = RelevanceMassAccuracy::new().relevance(Relevance::Signed);
        case.assert(&per_sample(&metric, case, problem, masks(problem)));
    }
}

#[test]
fn area_under_the_roc_curve() {
    let golden = Golden::read();
    for case in golden.cases("AUC", 4) {
        let problem = golden.problem(case);
        let ours = per_sample(&LocalizationAuroc::new(), case, problem, masks(problem));
        case.assert(&ours);
    }
}

#[test]
fn focus() {
    let golden = Golden::read();
    for case in golden.cases("Focus", 2) {
        let problem = golden.problem(case);
        let quadrants: Vec<Vec<f64>> = serde_json::from_value(case.quadrants.clone()).unwrap();
        let cells = Array3::from_shape_fn((quadrants.len(), 2, 2), |(i, r, c)| {
            quadrants[i][2 * r + c] != 0.0
        });
        let (_, height, width) = problem.masks().dim();
        let mosaic = Masks::mosaic(&cells, height, width).unwrap();
        case.assert(&per_sample(&Focus::new(), case, problem, mosaic));
    }
}
