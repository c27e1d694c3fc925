//! The modules of a crate, and which file a path leads to.
//!
//! A path through a re-export leads to the file that defines the name, not to the one that
//! re-exports it.

use super::imports::{Import, imports};
use super::tokens::{Kind, Token, behind_closing};
use super::tree::{File, Package};
use std::collections::{BTreeMap, BTreeSet};

/// Re-exports of re-exports end after this many, or run in a circle.
const DEEPEST: usize = 16;

/// One file of a crate, which is one module.
pub(in crate::architecture) struct Module<'a> {
    pub(in crate::architecture) file: &'a File,
    /// From the crate's root, which is empty.
    path: Vec<String>,
    pub(in crate::architecture) imports: Vec<Import>,
    /// Names that the code uses, apart from methods, fields and the ends of paths.
    used: BTreeSet<String>,
    /// Items that the file defines, at any depth.
    defined: BTreeSet<String>,
    /// Modules that it declares, and whether with `pub`.
    declared: BTreeMap<String, bool>,
    /// Whether it is declared under `#[cfg(test)]`.
    test: bool,
}

/// Where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::architecture) enum Target {
    /// To a module itself.
    Module(usize),
    /// To all names of a module.
    Glob(usize),
    /// To something that a module's file holds.
    Item(usize),
}

/// An import from one file of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::architecture) struct Arrow {
    pub(in crate::architecture) from: usize,
    pub(in crate::architecture) to: usize,
    pub(in crate::architecture) line: usize,
}

/// The modules of one crate.
pub(in crate::architecture) struct Modules<'a> {
    pub(in crate::architecture) all: Vec<Module<'a>>,
    by_path: BTreeMap<Vec<String>, usize>,
}

impl<'a> Modules<'a> {
    /// The modules below `lib.rs`, or below `main.rs` where there is no library.
    pub(in crate::architecture) fn new(package: &Package<'a>) -> Self {
        let root = match package.source("lib.rs") {
            Some(_) => "lib",
            None => "main",
        };
        let start = format!("{}/src/", package.folder);
        let mut all = Vec::new();
        for file in package.sources() {
            let Some(path) = file.path[start.len()..].strip_suffix(".rs") else {
                continue;
            };
            let mut path: Vec<String> = path.split('/').map(str::to_owned).collect();
            if path == [root] || path.last().is_some_and(|last| last == "mod") {
                path.pop();
            }
            all.push(Module::new(file, path));
        }
        let by_path = all.iter().enumerate();
        let by_path = by_path.map(|(at, m)| (m.path.clone(), at)).collect();
        let mut modules = Self { all, by_path };
        modules.mark_tests();
        modules
    }

    /// A module declared under `#[cfg(test)]` is test code with all below it.
    fn mark_tests(&mut self) {
        let mut roots: Vec<Vec<String>> = Vec::new();
        for module in &self.all {
            for pair in module.file.tokens.windows(3) {
                if pair[0].test && pair[0].is("mod") && pair[2].is(";") {
                    let mut path = module.path.clone();
                    path.push(pair[1].text.clone());
                    roots.push(path);
                }
            }
        }
        for module in &mut self.all {
            module.test = roots.iter().any(|root| module.path.starts_with(root));
        }
    }

    /// The module of the crate's root.
    pub(in crate::architecture) fn root(&self) -> Option<&Module<'a>> {
        self.by_path.get(&Vec::new()).map(|at| &self.all[*at])
    }

    /// Whether a path is that of a module that its parent declares with `pub`.
    pub(in crate::architecture) fn is_public_module(&self, at: usize) -> bool {
        let path = &self.all[at].path;
        let Some((name, parent)) = path.split_last() else {
            return false;
        };
        let parent = self.by_path.get(parent).map(|at| &self.all[*at]);
        parent.is_some_and(|parent| parent.declared.get(name) == Some(&true))
    }

    /// Where an import of a module leads; `None` outside the crate.
    pub(in crate::architecture) fn target(&self, from: usize, import: &Import) -> Option<Target> {
        self.resolve(from, &import.inline, &import.segments, 0)
    }

    /// The imports among files, without test code and without re-exports of what is further below.
    ///
    /// A re-export is an arrow where the file itself uses the name.
    pub(in crate::architecture) fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (from, module) in self.all.iter().enumerate().filter(|(_, m)| !m.test) {
            for import in module.imports.iter().filter(|i| !i.test) {
                let mut targets = Vec::new();
                match self.target(from, import) {
                    Some(Target::Item(to)) => targets.push((to, import.name.as_ref())),
                    Some(Target::Glob(of)) => targets.extend(self.used_of(of, &module.used)),
                    Some(Target::Module(_)) | None => {}
                }
                for (to, name) in targets {
                    let below = to != from && self.all[to].path.starts_with(&module.path);
                    let used = name.is_none_or(|name| module.used.contains(name));
                    let declares = import.public && below && !used;
                    if to != from && !declares {
                        let line = import.line;
                        arrows.insert(Arrow { from, to, line });
                    }
                }
            }
        }
        arrows
    }

    /// The files behind the names of a module that are used, with the names.
    fn used_of<'n>(
        &self,
        of: usize,
        used: &'n BTreeSet<String>,
    ) -> Vec<(usize, Option<&'n String>)> {
        let names = used.iter().filter_map(|name| {
            let path = [self.all[of].path.as_slice(), std::slice::from_ref(name)].concat();
            let exported = self.exports(of, name);
            match self.absolute(&path, 0) {
                Some(Target::Item(to)) if exported => Some((to, Some(name))),
                _ => None,
            }
        });
        names.collect()
    }

    /// Whether a name is defined or imported in a module.
    fn exports(&self, module: usize, name: &String) -> bool {
        let module = &self.all[module];
        let mut named = module.imports.iter().map(|i| &i.name);
        module.defined.contains(name) || named.any(|n| n.as_ref() == Some(name))
    }

    fn resolve(
        &self,
        from: usize,
        inline: &[String],
        segments: &[String],
        depth: usize,
    ) -> Option<Target> {
        let module = &self.all[from];
        let (first, rest) = segments.split_first()?;
        if depth > DEEPEST {
            return None;
        }
        let mut scope = [module.path.as_slice(), inline].concat();
        match first.as_str() {
            "crate" => self.absolute(rest, depth),
            "self" => self.absolute(&[&scope, rest].concat(), depth),
            "super" => {
                let ups = segments.iter().take_while(|s| *s == "super").count();
                scope.truncate(scope.len().checked_sub(ups)?);
                self.absolute(&[&scope, &segments[ups..]].concat(), depth)
            }
            name => {
                let mut named = module.imports.iter().filter(|i| {
                    i.name.as_deref() == Some(name)
                        && (i.inline.is_empty() || i.inline == inline)
                        && i.segments != segments
                });
                if let Some(import) = named.next() {
                    let path = [import.segments.as_slice(), rest].concat();
                    return self.resolve(from, &import.inline, &path, depth + 1);
                }
                let child = [module.path.as_slice(), std::slice::from_ref(first)].concat();
                let is_child = self.by_path.contains_key(&child);
                is_child.then(|| self.absolute(&[&child, rest].concat(), depth))?
            }
        }
    }

    /// Where a path from the crate's root leads.
    fn absolute(&self, path: &[String], depth: usize) -> Option<Target> {
        let known = (0..=path.len())
            .rev()
            .find_map(|n| Some((n, *self.by_path.get(&path[..n])?)));
        let (length, at) = known?;
        let rest = &path[length..];
        let Some(name) = rest.first() else {
            return Some(Target::Module(at));
        };
        if name == "*" {
            return Some(Target::Glob(at));
        }
        let module = &self.all[at];
        // The name may be imported in a module that is written out in the file.
        for (n, name) in rest.iter().enumerate() {
            let mut named = module.imports.iter();
            let import = named.find(|i| i.name.as_ref() == Some(name) && i.inline == rest[..n]);
            if let Some(import) = import {
                let path = [import.segments.as_slice(), &rest[n + 1..]].concat();
                let target = self.resolve(at, &import.inline, &path, depth + 1);
                return Some(target.unwrap_or(Target::Item(at)));
            }
        }
        if !module.defined.contains(name) && depth < DEEPEST {
            let globs = module
                .imports
                .iter()
                .filter(|i| i.name.as_deref() == Some("*"));
            for glob in globs {
                if let Some(Target::Glob(of)) =
                    self.resolve(at, &glob.inline, &glob.segments, depth + 1)
                    && of != at
                    && self.exports(of, name)
                {
                    return self.absolute(&[&self.all[of].path, rest].concat(), depth + 1);
                }
            }
        }
        Some(Target::Item(at))
    }
}

impl<'a> Module<'a> {
    fn new(file: &'a File, path: Vec<String>) -> Self {
        let found = imports(&file.tokens);
        let code: Vec<&Token> = found.rest.into_iter().filter(|t| !t.test).collect();
        Self {
            file,
            path,
            imports: found.paths,
            used: used(&code),
            defined: defined(&file.tokens),
            declared: declared(&code),
            test: false,
        }
    }

    /// Items with `pub` that stand in no braces, by name; modules are not among them.
    pub(in crate::architecture) fn public_items(&self) -> Vec<&'a str> {
        let tokens = &self.file.tokens;
        let mut names = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at].is("{") || tokens[at].is("(") || tokens[at].is("[") {
                at = behind_closing(tokens, at);
                continue;
            }
            if tokens[at].is("pub") && !tokens.get(at + 1).is_some_and(|t| t.is("(")) {
                names.extend(introduced(&tokens[at + 1..]));
            }
            at += 1;
        }
        names
    }

    /// Whether the file has a module of its own with that name, written out in it.
    pub(in crate::architecture) fn writes_out(&self, name: &str) -> bool {
        let mut pairs = self.file.tokens.windows(2);
        pairs.any(|t| t[0].is("mod") && t[1].is(name))
    }

    /// Whether the file defines a macro by that name.
    pub(in crate::architecture) fn defines_macro(&self, name: &str) -> bool {
        let mut triples = self.file.tokens.windows(3);
        triples.any(|t| t[0].is("macro_rules") && t[2].is(name))
    }
}

/// The name of the item that begins here, unless it is a module or an import.
fn introduced(tokens: &[Token]) -> Option<&str> {
    let is_qualifier = |t: &&Token| {
        t.kind == Kind::Text || ["async", "unsafe", "extern"].contains(&t.text.as_str())
    };
    let mut words = tokens.iter().skip_while(is_qualifier);
    words.next().filter(|t| ITEMS.contains(&t.text.as_str()))?;
    // `const fn`, `const unsafe extern "C" fn`, `static mut`.
    let mut rest = words.skip_while(|t| is_qualifier(t) || t.is("fn") || t.is("mut"));
    rest.next().map(|t| t.text.as_str())
}

const ITEMS: [&str; 9] = [
    "fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro",
];

/// The names that the keywords of items introduce.
fn defined(tokens: &[Token]) -> BTreeSet<String> {
    let pairs = tokens.windows(2).filter(|t| !t[0].test);
    let named = pairs.filter(|t| t[1].is_word() && ITEMS.contains(&t[0].text.as_str()));
    named.map(|t| t[1].text.clone()).collect()
}

/// Names of types, constants and called functions.
fn used(code: &[&Token]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, token) in code.iter().enumerate().filter(|(_, t)| t.is_word()) {
        let before = at.checked_sub(1).map(|at| code[at].text.as_str());
        let behind = code.get(at + 1).map(|t| t.text.as_str());
        let introduced = before.is_some_and(|b| ITEMS.contains(&b) || [".", "::"].contains(&b));
        let is_upper = token.text.starts_with(char::is_uppercase);
        let is_called = matches!(behind, Some("(" | "!" | "::"));
        if !introduced && (is_upper || is_called) {
            names.insert(token.text.clone());
        }
    }
    names
}

/// The modules declared with a semicolon.
fn declared(code: &[&Token]) -> BTreeMap<String, bool> {
    let mut modules = BTreeMap::new();
    for (at, _) in code.iter().enumerate().filter(|(_, t)| t.is("mod")) {
        if code.get(at + 2).is_some_and(|t| t.is(";")) {
            let public = at.checked_sub(1).is_some_and(|at| code[at].is("pub"));
            modules.insert(code[at + 1].text.clone(), public);
        }
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    /// The arrows of a crate, as `from > to` with paths below `src`.
    fn arrows(sources: &[(&str, &str)]) -> Vec<String> {
        let tree = Tree::of_crate(sources);
        let packages = tree.packages();
        let modules = Modules::new(&packages[0]);
        let name = |at: usize| modules.all[at].file.path["crates/xai-a/src/".len()..].to_owned();
        let arrows = modules.arrows().into_iter();
        arrows
            .map(|a| format!("{}:{} > {}", name(a.from), a.line, name(a.to)))
            .collect()
    }

    #[test]
    fn every_way_to_name_a_file_is_an_arrow() {
        let sources = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::{b::{B, x::*}, c};\nfn f() { c::g(); }"),
            ("b.rs", "pub struct B;\nfn f() -> super::d::D {}"),
            ("c.rs", "pub fn g() {}\nmod m { use super::super::b::B; }"),
            ("d.rs", "pub struct D;"),
        ];
        assert_eq!(
            arrows(&sources),
            [
                "a.rs:1 > b.rs",
                "a.rs:2 > c.rs",
                "b.rs:2 > d.rs",
                "c.rs:2 > b.rs"
            ]
        );
    }

    #[test]
    fn a_re_exported_name_leads_to_the_file_that_defines_it() {
        let sources = [
            ("lib.rs", "mod a; mod s; pub use s::B;"),
            ("a.rs", "use crate::B;\nuse crate::s::{C, D};"),
            (
                "s/mod.rs",
                "mod b; mod c; pub use b::*; pub use c::C;\npub struct D;",
            ),
            ("s/b.rs", "pub struct B;"),
            ("s/c.rs", "use super::B;\npub struct C;"),
        ];
        assert_eq!(
            arrows(&sources),
            [
                "a.rs:1 > s/b.rs",
                "a.rs:2 > s/c.rs",
                "a.rs:2 > s/mod.rs",
                "s/c.rs:1 > s/b.rs"
            ]
        );
    }

    #[test]
    fn a_declaration_towards_children_is_no_arrow_unless_the_file_uses_the_name() {
        let unused = [
            ("lib.rs", "mod s;"),
            ("s/mod.rs", "mod b; pub use b::B;"),
            ("s/b.rs", "pub struct B;"),
        ];
        assert!(arrows(&unused).is_empty());
        let used = [
            ("lib.rs", "mod s;"),
            ("s/mod.rs", "mod b; pub use b::B;\nfn f(b: B) {}"),
            ("s/b.rs", "pub struct B;"),
        ];
        assert_eq!(arrows(&used), ["s/mod.rs:1 > s/b.rs"]);
    }

    #[test]
    fn test_code_draws_no_arrows() {
        let sources = [
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod t;"),
            ("a.rs", "#[cfg(test)] mod tests { use crate::b::B; }"),
            ("b.rs", "pub struct B;"),
            ("t.rs", "use crate::b::B;"),
        ];
        assert!(arrows(&sources).is_empty());
    }
}
