//! The section `[[casebased]]`: results of `xai casebased audit`.

use xai_files::content::Content;
use xai_files::left_out::LeftOut;
use xai_metrics::casebased::result::Listing;
use xai_report::sections::casebased::{AuditedData, Casebased};

use crate::casebased::audit::AuditCommand;
use crate::output::text::{decimals, interval, table};
use crate::report::init::found::FoundFile;
use crate::report::section::{
    Context, Draft, Failure, Folder, Origin, Prepared, Report, SectionCommand, SectionKeys,
    SectionKind, StudySection,
};
use crate::report::study::arguments::{NamedFile, is_file_name};
use crate::report::study::document::{Document, Section, Value};
use crate::usage::nearest;

pub(super) struct CasebasedSection;

impl StudySection for CasebasedSection {
    fn kind(&self) -> &'static SectionKind {
        &Casebased::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        let left_out = &["out", "n-least-supported"];
        vec![SectionCommand::new::<AuditCommand>(
            &["casebased", "audit"],
            left_out,
        )]
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        keys.single(evaluate, |report| &mut report.casebased)
    }

    /// Returns failures for columns that the section names and its tables do not have.
    ///
    /// Missing columns of features are not checked here, because the features are known only after reading the training
    /// table. The command reports them.
    fn check(
        &self,
        (document, section): (&Document, &Section),
        contents: &[(NamedFile, Content)],
    ) -> Vec<Failure> {
        let missing = |(name, file): (&str, &str)| {
            let key = section.key(name)?;
            let Value::Word(column) = &key.value else {
                return None;
            };
            let (table, columns) = contents.iter().find_map(|(named, content)| match content {
                Content::Table(columns) if named.key == file => Some((named, columns)),
                _ => None,
            })?;
            if is_file_name(column) || columns.contains(column) {
                return None;
            }
            let what = format!("{} has no column `{column}`", table.path);
            let failure = document.text.failure(key.value_at.clone(), what);
            let names: Vec<&str> = columns.iter().map(String::as_str).collect();
            Some(failure.help(nearest(column, &names)))
        };
        let named = [("label", "train"), ("predicted", "test")];
        named.into_iter().filter_map(missing).collect()
    }

    /// Drafts a section for a folder with a table of training and one of test cases.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let find_table = |word: &str| {
            folder.find(|file| !file.columns().is_empty() && file.name_contains(&[word]))
        };
        let (train, test) = (find_table("train")?, find_table("test")?);
        draft.begin(&folder.name(), "Does a prediction agree with its nearest training cases? Keys: the options of `xai casebased audit`.");
        draft.file("train", train, false);
        draft.file("test", test, false);
        if let Some(label) = column(train, &LABELS).or(train.columns().last()) {
            draft.entry("label", label, true);
        }
        if let Some(predicted) = column(test, &PREDICTIONS) {
            draft.entry("predicted", predicted, true);
        }
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.casebased.iter().map(|section| {
            let right_and_wrong = [("right", &section.right), ("wrong", &section.wrong)];
            let groups = right_and_wrong.into_iter().filter_map(|(name, group)| {
                let group = group.as_ref()?;
                Some((name, group.n, &group.mean_correspondence))
            });
            let all = ("all", section.n_test as u64, &section.mean_correspondence);
            let rows = groups.chain([all]).map(|(name, n, mean)| {
                let (value, ends) = (decimals(mean.value), interval(mean.interval));
                [name.to_owned(), n.to_string(), value, ends]
            });
            let name = section.origin.name.as_str();
            table(
                &[
                    name,
                    "predictions",
                    "mean correspondence ↑",
                    "95 % interval",
                ],
                rows,
            )
        });
        sections.collect()
    }
}

/// Usual names of columns of true classes.
const LABELS: [&str; 8] = [
    "label",
    "target",
    "class",
    "y",
    "truth",
    "diagnosis",
    "outcome",
    "species",
];
/// Usual names of columns of predicted classes.
const PREDICTIONS: [&str; 6] = ["predicted", "prediction", "pred", "y_pred", "y_hat", "yhat"];

/// Returns the column with the first of the names that the table has, ignoring case.
fn column<'a>(file: &'a FoundFile, names: &[&str]) -> Option<&'a String> {
    let find = |name: &&str| {
        file.columns()
            .iter()
            .find(|column| column.to_lowercase() == *name)
    };
    names.iter().find_map(find)
}

/// Number of least supported predictions on the page.
const SHOWN: Listing = Listing {
    n_least_supported: 6,
};

/// Audits the test table as `xai casebased audit` does.
fn evaluate(
    arguments: &AuditCommand,
    mut origin: Origin,
    context: &Context,
) -> Result<Casebased, Failure> {
    let audited = arguments.evaluate(SHOWN, true, None, context)?;
    origin.remarks.extend(audited.remarks);
    let left_out = audited.tables.used.columns_left_out.unwrap_or_default();
    let class_names = audited.tables.class_names.iter();
    let data = AuditedData {
        n_train: audited.n_train,
        k: audited.k,
        features: audited.features,
        class_names: class_names
            .map(|(label, name)| (*label, name.to_string()))
            .collect(),
        columns_used: audited.tables.used.columns_used,
        columns_left_out: left_out.iter().map(LeftOut::words).collect(),
    };
    Ok(Casebased::new(origin, &audited.report, data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sections::testing::{context, origin, parsed, sample, write};

    fn section(line: &[&str]) -> Casebased {
        evaluate(&parsed(line), origin(), &context()).unwrap()
    }

    /// Writes the tables to files and returns their section.
    fn section_from_tables(train: &str, test: &str, rest: &[&str]) -> Casebased {
        let folder = tempfile::tempdir().unwrap();
        let (train, test) = (
            write(folder.path(), "train.csv", train),
            write(folder.path(), "test.csv", test),
        );
        let (train, test) = (train.to_str().unwrap(), test.to_str().unwrap());
        let files = ["--train", train, "--test", test, "--label", "class"];
        section(&[&files[..], rest].concat())
    }

    #[test]
    fn the_sample_has_the_numbers_of_the_command() {
        let (train, test) = (sample("casebased/train.csv"), sample("casebased/test.csv"));
        let files = ["--train", &train, "--test", &test];
        let columns = ["--label", "diagnosis", "--predicted", "predicted"];
        let line = [&files[..], &columns].concat();
        let section = section(&line);
        let arguments: AuditCommand = parsed(&line);
        let audited = arguments.evaluate(SHOWN, false, None, &context()).unwrap();
        let json = serde_json::to_value(&audited.report).unwrap();
        let ours = serde_json::to_value(&section).unwrap();
        for (section_path, report_path) in [
            ("/mean_correspondence/value", "/mean_correspondence"),
            ("/wrong/n", "/wrong/n"),
            ("/wrong/histogram/counts", "/distribution/wrong/counts"),
            ("/auroc_of_right/value", "/distribution/auroc_of_right"),
            ("/expected_calibration_error", "/expected_calibration_error"),
            ("/levels", "/cases/levels"),
        ] {
            let value = ours.pointer(section_path).unwrap();
            assert_eq!(Some(value), json.pointer(report_path), "{section_path}");
        }
        // The test file has 171 rows. Its last two columns are the class and the prediction.
        let text = std::fs::read_to_string(&test).unwrap();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip(1)
            .map(|l| l.split(',').collect())
            .collect();
        let n_right = rows.iter().filter(|row| row[30] == row[31]).count();
        assert_eq!(section.n_test, rows.len());
        let share = n_right as f64 / rows.len() as f64;
        assert_eq!(section.accuracy.unwrap().value, Some(share));
        assert_eq!(section.right.unwrap().n, n_right as u64);
        // Right predictions have more support here.
        assert!(section.auroc_of_right.unwrap().interval.unwrap()[0] > 0.5);
        for least in &section.least_supported {
            assert_eq!(least.features.len(), 30);
            let differences = least.features.iter().map(|f| f.difference.unwrap().abs());
            assert!(differences.clone().is_sorted_by(|a, b| a >= b));
            assert!(least.features.iter().all(|f| f.cases.len() == section.k));
            let first: f64 = rows[least.sample][0].parse().unwrap();
            let radius = least.features.iter().find(|f| f.feature == "mean_radius");
            assert_eq!(radius.unwrap().value, first);
        }
        assert_eq!(section.least_supported.len(), 6);
    }

    #[test]
    fn features_differ_in_deviations_of_the_training_rows() {
        // x is 0, 2, 4, 6: a deviation of √5. The nearest of 7 are 6 and 4, a mean of 5.
        let train = "x,same,hidden,class\n0,1,5,no\n2,1,6,no\n4,1,7,yes\n6,1,8,yes\n";
        let test = "x,same,hidden,class,guess\n7,1,8,yes,no\n0,1,5,no,no\n";
        let rest = ["--predicted", "guess", "-k", "2", "--redact", "hidden"];
        let section = section_from_tables(train, test, &rest);
        let least = &section.least_supported[0];
        assert_eq!((least.sample, least.level.as_str()), (0, "low"));
        assert_eq!(least.predicted.as_deref(), Some("no"));
        assert_eq!(least.truth.as_deref(), Some("yes"));
        let names: Vec<&str> = least.features.iter().map(|f| f.feature.as_str()).collect();
        assert_eq!(names, ["x", "same"]);
        assert_eq!(least.features[0].cases, [6.0, 4.0]);
        let difference = least.features[0].difference.unwrap();
        assert!((difference - 2.0 / 5f64.sqrt()).abs() < 1e-15 && !least.features[0].differs);
        assert_eq!(least.features[1].difference, None);
        assert!(
            !serde_json::to_string(&section.least_supported)
                .unwrap()
                .contains("hidden")
        );
        // One right, one wrong.
        assert_eq!(section.auroc_of_right.unwrap().value, Some(1.0));
        let wrong = section.wrong.unwrap();
        assert_eq!((wrong.n, wrong.histogram.counts[0]), (1, 1));
        assert_eq!(section.class_names[&1], "yes");
    }

    #[test]
    fn without_a_true_class_there_is_no_right_and_wrong() {
        let train = "x,note,class\n0,a,0\n1,b,0\n2,c,1\n";
        let section = section_from_tables(train, "x\n0\n1\n", &["-k", "2"]);
        assert_eq!(
            (section.right, section.wrong, section.accuracy),
            (None, None, None)
        );
        assert_eq!(
            (section.auroc_of_right, section.reliability.len()),
            (None, 0)
        );
        assert_eq!(section.mean_correspondence.n, 2);
        assert_eq!(section.columns_left_out, ["`note` (text)"]);
        assert_eq!(section.origin.remarks.len(), 1);
    }

    #[test]
    fn auroc_is_undefined_if_all_predictions_are_right() {
        let train = "x,class\n0,0\n1,0\n2,0\n";
        let section = section_from_tables(train, "x,class\n0,0\n1,0\n", &["-k", "1"]);
        assert_eq!(section.auroc_of_right, None);
        let wrong = section.wrong.unwrap();
        assert_eq!((wrong.n, wrong.mean_correspondence.value), (0, None));
        let accuracy = section.accuracy.unwrap();
        // Wilson: n/(n + z²) of 2.
        assert!((accuracy.interval.unwrap()[0] - 2.0 / (2.0 + 1.96f64.powi(2))).abs() < 1e-4);
        assert_eq!(section.reliability.last().unwrap().accuracy.n, 2);
        assert_eq!(section.reliability[0].accuracy.value, None);
    }

    #[test]
    fn audits_do_not_take_aggregate_only() {
        let file = sample("casebased/train.csv");
        let files = ["--train", &file, "--test", &file];
        let line = [
            &files[..],
            &["--label", "diagnosis", "--aggregate-only", "3"],
        ]
        .concat();
        let failure = evaluate(&parsed(&line), origin(), &context()).unwrap_err();
        assert!(
            failure.to_string().contains("--aggregate-only"),
            "{failure}"
        );
    }
}
