//! The code in `CONTRIBUTING.md` is code that was compiled.

#[test]
fn the_guide_for_contributors_shows_the_metric_that_was_compiled() {
    let crate_root = env!("CARGO_MANIFEST_DIR");
    let read = |file: &str| std::fs::read_to_string(format!("{crate_root}/{file}")).unwrap();
    let metric = read("src/metric/contributing/largest_share.rs");
    let shown = read("../../CONTRIBUTING.md").contains(&format!("```rust\n{metric}```\n"));
    assert!(
        shown,
        "CONTRIBUTING.md: another text than {crate_root}/src/metric/contributing/largest_share.rs"
    );
}
