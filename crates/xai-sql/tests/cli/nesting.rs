//! Terms inside terms.

use crate::harness::Files;

#[test]
fn terms_that_are_too_deep_are_an_error_and_no_end_of_the_process() {
    let files = Files::new();
    let cases = [
        ("SELECT 1", " + 1", "1100 terms"),
        ("SELECT 1 WHERE true", " OR true", "1100 terms"),
        ("SELECT 1", " UNION SELECT 1", "1100 terms"),
        ("SELECT 1 FROM t", ", t", "1100 terms"),
    ];
    for (first, next, said) in cases {
        let query = format!("{first}{}", next.repeat(8_000));
        let refused = files.run(&["sql", &query]);
        let (error, help) = refused.badly(2);
        assert!(error.contains(said), "{error}");
        assert!(help.contains("IN (…)"), "{help}");
    }
    // Brackets: the parser counts them.
    let query = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let refused = files.run(&["sql", &query]);
    assert!(
        refused.badly(2).0.contains("recursion limit"),
        "{refused:?}"
    );
}

#[test]
fn a_thousand_terms_have_their_value() {
    let files = Files::new();
    let query = format!("SELECT 1{} AS n", " - 1 + 1".repeat(500));
    assert_eq!(files.json(&query, &[]), "[{\"n\":1}]\n");
}
