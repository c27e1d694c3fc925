//! The files of a folder and their contents, from which `xai report init` drafts a study.

use std::path::{Path, PathBuf};

use xai_files::arrays::ElementType;
use xai_files::content::Content;
use xai_files::{Failure, InFile};

/// A file that a study may use.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    /// Path relative to the study; absolute for a file outside its folder.
    pub(crate) path: String,
    /// Path to open: the searched folder as the user named it, and the path below it.
    pub(crate) file: PathBuf,
    /// Folder of the file, as in `path`.
    pub(crate) folder: String,
    /// File name without the extension, in lower case.
    pub(crate) stem: String,
    pub(crate) holds: Content,
}

/// Number of levels of subfolders that are searched.
const MAX_DEPTH: usize = 6;
/// Largest number of files that are opened.
pub(crate) const MAX_FILES: usize = 10_000;

/// The files of a folder that a study may use.
#[derive(Debug)]
pub(crate) struct Found {
    /// Files in the order of their paths.
    pub(crate) files: Vec<FoundFile>,
    /// Is `true` if there are more than [`MAX_FILES`] files.
    pub(crate) is_cut: bool,
}

/// Finds the files of a folder and its subfolders that a study may use. If there are too many, those in upper folders
/// are preferred.
///
/// # Errors
/// If the folder cannot be read.
pub(crate) fn find(from: &Path, study_folder: &Path) -> Result<Found, Failure> {
    let mut paths = files_below(from)
        .map_err(Failure::cannot_be_read)
        .in_file(from)?;
    let is_cut = paths.len() > MAX_FILES;
    paths.truncate(MAX_FILES);
    paths.sort();
    let found = paths.iter().filter_map(|file| {
        let holds = Content::detect(file)
            .ok()
            .filter(|holds| *holds != Content::Other)?;
        // A file outside the folder of the study gets its absolute path.
        let absolute = std::path::absolute(file).ok()?;
        let relative = file.strip_prefix(study_folder).unwrap_or(&absolute);
        Some(FoundFile {
            path: text(relative)?,
            file: file.clone(),
            folder: text(relative.parent().unwrap_or(Path::new("")))?,
            stem: file.file_stem()?.to_string_lossy().to_lowercase(),
            holds,
        })
    });
    let files = found.collect();
    Ok(Found { files, is_cut })
}

/// Returns a path with slashes; `None` if it is not UTF-8, which TOML requires.
fn text(path: &Path) -> Option<String> {
    let parts: Vec<&str> = path
        .iter()
        .map(|part| part.to_str())
        .collect::<Option<_>>()?;
    match parts.first() {
        Some(&"/") => Some(format!("/{}", parts[1..].join("/"))),
        _ => Some(parts.join("/")),
    }
}

/// Returns the regular files, breadth first, until there are more than [`MAX_FILES`]. Hidden files and folders, links
/// to folders, and folders below [`MAX_DEPTH`] are left out, as are pipes and devices, because reading one may never
/// end.
fn files_below(from: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = std::collections::VecDeque::from([(from.to_owned(), 0)]);
    while let Some((folder, depth)) = folders.pop_front() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            // Subfolders without read permission are skipped.
            Err(_) if depth > 0 => continue,
            Err(error) => return Err(error),
        };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        paths.sort();
        for path in paths {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let is_hidden = name.is_some_and(|name| name.starts_with('.'));
            // Links to folders may form cycles.
            let is_link = path.is_symlink();
            match std::fs::metadata(&path) {
                Ok(_) | Err(_) if is_hidden => {}
                Ok(found) if found.is_file() => files.push(path),
                Ok(found) if found.is_dir() && depth < MAX_DEPTH && !is_link => {
                    folders.push_back((path, depth + 1));
                }
                _ => {}
            }
        }
        if files.len() > MAX_FILES {
            break;
        }
    }
    Ok(files)
}

impl FoundFile {
    /// Returns the shape of an array; empty for other files.
    pub(crate) fn shape(&self) -> &[usize] {
        self.holds.shape().unwrap_or_default()
    }

    /// Returns `true` for an array of integers, which may be classes.
    pub(crate) fn is_integer(&self) -> bool {
        self.has_elements(ElementType::Integer)
    }

    /// Returns `true` for an array of some element type.
    pub(crate) fn has_elements(&self, expected: ElementType) -> bool {
        matches!(&self.holds, Content::Array { elements, .. } if *elements == expected)
    }

    /// Returns the columns of a table; empty for other files.
    pub(crate) fn columns(&self) -> &[String] {
        match &self.holds {
            Content::Table(columns) => columns,
            _ => &[],
        }
    }

    /// Returns `true` if its name contains one of the words.
    pub(crate) fn name_contains(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.stem.contains(word))
    }
}

/// The files of one folder.
pub(crate) struct Folder<'a> {
    /// Path relative to the study.
    pub(crate) path: &'a str,
    pub(crate) files: Vec<&'a FoundFile>,
    /// Files of all folders.
    pub(crate) all_files: &'a [FoundFile],
}

impl<'a> Folder<'a> {
    /// Returns the name for a section of this folder.
    pub(crate) fn name(&self) -> String {
        name(self.path)
    }

    /// Returns the first file that fits.
    pub(crate) fn find(&self, fits: impl Fn(&FoundFile) -> bool) -> Option<&'a FoundFile> {
        self.files.iter().copied().find(|file| fits(file))
    }

    /// Returns all files that fit.
    pub(crate) fn find_all(&self, fits: impl Fn(&FoundFile) -> bool) -> Vec<&'a FoundFile> {
        let files = self.files.iter().copied();
        files.filter(|file| fits(file)).collect()
    }
}

/// Groups files by folder.
pub(crate) fn by_folder(all_files: &[FoundFile]) -> Vec<Folder<'_>> {
    let mut folders: Vec<Folder<'_>> = Vec::new();
    for file in all_files {
        let mut known = folders.iter_mut();
        match known.find(|folder| folder.path == file.folder) {
            Some(folder) => folder.files.push(file),
            None => folders.push(Folder {
                path: &file.folder,
                files: vec![file],
                all_files,
            }),
        }
    }
    folders
}

/// Returns the name for a section or an explainer: the last part of a path, with spaces for dashes and underscores.
pub(crate) fn name(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or(path);
    last.replace(['_', '-'], " ")
}
