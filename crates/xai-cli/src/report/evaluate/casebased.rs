//! The section of a table of predictions.

use xai_files::failure::Failure;
use xai_files::left_out::LeftOut;
use xai_metrics::casebased::AuditReport;
use xai_metrics::casebased::result::{
    AuditDistribution, AuditGroup, ExplanationSummary, FeatureComparison, GroupDistribution,
};

use crate::casebased::audit::AuditOfTable;
use crate::casebased::audit::evaluation::Audited;
use crate::context::Context;
use crate::report::model::casebased as model;
use crate::report::model::estimate::Estimate;
use crate::report::model::histogram::Histogram;
use crate::report::model::origin::Origin;

/// How many of the least supported predictions are shown.
const SHOWN: usize = 6;

/// Audits the test table as `xai casebased audit` does.
pub(crate) fn evaluate(
    arguments: &AuditOfTable,
    mut origin: Origin,
    context: &Context,
) -> Result<model::Casebased, Failure> {
    let audited = arguments.evaluate(SHOWN, true, None, context)?;
    origin.remarks.extend(audited.remarks.iter().cloned());
    let report = &audited.report;
    let numbers = Numbers::new(report);
    let columns_left_out = audited.tables.used.columns_left_out.as_deref();
    let columns_left_out = columns_left_out.unwrap_or_default().iter();
    let class_names = audited.tables.class_names.iter();
    Ok(model::Casebased {
        origin,
        n_train: audited.n_train,
        n_test: report.n_samples,
        k: audited.k,
        mean_correspondence: numbers.mean_correspondence(),
        right: numbers.group(&report.right, |d| &d.right),
        wrong: numbers.group(&report.wrong, |d| &d.wrong),
        accuracy: numbers.accuracy(),
        auroc_of_right: numbers.auroc_of_right(),
        by_class: by_class(&audited),
        levels: levels(report),
        reliability: numbers.reliability(),
        expected_calibration_error: report.expected_calibration_error,
        least_supported: least_supported(&audited),
        columns_used: audited.tables.used.columns_used.clone(),
        columns_left_out: columns_left_out.map(LeftOut::words).collect(),
        class_names: class_names
            .map(|(label, name)| (*label, name.to_string()))
            .collect(),
    })
}

/// The numbers of an audit with their intervals.
struct Numbers<'a> {
    report: &'a AuditReport,
    /// Audits for a report have it.
    distribution: Option<&'a AuditDistribution>,
    /// Predictions whose true class is known.
    n_judged: usize,
}

impl<'a> Numbers<'a> {
    fn new(report: &'a AuditReport) -> Self {
        Self {
            report,
            distribution: report.distribution.as_ref(),
            n_judged: report.right.n + report.wrong.n,
        }
    }

    fn mean_correspondence(&self) -> Estimate {
        let n = (self.report.n_samples - self.report.n_undefined) as u64;
        let interval = self.distribution.and_then(|d| d.interval);
        Estimate {
            n_undefined: self.report.n_undefined as u64,
            ..Estimate::new(self.report.mean_correspondence, interval, n)
        }
    }

    fn group(
        &self,
        group: &AuditGroup,
        of: impl FnOnce(&AuditDistribution) -> &GroupDistribution,
    ) -> Option<model::Group> {
        let distribution = of(self.distribution?);
        let n_defined: u64 = distribution.counts.iter().sum();
        let mean = Estimate::new(group.mean_correspondence, distribution.interval, n_defined);
        (self.n_judged > 0).then(|| model::Group {
            n: group.n as u64,
            mean_correspondence: Estimate {
                n_undefined: group.n as u64 - n_defined,
                ..mean
            },
            histogram: Histogram {
                from: 0.0,
                to: 1.0,
                counts: distribution.counts.clone(),
            },
        })
    }

    fn accuracy(&self) -> Option<Estimate> {
        let distribution = self.distribution?;
        let (value, interval) = (distribution.accuracy, distribution.accuracy_interval);
        value.map(|_| Estimate::new(value, interval, self.n_judged as u64))
    }

    fn auroc_of_right(&self) -> Option<Estimate> {
        let distribution = self.distribution?;
        let groups = [&distribution.right, &distribution.wrong];
        let n = groups.iter().flat_map(|group| &group.counts).sum();
        let (value, interval) = (distribution.auroc, distribution.auroc_interval);
        value.map(|_| Estimate {
            n_undefined: self.n_judged as u64 - n,
            ..Estimate::new(value, interval, n)
        })
    }

    fn reliability(&self) -> Vec<model::ReliabilityBin> {
        let intervals = self
            .distribution
            .map(|d| d.reliability_intervals.as_slice());
        let bins = self.report.reliability.iter();
        let bins = bins.zip(intervals.unwrap_or_default());
        let bins = bins.map(|(bin, interval)| model::ReliabilityBin {
            from: bin.from,
            to: bin.to,
            mean_correspondence: bin.mean_correspondence,
            accuracy: Estimate::new(bin.accuracy, *interval, bin.n as u64),
        });
        bins.filter(|_| self.n_judged > 0).collect()
    }
}

fn by_class(audited: &Audited) -> Vec<model::PredictedClass> {
    let classes = audited.report.by_class.iter();
    classes
        .map(|(label, class)| model::PredictedClass {
            class: audited.classes.called(*label),
            n: class.n as u64,
            mean_correspondence: class.mean_correspondence,
            accuracy: class.accuracy,
        })
        .collect()
}

fn levels(report: &AuditReport) -> Vec<model::Level> {
    let levels = report.cases.iter().flat_map(|cases| &cases.levels);
    levels
        .map(|level| model::Level {
            level: level.level.to_string(),
            n: level.n as u64,
        })
        .collect()
}

fn least_supported(audited: &Audited) -> Vec<model::LeastSupported> {
    let cases = audited.report.cases.iter();
    let least = cases.flat_map(|cases| &cases.least_supported);
    least.map(|summary| of_sample(summary, audited)).collect()
}

fn of_sample(summary: &ExplanationSummary, audited: &Audited) -> model::LeastSupported {
    let called = |label: Option<i64>| label.map(|label| audited.classes.called(label));
    let neighbors = summary.neighbors.iter().map(|neighbor| model::Precedent {
        index: neighbor.index,
        distance: neighbor.distance,
        label: audited.classes.called(neighbor.label),
    });
    let features = audited.features.get(&summary.sample);
    let features = features.map_or(&[][..], Vec::as_slice).iter();
    model::LeastSupported {
        sample: summary.sample,
        predicted: called(summary.predicted),
        truth: called(summary.truth),
        correspondence: summary.correspondence,
        level: summary.level.to_string(),
        neighbors: neighbors.collect(),
        features: features.map(of_feature).collect(),
    }
}

fn of_feature(feature: &FeatureComparison) -> model::FeatureComparison {
    let difference = feature.difference;
    model::FeatureComparison {
        feature: feature.feature.clone(),
        value: feature.value,
        precedents: feature.precedents.clone(),
        difference,
        differs: difference.is_some_and(|difference| difference.abs() > 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::evaluate::testing::{context, origin, parsed, sample, write};
    use crate::report::model::casebased::Casebased;

    fn section(line: &[&str]) -> Casebased {
        evaluate(&parsed(line), origin(), &context()).unwrap()
    }

    /// The section of tables that are written for it.
    fn of_tables(train: &str, test: &str, rest: &[&str]) -> Casebased {
        let folder = tempfile::tempdir().unwrap();
        let (train, test) = (
            write(folder.path(), "train.csv", train),
            write(folder.path(), "test.csv", test),
        );
        let files = ["--train", train.to_str().unwrap(), "--test"];
        let files = [&files[..], &[test.to_str().unwrap(), "--label", "class"]].concat();
        section(&[&files[..], rest].concat())
    }

    #[test]
    fn the_sample_has_the_numbers_of_the_command() {
        let (train, test) = (sample("casebased/train.csv"), sample("casebased/test.csv"));
        let line = ["--train", &train, "--test", &test, "--label", "diagnosis"];
        let line = [&line[..], &["--predicted", "predicted"]].concat();
        let section = section(&line);
        let arguments: AuditOfTable = parsed(&line);
        let audited = arguments.evaluate(6, false, None, &context()).unwrap();
        let json = serde_json::to_value(&audited.report).unwrap();
        let ours = serde_json::to_value(&section).unwrap();
        for (ours, theirs) in [
            (
                &ours["mean_correspondence"]["value"],
                &json["mean_correspondence"],
            ),
            (&ours["wrong"]["n"], &json["wrong"]["n"]),
            (
                &ours["wrong"]["histogram"]["counts"],
                &json["distribution"]["wrong"]["counts"],
            ),
            (
                &ours["auroc_of_right"]["value"],
                &json["distribution"]["auroc"],
            ),
            (
                &ours["expected_calibration_error"],
                &json["expected_calibration_error"],
            ),
            (&ours["levels"], &json["cases"]["levels"]),
        ] {
            assert_eq!(ours, theirs);
        }
        // 171 rows of the test file, whose last two columns are the class and the prediction.
        let rows = std::fs::read_to_string(&test).unwrap();
        let rows: Vec<Vec<&str>> = rows
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
            assert!(
                least
                    .features
                    .iter()
                    .all(|f| f.precedents.len() == section.k)
            );
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
        let section = of_tables(train, test, &rest);
        let least = &section.least_supported[0];
        assert_eq!((least.sample, least.level.as_str()), (0, "low"));
        assert_eq!(least.predicted.as_deref(), Some("no"));
        assert_eq!(least.truth.as_deref(), Some("yes"));
        let names: Vec<&str> = least.features.iter().map(|f| f.feature.as_str()).collect();
        assert_eq!(names, ["x", "same"]);
        assert_eq!(least.features[0].precedents, [6.0, 4.0]);
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
        let section = of_tables(train, "x\n0\n1\n", &["-k", "2"]);
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
    fn where_all_are_right_nothing_is_told_apart() {
        let train = "x,class\n0,0\n1,0\n2,0\n";
        let section = of_tables(train, "x,class\n0,0\n1,0\n", &["-k", "1"]);
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
    fn aggregates_alone_are_no_audit() {
        let file = sample("casebased/train.csv");
        let line = ["--train", &file, "--test", &file, "--label", "diagnosis"];
        let line = [&line[..], &["--aggregate-only", "3"]].concat();
        let failure = evaluate(&parsed(&line), origin(), &context()).unwrap_err();
        assert!(
            failure.to_string().contains("--aggregate-only"),
            "{failure}"
        );
    }
}
