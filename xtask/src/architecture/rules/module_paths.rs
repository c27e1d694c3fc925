//! Inside a crate a name is imported from the module that defines it, never through the crate's
//! root: the arrows between files can then be read off the imports.
//!
//! A violation is a path `crate::name`, in a `use` or in the code, test code included, where `name`
//! is neither a module nor a macro.

use super::rule::Rule;
use crate::architecture::source::modules::{Modules, Target};
use crate::architecture::source::tree::Package;

pub(super) const RULE: Rule = Rule {
    states: "imports inside a crate go by module path, not through the crate's root",
    check: |tree| tree.packages().iter().flat_map(violations).collect(),
};

fn violations(package: &Package) -> Vec<String> {
    let modules = Modules::new(package);
    let mut violations = Vec::new();
    for (at, module) in modules.all.iter().enumerate() {
        for import in &module.imports {
            let [first, name, ..] = import.segments.as_slice() else {
                continue;
            };
            let mut only = import.clone();
            only.segments.truncate(2);
            let is_module = matches!(modules.target(at, &only), Some(Target::Module(_)));
            let is_defined = modules.root().is_some_and(|root| root.writes_out(name))
                || modules.all.iter().any(|m| m.defines_macro(name));
            if first == "crate" && !is_module && !is_defined {
                let place = module.file.at(import.line);
                violations.push(format!("{place}: crate::{name}"));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::source::tree::Tree;

    #[test]
    fn names_of_the_root_are_found_wherever_they_stand() {
        let tree = Tree::of_crate(&[
            ("lib.rs", "mod a; mod b; pub use b::B;"),
            (
                "a.rs",
                "use crate::{B, b::C};\nfn f(b: crate::B) { use crate::g; }",
            ),
            ("b.rs", "#[cfg(test)] mod tests { use crate::*; }"),
        ]);
        assert_eq!(
            (RULE.check)(&tree),
            [
                "crates/xai-a/src/a.rs:1: crate::B",
                "crates/xai-a/src/a.rs:2: crate::B",
                "crates/xai-a/src/a.rs:2: crate::g",
                "crates/xai-a/src/b.rs:1: crate::*"
            ]
        );
    }

    #[test]
    fn modules_and_macros_are_fine() {
        let tree = Tree::of_crate(&[
            ("lib.rs", "mod a; mod b; pub mod prelude {}"),
            (
                "a.rs",
                "use crate::{b, b::C, prelude::D};\nfn f() { crate::m!(); }",
            ),
            ("b.rs", "macro_rules! m { () => { $crate::b::C } }"),
        ]);
        assert!((RULE.check)(&tree).is_empty());
    }
}
