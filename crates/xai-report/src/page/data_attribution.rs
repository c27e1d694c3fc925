//! The section of training-data attribution.

use crate::family::Family;
use crate::markup::{Cell, Table};
use crate::page::block::{Block, Section, n_of};
use crate::page::compared;
use crate::picture::{Axis, Figure, LineChart, Picture, Reference, Series, TopCases};
use crate::section::data_attribution::{
    DataAttribution, DetectionCurve, MislabeledCases, TopCase, TopCasesOfSample,
};
use crate::text::with_arrow;

/// The section with its pictures and tables.
pub(super) fn section(section: &DataAttribution) -> Section<'_> {
    let of = &section.compared;
    Section {
        family: Family::DataAttribution,
        origin: &section.origin,
        about: format!(
            "{} explained by {}; {} by {}. An attribution above 0 says that the training case raised the score of the \
             test case.",
            n_of(of.n_samples, "test case", "test cases"),
            n_of(section.n_train, "training case", "training cases"),
            n_of(of.explainers.len(), "explainer", "explainers"),
            n_of(of.metrics.len() + section.whole.len(), "metric", "metrics"),
        ),
        blocks: blocks(section),
    }
}

fn blocks(section: &DataAttribution) -> Vec<Block> {
    let mut blocks = compared::values(&section.compared);
    if !section.whole.is_empty() {
        blocks.push(Block::Heading("Of all test cases together"));
        blocks.push(Block::Table(whole(section)));
    }
    if let Some(found) = &section.mislabeling {
        blocks.extend(Block::figures(
            "Mislabeled training cases",
            vec![detection(section, found)],
        ));
    }
    blocks.extend(compared::judged(&section.compared));
    blocks.extend(top_cases(section));
    blocks
}

/// Metrics that are one number for each explainer.
fn whole(section: &DataAttribution) -> Table {
    let caption = "Metrics that are one number for all test cases; an interval covers 95 % and takes training cases for \
                   independent";
    let table = Table::new(caption).words(["metric", "question"]);
    let rows = section.whole.iter().map(|metric| {
        let title = Cell::words(with_arrow(&metric.title, metric.better)).note(&metric.range);
        let values = metric.values.iter().map(Cell::estimate);
        [title, Cell::words(&metric.question)]
            .into_iter()
            .chain(values)
            .collect()
    });
    table.numbers(&section.compared.explainers).rows(rows)
}

/// How early mislabeled cases come by each explainer.
fn detection(section: &DataAttribution, found: &MislabeledCases) -> Figure {
    let series = |curve: &DetectionCurve| {
        let points = curve.points.iter();
        let points = points.map(|point| (point.inspected, point.found));
        Series::without_intervals(
            &curve.explainer,
            section.compared.place(&curve.explainer),
            points,
        )
    };
    let picture = LineChart {
        x: Axis::new("share of training cases inspected", (0.0, 1.0)),
        y: Axis::new("share of mislabeled cases found", (0.0, 1.0)),
        series_kind: "explainer",
        series: found.curves.iter().map(series).collect(),
        reference: Some(Reference::Diagonal("inspected in random order".to_owned())),
        is_panel: false,
    };
    picture.figure(
        "Mislabeled training cases found by inspection",
        format!(
            "Across: training cases inspected, those with the largest score first. Up: which share of the {} is among them. \
             The earlier a line rises, the less has to be inspected.",
            n_of(found.n_flagged, "mislabeled case", "mislabeled cases"),
        ),
    )
}

/// The top cases of some test cases, all explainers side by side.
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
        Block::Words(words.to_owned()),
    ];
    let has_images = section
        .top_cases
        .iter()
        .all(|sample| sample.image.is_some());
    match has_images {
        true => {
            let figures = section.top_cases.iter().map(|sample| {
                let picture = TopCases {
                    explainers: &section.compared.explainers,
                    sample,
                };
                picture.figure(
                    title(sample),
                    "Left: the test case. Right: the training cases.",
                )
            });
            blocks.push(Block::Figures(figures.collect()));
        }
        false => blocks.extend(
            section
                .top_cases
                .iter()
                .map(|sample| Block::Table(table(section, sample))),
        ),
    }
    blocks
}

fn title(sample: &TopCasesOfSample) -> String {
    let class = sample.class.as_ref();
    let class = class.map_or_else(String::new, |class| format!(", class {class}"));
    format!("Top training cases of test case {}{class}", sample.sample)
}

/// Ranks by explainers.
fn table(section: &DataAttribution, sample: &TopCasesOfSample) -> Table {
    let n = sample.explainers.iter().map(Vec::len).max().unwrap_or(0);
    let rows = (0..n).map(|rank| {
        let cells = sample.explainers.iter().map(|top| top.get(rank));
        let cells = cells.map(|top| top.map_or_else(Cell::empty, |top| cell(sample, top)));
        std::iter::once(Cell::count(rank as u64 + 1))
            .chain(cells)
            .collect()
    });
    let table = Table::new(title(sample)).unsorted().numbers(["rank"]);
    table.words(&section.compared.explainers).rows(rows)
}

fn cell(sample: &TopCasesOfSample, top: &TopCase) -> Cell {
    let [case, class, attribution] = TopCases::words(sample, top);
    Cell::words(case).note(class).note(attribution)
}
