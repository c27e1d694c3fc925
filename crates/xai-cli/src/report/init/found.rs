//! The files of a folder, and what they hold.

use std::path::{Path, PathBuf};

use xai_files::content::{Content, ElementType};
use xai_files::{Failure, InFile};

/// A file of a study to be.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    /// Its path from the study.
    pub(crate) path: String,
    /// Where it is.
    pub(crate) file: PathBuf,
    /// The folder that it is in, from the study.
    pub(crate) folder: String,
    /// Its name without the extension, in small letters.
    pub(crate) stem: String,
    pub(crate) holds: Content,
}

/// Folders inside each other that are looked into.
const DEEPEST: usize = 6;
/// Files that are looked at.
pub(crate) const MOST_FILES: usize = 10_000;

/// The files of a folder that a study may name.
#[derive(Debug)]
pub(crate) struct Found {
    /// In the order of their paths.
    pub(crate) files: Vec<FoundFile>,
    /// Whether there are more files than are looked at.
    pub(crate) is_cut: bool,
}

/// All files of a folder that a study may name, those of upper folders first where there are too many.
///
/// # Errors
/// A folder that cannot be read.
pub(crate) fn find(from: &Path, study_folder: &Path) -> Result<Found, Failure> {
    let mut paths = files_below(from)
        .map_err(Failure::cannot_be_read)
        .in_file(from)?;
    let is_cut = paths.len() > MOST_FILES;
    paths.truncate(MOST_FILES);
    paths.sort();
    let found = paths.iter().filter_map(|file| {
        let holds = Content::of(file)
            .ok()
            .filter(|holds| *holds != Content::Other)?;
        // A file that is not below the study has its whole path.
        let whole = std::path::absolute(file).ok()?;
        let relative = file.strip_prefix(study_folder).unwrap_or(&whole);
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

/// A path with slashes; `None` where TOML cannot say it.
fn text(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    let parts = parts?;
    match parts.first() {
        Some(&"/") => Some(format!("/{}", parts[1..].join("/"))),
        _ => Some(parts.join("/")),
    }
}

/// Regular files, folder by folder from the top, until there are more than are looked at. Pipes and devices are
/// none: reading one may never end.
fn files_below(from: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = std::collections::VecDeque::from([(from.to_owned(), 0)]);
    while let Some((folder, depth)) = folders.pop_front() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            // A folder that is closed is none of the study.
            Err(_) if depth > 0 => continue,
            Err(error) => return Err(error),
        };
        let mut entries: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        entries.sort();
        for path in entries {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let is_hidden = name.is_some_and(|name| name.starts_with('.'));
            // Links to folders may lead in circles.
            let is_link = path.is_symlink();
            match std::fs::metadata(&path) {
                Ok(_) | Err(_) if is_hidden => {}
                Ok(found) if found.is_file() => files.push(path),
                Ok(found) if found.is_dir() && depth < DEEPEST && !is_link => {
                    folders.push_back((path, depth + 1));
                }
                _ => {}
            }
        }
        if files.len() > MOST_FILES {
            break;
        }
    }
    Ok(files)
}

impl FoundFile {
    /// The axes of an array; none of a table or model.
    pub(crate) fn shape(&self) -> &[usize] {
        self.holds.shape().unwrap_or_default()
    }

    /// Whether it holds classes, or could.
    pub(crate) fn is_whole(&self) -> bool {
        self.holds_elements(ElementType::Integer)
    }

    /// Whether it is an array of some type.
    pub(crate) fn holds_elements(&self, of: ElementType) -> bool {
        matches!(&self.holds, Content::Array { elements, .. } if *elements == of)
    }

    /// The columns of a table.
    pub(crate) fn columns(&self) -> &[String] {
        match &self.holds {
            Content::Table(columns) => columns,
            _ => &[],
        }
    }

    /// Whether its name has one of some words in it.
    pub(crate) fn is_called(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.stem.contains(word))
    }
}

/// The files of one folder.
pub(crate) struct Folder<'a> {
    /// The folder, from the study.
    pub(crate) path: &'a str,
    pub(crate) files: Vec<&'a FoundFile>,
    /// The files of all folders.
    pub(crate) all: &'a [FoundFile],
}

impl<'a> Folder<'a> {
    /// What its section is called.
    pub(crate) fn name(&self) -> String {
        name(self.path)
    }

    /// The first file that fits.
    pub(crate) fn find(&self, fits: impl Fn(&FoundFile) -> bool) -> Option<&'a FoundFile> {
        self.files.iter().copied().find(|file| fits(file))
    }

    /// All files that fit.
    pub(crate) fn all_of(&self, fits: impl Fn(&FoundFile) -> bool) -> Vec<&'a FoundFile> {
        let files = self.files.iter().copied();
        files.filter(|file| fits(file)).collect()
    }
}

/// The files, folder by folder.
pub(crate) fn by_folder(all: &[FoundFile]) -> Vec<Folder<'_>> {
    let mut folders: Vec<Folder<'_>> = Vec::new();
    for file in all {
        let mut known = folders.iter_mut();
        match known.find(|folder| folder.path == file.folder) {
            Some(folder) => folder.files.push(file),
            None => folders.push(Folder {
                path: &file.folder,
                files: vec![file],
                all,
            }),
        }
    }
    folders
}

/// What a section or an explainer is called after: a name with spaces.
pub(crate) fn name(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or(path);
    last.replace(['_', '-'], " ")
}
