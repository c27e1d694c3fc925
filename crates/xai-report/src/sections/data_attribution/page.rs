//! The page of training-data attribution.

use crate::markup::{Cell, Table, row};
use crate::page::block::{Block, n_of};
use crate::picture::{Axis, Figure, LineChart, Picture, Point, Reference};
use crate::sections::compared;
use crate::sections::data_attribution::data::{
    DataAttribution, DetectionCurve, MislabeledCases, TopCase, TopCasesOfSample,
};
use crate::sections::data_attribution::top_cases::TopCases;
use crate::text::with_arrow;

pub(super) fn blocks(section: &DataAttribution) -> Vec<Block> {
    let of = &section.compared;
    let about = format!(
        "{} explained by {}; {} by {}. An attribution above 0 says that the training case raised the score of the \
         test case.",
        n_of(of.n_samples, "test case", "test cases"),
        n_of(section.n_train, "training case", "training cases"),
        n_of(of.explainers.len(), "explainer", "explainers"),
        n_of(of.metrics.len() + section.whole.len(), "metric", "metrics"),
    );
    let mut blocks = vec![Block::Paragraph(about)];
    blocks.extend(compared::values(of));
    if !section.whole.is_empty() {
        blocks.push(Block::Heading("Metrics of all test cases together"));
        blocks.push(Block::Table(whole(section)));
    }
    let detection = section.mislabeling.iter().map(|of| detection(section, of));
    let heading = "Mislabeled training cases";
    blocks.extend(Block::figures(heading, detection.collect()));
    blocks.extend(compared::judged(of));
    blocks.extend(top_cases(section));
    blocks
}

/// Metrics that are one number for each explainer.
fn whole(section: &DataAttribution) -> Table {
    let caption = "Metrics with one value for all test cases; 95 % intervals treat training cases as independent";
    let rows = section.whole.iter().map(|metric| {
        let title = Cell::from(with_arrow(&metric.title, metric.better)).note(&metric.range);
        let mut row = row![title, &metric.question];
        row.extend(metric.values.iter().copied().map(Cell::from));
        row
    });
    let table = Table::new(caption).words(["metric", "question"]);
    table.numbers(&section.compared.explainers).rows(rows)
}

/// Curves of mislabeled cases found by each explainer.
fn detection(section: &DataAttribution, found: &MislabeledCases) -> Figure {
    let series = |curve: &DetectionCurve| {
        let points = curve
            .points
            .iter()
            .map(|point| Point::new(point.inspected, point.found));
        section.compared.series(&curve.explainer, points)
    };
    let picture = LineChart::new(
        "explainer",
        Axis::new("share of training cases inspected", (0.0, 1.0)),
        Axis::new("share of mislabeled cases found", (0.0, 1.0)),
        found.curves.iter().map(series),
    );
    let random = Reference::Diagonal("inspected in random order".to_owned());
    picture.reference(random).figure(
        "Mislabeled training cases found by inspection",
        format!(
            "Horizontal: share of the training cases inspected, those with the largest scores first. Vertical: share of \
             the {} found. The earlier a line rises, the less has to be inspected.",
            n_of(found.n_flagged, "mislabeled case", "mislabeled cases"),
        ),
    )
}

/// The top cases of some test cases, all explainers side by side: as images if all test cases have one, otherwise as
/// tables.
fn top_cases(section: &DataAttribution) -> Vec<Block> {
    if section.top_cases.is_empty() {
        return Vec::new();
    }
    let words = "The training cases with the largest attributions to some test cases, the largest first: of the best and of the \
                 worst test cases by the first metric with a better end, of the explainer that it ranks first. = and ≠ say \
                 whether the class of the training case is that of the test case; ⚑ marks flagged cases. Cases are counted \
                 from 0.";
    let mut blocks = vec![
        Block::Heading("Top training cases side by side"),
        Block::Paragraph(words.to_owned()),
    ];
    let (samples, explainers) = (section.top_cases.iter(), &section.compared.explainers);
    if samples.clone().all(|sample| sample.image.is_some()) {
        let caption = "Left: the test case. Right: the training cases.";
        let figures = samples.map(|sample| {
            let picture = TopCases { explainers, sample };
            picture.figure(title(sample), caption)
        });
        blocks.push(Block::Figures(figures.collect()));
    } else {
        blocks.extend(samples.map(|sample| Block::Table(table(explainers, sample))));
    }
    blocks
}

fn title(sample: &TopCasesOfSample) -> String {
    let class = match &sample.class {
        Some(class) => format!(", class {class}"),
        None => String::new(),
    };
    format!("Top training cases of test case {}{class}", sample.sample)
}

/// The top cases of a test case, a row for each rank and a column for each explainer.
fn table(explainers: &[String], sample: &TopCasesOfSample) -> Table {
    let cell = |top: &TopCase| {
        let [case, class, attribution] = TopCases::words(sample, top);
        Cell::from(case).note(class).note(attribution)
    };
    let n = sample.explainers.iter().map(Vec::len).max().unwrap_or(0);
    let rows = (0..n).map(|rank| {
        let cells = sample.explainers.iter().map(|top| top.get(rank));
        let mut row = row![rank as u64 + 1];
        row.extend(cells.map(|top| top.map_or_else(Cell::empty, cell)));
        row
    });
    let table = Table::new(title(sample)).unsorted().numbers(["rank"]);
    table.words(explainers).rows(rows)
}
