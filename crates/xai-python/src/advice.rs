//! What a Python user does about an error.

use xai_core::Help;
use xai_graph::help as graph;

/// An advice of the library in Python's terms; as it is where its terms are Python's.
pub(crate) fn in_python(help: Help) -> String {
    let text = match help {
        graph::PASS_LOGITS => "for raw scores say return_type=\"raw\"",
        graph::PASS_LOGITS_OR_BERNOULLI => {
            "for raw scores say return_type=\"raw\", for independent columns \
             distribution=\"bernoulli\""
        }
        graph::BERNOULLI_FOR_ONE_COLUMN => {
            "for a single score per row say distribution=\"bernoulli\""
        }
        graph::SCORES_ARE_LOGITS => {
            "for raw scores say that they are logits: logits=True, or compat=True of \
             groundtruth_metrics"
        }
        graph::SPARSIFY_FIRST => "make the mask hard first, by xai_metrics.graph.sparsify",
        _ => return help.in_terms_of(as_argument),
    };
    text.to_owned()
}

/// A setting of a parameter as an argument: `return_type="logits"`, `logits=True`, `k=5`.
fn as_argument(name: &str, value: Option<&str>) -> String {
    match value {
        None => format!("`{name}`"),
        Some("true") => format!("{name}=True"),
        Some("false") => format!("{name}=False"),
        Some(number) if number.parse::<f64>().is_ok() => format!("{name}={number}"),
        Some(word) => format!("{name}={word:?}"),
    }
}
