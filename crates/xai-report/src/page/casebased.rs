//! The section of case-based explanations.

use crate::family::Family;
use crate::markup::number::{decimals, in_own_units, percent};
use crate::markup::{Cell, Element, Table, name, number};
use crate::page::block::{Block, KeyFigure, Section, n_of};
use crate::picture::{
    Axis, BarGroup, Bars, ErrorBars, Figure, LineChart, Picture, Point, Reference, Series, Style,
};
use crate::section::casebased::{Casebased, FeatureComparison, Group, LeastSupported};

/// The section with its pictures and tables.
pub(super) fn section(section: &Casebased) -> Section<'_> {
    Section {
        family: Family::Casebased,
        origin: &section.origin,
        about: about(section),
        blocks: blocks(section),
    }
}

fn about(section: &Casebased) -> String {
    format!(
        "{}, each against its {} nearest of {}, by {}. Correspondence is the share of neighbour weight \
         that has the predicted class, in [0, 1], higher is better.",
        n_of(section.n_test, "prediction", "predictions"),
        section.k,
        n_of(section.n_train, "training case", "training cases"),
        n_of(section.columns_used.len(), "feature", "features"),
    )
}

fn blocks(section: &Casebased) -> Vec<Block> {
    let mut blocks = vec![Block::KeyFigures(key_figures(section))];
    let figures: Vec<_> = distributions(section)
        .into_iter()
        .chain(reliability(section))
        .collect();
    blocks.extend(Block::figures("Right and wrong predictions", figures));
    if section.right.is_some() || section.wrong.is_some() {
        blocks.push(Block::Table(groups(section)));
    }
    blocks.push(Block::Heading("By class and by level"));
    blocks.push(Block::Table(by_class(section)));
    blocks.push(Block::Table(levels(section)));
    if !section.least_supported.is_empty() {
        blocks.push(Block::Heading("The least-supported predictions"));
        blocks.push(Block::Words(
            "The predictions with the lowest correspondence, lowest first, beside their nearest training \
             cases. ▲ and ▼ mark features in which the prediction is more than one standard deviation of \
             the training rows above or below the mean of its precedents. Values are in the units of the \
             data; rows are counted from 0."
                .to_owned(),
        ));
        blocks.extend(draw(&section.least_supported));
    }
    blocks.extend(columns(section));
    blocks
}

fn key_figures(section: &Casebased) -> Vec<KeyFigure> {
    let mut keys = vec![KeyFigure::estimate(
        "Mean correspondence",
        &section.mean_correspondence,
        "in [0, 1], ↑ higher is better",
    )];
    if let Some(accuracy) = &section.accuracy {
        keys.push(KeyFigure::estimate(
            "Accuracy",
            accuracy,
            "share of right predictions",
        ));
    }
    if let Some(auroc) = &section.auroc_of_right {
        let note = "does correspondence rank right predictions above wrong ones? 0.5 = no better than chance";
        keys.push(KeyFigure::estimate(
            "AUROC, right against wrong",
            auroc,
            note,
        ));
    }
    if !section.reliability.is_empty() {
        let note = "expected calibration error over ten bins; 0 = calibrated, ↓ lower is better";
        keys.push(KeyFigure::number(
            "Calibration error",
            section.expected_calibration_error,
            note,
        ));
    }
    keys
}

fn groups(section: &Casebased) -> Table {
    let groups = [("right", &section.right), ("wrong", &section.wrong)];
    let row = |name: &str, group: &Group| {
        vec![
            Cell::words(name),
            Cell::count(group.n),
            Cell::number(group.mean_correspondence.value),
            Cell::interval(group.mean_correspondence.interval),
        ]
    };
    let rows = groups
        .into_iter()
        .filter_map(|(name, group)| Some(row(name, group.as_ref()?)));
    Table::new("Correspondence of right and of wrong predictions")
        .words(["predictions"])
        .numbers(["number", "mean correspondence", "95 % interval"])
        .rows(rows)
}

fn by_class(section: &Casebased) -> Table {
    let rows = section.by_class.iter().map(|class| {
        vec![
            Cell::words(&class.class),
            Cell::count(class.n),
            Cell::number(class.mean_correspondence),
            Cell::number(class.accuracy),
        ]
    });
    Table::new("Predictions by predicted class")
        .words(["predicted class"])
        .numbers(["number", "mean correspondence", "accuracy"])
        .rows(rows)
}

fn levels(section: &Casebased) -> Table {
    let n: u64 = section.levels.iter().map(|level| level.n).sum();
    let rows = section.levels.iter().map(|level| {
        let share = level.n as f64 / n.max(1) as f64;
        vec![
            Cell::words(&level.level),
            Cell::count(level.n),
            Cell::shown_as(Some(share), percent),
        ]
    });
    Table::new("Predictions by the level of their correspondence")
        .words(["level"])
        .numbers(["number", "share"])
        .rows(rows)
}

fn columns(section: &Casebased) -> Option<Block> {
    let sentences = [
        (!section.columns_used.is_empty())
            .then(|| format!("Features: {}.", section.columns_used.join(", "))),
        (!section.columns_left_out.is_empty())
            .then(|| format!("Left out: {}.", section.columns_left_out.join(", "))),
    ];
    let words: Vec<Block> = sentences.into_iter().flatten().map(Block::Words).collect();
    (!words.is_empty()).then(|| Block::Folded {
        title: "Columns that were used and left out".to_owned(),
        is_open: false,
        blocks: words,
    })
}

/// Correspondence of right and of wrong predictions.
fn distributions(section: &Casebased) -> Option<Figure> {
    let groups = [("right", &section.right, 0), ("wrong", &section.wrong, 1)];
    let bars = |name: &str, group: &Group, style: usize| BarGroup {
        name: name.to_owned(),
        style: Style::of(style),
        histogram: group.histogram.clone(),
        mean: group.mean_correspondence.value,
    };
    let known = groups
        .into_iter()
        .filter_map(|(name, group, style)| Some(bars(name, group.as_ref()?, style)));
    let groups: Vec<BarGroup> = known
        .filter(|group| group.histogram.counts.iter().any(|n| *n > 0))
        .collect();
    if groups.is_empty() {
        return None;
    }
    let picture = Bars {
        label: "correspondence".to_owned(),
        unit: "predictions",
        groups,
        is_panel: false,
    };
    Some(picture.figure(
        "Correspondence of right and of wrong predictions",
        "Across: correspondence with the nearest training cases, higher is better. Up and down: the share of the \
         group in each bin, so that groups of any size compare. Where correspondence tells errors, the upper bars \
         stand at the right and the lower ones at the left.",
    ))
}

/// Accuracy by correspondence.
fn reliability(section: &Casebased) -> Option<Figure> {
    let bins = section.reliability.iter();
    let points: Vec<Point> = bins
        .filter_map(|bin| {
            Some(Point {
                x: bin.mean_correspondence?,
                y: bin.accuracy.value?,
                interval: bin.accuracy.interval,
                n: Some(bin.accuracy.n),
            })
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let picture = LineChart {
        x: Axis::new("mean correspondence", (0.0, 1.0)),
        y: Axis::new("accuracy", (0.0, 1.0)),
        series_kind: "predictions",
        series: vec![Series {
            name: "predictions by correspondence".to_owned(),
            style: Style::of(0),
            points,
            best: None,
            error_bars: ErrorBars::Whiskers,
        }],
        reference: Some(Reference::Diagonal(
            "calibrated: accuracy = correspondence".to_owned(),
        )),
        is_panel: false,
    };
    Some(picture.figure(
        "Accuracy by correspondence",
        "Each mark: predictions of similar correspondence; the larger, the more of them. Up: the share of them that is \
         right, with a 95 % interval (Wilson). On the diagonal, correspondence says how often a prediction is right; \
         above it, predictions are right more often than their precedents suggest.",
    ))
}

/// Features that are shown at once.
const FIRST: usize = 8;

/// Cases that are shown at once.
const OPEN: usize = 3;

/// The cases, each in a block of its own.
fn draw(cases: &[LeastSupported]) -> Vec<Block> {
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
    let prediction = head("this prediction", format!("row {}", case.sample));
    let table = Table::new(caption).unsorted().words(["feature"]);
    let mut table = table.column(prediction, true);
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
