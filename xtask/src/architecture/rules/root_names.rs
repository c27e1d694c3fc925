//! A library's root shows at most 25 names besides modules; the rest stand in named public modules.
//!
//! A re-exported crate counts as a module. A re-export of everything (`*`) is a violation by itself:
//! it hides how many names it adds.

use super::rule::Rule;
use crate::architecture::source::modules::{Modules, Target};
use crate::architecture::source::tree::{Package, Tree};

pub(super) const RULE: Rule = Rule {
    states: "the root of a library shows at most 25 names besides modules",
    check,
};

const MOST: usize = 25;

fn check(tree: &Tree) -> Vec<String> {
    let packages = tree.packages();
    let libraries = packages.iter().filter(|p| p.is_library());
    libraries.flat_map(violations).collect()
}

fn violations(package: &Package) -> Vec<String> {
    let modules = Modules::new(package);
    let (Some(root), Some(file)) = (modules.root(), package.source("lib.rs")) else {
        return Vec::new();
    };
    let mut violations = Vec::new();
    let mut n_names = root.public_items().len();
    let at = modules.all.iter().position(|m| m.file.path == file.path);
    for import in &root.imports {
        // `pub(crate)` adds nothing to what others see, but in a root nobody writes it.
        if !import.public || !import.inline.is_empty() || import.test {
            continue;
        }
        let target = at.and_then(|at| modules.target(at, import));
        match import.name.as_deref() {
            Some("*") => {
                violations.push(format!("{}: re-exports everything", file.at(import.line)))
            }
            _ if import.segments.len() == 1 => {}
            _ => match target {
                Some(Target::Module(module)) if modules.is_public_module(module) => {}
                _ => n_names += 1,
            },
        }
    }
    if n_names > MOST {
        violations.push(format!("{}: {n_names} names, at most {MOST}", file.path));
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> String {
        let names: Vec<String> = (0..n).map(|i| format!("N{i}")).collect();
        names.join(", ")
    }

    #[test]
    fn names_are_counted_and_modules_are_not() {
        let a = ("a.rs", "pub fn b() {}");
        let modules =
            "pub mod a; pub use xai_core as core; pub mod prelude { pub use a::X; } fn f() {}";
        let fine = format!(
            "{modules} pub use a::{{{}}}; pub fn g() {{ pub fn h() {{}} }}",
            names(24)
        );
        assert!((RULE.check)(&Tree::of_crate(&[("lib.rs", &fine), a])).is_empty());

        let many = format!("{fine} pub const fn i() {{}}");
        assert_eq!(
            (RULE.check)(&Tree::of_crate(&[("lib.rs", &many), a])),
            ["crates/xai-a/src/lib.rs: 26 names, at most 25"]
        );
    }

    #[test]
    fn everything_is_too_much() {
        let tree = Tree::of_crate(&[("lib.rs", "mod a;\npub use a::*;"), ("a.rs", "")]);
        assert_eq!(
            (RULE.check)(&tree),
            ["crates/xai-a/src/lib.rs:2: re-exports everything"]
        );
    }
}
