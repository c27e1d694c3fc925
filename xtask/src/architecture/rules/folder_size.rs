//! A folder below `src` holds at most 14 files and folders, besides its own `mod.rs`, `lib.rs` or
//! `main.rs`: about ten can be read at a glance.

use super::rule::Rule;
use crate::architecture::source::tree::Package;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const RULE: Rule = Rule {
    states: "a folder below `src` holds at most 14 files and folders",
    check: |tree| tree.packages().iter().flat_map(violations).collect(),
};

const MOST: usize = 14;

fn violations(package: &Package) -> Vec<String> {
    let mut siblings: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in package.sources() {
        let mut path = file.path.as_str();
        while let Some((folder, name)) = path.rsplit_once('/') {
            if folder == package.folder {
                break;
            }
            if !["mod.rs", "lib.rs", "main.rs"].contains(&name) {
                siblings.entry(folder).or_default().insert(name);
            }
            path = folder;
        }
    }
    let large = siblings.iter().filter(|(_, names)| names.len() > MOST);
    large
        .map(|(folder, names)| format!("{folder}: {}, at most {MOST}", names.len()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::source::tree::Tree;

    #[test]
    fn files_and_folders_are_counted_once_each() {
        let names: Vec<String> = (0..14).map(|i| format!("s/a{i}.rs")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        files.extend([("lib.rs", ""), ("s/mod.rs", "")]);
        assert!((RULE.check)(&Tree::of_crate(&files)).is_empty());

        files.extend([("s/t/mod.rs", ""), ("s/t/b.rs", "")]);
        assert_eq!(
            (RULE.check)(&Tree::of_crate(&files)),
            ["crates/xai-a/src/s: 15, at most 14"]
        );
    }
}
