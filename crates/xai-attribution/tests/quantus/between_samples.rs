//! Metrics of all samples together.

use ndarray::Array2;
use xai_attribution::metric::{Consistency, Discretizer, Sufficiency, Threshold};
use xai_core::output::arg_max_rows;

use crate::golden::{Case, Golden, flat};

/// Quantus has 0 where nobody is near, or shares the map.
fn undefined_as_zero(values: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let or_zero = values.into_iter().map(|value| value.unwrap_or_default());
    or_zero.map(Some).collect()
}

/// All of a metric's samples: where none has a value, none of Quantus' is other than 0.
fn values(
    case: &Case,
    golden: &Golden,
    metric: &impl xai_attribution::metric::Measure<f64>,
) -> Vec<Option<f64>> {
    let n = golden.problem(case).targets.len();
    let value = case.all(golden).try_evaluate(metric, true, |data| data);
    undefined_as_zero(value.map_or_else(|_| vec![None; n], |value| value.per_sample))
}

/// One position with the same value in all maps makes every distance of Quantus a NaN, near to nobody, and so all
/// of its values 0. Ours are those of the formula over the other positions.
#[test]
fn sufficiency() {
    let golden = Golden::read();
    let mut n_constant = 0;
    for case in golden.cases("Sufficiency", 9) {
        let share = case.params["threshold"].as_f64().unwrap();
        let metric = Sufficiency::new().threshold(Threshold::OfLargest(share));
        let ours = values(case, &golden, &metric);
        let maps = flat(case.maps(golden.problem(case)));
        if maps
            .columns()
            .into_iter()
            .all(|column| column.var(1.0) > 0.0)
        {
            case.assert(&ours);
            continue;
        }
        n_constant += 1;
        assert!(case.values().iter().all(|theirs| *theirs == Some(0.0)));
        let classes = predictions(&golden, case);
        assert_eq!(ours, by_formula(&maps, &classes, share));
    }
    assert_eq!(n_constant, 3);
}

fn predictions(golden: &Golden, case: &Case) -> Vec<usize> {
    let problem = golden.problem(case);
    let logits = problem.weights.logits(&flat(problem.inputs()));
    arg_max_rows(xai_attribution::input::OUTPUTS, logits.view()).unwrap()
}

/// Positions that vary, in units of their standard deviation; 0 where nobody is near.
fn by_formula(maps: &Array2<f64>, classes: &[usize], share: f64) -> Vec<Option<f64>> {
    let n = maps.nrows();
    let apart = |i: usize, j: usize| {
        let columns = maps.columns().into_iter();
        let varying = columns.filter(|column| column.var(1.0) > 0.0);
        let squares = varying.map(|column| (column[i] - column[j]).powi(2) / column.var(1.0));
        squares.sum::<f64>().sqrt()
    };
    let pairs = (0..n * n).map(|pair| apart(pair / n, pair % n));
    let largest = pairs.fold(0.0, f64::max);
    let value = |i| {
        let near = (0..n).filter(|&j| j != i && apart(i, j) <= share * largest);
        let (near, alike) = near.fold((0, 0), |(near, alike), j| {
            (near + 1, alike + u32::from(classes[i] == classes[j]))
        });
        Some(f64::from(alike) / f64::from(near.max(1)))
    };
    (0..n).map(value).collect()
}

/// Quantus adds 1e-9 to the number of samples that share the map.
#[test]
fn consistency() {
    let golden = Golden::read();
    for case in golden.cases("Consistency", 4) {
        let sign = |a: f64| i64::from(a > 0.0) - i64::from(a < 0.0);
        let discretizer = match case.params["discretise_func"].as_str().unwrap() {
            "top_n_sign" => {
                Discretizer::function(move |map| map[..5].iter().map(|&a| sign(a)).collect())
            }
            "sign" => Discretizer::function(move |map| map.iter().map(|&a| sign(a)).collect()),
            // Descending, the later of two equal ones first.
            "rank" => Discretizer::function(|map| {
                let mut order: Vec<usize> = (0..map.len()).collect();
                order.sort_by(|&i, &j| map[i].total_cmp(&map[j]));
                order.into_iter().rev().map(|i| i as i64).collect()
            }),
            "floating_points" => Discretizer::Rounded(2),
            other => panic!("{other}"),
        };
        let metric = Consistency::new().discretizer(discretizer);
        let ours = values(case, &golden, &metric);
        for (ours, theirs) in ours.iter().zip(case.values()) {
            assert!(
                (ours.unwrap() - theirs.unwrap()).abs() < 2e-9,
                "{ours:?} {theirs:?}"
            );
        }
    }
}
