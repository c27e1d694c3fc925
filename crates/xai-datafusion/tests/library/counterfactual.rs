//! Metrics of counterfactuals, of a query and a counterfactual in each row.

use crate::tables::{error, number, session};

#[test]
fn values_are_those_computed_by_hand() {
    let session = session(2, 8);
    let pair = "make_array(1.0, 5.0, 2.0, 0.0), make_array(3.0, 5.0, 1.0, 0.0)";
    let scales = "make_array(8.0, 2.0, 7.0, 0.0)";
    let categorical = "make_array(false, false, true, false)";
    for (call, expected) in [
        // Two of four features change.
        (format!("counterfactual_sparsity({pair})"), Some(0.5)),
        (
            format!("counterfactual_sparsity({pair}, 'count')"),
            Some(2.0),
        ),
        (
            format!("counterfactual_sparsity({pair}, 'share', 1.5)"),
            Some(0.25),
        ),
        // The first one may only fall, the second must not change, the third may change in any way.
        (
            format!("constraint_violation({pair}, make_array(-1, 0, 2, 1))"),
            Some(1.0),
        ),
        (
            format!("constraint_violation({pair}, make_array(-1, 0, 2, 1), 'features')"),
            Some(1.0 / 3.0),
        ),
        (
            format!("constraint_violation({pair}, make_array(1, 0, 2, 2))"),
            Some(0.0),
        ),
        (
            format!("constraint_violation({pair}, make_array(2, 2, 2, 2))"),
            None,
        ),
        // 2 of 8, and another category.
        (
            format!("gower_distance({pair}, {scales}, {categorical})"),
            Some(0.3125),
        ),
        (
            format!("mad_distance({pair}, {scales}, {categorical})"),
            Some(1.25),
        ),
        (
            format!("mad_distance({pair}, {scales}, {categorical}, 'undefined', 'mean')"),
            Some(0.3125),
        ),
        (
            format!("heom_distance({pair}, {scales}, {categorical})"),
            Some(1.0625_f64.sqrt()),
        ),
        // Without categories the third is a number: 1 of 7.
        (
            format!("mad_distance({pair}, make_array(8.0, 2.0, 4.0, 0.0))"),
            Some(0.5),
        ),
        // A feature with scale 0 changes.
        (
            format!("gower_distance({pair}, make_array(0.0, 1.0, 1.0, 1.0))"),
            None,
        ),
        (
            format!(
                "gower_distance({pair}, make_array(0.0, 1.0, 1.0, 1.0), {categorical}, 'skip')"
            ),
            Some(0.25),
        ),
        (
            "gower_distance(make_array(1.0, NULL), make_array(1.0, 2.0), make_array(1.0, 1.0))"
                .to_owned(),
            None,
        ),
    ] {
        assert_eq!(
            number(&session, &format!("SELECT {call}")),
            expected,
            "{call}"
        );
    }
}

#[test]
fn each_row_has_its_own_lists() {
    let session = session(2, 8);
    let rows = "(VALUES (make_array(0.0), make_array(1.0), make_array(2.0)), (make_array(0.0), make_array(1.0), make_array(4.0)), \
                (make_array(0.0, 0.0), make_array(1.0, 0.0), make_array(4.0, 1.0))) AS t(x, c, s)";
    // 1/2 + 1/4 + 1/8
    let sum = number(
        &session,
        &format!("SELECT exact_sum(gower_distance(x, c, s)) FROM {rows}"),
    );
    assert_eq!(sum, Some(0.875));
}

#[test]
fn wrong_lists_are_named() {
    let session = session(2, 8);
    for (call, words) in [
        (
            "counterfactual_sparsity(make_array(1.0), make_array(1.0, 2.0))",
            "a list has 1 features, another 2",
        ),
        (
            "counterfactual_sparsity(make_array(1.0), make_array('NaN'::double))",
            "counterfactuals",
        ),
        (
            "constraint_violation(make_array(1.0), make_array(1.0), make_array(7))",
            "expected 0 (no change), 1 (upwards)",
        ),
        (
            "gower_distance(make_array(1.0), make_array(1.0), make_array(-1.0))",
            "a finite scale of at least 0",
        ),
        (
            "gower_distance(make_array(1.0), make_array(1.0), make_array(1.0, 2.0))",
            "a list has 1 features, another 2",
        ),
        (
            "gower_distance(make_array(1.0), make_array(1.0), make_array(1.0), make_array(true), 'none')",
            "undefined",
        ),
        (
            "gower_distance(make_array(1.0), make_array(1.0))",
            "expected 3 to 5 arguments",
        ),
    ] {
        let error = error(&session, &format!("SELECT {call}"));
        assert!(error.contains(words), "{call}: {error}");
    }
}
