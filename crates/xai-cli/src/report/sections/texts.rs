//! The section `[[texts]]`: results of `xai attribution texts`, and some of the texts.

use xai_files::content::Content;
use xai_report::sections::texts::{TextData, Texts};

use crate::attribution::texts::{ComparedTexts, TextFile, Texts as Arguments};
use crate::report::digest::compared;
use crate::report::init::found::name;
use crate::report::section::{
    Context, Draft, Failure, Folder, Origin, Prepared, Report, SectionCommand, SectionKeys,
    SectionKind, StudySection,
};

pub(super) struct TextsSection;

impl StudySection for TextsSection {
    fn kind(&self) -> &'static SectionKind {
        &Texts::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        vec![SectionCommand::new::<Arguments>(
            &["attribution", "texts"],
            &[],
        )]
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        keys.single(evaluate, |report| &mut report.texts)
    }

    /// Drafts a section for every file of texts.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let texts = folder.find_all(|file| match &file.holds {
            Content::Table(columns) => {
                let has = |name: &str| columns.iter().any(|column| column == name);
                has("sample") && has("token")
            }
            Content::Json => TextFile::read(&file.file).is_ok(),
            _ => false,
        });
        for file in texts {
            draft.begin(
                &name(&file.stem),
                "Which words did a model decide by? Keys: the options of `xai attribution texts`.",
            );
            draft.file("texts", file, false);
        }
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.texts.iter();
        compared(sections.map(|section| (&section.origin, &section.compared)))
    }
}

/// Computes the section.
fn evaluate(arguments: &Arguments, origin: Origin, context: &Context) -> Result<Texts, Failure> {
    let ComparedTexts { file, table } = arguments.evaluate(context)?;
    let attributions: Vec<&[Vec<f64>]> =
        file.explainers.iter().map(|(_, maps)| &maps[..]).collect();
    let data = TextData {
        tokens: &file.tokens,
        names: file.names.as_deref(),
        rationales: file.rationales.as_deref(),
        attributions: &attributions,
    };
    Texts::new(origin, &table, data).map_err(Failure::new)
}
