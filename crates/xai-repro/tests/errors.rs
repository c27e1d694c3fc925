//! The error table, row by row, and the policies for what is undefined.

use ndarray::{Array2, array};
use xai_repro::agreement::Agreement;
use xai_repro::{
    ClassDistribution, EmptyUnion, Error, PairMetric, PairwiseReproducibility, sample_labels,
};

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn bad_predictions_are_named() {
    let of = |p: Array2<i64>, y: &[i64]| PairwiseReproducibility::from_predictions(p.view(), y);
    assert_eq!(
        message(of(array![[1, 2]], &[1, 2])),
        "runs: at least 2 needed, got 1"
    );
    assert_eq!(
        message(of(Array2::zeros((3, 0)), &[])),
        "samples: nothing to measure, at least one is needed"
    );
    assert_eq!(
        message(of(Array2::zeros((3, 2)), &[0])),
        "labels: expected shape (2), got (1)"
    );
    let none = PairwiseReproducibility::builder().metrics(&[]);
    assert!(matches!(
        none.from_predictions(Array2::<u8>::zeros((2, 2)).view(), &[0, 0]),
        Err(Error::Empty { .. })
    ));
    assert!(
        message("kappa".parse::<PairMetric>())
            .starts_with("metric = kappa: expected one of ec_local")
    );
    assert_eq!(
        message(Agreement::of(array![[1u8, 2]].view())),
        "runs: at least 2 needed, got 1"
    );
}

#[test]
fn two_runs_without_errors_follow_the_policy() {
    let y = [0u8, 1, 1];
    let p = array![[0u8, 1, 1], [0, 1, 1], [0, 1, 0]];
    let with = |policy| {
        PairwiseReproducibility::builder()
            .empty_union(policy)
            .from_predictions(p.view(), &y)
    };
    let local = |policy| with(policy).unwrap().pairs(PairMetric::EcLocal)[0];
    assert_eq!(local(EmptyUnion::Undefined), None);
    assert_eq!(local(EmptyUnion::Zero), Some(0.0));
    assert_eq!(local(EmptyUnion::One), Some(1.0));
    let undefined = with(EmptyUnion::Undefined)
        .unwrap()
        .summary(PairMetric::EcLocal);
    assert_eq!((undefined.n_defined, undefined.n_undefined), (2, 1));
    let dropped = with(EmptyUnion::Drop).unwrap().summary(PairMetric::EcLocal);
    assert_eq!((dropped.n_defined, dropped.n_undefined), (2, 0));
    assert_eq!(
        message(with(EmptyUnion::Error)),
        "errors of the pair of runs[0, 1] = 0: expected at least one error in either run; \
         choose another EmptyUnion policy"
    );
}

#[test]
fn what_is_undefined_is_none_and_counted() {
    let y = [0u8, 0, 0];
    let constant = array![[1u8, 1, 1], [1, 1, 1], [1, 1, 1]];
    let runs = PairwiseReproducibility::from_predictions(constant.view(), &y).unwrap();
    for metric in [
        PairMetric::EcCorr,
        PairMetric::PaKappa,
        PairMetric::PaCramersV,
    ] {
        let summary = runs.summary(metric);
        assert_eq!((summary.mean, summary.n_undefined), (None, 3), "{metric}");
        assert_eq!(runs.interval(metric, 0.95).unwrap(), None);
    }
    let agreement = Agreement::of(constant.view()).unwrap();
    assert_eq!(agreement.fleiss_kappa(), None);
    assert_eq!(agreement.krippendorff_alpha(), None);
    assert_eq!(agreement.gwet_ac1(), None);
    // Two runs have no interval over runs.
    let two = array![[0u8, 1, 0], [1, 1, 0]];
    let runs = PairwiseReproducibility::from_predictions(two.view(), &y).unwrap();
    assert_eq!(runs.interval(PairMetric::EcAcc, 0.95).unwrap(), None);
    assert!(matches!(
        PairwiseReproducibility::from_predictions(array![[0u8, 1], [1, 0], [0, 0]].view(), &[0, 1])
            .unwrap()
            .interval(PairMetric::EcAcc, 1.0),
        Err(Error::InvalidParameter { .. })
    ));
}

#[test]
fn bad_simulations_are_named() {
    assert_eq!(
        message(ClassDistribution::Flat.draw(0, 1, 0)),
        "n_classes = 0: expected at least 1 class"
    );
    assert_eq!(
        message(ClassDistribution::Exponential { lowest: 2.0 }.draw(3, 1, 0)),
        "lowest = 2: expected a value in [0, 1]"
    );
    assert!(
        message("gauss".parse::<ClassDistribution>()).starts_with("kind = gauss: expected flat")
    );
    assert_eq!(
        message(sample_labels(&[0.5, 0.5], 1, true, 1, 0)),
        "labels, to have every class: at least 2 needed, got 1"
    );
    assert_eq!(
        message(sample_labels(&[0.5, 0.6], 1, false, 1, 0)),
        "sum of probabilities = 1.1: expected 1, within 1e-9"
    );
    assert!(matches!(
        sample_labels(&[], 1, false, 1, 0),
        Err(Error::Empty { .. })
    ));
    assert!(matches!(
        sample_labels(&[1.5, -0.5], 1, false, 1, 0),
        Err(Error::OutOfDomain { .. })
    ));
    assert!(matches!(
        sample_labels(&[1.0, 0.0], 5, true, 1, 0),
        Err(Error::InvalidParameter { .. })
    ));
}
