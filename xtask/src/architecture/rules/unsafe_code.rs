//! `unsafe` stands only in the files listed here, each with its reason.
//!
//! A crate with a listed file in `src` denies it at its root, so that the file alone can allow it;
//! every other crate forbids it. Files in `tests` are crates of their own.

use super::rule::Rule;
use crate::architecture::source::tree::{File, Package, Tree};

pub(super) const RULE: Rule = Rule {
    states: "`unsafe` stands only in listed files, and every other crate forbids it",
    check: |tree| check(tree, ALLOWED),
};

/// The files that may, and why they must.
const ALLOWED: &[(&str, &str)] = &[
    (
        "crates/xai-core/src/simd.rs",
        "calls functions compiled for more than the baseline instruction set, after asking for it",
    ),
    (
        "crates/xai-repro/src/counting/registers.rs",
        "counts bits by AVX-512 intrinsics, which no portable form compiles to",
    ),
    (
        "crates/xai-casebased/src/search/brute_force/matrix_product.rs",
        "calls the matrix product of `gemm`, which takes pointers",
    ),
    (
        "crates/xai-python/src/arrow.rs",
        "takes the memory that other libraries hand over by Arrow's C interface",
    ),
    (
        "crates/xai-scale/src/allocator.rs",
        "sets how the C library keeps freed memory, which it takes by a call alone",
    ),
    (
        "crates/xai-attribution/tests/library/streaming.rs",
        "maps a file into memory, as a user would",
    ),
];

fn check(tree: &Tree, allowed: &[(&str, &str)]) -> Vec<String> {
    let is_allowed = |file: &File| allowed.iter().any(|(path, _)| *path == file.path);
    let mut violations = Vec::new();
    for file in tree.files() {
        let first = file.tokens.iter().find(|t| t.is("unsafe"));
        if let Some(first) = first.filter(|_| !is_allowed(file)) {
            violations.push(format!("{}: the file is not listed", file.at(first.line)));
        }
    }
    for (path, _) in allowed {
        let file = tree.file(path);
        if !file.is_some_and(|file| file.tokens.iter().any(|t| t.is("unsafe"))) {
            violations.push(format!("{path}: listed, but has no `unsafe`"));
        }
    }
    for package in tree.packages() {
        let level = match package.sources().any(is_allowed) {
            true => "deny",
            false => "forbid",
        };
        let roots = package.sources().filter(|file| is_root(&package, file));
        for root in roots.filter(|root| !has_attribute(root, level)) {
            violations.push(format!("{}: no #![{level}(unsafe_code)]", root.path));
        }
    }
    violations
}

fn is_root(package: &Package, file: &File) -> bool {
    let path = &file.path[package.folder.len() + "/src/".len()..];
    path == "lib.rs" || path == "main.rs" || path.starts_with("bin/") && path.ends_with(".rs")
}

fn has_attribute(file: &File, level: &str) -> bool {
    let attribute = ["#", "!", "[", level, "(", "unsafe_code", ")", "]"];
    let mut windows = file.tokens.windows(attribute.len());
    windows.any(|tokens| tokens.iter().zip(attribute).all(|(t, text)| t.is(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "crates/xai-a/src/kernel.rs";

    fn violations(root: &str, kernel: &str, allowed: &[(&str, &str)]) -> Vec<String> {
        let tree = Tree::of_crate(&[("lib.rs", root), ("kernel.rs", kernel)]);
        check(&tree, allowed)
    }

    #[test]
    fn unsafe_in_a_file_that_is_not_listed_is_a_violation() {
        let kernel = "// unsafe\nfn f() { unsafe { g() } }";
        assert_eq!(
            violations("#![forbid(unsafe_code)]", kernel, &[]),
            ["crates/xai-a/src/kernel.rs:2: the file is not listed"]
        );
        let listed = [(KERNEL, "why")];
        assert!(violations("#![deny(unsafe_code)]", kernel, &listed).is_empty());
    }

    #[test]
    fn a_listed_file_without_unsafe_is_a_violation() {
        let found = violations("#![deny(unsafe_code)]", "fn f() {}", &[(KERNEL, "why")]);
        assert_eq!(
            found,
            ["crates/xai-a/src/kernel.rs: listed, but has no `unsafe`"]
        );
    }

    #[test]
    fn every_root_says_how_it_stands_to_unsafe() {
        let missing = ["crates/xai-a/src/lib.rs: no #![forbid(unsafe_code)]"];
        assert_eq!(violations("", "", &[]), missing);
        // Denying would let any file allow it.
        assert_eq!(violations("#![deny(unsafe_code)]", "", &[]), missing);
    }
}
