//! The section `[[regression]]`: results of `xai repro regression`.

use xai_files::arrays::ElementType;
use xai_files::left_out;
use xai_report::sections::regression::Regression;

use crate::report::digest::runs;
use crate::report::section::{
    Context, Draft, Failure, Folder, Origin, Prepared, Report, SectionCommand, SectionKeys,
    SectionKind, StudySection,
};
use crate::repro::regression::Regression as Arguments;

pub(super) struct RegressionSection;

impl StudySection for RegressionSection {
    fn kind(&self) -> &'static SectionKind {
        &Regression::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        vec![SectionCommand::new::<Arguments>(
            &["repro", "regression"],
            &["out"],
        )]
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        keys.single(evaluate, |report| &mut report.regression)
    }

    /// Drafts a section for a folder with predicted numbers `(runs, samples)` and targets `(samples,)`.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let predictions = folder.find(|file| {
            file.shape().len() == 2
                && file.has_elements(ElementType::Float)
                && file.name_contains(&["prediction", "runs", "preds"])
        })?;
        let targets = folder.find(|file| {
            file.shape() == &predictions.shape()[1..]
                && file.has_elements(ElementType::Float)
                && (file.name_contains(&["target", "truth"]) || file.stem == "y")
        })?;
        draft.begin(&folder.name(), "Do repeated trainings of a regression model predict the same numbers? Keys: the options of `xai repro regression`.");
        draft.file("predictions", predictions, false);
        draft.file("targets", targets, false);
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.regression.iter();
        runs(sections.map(|section| (&section.origin, &section.runs)))
    }
}

/// Compares all pairs of runs as `xai repro regression` does.
fn evaluate(
    arguments: &Arguments,
    mut origin: Origin,
    context: &Context,
) -> Result<Regression, Failure> {
    let evaluated = arguments.evaluate(context)?;
    let remarks = left_out::remarks(&evaluated.columns_left_out);
    origin.remarks.extend(remarks);
    let section = Regression::new(
        origin,
        &evaluated.runs,
        evaluated.n_samples,
        evaluated.interval,
    );
    let section = section.map_err(Failure::new)?;
    Ok(section.with_run_names(evaluated.run_names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sections::testing::{context, origin, parsed, write};

    #[test]
    fn the_section_has_the_values_and_names_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        // Residuals 0, 1, −1, 2 and 0, 2, 1, 2.
        let table = "price,first,second\n1,1,1\n2,1,0\n3,4,2\n4,2,2\n";
        let file = write(folder.path(), "runs.csv", table);
        let line = [
            "--predictions",
            file.to_str().unwrap(),
            "--targets",
            "price",
        ];
        let section = evaluate(&parsed(&line), origin(), &context()).unwrap();
        assert_eq!((section.runs.n_runs, section.runs.n_samples), (2, 4));
        assert_eq!(section.runs.run_names, ["first", "second"]);
        assert_eq!(section.mean_absolute_error, [1.0, 1.25]);
        let value = |name: &str| {
            let metric = section.runs.metrics.iter().find(|of| of.metric == name);
            metric.unwrap().mean.value
        };
        assert_eq!((value("ec_ratio"), value("mae")), (Some(0.875), Some(0.75)));
        assert_eq!(section.runs.similarity.metric, "concordance");
    }
}
