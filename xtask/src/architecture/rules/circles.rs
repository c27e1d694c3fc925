//! Imports among the files of a crate have no circles.
//!
//! An arrow runs from a file to the file that defines what it names, by `use` or by a path in the
//! code, also where it takes the name from a re-export. A `mod.rs` that declares or re-exports its
//! children draws no arrow to them, unless it uses the name itself. Test code draws none.

use super::rule::Rule;
use crate::architecture::source::modules::Modules;
use crate::architecture::source::tree::Package;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(super) const RULE: Rule = Rule {
    states: "imports among the files of a crate have no circles",
    check: |tree| tree.packages().iter().flat_map(circles).collect(),
};

/// For each file the line of its first import of each other file.
type Arrows = BTreeMap<usize, BTreeMap<usize, usize>>;

/// The shortest circle through each file that is in one, each circle once.
fn circles(package: &Package) -> Vec<String> {
    let modules = Modules::new(package);
    let mut arrows = Arrows::new();
    for arrow in modules.arrows() {
        let line = arrows.entry(arrow.from).or_default().entry(arrow.to);
        let line = line.or_insert(arrow.line);
        *line = arrow.line.min(*line);
    }
    let mut circles = BTreeSet::new();
    for file in arrows.keys() {
        if let Some(circle) = shortest(&arrows, *file) {
            circles.insert(from_smallest(circle));
        }
    }
    let start = format!("{}/src/", package.folder);
    let name = |at: usize| modules.all[at].file.path[start.len()..].to_owned();
    let circles = circles.iter().map(|circle| {
        let mut text = format!("{}: ", &start[..start.len() - 1]);
        for (at, file) in circle.iter().enumerate() {
            let next = circle[(at + 1) % circle.len()];
            text += &format!("{}:{} -> ", name(*file), arrows[file][&next]);
        }
        text + &name(circle[0])
    });
    circles.collect()
}

/// The files of a shortest way from a file back to itself.
fn shortest(arrows: &Arrows, start: usize) -> Option<Vec<usize>> {
    let mut reached_from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(file) = waiting.pop_front() {
        for next in arrows.get(&file).into_iter().flat_map(BTreeMap::keys) {
            if *next == start {
                let mut circle = vec![file];
                while let Some(before) = reached_from.get(circle.last()?) {
                    circle.push(*before);
                }
                circle.reverse();
                return Some(circle);
            }
            if !reached_from.contains_key(next) {
                reached_from.insert(*next, file);
                waiting.push_back(*next);
            }
        }
    }
    None
}

/// The same circle, told from its first file by path.
fn from_smallest(mut circle: Vec<usize>) -> Vec<usize> {
    let smallest = circle.iter().min().copied();
    if let Some(at) = circle.iter().position(|file| Some(*file) == smallest) {
        circle.rotate_left(at);
    }
    circle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::source::tree::Tree;

    #[test]
    fn a_circle_is_told_as_a_path_of_files() {
        let tree = Tree::of_crate(&[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::B;\npub struct A;"),
            ("b.rs", "\nuse crate::{c::{C}, d::D};\npub struct B;"),
            ("c.rs", "fn f(a: super::a::A) {}\npub struct C;"),
            ("d.rs", "pub struct D;"),
        ]);
        assert_eq!(
            (RULE.check)(&tree),
            ["crates/xai-a/src: a.rs:1 -> b.rs:2 -> c.rs:1 -> a.rs"]
        );
    }

    #[test]
    fn a_circle_hidden_by_re_exports_is_found() {
        let tree = Tree::of_crate(&[
            ("lib.rs", "mod s;"),
            ("s/mod.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("s/a.rs", "use super::B;\npub struct A;"),
            ("s/b.rs", "use crate::s::A;\npub struct B;"),
        ]);
        assert_eq!(
            (RULE.check)(&tree),
            ["crates/xai-a/src: s/a.rs:1 -> s/b.rs:1 -> s/a.rs"]
        );
    }

    #[test]
    fn a_folder_with_logic_is_in_a_circle_with_the_child_that_imports_it() {
        let child = "use super::Shared;\npub struct A;";
        let declares = "mod a;\npub use a::A;\npub struct Shared;";
        let fine = [
            ("lib.rs", "mod s;"),
            ("s/mod.rs", declares),
            ("s/a.rs", child),
        ];
        assert!((RULE.check)(&Tree::of_crate(&fine)).is_empty());

        let uses = "mod a;\npub use a::A;\npub struct Shared;\nfn f(a: A) {}";
        let circle = [("lib.rs", "mod s;"), ("s/mod.rs", uses), ("s/a.rs", child)];
        assert_eq!(
            (RULE.check)(&Tree::of_crate(&circle)),
            ["crates/xai-a/src: s/a.rs:1 -> s/mod.rs:2 -> s/a.rs"]
        );
    }
}
