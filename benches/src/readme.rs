//! Doc tests of the examples in the READMEs. They are in this crate because it depends on all libraries.

macro_rules! readme {
    ($($name:ident $(if $feature:literal)*: $path:literal;)*) => {$(
        #[cfg(all(doctest $(, feature = $feature)*))]
        #[doc = include_str!($path)]
        mod $name {}
    )*};
}

readme! {
    workspace if "facade": "../../README.md";
    core: "../../crates/xai-core/README.md";
    neighbors if "casebased": "../../crates/xai-neighbors/README.md";
    casebased if "casebased": "../../crates/xai-casebased/README.md";
    attribution if "attribution": "../../crates/xai-attribution/README.md";
    counterfactual if "counterfactual": "../../crates/xai-counterfactual/README.md";
    graph if "graph": "../../crates/xai-graph/README.md";
    repro if "repro": "../../crates/xai-repro/README.md";
    metrics if "facade": "../../crates/xai-metrics/README.md";
}
