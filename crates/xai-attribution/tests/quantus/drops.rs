//! Sensitivity-n, monotonicity by correlation, and prediction gaps.

use ndarray::Ix3;
use xai_attribution::metric::{
    Measure, MonotonicityCorrelation, MuFidelity, NoisyPart, PredictionGap, PredictionGapImportant,
    PredictionGapUnimportant, SensitivityN, TopK,
};
use xai_attribution::perturbation::{
    Features, Neighborhood, Neighbors, PrecomputedNeighbors, PrecomputedValues, SubsetSize,
    ValueRange,
};
use xai_core::statistics::Correlation;

use crate::golden::{Case, Golden};

/// Quantus correlates drops along one deletion with the sums of single steps, over the samples of the
/// first batch: a number per step, in which the perfect map of a linear model is far from 1. Ours is the
/// paper's: 1 for that map.
#[test]
fn sensitivity_n_of_quantus_is_another_number() {
    let golden = Golden::read();
    for case in golden.cases("SensitivityN", 2) {
        let theirs = case.values();
        let n_samples = golden.problem(case).targets.len();
        assert_ne!(theirs.len(), n_samples);
        assert!(theirs.iter().flatten().all(|r| (-1.0..=1.0).contains(r)));
        let metric = SensitivityN::new().n_subsets(30).baseline(case.baseline());
        let ours = case.evaluate_flat(&golden, &metric);
        assert_eq!(ours.per_sample.len(), n_samples);
        // 144 features, of which at most 80 %.
        let sizes: Vec<usize> = ours.curve.unwrap().iter().map(|p| p.n_flipped).collect();
        assert_eq!(sizes, [1, 2, 4, 6, 9, 13, 21, 32, 49, 75, 115]);
    }
    // Scores before the softmax are linear.
    let case = golden.cases("FaithfulnessCorrelation", 10).last().unwrap();
    assert_eq!(
        (case.map.as_str(), case.problem.as_str()),
        ("input_x_gradient", "linear")
    );
    let metric = SensitivityN::new().baseline(case.baseline());
    let perfect = case.evaluate_flat(&golden, &metric);
    assert!(
        perfect
            .per_sample
            .iter()
            .all(|v| (v.unwrap() - 1.0).abs() < 1e-12)
    );
    assert!(
        perfect
            .curve
            .unwrap()
            .iter()
            .all(|p| (p.score - 1.0).abs() < 1e-12)
    );
    assert_eq!(perfect.n_undefined, 0);
    // What Quantus has for the same map, by its own formula, is not.
    let theirs = quantus(case, &golden);
    assert!(theirs.iter().any(|r| *r < 0.9), "{theirs:?}");
}

/// The formula of Quantus, which reproduces its cases: steps of four features, up to 80 % of them.
fn quantus(case: &Case, golden: &Golden) -> Vec<f64> {
    let problem = golden.problem(case);
    let x = crate::golden::flat(problem.inputs());
    let maps = crate::golden::flat(case.maps(problem));
    let (n, size) = x.dim();
    let score = |x: &ndarray::Array2<f64>| -> Vec<f64> {
        let mut logits = problem.weights.logits(x);
        if case.softmax.as_bool() == Some(true) {
            for mut row in logits.outer_iter_mut() {
                row.mapv_inplace(f64::exp);
                let sum = row.sum();
                row /= sum;
            }
        }
        (0..n)
            .map(|i| logits[[i, problem.targets[i] as usize]])
            .collect()
    };
    let order = |map: ndarray::ArrayView1<'_, f64>| {
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&a, &b| map[b].total_cmp(&map[a]));
        order
    };
    let orders: Vec<_> = maps.outer_iter().map(order).collect();
    let (base, mut current) = (score(&x), x.clone());
    let steps = (0..size).step_by(4).map(|first| {
        let mut sums = Vec::new();
        for (i, order) in orders.iter().enumerate() {
            let step = &order[first..first + 4];
            // "black" is the smallest element of what is left, which no other is below.
            let black = current.row(i).iter().copied().fold(f64::INFINITY, f64::min);
            let fill = case.params["perturb_baseline"].as_f64().unwrap_or(black);
            step.iter().for_each(|&p| current[[i, p]] = fill);
            sums.push(step.iter().map(|&p| maps[[i, p]]).sum::<f64>());
        }
        let drops: Vec<f64> = score(&current)
            .iter()
            .zip(&base)
            .map(|(s, b)| b - s)
            .collect();
        Correlation::Pearson
            .correlate_finite(&drops, &sums)
            .unwrap()
    });
    steps.take(size * 8 / 10 / 4).collect()
}

#[test]
fn the_formula_of_quantus_is_that_of_its_sensitivity_n() {
    let golden = Golden::read();
    for case in golden.cases("SensitivityN", 2) {
        let ours: Vec<_> = quantus(case, &golden).into_iter().map(Some).collect();
        case.assert(&ours);
    }
}

/// Faithfulness correlation of subsets of one size is one point of the curve.
#[test]
fn faithfulness_correlations_are_points_of_sensitivity_n() {
    let golden = Golden::read();
    let mut sizes = Vec::new();
    for case in golden.cases("FaithfulnessCorrelation", 10) {
        let size = case.count("subset_size");
        let metric = SensitivityN::new()
            .sizes(Some(&[size]))
            .n_subsets(14)
            .baseline(case.baseline());
        let one = MuFidelity::new()
            .correlation(Correlation::Pearson)
            .features(Features::Positions)
            .subset_size(SubsetSize::Count(size))
            .n_subsets(14)
            .baseline(case.baseline());
        let (ours, one) = (
            case.evaluate_flat(&golden, &metric),
            case.evaluate_flat(&golden, &one),
        );
        assert_eq!(ours.per_sample, one.per_sample);
        sizes.push(size);
    }
    sizes.sort_unstable();
    sizes.dedup();
    assert_eq!(sizes, [20, 24, 60, 100]);
}

#[test]
fn monotonicity_correlation() {
    let golden = Golden::read();
    for case in golden.cases("MonotonicityCorrelation", 2) {
        // (steps, draws, samples) there, (draws, samples, features) here.
        let values = case.draws("values").into_dimensionality::<Ix3>().unwrap();
        let values = values
            .permuted_axes([1, 2, 0])
            .as_standard_layout()
            .into_owned();
        let metric = MonotonicityCorrelation::new()
            .group_size(case.count("features_in_step"))
            .value_range(ValueRange::Given);
        let run = case.all(&golden);
        let ours = run.evaluate(&metric, true, |data| data.with(PrecomputedValues(values)));
        case.assert(&ours.per_sample);
    }
}

/// The first output, whatever is predicted.
fn assert_gap<K: NoisyPart>(name: &str, metric: &PredictionGap<K>)
where
    PredictionGap<K>: Measure<f64>,
{
    let mut golden = Golden::read();
    golden.retarget("tabular", vec![0; 9]);
    for case in golden.cases(name, 1) {
        let mut noise = case.draws("noise");
        noise.swap_axes(0, 1);
        let noise = PrecomputedNeighbors(noise.as_standard_layout().into_owned());
        let given = Neighbors {
            neighborhood: Neighborhood::Given,
            ..Neighbors::above(0.1)
        };
        let metric = metric
            .clone()
            .neighbors(given)
            .k(TopK::Count(case.count("top")));
        let run = case.all(&golden);
        let ours = run.evaluate(&metric, true, |data| data.with(noise));
        case.assert(&ours.per_sample);
    }
}

#[test]
fn prediction_gaps_of_openxai() {
    assert_gap("openxai.PGI", &PredictionGapImportant::new());
    assert_gap("openxai.PGU", &PredictionGapUnimportant::new());
}
