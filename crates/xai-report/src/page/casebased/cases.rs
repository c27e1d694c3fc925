//! Predictions beside the training cases that are nearest to them.

use crate::markup::number::{decimals, in_own_units};
use crate::markup::{Cell, Element, Table, name, number};
use crate::page::block::Block;
use crate::section::casebased::{FeatureComparison, LeastSupported};

/// Features that are shown at once.
const FIRST: usize = 8;

/// Cases that are shown at once.
const OPEN: usize = 3;

/// The cases, each in a block of its own.
pub(super) fn draw(cases: &[LeastSupported]) -> Vec<Block> {
    let blocks = cases.iter().enumerate();
    blocks
        .map(|(index, case)| draw_case(case, index < OPEN))
        .collect()
}

fn draw_case(case: &LeastSupported, is_open: bool) -> Block {
    let n_first = case.features.len().min(FIRST);
    let (first, rest) = case.features.split_at(n_first);
    let caption = format!(
        "Row {}: features by difference, the largest first",
        case.sample
    );
    let mut blocks = vec![Block::Table(table(caption, case, first))];
    if !rest.is_empty() {
        blocks.push(Block::Folded {
            title: number::of_kind(rest.len() as u64, "more feature", "more features"),
            is_open: false,
            blocks: vec![Block::Table(table(
                format!("Row {}: the other features", case.sample),
                case,
                rest,
            ))],
        });
    }
    Block::Folded {
        title: title(case),
        is_open,
        blocks,
    }
}

fn title(case: &LeastSupported) -> String {
    let predicted = case
        .predicted
        .as_deref()
        .unwrap_or("nothing: its neighbours weigh 0");
    let verdict = case
        .truth
        .as_ref()
        .map(|truth| match Some(truth) == case.predicted.as_ref() {
            true => format!(", which is right ({truth})"),
            false => format!(", but it is {truth}"),
        });
    let correspondence = match number::finite(case.correspondence) {
        Some(value) => format!("correspondence {}, {}", decimals(value), case.level),
        None => "correspondence undefined".to_owned(),
    };
    format!(
        "Row {}: predicted {predicted}{}; {correspondence}",
        case.sample,
        verdict.unwrap_or_default()
    )
}

fn table(caption: String, case: &LeastSupported, features: &[FeatureComparison]) -> Table {
    let mut table = Table::new(caption).unsorted().words("feature").column(
        head("this prediction", format!("row {}", case.sample)),
        true,
    );
    for (index, precedent) in case.neighbors.iter().enumerate() {
        let about = format!(
            "row {}, {}, distance {}",
            precedent.index,
            precedent.label,
            in_own_units(precedent.distance)
        );
        table = table.column(head(&format!("precedent {}", index + 1), about), true);
    }
    let n_precedents = case.neighbors.len();
    table
        .column(
            head("difference", "in standard deviations".to_owned()),
            true,
        )
        .rows(features.iter().map(|feature| row(feature, n_precedents)))
}

fn head(title: &str, about: String) -> Element {
    Element::new("div")
        .text(title)
        .child(Element::of("small", "note").child(name(&about)))
}

fn row(feature: &FeatureComparison, n_precedents: usize) -> Vec<Cell> {
    let class = if feature.differs { "differs" } else { "" };
    let precedents = (0..n_precedents).map(|index| {
        let value = feature.precedents.get(index).copied();
        Cell::shown_as(value, in_own_units)
    });
    let mut row = vec![
        Cell::words(&feature.feature),
        Cell::shown_as(Some(feature.value), in_own_units).class(class),
    ];
    row.extend(precedents);
    row.push(
        Cell::shown_as(feature.difference, |value| {
            difference(value, feature.differs)
        })
        .class(class),
    );
    row
}

/// A difference with its sign, and an arrow where it is large.
fn difference(value: f64, differs: bool) -> String {
    let arrow = match (differs, value > 0.0) {
        (false, _) => "",
        (true, true) => "▲ ",
        (true, false) => "▼ ",
    };
    // A difference that is none in these digits has no sign.
    let shown = match format!("{value:+.2}").as_str() {
        "+0.00" | "-0.00" => "0.00".to_owned(),
        signed => number::minus(signed.to_owned()),
    };
    format!("{arrow}{shown}")
}
