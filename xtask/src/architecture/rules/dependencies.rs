//! Crates depend on crates of lower layers only: a family never on another family, `xai-core` on
//! none, and nothing on the command line, the benches or this crate.
//!
//! All sections of a `Cargo.toml` count, those for development included.

use super::rule::Rule;
use crate::architecture::source::tree::{Package, Tree};
use crate::workspace::FAMILIES;

pub(super) const RULE: Rule = Rule {
    states: "crates depend on lower layers only: core, families, facades, programs",
    check,
};

fn check(tree: &Tree) -> Vec<String> {
    let packages = tree.packages();
    let mut violations = Vec::new();
    for package in &packages {
        for (line, dependency) in dependencies(package) {
            let is_ours = packages.iter().any(|p| p.name == dependency);
            if is_ours && layer(dependency) >= layer(package.name) {
                let place = package.manifest.at(line);
                violations.push(format!("{place}: {} depends on {dependency}", package.name));
            }
        }
    }
    violations
}

/// From the ground up; what is not in the picture is a program on top.
fn layer(package: &str) -> usize {
    let family = package.strip_prefix("xai-");
    match package {
        "xai-core" => 0,
        _ if family.is_some_and(|family| FAMILIES.contains(&family)) => 1,
        "xai-metrics" | "xai-report" | "xai-datafusion" => 2,
        _ => 3,
    }
}

/// The packages that a manifest depends on, each with its line.
fn dependencies<'a>(package: &Package<'a>) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    let mut in_section = false;
    for (at, line) in package.manifest.text.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            // `[dependencies]`, `[target.'…'.dev-dependencies]`, or `[dependencies.xai-core]`.
            in_section = section.ends_with("dependencies");
            let (before, name) = section.rsplit_once('.').unwrap_or(("", section));
            if before.ends_with("dependencies") {
                found.push((at + 1, name));
            }
        } else if let Some((key, value)) = line.split_once('=') {
            let renamed = value.split_once("package = \"");
            let renamed = renamed.and_then(|(_, rest)| rest.split('"').next());
            let name = key.split('.').next().unwrap_or(key).trim();
            if in_section && !line.starts_with('#') {
                found.push((at + 1, renamed.unwrap_or(name)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(dependencies_of_graph: &str) -> Vec<String> {
        let graph = format!("[package]\nname = \"xai-graph\"\n{dependencies_of_graph}");
        (RULE.check)(&Tree::of(&[
            ("crates/xai-core/Cargo.toml", "name = \"xai-core\""),
            ("crates/xai-cli/Cargo.toml", "name = \"xai-cli\""),
            ("crates/xai-graph/Cargo.toml", &graph),
            ("crates/xai-repro/Cargo.toml", "name = \"xai-repro\""),
        ]))
    }

    #[test]
    fn a_family_may_depend_on_core_and_on_others_crates() {
        let fine = "[features]\nxai-repro = []\n[dependencies]\nxai-core.workspace = true\n\
                    ndarray = { workspace = true }\n# xai-repro = 1\n";
        assert!(violations(fine).is_empty());
    }

    #[test]
    fn a_family_may_not_depend_on_another_in_any_way_of_writing_it() {
        for section in [
            "[dependencies]\nxai-repro = { workspace = true }",
            "[dev-dependencies]\nxai-repro.workspace = true",
            "[target.'cfg(unix)'.dependencies]\nother = { package = \"xai-repro\" }",
            "[build-dependencies.xai-repro]\nworkspace = true",
        ] {
            let found = violations(section);
            assert_eq!(found.len(), 1, "{section}: {found:?}");
            assert!(
                found[0].ends_with(": xai-graph depends on xai-repro"),
                "{found:?}"
            );
        }
        assert_eq!(violations("[dependencies]\nxai-cli = 1").len(), 1);
    }

    #[test]
    fn core_may_depend_on_no_family() {
        let tree = Tree::of(&[
            (
                "crates/xai-core/Cargo.toml",
                "name = \"xai-core\"\n[dev-dependencies]\nxai-graph = 1",
            ),
            ("crates/xai-graph/Cargo.toml", "name = \"xai-graph\""),
        ]);
        assert_eq!(
            (RULE.check)(&tree),
            ["crates/xai-core/Cargo.toml:3: xai-core depends on xai-graph"]
        );
    }
}
