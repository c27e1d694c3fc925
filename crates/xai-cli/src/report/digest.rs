//! Summary tables for the terminal that several kinds of sections use.

use xai_report::Origin;
use xai_report::sections::compared::Compared;
use xai_report::sections::runs::RunPairs;

use crate::output::text::{coverage, decimals, interval, table, with_arrow};

/// Formats a table of explainers by metrics for each section.
pub(crate) fn compared<'a>(
    sections: impl Iterator<Item = (&'a Origin, &'a Compared)>,
) -> Vec<String> {
    let section_table = |(origin, section): (&Origin, &Compared)| {
        let titles: Vec<String> = section
            .metrics
            .iter()
            .map(|metric| with_arrow(&metric.title, metric.better))
            .collect();
        let mut header = vec![origin.name.as_str()];
        header.extend(titles.iter().map(String::as_str));
        let rows = section.explainers.iter().enumerate().map(|(e, name)| {
            let cells = section.metrics.iter().map(move |metric| {
                let estimate = metric.values.get(e);
                decimals(estimate.and_then(|estimate| estimate.value))
            });
            std::iter::once(name.clone()).chain(cells)
        });
        table(&header, rows)
    };
    sections.map(section_table).collect()
}

/// Formats a table of the metrics over pairs of runs for each section.
pub(crate) fn runs<'a>(sections: impl Iterator<Item = (&'a Origin, &'a RunPairs)>) -> Vec<String> {
    let section_table = |(origin, section): (&Origin, &RunPairs)| {
        let rows = section.metrics.iter().map(|metric| {
            [
                with_arrow(&metric.title, metric.better),
                decimals(metric.mean.value),
                interval(metric.mean.interval),
            ]
        });
        let interval = format!("{} interval", coverage(section.level));
        table(&[&origin.name, "mean of pairs", &interval], rows)
    };
    sections.map(section_table).collect()
}
