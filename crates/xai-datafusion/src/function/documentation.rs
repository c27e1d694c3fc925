//! What the engine tells of a function.

use datafusion::logical_expr::{DocSection, Documentation};

/// The entry of a function, under one heading with all others.
pub(crate) fn documentation(usage: String, description: &str, example: &str) -> Documentation {
    let section = DocSection {
        include: true,
        label: "Explanations",
        description: None,
    };
    Documentation::builder(section, description, usage)
        .with_sql_example(example)
        .build()
}
