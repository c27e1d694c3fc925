//! An audit as a person reads it.

use xai_files::classes::Classes;
use xai_metrics::casebased::AuditReport;
use xai_metrics::core::Interval;

use crate::output::text;

/// Columns of which higher values are better.
const MEAN_CORRESPONDENCE: &str = "mean correspondence ↑";
const ACCURACY: &str = "accuracy ↑";

/// The tables of an audit.
pub(super) fn text(report: &AuditReport, names: &Classes, recall: Option<f64>) -> String {
    tables(report, names) + &text::approximate(recall)
}

fn interval(interval: Option<Interval>) -> String {
    text::interval(interval.map(|interval| [interval.low, interval.high]))
}

fn tables(report: &AuditReport, names: &Classes) -> String {
    let called = |label: Option<i64>| text::or_dash(label.map(|label| names.called(label)));
    let scores = report.scores().map(|(info, value, of)| {
        let name = format!("{} {}", info.title, info.direction.arrow());
        [name, text::decimals(value), interval(of)]
    });
    let classes = report.by_class.iter().map(|(label, class)| {
        [
            names.called(*label),
            class.n.to_string(),
            text::decimals(class.mean_correspondence),
            text::decimals(class.accuracy),
        ]
    });
    let distribution = report.distribution.as_ref();
    let groups = [
        ("right", &report.right, distribution.map(|d| &d.right)),
        ("wrong", &report.wrong, distribution.map(|d| &d.wrong)),
    ]
    .map(|(name, group, distribution)| {
        [
            name.to_owned(),
            group.n.to_string(),
            text::decimals(group.mean_correspondence),
            interval(distribution.and_then(|d| d.interval)),
        ]
    });
    let bins = report.reliability.iter().map(|bin| {
        [
            format!("{:.1} to {:.1}", bin.from, bin.to),
            bin.n.to_string(),
            text::decimals(bin.mean_correspondence),
            text::decimals(bin.accuracy),
        ]
    });
    let least = report.least_supported.iter().map(|listed| {
        [
            listed.sample.to_string(),
            called(listed.predicted),
            called(listed.truth),
            text::decimals(Some(listed.correspondence)),
        ]
    });
    [
        format!(
            "{} samples, {} without a correspondence",
            report.n_samples, report.n_undefined,
        ),
        text::table(&["score", "value", "95 % interval"], scores),
        text::table(
            &["predicted class", "samples", MEAN_CORRESPONDENCE, ACCURACY],
            classes,
        ),
        text::table(
            &[
                "prediction",
                "samples",
                MEAN_CORRESPONDENCE,
                "95 % interval",
            ],
            groups,
        ),
        text::table(
            &["correspondence", "samples", MEAN_CORRESPONDENCE, ACCURACY],
            bins,
        ),
        text::table(
            &["least supported", "predicted", "true", "correspondence"],
            least,
        ),
    ]
    .join("\n\n")
}
