//! Input invariance, of a model that begins with a convolution.

use ndarray::{Array4, ArrayD, ArrayViewD, Ix4};
use serde_json::Value;
use xai_attribution::map::maps_within;
use xai_attribution::metric::InputInvariance;
use xai_attribution::model::Targets;
use xai_attribution::side::SecondMaps;
use xai_attribution::{Evaluate, EvaluationData, InputLayout};

use crate::golden::{Case, Golden};

/// Logits `relu(correlation of x with K, + c) W + b`: kernels, their biases, and the last layer.
#[derive(Clone)]
struct Convolution {
    k: ArrayD<f64>,
    c: ArrayD<f64>,
    w: ArrayD<f64>,
}

impl Convolution {
    fn of(golden: &Golden, case: &Case) -> Self {
        let [k, c, w] = ["K", "c", "W"].map(|name| golden.problem(case).array(name));
        Self { k, c, w }
    }

    /// The model that undoes a shift of all its inputs.
    fn shifted(mut self, by: f64) -> Self {
        for (c, kernel) in self.c.iter_mut().zip(self.k.outer_iter()) {
            *c -= by * kernel.sum();
        }
        self
    }

    /// The gradient of the targets' logits, or the input times it.
    fn maps(&self, x: &Array4<f64>, targets: &[i64], explainer: &str) -> ArrayD<f64> {
        let (n, _, height, width) = x.dim();
        let (inner, plane) = (width - 2, (height - 2) * (width - 2));
        let window = || (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let mut maps = Array4::zeros(x.dim());
        for (sample, &target) in targets.iter().enumerate().take(n) {
            for (kernel, of_kernel) in self.k.outer_iter().enumerate() {
                for p in 0..plane {
                    let (row, column) = (p / inner, p % inner);
                    let at = |(i, j): (usize, usize)| {
                        of_kernel[[0, i, j]] * x[[sample, 0, row + i, column + j]]
                    };
                    if self.c[[kernel]] + window().map(at).sum::<f64>() > 0.0 {
                        let weight = self.w[[kernel * plane + p, target as usize]];
                        for (i, j) in window() {
                            maps[[sample, 0, row + i, column + j]] += weight * of_kernel[[0, i, j]];
                        }
                    }
                }
            }
        }
        match explainer {
            "gradient" => maps.into_dyn(),
            "input_x_gradient" => (maps * x).into_dyn(),
            other => panic!("{other}"),
        }
    }
}

/// Quantus shifts all elements but the first of each sample, and tests every element within
/// 1e-4 + 1e-5 |e'|.
#[test]
fn input_invariance() {
    let golden = Golden::read();
    for case in golden.cases("InputInvariance", 2) {
        let shift = case.params["input_shift"].as_f64().unwrap();
        let problem = golden.problem(case);
        let x: Array4<f64> = problem.inputs().into_dimensionality::<Ix4>().unwrap();
        let model = Convolution::of(&golden, case);
        let maps = model.maps(&x, &problem.targets, &case.explainer);
        let of_shifted = model.shifted(shift);
        let explainer = case.explainer.clone();
        let second = move |x: ArrayViewD<'_, f64>, targets: &Targets, but_first: bool| {
            let Targets::Classes(classes) = targets else {
                return Err(std::fmt::Error);
            };
            let mut x = (&x + shift).into_dimensionality::<Ix4>().unwrap();
            if but_first {
                for mut sample in x.outer_iter_mut() {
                    sample[[0, 0, 0]] -= shift;
                }
            }
            Ok(of_shifted.maps(&x, classes, &explainer))
        };
        let targets = Targets::Classes(problem.targets.clone());
        let theirs = second(x.view().into_dyn(), &targets, true).unwrap();
        let holds = maps_within(maps.view(), theirs.view(), 1e-4, 1e-5).unwrap();
        let expected: Vec<Value> = holds.iter().map(|&holds| holds.into()).collect();
        assert_eq!(Value::from(expected), case.output, "{}", case.explainer);
        // Ours shifts them all: the gradient does not move, its product with the input does.
        let data = EvaluationData::new(x.view(), &problem.targets)
            .maps(maps.view())
            .with(SecondMaps::from_fn(move |x, targets: &Targets| {
                second(x, targets, false)
            }))
            .layout(InputLayout::ChannelsFirst);
        let ours = InputInvariance::new().evaluate_on(data).unwrap().per_sample;
        let invariant = ours.iter().all(|gap| gap.unwrap() <= 1e-12);
        assert_eq!(invariant, case.explainer == "gradient");
        assert_eq!(ours.iter().all(|gap| gap.unwrap() > 0.1), !invariant);
    }
}
