//! The section `[[repro]]`: results of `xai repro pairwise`.

use xai_files::left_out;
use xai_metrics::repro::metrics::PAIR_METRICS;
use xai_report::sections::repro::{Repro, Votes, VotesOfSample};

use crate::metric_commands::selection::ALL_WORD;
use crate::report::digest::runs;
use crate::report::section::{
    Context, Draft, Failure, Folder, MetricsKey, Origin, Prepared, Report, SectionCommand,
    SectionKeys, SectionKind, StudySection,
};
use crate::repro::pairwise::Pairwise;

pub(super) struct ReproSection;

impl StudySection for ReproSection {
    fn kind(&self) -> &'static SectionKind {
        &Repro::KIND
    }

    fn commands(&self) -> Vec<SectionCommand> {
        let left_out = &["out", "summary-only", "inconsistent"];
        vec![SectionCommand::new::<Pairwise>(
            &["repro", "pairwise"],
            left_out,
        )]
    }

    fn metrics(&self) -> Option<MetricsKey> {
        let metrics = PAIR_METRICS
            .iter()
            .map(|metric| (metric.info(), Vec::new()));
        Some(MetricsKey {
            metrics: metrics.collect(),
            groups: &[ALL_WORD],
        })
    }

    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure> {
        keys.single(evaluate, |report| &mut report.repro)
    }

    /// Drafts a section for a folder with predictions `(runs, samples)` and labels `(samples,)`.
    fn init(&self, folder: &Folder<'_>, draft: &mut Draft) -> Option<()> {
        let runs = folder.find(|file| {
            file.shape().len() == 2
                && file.is_integer()
                && file.name_contains(&["prediction", "runs", "preds"])
        })?;
        let labels = folder.find(|file| {
            file.shape() == &runs.shape()[1..]
                && (file.name_contains(&["label", "target", "truth"]) || file.stem == "y")
        })?;
        draft.begin(&folder.name(), "Do repeated trainings make the same predictions, and the same errors? Keys: the options of `xai repro pairwise`.");
        draft.file("predictions", runs, false);
        draft.file("labels", labels, false);
        Some(())
    }

    fn digest(&self, report: &Report) -> Vec<String> {
        let sections = report.repro.iter();
        runs(sections.map(|section| (&section.origin, &section.runs)))
    }
}

/// Number of samples on the page on which the runs disagree most.
const SHOWN: usize = 10;

/// Compares all pairs of runs as `xai repro pairwise` does.
fn evaluate(arguments: &Pairwise, mut origin: Origin, context: &Context) -> Result<Repro, Failure> {
    if arguments.is_summary_only() {
        let failure = Failure::usage(
            "--summary-only: not possible in a report, which shows the values of the pairs",
        );
        return Err(failure.help("leave out --summary-only"));
    }
    let result = arguments.evaluate(Some(SHOWN), context)?;
    let remarks = left_out::remarks(&result.columns_left_out);
    origin.remarks.extend(remarks);
    let votes: Vec<VotesOfSample> = result
        .votes
        .into_iter()
        .map(|sample| VotesOfSample {
            label: sample.truth,
            votes: sample
                .votes
                .into_iter()
                .map(|(class, n)| Votes { class, n })
                .collect(),
        })
        .collect();
    let metrics = arguments.metrics()?;
    let section = Repro::new(origin, &metrics, &result.report, &votes);
    Ok(section.with_run_names(result.run_names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sections::testing::{context, origin, parsed, sample, write};

    fn section(line: &[&str], rest: &[&str]) -> Repro {
        evaluate(&parsed(&[line, rest].concat()), origin(), &context()).unwrap()
    }

    fn section_from_table(table: &str, rest: &[&str]) -> Repro {
        let folder = tempfile::tempdir().unwrap();
        let file = write(folder.path(), "runs.csv", table);
        let line = ["--predictions", file.to_str().unwrap(), "--labels", "true"];
        section(&line, rest)
    }

    #[test]
    fn the_sample_has_the_numbers_of_the_command() {
        let (predictions, labels) = (sample("repro/predictions.npy"), sample("repro/labels.npy"));
        let line = ["--predictions", &predictions, "--labels", &labels];
        let section = section(&line, &[]);
        let command: Pairwise = parsed(&line);
        let result = command.evaluate(Some(10), &context()).unwrap();
        let json = serde_json::to_value(&result).unwrap();
        for metric in &section.runs.metrics {
            let theirs = &json["metrics"][&metric.metric];
            let ours = serde_json::to_value(metric).unwrap();
            assert_eq!(ours["mean"]["value"], theirs["mean"]);
            assert_eq!(ours["mean"]["interval"], theirs["interval"]);
            assert_eq!(ours["median"], theirs["median"]);
            let counts = &metric.histogram.as_ref().unwrap().counts;
            assert_eq!((counts.len(), counts.iter().sum()), (20, metric.mean.n));
        }
        let theirs = json["metrics"].as_object().unwrap();
        assert_eq!(section.runs.metrics.len(), theirs.len());
        // 24 runs.
        assert_eq!((section.runs.n_runs, section.accuracy.len()), (24, 24));
        assert_eq!(section.runs.similarity.pairs.len(), 24 * 23 / 2);
        assert_eq!(section.runs.similarity.metric, "pa_acc");
        let mut order = section.runs.similarity.order.clone();
        order.sort_unstable();
        assert_eq!(order, (0..24).collect::<Vec<_>>());
        for sample in &section.most_inconsistent {
            assert_eq!(sample.votes.iter().map(|votes| votes.n).sum::<usize>(), 24);
            let modal = sample.votes[0].n as f64 / 24.0;
            assert_eq!(modal, sample.modal_share);
        }
        let most = &section.most_inconsistent;
        assert!(most.is_sorted_by(|a, b| a.entropy >= b.entropy));
    }

    #[test]
    fn similar_runs_are_adjacent_and_votes_have_class_names() {
        // Runs 0 and 2 are the same; 1 and 3 differ in one sample.
        let table = "true,a,b,c,d,index\n\
            dog,dog,cat,dog,cat,1\n\
            cat,cat,cat,cat,cat,2\n\
            cat,dog,cat,dog,cow,3\n\
            dog,dog,dog,dog,dog,4\n";
        let rest = ["--drop-column", "index", "--metrics", "ec_local,pa_acc"];
        let section = section_from_table(table, &rest);
        assert_eq!(section.runs.similarity.metric, "pa_acc");
        let pairs = [0.5, 1.0, 0.5, 0.5, 0.75, 0.5].map(Some);
        assert_eq!(section.runs.similarity.pairs, pairs);
        let order = &section.runs.similarity.order;
        let position = |run: usize| order.iter().position(|r| *r == run).unwrap();
        assert_eq!(position(0).abs_diff(position(2)), 1);
        assert_eq!(position(1).abs_diff(position(3)), 1);
        let n = (section.ever_changing, section.most_inconsistent.len());
        assert_eq!(n, (2, 2));
        let most = &section.most_inconsistent[0];
        assert_eq!((most.sample, most.label.as_str()), (2, "cat"));
        let votes = most
            .votes
            .iter()
            .map(|votes| (votes.class.as_str(), votes.n));
        assert!(votes.eq([("dog", 2), ("cat", 1), ("cow", 1)]));
        assert_eq!(section.accuracy[0].value, Some(0.75));
        assert!(section.origin.remarks.is_empty());
    }

    #[test]
    fn intervals_have_the_chosen_level_and_method() {
        let (predictions, labels) = (sample("repro/predictions.npy"), sample("repro/labels.npy"));
        let files = ["--predictions", &predictions, "--labels", &labels];
        let line = [&files[..], &["--metrics", "pa_acc"]].concat();
        let wide = section(&line, &[]);
        let section = section(&line, &["--level", "0.8", "--interval", "bca"]);
        assert_eq!(
            (section.runs.level, section.runs.interval.as_str()),
            (0.8, "bca")
        );
        let width = |section: &Repro| {
            let [low, high] = section.runs.metrics[0].mean.interval.unwrap();
            high - low
        };
        assert!(width(&section) < width(&wide));
        let mut report = xai_report::Report::new("Runs");
        report.repro.push(section);
        let page = xai_report::page(&report);
        assert!(page.contains("its 80 % interval by a BCa bootstrap over runs"));
        assert!(page.contains("80 % interval over samples (Wilson)"));
        assert!(
            !page.contains("jackknife")
                && !page.replace("a level of 95 % unless", "").contains("95 %")
        );
    }

    #[test]
    fn two_runs_that_make_no_error_have_a_constant_metric_and_an_undefined_one() {
        let section = section_from_table(",true,a,b\n0,1,1,1\n1,0,0,0\n", &[]);
        let metric = |name| {
            section
                .runs
                .metrics
                .iter()
                .find(|m| m.metric == name)
                .unwrap()
        };
        let agreement = metric("pa_acc");
        assert_eq!(agreement.mean.value, Some(1.0));
        assert_eq!((agreement.mean.interval, agreement.std), (None, None));
        assert_eq!(agreement.histogram.as_ref().unwrap().counts[0], 1);
        let local = metric("ec_local");
        assert_eq!((local.mean.value, local.mean.n_undefined), (None, 1));
        assert_eq!(local.histogram, None);
        assert_eq!(section.runs.similarity.order, [0, 1]);
        assert_eq!(section.ever_wrong, 0);
        // The index has no name.
        assert_eq!(section.origin.remarks.len(), 1);
        // The only metric is undefined.
        let section = section_from_table("true,a,b\n1,1,1\n", &["--metrics", "ec_local"]);
        assert_eq!(section.runs.similarity.pairs, [None]);
        assert_eq!(section.runs.similarity.metric, "ec_local");
    }
}
