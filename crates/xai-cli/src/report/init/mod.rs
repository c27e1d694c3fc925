//! `xai report init`: a study of the files of a folder.

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
use found::{FoundFile, MOST_FILES, by_folder, find};

/// `xai report init`
#[derive(Debug, clap::Args)]
#[command(after_help = examples::of(&["xai report init --from results", "xai report init --sample --from sample"]))]
pub(crate) struct Init {
    /// The folder whose files the study names. What a file is follows from its name, shape and columns.
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
    /// How many sections of each kind it has.
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
            let failure =
                Failure::new("there is a study already").help("name another file with --out");
            return Err(failure.in_file(&study));
        }
        // Paths of a study begin in its own folder.
        let folder = match (to_standard_output, study.parent()) {
            (false, Some(parent)) => parent.to_owned(),
            _ => self.from.clone(),
        };
        let found = find(&self.from, &folder)?;
        if found.is_cut {
            context.remark(format_args!(
                "{}: more than {MOST_FILES} files; those of its upper folders were looked at",
                self.from.display()
            ));
        }
        let draft = draft(&found.files);
        let n_sections: usize = draft.sections.values().sum();
        if n_sections == 0 {
            let failure = Failure::new(
                "no files that a study is made of: expected .npy, .csv, .json or .onnx files with names as in the sample",
            );
            return Err(failure
                .help("`xai report init --sample --from FOLDER` writes the sample study")
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
            format!("{study}: {n_sections} sections; look at the lines marked “guessed”, then\n\n  xai report check {study}\n  xai report {study}")
        })
    }

    fn write_sample(&self, context: &Context) -> Result<(), Failure> {
        if self.out.is_some() {
            return Err(Failure::usage(
                "--sample and --out: the sample goes into the folder of --from",
            ));
        }
        let study = self.from.join(sample::STUDY);
        if let Some(file) = sample::first_there(&self.from) {
            let failure =
                Failure::new("it is there already, and the sample has a file of this name");
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
            sections: SECTIONS.iter().map(|it| (it.kind().key, 1)).collect(),
        };
        context.present(&result, || {
            format!("the sample study is in {}", study.display())
        })
    }
}

/// A study of some files.
fn draft(files: &[FoundFile]) -> Draft {
    let mut draft = Draft::new();
    let folders = by_folder(files);
    for section in SECTIONS {
        draft.go_on(section.kind().key);
        for folder in &folders {
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
        let expected = std::fs::read(folder.path().join(sample::STUDY)).unwrap();
        let expected = Document::parse(Path::new("a"), &expected).unwrap();
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
                !["k", "activation", "channels", "metrics"].contains(&name.as_str())
            });
            keys.sort_by(|a, b| a.0.cmp(&b.0));
            (keys, section.explainers.len())
        };
        let made = draft.sections.iter().filter(|(_, n)| **n > 0);
        assert_eq!(made.clone().count(), SECTIONS.len() - 1); // no file makes a simulation
        for (key, _) in made {
            assert_eq!(values(&drafted, key), values(&expected, key), "{key}");
        }
    }
}
