//! Tables for the terminal that several kinds of sections have.

use xai_report::Origin;
use xai_report::sections::compared::Compared;

use crate::output::text::{decimals, table, with_arrow};

/// Explainers by metrics, a table for each section.
pub(crate) fn compared<'a>(
    sections: impl Iterator<Item = (&'a Origin, &'a Compared)>,
) -> Vec<String> {
    let of_section = |(origin, section): (&Origin, &Compared)| {
        let metrics = section.metrics.iter();
        let metrics: Vec<String> = metrics
            .map(|metric| with_arrow(&metric.title, metric.better))
            .collect();
        let mut header = vec![origin.name.as_str()];
        header.extend(metrics.iter().map(String::as_str));
        let rows = section.explainers.iter().enumerate().map(|(e, name)| {
            let values = section
                .metrics
                .iter()
                .map(move |metric| metric.values.get(e));
            let values = values.map(|of| decimals(of.and_then(|estimate| estimate.value)));
            std::iter::once(name.clone()).chain(values)
        });
        table(&header, rows)
    };
    sections.map(of_section).collect()
}
