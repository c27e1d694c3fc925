//! `xai report init`: writes a study for the files of a folder.

pub(crate) mod draft;
pub(crate) mod found;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use xai_files::{Failure, InFile};

use crate::output::whole_file;
use crate::report::sample;
use crate::report::sections::SECTIONS;
use crate::{Context, examples};
use draft::Draft;
use found::{FoundFile, MAX_FILES, by_folder, find};

/// `xai report init`
#[derive(Debug, clap::Args)]
#[command(after_help = examples::section(&["xai report init --from results", "xai report init --sample --from sample"]))]
pub(crate) struct Init {
    /// The folder with the files of the study. Names, shapes and columns decide which file is used for which key.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    from: PathBuf,
    /// The study to write; `-` writes it to standard output. Default: study.toml in the folder.
    #[arg(long, value_name = "STUDY.toml")]
    out: Option<PathBuf>,
    /// Write the built-in sample study with all its files into the folder instead.
    #[arg(long)]
    sample: bool,
}

/// The JSON of `xai report init`.
#[derive(Debug, Serialize)]
struct InitResult {
    study: PathBuf,
    /// Number of sections by kind.
    #[serde(flatten)]
    sections: BTreeMap<&'static str, usize>,
}

impl Init {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let to_standard_output = self.out.as_deref() == Some(Path::new("-"));
        let study = match &self.out {
            Some(out) => out.clone(),
            None => self.from.join(sample::STUDY),
        };
        if self.sample {
            return self.write_sample(context);
        }
        if !to_standard_output && study.exists() {
            let failure = Failure::new("this study exists and is not overwritten")
                .help("name another file with --out, or remove it");
            return Err(failure.in_file(&study));
        }
        // Paths in a study are relative to its own folder.
        let folder = match (to_standard_output, study.parent()) {
            (false, Some(parent)) => parent.to_owned(),
            _ => self.from.clone(),
        };
        let found = find(&self.from, &folder)?;
        if found.is_cut {
            context.remark(format_args!(
                "{}: more than {MAX_FILES} files; only the first, in the upper folders, were used",
                self.from.display()
            ));
        }
        let draft = draft(&found.files);
        let n_sections: usize = draft.sections.values().sum();
        if n_sections == 0 {
            let failure = Failure::new(
                "no files for a study: expected .npy, .csv, .json or .onnx files with names like those of the sample study",
            );
            return Err(failure
                .help("see the names in the sample study, which `xai report init --sample --from FOLDER` writes")
                .in_file(&self.from));
        }
        if to_standard_output {
            return crate::output::stdout::print_text(draft.as_str().trim_end());
        }
        whole_file::write_text(&study, draft.as_str())?;
        let result = InitResult {
            study: study.clone(),
            sections: draft.sections,
        };
        context.present(&result, || {
            let study = study.display();
            format!("wrote {study} with {n_sections} sections; check the lines marked “guessed”, then run\n\n  xai report check {study}\n  xai report {study}")
        })
    }

    fn write_sample(&self, context: &Context) -> Result<(), Failure> {
        if self.out.is_some() {
            return Err(Failure::usage(
                "--sample cannot be used with --out: it writes several files",
            )
            .help("name their folder with --from"));
        }
        let study = self.from.join(sample::STUDY);
        if let Some(file) = sample::first_existing(&self.from) {
            let failure =
                Failure::new("this file exists, and the sample study has a file of this name");
            return Err(failure
                .help("name another folder with --from")
                .in_file(&file));
        }
        std::fs::create_dir_all(&self.from)
            .map_err(Failure::cannot_be_written)
            .in_file(&self.from)?;
        sample::write(&self.from)?;
        let result = InitResult {
            study: study.clone(),
            sections: SECTIONS
                .iter()
                .map(|section| (section.kind().key, 1))
                .collect(),
        };
        context.present(&result, || {
            format!("the sample study is in {}", study.display())
        })
    }
}

/// Drafts a study for some files.
fn draft(files: &[FoundFile]) -> Draft {
    let mut draft = Draft::new();
    let folders = by_folder(files);
    for section in SECTIONS {
        draft.start_kind(section.kind().key);
        for folder in &folders {
            // `None` means that the folder has no files for this kind.
            let _: Option<()> = section.init(folder, &mut draft);
        }
    }
    draft
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::study::document::Document;

    #[test]
    fn the_files_of_the_sample_make_its_study() {
        let folder = sample::in_temporary_folder().unwrap();
        let bytes = std::fs::read(folder.path().join(sample::STUDY)).unwrap();
        let expected = Document::parse(Path::new("a"), &bytes).unwrap();
        let draft = draft(&find(folder.path(), folder.path()).unwrap().files);
        let drafted = Document::parse(Path::new("b"), draft.as_str().as_bytes()).unwrap();
        let values = |document: &Document, family: &str| {
            let section = document
                .sections
                .iter()
                .find(|s| s.kind.key == family)
                .unwrap();
            let mut keys: Vec<_> = section
                .keys
                .iter()
                .map(|key| (key.name.clone(), key.value.clone()))
                .collect();
            keys.retain(|(name, _)| {
                !["k", "activation", "channels", "metrics", "schema"].contains(&name.as_str())
            });
            keys.sort_by(|a, b| a.0.cmp(&b.0));
            // Second runs of two methods are drafted as methods of their own.
            let n_explainers = section.explainers.len();
            (
                keys,
                if family == "counterfactual" {
                    0
                } else {
                    n_explainers
                },
            )
        };
        let made = draft.sections.iter().filter(|(_, n)| **n > 0);
        assert_eq!(made.clone().count(), SECTIONS.len() - 2); // no file makes a simulation or a regression
        for (key, _) in made {
            assert_eq!(values(&drafted, key), values(&expected, key), "{key}");
        }
    }
}
