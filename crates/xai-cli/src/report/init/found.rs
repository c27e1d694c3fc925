//! The files of a folder, and what they hold.

use std::path::{Path, PathBuf};

use xai_files::content::{Content, ElementType};
use xai_files::failure::{Failure, InFile};

/// A file of a study to be.
#[derive(Debug, Clone)]
pub(super) struct FoundFile {
    /// Its path from the study.
    pub(super) path: String,
    /// The folder that it is in, from the study.
    pub(super) folder: String,
    /// Its name without the extension, in small letters.
    pub(super) stem: String,
    pub(super) holds: Content,
}

/// Folders inside each other that are looked into.
const DEEPEST: usize = 6;
/// Files that are looked at.
const MOST_FILES: usize = 10_000;

/// All files of a folder that a study may name, in the order of their paths.
///
/// # Errors
/// A folder that cannot be read.
pub(super) fn find(from: &Path, study_folder: &Path) -> Result<Vec<FoundFile>, Failure> {
    let mut files = Vec::new();
    walk(from, 0, &mut files)
        .map_err(Failure::cannot_be_read)
        .in_file(from)?;
    files.sort();
    let found = files.iter().filter_map(|file| {
        let holds = Content::of(file)
            .ok()
            .filter(|holds| *holds != Content::Other)?;
        // A file that is not below the study has its whole path.
        let whole = std::path::absolute(file).ok()?;
        let relative = file.strip_prefix(study_folder).unwrap_or(&whole);
        Some(FoundFile {
            path: text(relative)?,
            folder: text(relative.parent().unwrap_or(Path::new("")))?,
            stem: file.file_stem()?.to_string_lossy().to_lowercase(),
            holds,
        })
    });
    Ok(found.collect())
}

/// A path with slashes; `None` where TOML cannot say it.
fn text(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    let parts = parts?;
    match parts.first() {
        Some(&"/") => Some(format!("/{}", parts[1..].join("/"))),
        _ => Some(parts.join("/")),
    }
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || files.len() >= MOST_FILES {
            continue;
        }
        // Links to folders may lead in circles.
        let is_link = path
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink());
        if path.is_dir() {
            if depth < DEEPEST && !is_link {
                // A folder that is closed is none of the study.
                let _ = walk(&path, depth + 1, files);
            }
        } else {
            files.push(path);
        }
    }
    Ok(())
}

impl FoundFile {
    /// The axes of an array; none of a table or model.
    pub(super) fn shape(&self) -> &[usize] {
        self.holds.shape().unwrap_or_default()
    }

    /// Whether it holds classes, or could.
    pub(super) fn is_whole(&self) -> bool {
        matches!(
            self.holds,
            Content::Array {
                elements: ElementType::Integer,
                ..
            }
        )
    }

    /// The columns of a table.
    pub(super) fn columns(&self) -> &[String] {
        match &self.holds {
            Content::Table(columns) => columns,
            _ => &[],
        }
    }

    /// Whether its name has one of some words in it.
    pub(super) fn is_called(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.stem.contains(word))
    }
}

/// The files of one folder.
pub(super) fn by_folder(files: &[FoundFile]) -> Vec<(&str, Vec<&FoundFile>)> {
    let mut folders: Vec<(&str, Vec<&FoundFile>)> = Vec::new();
    for file in files {
        match folders
            .iter_mut()
            .find(|(folder, _)| *folder == file.folder)
        {
            Some((_, of_folder)) => of_folder.push(file),
            None => folders.push((&file.folder, vec![file])),
        }
    }
    folders
}

/// What a section or an explainer is called after: a name with spaces.
pub(super) fn name(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or(path);
    last.replace(['_', '-'], " ")
}
