//! The metrics of `time_interpret` that ask a model, and what differs on purpose.

use ndarray::{Array1, Array2, ArrayD, ArrayViewD};
use xai_attribution::metric::{
    AnswerKept, LogProbabilityRise, ModelOutput, OutputFormula, OutputPair, Outputs,
    TargetSurprise, Value, registry,
};
use xai_attribution::model::Scoring;
use xai_attribution::perturbation::PrecomputedBaselines;
use xai_attribution::{Activation, Evaluate, EvaluationData};
use xai_core::describe::with;

use super::{Case, cases, model};

fn array(case: &Case, name: &str) -> Option<ArrayD<f64>> {
    let samples: Option<Vec<Vec<Vec<f64>>>> = case.input(name);
    samples.map(|samples| {
        let shape = vec![samples.len(), samples[0].len(), samples[0][0].len()];
        ArrayD::from_shape_vec(shape, samples.concat().concat()).unwrap()
    })
}

/// The linear model of the file: logits of flattened series.
fn linear() -> impl Fn(ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> + Sync {
    let of = model("series");
    let weights: Vec<Vec<f64>> = serde_json::from_value(of["weights"].clone()).unwrap();
    let bias: Vec<f64> = serde_json::from_value(of["bias"].clone()).unwrap();
    let shape = (weights.len(), bias.len());
    let weights = Array2::from_shape_vec(shape, weights.concat()).unwrap();
    move |batch: ArrayViewD<'_, f64>| {
        let rows = batch.to_shape((batch.shape()[0], shape.0)).unwrap();
        Ok(rows.dot(&weights) + &Array1::from(bias.clone()))
    }
}

fn check(case: &Case, name: &str, mut settings: Vec<(String, Value)>, activation: Activation) {
    let (x, maps) = (array(case, "x").unwrap(), array(case, "maps").unwrap());
    let targets: Option<Vec<usize>> = case.input("targets");
    let linear = linear();
    // The model's answers, where none are given.
    let targets = targets.unwrap_or_else(|| {
        let outputs = linear(x.view()).unwrap();
        let answer = |row: ndarray::ArrayView1<'_, f64>| xai_core::output::arg_max(&row.to_vec());
        outputs
            .outer_iter()
            .map(|row| answer(row).unwrap())
            .collect()
    });
    let mut data = EvaluationData::new(x.view(), &targets)
        .model(&linear)
        .maps(maps.view());
    if let Some(baseline) = array(case, "baseline") {
        settings.push(("baseline".into(), "given:0".into()));
        data = data.with(PrecomputedBaselines(vec![baseline]));
    }
    let metric = registry::find(name)
        .unwrap()
        .build::<f64>(&settings)
        .unwrap();
    let scoring = Scoring {
        activation,
        batch_size: Some(2),
        ..Scoring::default()
    };
    case.assert_value(&metric.evaluate_on(data.scoring(scoring)).unwrap());
}

#[test]
fn one_share_of_the_curves() {
    for (theirs, ours) in [
        ("series-comprehensiveness", "comprehensiveness"),
        ("series-sufficiency", "rationale-sufficiency"),
    ] {
        for case in cases(theirs, 2) {
            let top = case.params()["top"].as_f64().unwrap();
            let settings = vec![("steps".into(), Value::List(vec![top.into()]))];
            check(&case, ours, settings, Activation::Softmax);
        }
    }
}

#[test]
fn outputs_without_the_top() {
    for (name, n) in [
        ("log-odds", 2),
        ("cross-entropy", 3),
        ("masked-accuracy", 3),
        ("output-mae", 3),
        ("output-mse", 3),
    ] {
        let cases = cases(name, n).into_iter();
        for case in cases.filter(|case| case.params().get("top").is_some()) {
            let params = case.params().as_object().unwrap().iter();
            let mut settings: Vec<(String, Value)> = params
                .map(|(name, value)| match value.as_bool() {
                    Some(flag) => (name.clone(), flag.into()),
                    None => (name.clone(), value.as_f64().unwrap().into()),
                })
                .collect();
            if name.starts_with("output") && case.input::<Option<Vec<usize>>>("targets").is_some() {
                settings.push(("of".into(), "target".into()));
            }
            check(&case, name, settings.clone(), Activation::None);
            if !name.starts_with("output") {
                check(&case, name, settings, Activation::Softmax);
            }
        }
    }
}

fn answer(all: &[f64], class: usize) -> ModelOutput<'_> {
    let target = all[class];
    let outputs = Outputs { all, target };
    ModelOutput {
        raw: outputs,
        activated: outputs,
        activation: Activation::None,
        class,
    }
}

#[test]
fn outputs_that_a_softmax_does_not_hold() {
    let of = |name: &str, case: &Case, outputs: &OutputPair<'_>| {
        let threshold = case.params()["threshold"].as_f64();
        match name {
            "log-odds" => LogProbabilityRise::default().value(outputs),
            "cross-entropy" => TargetSurprise::default().value(outputs),
            _ => {
                let threshold = threshold.map(|t| ("threshold".to_owned(), Value::from(t)));
                let formula = with(AnswerKept::default(), threshold).unwrap();
                formula.value(outputs)
            }
        }
    };
    let mut n_compared = 0;
    for name in ["log-odds", "cross-entropy", "masked-accuracy"] {
        let cases = cases(name, 1).into_iter();
        for case in cases.filter(|case| case.params().get("top").is_none()) {
            let before: Vec<Vec<f64>> = case.input("logits");
            let after: Vec<Vec<f64>> = case.input("logits_masked");
            let targets: Vec<usize> = case.input("targets");
            let expected = case.expected()["per_sample"].as_array().unwrap();
            for (i, expected) in expected.iter().enumerate() {
                let pair = OutputPair {
                    before: answer(&before[i], targets[i]),
                    after: answer(&after[i], targets[i]),
                    are_probabilities: false,
                };
                case.assert_is(of(name, &case, &pair).unwrap(), expected);
                n_compared += 1;
            }
        }
    }
    assert_eq!(n_compared, 14);
}
