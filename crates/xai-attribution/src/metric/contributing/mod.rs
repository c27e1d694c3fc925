//! The metric that `CONTRIBUTING.md` shows, which is no metric of this crate: it compiles, and has the values that its
//! documentation says. `tests/library/contributing.rs` holds the text against this folder.

use ndarray::array;

use crate::{Evaluate, EvaluationData};

mod largest_share;

use largest_share::LargestShare;

#[test]
fn the_metric_of_the_guide_for_contributors_has_the_values_it_documents() {
    let maps = array![[3.0, -1.0, 0.0, 1.0]];
    let of = |metric: LargestShare| {
        let value = metric.evaluate_on(EvaluationData::from_maps(maps.view()));
        value.expect("maps").value
    };
    assert_eq!(of(LargestShare::new()), 0.6);
    assert_eq!(of(LargestShare::new().count(2)), 0.8);
}
