//! ADCC, by hand.

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, array};
use xai_attribution::metric::{Adcc, BaseScorePolicy};
use xai_attribution::model::Targets;
use xai_attribution::{Evaluate, EvaluationData, EvaluationError, Result, help, input};

type Maps = Result<ArrayD<f64>, std::fmt::Error>;

/// By hand, of two features: the map keeps the first, and what it keeps is explained by the second.
#[test]
fn adcc_is_the_harmonic_mean_of_its_parts() {
    let x = array![[0.75, 0.25]].into_dyn();
    let model = |x: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(x.sum_axis(Axis(1))
            .insert_axis(Axis(1))
            .into_dimensionality()
            .unwrap())
    };
    let evaluate = |weights: [f64; 4], policy: BaseScorePolicy, x: &ArrayD<f64>| {
        // The whole input is explained by the first two numbers, a masked one by the others.
        let explainer = move |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
            let of = if x[[0, 1]] == 0.0 {
                &weights[2..]
            } else {
                &weights[..2]
            };
            Ok(ArrayD::from_shape_fn(x.raw_dim(), |i| of[i[1]]))
        };
        let data = EvaluationData::new(x.view(), &[0])
            .model(&model)
            .explainer(&explainer);
        let value = Adcc::new().base_score_policy(policy).evaluate_on(data);
        value
            .map_err(EvaluationError::into_error)
            .map(|value| value.value)
    };
    let of = |weights: [f64; 4]| evaluate(weights, BaseScorePolicy::Error, &x);
    // Coherency 1, complexity ½, drop ¼.
    let expected = 3.0 / (1.0 + 2.0 + 4.0 / 3.0);
    assert!((of([1.0, 0.0, 1.0, 0.0]).unwrap() - expected).abs() < 1e-6);
    // Signs do not count, nor does the unit.
    assert!((of([-4.0, 0.0, 2.0, 0.0]).unwrap() - expected).abs() < 1e-6);
    // What is kept is explained by what is not: coherency 0.
    assert_eq!(of([1.0, 0.0, 0.0, 1.0]).unwrap(), 0.0);
    // A constant map has no coherency.
    for constant in [[1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 1.0], [0.0; 4]] {
        assert_eq!(of(constant).unwrap_err().input(), input::VALUES);
    }
    assert_eq!(
        of([1.0, 0.0, f64::NAN, 0.0]).unwrap_err().input(),
        input::EXPLANATIONS
    );
    let negative = array![[-0.75, 0.25]].into_dyn();
    let error = evaluate([1.0, 0.0, 1.0, 0.0], BaseScorePolicy::Error, &negative).unwrap_err();
    assert_eq!(error.help(), Some(help::CHOOSE_ACTIVATION_OR_POLICY));
    let skipped = evaluate([1.0, 0.0, 1.0, 0.0], BaseScorePolicy::Skip, &negative);
    assert_eq!(skipped.unwrap_err().input(), input::VALUES);
}
