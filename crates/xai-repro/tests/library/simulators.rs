//! The laws of the simulators, at fixed seeds.

use statrs::distribution::{ChiSquared, ContinuousCDF};
use xai_repro::simulate::{
    ClassDistribution, ErrorSet, LabelSimulator, PredictionSimulator, RunErrors,
};
use xai_repro::{PairMetric, Pairwise};

fn labels(p: &[f64], n: usize, seed: u64, item: u64) -> Vec<u32> {
    let simulator = LabelSimulator::new(p, n).unwrap();
    simulator.simulate(seed, item).unwrap()
}

fn simulator(
    law: &[f64],
    max_error_share: f64,
    error_set: ErrorSet,
    copied: Option<f64>,
) -> PredictionSimulator {
    let errors = RunErrors::default()
        .max_error_share(max_error_share)
        .error_set(error_set)
        .copied(copied);
    PredictionSimulator::new(law, errors).unwrap()
}

/// The chance of counts at least as far from their expectations, over categories expected five times
/// and more.
fn p_value(counts: &[f64], expected: &[f64]) -> f64 {
    let common: Vec<usize> = (0..counts.len()).filter(|&i| expected[i] >= 5.0).collect();
    let terms = common
        .iter()
        .map(|&i| (counts[i] - expected[i]).powi(2) / expected[i]);
    let statistic: f64 = terms.sum();
    let law = ChiSquared::new((common.len() as f64 - 1.0).max(1.0)).unwrap();
    1.0 - law.cdf(statistic)
}

#[test]
fn drawn_labels_have_the_frequencies_of_their_law() {
    let n = 200_000;
    for (item, law) in ClassDistribution::ALL.iter().enumerate() {
        for c in [2, 12, 50] {
            let p = law.draw(c, 3, item as u64).unwrap();
            let mut counts = vec![0.0; c];
            for label in labels(&p, n, 3, 100 + item as u64) {
                counts[label as usize] += 1.0;
            }
            let expected: Vec<f64> = p.iter().map(|p| p * n as f64).collect();
            let p = p_value(&counts, &expected);
            assert!(p > 1e-3, "{law}, {c} classes: p = {p}");
        }
    }
}

#[test]
fn errors_have_the_frequencies_of_their_law_in_every_mode() {
    let (n, k) = (2_000, 50);
    let p = ClassDistribution::EXPONENTIAL.draw(8, 5, 0).unwrap();
    // A class of its own for what is right, so that every drawn label shows.
    let labels = vec![8u32; n];
    for error_set in [ErrorSet::Fixed, ErrorSet::Variable] {
        for copied in [None, Some(0.3)] {
            let simulator = simulator(&p, 0.4, error_set, copied);
            let mut counts = [0.0; 8];
            // A base is one draw whatever the number of runs that copy it: many draws of two runs.
            for item in 0..k {
                let runs = simulator.simulate(&labels, 2, 9, item).unwrap();
                for run in runs.rows() {
                    let wrong = run.iter().filter(|&&label| label != 8).count();
                    assert_eq!(wrong, 800, "⌈0.4 · 2000⌉ samples are drawn anew");
                }
                for &label in runs.row(0).iter().filter(|&&label| label != 8) {
                    counts[label as usize] += 1.0;
                }
            }
            let expected: Vec<f64> = p.iter().map(|p| p * 800.0 * k as f64).collect();
            let p = p_value(&counts, &expected);
            assert!(p > 1e-3, "{error_set} {copied:?}: p = {p}");
        }
    }
}

#[test]
fn error_sets_are_uniform_over_the_samples() {
    let labels = vec![1u32; 40];
    for (error_set, copied) in [
        (ErrorSet::Fixed, None),
        (ErrorSet::Variable, None),
        (ErrorSet::Fixed, Some(0.5)),
        (ErrorSet::Variable, Some(0.5)),
    ] {
        let simulator = simulator(&[1.0], 0.25, error_set, copied);
        let mut counts = [0.0; 40];
        let draws = 4_000;
        for item in 0..draws {
            let runs = simulator.simulate(&labels, 1, 2, item).unwrap();
            for (count, &label) in counts.iter_mut().zip(&runs) {
                *count += f64::from(u8::from(label == 0));
            }
        }
        // Ten of forty without replacement: counts vary less than independent ones, by 39/40 · 3/4.
        let expected = [draws as f64 / 4.0; 40];
        let p = p_value(&counts, &expected);
        assert!(p > 1e-3, "{error_set} {copied:?}: p = {p}");
        assert!(p < 1.0 - 1e-6, "{error_set} {copied:?}: p = {p}");
    }
}

#[test]
fn runs_share_their_set_when_it_is_fixed_and_a_share_when_they_copy() {
    let labels = vec![0u32; 1000];
    let shared = |error_set, copied| {
        let simulator = simulator(&[0.0, 1.0], 0.2, error_set, copied);
        let runs = simulator.simulate(&labels, 2, 4, 0).unwrap();
        let pairs = runs.columns().into_iter();
        pairs
            .filter(|labels| labels.iter().all(|&label| label == 1))
            .count()
    };
    assert_eq!(shared(ErrorSet::Fixed, None), 200);
    // Two sets of 200 of 1000 share 40 on average, with a standard deviation of 5.1.
    let by_chance = shared(ErrorSet::Variable, None);
    assert!((20..60).contains(&by_chance), "{by_chance}");
    let mostly = shared(ErrorSet::Variable, Some(0.9));
    assert!((160..200).contains(&mostly), "{mostly}");
    assert_eq!(shared(ErrorSet::Variable, Some(1.0)), 200);
}

#[test]
fn copying_everything_makes_all_runs_equal() {
    let labels = LabelSimulator::with_every_class(&[0.5, 0.3, 0.2], 500).unwrap();
    let labels = labels.simulate(1, 0).unwrap();
    for error_set in [ErrorSet::Fixed, ErrorSet::Variable] {
        let simulator = simulator(&[0.2, 0.3, 0.5], 0.6, error_set, Some(1.0));
        let runs = simulator.simulate(&labels, 6, 1, 3).unwrap();
        let metrics = Pairwise::new().evaluate(runs.view(), &labels).unwrap();
        for metric in [
            PairMetric::EC_LOCAL,
            PairMetric::EC_ACC,
            PairMetric::EC_CORR,
            PairMetric::EC_KAPPA,
            PairMetric::PA_ACC,
            PairMetric::PA_KAPPA,
            PairMetric::PA_CRAMERS_V,
            PairMetric::PA_NMI,
        ] {
            assert!(
                metrics.pairs(metric).iter().all(|&v| v == Some(1.0)),
                "{metric}"
            );
        }
    }
}

#[test]
fn independent_runs_that_may_err_everywhere_have_no_kappa() {
    let n = 20_000;
    let labels = vec![0u32; n];
    let p = [0.4, 0.3, 0.2, 0.1];
    let simulator = simulator(&p, 1.0, ErrorSet::Fixed, Some(0.0));
    let runs = simulator.simulate(&labels, 10, 8, 0).unwrap();
    let metrics = Pairwise::new().evaluate(runs.view(), &labels).unwrap();
    // By chance p_e = 0.3; under independence the standard error of κ is √(p_e/(n(1 − p_e))) at most
    // about 0.005, and 45 pairs stay within 5 of them.
    for kappa in metrics.pairs(PairMetric::PA_KAPPA) {
        assert!(kappa.unwrap().abs() < 0.025, "{kappa:?}");
    }
    let mean = metrics.summary(PairMetric::PA_KAPPA).mean.unwrap();
    assert!(mean.abs() < 0.005, "{mean}");
}

#[test]
fn predictions_outside_the_error_set_are_right() {
    let labels = labels(&[0.25; 4], 999, 6, 0);
    for item in 0..20 {
        let share = item as f64 / 19.0;
        let simulator = simulator(&[0.25; 4], share, ErrorSet::Variable, None);
        let runs = simulator.simulate(&labels, 3, 6, item).unwrap();
        for run in runs.rows() {
            let wrong = run.iter().zip(&labels).filter(|(a, b)| a != b).count();
            assert!(wrong as f64 <= (share * 999.0).ceil(), "{share} {wrong}");
        }
    }
}

#[test]
fn more_runs_begin_with_the_same_ones() {
    let labels = [0u32, 1, 1, 0, 1];
    let simulator = simulator(&[0.5, 0.5], 0.8, ErrorSet::Fixed, None);
    let few = simulator.simulate(&labels, 2, 3, 5).unwrap();
    let many = simulator.simulate(&labels, 4, 3, 5).unwrap();
    assert_eq!(few.row(1), many.row(1));
    assert_ne!(simulator.simulate(&labels, 2, 3, 6).unwrap(), few);
}

#[test]
fn the_step_law_has_the_requested_number_of_classes() {
    for c in 2..=200 {
        for item in 0..20 {
            let p = ClassDistribution::Step.draw(c, 1, item).unwrap();
            assert_eq!(p.len(), c);
            assert!(p.is_sorted_by(|a, b| a >= b));
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn labels_are_redrawn_until_every_class_occurs() {
    let simulator = LabelSimulator::with_every_class(&[0.9, 0.08, 0.02], 30).unwrap();
    for item in 0..50 {
        let labels = simulator.simulate(1, item).unwrap();
        assert!((0..3).all(|class| labels.contains(&class)));
    }
}
