//! What errors say. No other test looks at the words of a message.

use ndarray::array;
use xai_repro::simulate::AliasTable;
use xai_repro::{EmptyUnion, GroupComparison, PairMetric, Pairwise};

#[test]
fn messages_name_the_thing_the_place_and_the_way_out() {
    let message = |pairwise: Pairwise| {
        let right = array![[0u8, 1], [0, 1]];
        pairwise
            .evaluate(right.view(), &[0, 1])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(Pairwise::new().empty_union(EmptyUnion::Error)),
        "errors of the pair of runs[0, 1] = 0: expected at least one in either run; \
         choose another `empty_union`, for example empty_union = undefined"
    );
    assert_eq!(
        message(Pairwise::new().metrics(&[])),
        "metrics: empty, expected at least one"
    );
    assert!(
        "kappa"
            .parse::<PairMetric>()
            .unwrap_err()
            .to_string()
            .starts_with("metric = kappa: expected ec_local, ec_global")
    );
    let (two, one) = (array![[0u8, 1], [1, 1]], array![[0u8, 1]]);
    let compared = GroupComparison::default().compare(two.view(), one.view(), &[0, 1]);
    assert_eq!(
        compared.unwrap_err().to_string(),
        "runs of the second group: at least 2 needed, got 1"
    );
    assert_eq!(
        AliasTable::new(&[0.5, 0.6]).unwrap_err().to_string(),
        "sum of probabilities = 1.1: expected 1, within 1e-9"
    );
}
