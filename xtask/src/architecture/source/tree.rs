//! The workspace as packages and files.

use super::tokens::{Token, tokens};
use crate::outcome::Result;
use std::fs;
use std::path::Path;

/// One file of a package.
pub(in crate::architecture) struct File {
    /// From the workspace root, with `/`.
    pub(in crate::architecture) path: String,
    /// Empty for files that are neither Rust nor a manifest.
    pub(in crate::architecture) text: String,
    /// Empty for files that are not Rust.
    pub(in crate::architecture) tokens: Vec<Token>,
}

impl File {
    fn new(path: &str, text: String) -> Self {
        let is_rust = path.ends_with(".rs");
        Self {
            path: path.to_owned(),
            tokens: if is_rust { tokens(&text) } else { Vec::new() },
            text,
        }
    }

    /// The tokens that are not test code.
    pub(in crate::architecture) fn code(&self) -> Vec<&Token> {
        self.tokens.iter().filter(|t| !t.test).collect()
    }

    /// `path:line`, as a terminal links it.
    pub(in crate::architecture) fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }
}

/// One crate of the workspace.
pub(in crate::architecture) struct Package<'a> {
    pub(in crate::architecture) name: &'a str,
    /// From the workspace root: `crates/xai-core`.
    pub(in crate::architecture) folder: &'a str,
    pub(in crate::architecture) manifest: &'a File,
    tree: &'a Tree,
}

impl<'a> Package<'a> {
    /// The files below `src`, by path.
    pub(in crate::architecture) fn sources(&self) -> impl Iterator<Item = &'a File> {
        let start = format!("{}/src/", self.folder);
        let files = self.tree.files.iter();
        files.filter(move |f| f.path.starts_with(&start))
    }

    /// The file at a path below `src`.
    pub(in crate::architecture) fn source(&self, path: &str) -> Option<&'a File> {
        self.tree.file(&format!("{}/src/{path}", self.folder))
    }

    /// A library of the workspace: one that others depend on.
    pub(in crate::architecture) fn is_library(&self) -> bool {
        self.folder.starts_with("crates/") && self.source("lib.rs").is_some()
    }
}

/// All files of all packages.
pub(in crate::architecture) struct Tree {
    /// By path.
    files: Vec<File>,
}

impl Tree {
    /// Reads the packages in `crates`, and `benches` and `xtask`.
    pub(in crate::architecture) fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for folder in ["crates", "benches", "xtask"] {
            read_folder(root, folder, &mut files)?;
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { files })
    }

    /// A tree of given paths and texts.
    #[cfg(test)]
    pub(in crate::architecture) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter();
        let mut files: Vec<File> = files
            .map(|(path, text)| File::new(path, (*text).to_owned()))
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    /// A tree of one crate `xai-a`, whose sources are given by their paths below `src`.
    #[cfg(test)]
    pub(in crate::architecture) fn of_crate(sources: &[(&str, &str)]) -> Self {
        let paths: Vec<String> = sources
            .iter()
            .map(|(path, _)| format!("crates/xai-a/src/{path}"))
            .collect();
        let mut files = vec![("crates/xai-a/Cargo.toml", "[package]\nname = \"xai-a\"\n")];
        files.extend(
            paths
                .iter()
                .zip(sources)
                .map(|(p, (_, text))| (p.as_str(), *text)),
        );
        Self::of(&files)
    }

    pub(in crate::architecture) fn files(&self) -> &[File] {
        &self.files
    }

    pub(in crate::architecture) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|f| f.path == path)
    }

    pub(in crate::architecture) fn packages(&self) -> Vec<Package<'_>> {
        let manifests = self.files.iter().filter_map(|file| {
            let folder = file.path.strip_suffix("/Cargo.toml")?;
            let mut lines = file.text.lines();
            let name = lines.find_map(|line| line.strip_prefix("name = "))?;
            Some(Package {
                name: name.trim_matches('"'),
                folder,
                manifest: file,
                tree: self,
            })
        });
        manifests.collect()
    }
}

fn read_folder(root: &Path, folder: &str, files: &mut Vec<File>) -> Result {
    for entry in fs::read_dir(root.join(folder)).map_err(|e| format!("{folder}: {e}"))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_str().ok_or("a file name is not UTF-8")?;
        let path = format!("{folder}/{name}");
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            read_folder(root, &path, files)?;
        } else {
            let is_read = name.ends_with(".rs") || name == "Cargo.toml";
            let text = if is_read {
                fs::read_to_string(entry.path()).map_err(|e| format!("{path}: {e}"))?
            } else {
                String::new()
            };
            files.push(File::new(&path, text));
        }
    }
    Ok(())
}
