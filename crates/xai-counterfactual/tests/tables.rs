//! `METRICS.md` is written from the descriptions.

use std::path::Path;

use xai_core::describe::markdown;
use xai_counterfactual::FAMILY;

#[test]
fn the_table_is_as_stored() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("METRICS.md");
    let table = markdown(FAMILY.infos());
    if std::env::var_os("XAI_WRITE_METRICS").is_some() {
        std::fs::write(&file, &table).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == table,
        "run with XAI_WRITE_METRICS=1"
    );
}
