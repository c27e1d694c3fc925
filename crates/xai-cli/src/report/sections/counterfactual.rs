//! The section `[[counterfactual]]`: results of `xai counterfactual compare`.

use xai_metrics::counterfactual::registry::METRICS;
use xai_report::sections::counterfactual::Counterfactual;

use crate::counterfactual::compare::CompareMethods;
use crate::metric_commands::selection::ALL_WORD;
use crate::report::digest::compared;
use crate::report::init::found::name;
use crate::report::section::{
    Context, Draft, Explainers, Failure, Folder, MetricsKey, Origin, Prepared, Report,
    SectionCommand, SectionKeys, SectionKind, StudySection, into_report,
};

const COMMANDS: &[SectionCommand] = &[SectionCommand::new::<CompareMethods>(
    &["counterfactual", "compare"],
    &[
        "out",
        "counterfactuals",
        "query-index",
        "predicted",
        "valid",
        "row-class",
        "p-target",
        "others",
        "other-query",
        "reconstruction-target",
        "reconstruction-origin",
        "reconstruction-all",
        "noisy-predictions",
        "model-predictions",
    ],
)];

const EXPLAINERS: &[(&str, &str)] = &[
    ("counterfactuals", "--counterfactuals"),
    ("query_index", "--query-index"),
    ("predicted", "--predicted"),
    ("valid", "--valid"),
    ("row_class", "--row-class"),
    ("p_target", "--p-target"),
    ("others", "--others"),
    ("other_query", "--other-query"),
    ("reconstruction_target", "--reconstruction-target"),
    ("reconstruction_origin", "--reconstruction-origin"),
    ("reconstruction_all", "--reconstruction-all"),
    ("noisy_predictions", "--noisy-predictions"),
    ("model_predictions", "--model-predictions"),
];

pub(super) struct CounterfactualSection;

impl StudySection for CounterfactualSection {
    fn kind(&self) -> &'static SectionKind {
        &Counterfactual::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        COMMANDS.to_vec()
    }

    fn explainers(&self) -> Explainers {
        Explainers::Files(EXPLAINERS)
    }

    fn metrics(&self) -> Option<MetricsKey> {
        let entries = METRICS.iter();
        Some(MetricsKey {
            metrics: entries.map(|entry| (entry.info, entry.params())).collect(),
            groups: &[ALL_WORD],
        })
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        let help =
            "[[counterfactual.explainers]] with name = \"…\" and counterfactuals = \"….csv\"";
        let (line, arguments) = keys.compared::<CompareMethods>(help)?;
        let section = move |origin, context: &Context| evaluate(&arguments, origin, context);
        let evaluate = into_report(section, |report| &mut report.counterfactual);
        Ok(keys.prepared(evaluate, &[line]))
    }

    /// Drafts a section for a folder with queries, training rows, a schema, and tables with a column `query`.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let has_query = |file: &crate::report::init::found::FoundFile| matches!(&file.holds, xai_files::content::Content::Table(columns) if columns.iter().any(|column| column == "query"));
        let is_table = |file: &crate::report::init::found::FoundFile| {
            matches!(&file.holds, xai_files::content::Content::Table(_))
        };
        let methods = folder.find_all(has_query);
        methods.first()?;
        let queries = folder
            .find(|file| is_table(file) && !has_query(file) && file.name_contains(&["quer"]))?;
        draft.begin(
            &folder.name(),
            "Are counterfactuals valid, near, plausible and possible? Keys: the options of `xai counterfactual compare`.",
        );
        draft.file("queries", queries, false);
        let train = folder.find(|file| is_table(file) && file.name_contains(&["train"]));
        draft.guessed("train", train);
        let is_model = |file: &crate::report::init::found::FoundFile| {
            matches!(&file.holds, xai_files::content::Content::Model)
        };
        draft.guessed("model", folder.find(is_model));
        draft.comment("schema = \"schema.toml\"  # as `xai counterfactual schema` writes it");
        for method in methods {
            draft.begin_explainer(&name(&method.stem));
            draft.file("counterfactuals", method, true);
        }
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.counterfactual.iter();
        compared(sections.map(|section| (&section.origin, &section.compared)))
    }
}

/// Computes the section.
fn evaluate(
    arguments: &CompareMethods,
    mut origin: Origin,
    context: &Context,
) -> Result<Counterfactual, Failure> {
    let compared = arguments.evaluate(context)?;
    let remarks = compared.table.warnings.iter().map(ToString::to_string);
    origin.remarks.extend(remarks);
    let mut section = Counterfactual::new(origin, &compared.table, compared.success.clone())
        .map_err(Failure::new)?;
    compared.add_changes(&mut section).map_err(Failure::new)?;
    section.agreement = compared.agreement().map_err(Failure::new)?;
    Ok(section)
}
